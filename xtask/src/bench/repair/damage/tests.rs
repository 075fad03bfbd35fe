//! What each kind of damage does to a small text, shown as whole texts.

use super::super::doc::Doc;
use super::*;

const TEXT: &str = "(ns a)

(defn f [x]
  (when x
    (log \"m\" {:k [x]})
    (inc x)))

(defn g [y]
  (map #(* % y)
       [1 2]))
";

/// Returns what `label` can do to the first function within some seeds.
fn damages(label: &str) -> Vec<Damage> {
    let doc = Doc::parse(TEXT).unwrap();
    let kind = KINDS.iter().find(|it| it.label == label).unwrap();
    let top = doc.damageable_tops()[0];
    (0..300)
        .filter_map(|seed| (kind.make)(&mut Rng::new(seed, label), &doc, Site { top, region: top }))
        .collect()
}

/// Checks that one of the damages is exactly this one.
#[track_caller]
fn check(label: &str, broken: (&str, &str), expected: (&str, &str)) {
    let (broken_text, expected_text) =
        (TEXT.replacen(broken.0, broken.1, 1), TEXT.replacen(expected.0, expected.1, 1));
    assert_ne!(broken_text, TEXT, "the text to replace is not there");
    let found = damages(label)
        .into_iter()
        .any(|it| it.broken == broken_text && it.expected == expected_text);
    assert!(found, "{label} never gives\n{broken_text}\nfor\n{expected_text}");
}

const SAME: (&str, &str) = ("", "");

#[test]
fn m1_to_m9_leave_the_text_as_the_repair() {
    check("M1", ("(inc x)))", "(inc x))"), SAME);
    check("M2", ("[x]})", "[x])"), SAME);
    check("M3", ("(inc x)))", "(inc x))))"), SAME);
    check("M4", ("[x]})", "[x]}))"), SAME);
    check("M4", ("(when x\n", "(when x)\n"), SAME);
    check("M5", ("[x]})", "[x)})"), SAME);
    check("M6", ("(inc x)))", "(inc x)"), SAME);
    check("M7", ("(inc x)", "inc x)"), SAME);
    check("M8", ("[x]})", "[x}])"), SAME);
    check("M9", ("\"m\"", "\"m"), SAME);
    check("M9", ("\"m\"", "m\""), SAME);
}

#[test]
fn m10_wraps_and_indents() {
    check(
        "M10",
        ("    (inc x)))", "    (when (seq items)\n      (inc x)))"),
        ("    (inc x)))", "    (when (seq items)\n      (inc x))))"),
    );
}

#[test]
fn m11_moves_the_closers_of_the_lost_line_up() {
    check("M11", ("})\n    (inc x)))", "})"), ("})\n    (inc x)))", "})))"));
}

#[test]
fn m12_keeps_the_wrong_indentation() {
    check("M12", ("    (inc x)))", "     (inc x))"), ("    (inc x)))", "     (inc x)))"));
}

#[test]
fn x1_damages_both_forms() {
    let doc = Doc::parse(TEXT).unwrap();
    let both = damages("X1");
    assert!(!both.is_empty());
    for damage in both {
        let second = damage.second.unwrap();
        let (upper, lower) = damage.broken.split_at(second.seam_broken);
        let (wanted_upper, wanted_lower) = doc.text.split_at(second.seam_expected);
        assert_ne!(upper, wanted_upper);
        assert_ne!(lower, wanted_lower);
        assert!(wanted_lower.starts_with("\n(defn g"), "{wanted_lower}");
    }
}

#[test]
fn x2_is_wrong_on_two_lines() {
    for damage in damages("X2") {
        let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
        let (broken, expected) = (lines(&damage.broken), lines(&damage.expected));
        let n_different =
            broken.iter().zip(&expected).filter(|(left, right)| left != right).count();
        assert_eq!((n_different, broken.len()), (2, expected.len()), "{damage:?}");
    }
}

#[test]
fn x3_and_x4_change_line_ends_and_indentation_alone() {
    assert!(damages("X3").iter().all(|it| it.texture == Texture::Crlf));
    assert_eq!(Texture::Crlf.weave("a\nb\n".to_owned()), "a\r\nb\r\n");
    assert_eq!(Texture::Tabs(2).weave("(a\n   b  c\n\n d)".to_owned()), "(a\n\t b  c\n\n d)");
}

#[test]
fn x5_is_at_the_closer_of_reader_syntax() {
    let doc = Doc::parse(TEXT).unwrap();
    let kind = KINDS.iter().find(|it| it.label == "X5").unwrap();
    let top = doc.damageable_tops()[1];
    let broken: Vec<String> = (0..300)
        .filter_map(|seed| (kind.make)(&mut Rng::new(seed, ""), &doc, Site { top, region: top }))
        .map(|it| it.broken)
        .collect();
    assert!(broken.contains(&TEXT.replace("#(* % y)", "#(* % y")), "{broken:?}");
    assert!(broken.iter().all(|it| it.starts_with(&TEXT[..TEXT.find("#(").unwrap()])));
}

#[test]
fn x6_edits_within_a_line() {
    check("X6", ("(inc x)", "(inc (not x)"), ("(inc x)", "(inc (not x))"));
    for damage in damages("X6") {
        let edit = damage.edit.unwrap();
        assert!(damage.broken[edit.new].starts_with('('));
    }
}

#[test]
fn x7_keeps_the_closer_of_what_it_unwraps() {
    check(
        "X7",
        ("(when x\n    (log \"m\" {:k [x]})\n    (inc x)))", "(log \"m\" {:k [x]})\n  (inc x)))"),
        ("(when x\n    (log \"m\" {:k [x]})\n    (inc x)))", "(log \"m\" {:k [x]})\n  (inc x))"),
    );
}

#[test]
fn x8_moves_a_whole_form() {
    let form = "  (when x\n    (log \"m\" {:k [x]})\n    (inc x)))";
    check(
        "X8",
        (form, "    (when x\n      (log \"m\" {:k [x]})\n      (inc x))"),
        (form, "    (when x\n      (log \"m\" {:k [x]})\n      (inc x)))"),
    );
}

#[test]
fn x9_hides_closers_in_a_comment() {
    check("X9", ("(inc x)))", "(inc x) ; FIXME))"), ("(inc x)))", "(inc x))) ; FIXME))"));
}

#[test]
fn x10_closes_what_was_open_at_the_cut() {
    check("X10", ("})\n    (inc x)))", "})"), ("})\n    (inc x)))", "})))"));
    let cut = damages("X10").into_iter().find(|it| it.variant == "file").unwrap();
    assert!(!cut.broken.contains("defn g"), "{}", cut.broken);
}
