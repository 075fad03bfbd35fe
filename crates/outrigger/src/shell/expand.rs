//! Words → fields: tildes, variables, the output of commands, splitting.

use crate::shell::braces::{self, Bit};
use crate::shell::field::{Builder, Field, GAP, MAX_MADE, Stream};
use crate::shell::glob;
use crate::shell::syntax::{Piece, Script, Variable, Word};
use crate::shell::walk::Walk;

impl Walk<'_> {
    /// Returns the arguments that a word becomes: none, one or several.
    pub(crate) fn fields(&mut self, word: &Word) -> Vec<Field> {
        let Some(words) = braces::expand(word) else {
            self.field(word);
            return vec![Field::Unknown];
        };
        let mut fields = Vec::with_capacity(words.len());
        for bits in words {
            let mut builder = Builder::default();
            for (idx, bit) in bits.iter().enumerate() {
                match bit {
                    Bit::Bare(text) => self.push_bare(&mut builder, text, idx == 0),
                    Bit::Piece(piece) => self.push_piece(&mut builder, &mut fields, piece),
                    Bit::Open | Bit::Comma | Bit::Close => {}
                }
            }
            fields.extend(builder.finish());
        }
        fields
    }

    /// Returns the one field that a word becomes where nothing is split: after
    /// `=` and in redirections.
    pub(crate) fn field(&mut self, word: &Word) -> Field {
        let mut builder = Builder::default();
        for (idx, piece) in word.0.iter().enumerate() {
            let mut others = Vec::new();
            match piece {
                Piece::Text { text, is_quoted: false } => {
                    self.push_bare(&mut builder, text, idx == 0);
                }
                Piece::Variable { variable, .. } => match self.value(variable).as_slice() {
                    [value] => builder.push_field(value),
                    _ => builder.push_unknown(),
                },
                Piece::Output { script, .. } => {
                    let output = self.output(script);
                    push_output(&mut builder, &mut others, &output, true);
                }
                other => self.push_piece(&mut builder, &mut others, other),
            }
        }
        builder.into_one()
    }

    /// Returns the text of a here-document, with [`GAP`] where it is not known.
    pub(crate) fn here_text(&mut self, word: &Word) -> Stream {
        let mut text = String::new();
        for piece in &word.0 {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                _ if text.len() > MAX_MADE => text.push(GAP),
                Piece::Variable { variable, .. } => match self.value(variable).as_slice() {
                    [Field::Text(value)] => text.push_str(value),
                    _ => text.push(GAP),
                },
                Piece::Output { script, .. } => match self.output(script) {
                    Stream::Text(output) => text.push_str(output.trim_end_matches('\n')),
                    Stream::Names(_) | Stream::Unknown => text.push(GAP),
                },
                Piece::Process(_) | Piece::Unknown => text.push(GAP),
            }
        }
        Stream::Text(text)
    }

    /// Returns what a program reads from `<word`.
    pub(crate) fn process_output(&mut self, word: &Word) -> Stream {
        match word.0.as_slice() {
            [Piece::Process(script)] => self.output(script),
            _ => {
                self.field(word);
                Stream::Unknown
            }
        }
    }

    /// Runs `>(…)`, if that is what the word is.
    pub(crate) fn process(&mut self, word: &Word) -> bool {
        match word.0.as_slice() {
            [Piece::Process(script)] => {
                self.output(script);
                true
            }
            _ => false,
        }
    }

    fn output(&mut self, script: &Script) -> Stream {
        let copy = self.state.clone();
        self.in_copy(copy, |walk| walk.script(script, &Stream::Unknown))
    }

    fn push_bare(&mut self, builder: &mut Builder, text: &str, is_first: bool) {
        let rest = match text.strip_prefix('~') {
            Some(rest) if is_first => rest,
            _ => return builder.push_active(text),
        };
        let (user, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let home = match user {
            "" => self.home.to_str().map(str::to_owned),
            "+" => self.state.cwd.as_ref().and_then(|it| it.to_str()).map(str::to_owned),
            _ => None,
        };
        match home {
            Some(home) => builder.push_literal(&home),
            None => builder.push_unknown(),
        }
        builder.push_active(below);
    }

    fn push_piece(&mut self, builder: &mut Builder, fields: &mut Vec<Field>, piece: &Piece) {
        match piece {
            Piece::Text { text, is_quoted: true } => builder.push_literal(text),
            Piece::Text { text, is_quoted: false } => builder.push_active(text),
            Piece::Variable { variable, is_quoted } => {
                let values = self.value(variable);
                // `"$*"` is one word; everything else that has several keeps them.
                let is_starred = variable.name == "*" || variable.index.as_deref() == Some("*");
                if *is_quoted && is_starred && values.len() != 1 {
                    return builder.push_unknown();
                }
                for (idx, value) in values.iter().enumerate() {
                    if idx > 0 {
                        fields.extend(builder.finish());
                    }
                    match value {
                        Field::Text(text) if !is_quoted => self.push_split(builder, fields, text),
                        other => builder.push_field(other),
                    }
                }
            }
            Piece::Output { script, is_quoted } => {
                let output = self.output(script);
                push_output(builder, fields, &output, *is_quoted);
            }
            // A file of its own, which nobody edits.
            Piece::Process(script) => {
                self.output(script);
                builder.push_literal("/dev/fd/63");
            }
            Piece::Unknown => builder.push_unknown(),
        }
    }

    fn push_split(&mut self, builder: &mut Builder, fields: &mut Vec<Field>, text: &str) {
        if builder.is_full() || self.state.variables.contains_key("IFS") {
            return builder.push_unknown();
        }
        for (idx, part) in text.split([' ', '\t', '\n']).enumerate() {
            if idx > 0 {
                fields.extend(builder.finish());
            }
            builder.push_active(part);
        }
    }

    /// Returns the values of a variable; most have one.
    fn value(&mut self, variable: &Variable) -> Vec<Field> {
        let values = self.stored(variable);
        let Some((operation, word)) = &variable.operation else {
            return values.unwrap_or_else(|| vec![Field::Unknown]);
        };
        let word = self.field(word);
        match (*operation, values) {
            // Without a value here, the environment may still have one.
            (_, None) => vec![Field::Unknown],
            (":-" | ":=", Some(values)) => {
                if values.iter().all(|it| it.text() == Some("")) {
                    vec![word]
                } else {
                    values
                }
            }
            ("-" | "=" | ":?" | "?", Some(values)) => values,
            (":+" | "+", Some(values)) => match values.as_slice() {
                [] => values,
                [Field::Text(text)] if text.is_empty() => values,
                [Field::Unknown] => values,
                _ => vec![word],
            },
            (operation, Some(values)) => {
                let pattern = word.pattern();
                let trimmed = |value: &Field| match (value, &pattern) {
                    (Field::Text(text), Some(pattern)) => trim(text, operation, pattern),
                    _ => Field::Unknown,
                };
                values.iter().map(trimmed).collect()
            }
        }
    }

    fn stored(&self, variable: &Variable) -> Option<Vec<Field>> {
        let name = variable.name.as_str();
        if matches!(name, "@" | "*") {
            return self.state.positional.clone();
        }
        if let Ok(number) = name.parse::<usize>() {
            let values = self.state.positional.as_ref()?;
            let value = number.checked_sub(1).map(|it| values.get(it).cloned())?;
            return Some(vec![value.unwrap_or_else(|| Field::of(""))]);
        }
        let values = match self.state.variables.get(name) {
            Some(values) => values.clone(),
            None => {
                let path = match name {
                    "HOME" => Some(self.home),
                    "PWD" => self.state.cwd.as_deref(),
                    "OLDPWD" => self.state.previous.as_deref(),
                    _ => None,
                };
                return path.and_then(|it| it.to_str()).map(|it| vec![Field::of(it)]);
            }
        };
        let index = match variable.index.as_deref() {
            Some("@" | "*") => return Some(values),
            Some(index) => index.parse::<usize>().ok()?,
            None => 0,
        };
        Some(vec![values.get(index).cloned().unwrap_or_else(|| Field::of(""))])
    }
}

