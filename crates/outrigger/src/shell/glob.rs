//! Patterns of file names, matched against paths and never against a disk.

use std::path::{Component, Path, PathBuf};

/// A pattern of absolute paths: `/project/src/*.clj`. `**` stands for any
/// number of folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The folder below which all its files lie.
    pub(crate) base: PathBuf,
    /// The rest, one pattern for each folder or file. A backslash takes the
    /// meaning from the next character.
    parts: Vec<String>,
    /// Whether `*` also stands for names that begin with a full stop. A shell's
    /// does not, `find`'s does.
    matches_hidden: bool,
}

impl Glob {
    /// Reads an absolute pattern.
    pub(crate) fn new(source: &str, matches_hidden: bool) -> Self {
        let mut base = PathBuf::from("/");
        let mut parts: Vec<String> = Vec::new();
        for part in source.split('/').filter(|it| !it.is_empty() && *it != ".") {
            if parts.is_empty() && !has_wildcard(part) {
                base.push(unescape(part));
            } else if parts.last().is_none_or(|last| last != "**" || part != "**") {
                parts.push(part.to_owned());
            }
        }
        Self { base, parts, matches_hidden }
    }

    /// Returns whether `path`, or a folder above it, is matched.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.base) else { return false };
        let names: Vec<_> = below
            .components()
            .filter_map(|it| match it {
                Component::Normal(name) => Some(name.to_string_lossy()),
                _ => None,
            })
            .collect();
        let is_hidden = |name: &str| name.starts_with('.');
        (0..=names.len()).rev().any(|n_names| {
            matches_all(&self.parts, &names[..n_names], |part, name| {
                let is_reached = self.matches_hidden || !is_hidden(name) || is_hidden(part);
                is_reached && (part == "**" || matches_name(part, name))
            })
        })
    }

    /// Returns the pattern as it could be written in a shell, with `**`.
    pub(crate) fn source(&self) -> String {
        self.base.join(self.parts.join("/")).display().to_string()
    }
}

/// Matches parts against names; `**` takes any number of names.
fn matches_all<N: AsRef<str>>(
    parts: &[String],
    names: &[N],
    matches: impl Fn(&str, &str) -> bool,
) -> bool {
    let (mut part_idx, mut name_idx) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (parts.get(part_idx), names.get(name_idx)) {
            (None, None) => return true,
            (Some(part), _) if part == "**" => {
                retry = Some((part_idx, name_idx));
                part_idx += 1;
            }
            (Some(part), Some(name)) if matches(part, name.as_ref()) => {
                part_idx += 1;
                name_idx += 1;
            }
            _ => match retry {
                Some((part, name))
                    if names.get(name).is_some_and(|it| matches("**", it.as_ref())) =>
                {
                    retry = Some((part, name + 1));
                    (part_idx, name_idx) = (part + 1, name + 1);
                }
                _ => return false,
            },
        }
    }
}

/// Returns whether a name matches a pattern of `*`, `?`, `[…]` and letters.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut name_idx) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at) == Some(&'*') {
            retry = Some((at, name_idx));
            at += 1;
            continue;
        }
        let step = match name.get(name_idx) {
            Some(it) => matched_len(&pattern[at..], *it),
            None if at == pattern.len() => return true,
            None => None,
        };
        match (step, retry) {
            (Some(len), _) => {
                at += len;
                name_idx += 1;
            }
            (None, Some((star, from))) if from < name.len() => {
                retry = Some((star, from + 1));
                (at, name_idx) = (star + 1, from + 1);
            }
            (None, _) => return false,
        }
    }
}

/// Returns how much of the pattern stands for this one character, if it does.
fn matched_len(pattern: &[char], it: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', ..] => match class_len(pattern) {
            Some(len) => class_holds(&pattern[1..len - 1], it).then_some(len),
            None => (it == '[').then_some(1),
        },
        ['\\', escaped, ..] => (*escaped == it).then_some(2),
        [literal, ..] => (*literal == it).then_some(1),
        [] => None,
    }
}

fn class_len(pattern: &[char]) -> Option<usize> {
    let is_negated = matches!(pattern.get(1), Some('!' | '^'));
    // A bracket that comes first stands for itself.
    let start = 2 + usize::from(is_negated);
    let len = pattern.iter().skip(start).position(|it| *it == ']')?;
    Some(start + len + 1)
}

fn class_holds(class: &[char], it: char) -> bool {
    let is_negated = matches!(class.first(), Some('!' | '^'));
    let class = &class[usize::from(is_negated)..];
    let mut is_found = false;
    let mut idx = 0;
    while idx < class.len() {
        if let [from, '-', to, ..] = class[idx..] {
            is_found |= (from..=to).contains(&it);
            idx += 3;
        } else {
            is_found |= class[idx] == it;
            idx += 1;
        }
    }
    is_found != is_negated
}

/// Returns whether anything in a pattern stands for more than itself.
pub(crate) fn has_wildcard(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    let mut is_class_open = false;
    while let Some(it) = chars.next() {
        match it {
            '\\' => {
                chars.next();
            }
            '*' | '?' => return true,
            '[' => is_class_open = true,
            ']' if is_class_open => return true,
            _ => {}
        }
    }
    false
}

/// Returns a pattern that matches exactly this text.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        if "*?[]\\".contains(it) {
            out.push('\\');
        }
        out.push(it);
    }
    out
}

/// Returns the text that a pattern without wildcards stands for.
pub(crate) fn unescape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(it) = chars.next() {
        match it {
            '\\' => out.extend(chars.next()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, expected) in [
            ("*.clj", "a.clj", true),
            ("*.clj", "a.cljs", false),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]x", "]x", true),
            ("[ab", "[ab", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
            ("f*r.b*z", "foobar.baz", true),
        ] {
            assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_cover_paths() {
        for (pattern, path, expected) in [
            ("/p/*.clj", "/p/a.clj", true),
            ("/p/*.clj", "/p/src/a.clj", false),
            ("/p/*", "/p/src/a.clj", true),
            ("/p/*", "/p/.env", false),
            ("/p/.*", "/p/.env", true),
            ("/p/**/*.clj", "/p/a.clj", true),
            ("/p/**/*.clj", "/p/src/x/a.clj", true),
            ("/p/**/*.clj", "/p/src/x/a.cljs", false),
            ("/p/**/test/**/*.clj", "/p/a/test/b/c.clj", true),
            ("/p/a b/*", "/p/a b/c", true),
            ("/p/[x]/\\[y]", "/p/x/[y]", true),
            ("/p/src*/a", "/p", false),
        ] {
            let glob = Glob::new(pattern, false);
            assert_eq!(glob.covers(Path::new(path)), expected, "{pattern} {path}");
        }
        assert!(Glob::new("/p/**/*", true).covers(Path::new("/p/.git/config")));
    }
}
