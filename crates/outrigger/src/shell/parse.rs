//! Text → commands, for POSIX sh and the parts of bash and zsh that agents use.
//!
//! Never fails: what does not fit is stepped over and `is_broken` is set. Each
//! byte is looked at a bounded number of times, nesting and the number of
//! commands are limited. Words are read in `word.rs`.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::shell::syntax::{
    AssignedValue, Assignment, Command, Item, Joint, Kind, Pipeline, Redirect, Script, Word,
};

/// Deeper nesting is not read. People and agents stay below ten.
const MAX_DEPTH: usize = 40;
/// More commands and words than this are not read.
const MAX_NODES: usize = 50_000;
/// `((` is arithmetic only if it ends within this many bytes.
const MAX_ARITHMETIC: usize = 2_000;

/// A command line and how far it has been read.
#[derive(Debug)]
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    /// Whether something did not fit or was left out.
    pub(crate) is_broken: bool,
    pub(crate) depth: usize,
    pub(crate) n_nodes: usize,
    /// Here-documents that begin after this line.
    pub(crate) pending: Vec<Pending>,
}

/// A here-document whose text has not been reached yet.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) end: String,
    pub(crate) is_quoted: bool,
    pub(crate) strips_tabs: bool,
    pub(crate) body: Rc<OnceCell<Word>>,
}

/// Words that end a list of commands when they stand where a command may begin.
const CLOSERS: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];
/// Builtins whose arguments are assignments.
const DECLARING: &[&str] = &["export", "declare", "local", "typeset", "readonly"];

