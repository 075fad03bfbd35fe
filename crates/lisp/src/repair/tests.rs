//! What a repair answers, by example: broken text in, mended text or doubt out.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an expectation reads best as a literal at the call"
)]

use expect_test::{Expect, expect};

use crate::dialect::Dialect;
use crate::repair::{Outcome, Request, repair};

fn render(outcome: Outcome) -> String {
    match outcome {
        Outcome::Balanced => "balanced".to_owned(),
        Outcome::Repaired(repaired) => {
            let edits: Vec<String> = repaired.edits.iter().map(|it| format!(";; {it}\n")).collect();
            format!("{}{}", edits.concat(), repaired.text)
        }
        Outcome::Unsure(unsure) => {
            let candidates: Vec<String> =
                unsure.candidates.iter().map(|it| format!("\n;; - {it}")).collect();
            format!("unsure: {}: {}{}", unsure.problem, unsure.why, candidates.concat())
        }
    }
}

fn mended(broken: &str, before: Option<&str>) -> String {
    render(repair(&Request { broken, before, spans: None, dialect: &Dialect::CLOJURE }))
}

#[track_caller]
fn check(broken: &str, expect: Expect) {
    expect.assert_eq(&mended(broken, None));
}

#[track_caller]
fn check_edit(before: &str, broken: &str, expect: Expect) {
    expect.assert_eq(&mended(broken, Some(before)));
}

#[test]
fn balanced_text_is_left_alone() {
    check("(defn f [x]\n x)", expect!["balanced"]);
    check("", expect!["balanced"]);
}

