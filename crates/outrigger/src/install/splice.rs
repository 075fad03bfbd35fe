//! Adds, replaces and removes items of JSON objects and lists by exchanging spans
//! of their text, so that nothing of the user's is ever printed anew.
//!
//! Comments, key order, indentation, line ends and trailing commas stay as they
//! are, and what is added looks like what is there. Removing what was added
//! gives back the text before. Knows nothing of hooks or agents.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use serde_json::Value;

use crate::install::jsonc::Edit;

/// How the user writes: taken over for what we add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    newline: &'static str,
    unit: String,
    is_one_line: bool,
    has_space: bool,
}

impl Style {
    /// Reads the style off a text.
    pub(crate) fn of(text: &str, root: Option<&ast::Object<'_>>) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let mut style =
            Self { newline, unit: "  ".to_owned(), is_one_line: false, has_space: true };
        let Some((root, first)) = root.and_then(|it| Some((it, it.properties.first()?))) else {
            return style;
        };
        style.is_one_line = !text[root.start()..root.end()].contains('\n');
        style.has_space = text[first.name.end()..first.value.start()].contains([' ', '\n', '\t']);
        if is_first_on_line(text, first.start()) {
            let indent = line_indent(text, first.start());
            let outer = line_indent(text, root.start());
            style.unit = indent.strip_prefix(outer).unwrap_or(indent).to_owned();
        }
        style
    }
}

/// An object or a list: its brackets and what stands between them.
#[derive(Debug)]
pub(crate) struct Items {
    open: usize,
    close: usize,
    spans: Vec<(usize, usize)>,
}

impl Items {
    pub(crate) fn of_object(object: &ast::Object<'_>) -> Self {
        let spans = object.properties.iter().map(|it| (it.start(), it.end())).collect();
        Self { open: object.start(), close: object.end() - 1, spans }
    }

    pub(crate) fn of_array(array: &ast::Array<'_>) -> Self {
        let spans = array.elements.iter().map(|it| (it.start(), it.end())).collect();
        Self { open: array.start(), close: array.end() - 1, spans }
    }
}

/// Something to write into an object (with its key) or a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewItem {
    pub(crate) key: Option<&'static str>,
    pub(crate) value: Value,
}

/// What becomes of one item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fate {
    Keep,
    Remove,
    Replace(Vec<NewItem>),
}

/// Returns the edits that give each item its fate and put `append` at the end.
pub(crate) fn edit_items(
    text: &str,
    style: &Style,
    items: &Items,
    mut fates: Vec<Fate>,
    mut append: Vec<NewItem>,
) -> Vec<Edit> {
    // What comes at the end takes the place of what goes there.
    if !append.is_empty()
        && let Some(last) = fates.last_mut()
        && *last == Fate::Remove
    {
        *last = Fate::Replace(std::mem::take(&mut append));
    }
    let layout = Layout::of(text, style, items);
    let mut edits = Vec::new();
    if !fates.is_empty() && fates.iter().all(|it| *it == Fate::Remove) {
        return clear(text, items);
    }
    for (item_idx, fate) in fates.iter().enumerate() {
        let (start, end) = items.spans[item_idx];
        match fate {
            Fate::Keep => {}
            Fate::Remove => remove(text, items, item_idx, &fates, &mut edits),
            Fate::Replace(new) => {
                let layout = layout.at_item(text, start);
                edits.push(Edit { start, end, text: layout.join(style, new) });
            }
        }
    }
    if !append.is_empty() {
        insert_last(text, style, items, &layout.join(style, &append), &layout, &mut edits);
    }
    edits
}

/// Returns a text of its own for an object, as the first thing in a file.
pub(crate) fn render_root(style: &Style, value: &Value) -> String {
    let layout = Layout::Lines { indent: String::new(), outer: String::new() };
    let mut out = String::new();
    layout.write(style, value, &mut out);
    out + style.newline
}

/// Takes everything out of an object or a list, but for comments.
fn clear(text: &str, items: &Items) -> Vec<Edit> {
    let mut from = items.open + 1;
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    for (start, end) in &items.spans {
        gaps.push((from, *start));
        from = *end;
    }
    gaps.push((from, items.close));
    let pieces = |gap: &(usize, usize)| pieces(text, gap.0, gap.1);
    if !gaps.iter().flat_map(pieces).any(|it| it.kind.is_comment()) {
        return vec![Edit { start: items.open + 1, end: items.close, text: String::new() }];
    }
    let mut edits = Vec::new();
    for (item_idx, (start, end)) in items.spans.iter().enumerate() {
        let lead = lead_start(text, gaps[item_idx].0, *start, *end);
        edits.push(Edit { start: lead, end: *end, text: String::new() });
    }
    for piece in gaps.iter().flat_map(pieces).filter(|it| it.kind == PieceKind::Comma) {
        edits.push(Edit { start: piece.start, end: piece.end, text: String::new() });
    }
    edits
}

