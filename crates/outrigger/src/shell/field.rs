//! A word after expansion: a text, a pattern of names, or something that cannot
//! be foretold.

use crate::shell::glob::{self, has_wildcard};

/// Texts put together from others are not made longer than this: a value that
/// holds itself twice would double each time.
pub(crate) const MAX_MADE: usize = 64 << 10;

/// Stands in a here-document for what is not known. A path with it is unknown.
pub(crate) const GAP: char = char::REPLACEMENT_CHARACTER;

/// Stands in a text for a `*` that no quote can take the meaning from: the names
/// that `find` puts into `sh -c '… {} …'`.
const STAR: char = '\u{f8f1}';

/// One argument of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    /// Exactly this.
    Text(String),
    /// Names that match. A backslash takes the meaning from the next character.
    Names { pattern: String, matches_hidden: bool },
    /// Depends on what is not in the command line.
    Unknown,
}

impl Field {
    /// Returns a field that is exactly this.
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns the text, if it is known.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Names { .. } | Self::Unknown => None,
        }
    }

    /// Returns the text, or nothing in its place.
    pub(crate) fn text_or_empty(&self) -> &str {
        self.text().unwrap_or_default()
    }

    /// Returns this field as a pattern, if it is known.
    pub(crate) fn pattern(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(glob::escape(text)),
            Self::Names { pattern, .. } => Some(pattern.clone()),
            Self::Unknown => None,
        }
    }

    /// Returns the fields that follow each other without a blank, as one.
    pub(crate) fn joined(parts: &[Self]) -> Self {
        let mut builder = Builder::default();
        for part in parts {
            builder.push_field(part);
        }
        builder.into_one()
    }

    /// Returns `name` in the folder that this field names.
    pub(crate) fn child(&self, name: &Self) -> Self {
        let ends_with_slash = match self {
            Self::Text(text) => text.ends_with('/'),
            Self::Names { pattern, .. } => pattern.ends_with('/'),
            Self::Unknown => return Self::Unknown,
        };
        let slash = Self::of(if ends_with_slash { "" } else { "/" });
        Self::joined(&[self.clone(), slash, name.clone()])
    }

    /// Returns the last part of this path.
    pub(crate) fn base_name(&self) -> Self {
        let last = |text: &str| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
        match self {
            Self::Text(text) => last(text).map_or(Self::Unknown, Self::Text),
            Self::Names { pattern, matches_hidden } => match last(pattern) {
                Some(part) if has_wildcard(&part) => {
                    Self::Names { pattern: part, matches_hidden: *matches_hidden }
                }
                Some(part) => Self::Text(glob::unescape(&part)),
                None => Self::Unknown,
            },
            Self::Unknown => Self::Unknown,
        }
    }

    /// Returns this field with every `mark` in it replaced.
    pub(crate) fn replaced(&self, mark: &str, with: &Self) -> Self {
        match (self, with) {
            (Self::Text(text), Self::Names { pattern, .. })
                if text.contains(mark)
                    && text.contains(' ')
                    && !pattern.contains(['?', '[', '\\']) =>
            {
                Self::Text(text.replace(mark, &pattern.replace('*', &STAR.to_string())))
            }
            _ => self.replaced_whole(mark, with),
        }
    }

    fn replaced_whole(&self, mark: &str, with: &Self) -> Self {
        match self {
            Self::Text(text) if !mark.is_empty() && text.contains(mark) => {
                let mut parts = Vec::new();
                for (idx, part) in text.split(mark).enumerate() {
                    if idx > 0 {
                        parts.push(with.clone());
                    }
                    parts.push(Self::of(part));
                }
                Self::joined(&parts)
            }
            _ => self.clone(),
        }
    }
}

/// Puts fields together from pieces.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    text: String,
    pattern: String,
    has_names: bool,
    matches_hidden: bool,
    is_unknown: bool,
    is_started: bool,
}

impl Builder {
    /// Adds text in which nothing is special.
    pub(crate) fn push_literal(&mut self, text: &str) {
        self.is_started = true;
        self.push_stars(text);
        self.text.push_str(text);
        self.pattern.push_str(&glob::escape(text).replace(STAR, "*"));
    }

    /// Adds text in which `*`, `?` and `[…]` stand for names.
    pub(crate) fn push_active(&mut self, text: &str) {
        self.is_started |= !text.is_empty();
        self.push_stars(text);
        self.text.push_str(text);
        self.pattern.push_str(&text.replace('\\', "\\\\").replace(STAR, "*"));
    }

    fn push_stars(&mut self, text: &str) {
        if text.contains(STAR) {
            self.has_names = true;
            self.matches_hidden = true;
        }
    }

    /// Returns whether nothing that is not in the command line itself should be
    /// added any more.
    pub(crate) fn is_full(&self) -> bool {
        self.pattern.len() > MAX_MADE
    }

    pub(crate) fn push_unknown(&mut self) {
        self.is_started = true;
        self.is_unknown = true;
    }

    pub(crate) fn push_field(&mut self, field: &Field) {
        match field {
            _ if self.is_full() => self.push_unknown(),
            Field::Text(text) => self.push_literal(text),
            Field::Names { pattern, matches_hidden } => {
                self.is_started = true;
                self.has_names = true;
                self.matches_hidden |= matches_hidden;
                self.pattern.push_str(pattern);
            }
            Field::Unknown => self.push_unknown(),
        }
    }

    /// Returns what has been put together, and starts anew. Nothing, not even
    /// quotes, is no field.
    pub(crate) fn finish(&mut self) -> Option<Field> {
        let whole = std::mem::take(self);
        whole.is_started.then(|| whole.into_one())
    }

    /// Returns what has been put together; nothing is an empty text.
    pub(crate) fn into_one(self) -> Field {
        if self.is_unknown {
            Field::Unknown
        } else if self.has_names || has_wildcard(&self.pattern) {
            Field::Names { pattern: self.pattern, matches_hidden: self.matches_hidden }
        } else {
            Field::Text(self.text)
        }
    }
}

/// What a program reads or prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Exactly this.
    Text(String),
    /// Names of files, one on each line.
    Names(Vec<Field>),
    /// Cannot be foretold.
    Unknown,
}

impl Stream {
    /// Returns the text, if it is known.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Names(_) | Self::Unknown => None,
        }
    }

    /// Returns the lines or names, if they are known.
    pub(crate) fn lines(&self) -> Option<Vec<Field>> {
        match self {
            Self::Text(text) => Some(text.lines().map(Field::of).collect()),
            Self::Names(names) => Some(names.clone()),
            Self::Unknown => None,
        }
    }

    /// Returns the words or names, if they are known.
    pub(crate) fn words(&self) -> Option<Vec<Field>> {
        match self {
            Self::Text(text) => Some(text.split_whitespace().map(Field::of).collect()),
            Self::Names(_) | Self::Unknown => self.lines(),
        }
    }
}