#[test]
fn a_form_in_column_0_ends_the_one_before() {
    check(
        "(defn sign [x]\n  (cond (pos? x) :pos\n  (neg? x) :neg\n  :else :zero))\n\n(defn add-tax [price]\n  (* price 1.2)\n",
        expect![[r#"
            ;; line 7: added `)` after `(* price 1.2)`
            (defn sign [x]
              (cond (pos? x) :pos
              (neg? x) :neg
              :else :zero))

            (defn add-tax [price]
              (* price 1.2))
        "#]],
    );
    check(
        "(defn total [xs]\n  (reduce + 0 (map :price xs))\n\n(defn tax [xs]\n  (* 0.2 (total xs)))\n",
        expect![[r#"
            ;; line 2: added `)` after `…uce + 0 (map :price xs))`
            (defn total [xs]
              (reduce + 0 (map :price xs)))

            (defn tax [xs]
              (* 0.2 (total xs)))
        "#]],
    );
}

#[test]
fn a_reader_conditional_may_hold_forms_in_column_0() {
    check(
        "#?(:clj\n(defn now [] (System/currentTimeMillis))\n:cljs\n(defn now [] (.now js/Date)))\n\n(defn later [x]\n  (+ (now) x)\n",
        expect![[r#"
            ;; line 7: added `)` after `(+ (now) x)`
            #?(:clj
            (defn now [] (System/currentTimeMillis))
            :cljs
            (defn now [] (.now js/Date)))

            (defn later [x]
              (+ (now) x))
        "#]],
    );
}

#[test]
fn sloppy_indentation_does_not_cut_bindings() {
    check(
        "(defn save [db user]\n  (let [id (:id user)\n       tx {:user/id id\n          :user/name (:name user)}]\n    (transact! db tx))\n",
        expect![[r#"
            ;; line 5: added `)` after `(transact! db tx))`
            (defn save [db user]
              (let [id (:id user)
                   tx {:user/id id
                      :user/name (:name user)}]
                (transact! db tx)))
        "#]],
    );
}

#[test]
fn a_let_vector_ends_before_its_body() {
    check(
        "(defn f [m]\n  (let [a (:a m)\n        b (:b m)\n    (+ a b)))\n",
        expect![[r#"
        ;; line 3: added `]` after `b (:b m)`
        (defn f [m]
          (let [a (:a m)
                b (:b m)]
            (+ a b)))
    "#]],
    );
}

#[test]
fn a_closer_too_many_does_not_cut_a_map() {
    check(
        "(def config\n  {:host \"localhost\")\n   :port 8080\n   :tls {:cert \"a\"}})\n",
        expect![[r#"
            ;; line 2: removed `)` after `{:host "localhost"`
            (def config
              {:host "localhost"
               :port 8080
               :tls {:cert "a"}})
        "#]],
    );
}

#[test]
fn a_wrong_or_swapped_closer_is_retyped() {
    check(
        "(defn f [x)\n  (inc x))\n",
        expect![[r#"
        ;; line 1: replaced `)` by `]` after `(defn f [x`
        (defn f [x]
          (inc x))
    "#]],
    );
    check(
        "(defn f [x]\n  (let [y (inc x])\n    y))\n",
        expect![[r#"
        ;; line 2: replaced `])` by `)]` after `(let [y (inc x`
        (defn f [x]
          (let [y (inc x)]
            y))
    "#]],
    );
}

#[test]
fn several_lost_closers_come_back() {
    check(
        "(defn f [x]\n  (when x\n    (let [y [x]]\n      (g y\n",
        expect![[r#"
        ;; line 4: added `))))` after `(g y`
        (defn f [x]
          (when x
            (let [y [x]]
              (g y))))
    "#]],
    );
}

#[test]
fn the_text_before_tells_an_opener_from_a_closer() {
    let before = "(defn f [x y]\n  (foo (bar x) y))\n";
    check_edit(
        before,
        "(defn f [x yy]\n  (foo bar x) yy))\n",
        expect![[r#"
        ;; line 2: added `(` after `(foo `
        (defn f [x yy]
          (foo (bar x) yy))
    "#]],
    );
    check_edit(
        before,
        "(defn f [x yy]\n  (foo (bar x) yy)))\n",
        expect![[r#"
        ;; line 2: removed `)` after `(foo (bar x) yy))`
        (defn f [x yy]
          (foo (bar x) yy))
    "#]],
    );
    check(
        "(defn f [x yy]\n  (foo bar x) yy))\n",
        expect![[r#"
            unsure: unexpected `)`, nothing is open: several repairs fit about equally well
            ;; - line 2: removed `)` after `(foo bar x) yy)`
            ;; - line 2: added `(` after `(`
            ;; - line 2: removed `)` after `(foo bar x`"#]],
    );
}

#[test]
fn an_opener_lost_with_its_mark_is_not_guessed() {
    check_edit(
        "(map #(inc %) xs)\n",
        "(map inc %) ys)\n",
        expect![[r#"
        unsure: unexpected `)`, nothing is open: the edit lost an opening bracket together with the mark before it
        ;; - line 1: added `(` after `(map `
        ;; - line 1: added `(` after `(`
        ;; - line 1: removed `)` after `(map inc %) ys`"#]],
    );
}

#[test]
fn a_quote_comes_back_where_it_stood() {
    let before = "(defn greet [name]\n  (str \"Hello, \" name \"!\"))\n";
    check_edit(
        before,
        "(defn greet [user]\n  (str \"Hello,  user \"!\"))\n",
        expect![[r#"
        ;; line 2: added `"` after `(str "Hello, `
        (defn greet [user]
          (str "Hello, " user "!"))
    "#]],
    );
    check_edit(
        before,
        "(defn greet [name]\n  (str Hello, \" name \"!\"))\n",
        expect![[r#"
        ;; line 2: added `"` after `(str `
        (defn greet [name]
          (str "Hello, " name "!"))
    "#]],
    );
    check(
        "(str \"a b c)\n",
        expect![[r#"
        ;; line 1: added `"` after `(str "a b c`
        (str "a b c")
    "#]],
    );
}

#[test]
fn only_what_was_written_is_changed() {
    let broken = "(defn f [x]\n  (inc x)\n\n(defn g [x]\n  (dec x))\n";
    let ask = |span: std::ops::Range<usize>| {
        render(repair(&Request {
            broken,
            before: None,
            spans: Some(std::slice::from_ref(&span)),
            dialect: &Dialect::CLOJURE,
        }))
    };
    let second = broken.find("(defn g").unwrap();
    expect!["unsure: `(` is never closed, expected `)`: no change of delimiters in the edited text makes it balanced"].assert_eq(&ask(second..broken.len()));
    expect![[r#"
        ;; line 2: added `)` after `(inc x)`
        (defn f [x]
          (inc x))

        (defn g [x]
          (dec x))
    "#]]
    .assert_eq(&ask(0..second));
}

#[test]
fn line_ends_tabs_and_marks_are_kept() {
    let broken = "\u{feff}(defn f [x]\r\n\t(inc x)\r\n";
    let expected = ";; line 2: added `)` after `(inc x)`\n\u{feff}(defn f [x]\r\n\t(inc x))\r\n";
    assert_eq!(mended(broken, None), expected);
}

#[test]
fn a_dangling_closer_attracts_the_lost_one() {
    check(
        "(defn f [x]\n  (when x\n    (inc x)\n  )\n\n(def y 1)\n",
        expect![[r#"
        ;; line 4: added `)` after `)`
        (defn f [x]
          (when x
            (inc x)
          ))

        (def y 1)
    "#]],
    );
    check(
        "(comment\n  (foo)\n  \n",
        expect![[r#"
        ;; line 3: added `)` at the start of the line
        (comment
          (foo)
          )
    "#]],
    );
}

#[test]
fn other_dialects_are_mended_by_indentation() {
    let ask =
        |broken, dialect| render(repair(&Request { broken, before: None, spans: None, dialect }));
    expect![[r#"
        ;; line 3: added `)` after `(message "(" ?\())`
        (defun f (x)
          (when x
            (message "(" ?\()))

        (defun g ())
    "#]]
    .assert_eq(&ask(
        "(defun f (x)\n  (when x\n    (message \"(\" ?\\())\n\n(defun g ())\n",
        &Dialect::EMACS_LISP,
    ));
    expect![[r#"
        ;; line 3: added `)` after `(list x #\)))`
        (defun f (x)
          (when x
            (list x #\))))

        (defun g ())
    "#]]
    .assert_eq(&ask(
        "(defun f (x)\n  (when x\n    (list x #\\)))\n\n(defun g ())\n",
        &Dialect::COMMON_LISP,
    ));
    expect![[r#"
        ;; line 3: added `)` after `(+ x y))`
        (define (f x)
          (let ((y 1))
            (+ x y)))

        (define z 1)
    "#]]
    .assert_eq(&ask(
        "(define (f x)\n  (let ((y 1))\n    (+ x y))\n\n(define z 1)\n",
        &Dialect::SCHEME,
    ));
    expect![[r#"
        ;; line 3: added `)` after `(+ x y))`
        (define (f x)
          (let ([y 1])
            (+ x y)))

        (define z 1)
    "#]]
    .assert_eq(&ask(
        "(define (f x)\n  (let ([y 1])\n    (+ x y))\n\n(define z 1)\n",
        &Dialect::RACKET,
    ));
    expect![[r#"
        ;; line 3: added `)` after `(+ x y))`
        (fn f [x]
          (let [y 1]
            (+ x y)))

        (local z 1)
    "#]]
    .assert_eq(&ask("(fn f [x]\n  (let [y 1]\n    (+ x y))\n\n(local z 1)\n", &Dialect::FENNEL));
    expect![[r#"
        ;; line 3: added `)` after `(+ x y))`
        (defn f [x]
          (let [y 1]
            (+ x y))) # )

        (def z 1)
    "#]]
    .assert_eq(&ask("(defn f [x]\n  (let [y 1]\n    (+ x y)) # )\n\n(def z 1)\n", &Dialect::JANET));
    expect![[r#"
        ;; line 3: added `)` after `(print x))`
        (defn f [x]
          (when x
            (print x)))

        (setv z 1)
    "#]]
    .assert_eq(&ask("(defn f [x]\n  (when x\n    (print x))\n\n(setv z 1)\n", &Dialect::HY));
}

#[test]
fn a_form_that_was_taken_off_takes_its_closer_along() {
    check_edit(
        "(defn f [x]\n  (when x\n    (if (pos? x)\n      1\n      2)))\n",
        "(defn f [x]\n  (if (pos? x)\n    1\n    2)))\n",
        expect![[r#"
            ;; line 4: removed `)` after `2)`
            (defn f [x]
              (if (pos? x)
                1
                2))
        "#]],
    );
}

#[test]
fn a_form_that_is_only_begun_is_not_closed_for_good() {
    let before = "(defn f [x]\n  (println x)\n  (inc x))\n";
    check_edit(
        before,
        "(defn f [x]\n  (let [y 2]\n  (println x)\n  (inc x))\n",
        expect![[r#"
            unsure: `(` is never closed, expected `)`: a form is opened that cannot be complete where the edited text ends; its end seems to lie elsewhere
            ;; - line 2: added `)` after `(let [y 2]`"#]],
    );
    check_edit(
        before,
        "(defn f [x]\n  (when x\n  (println x)\n  (inc x))\n",
        expect![[r#"
            unsure: `(` is never closed, expected `)`: a form is opened that cannot be complete where the edited text ends; its end seems to lie elsewhere
            ;; - line 2: added `)` after `(when x`"#]],
    );
}

#[test]
fn a_quote_that_has_no_place_is_not_invented() {
    for broken in ["(def foo \"as", "(ns a)\n\n(def foo \"as\n\n(def b 1)\n", "\"\"foo\""] {
        let answer = mended(broken, None);
        assert!(answer.starts_with("unsure"), "{broken}: {answer}");
    }
}