fn push_output(builder: &mut Builder, fields: &mut Vec<Field>, output: &Stream, is_quoted: bool) {
    match output {
        _ if builder.is_full() => builder.push_unknown(),
        Stream::Text(text) if is_quoted => builder.push_literal(text.trim_end_matches('\n')),
        Stream::Text(text) => {
            for (idx, part) in text.trim_end_matches('\n').split([' ', '\t', '\n']).enumerate() {
                if idx > 0 {
                    fields.extend(builder.finish());
                }
                builder.push_active(part);
            }
        }
        // Many names in one argument are no file.
        Stream::Names(_) if is_quoted => builder.push_unknown(),
        Stream::Names(names) => {
            for (idx, name) in names.iter().enumerate() {
                if idx > 0 {
                    fields.extend(builder.finish());
                }
                builder.push_field(name);
            }
        }
        Stream::Unknown => builder.push_unknown(),
    }
}

/// Returns the text without what the pattern matches at its start or end.
fn trim(text: &str, operation: &str, pattern: &str) -> Field {
    let mut cuts: Vec<usize> = text.char_indices().map(|it| it.0).chain([text.len()]).collect();
    // A pattern is tried at every place, so a long text would take its square.
    if cuts.len() > 500 {
        return Field::Unknown;
    }
    if matches!(operation, "%" | "##") {
        cuts.reverse();
    }
    let is_match = |it: &str| glob::matches_name(pattern, it);
    let left = match operation {
        "%" | "%%" => cuts.iter().find(|it| is_match(&text[**it..])).map(|it| &text[..*it]),
        "#" | "##" => cuts.iter().find(|it| is_match(&text[..**it])).map(|it| &text[*it..]),
        _ => return Field::Unknown,
    };
    Field::of(left.unwrap_or(text))
}
