//! Options and operands, told apart as `getopt_long` does.

use crate::shell::field::Field;

/// Which options of a program take a value.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spec {
    /// Letters followed by a value, in the same argument or the next.
    pub(crate) valued: &'static str,
    /// Letters that take the rest of their argument as a value, if there is any.
    pub(crate) attached: &'static str,
    /// Long options that take the next argument as a value, without dashes.
    pub(crate) long: &'static [&'static str],
}

/// The arguments of a program, sorted.
#[derive(Debug)]
pub(crate) struct Options {
    /// Options with their dashes, and their values.
    found: Vec<(String, Option<Field>)>,
    pub(crate) operands: Vec<Field>,
    /// How many operands stand before `--`, if there is one.
    pub(crate) n_before_dashes: Option<usize>,
}

impl Options {
    /// Sorts arguments.
    pub(crate) fn new(args: &[Field], spec: Spec) -> Self {
        let mut options = Self { found: Vec::new(), operands: Vec::new(), n_before_dashes: None };
        let mut rest = args.iter();
        while let Some(field) = rest.next() {
            let Some(text) = field.text().filter(|it| it.len() > 1 && it.starts_with('-')) else {
                options.operands.push(field.clone());
                continue;
            };
            if text == "--" {
                options.n_before_dashes = Some(options.operands.len());
                options.operands.extend(rest.cloned());
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(Field::of(value))),
                    None if spec.long.contains(&long) => (long, rest.next().cloned()),
                    None => (long, None),
                };
                options.found.push((format!("--{name}"), value));
                continue;
            }
            for (idx, letter) in text.char_indices().skip(1) {
                let after = &text[idx + letter.len_utf8()..];
                let name = format!("-{letter}");
                if spec.valued.contains(letter) {
                    let value = if after.is_empty() {
                        rest.next().cloned()
                    } else {
                        Some(Field::of(after))
                    };
                    options.found.push((name, value));
                    break;
                }
                if spec.attached.contains(letter) {
                    let value = (!after.is_empty()).then(|| Field::of(after));
                    options.found.push((name, value));
                    break;
                }
                options.found.push((name, None));
            }
        }
        options
    }

    /// Returns whether one of these options, written with dashes, is there.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.found.iter().any(|it| names.contains(&it.0.as_str()))
    }

    /// Returns the values of these options, in order.
    pub(crate) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Field> {
        let wanted = self.found.iter().filter(|it| names.contains(&it.0.as_str()));
        wanted.filter_map(|it| it.1.as_ref())
    }

    /// Returns the last value of these options.
    pub(crate) fn value<'a>(&'a self, names: &'a [&str]) -> Option<&'a Field> {
        self.values(names).last()
    }
}