/// Takes out one item of which others stay, with the blanks before it and one comma.
fn remove(text: &str, items: &Items, item_idx: usize, fates: &[Fate], edits: &mut Vec<Edit>) {
    let (start, end) = items.spans[item_idx];
    let before = if item_idx == 0 { items.open + 1 } else { items.spans[item_idx - 1].1 };
    let after = |idx: usize| items.spans.get(idx + 1).map_or(items.close, |it| it.0);
    let next_comma = |idx: usize| comma(text, items.spans[idx].1, after(idx));
    let n_items = items.spans.len();
    let n_following = fates[item_idx..].iter().take_while(|it| **it == Fate::Remove).count();
    let last_of_run = item_idx + n_following - 1;
    let is_tail = last_of_run + 1 == n_items && next_comma(last_of_run).is_none();
    let own_comma = if is_tail { comma(text, before, start) } else { next_comma(item_idx) };
    let run_end = items.spans[last_of_run].1;
    let rest = next_comma(last_of_run).map_or(run_end, |it| it + 1);
    let lead = lead_start(text, before, start, rest);
    edits.push(Edit { start: lead, end, text: String::new() });
    edits.extend(own_comma.map(|at| Edit { start: at, end: at + 1, text: String::new() }));
    // The first item stood right behind the bracket; so will the next.
    if item_idx == 0
        && last_of_run == 0
        && start == items.open + 1
        && let Some(comma) = own_comma
        && let [blank] = pieces(text, comma + 1, after(item_idx)).as_slice()
        && blank.kind == PieceKind::Blank
    {
        edits.push(Edit { start: blank.start, end: blank.end, text: String::new() });
    }
}

/// Returns where the blanks before an item begin that go when it goes.
fn lead_start(text: &str, gap_start: usize, item_start: usize, rest: usize) -> usize {
    let gap = pieces(text, gap_start, item_start);
    let Some(blanks) = gap.last().filter(|it| it.kind == PieceKind::Blank) else {
        return item_start;
    };
    let follows_line_comment = gap.len() >= 2 && gap[gap.len() - 2].kind == PieceKind::LineComment;
    let line = text[rest..].split('\n').next().unwrap_or("");
    if follows_line_comment && !line.trim().is_empty() {
        // Something else stands on this line; without the line break it would
        // become part of the comment.
        return item_start;
    }
    blanks.start
}

/// Puts `new` behind the last item, or into the empty brackets.
fn insert_last(
    text: &str,
    style: &Style,
    items: &Items,
    new: &str,
    layout: &Layout,
    edits: &mut Vec<Edit>,
) {
    let before = layout.before_item(style);
    let Some((_, last_end)) = items.spans.last().copied() else {
        let before = if matches!(layout, Layout::OneLine) { "" } else { &before };
        let inside = pieces(text, items.open + 1, items.close);
        let last_comment = inside.iter().rfind(|it| it.kind.is_comment());
        let start = last_comment.map_or(items.open + 1, |it| it.end);
        let blanks = &text[start..items.close];
        let keeps_blanks = last_comment.is_some() && blanks.contains('\n');
        let end = if keeps_blanks { start } else { items.close };
        let after = if keeps_blanks { String::new() } else { layout.before_close(style) };
        edits.push(Edit { start, end, text: format!("{before}{new}{after}") });
        return;
    };
    let comma_at = comma(text, last_end, items.close);
    let from = comma_at.map_or(last_end, |it| it + 1);
    let mut at = from;
    for piece in pieces(text, from, items.close) {
        let is_same_line = !text[piece.start..piece.end].contains('\n');
        match piece.kind {
            PieceKind::Blank if is_same_line => {}
            PieceKind::LineComment | PieceKind::BlockComment => at = piece.end,
            PieceKind::Blank | PieceKind::Comma => break,
        }
    }
    match comma_at {
        Some(_) => edits.push(Edit { start: at, end: at, text: format!("{before}{new},") }),
        None if at == last_end => {
            edits.push(Edit { start: at, end: at, text: format!(",{before}{new}") });
        }
        None => {
            edits.push(Edit { start: last_end, end: last_end, text: ",".to_owned() });
            edits.push(Edit { start: at, end: at, text: format!("{before}{new}") });
        }
    }
}

/// How new items are laid out: each on its own line, or all on one.
#[derive(Debug, Clone)]
enum Layout {
    Lines { indent: String, outer: String },
    OneLine,
}

