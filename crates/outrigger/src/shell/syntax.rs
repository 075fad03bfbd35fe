//! The shape of a command line: what the parser makes and the walk reads.
//! Only what bears on files is kept; positions, for one, are not.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after the other.
#[derive(Debug, Default)]
pub(crate) struct Script(pub(crate) Vec<Item>);

/// Pipelines joined by `&&` and `||`, up to `;`, `&` or the end of the line.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Joint, Pipeline)>,
    pub(crate) is_background: bool,
}

/// How a pipeline depends on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub(crate) struct Pipeline(pub(crate) Vec<Command>);

/// One command and where its input and output go.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
}

/// What sort of command it is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// `A=1 name argument …`
    Simple { assignments: Vec<Assignment>, words: Vec<Word> },
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if … then … elif … then … else … fi`
    If { branches: Vec<(Script, Script)>, otherwise: Script },
    /// `while … do … done`, `until`, and `for ((…))`
    While { condition: Script, body: Script },
    /// `for name in words; do … done`. No words: the positional parameters.
    For { name: String, words: Option<Vec<Word>>, body: Script },
    /// `case … in …) … ;; esac`
    Case { subject: Word, arms: Vec<Script> },
    /// `name() …`
    Function { name: String, body: Rc<Command> },
    /// `[[ … ]]` and `(( … ))`: writes nothing, but substitutions in it are run.
    Condition(Vec<Word>),
}

/// `name=value`, `name+=value`, `name=(a b)`.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) is_appended: bool,
    pub(crate) value: AssignedValue,
}

/// What is assigned.
#[derive(Debug)]
pub(crate) enum AssignedValue {
    Scalar(Word),
    Array(Vec<Word>),
    /// One element of an array. Not followed.
    Element(Word),
}

/// A change of input or output.
#[derive(Debug)]
pub(crate) enum Redirect {
    /// `<word`
    Read(Word),
    /// `>word`, `>|word`, `&>word`
    Write(Word),
    /// `>>word`, `&>>word`
    Append(Word),
    /// `<>word`
    ReadWrite(Word),
    /// `>&word`: a file, unless the word is a number or `-`.
    WriteOrDuplicate(Word),
    /// `<<word`, and `<<<word`. The text of a here-document comes after the
    /// line, so it is filled in later.
    Text(Rc<OnceCell<Word>>),
}

/// One word, before anything in it is expanded.
#[derive(Debug, Default)]
pub(crate) struct Word(pub(crate) Vec<Piece>);

/// Part of a word.
#[derive(Debug)]
pub(crate) enum Piece {
    Text {
        text: String,
        is_quoted: bool,
    },
    Variable {
        variable: Variable,
        is_quoted: bool,
    },
    /// `$(…)` and `` `…` ``
    Output {
        script: Script,
        is_quoted: bool,
    },
    /// `<(…)` and `>(…)`
    Process(Script),
    /// Arithmetic, extended globs: stands for some text.
    Unknown,
}

/// `$name`, `${name}`, `${name:-word}` …
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// What stands between `[` and `]`.
    pub(crate) index: Option<String>,
    /// `%%`, `:-` …, and its word.
    pub(crate) operation: Option<(&'static str, Word)>,
}

impl Word {
    /// Returns the text of a word without quotes and expansions.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Text { text, is_quoted: false }] => Some(text),
            _ => None,
        }
    }
}
