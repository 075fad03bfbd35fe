//! What the text before the edit says about the text after it.

/// What is known about delimiters from the text before.
#[derive(Debug, Default)]
pub(super) struct Evidence {}

impl Evidence {
    /// What part of its price an opener before a piece costs, if the edit lost one there.
    pub(super) fn lost_opener(&self, _piece: usize, _bracket: u8) -> Option<f32> {
        None
    }

    /// The same for a closer after a piece.
    pub(super) fn lost_closer(&self, _after: usize, _closer: u8, _n_added: usize) -> Option<f32> {
        None
    }

    /// What part of its price it costs to take away a closer, if the edit added it.
    pub(super) fn gained(&self, _piece: usize) -> Option<f32> {
        None
    }

    /// What it costs more to change a closer that was there before.
    pub(super) fn kept(&self, _piece: usize) -> f32 {
        0.0
    }
}
