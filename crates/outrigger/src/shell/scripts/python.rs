//! Python and JavaScript: `open('f', 'w')`, `Path('f').write_text(…)`,
//! `writeFileSync('f', …)`, and names bound to literal paths before.

use std::collections::BTreeMap;

use crate::shell::How;
use crate::shell::field::Field;
use crate::shell::scripts::tokens::{Lexicon, Token, tokens};
use crate::shell::walk::Walk;

/// A name stands for one path, or, in a loop, for several.
type Values = Vec<String>;

/// Deeper parentheses are not read.
const MAX_DEPTH: usize = 8;

struct Code<'c> {
    tokens: Vec<Token<'c>>,
    bound: BTreeMap<&'c str, Values>,
}

/// Notes what a piece of Python writes.
pub(crate) fn python(walk: &mut Walk<'_>, code: &str) {
    let lexicon = Lexicon { line_comment: "#", block_comment: None, is_python: true };
    scan(walk, tokens(code, &lexicon));
}

/// Notes what a piece of JavaScript writes.
pub(crate) fn javascript(walk: &mut Walk<'_>, code: &str) {
    let lexicon =
        Lexicon { line_comment: "//", block_comment: Some(("/*", "*/")), is_python: false };
    scan(walk, tokens(code, &lexicon));
}

fn scan<'c>(walk: &mut Walk<'_>, tokens: Vec<Token<'c>>) {
    let mut code = Code { tokens, bound: BTreeMap::new() };
    let mut idx = 0;
    while idx < code.tokens.len() {
        code.bind(idx);
        code.calls(walk, idx);
        idx += 1;
    }
}

impl<'c> Code<'c> {
    fn sign(&self, idx: usize, sign: char) -> bool {
        self.tokens.get(idx) == Some(&Token::Sign(sign))
    }

    fn name(&self, idx: usize) -> Option<&'c str> {
        match self.tokens.get(idx) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Remembers `name = 'path'`, `for name in ['a', 'b']`, `with open(…)` not.
    fn bind(&mut self, idx: usize) {
        let Some(name) = self.name(idx) else { return };
        if name == "for" && self.name(idx + 2) == Some("in") {
            let Some(variable) = self.name(idx + 1) else { return };
            let is_list = self.sign(idx + 3, '[') || self.sign(idx + 3, '(');
            let values = if is_list { self.arguments(idx + 3, 0) } else { None };
            match values {
                Some(values) => {
                    self.bound.insert(variable, values.into_iter().flatten().collect());
                }
                None => {
                    self.bound.remove(variable);
                }
            }
            return;
        }
        let is_assignment = self.sign(idx + 1, '=') && !self.sign(idx + 2, '=');
        // `f(mode='w')` is no assignment.
        let is_keyword = idx > 0 && (self.sign(idx - 1, '(') || self.sign(idx - 1, ','));
        if !is_assignment || is_keyword {
            return;
        }
        match self.expression(idx + 2, 0) {
            Some((values, end)) if self.ends_statement(end) => {
                self.bound.insert(name, values);
            }
            _ => {
                self.bound.remove(name);
            }
        }
    }

    fn ends_statement(&self, idx: usize) -> bool {
        matches!(self.tokens.get(idx), None | Some(Token::LineEnd | Token::Sign(';' | ',')))
    }

    /// Notes the calls that begin here.
    fn calls(&self, walk: &mut Walk<'_>, idx: usize) {
        if let Some(name) = self.name(idx)
            && self.sign(idx + 1, '(')
        {
            self.function(walk, name, idx + 1);
        }
        // A path and then a method: `Path('f').write_text(`, `p.write_text(`.
        if let Some(name) = self.name(idx)
            && let Some((object, method)) = name.rsplit_once('.')
            && let Some(values) = self.bound.get(object)
            && self.sign(idx + 1, '(')
        {
            self.method(walk, values, method, idx + 1);
        } else if matches!(self.tokens[idx], Token::Name(_) | Token::Sign('('))
            && let Some((values, end)) = self.expression(idx, 0)
            && self.sign(end, '.')
            && let Some(method) = self.name(end + 1)
            && self.sign(end + 2, '(')
        {
            self.method(walk, &values, method, end + 2);
        }
    }

