//! JSON with comments: reads it, finds things in it, and makes edits of its text.
//! Knows nothing of hooks or agents.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

/// A span of a text and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

/// What cannot be read, and where. Line and column start at 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub(crate) struct SyntaxError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// Splits off a byte order mark.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    (&text[..text.len() - body.len()], body)
}

/// Reads a text without a byte order mark. Nothing but blanks and comments is
/// `None`.
pub(crate) fn parse(body: &str) -> Result<Option<ast::Value<'_>>, SyntaxError> {
    // Comments and trailing commas are what people put into settings; the rest
    // of JSON5 would be refused by the agents themselves.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options);
    parsed.map(|it| it.value).map_err(|error| {
        let mut message = error.kind().to_string();
        if let Some(first) = message.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        SyntaxError { line: error.line_display(), column: error.column_display(), message }
    })
}

/// Returns line and column, both from 1, of a place in a text.
pub(crate) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Returns the plain value. Of several keys with one name the last counts, as
/// it does for the agents.
pub(crate) fn to_value(node: &ast::Value<'_>) -> Value {
    match node {
        ast::Value::StringLit(it) => Value::String(it.value.clone().into_owned()),
        ast::Value::NumberLit(it) => serde_json::from_str(it.value).unwrap_or(Value::Null),
        ast::Value::BooleanLit(it) => Value::Bool(it.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(it) => Value::Array(it.elements.iter().map(to_value).collect()),
        ast::Value::Object(it) => {
            let pairs = it.properties.iter();
            let pairs = pairs.map(|it| (it.name.as_str().to_owned(), to_value(&it.value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
    }
}

/// Returns the property that counts among those of that name: the last.
pub(crate) fn property<'a, 't>(
    object: &'a ast::Object<'t>,
    name: &str,
) -> Option<&'a ast::ObjectProp<'t>> {
    object.properties.iter().rev().find(|it| it.name.as_str() == name)
}

/// Returns `text` with the edits made, or `None` when they overlap or do not fit.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|it| (it.start, it.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.start)?);
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}
