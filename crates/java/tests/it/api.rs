//! The callable members of a class, and the messages when there are none.

use adit_bytecode::overloads::Overloads;
use adit_java::{Api, ApiOptions, Operation, RecordedNames};
use expect_test::{Expect, expect};
use miette::Diagnostic;

use crate::classes::{options, prepared};

fn check(class: &str, options: &ApiOptions, expected: Expect) {
    let said = match prepared(class, options) {
        Ok((api, _)) => {
            let list = |title: &str, all: &[Operation]| -> String {
                let line = |operation: &Operation| {
                    let callable = &operation.callable;
                    format!("{title} {}.{}{}\n", callable.owner, callable.name, callable.signature)
                };
                all.iter().map(line).collect()
            };
            let left = api.skipped.iter().map(|(callable, why)| format!("left {}: {why}\n", callable.name));
            list("start", &api.starts) + &list("method", &api.methods) + &left.collect::<String>()
        }
        Err(error) => {
            let help = error.help().map(|help| format!("help: {help}\n"));
            format!("{error}\n{}", help.unwrap_or_default())
        }
    };
    expected.assert_eq(&said);
}

#[test]
fn a_plain_class() {
    check(
        "small.Counter",
        &options(),
        expect![[r#"
        start small.Counter.Counter()V
        start small.Counter.Counter(I)V
        start small.Counter.parse(Ljava/lang/String;)Lsmall/Counter;
        method small.Counter.add(I)V
        method small.Counter.add(J)V
        method small.Counter.merge(Lsmall/Counter;)V
        method small.Counter.get()I
        method small.Counter.compareTo(Lsmall/Counter;)I
    "#]],
    );
}

#[test]
fn objects_that_come_under_the_name_of_an_interface() {
    check(
        "small.Frozen",
        &options(),
        expect![[r#"
        start small.Frozen.of(Ljava/lang/String;)Lsmall/Solid;
        start small.Frozen.nothing()Lsmall/Solid;
        method small.Frozen.text()Ljava/lang/String;
    "#]],
    );
}

#[test]
fn members_that_are_not_public_and_those_of_object_when_asked() {
    let options = ApiOptions { non_public: true, object_methods: true, ..options() };
    check(
        "small.Counter",
        &options,
        expect![[r#"
        start small.Counter.Counter()V
        start small.Counter.Counter(I)V
        start small.Counter.Counter(J)V
        start small.Counter.parse(Ljava/lang/String;)Lsmall/Counter;
        method small.Counter.add(I)V
        method small.Counter.add(J)V
        method small.Counter.merge(Lsmall/Counter;)V
        method small.Counter.get()I
        method small.Counter.compareTo(Lsmall/Counter;)I
        method small.Counter.equals(Ljava/lang/Object;)Z
        method small.Counter.hashCode()I
        method small.Counter.reset()V
        method small.Counter.quiet()V
    "#]],
    );
}

#[test]
fn bridges_and_what_they_override_are_not_listed_twice() {
    check(
        "small.Crate",
        &options(),
        expect![[r#"
        start small.Crate.Crate()V
        method small.Crate.put(Ljava/lang/String;)V
        method small.Crate.take()Ljava/lang/String;
        method small.Crate.isFull()Z
    "#]],
    );
}

#[test]
fn an_abstract_class_is_made_by_others() {
    check(
        "small.Animal",
        &options(),
        expect![[r#"
        start small.Dog.Dog(Lsmall/Color;)V
        start small.Cat.born()Lsmall/Cat;
        start small.Zoo.visit(I)Lsmall/Animal;
        method small.Animal.name()Ljava/lang/String;
    "#]],
    );
}

#[test]
fn an_interface_is_made_by_its_implementations() {
    check(
        "small.Holder",
        &options(),
        expect![[r#"
        start small.Crate.Crate()V
        method small.Holder.put(Ljava/lang/Object;)V
        method small.Holder.take()Ljava/lang/Object;
        method small.Holder.isFull()Z
    "#]],
    );
}

#[test]
fn what_only_another_object_gives_is_taken_from_it() {
    check(
        "small.Zoo.Ticket",
        &options(),
        expect![[r#"
        start small.Zoo.sell(I)Lsmall/Zoo$Ticket;
        method small.Zoo$Ticket.use()Z
    "#]],
    );
}

#[test]
fn what_has_no_value_for_a_parameter_is_left_and_said() {
    check(
        "small.Painter",
        &options(),
        expect![[r#"
        start small.Painter.Painter(Lsmall/Animal;)V
        method small.Painter.paint(Lsmall/Color;)V
        method small.Painter.each(Lsmall/Action;)V
        method small.Painter.all([I[Lsmall/Color;)V
        method small.Painter.mix(Ljava/lang/Object;Ljava/lang/Comparable;Ljava/lang/CharSequence;)Ljava/lang/Object;
        method small.Painter.limits(BCFLjava/lang/Long;Ljava/lang/Class;)V
        left never: adit found no way to construct a small.Impossible
        left nowhere: adit found no way to construct a small.Nowhere
    "#]],
    );
}

#[test]
fn fixtures_give_what_nothing_else_does() {
    let options = ApiOptions { fixtures: vec!["small.Gifts".into()], ..options() };
    check(
        "small.Closed",
        &options,
        expect![[r#"
        start small.Gifts.closed()Lsmall/Closed;
        method small.Closed.run()V
    "#]],
    );
}

#[test]
fn the_only_object_is_in_a_field() {
    check(
        "small.Beacon",
        &options(),
        expect![[r#"
        start small.Beacon.INSTANCELsmall/Beacon;
        method small.Beacon.light()V
    "#]],
    );
}

#[test]
fn only_some_methods() {
    let only = Some(["add".to_owned(), "get".to_owned()].into());
    let options = ApiOptions { only, without: ["get".to_owned()].into(), ..options() };
    check(
        "small.Counter",
        &options,
        expect![[r#"
        start small.Counter.Counter()V
        start small.Counter.Counter(I)V
        start small.Counter.parse(Ljava/lang/String;)Lsmall/Counter;
        method small.Counter.add(I)V
        method small.Counter.add(J)V
    "#]],
    );
}

#[test]
fn a_class_that_only_its_package_may_use() {
    check(
        "small.Inside",
        &options(),
        expect![[r#"
        small.Inside is not public
        help: add `--non-public` to use non-public classes and members
    "#]],
    );
    check(
        "small.Inside",
        &ApiOptions { non_public: true, ..options() },
        expect![[r#"
        start small.Inside.Inside([C)V
        method small.Inside.hasMore()Z
    "#]],
    );
}

#[test]
fn what_cannot_be_driven() {
    check(
        "small.Countr",
        &options(),
        expect![[r#"
        no class small.Countr on the class path (small)
        help: did you mean `small.Counter`?
    "#]],
    );
    check(
        "small.Color",
        &options(),
        expect![[r#"
        small.Color is an enum: its objects exist before the first call, so there is no order of calls to mine
        help: name a class that uses small.Color; adit passes its constants as arguments
    "#]],
    );
    check(
        "small.Mark",
        &options(),
        expect![[r#"
        small.Mark is an annotation, which has no objects to call
        help: name an ordinary class
    "#]],
    );
    check(
        "small.Counter[]",
        &options(),
        expect![[r#"
        small.Counter[] is an array, which has no methods of its own
        help: name the class of its elements, or a class that works on such arrays
    "#]],
    );
    check(
        "small.Closed",
        &options(),
        expect![[r#"
        adit cannot construct an object of small.Closed: it has no public constructor and no such static method that returns it; it has no subclasses; no method elsewhere returns it
        help: write a Java class with a method `public static small.Closed make() { … }` and pass its file with `--fixtures FILE.java`; or add `--non-public` to use non-public constructors
    "#]],
    );
    check(
        "small.Impossible",
        &options(),
        expect![[r#"
        adit cannot construct an object of small.Impossible: it is an interface; it has no subclasses; no method elsewhere returns it
        help: write a Java class with a method `public static small.Impossible make() { … }` and pass its file with `--fixtures FILE.java`
    "#]],
    );
    let only = Some(["ad".to_owned()].into());
    check(
        "small.Counter",
        &ApiOptions { only, ..options() },
        expect![[r#"
        small.Counter has no callable method `ad`
        help: it has add, get, merge, compareTo
    "#]],
    );
    let fixtures = vec!["small.Gift".to_owned()];
    check(
        "small.Counter",
        &ApiOptions { fixtures, ..options() },
        expect![[r#"
        no class small.Gift on the class path (small)
        help: did you mean `small.Gifts`?
    "#]],
    );
}

fn counter(only: Option<&str>, overloads: Overloads) -> Api {
    let only = only.map(|name| [name.to_owned()].into());
    prepared("small.Counter", &ApiOptions { only, overloads, ..options() }).unwrap().0
}

#[test]
fn overloads_that_are_called_have_their_types_in_labels() {
    let names = |api: &Api| -> Vec<String> {
        let all = api.starts.iter().chain(&api.methods);
        all.map(|operation| api.names.of(&operation.callable).to_owned()).collect()
    };
    let starts = ["Counter", "Counter", "parse"];
    assert_eq!(
        names(&counter(None, Overloads::Apart)),
        [&starts[..], &["add(int)", "add(long)", "merge", "get", "compareTo"]].concat()
    );
    assert_eq!(
        names(&counter(None, Overloads::Merged)),
        [&starts[..], &["add", "add", "merge", "get", "compareTo"]].concat()
    );
    assert_eq!(
        names(&counter(Some("add(int)"), Overloads::Apart)),
        [&starts[..], &["add"]].concat(),
        "the other is not called"
    );
}

#[test]
fn recorded_calls_have_the_names_of_those_that_are_made() {
    let names = |api: &Api| {
        let recorded = ["Counter", "add(int)", "add(long)", "get()", "equals(java.lang.Object)"];
        recorded.map(|signature| RecordedNames::of(api).name(signature))
    };
    assert_eq!(
        names(&counter(None, Overloads::Apart)),
        ["Counter", "add(int)", "add(long)", "get", "equals"]
    );
    assert_eq!(names(&counter(None, Overloads::Merged)), ["Counter", "add", "add", "get", "equals"]);
    // An overload that is not called must not read like the one that is.
    assert_eq!(
        names(&counter(Some("add(int)"), Overloads::Apart)),
        ["Counter", "add", "add(long)", "get", "equals"]
    );
}
