//! Goes through a command line as a shell would, without running anything, and
//! notes what would be written. Both ways of every condition are taken.

use std::path::Path;
use std::rc::Rc;

use crate::shell::field::{Field, MAX_MADE, Stream};
use crate::shell::state::State;
use crate::shell::syntax::{
    AssignedValue, Assignment, Command, Item, Joint, Kind, Pipeline, Script, Word,
};
use crate::shell::targets::Redirected;
use crate::shell::{Writes, builtins, parse, programs};

/// Scripts in scripts, functions that call themselves: deeper is not followed.
const MAX_DEPTH: usize = 60;
/// More commands than this are not followed; loops count each time.
const MAX_STEPS: usize = 5_000;

/// Not more text than this is parsed inside the command line: `eval eval …`.
const MAX_NESTED: usize = 2 << 20;

/// A walk in progress.
#[derive(Debug)]
pub(crate) struct Walk<'h> {
    pub(crate) home: &'h Path,
    pub(crate) state: State,
    pub(crate) writes: Writes,
    depth: usize,
    n_steps: usize,
    n_nested: usize,
}

/// One program with its arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The program's name, without its folder.
    pub(crate) name: &'a str,
    pub(crate) args: &'a [Field],
    pub(crate) stdin: &'a Stream,
}

/// Walks through a command line.
pub(crate) fn walk(command: &str, cwd: &Path, home: &Path) -> Writes {
    let state = State { cwd: Some(cwd.to_path_buf()), ..State::default() };
    let writes = Writes { targets: Vec::new(), patches: Vec::new(), is_complete: true };
    let mut walk = Walk { home, state, writes, depth: 0, n_steps: 0, n_nested: 0 };
    walk.text(command, &Stream::Unknown);
    walk.writes
}

