//! Small readers of JSON fields, and text caps, shared by the agents' files.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agents::ParseError;
use crate::sys::paths;

/// Returns the text in `object[field]`.
pub(super) fn text<'a>(object: &'a Value, field: &'static str) -> Result<&'a str, ParseError> {
    object.get(field).and_then(Value::as_str).ok_or(ParseError::Field { field, expected: "text" })
}

/// Returns the text in `object[field]`, or "" where there is none.
pub(super) fn text_or_empty<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the absolute path in `object[field]`.
pub(super) fn path(
    object: &Value,
    field: &'static str,
    cwd: &Path,
    home: &Path,
) -> Result<PathBuf, ParseError> {
    let written = text(object, field)?;
    if written.is_empty() || written.contains('\0') {
        return Err(ParseError::Field { field, expected: "a path" });
    }
    Ok(paths::absolute(written, cwd, home))
}

/// Returns `text`, cut to at most `max_chars` UTF-16 units (which is how a
/// JavaScript program counts), with a word about what was left out.
pub(super) fn capped(text: &str, max_units: usize) -> String {
    let n_units: usize = text.chars().map(char::len_utf16).sum();
    if n_units <= max_units {
        return text.to_owned();
    }
    let mark = format!("\n… [{n_units} characters, cut here]");
    let mut left = max_units.saturating_sub(mark.chars().map(char::len_utf16).sum());
    let mut out: String = text
        .chars()
        .take_while(|it| {
            let fits = left >= it.len_utf16();
            left = left.saturating_sub(it.len_utf16());
            fits
        })
        .collect();
    out.push_str(&mark);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_stays_below_the_cap_and_says_so() {
        assert_eq!(capped("short", 5), "short");
        for cap in [40, 41, 60] {
            let cut = capped(&"🦀".repeat(100), cap);
            assert!(cut.encode_utf16().count() <= cap, "{cap}: {cut}");
            assert!(cut.ends_with("… [200 characters, cut here]"), "{cut}");
        }
    }
}
