//! A lossless reader for Clojure and other Lisps, and a repairer of their delimiters.
//!
//! Text in, text out: no dependencies, no I/O, no panics. Reading never fails;
//! what is wrong with a text comes back as a list of problems beside the result.

pub mod dialect;
pub mod edn;
pub mod position;
pub mod repair;
pub mod token;
pub mod tree;
