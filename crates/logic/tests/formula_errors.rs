//! Wrong formulas, and the whole report that a user sees for each.

use adit_logic::Formula;
use expect_test::{Expect, expect};

/// The whole report that a user sees.
fn check_error(input: &str, expected: Expect) {
    let error = Formula::parse(input).expect_err("the formula is wrong");
    let mut out = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none())
        .with_width(100)
        .render_report(&mut out, &error)
        .expect("writing to a string does not fail");
    expected.assert_eq(&out);
}

#[test]
fn glued_operators_are_explained() {
    check_error(
        "Gf(a)",
        expect![[r#"
        logic::formula

          x an operator is missing between `Gf` and `(` (column 3)
           ,----
         1 | Gf(a)
           :   |
           :   `-- an operator is expected before this
           `----
          help: operators stand alone: write `G F` for `Gf`
    "#]],
    );
    check_error(
        "open -> GF close",
        expect![[r#"
        logic::formula

          x an operator is missing between `GF` and `close` (column 12)
           ,----
         1 | open -> GF close
           :            ^^|^^
           :              `-- an operator is expected before this
           `----
          help: operators stand alone: write `G F` for `GF`
    "#]],
    );
    check_error(
        "g(a)",
        expect![[r#"
        logic::formula

          x an operator is missing between `g` and `(` (column 2)
           ,----
         1 | g(a)
           :  |
           :  `-- an operator is expected before this
           `----
          help: `g` is written `G`
    "#]],
    );
}

#[test]
fn unknown_operators_are_explained() {
    check_error(
        "a and b",
        expect![[r#"
        logic::formula

          x an operator is missing between `a` and `and` (column 3)
           ,----
         1 | a and b
           :   ^|^
           :    `-- an operator is expected before this
           `----
          help: `and` is written `&`
    "#]],
    );
    check_error(
        "not a",
        expect![[r#"
        logic::formula

          x an operator is missing between `not` and `a` (column 5)
           ,----
         1 | not a
           :     |
           :     `-- an operator is expected before this
           `----
          help: `not` is written `!`
    "#]],
    );
    check_error(
        "a == b",
        expect![[r#"
        logic::formula

          x `=` is not an operator (column 3)
           ,----
         1 | a == b
           :   |
           :   `-- not understood
           `----
          help: equivalence is written `<->`, implication `->`
    "#]],
    );
    check_error(
        "G(turn-on -> F off)",
        expect![[r#"
        logic::formula

          x `-` is not an operator (column 7)
           ,----
         1 | G(turn-on -> F off)
           :       |
           :       `-- not understood
           `----
          help: a label with such a character is written in quotes: "turn-on"
    "#]],
    );
    check_error(
        "a ∈ b",
        expect![[r#"
        logic::formula

          x `∈` is not an operator (column 3)
           ,----
         1 | a ∈ b
           :   |
           :   `-- not understood
           `----
          help: a label with such a character is written in quotes
    "#]],
    );
    check_error(
        "[x] a",
        expect![[r#"
        logic::formula

          x `[` is not an operator (column 1)
           ,----
         1 | [x] a
           : |
           : `-- not understood
           `----
          help: `[]` is `G`, `[end]` the end of the word, `X[!]` and `X[?]` the strong and weak next
    "#]],
    );
    check_error(
        "a < b",
        expect![[r#"
        logic::formula

          x `<` is not an operator (column 3)
           ,----
         1 | a < b
           :   |
           :   `-- not understood
           `----
          help: `<>` is `F`, `<->` equivalence; other labels with `<` are written in quotes
    "#]],
    );
}

#[test]
fn unbalanced_parentheses_are_shown() {
    check_error(
        "G(a -> F(b)",
        expect![[r#"
        logic::formula

          x this parenthesis is never closed (column 2)
           ,----
         1 | G(a -> F(b)
           :  |
           :  `-- opened here
           `----
          help: add a `)` where the part it opens ends
    "#]],
    );
    check_error(
        "G(a -> b))",
        expect![[r#"
        logic::formula

          x this `)` closes nothing (column 10)
           ,----
         1 | G(a -> b))
           :          |
           :          `-- nothing to close
           `----
          help: remove it, or add the `(` that it should close
    "#]],
    );
    check_error(
        "G( )",
        expect![[r#"
        logic::formula

          x `)` cannot follow `(`: a label, `(` or an operator such as `G` is expected (column 4)
           ,----
         1 | G( )
           :    |
           :    `-- a formula should begin here
           `----
          help: put a formula before the `)`, or remove the parentheses
    "#]],
    );
    check_error(
        "read(int) -> a",
        expect![[r#"
        logic::formula

          x an operator is missing between `read` and `(` (column 5)
           ,----
         1 | read(int) -> a
           :     |
           :     `-- an operator is expected before this
           `----
          help: if `read(int)` is a label, write it in quotes: "read(int)"
    "#]],
    );
}

#[test]
fn missing_operands_are_shown() {
    check_error(
        "",
        expect![[r#"
        logic::formula

          x the formula is empty (column 1)
           ,----
           `----
          help: write one such as `G(open -> F close)`
    "#]],
    );
    check_error(
        "a ->",
        expect![[r#"
        logic::formula

          x the formula ends after `->`, where a label or `(` is expected (column 3)
           ,----
         1 | a ->
           :   ^|
           :    `-- something is missing after this
           `----
          help: `->` needs a formula after it
    "#]],
    );
    check_error(
        "& a",
        expect![[r#"
        logic::formula

          x a formula cannot begin with `&`: a label, `(` or an operator such as `G` is expected (column
          | 1)
           ,----
         1 | & a
           : |
           : `-- a formula should begin here
           `----
          help: `&` needs a formula on both sides
    "#]],
    );
    check_error(
        "G(U -> a)",
        expect![[r#"
        logic::formula

          x `U` cannot follow `(`: a label, `(` or an operator such as `G` is expected (column 3)
           ,----
         1 | G(U -> a)
           :   |
           :   `-- a formula should begin here
           `----
          help: `U` needs a formula on both sides; a label called `U` is written "U" in quotes
    "#]],
    );
    check_error(
        "F G",
        expect![[r#"
        logic::formula

          x the formula ends after `G`, where a label or `(` is expected (column 3)
           ,----
         1 | F G
           :   |
           :   `-- something is missing after this
           `----
          help: `G` needs a formula after it; a label called `G` is written "G" in quotes
    "#]],
    );
    check_error(
        "a b",
        expect![[r#"
        logic::formula

          x an operator is missing between `a` and `b` (column 3)
           ,----
         1 | a b
           :   |
           :   `-- an operator is expected before this
           `----
          help: put `&`, `|`, `->`, `<->`, `U`, `W`, `R` or `M` between them
    "#]],
    );
    check_error(
        "\"a & b",
        expect![[r#"
        logic::formula

          x this quote is never closed (column 1)
           ,----
         1 | "a & b
           : |
           : `-- opened here
           `----
          help: add a " where the label ends
    "#]],
    );
}
