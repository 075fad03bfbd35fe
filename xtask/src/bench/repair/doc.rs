//! A balanced text with its tokens, pairs and lines, and the places in it that
//! can be damaged. It knows nothing of the kinds of damage.

use super::lex::{self, Token, TokenKind};
use super::rng::Rng;

/// Damage is done inside a form of at most this many lines: longer ones are
/// entered until a shorter form is found, as an agent edits a part of a long form.
pub(crate) const MAX_REGION_LINES: usize = 40;

/// A balanced text, taken apart.
#[derive(Debug)]
pub(crate) struct Doc {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    partners: Vec<usize>,
    line_starts: Vec<usize>,
    /// For each line, whether it begins inside a string.
    in_text: Vec<bool>,
}

/// A bracketed form: indices of its brackets, and its first and last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) open: usize,
    pub(crate) close: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Where damage is done: a top-level form, and the form in it that is damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) top: Form,
    pub(crate) region: Form,
}

/// A replacement of the bytes `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) with: String,
}

impl Splice {
    pub(crate) fn new(start: usize, end: usize, with: impl Into<String>) -> Splice {
        Splice { start, end, with: with.into() }
    }
}

/// Applies splices that do not overlap, in any order.
pub(crate) fn apply(text: &str, splices: &[Splice]) -> String {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|it| (it.start, it.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for splice in ordered {
        out.push_str(&text[done..splice.start]);
        out.push_str(&splice.with);
        done = splice.end;
    }
    out.push_str(&text[done..]);
    out
}

impl Doc {
    /// Takes `text` apart, or returns `None` when it is not balanced.
    pub(crate) fn parse(text: impl Into<String>) -> Option<Doc> {
        let text = text.into();
        let tokens = lex::lex(&text);
        let partners = lex::partners(&text, &tokens)?;
        let line_starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut doc =
            Doc { in_text: vec![false; line_starts.len()], text, tokens, partners, line_starts };
        for idx in 0..doc.tokens.len() {
            let token = doc.tokens[idx];
            if token.kind == TokenKind::Text {
                let (first, last) = (doc.line_at(token.start), doc.line_at(token.end - 1));
                doc.in_text[first + 1..=last].fill(true);
            }
        }
        Some(doc)
    }

    pub(crate) fn n_lines(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns line `idx` without its line break.
    pub(crate) fn line(&self, idx: usize) -> &str {
        &self.text[self.line_starts[idx]..self.line_end(idx)]
    }

    pub(crate) fn line_start(&self, idx: usize) -> usize {
        self.line_starts[idx]
    }

    /// Returns where line `idx` ends, before its line break.
    pub(crate) fn line_end(&self, idx: usize) -> usize {
        self.line_starts.get(idx + 1).map_or(self.text.len(), |it| it - 1)
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text.split('\n').collect()
    }

    /// Tells whether line `idx` begins inside a string; lines past the end do not.
    pub(crate) fn begins_in_text(&self, idx: usize) -> bool {
        self.in_text.get(idx).copied().unwrap_or(false)
    }

    pub(crate) fn line_at(&self, pos: usize) -> usize {
        self.line_starts.partition_point(|it| *it <= pos) - 1
    }

    pub(crate) fn line_of(&self, token: usize) -> usize {
        self.line_at(self.tokens[token].start)
    }

    pub(crate) fn column_of(&self, token: usize) -> usize {
        self.tokens[token].start - self.line_starts[self.line_of(token)]
    }

    pub(crate) fn kind(&self, token: usize) -> TokenKind {
        self.tokens[token].kind
    }

    pub(crate) fn str(&self, token: usize) -> &str {
        &self.text[self.tokens[token].start..self.tokens[token].end]
    }

    pub(crate) fn partner(&self, token: usize) -> usize {
        self.partners[token]
    }

    /// Returns the form whose opening bracket is token `open`.
    pub(crate) fn form(&self, open: usize) -> Form {
        let close = self.partners[open];
        Form { open, close, first: self.line_of(open), last: self.line_of(close) }
    }

    /// Tells whether a token holds a line break.
    pub(crate) fn breaks_line(&self, token: usize) -> bool {
        self.kind(token) == TokenKind::Blank && self.str(token).contains('\n')
    }

    /// Tells whether nothing but blanks and reader prefixes stand before the
    /// token on its line.
    pub(crate) fn starts_line(&self, token: usize) -> bool {
        let line = self.line_of(token);
        let ahead = &self.text[self.line_starts[line]..self.tokens[token].start];
        !self.in_text[line] && ahead.chars().all(|it| " \t'`#?@~^,".contains(it))
    }

    /// Tells whether only closers, blanks and a comment follow on the line.
    pub(crate) fn ends_line(&self, token: usize) -> bool {
        for idx in token + 1..self.tokens.len() {
            match self.kind(idx) {
                TokenKind::Close => {}
                TokenKind::Blank if !self.breaks_line(idx) => {}
                TokenKind::Blank | TokenKind::Comment => return true,
                _ => return false,
            }
        }
        true
    }

    /// Returns the opening brackets inside `form`, its own left out.
    pub(crate) fn openers_in(&self, form: Form) -> impl Iterator<Item = usize> + '_ {
        (form.open + 1..form.close).filter(|it| self.kind(*it) == TokenKind::Open)
    }

    /// Returns the closing brackets of `form` and of everything in it.
    pub(crate) fn closers_in(&self, form: Form) -> Vec<usize> {
        (form.open..=form.close).filter(|it| self.kind(*it) == TokenKind::Close).collect()
    }

    /// Returns the runs of closers that end a line of `form`, the last being the
    /// run that ends the form.
    pub(crate) fn closer_runs(&self, form: Form) -> Vec<Vec<usize>> {
        let mut runs = Vec::new();
        let mut run = Vec::new();
        for idx in form.open..=form.close {
            match self.kind(idx) {
                TokenKind::Close => run.push(idx),
                TokenKind::Blank if !self.breaks_line(idx) => {}
                TokenKind::Blank | TokenKind::Comment if !run.is_empty() => {
                    runs.push(std::mem::take(&mut run));
                }
                _ => run.clear(),
            }
        }
        if !run.is_empty() {
            runs.push(run);
        }
        runs
    }

    /// Returns the bracketed forms at top level.
    pub(crate) fn top_forms(&self) -> Vec<Form> {
        let mut forms = Vec::new();
        let mut idx = 0;
        while idx < self.tokens.len() {
            if self.kind(idx) == TokenKind::Open {
                forms.push(self.form(idx));
                idx = self.partners[idx];
            }
            idx += 1;
        }
        forms
    }

    /// Returns the top-level forms that can be damaged: three lines or more, and
    /// alone on the first and the last of them.
    pub(crate) fn damageable_tops(&self) -> Vec<Form> {
        let tops = self.top_forms();
        let alone = |idx: usize| {
            let after = tops.get(idx + 1).is_none_or(|it| it.first > tops[idx].last);
            let ahead = idx == 0 || tops[idx - 1].last < tops[idx].first;
            after
                && ahead
                && self.starts_line(tops[idx].open)
                && tops[idx].last >= tops[idx].first + 2
        };
        (0..tops.len()).filter(|it| alone(*it)).map(|it| tops[it]).collect()
    }

    /// Returns a place of 3 to 40 lines inside `top`.
    pub(crate) fn site_in(&self, rng: &mut Rng, top: Form) -> Option<Site> {
        if top.last - top.first < MAX_REGION_LINES {
            return Some(Site { top, region: top });
        }
        let inner: Vec<Form> = self
            .openers_in(top)
            .filter(|it| self.starts_line(*it))
            .map(|it| self.form(it))
            .filter(|it| (2..MAX_REGION_LINES).contains(&(it.last - it.first)))
            .collect();
        Some(Site { top, region: *rng.pick(&inner)? })
    }

    /// Returns any place of the text that can be damaged.
    pub(crate) fn site(&self, rng: &mut Rng) -> Option<Site> {
        let top = *rng.pick(&self.damageable_tops())?;
        self.site_in(rng, top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splices_apply_in_any_order() {
        let splices = [Splice::new(3, 4, ""), Splice::new(1, 1, "xy"), Splice::new(4, 4, "!")];
        assert_eq!(apply("abcde", &splices), "axybc!e");
    }

    #[test]
    fn lines_know_when_they_begin_in_a_string() {
        let doc = Doc::parse("(a \"b\nc\nd\" e\n f)").unwrap();
        let inside: Vec<bool> = (0..5).map(|it| doc.begins_in_text(it)).collect();
        assert_eq!(inside, [false, true, true, false, false]);
        assert_eq!(doc.line(3), " f)");
    }

    #[test]
    fn runs_end_a_line_and_the_form() {
        let doc = Doc::parse("(a (b) c\n  (d [e] ) ; x\n  [(f)])").unwrap();
        let form = doc.form(0);
        let shown: Vec<String> = doc
            .closer_runs(form)
            .iter()
            .map(|run| run.iter().map(|it| doc.str(*it)).collect())
            .collect();
        assert_eq!(shown, ["])", ")])"]);
    }

    #[test]
    fn forms_that_share_a_line_are_left_alone() {
        let doc = Doc::parse("(a\n b\n c) (d\n e\n f)\n\n(g\n h\n i)\n(j\n k)").unwrap();
        let lines: Vec<(usize, usize)> =
            doc.damageable_tops().iter().map(|it| (it.first, it.last)).collect();
        assert_eq!(lines, [(6, 8)]);
    }

    #[test]
    fn a_long_form_is_entered() {
        let text = format!("(ns-of\n{}\n  (short\n   b\n   c))", "  a\n".repeat(60));
        let doc = Doc::parse(text).unwrap();
        let site = doc.site(&mut Rng::new(1, "")).unwrap();
        assert_eq!(doc.str(site.region.open + 1), "short");
        assert_eq!(doc.str(site.top.open + 1), "ns-of");
    }

    #[test]
    fn unbalanced_text_is_no_doc() {
        assert!(Doc::parse("(a").is_none());
    }
}
