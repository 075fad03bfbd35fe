//! What is known about the forms of Clojure: how they are indented, what they
//! must look like inside, and how many arguments they take.
//!
//! Only facts about the language and its core library, no taste: a rule here
//! lets the search tell a likely program from an unlikely one.

use std::collections::HashMap;

/// What the inside of a form must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing is known.
    Any,
    /// The first argument is a name: `def`.
    Named,
    /// The first argument is a vector of pairs: `let`.
    Pairs,
    /// The first argument is a vector of exactly one pair: `if-let`.
    OnePair,
    /// The first argument is a vector: `letfn`.
    Vector,
    /// Somewhere stands an argument vector, or lists that start with one: `defn`.
    Function,
    /// The same after a name: `defn`.
    NamedFunction,
    /// The arguments are pairs: `cond`.
    Clauses,
    /// The arguments are one value and pairs: `cond->`.
    ValueAndClauses,
    /// The second argument is a path: `get-in`.
    Path,
    /// A keyword that stands in a vector or map, never in a list: `:as`.
    InVector,
    /// A keyword that is followed by a vector: `:refer`.
    BeforeVector,
    /// The arguments are calls that get one more argument: `->`.
    Thread,
}

/// What is known about one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether its body is indented by two columns.
    pub(super) body: bool,
    pub(super) shape: Shape,
    /// Whether its body is a row of statements, each in lines of its own.
    pub(super) statements: bool,
    /// The least and most arguments.
    pub(super) arity: (u16, u16),
    /// Whether the name is a macro or special form: it makes no sense anywhere
    /// but at the head of a list.
    pub(super) only_head: bool,
}

const MANY: u16 = u16::MAX;

const fn special(shape: Shape, min: u16, max: u16) -> Form {
    let statements = matches!(
        shape,
        Shape::Pairs | Shape::OnePair | Shape::Vector | Shape::Function | Shape::NamedFunction
    );
    Form { body: true, shape, statements, arity: (min, max), only_head: true }
}

const fn function(min: u16, max: u16) -> Form {
    Form { body: false, shape: Shape::Any, statements: false, arity: (min, max), only_head: false }
}

const fn call_only(min: u16, max: u16) -> Form {
    Form { body: false, shape: Shape::Any, statements: false, arity: (min, max), only_head: true }
}