impl Layout {
    fn of(text: &str, style: &Style, items: &Items) -> Self {
        let outer = line_indent(text, items.open).to_owned();
        let (Some(first), Some(last)) = (items.spans.first(), items.spans.last()) else {
            let indent = format!("{outer}{}", style.unit);
            return if style.is_one_line { Self::OneLine } else { Self::Lines { indent, outer } };
        };
        let has_lines =
            text[items.open..first.0].contains('\n') || text[last.1..items.close].contains('\n');
        if !has_lines {
            return Self::OneLine;
        }
        let indent = if is_first_on_line(text, last.0) {
            line_indent(text, last.0).to_owned()
        } else {
            format!("{outer}{}", style.unit)
        };
        Self::Lines { indent, outer }
    }

    /// Returns the layout for something that takes the place of the item at `start`.
    fn at_item(&self, text: &str, start: usize) -> Self {
        match self {
            Self::Lines { outer, .. } if is_first_on_line(text, start) => {
                let indent = line_indent(text, start).to_owned();
                Self::Lines { indent, outer: outer.clone() }
            }
            it => it.clone(),
        }
    }

    fn before_item(&self, style: &Style) -> String {
        match self {
            Self::Lines { indent, .. } => format!("{}{indent}", style.newline),
            Self::OneLine if style.has_space => " ".to_owned(),
            Self::OneLine => String::new(),
        }
    }

    fn before_close(&self, style: &Style) -> String {
        match self {
            Self::Lines { outer, .. } => format!("{}{outer}", style.newline),
            Self::OneLine => String::new(),
        }
    }

    fn join(&self, style: &Style, items: &[NewItem]) -> String {
        let mut out = String::new();
        for (item_idx, item) in items.iter().enumerate() {
            if item_idx > 0 {
                out.push(',');
                out.push_str(&self.before_item(style));
            }
            if let Some(key) = item.key {
                push_key(style, key, &mut out);
            }
            self.write(style, &item.value, &mut out);
        }
        out
    }

    fn write(&self, style: &Style, value: &Value, out: &mut String) {
        let (open, close, values): (char, char, Vec<(Option<&String>, &Value)>) = match value {
            Value::Array(list) if !list.is_empty() => {
                ('[', ']', list.iter().map(|it| (None, it)).collect())
            }
            Value::Object(map) if !map.is_empty() => {
                ('{', '}', map.iter().map(|(key, it)| (Some(key), it)).collect())
            }
            plain => {
                out.push_str(&plain.to_string());
                return;
            }
        };
        let inner = match self {
            Self::OneLine => Self::OneLine,
            Self::Lines { indent, .. } => {
                Self::Lines { indent: format!("{indent}{}", style.unit), outer: indent.clone() }
            }
        };
        out.push(open);
        for (value_idx, (key, value)) in values.into_iter().enumerate() {
            if value_idx > 0 {
                out.push(',');
            }
            if matches!(self, Self::Lines { .. }) || value_idx > 0 {
                out.push_str(&inner.before_item(style));
            }
            if let Some(key) = key {
                push_key(style, key, out);
            }
            inner.write(style, value, out);
        }
        if matches!(self, Self::Lines { .. }) {
            out.push_str(&inner.before_close(style));
        }
        out.push(close);
    }
}

fn push_key(style: &Style, key: &str, out: &mut String) {
    out.push_str(&Value::String(key.to_owned()).to_string());
    out.push_str(if style.has_space { ": " } else { ":" });
}

/// What stands between two items.
#[derive(Debug, Clone, Copy)]
struct Piece {
    kind: PieceKind,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Blank,
    Comma,
    LineComment,
    BlockComment,
}

impl PieceKind {
    fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }
}

/// Splits what stands between two items. The text has been parsed, so there is
/// nothing there but blanks, commas and comments.
fn pieces(text: &str, from: usize, to: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = from;
    while start < to {
        let rest = &text[start..to];
        let (kind, len) = if rest.starts_with("//") {
            (PieceKind::LineComment, rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (PieceKind::BlockComment, rest.find("*/").map_or(rest.len(), |it| it + 2))
        } else if rest.starts_with(',') {
            (PieceKind::Comma, 1)
        } else {
            let len = rest.find([',', '/']).unwrap_or(rest.len());
            (PieceKind::Blank, len.max(1))
        };
        pieces.push(Piece { kind, start, end: start + len });
        start += len;
    }
    pieces
}

fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    pieces(text, from, to).iter().find(|it| it.kind == PieceKind::Comma).map(|it| it.start)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |it| it + 1)
}

fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn is_first_on_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].bytes().all(|it| it == b' ' || it == b'\t')
}
