//! Sources of values, among the small classes.

use adit_bytecode::Type;
use adit_java::{ApiOptions, Recipe};
use expect_test::{Expect, expect};

use crate::classes::{options, prepared, show, show_argument};

fn check(class: &str, options: &ApiOptions, wanted: &str, expected: Expect) {
    let (_, supply) = prepared(class, options).unwrap();
    let line = |recipe: &Recipe| {
        let calls: String = recipe.statements.iter().map(|statement| show(statement) + "; ").collect();
        format!("{} {calls}{}\n", recipe.weight, show_argument(&recipe.value))
    };
    let said: String = supply.recipes(&Type::parse(wanted).unwrap()).iter().map(line).collect();
    expected.assert_eq(&said);
}

#[test]
fn enums_by_their_constants() {
    check(
        "small.Painter",
        &options(),
        "Lsmall/Color;",
        expect![[r#"
        2 Color.BLUE; #0
        2 Color.GREEN; #0
        2 Color.RED; #0
        1 null
    "#]],
    );
}

#[test]
fn abstract_classes_by_those_below() {
    check(
        "small.Painter",
        &options(),
        "Lsmall/Animal;",
        expect![[r#"
        2 Cat.born(); #0
        2 Color.RED; new Dog(#0); #1
        2 Zoo.visit(0); #0
        2 Zoo.visit(1); #0
        1 null
    "#]],
    );
}

#[test]
fn functional_interfaces_by_functions() {
    check(
        "small.Painter",
        &options(),
        "Lsmall/Action;",
        expect![[r#"
            3 () -> 0
            3 () -> 1
            3 () -> -1
            1 null
        "#]],
    );
}

#[test]
fn arrays_of_numbers_and_of_what_is_made() {
    check(
        "small.Painter",
        &options(),
        "[I",
        expect![[r#"
            2 []
            2 [0]
            2 [1, 2]
            2 [3, -1, 4]
            2 [7, 10, -2147483648]
            1 [0, 1, 2, 3, -1, 4, 7, 10]
            1 [-2147483648, 2147483647, 0, 1, 2, 3, -1, 4, 7, 10, -2147483648, 2147483647, 0, 1, 2, 3, -1, 4, 7, 10, -2147483648, 2147483647, 0, 1, 2, 3, -1, 4, 7, 10, -2147483648, 2147483647, 0, 1, 2, 3, -1, 4, 7, 10]
            1 null
        "#]],
    );
    check(
        "small.Painter",
        &options(),
        "[Lsmall/Color;",
        expect![[r#"
        2 []
        2 Color.BLUE; [#0]
        2 Color.GREEN; Color.RED; [#0, #1]
        2 Color.BLUE; Color.GREEN; Color.RED; [#0, #1, #2]
        2 Color.BLUE; Color.GREEN; Color.RED; [#0, #1, #2]
        1 Color.BLUE; Color.GREEN; Color.RED; Color.BLUE; Color.GREEN; Color.RED; Color.BLUE; Color.GREEN; [#0, #1, #2, #3, #4, #5, #6, #7]
        1 null
    "#]],
    );
}

#[test]
fn few_values_for_any_object_so_that_equal_ones_meet() {
    for wanted in ["Ljava/lang/Object;", "Ljava/lang/Comparable;"] {
        check(
            "small.Painter",
            &options(),
            wanted,
            expect![[r#"
                6 "a"
                6 "b"
                6 "c"
                2 "d"
                2 "e"
                2 "f"
                2 0
                2 1
                2 2
                1 null
            "#]],
        );
    }
}

#[test]
fn narrow_types_and_boxes() {
    check(
        "small.Painter",
        &options(),
        "B",
        expect![[r#"
        8 0
        8 1
        8 2
        5 3
        3 -1
        2 4
        2 7
        2 10
        1 -128
        1 127
    "#]],
    );
    check(
        "small.Painter",
        &options(),
        "F",
        expect![[r#"
        4 0.0
        4 1.0
        2 -1.0
        2 0.5
        2 2.0
        1 100.0
        1 -0.0
        1 NaN
        1 inf
        1 -inf
        1 1.7976931348623157e308
        1 2.2250738585072014e-308
    "#]],
    );
    check(
        "small.Painter",
        &options(),
        "Ljava/lang/Class;",
        expect![[r#"
        3 java.lang.Object.class
        3 java.lang.String.class
        3 java.lang.Integer.class
        1 null
    "#]],
    );
}

#[test]
fn constants_of_the_class_are_tried() {
    check(
        "small.Counter",
        &options(),
        "Ljava/lang/String;",
        expect![[r#"
            4 ""
            6 "a"
            5 "b"
            3 "c"
            2 "abc"
            2 "a b"
            3 "a b c"
            2 "a,b,c"
            2 "a b c d e f"
            1 "1.2-3:4 5,6"
            2 " "
            1 ","
            1 "-"
            1 " \t\n"
            1 "0"
            2 "1"
            1 "42"
            1 "-7"
            1 "1.5"
            1 "Ab-12.c"
            1 "1,a 2,b"
            1 "é😀"
            2 "one\ntwo\nthree\n"
            1 "a,b\n1,2\n"
            1 "3.14"
            1 "true"
            1 "a=b"
            1 "2024-02-29"
            1 "2024-02-29T12:30:00Z"
            1 "http://localhost/a?b=c"
            1 "{\"a\": 1, \"b\": [true, null]}"
            1 "<a b=\"c\"><d>e</d></a>"
            1 "[1, [2.5, \"a\"], null]"
            1 "[{\"a\": \"b\"}, false]"
            1 "{}"
            1 "null"
            1 "<?xml version=\"1.0\"?><a/>"
            1 "a: b\nc = d\n"
            1 "12:30:00"
            1 "1e-3"
            1 "0x1F"
            1 "SELECT 1"
            2 "ten"
            1 null
        "#]],
    );
}

#[test]
fn the_class_itself_as_an_argument() {
    check(
        "small.Counter",
        &options(),
        "Lsmall/Counter;",
        expect![[r#"
            2 new Counter(); #0
            2 Counter.parse("a"); #0
            2 Counter.parse("one\ntwo\nthree\n"); #0
            2 Counter.parse("a b c"); #0
            2 Counter.parse(""); #0
            2 new Counter(0); #0
            2 new Counter(1); #0
            1 null
        "#]],
    );
}

#[test]
fn fixtures_win() {
    let options = ApiOptions { fixtures: vec!["small.Gifts".into()], ..options() };
    check(
        "small.Painter",
        &options,
        "Lsmall/Impossible;",
        expect![[r#"
        4 Gifts.impossible(); #0
    "#]],
    );
    check(
        "small.Counter",
        &options,
        "I",
        expect![[r#"
        47 Gifts.lucky(); #0
        8 0
        8 1
        8 2
        5 3
        3 -1
        2 4
        2 7
        2 10
        1 -2147483648
        1 2147483647
        1 6
        1 8
        1 9
        1 11
        1 41
        1 42
        1 43
    "#]],
    );
}

#[test]
fn what_is_not_needed_is_not_there() {
    check("small.Counter", &options(), "Lsmall/Color;", expect![[r#""#]]);
    check("small.Painter", &options(), "Lsmall/Impossible;", expect![[r#""#]]);
}

#[test]
fn what_is_made_of_its_own_kind_ends_somewhere() {
    check(
        "small.Tree",
        &options(),
        "Lsmall/Tree$Node;",
        expect![[r#"
        2 new Tree$Node([]); #0
        1 null
    "#]],
    );
    check(
        "small.Tree",
        &options(),
        "Lsmall/Tree$Left;",
        expect![[r#"
            2 new Tree$Right("a", []); new Tree$Right("one\ntwo\nthree\n", []); new Tree$Left([[#0, #1], []]); #2
            2 new Tree$Left([]); #0
            2 new Tree$Right("a b c", []); new Tree$Right("", []); new Tree$Right("a", []); new Tree$Right("a", []); new Tree$Right("one\ntwo\nthree\n", []); new Tree$Left([[#0, #1, #2], [], [#3, #4]]); #5
            2 new Tree$Right("", []); new Tree$Right("a", []); new Tree$Right("one\ntwo\nthree\n", []); new Tree$Right("a b c", []); new Tree$Right("", []); new Tree$Right("a", []); new Tree$Left([[#0, #1, #2, #3, #4, #5], [], [], [], [], []]); #6
            1 null
        "#]],
    );
}
