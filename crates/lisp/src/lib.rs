//! A lossless reader for Clojure and other Lisps, and a repairer of their delimiters.
