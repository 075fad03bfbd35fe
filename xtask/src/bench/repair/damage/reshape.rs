//! Edits of whole forms and lines that leave the closers wrong: M10–M12, and
//! forms unwrapped or cut short.

use super::super::doc::{Doc, Form, Site, Splice, apply};
use super::super::lex::{self, TokenKind};
use super::super::rng::Rng;
use super::{Damage, slips};

/// What agents wrap around a form: what comes before and after the body, `~`
/// standing for the indentation of the wrapped form.
const WRAPPERS: &[(&str, &str)] = &[
    ("(when (seq items)", ")"),
    ("(let [started (now)]", ")"),
    ("(let [conn (:conn system)\n~      opts {:retry 3}]", ")"),
    ("(if (nil? value)\n~  default", ")"),
    ("(when-let [entry (get cache id)]", ")"),
    ("(try", "\n~  (catch Exception ex\n~    (report! ex {:at :step})))"),
    ("(binding [*warn* false]", ")"),
    ("(doseq [part parts]", ")"),
    ("(do\n~  (println \"starting\")", ")"),
    ("(with-open [in (open-input path)]", ")"),
];

/// Heads of forms that an agent takes away while it keeps the body.
const UNWRAPPABLE: &[&str] = &[
    "when",
    "when-not",
    "when-let",
    "when-some",
    "let",
    "if-let",
    "do",
    "binding",
    "doseq",
    "for",
    "dotimes",
    "with-open",
    "testing",
    "locking",
    "loop",
    "future",
];

/// M10: the body is re-indented as it should be, the closers are not.
pub(super) fn wrapped_badly(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let wrapped = Wrapped::make(rng, doc, site)?;
    let after = &doc.text[wrapped.end..];
    let draw = rng.below(100);
    let (body, after_broken, variant) = match draw {
        60..85 => (format!("{})", wrapped.good), after, "extra"),
        85.. if after.starts_with([')', ']', '}']) => {
            (wrapped.all_but_last(), &after[1..], "two missing")
        }
        _ => (wrapped.all_but_last(), after, "missing"),
    };
    let ahead = &doc.text[..wrapped.start];
    let broken = format!("{ahead}{body}{after_broken}");
    Some(Damage::new(doc, site, broken, wrapped.text(doc), variant).of_original())
}

/// M11: the line stays lost; its closers belong on the line before.
pub(super) fn line_lost(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let losable: Vec<(usize, String)> = (site.region.first + 1..=site.region.last)
        .filter(|it| !(it - 1..=it + 1).any(|near| doc.begins_in_text(near)))
        .filter(|it| can_end_with_closers(doc.line(it - 1)))
        .filter_map(|it| Some((it, closers_that_would_go(doc.line(it))?)))
        .collect();
    let (line, closers) = rng.pick(&losable)?;
    let kept = doc.line(line - 1).trim_end();
    let ahead = &doc.text[..doc.line_start(line - 1)];
    let after = &doc.text[doc.line_end(*line)..];
    let broken = format!("{ahead}{}{after}", doc.line(line - 1));
    let expected = format!("{ahead}{kept}{closers}{after}");
    Some(Damage::new(doc, site, broken, expected, closers.as_str()).of_original())
}

/// M12: one of the common slips, and one to six lines a column off.
pub(super) fn indented_sloppily(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let first = rng.between(site.region.first + 1, site.region.last);
    let last = (first + rng.below(6)).min(site.region.last);
    let shift = if rng.percent(50) { 1 } else { -1 };
    let shifted = shifted(doc, first, last, shift)?;
    let (name, make) = rng.pick(slips::COMMON)?;
    // Only blanks moved, so the tokens of the place are where they were.
    let slip = make(rng, &shifted, site)?;
    let broken = apply(&shifted.text, &slip.splices);
    Some(Damage::new(doc, site, broken, shifted.text, format!("{name}, indented")))
}

