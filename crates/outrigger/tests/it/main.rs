//! One test crate.
