//! What a settings file becomes: its text and the hooks we want in, the new text
//! and the spans that were exchanged out. Pure: reads and writes no file.
//!
//! The layout is the one Claude Code made common: `hooks` → event → groups with
//! a matcher → hooks. Every plan is checked before it is handed out: the result
//! must read back as what was there, plus or minus exactly our own.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value, json};

use crate::agents::settings::HookRow;
use crate::install::commands;
use crate::install::jsonc::{self, Edit, SyntaxError, apply, property};
use crate::install::splice::{self, Fate, Items, NewItem, Style, edit_items};

/// A new text for a settings file.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) text: String,
    /// What was exchanged in the old text to get there.
    pub(crate) edits: Vec<Edit>,
}

/// Why a settings file is left alone.
#[derive(Debug, thiserror::Error, PartialEq)]
pub(crate) enum PlanError {
    #[error("{0}")]
    Syntax(#[from] SyntaxError),
    #[error("{line}:{column}: {what} must be {expected}")]
    WrongType { line: usize, column: usize, what: String, expected: &'static str },
    #[error("it is written in a way that cannot be edited safely")]
    Unsafe,
}

/// Which hooks are taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    Own,
    Rivals,
    OwnAndRivals,
}

impl Take {
    fn wants(self, hook: &Value) -> bool {
        let is_rival = || commands::rival(hook).is_some();
        match self {
            Self::Own => commands::is_own(hook),
            Self::Rivals => is_rival(),
            Self::OwnAndRivals => commands::is_own(hook) || is_rival(),
        }
    }
}

/// Puts our hooks in, in place of older ones of ours (and, if they are taken,
/// of rivals).
pub(crate) fn install(
    text: &str,
    rows: &[HookRow],
    command: &str,
    take: Take,
) -> Result<Plan, PlanError> {
    let wanted: Vec<(&'static str, Value)> =
        rows.iter().map(|row| (row.event, group(row, command))).collect();
    let plan = change(text, &wanted, take, None)?;
    let after = read(&plan.text)?;
    let holds = |(event, group): &(&str, Value)| {
        let groups = after["hooks"][event].as_array();
        groups.is_some_and(|it| it.iter().filter(|it| *it == group).count() == 1)
    };
    if !wanted.iter().all(holds) || own_hooks(&after) != wanted.len() {
        return Err(PlanError::Unsafe);
    }
    Ok(plan)
}

/// Takes hooks out. What becomes empty goes too, unless `original`, the file's
/// value before we came, had it.
pub(crate) fn remove(text: &str, take: Take, original: Option<&Value>) -> Result<Plan, PlanError> {
    change(text, &[], take, original)
}

/// Returns the group that calls us for an event.
pub(crate) fn group(row: &HookRow, command: &str) -> Value {
    let hook = json!({ "type": "command", "command": command, "timeout": row.timeout });
    match row.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

/// Reads a settings text; nothing in it is the same as an empty object.
pub(crate) fn read(text: &str) -> Result<Value, PlanError> {
    let (_, body) = jsonc::split_mark(text);
    match jsonc::parse(body)? {
        Some(root) => Ok(jsonc::to_value(&root)),
        None => Ok(json!({})),
    }
}

/// Counts the hooks that are ours.
pub(crate) fn own_hooks(settings: &Value) -> usize {
    all_hooks(settings).filter(|(_, hook)| commands::is_own(hook)).count()
}

/// Returns every hook with its event.
pub(crate) fn all_hooks(settings: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let events = settings.get("hooks").and_then(Value::as_object).into_iter().flatten();
    events.flat_map(|(event, groups)| {
        let groups = groups.as_array().into_iter().flatten();
        let hooks = groups.flat_map(|it| it.get("hooks").and_then(Value::as_array));
        hooks.flatten().map(move |hook| (event.as_str(), hook))
    })
}

/// Returns the settings without the hooks that are taken, and without what is
/// then empty: what must stay the same whatever we do.
pub(crate) fn rest(settings: &Value, take: Take) -> Value {
    let mut settings = settings.clone();
    let Some(events) = settings.get_mut("hooks").and_then(Value::as_object_mut) else {
        return settings;
    };
    for groups in events.values_mut().filter_map(Value::as_array_mut) {
        groups.retain_mut(|group| {
            let Some(hooks) = group.get_mut("hooks").and_then(Value::as_array_mut) else {
                return true;
            };
            let n_hooks = hooks.len();
            hooks.retain(|it| !take.wants(it));
            n_hooks == 0 || !hooks.is_empty()
        });
    }
    events.retain(|_, groups| groups.as_array().is_none_or(|it| !it.is_empty()));
    if events.is_empty() {
        settings.as_object_mut().expect("it has the key `hooks`").shift_remove("hooks");
    }
    settings
}

fn change(
    text: &str,
    wanted: &[(&'static str, Value)],
    take: Take,
    original: Option<&Value>,
) -> Result<Plan, PlanError> {
    let (mark, body) = jsonc::split_mark(text);
    let mut edits = edits(body, wanted, take, original)?;
    let changed = apply(body, &edits).ok_or(PlanError::Unsafe)?;
    for edit in &mut edits {
        edit.start += mark.len();
        edit.end += mark.len();
    }
    let plan = Plan { text: format!("{mark}{changed}"), edits };
    let after = read(&plan.text).map_err(|_| PlanError::Unsafe)?;
    if rest(&read(text)?, take) != rest(&after, take) {
        return Err(PlanError::Unsafe);
    }
    Ok(plan)
}

fn edits(
    body: &str,
    wanted: &[(&'static str, Value)],
    take: Take,
    original: Option<&Value>,
) -> Result<Vec<Edit>, PlanError> {
    let new_item = |(event, group): &(&'static str, Value)| NewItem {
        key: Some(*event),
        value: json!([group]),
    };
    let all_hooks = || {
        let events = wanted.iter().map(|(event, group)| ((*event).to_owned(), json!([group])));
        Value::Object(events.collect::<Map<_, _>>())
    };
    let Some(root) = jsonc::parse(body)? else {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let style = Style::of(body, None);
        let own = splice::render_root(&style, &json!({ "hooks": all_hooks() }));
        let gap = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
        return Ok(vec![Edit { start: body.len(), end: body.len(), text: format!("{gap}{own}") }]);
    };
    let ast::Value::Object(root) = &root else {
        return Err(wrong_type(body, &root, "the file", "an object"));
    };
    let style = Style::of(body, Some(root));
    let keep_root = vec![Fate::Keep; root.properties.len()];
    let Some(hooks_property) = property(root, "hooks") else {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let item = NewItem { key: Some("hooks"), value: all_hooks() };
        return Ok(edit_items(body, &style, &Items::of_object(root), keep_root, vec![item]));
    };
    let ast::Value::Object(hooks) = &hooks_property.value else {
        return Err(wrong_type(body, &hooks_property.value, "`hooks`", "an object"));
    };

    let had = |event: &str| original.is_some_and(|it| it["hooks"][event].is_array());
    let mut inner = Vec::new();
    let mut fates = Vec::new();
    for (event_idx, event) in hooks.properties.iter().enumerate() {
        let name = event.name.as_str();
        let group = wanted.iter().find(|it| it.0 == name).map(|it| &it.1);
        // Of several keys with one name the last counts; taken out, it would give
        // way to one that was hidden.
        let is_named = |it: &ast::ObjectProp<'_>| it.name.as_str() == name;
        let is_hidden = hooks.properties[event_idx + 1..].iter().any(is_named);
        let hides = hooks.properties[..event_idx].iter().any(is_named);
        let fate = match &event.value {
            _ if is_hidden => Fate::Keep,
            ast::Value::Array(groups) => match event_edits(body, &style, groups, group, take) {
                EventChange::Edits(edits) => {
                    inner.extend(edits);
                    Fate::Keep
                }
                EventChange::Emptied if hides || had(name) => {
                    let removed = vec![Fate::Remove; groups.elements.len()];
                    let items = Items::of_array(groups);
                    inner.extend(edit_items(body, &style, &items, removed, Vec::new()));
                    Fate::Keep
                }
                EventChange::Emptied => Fate::Remove,
            },
            other if group.is_some() => {
                return Err(wrong_type(body, other, &format!("`hooks.{name}`"), "a list"));
            }
            _ => Fate::Keep,
        };
        fates.push(fate);
    }
    let is_missing = |it: &&(&'static str, Value)| property(hooks, it.0).is_none();
    let append: Vec<NewItem> = wanted.iter().filter(is_missing).map(new_item).collect();
    let n_hooks = root.properties.iter().filter(|it| it.name.as_str() == "hooks").count();
    let is_emptied = n_hooks == 1
        && append.is_empty()
        && !fates.is_empty()
        && fates.iter().all(|it| *it == Fate::Remove)
        && !original.is_some_and(|it| it["hooks"].is_object());
    if is_emptied {
        let is_ours = |it: &ast::ObjectProp<'_>| it.start() == hooks_property.start();
        let fate = |it| if is_ours(it) { Fate::Remove } else { Fate::Keep };
        let fates = root.properties.iter().map(fate).collect();
        return Ok(edit_items(body, &style, &Items::of_object(root), fates, Vec::new()));
    }
    inner.extend(edit_items(body, &style, &Items::of_object(hooks), fates, append));
    Ok(inner)
}

/// What happens to the groups of one event.
enum EventChange {
    Edits(Vec<Edit>),
    Emptied,
}

fn event_edits(
    body: &str,
    style: &Style,
    groups: &ast::Array<'_>,
    wanted: Option<&Value>,
    take: Take,
) -> EventChange {
    let parts: Vec<Part> = groups.elements.iter().map(|it| part(it, take)).collect();
    // In place of an older one of ours, or else in place of a rival.
    let place = wanted.and_then(|_| {
        let own = parts.iter().position(|it| *it == Part::Whole { is_own: true });
        own.or_else(|| parts.iter().position(|it| matches!(it, Part::Whole { .. })))
    });
    let mut edits = Vec::new();
    let mut fates = Vec::new();
    for (group_idx, (node, part)) in groups.elements.iter().zip(&parts).enumerate() {
        let fate = match (part, wanted) {
            (Part::None, _) => Fate::Keep,
            (Part::Some(removed), _) => {
                if let Some(hooks) = hooks_of(node) {
                    let fate = |it: &bool| if *it { Fate::Remove } else { Fate::Keep };
                    let fates = removed.iter().map(fate).collect();
                    let items = Items::of_array(hooks);
                    edits.extend(edit_items(body, style, &items, fates, Vec::new()));
                }
                Fate::Keep
            }
            (Part::Whole { .. }, Some(wanted)) if place == Some(group_idx) => {
                if jsonc::to_value(node) == *wanted {
                    Fate::Keep
                } else {
                    Fate::Replace(vec![NewItem { key: None, value: wanted.clone() }])
                }
            }
            (Part::Whole { .. }, _) => Fate::Remove,
        };
        fates.push(fate);
    }
    if wanted.is_none() && !fates.is_empty() && fates.iter().all(|it| *it == Fate::Remove) {
        return EventChange::Emptied;
    }
    let append = wanted.filter(|_| place.is_none());
    let append = append.map(|it| NewItem { key: None, value: it.clone() }).into_iter().collect();
    edits.extend(edit_items(body, style, &Items::of_array(groups), fates, append));
    EventChange::Edits(edits)
}

/// How much of a group is taken out.
#[derive(Debug, PartialEq)]
enum Part {
    None,
    Some(Vec<bool>),
    Whole { is_own: bool },
}

fn part(group: &ast::Value<'_>, take: Take) -> Part {
    let Some(hooks) = hooks_of(group) else { return Part::None };
    let hooks: Vec<Value> = hooks.elements.iter().map(jsonc::to_value).collect();
    let taken: Vec<bool> = hooks.iter().map(|it| take.wants(it)).collect();
    if !taken.contains(&true) {
        Part::None
    } else if taken.contains(&false) {
        Part::Some(taken)
    } else {
        Part::Whole { is_own: hooks.iter().any(commands::is_own) }
    }
}

fn hooks_of<'a, 't>(group: &'a ast::Value<'t>) -> Option<&'a ast::Array<'t>> {
    match &property(group.as_object()?, "hooks")?.value {
        ast::Value::Array(hooks) => Some(hooks),
        _ => None,
    }
}

fn wrong_type(body: &str, node: &ast::Value<'_>, what: &str, expected: &'static str) -> PlanError {
    let (line, column) = jsonc::position(body, node.start());
    PlanError::WrongType { line, column, what: what.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::install::reverse::reverse;

    const ROWS: &[HookRow] = &[
        HookRow { event: "PreToolUse", matcher: Some("Bash"), timeout: 30 },
        HookRow { event: "Stop", matcher: None, timeout: 5 },
    ];
    const COMMAND: &str = "/bin/outrigger hook";

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "an expectation is written in place")]
    fn check(before: &str, expected: Expect) {
        let plan = install(before, ROWS, COMMAND, Take::Own).unwrap();
        expected.assert_eq(&plan.text);
        let again = install(&plan.text, ROWS, COMMAND, Take::Own).unwrap();
        assert_eq!(again, Plan { text: plan.text.clone(), edits: Vec::new() }, "twice is once");
        assert_eq!(reverse(before, &plan.edits, &plan.text).as_deref(), Some(before));
    }

    #[test]
    fn nothing_becomes_a_file() {
        check(
            "",
            expect![[r#"
            {
              "hooks": {
                "PreToolUse": [
                  {
                    "matcher": "Bash",
                    "hooks": [
                      {
                        "type": "command",
                        "command": "/bin/outrigger hook",
                        "timeout": 30
                      }
                    ]
                  }
                ],
                "Stop": [
                  {
                    "hooks": [
                      {
                        "type": "command",
                        "command": "/bin/outrigger hook",
                        "timeout": 5
                      }
                    ]
                  }
                ]
              }
            }
        "#]],
        );
    }

    #[test]
    fn one_line_stays_one_line() {
        check(
            r#"{"a":1}"#,
            expect![[
                r#"{"a":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"/bin/outrigger hook","timeout":30}]}],"Stop":[{"hooks":[{"type":"command","command":"/bin/outrigger hook","timeout":5}]}]}}"#
            ]],
        );
        check(
            r#"{ "hooks": { "Stop": [] } }"#,
            expect![[
                r#"{ "hooks": { "Stop": [{"hooks": [{"type": "command", "command": "/bin/outrigger hook", "timeout": 5}]}], "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/outrigger hook", "timeout": 30}]}] } }"#
            ]],
        );
    }

    #[test]
    fn an_older_entry_is_replaced_where_it_stands() {
        check(
            r#"{
	"hooks": {
		"Stop": [
			// first
			{ "hooks": [{ "type": "command", "command": "outrigger hook --old" }] }, // ours
			{ "hooks": [{ "type": "command", "command": "other" }] }
		],
		"PreToolUse": [], // none
	}
}"#,
            expect![[r#"
                {
                	"hooks": {
                		"Stop": [
                			// first
                			{
                				"hooks": [
                					{
                						"type": "command",
                						"command": "/bin/outrigger hook",
                						"timeout": 5
                					}
                				]
                			}, // ours
                			{ "hooks": [{ "type": "command", "command": "other" }] }
                		],
                		"PreToolUse": [
                			{
                				"matcher": "Bash",
                				"hooks": [
                					{
                						"type": "command",
                						"command": "/bin/outrigger hook",
                						"timeout": 30
                					}
                				]
                			}
                		], // none
                	}
                }"#]],
        );
    }

    /// Makes an odd settings text out of any bytes.
    struct Odd<'a> {
        bytes: std::slice::Iter<'a, u8>,
        text: String,
    }

    impl Odd<'_> {
        fn pick(&mut self, n_choices: u8) -> u8 {
            self.bytes.next().map_or(0, |it| it % n_choices)
        }

        fn push(&mut self, choices: &[&str]) {
            let choice = self.pick(u8::try_from(choices.len()).unwrap());
            self.text.push_str(choices[usize::from(choice)]);
        }

        fn gap(&mut self) {
            self.push(&["", " ", "\n", "\n  ", "\r\n\t", "/* }, */", " // ],\n", "\n// \"\n\n  "]);
        }

        fn items(&mut self, open: &str, close: &str, item: &mut dyn FnMut(&mut Self)) {
            self.text.push_str(open);
            let n_items = self.pick(4);
            for item_idx in 0..n_items {
                self.gap();
                item(self);
                self.gap();
                if item_idx + 1 < n_items || self.pick(4) == 1 {
                    self.text.push(',');
                }
            }
            self.gap();
            self.text.push_str(close);
        }

        fn pair(&mut self, keys: &[&str], value: &mut dyn FnMut(&mut Self)) {
            self.push(keys);
            self.gap();
            self.text.push(':');
            self.gap();
            value(self);
        }

        fn hook(&mut self) {
            self.push(&[
                r#"{ "type": "command", "command": "other" }"#,
                r#"{"command":"outrigger hook"}"#,
                r#"{ "command": "'/a b/outrigger' hook" /* ours */ }"#,
                r#"{ "command": "brepl hook eval" }"#,
                "1",
                "{}",
            ]);
        }

        fn group(&mut self) {
            match self.pick(6) {
                0 => self.text.push_str("{}"),
                1 => self.text.push_str("\"text\""),
                _ => {
                    self.text.push_str(r#"{ "matcher": "é", "hooks":"#);
                    self.items("[", "]", &mut Self::hook);
                    self.text.push('}');
                }
            }
        }

        fn settings(&mut self) {
            self.push(&["", "\u{feff}"]);
            self.gap();
            self.items("{", "}", &mut |it| {
                it.pair(&["\"hooks\"", "\"model\"", "\"hooks\"", "\"é\""], &mut |it| {
                    let events = ["\"Stop\"", "\"PreToolUse\"", "\"Other\""];
                    it.items("{", "}", &mut |it| {
                        it.pair(&events, &mut |it| it.items("[", "]", &mut Self::group));
                    });
                });
            });
            self.gap();
        }
    }

    proptest! {
        #[test]
        fn odd_files_are_edited_and_come_back(bytes: Vec<u8>, more in any::<[u8; 64]>()) {
            let bytes = [bytes.as_slice(), &more].concat();
            let mut odd = Odd { bytes: bytes.iter(), text: String::new() };
            odd.settings();
            let text = odd.text;
            for take in [Take::Own, Take::OwnAndRivals] {
                let plan = install(&text, ROWS, COMMAND, take);
                prop_assert!(plan.is_ok(), "{:?}\n{}", plan, text);
                let plan = plan.unwrap();
                prop_assert_eq!(apply(&text, &plan.edits), Some(plan.text.clone()));
                let again = install(&plan.text, ROWS, COMMAND, take).unwrap();
                prop_assert_eq!(&again.text, &plan.text);
                let back = reverse(&text, &plan.edits, &plan.text);
                prop_assert_eq!(back.as_ref(), Some(&text));
                let removed = remove(&plan.text, Take::Own, None);
                prop_assert!(removed.is_ok(), "{:?}\n{}\n{}", removed, text, plan.text);
                let removed = removed.unwrap();
                prop_assert_eq!(own_hooks(&read(&removed.text).unwrap()), 0);
                let before = read(&text).unwrap();
                let kept = remove(&plan.text, Take::Own, Some(&before)).unwrap();
                let kept = read(&kept.text).unwrap();
                prop_assert_eq!(rest(&kept, Take::OwnAndRivals), rest(&before, Take::OwnAndRivals));
            }
        }
    }
}