/// X7: the first line goes, the body moves left, the closer stays behind.
pub(super) fn unwrapped(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let forms: Vec<(Form, usize)> = doc
        .openers_in(site.region)
        .filter_map(|it| Some((doc.form(it), body_of(doc, doc.form(it))?)))
        .collect();
    let (form, body) = *rng.pick(&forms)?;
    let left = doc.column_of(body).checked_sub(doc.column_of(form.open))?;
    let mut kept = String::new();
    for line in form.first + 1..=form.last {
        let end = if line == form.last { doc.tokens[form.close].end } else { doc.line_end(line) };
        let text = &doc.text[doc.line_start(line)..end];
        let n_spaces = text.len() - text.trim_start_matches(' ').len();
        let cut = if doc.begins_in_text(line) { 0 } else { left.min(n_spaces) };
        kept.push_str(&text[cut..]);
        kept.push('\n');
    }
    // The first line goes where the removed bracket was, behind the indentation there.
    let kept = kept.trim_start_matches(' ').trim_end_matches('\n');
    let (ahead, after) =
        (&doc.text[..doc.tokens[form.open].start], &doc.text[doc.tokens[form.close].end..]);
    let broken = format!("{ahead}{kept}{after}");
    let expected = format!("{ahead}{}{after}", &kept[..kept.len() - 1]);
    Some(Damage::new(doc, site, broken, expected, doc.str(form.open + 1)).of_original())
}

/// X10: everything after some line of the form is lost, sometimes with the rest
/// of the file; what was open there is to be closed there.
pub(super) fn tail_lost(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let cuttable: Vec<usize> = (site.region.first + 1..site.region.last)
        .filter(|it| !doc.begins_in_text(*it) && !doc.begins_in_text(it + 1))
        .filter(|it| can_end_with_closers(doc.line(*it)))
        .collect();
    let line = *rng.pick(&cuttable)?;
    let mut closers = String::new();
    for open in (site.top.open..site.top.close).rev() {
        let still_open = doc.kind(open) == TokenKind::Open
            && doc.tokens[open].start < doc.line_end(line)
            && doc.tokens[doc.partner(open)].start >= doc.line_end(line);
        if still_open {
            closers.extend(lex::closer_for(doc.str(open)));
        }
    }
    let ahead = &doc.text[..doc.line_start(line)];
    let kept = doc.line(line);
    let (after, variant) = if rng.percent(50) {
        (&doc.text[doc.line_end(site.top.last)..], "form")
    } else {
        ("\n", "file")
    };
    let broken = format!("{ahead}{kept}{after}");
    let expected = format!("{ahead}{}{closers}{after}", kept.trim_end());
    let mut damage = Damage::new(doc, site, broken, expected, variant).of_original();
    if variant == "file" {
        // Nothing but the last line break comes after the form.
        damage.n_lines_after = 1;
    }
    Some(damage)
}

/// A form of the text wrapped in another one, as it should be.
#[derive(Debug)]
pub(super) struct Wrapped {
    start: usize,
    end: usize,
    good: String,
}