/// The forms by name, several names to a row.
const FORMS: &[(&str, Form)] = &[
    (
        "let loop for doseq binding with-open with-redefs let* loop* with-local-vars go-loop",
        special(Shape::Pairs, 2, MANY),
    ),
    ("when-let when-some when-first dotimes", special(Shape::OnePair, 2, MANY)),
    ("if-let if-some", special(Shape::OnePair, 2, 3)),
    ("letfn", special(Shape::Vector, 2, MANY)),
    ("fn fn* bound-fn", special(Shape::Function, 1, MANY)),
    ("defn defn- defmacro", special(Shape::NamedFunction, 2, MANY)),
    (
        "cond",
        Form {
            body: true,
            shape: Shape::Clauses,
            statements: false,
            arity: (2, MANY),
            only_head: true,
        },
    ),
    ("cond-> cond->>", special(Shape::ValueAndClauses, 3, MANY)),
    ("-> ->> some-> some->> doto ..", special(Shape::Thread, 2, MANY)),
    ("if if-not", special(Shape::Any, 2, 3)),
    ("when when-not while", Form { statements: true, ..special(Shape::Any, 2, MANY) }),
    ("def", special(Shape::Named, 1, 3)),
    ("defonce", special(Shape::Named, 2, 3)),
    ("case condp", special(Shape::Any, 2, MANY)),
    (
        "try do deftest testing future go thread delay",
        Form { statements: true, ..special(Shape::Any, 1, MANY) },
    ),
    ("catch", special(Shape::Any, 2, MANY)),
    ("finally", special(Shape::Any, 1, MANY)),
    ("ns defmulti defprotocol defrecord deftype definterface", special(Shape::Named, 1, MANY)),
    ("defmethod", special(Shape::NamedFunction, 3, MANY)),
    ("extend-type extend-protocol", special(Shape::Any, 1, MANY)),
    ("reify proxy locking comment with-out-str with-redefs-fn async", special(Shape::Any, 1, MANY)),
    ("as->", special(Shape::Any, 3, MANY)),
    ("throw", call_only(1, 1)),
    ("recur", call_only(0, MANY)),
    ("quote var", call_only(1, 1)),
    ("set!", call_only(2, 3)),
    ("is", call_only(1, 2)),
    ("are", call_only(2, MANY)),
    ("declare require use import", function(1, MANY)),
    ("and or lazy-cat", call_only(0, MANY)),
    ("lazy-seq assert", call_only(1, MANY)),
    (
        "inc dec not nil? some? zero? pos? neg? empty? seq first second rest next last butlast ffirst fnext nnext count \
         keys vals name namespace keyword? symbol? string? map? vector? set? seq? coll? fn? ifn? number? integer? even? \
         odd? true? false? identity reverse peek pop transient persistent! realized? meta type class not-empty \
         str/trim str/lower-case str/upper-case str/blank? str/capitalize constantly complement \
         ex-data ex-message vec set key val reduced reduced? volatile!",
        function(1, 1),
    ),
    ("deref slurp doall dorun read-string distinct?", function(1, 3)),
    (
        ":require :use :import :refer-clojure :gen-class :require-macros :use-macros",
        call_only(0, MANY),
    ),
    (":as :include-macros :rename", Form { shape: Shape::InVector, ..function(0, MANY) }),
    (
        ":refer :only :exclude :keys :strs :syms :refer-macros :post :pre",
        Form { shape: Shape::BeforeVector, ..function(0, MANY) },
    ),
    ("get nth", function(2, 3)),
    ("get-in", Form { shape: Shape::Path, ..function(2, 3) }),
    ("assoc-in", Form { shape: Shape::Path, ..function(3, 3) }),
    ("update-in", Form { shape: Shape::Path, ..function(3, MANY) }),
    ("assoc update vary-meta", function(3, MANY)),
    (
        "contains? instance? identical? satisfies? cons take-while drop-while split-at zipmap select-keys with-meta rem mod quot",
        function(2, 2),
    ),
    ("reset! swap! apply", function(2, MANY)),
    ("reduce", function(2, 3)),
    ("filter remove keep take drop", function(1, 2)),
    ("map mapv mapcat", function(1, MANY)),
    ("ex-info subs re-find re-matches re-seq str/split str/join str/replace", function(1, 4)),
    (
        "= not= < > <= >= == + * - / str println prn print pr-str format list vector hash-map concat into merge",
        function(0, MANY),
    ),
];

/// Returns all forms by name.
pub(super) fn table() -> HashMap<&'static str, &'static Form> {
    FORMS
        .iter()
        .flat_map(|(names, form)| names.split_whitespace().map(move |name| (name, form)))
        .collect()
}

/// What a name that starts like a definition or a `with-` macro is taken for.
pub(super) const BODY_BY_NAME: Form =
    Form { body: true, shape: Shape::Any, statements: false, arity: (0, MANY), only_head: false };

/// Returns whether a name says that its form has a body, as `defroute` or `with-db` do.
pub(super) fn has_body_name(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.starts_with("def")
        || base.starts_with("with-")
        || base.starts_with("when-")
        || base.starts_with("let-")
}

/// Returns how often a name spelled like this is the head of a list, and how
/// often anything else, as counts of a small sample.
pub(super) fn prior(name: &str) -> (f32, f32) {
    let last = name.chars().last().unwrap_or(' ');
    match name.as_bytes() {
        [b':', ..] => (0.3, 2.0),
        // `.method`, `.-field`, `Class.`, `reset!`
        [b'.', _, ..] => (3.0, 0.1),
        _ if last == '.' && name.len() > 1 => (3.0, 0.1),
        _ if last == '!' => (2.0, 0.2),
        [b'%' | b'&', ..] => (0.05, 2.0),
        [b'*', ..] if last == '*' => (0.1, 2.0),
        [_] => (0.2, 1.0),
        _ if name.contains('/') => (1.6, 0.5),
        _ if name.contains('.') => (0.1, 1.5),
        _ if last == '?' => (0.8, 0.6),
        _ => (0.5, 0.7),
    }
}