impl Walk<'_> {
    /// Runs a text in this shell.
    pub(crate) fn text(&mut self, command: &str, stdin: &Stream) -> Stream {
        if self.n_nested > MAX_NESTED || !self.enter() {
            self.unreadable();
            return Stream::Unknown;
        }
        self.n_nested += command.len();
        let (script, is_whole) = parse::parse(command);
        if !is_whole {
            self.unreadable();
        }
        let output = self.script(&script, stdin);
        self.depth -= 1;
        output
    }

    /// Runs something in a copy of this shell.
    pub(crate) fn in_copy(
        &mut self,
        state: State,
        run: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let kept = std::mem::replace(&mut self.state, state);
        let output = run(self);
        self.state = kept;
        output
    }

    /// Notes that something was not understood.
    pub(crate) fn unreadable(&mut self) {
        self.writes.is_complete = false;
    }

    fn enter(&mut self) -> bool {
        self.n_steps += 1;
        if self.depth >= MAX_DEPTH || self.n_steps > MAX_STEPS {
            self.unreadable();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(crate) fn script(&mut self, script: &Script, stdin: &Stream) -> Stream {
        let mut outputs = Vec::new();
        for item in &script.0 {
            if self.state.has_ended {
                break;
            }
            let output = if item.is_background {
                let copy = self.state.clone();
                self.in_copy(copy, |walk| walk.item(item, stdin))
            } else {
                self.item(item, stdin)
            };
            outputs.push(output);
        }
        if outputs.len() == 1 {
            return outputs.pop().unwrap_or(Stream::Unknown);
        }
        let texts: Option<Vec<&str>> = outputs.iter().map(Stream::text).collect();
        match texts {
            Some(texts) if texts.iter().map(|it| it.len()).sum::<usize>() <= MAX_MADE => {
                Stream::Text(texts.concat())
            }
            _ => Stream::Unknown,
        }
    }

    fn item(&mut self, item: &Item, stdin: &Stream) -> Stream {
        let mut output = self.pipeline(&item.first, stdin);
        let mut is_test = is_test(&item.first);
        // What would be so if a test before `&&` had failed.
        let mut otherwise: Option<State> = None;
        for (joint, pipeline) in &item.rest {
            match joint {
                Joint::And => {
                    if is_test && otherwise.is_none() {
                        otherwise = Some(self.state.clone());
                    }
                    output = self.pipeline(pipeline, stdin);
                    is_test |= self::is_test(pipeline);
                    // `… && exit`: the other way goes on.
                    self.state.has_ended = false;
                }
                // Programs mostly do what they are asked to, so the way after
                // `||` changes nothing for what follows: `cd x || exit`.
                Joint::Or => {
                    let copy = self.state.clone();
                    self.in_copy(State { has_ended: false, ..copy }, |walk| {
                        walk.pipeline(pipeline, stdin)
                    });
                    output = Stream::Unknown;
                }
            }
        }
        if let Some(otherwise) = otherwise {
            let taken = std::mem::take(&mut self.state);
            self.state = taken.joined(otherwise);
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Stream) -> Stream {
        if let [command] = pipeline.0.as_slice() {
            return self.command(command, stdin);
        }
        let mut passed = stdin.clone();
        for command in &pipeline.0 {
            let copy = self.state.clone();
            passed = self.in_copy(copy, |walk| walk.command(command, &passed));
        }
        passed
    }

    fn command(&mut self, command: &Command, stdin: &Stream) -> Stream {
        if !self.enter() {
            return Stream::Unknown;
        }
        let mut stdin = stdin.clone();
        let mut is_printing = true;
        for redirect in &command.redirects {
            match self.redirect(redirect) {
                Redirected::Input(stream) => stdin = stream,
                Redirected::Output => is_printing = false,
                Redirected::Nothing => {}
            }
        }
        let output = self.kind(&command.kind, &stdin);
        self.depth -= 1;
        if is_printing { output } else { Stream::Text(String::new()) }
    }

    fn kind(&mut self, kind: &Kind, stdin: &Stream) -> Stream {
        match kind {
            Kind::Simple { assignments, words } => return self.simple(assignments, words, stdin),
            Kind::Group(script) => return self.script(script, stdin),
            Kind::Subshell(script) => {
                let copy = self.state.clone();
                return self.in_copy(copy, |walk| walk.script(script, stdin));
            }
            Kind::If { branches, otherwise } => self.conditional(branches, otherwise, stdin),
            Kind::While { condition, body } => self.while_loop(condition, body, stdin),
            Kind::For { name, words, body } => {
                let values = match words {
                    Some(words) => words.iter().flat_map(|it| self.fields(it)).collect(),
                    None => self.state.positional.clone().unwrap_or_else(|| vec![Field::Unknown]),
                };
                self.each(name, values, body, stdin);
            }
            Kind::Case { subject, arms } => {
                self.field(subject);
                let before = self.state.clone();
                let mut joined = before.clone();
                for arm in arms {
                    self.state = before.clone();
                    self.script(arm, stdin);
                    joined = joined.joined(std::mem::take(&mut self.state));
                }
                self.state = joined;
            }
            Kind::Function { name, body } => {
                self.state.functions.insert(name.clone(), Rc::clone(body));
                return Stream::Text(String::new());
            }
            Kind::Condition(words) => {
                for word in words {
                    self.field(word);
                }
                return Stream::Text(String::new());
            }
        }
        Stream::Unknown
    }

    fn conditional(&mut self, branches: &[(Script, Script)], otherwise: &Script, stdin: &Stream) {
        let mut joined: Option<State> = None;
        for (condition, body) in branches {
            self.script(condition, stdin);
            let not_taken = self.state.clone();
            self.script(body, stdin);
            let taken = std::mem::replace(&mut self.state, not_taken);
            joined = Some(match joined {
                Some(before) => before.joined(taken),
                None => taken,
            });
        }
        self.script(otherwise, stdin);
        if let Some(joined) = joined {
            let last = std::mem::take(&mut self.state);
            self.state = joined.joined(last);
        }
    }

    fn while_loop(&mut self, condition: &Script, body: &Script, stdin: &Stream) {
        // `… | while read -r name; do …`, where the lines are known.
        if let Some(name) = read_variable(condition)
            && let Some(values) = stdin.lines()
        {
            self.each(&name, values, body, &Stream::Unknown);
            return;
        }
        self.script(condition, stdin);
        let before = self.state.clone();
        self.script(body, stdin);
        let after = std::mem::take(&mut self.state);
        self.state = before.joined(after);
    }

    /// Runs a loop's body for each value.
    fn each(&mut self, name: &str, values: Vec<Field>, body: &Script, stdin: &Stream) {
        for value in values {
            if self.state.has_ended {
                return;
            }
            self.state.variables.insert(name.to_owned(), vec![value]);
            self.script(body, stdin);
        }
    }

    fn simple(&mut self, assignments: &[Assignment], words: &[Word], stdin: &Stream) -> Stream {
        let fields: Vec<Field> = words.iter().flat_map(|it| self.fields(it)).collect();
        let name = fields.first().and_then(Field::text).map(str::to_owned);
        let is_declaring = name.as_deref().is_some_and(builtins::is_declaring);
        if fields.is_empty() || is_declaring {
            for assignment in assignments {
                self.assign(assignment);
                if name.as_deref() == Some("export") {
                    self.state.exported.insert(assignment.name.clone());
                }
            }
            if fields.is_empty() {
                return Stream::Text(String::new());
            }
        }
        if assignments.is_empty() || is_declaring {
            return self.call(&fields, stdin);
        }
        // For this one command only. A folder it changes to stays, though.
        let kept = (self.state.variables.clone(), self.state.exported.clone());
        for assignment in assignments {
            self.assign(assignment);
            self.state.exported.insert(assignment.name.clone());
        }
        let output = self.call(&fields, stdin);
        (self.state.variables, self.state.exported) = kept;
        output
    }

    fn assign(&mut self, assignment: &Assignment) {
        let mut value = match &assignment.value {
            AssignedValue::Scalar(word) => vec![self.field(word)],
            AssignedValue::Array(words) => words.iter().flat_map(|it| self.fields(it)).collect(),
            AssignedValue::Element(word) => {
                self.field(word);
                vec![Field::Unknown]
            }
        };
        if assignment.is_appended {
            let before = self.state.variables.get(&assignment.name).cloned();
            let before = before.unwrap_or_else(|| vec![Field::Unknown]);
            value = match (&assignment.value, before.as_slice(), value.as_slice()) {
                (AssignedValue::Scalar(_), [before], [more]) => {
                    vec![Field::joined(&[before.clone(), more.clone()])]
                }
                _ => before.into_iter().chain(value).collect(),
            };
        }
        self.state.variables.insert(assignment.name.clone(), value);
    }

    /// Runs a program, a function or a builtin with its arguments.
    pub(crate) fn call(&mut self, fields: &[Field], stdin: &Stream) -> Stream {
        let Some((first, args)) = fields.split_first() else { return Stream::Unknown };
        // A program that runs a program that … with all those arguments.
        self.n_steps += args.len() / 16;
        let Some(name) = first.text() else {
            self.unreadable();
            return Stream::Unknown;
        };
        if !self.enter() {
            return Stream::Unknown;
        }
        let output = match self.state.functions.get(name).cloned() {
            Some(body) => {
                let kept = self.state.positional.replace(args.to_vec());
                let output = self.command(&body, stdin);
                self.state.positional = kept;
                self.state.has_ended = false;
                output
            }
            None => programs::run(self, &Call { name, args, stdin }),
        };
        self.depth -= 1;
        output
    }
}

/// Returns whether a pipeline only asks something, and may well say no.
fn is_test(pipeline: &Pipeline) -> bool {
    let Some(command) = pipeline.0.last() else { return false };
    match &command.kind {
        Kind::Condition(_) => true,
        Kind::Simple { words, .. } => {
            let name = words.first().and_then(Word::bare).unwrap_or_default();
            matches!(name, "[" | "test" | "grep" | "egrep" | "rg" | "which" | "command" | "false")
        }
        _ => false,
    }
}

/// Returns the variable of a loop that begins with `while read name`.
fn read_variable(condition: &Script) -> Option<String> {
    let [item] = condition.0.as_slice() else { return None };
    let [command] = item.first.0.as_slice() else { return None };
    let Kind::Simple { words, .. } = &command.kind else { return None };
    let (first, rest) = words.split_first()?;
    let mut names = rest.iter().filter(|it| it.bare().is_none_or(|it| !it.starts_with('-')));
    let name = names.next()?.bare()?;
    let is_one = names.all(|it| it.bare().is_none());
    (first.bare() == Some("read") && is_one && !name.is_empty()).then(|| name.to_owned())
}