/// Reads a whole text. Returns the commands, and whether all of it fitted.
pub(crate) fn parse(text: &str) -> (Script, bool) {
    let mut parser = Parser::new(text);
    let script = parser.whole();
    (script, !parser.is_broken)
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, is_broken: false, depth: 0, n_nodes: 0, pending: Vec::new() }
    }

    /// Reads to the end, stepping over whatever closes nothing.
    pub(crate) fn whole(&mut self) -> Script {
        let mut script = self.script();
        while !self.is_at_end() {
            self.is_broken = true;
            match self.reserved() {
                Some(word) if CLOSERS.contains(&word) => self.at += word.len(),
                _ => self.step(),
            }
            script.0.extend(self.script().0);
        }
        script
    }

    /// Reads commands up to something that closes the list, which is left.
    pub(crate) fn script(&mut self) -> Script {
        let mut items = Vec::new();
        loop {
            self.skip_empty_lines();
            if self.is_at_closer() {
                return Script(items);
            }
            let before = self.at;
            items.push(self.item());
            if self.at == before {
                self.is_broken = true;
                self.step();
            }
        }
    }

    fn is_at_closer(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => true,
            Some(_) => self.reserved().is_some_and(|it| CLOSERS.contains(&it)),
        }
    }

    fn item(&mut self) -> Item {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let joint = if self.eat("&&") {
                Joint::And
            } else if self.eat("||") {
                Joint::Or
            } else {
                break;
            };
            self.skip_lines();
            rest.push((joint, self.pipeline()));
        }
        let is_background = !self.starts_with("&&") && self.eat("&");
        if !is_background && !self.starts_with(";;") && !self.starts_with(";&") {
            self.eat(";");
        }
        Item { first, rest, is_background }
    }

    fn pipeline(&mut self) -> Pipeline {
        loop {
            self.skip_blanks();
            match self.reserved() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.at += "time".len();
                    self.skip_blanks();
                    if self.reserved() == Some("-p") {
                        self.at += 2;
                    }
                }
                Some("coproc") => self.at += "coproc".len(),
                _ => break,
            }
        }
        let mut commands = vec![self.command()];
        loop {
            self.skip_blanks();
            if self.starts_with("||") || !self.eat("|") {
                return Pipeline(commands);
            }
            self.eat("&");
            self.skip_lines();
            commands.push(self.command());
        }
    }

    pub(crate) fn command(&mut self) -> Command {
        if !self.enter() {
            let kind = Kind::Simple { assignments: Vec::new(), words: Vec::new() };
            return Command { kind, redirects: Vec::new() };
        }
        let mut command = match self.compound() {
            Some(kind) => Command { kind, redirects: Vec::new() },
            None => self.simple(),
        };
        while !matches!(command.kind, Kind::Simple { .. } | Kind::Function { .. }) {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => command.redirects.push(redirect),
                None => break,
            }
        }
        self.depth -= 1;
        command
    }

    /// Goes one level down, or gives up on the rest of the text.
    pub(crate) fn enter(&mut self) -> bool {
        self.n_nodes += 1;
        if self.depth >= MAX_DEPTH || self.n_nodes > MAX_NODES {
            self.is_broken = true;
            self.at = self.text.len();
            return false;
        }
        self.depth += 1;
        true
    }

    fn simple(&mut self) -> Command {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_declaring = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'#') => {
                    self.skip_comment();
                    break;
                }
                Some(b'(') => {
                    let name = words.last().and_then(Word::bare).map(str::to_owned);
                    if let (1, Some(name)) = (words.len(), name)
                        && self.eat_parentheses()
                    {
                        self.skip_lines();
                        let kind = Kind::Function { name, body: Rc::new(self.command()) };
                        return Command { kind, redirects };
                    }
                    self.is_broken = true;
                    break;
                }
                Some(_) => {}
            }
            if (words.is_empty() || is_declaring)
                && let Some(assignment) = self.assignment()
            {
                assignments.push(assignment);
                continue;
            }
            let word = self.word();
            if words.is_empty() {
                is_declaring = word.bare().is_some_and(|it| DECLARING.contains(&it));
            }
            words.push(word);
        }
        Command { kind: Kind::Simple { assignments, words }, redirects }
    }

    fn eat_parentheses(&mut self) -> bool {
        let before = self.at;
        self.at += 1;
        self.skip_blanks();
        if self.eat(")") {
            return true;
        }
        self.at = before;
        false
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + self.name_len();
        if end == self.at {
            return None;
        }
        let name = self.text[self.at..end].to_owned();
        let mut is_element = false;
        if bytes.get(end) == Some(&b'[') {
            let close = bytes[end..].iter().take(200).position(|it| *it == b']')?;
            end += close + 1;
            is_element = true;
        }
        let is_appended = bytes.get(end) == Some(&b'+');
        end += usize::from(is_appended);
        if bytes.get(end) != Some(&b'=') {
            return None;
        }
        self.at = end + 1;
        let value = if self.eat("(") {
            let mut words = Vec::new();
            loop {
                self.skip_lines();
                words.extend(self.words());
                match self.peek() {
                    Some(b'\n') => self.newline(),
                    Some(b'#') => self.skip_comment(),
                    _ => break,
                }
            }
            self.expect(")");
            AssignedValue::Array(words)
        } else if is_element {
            AssignedValue::Element(self.word())
        } else {
            AssignedValue::Scalar(self.word())
        };
        Some(Assignment { name, is_appended, value })
    }

    /// Reads a redirection, if one stands here.
    fn redirect(&mut self) -> Option<Redirect> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        if bytes.get(start) == Some(&b'{') {
            let name = bytes[start + 1..].iter().take(100);
            let len = name.take_while(|it| it.is_ascii_alphanumeric() || **it == b'_').count();
            if len == 0 || bytes.get(start + 1 + len) != Some(&b'}') {
                return None;
            }
            start += len + 2;
        } else {
            start += bytes[start..].iter().take(10).take_while(|it| it.is_ascii_digit()).count();
        }
        let rest = &bytes[start..];
        let operator = ["&>>", "&>", ">>", ">|", ">&", ">", "<<<", "<<-", "<<", "<>", "<&", "<"]
            .into_iter()
            .find(|it| rest.starts_with(it.as_bytes()))?;
        // `<(` and `>(` are words; so is a number before `&>`.
        let is_process = matches!(operator, "<" | ">") && rest.get(1) == Some(&b'(');
        if is_process || (start != self.at && operator.starts_with('&')) {
            return None;
        }
        self.at = start + operator.len();
        self.skip_blanks();
        if matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')')) {
            self.is_broken = true;
        }
        Some(match operator {
            ">" | ">|" | "&>" => Redirect::Write(self.word()),
            ">>" | "&>>" => Redirect::Append(self.word()),
            ">&" => Redirect::WriteOrDuplicate(self.word()),
            "<>" => Redirect::ReadWrite(self.word()),
            "<<<" => Redirect::Text(Rc::new(OnceCell::from(self.word()))),
            "<<" | "<<-" => self.here_document(operator == "<<-"),
            _ => Redirect::Read(self.word()),
        })
    }

    /// Returns the length of `((…))` if that is what stands here.
    pub(crate) fn arithmetic_len(&self) -> Option<usize> {
        let bytes = &self.text.as_bytes()[self.at..];
        let mut depth = 0_usize;
        for (idx, byte) in bytes.iter().enumerate().take(MAX_ARITHMETIC) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 2 => {
                    return (bytes.get(idx + 1) == Some(&b')')).then_some(idx + 2);
                }
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }
}
