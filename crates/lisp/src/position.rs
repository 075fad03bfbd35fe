//! Byte offsets as the line and column a human sees.
//!
//! Lines and columns count from 1; columns count characters, not bytes. A `\n`
//! ends a line, so the `\r` of a CRLF is the last character of its line.

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte offset in the text, from 0.
    pub offset: usize,
}

/// Returns the position of one byte offset; an offset past the end is the end.
pub fn position(text: &str, offset: usize) -> Position {
    let offset = floor_char_boundary(text, offset);
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    Position {
        line: before.bytes().filter(|&it| it == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        offset,
    }
}

/// Returns the positions of many offsets in one pass over the text.
///
/// Asking [`position`] once per offset would be quadratic for a long line with
/// many problems; this sorts the offsets and walks the text once.
pub fn positions(text: &str, offsets: &[usize]) -> Vec<Position> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&it| offsets[it]);
    let start = Position { line: 1, column: 1, offset: 0 };
    let mut found = vec![start; offsets.len()];
    let mut here = start;
    for idx in order {
        let target = floor_char_boundary(text, offsets[idx]);
        for char in text[here.offset..target].chars() {
            if char == '\n' {
                here.line += 1;
                here.column = 1;
            } else {
                here.column += 1;
            }
        }
        here.offset = target;
        found[idx] = here;
    }
    found
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::{position, positions};

    #[test]
    fn counts_lines_and_characters_from_one() {
        let text = "ab\näöü(\r\n)";
        let offset = text.find(')').unwrap();
        let found = position(text, offset);
        assert_eq!((found.line, found.column), (3, 1));
        let found = position(text, text.find('(').unwrap());
        assert_eq!((found.line, found.column), (2, 4));
    }

    #[test]
    fn an_offset_past_the_end_or_inside_a_character_is_moved_back() {
        assert_eq!(position("ä", 1).offset, 0);
        assert_eq!(position("ab", 99).offset, 2);
    }

    #[test]
    fn many_at_once_agree_with_one_by_one() {
        let text = "(a\n  [ü\n] b)\n";
        let offsets: Vec<usize> = (0..=text.len() + 2).rev().collect();
        let one_by_one: Vec<_> = offsets.iter().map(|&it| position(text, it)).collect();
        assert_eq!(positions(text, &offsets), one_by_one);
    }
}
