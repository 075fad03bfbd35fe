//! Commands made of commands: groups, conditions, loops, functions.

use std::rc::Rc;

use crate::shell::parse::Parser;
use crate::shell::syntax::{Kind, Script, Word};

impl Parser<'_> {
    /// Reads a compound command, if one stands here.
    pub(crate) fn compound(&mut self) -> Option<Kind> {
        if self.peek() == Some(b'(') {
            if self.starts_with("((")
                && let Some(len) = self.arithmetic_len()
            {
                self.at += len;
                return Some(Kind::Condition(Vec::new()));
            }
            self.at += 1;
            let script = self.script();
            self.expect(")");
            return Some(Kind::Subshell(script));
        }
        let word = self.reserved()?;
        let is_known = matches!(
            word,
            "{" | "if" | "while" | "until" | "for" | "select" | "case" | "function" | "[["
        );
        if !is_known {
            return None;
        }
        self.at += word.len();
        Some(match word {
            "{" => {
                let script = self.script();
                self.expect_word("}");
                Kind::Group(script)
            }
            "if" => self.conditional(),
            "while" | "until" => {
                let condition = self.script();
                Kind::While { condition, body: self.loop_body() }
            }
            "for" | "select" => self.for_loop(),
            "case" => self.case(),
            "function" => {
                self.skip_blanks();
                let name = self.word().bare().unwrap_or_default().to_owned();
                self.skip_blanks();
                if self.eat("(") {
                    self.expect(")");
                }
                self.skip_lines();
                Kind::Function { name, body: Rc::new(self.command()) }
            }
            _ => self.test(),
        })
    }

    fn conditional(&mut self) -> Kind {
        let mut branches = Vec::new();
        let mut otherwise = Script::default();
        loop {
            let condition = self.script();
            self.expect_word("then");
            branches.push((condition, self.script()));
            if self.eat_word("elif") {
                continue;
            }
            if self.eat_word("else") {
                otherwise = self.script();
            }
            self.expect_word("fi");
            return Kind::If { branches, otherwise };
        }
    }

    fn loop_body(&mut self) -> Script {
        self.skip_empty_lines();
        self.eat(";");
        self.skip_empty_lines();
        if self.eat_word("do") {
            let body = self.script();
            self.expect_word("done");
            body
        } else if self.eat_word("{") {
            let body = self.script();
            self.expect_word("}");
            body
        } else {
            self.is_broken = true;
            Script::default()
        }
    }

    fn for_loop(&mut self) -> Kind {
        self.skip_blanks();
        if self.starts_with("((")
            && let Some(len) = self.arithmetic_len()
        {
            self.at += len;
            return Kind::While { condition: Script::default(), body: self.loop_body() };
        }
        let name = self.word().bare().unwrap_or_default().to_owned();
        self.skip_lines();
        let words = if self.eat_word("in") { Some(self.words()) } else { None };
        Kind::For { name, words, body: self.loop_body() }
    }

    /// Reads words up to the end of the line or an operator.
    pub(crate) fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'(' | b'#') => return words,
                Some(b'<' | b'>') if !self.is_at_process() => return words,
                Some(_) => words.push(self.word()),
            }
        }
    }

    fn case(&mut self) -> Kind {
        self.skip_blanks();
        let subject = self.word();
        self.skip_lines();
        self.expect_word("in");
        let mut arms = Vec::new();
        loop {
            self.skip_empty_lines();
            if self.is_at_end() || self.eat_word("esac") {
                return Kind::Case { subject, arms };
            }
            let before = self.at;
            self.eat("(");
            loop {
                self.words();
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")");
            arms.push(self.script());
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            if self.at == before {
                self.is_broken = true;
                return Kind::Case { subject, arms };
            }
        }
    }

    fn test(&mut self) -> Kind {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    self.is_broken = true;
                    break;
                }
                Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';') => self.at += 1,
                Some(_) => {
                    let word = self.word();
                    if word.bare() == Some("]]") {
                        break;
                    }
                    words.push(word);
                }
            }
        }
        Kind::Condition(words)
    }
}