impl Wrapped {
    pub(super) fn make(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Wrapped> {
        let forms: Vec<Form> = doc
            .openers_in(site.region)
            .filter(|it| doc.starts_line(*it) && doc.kind(it - 1) == TokenKind::Blank)
            .map(|it| doc.form(it))
            .filter(|it| it.last - it.first <= 15)
            .collect();
        let form = *rng.pick(&forms)?;
        let (head, tail) = *rng.pick(WRAPPERS)?;
        let (start, end) = (doc.tokens[form.open].start, doc.tokens[form.close].end);
        let indent = " ".repeat(doc.column_of(form.open));
        let mut good = format!("{}\n{indent}  ", head.replace('~', &indent));
        for (idx, line) in doc.text[start..end].split('\n').enumerate() {
            if idx > 0 {
                good.push('\n');
                let moves = !doc.begins_in_text(form.first + idx) && !line.trim().is_empty();
                good.push_str(if moves { "  " } else { "" });
            }
            good.push_str(line);
        }
        good.push_str(&tail.replace('~', &indent));
        Some(Wrapped { start, end, good })
    }

    /// Returns where the wrapping bracket is in [`Wrapped::text`].
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Returns the whole text with the form wrapped.
    pub(super) fn text(&self, doc: &Doc) -> String {
        apply(&doc.text, &[Splice::new(self.start, self.end, self.good.as_str())])
    }

    fn all_but_last(&self) -> String {
        self.good[..self.good.len() - 1].to_owned()
    }
}

/// Returns the text with the lines moved by `columns`, or `None` when no line
/// could be moved. Blank lines and lines that begin in a string stay, and a line
/// is never moved to the left margin, where it would look like a new form.
pub(super) fn shifted(doc: &Doc, first: usize, last: usize, columns: isize) -> Option<Doc> {
    let mut lines: Vec<String> = doc.lines().into_iter().map(str::to_owned).collect();
    let mut moved = false;
    for (idx, line) in lines.iter_mut().enumerate().take(last + 1).skip(first) {
        if doc.begins_in_text(idx) || line.trim().is_empty() {
            continue;
        }
        let n_spaces = line.len() - line.trim_start_matches(' ').len();
        let wanted = n_spaces as isize + columns;
        if wanted > 0 {
            *line = format!("{}{}", " ".repeat(wanted as usize), &line[n_spaces..]);
            moved = true;
        }
    }
    let shifted = Doc::parse(lines.join("\n"))?;
    (moved && shifted.tokens.len() == doc.tokens.len()).then_some(shifted)
}

/// Returns the closers that would be lost with a line, or `None` when it opens
/// something, has no code, or holds more than code and trailing closers.
fn closers_that_would_go(line: &str) -> Option<String> {
    let mut n_open = 0;
    let mut closers = String::new();
    let mut has_code = false;
    for token in lex::lex(line) {
        match token.kind {
            TokenKind::Blank => {}
            TokenKind::Comment | TokenKind::OpenText => return None,
            TokenKind::Close if n_open > 0 => n_open -= 1,
            TokenKind::Close => closers.push_str(&line[token.start..token.end]),
            _ if !closers.is_empty() => return None,
            TokenKind::Open => {
                n_open += 1;
                has_code = true;
            }
            _ => has_code = true,
        }
    }
    (has_code && n_open == 0 && !closers.is_empty()).then_some(closers)
}

/// Tells whether closers can be put at the end of a line: it has code, and no comment.
fn can_end_with_closers(line: &str) -> bool {
    let tokens = lex::lex(line);
    !line.trim().is_empty()
        && !tokens.iter().any(|it| matches!(it.kind, TokenKind::Comment | TokenKind::OpenText))
}

/// Returns the first token of the body of a form whose first line can be taken away.
fn body_of(doc: &Doc, form: Form) -> Option<usize> {
    let alone = doc.starts_line(form.open) && doc.kind(form.open - 1) == TokenKind::Blank;
    let known = doc.str(form.open) == "(" && UNWRAPPABLE.contains(&doc.str(form.open + 1));
    let glued = !matches!(doc.kind(form.close - 1), TokenKind::Blank | TokenKind::Comment);
    if !alone || !known || !glued || form.first == form.last {
        return None;
    }
    let line_break = (form.open..form.close).find(|it| doc.breaks_line(*it))?;
    let line_is_whole = (form.open + 1..line_break).all(|it| match doc.kind(it) {
        TokenKind::Open => doc.partner(it) < line_break,
        TokenKind::Comment => false,
        _ => true,
    });
    let body = line_break + 1;
    (line_is_whole && doc.kind(body) != TokenKind::Comment && doc.line_of(body) == form.first + 1)
        .then_some(body)
}