    fn function(&self, walk: &mut Walk<'_>, name: &str, open: usize) {
        let short = name.rsplit('.').next().unwrap_or(name);
        let first = self.expression(open + 1, 0);
        let second = first.as_ref().filter(|it| self.sign(it.1, ',')).and_then(|it| {
            // `mode='w'`
            let is_named = self.name(it.1 + 1).is_some() && self.sign(it.1 + 2, '=');
            self.expression(it.1 + if is_named { 3 } else { 1 }, 0)
        });
        let of = |it: Option<(Values, usize)>| it.map(|it| it.0).unwrap_or_default();
        let (first, second) = (of(first), of(second));
        match short {
            "open" if matches!(name, "open" | "io.open" | "codecs.open") => {
                let mode = second.first().map_or("r", String::as_str);
                note_opened(walk, &first, mode);
            }
            "writeFileSync" | "writeFile" | "createWriteStream" | "writeTextFile"
            | "writeTextFileSync" | "outputFileSync" => note(walk, How::Write, &first),
            "write" if name == "Bun.write" => note(walk, How::Write, &first),
            "appendFileSync" | "appendFile" => note(walk, How::Append, &first),
            "remove" | "unlink" if name.starts_with("os.") => note(walk, How::Delete, &first),
            "unlinkSync" | "rmSync" | "rmdirSync" => note(walk, How::Delete, &first),
            "rmtree" => note_trees(walk, &first),
            "rename" | "replace" | "renames" if name.starts_with("os.") => {
                note(walk, How::Move, &first);
                note(walk, How::Write, &second);
            }
            "renameSync" | "move" if matches!(name, "shutil.move") || short == "renameSync" => {
                note(walk, How::Move, &first);
                note(walk, How::Write, &second);
            }
            "copyFileSync" | "copyfile" | "copy2" => note(walk, How::Write, &second),
            "copy" if name == "shutil.copy" => note(walk, How::Write, &second),
            _ => {}
        }
    }

    fn method(&self, walk: &mut Walk<'_>, values: &Values, method: &str, open: usize) {
        match method {
            "write_text" | "write_bytes" => note(walk, How::Write, values),
            "unlink" => note(walk, How::Delete, values),
            "open" => {
                let mode = self.expression(open + 1, 0).map(|it| it.0).unwrap_or_default();
                note_opened(walk, values, mode.first().map_or("r", String::as_str));
            }
            _ => {}
        }
    }

    /// Returns the paths that an expression stands for, and where it ends.
    fn expression(&self, idx: usize, depth: usize) -> Option<(Values, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (mut values, mut end) = self.primary(idx, depth)?;
        // `Path('a') / 'b'`, and `'a' + '/b'`.
        while let Some(Token::Sign(sign @ ('/' | '+'))) = self.tokens.get(end) {
            let (more, next) = self.primary(end + 1, depth)?;
            let [more] = more.as_slice() else { return None };
            let between = if *sign == '/' { "/" } else { "" };
            values = values.iter().map(|it| format!("{it}{between}{more}")).collect();
            end = next;
        }
        Some((values, end))
    }

    fn primary(&self, idx: usize, depth: usize) -> Option<(Values, usize)> {
        match self.tokens.get(idx)? {
            Token::Text(text) => Some((vec![text.clone()?], idx + 1)),
            Token::Sign('(') => {
                let (values, end) = self.expression(idx + 1, depth + 1)?;
                self.sign(end, ')').then_some((values, end + 1))
            }
            Token::Name(name) if self.sign(idx + 1, '(') => {
                let is_path = matches!(
                    *name,
                    "Path"
                        | "pathlib.Path"
                        | "PurePath"
                        | "os.path.join"
                        | "path.join"
                        | "path.resolve"
                        | "join"
                        | "resolve"
                        | "os.fspath"
                        | "str"
                );
                if !is_path {
                    return None;
                }
                let parts = self.arguments(idx + 1, depth + 1)?;
                let mut whole = parts.first()?.clone();
                for part in &parts[1..] {
                    let [part] = part.as_slice() else { return None };
                    whole = whole.iter().map(|it| format!("{it}/{part}")).collect();
                }
                Some((whole, self.close(idx + 1)?))
            }
            Token::Name(name) => Some((self.bound.get(name)?.clone(), idx + 1)),
            _ => None,
        }
    }

    /// Returns the arguments or elements between brackets, if all are known.
    fn arguments(&self, open: usize, depth: usize) -> Option<Vec<Values>> {
        let mut found = Vec::new();
        let mut idx = open + 1;
        loop {
            while self.tokens.get(idx) == Some(&Token::LineEnd) {
                idx += 1;
            }
            if self.sign(idx, ')') || self.sign(idx, ']') {
                return Some(found);
            }
            let (values, end) = self.expression(idx, depth + 1)?;
            found.push(values);
            idx = end;
            while self.sign(idx, ',') || self.tokens.get(idx) == Some(&Token::LineEnd) {
                idx += 1;
            }
            if found.len() > 200 {
                return None;
            }
        }
    }

    /// Returns what follows the bracket that closes this one.
    fn close(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (idx, token) in self.tokens.iter().enumerate().skip(open).take(400) {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') if depth == 1 => return Some(idx + 1),
                Token::Sign(')') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }
}

fn note(walk: &mut Walk<'_>, how: How, paths: &Values) {
    for path in paths {
        walk.file(how, &Field::of(path.as_str()));
    }
}

fn note_trees(walk: &mut Walk<'_>, paths: &Values) {
    for path in paths {
        walk.tree(How::Delete, &Field::of(path.as_str()));
    }
}

fn note_opened(walk: &mut Walk<'_>, paths: &Values, mode: &str) {
    let is_mode = mode.len() <= 4 && mode.chars().all(|it| "rwaxbtU+".contains(it));
    if !is_mode {
        return;
    }
    if mode.contains(['w', 'x']) {
        note(walk, How::Write, paths);
    } else if mode.contains('a') {
        note(walk, How::Append, paths);
    } else if mode.contains('+') {
        note(walk, How::Edit, paths);
    }
}
