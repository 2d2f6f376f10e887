//! Effects of small methods, as a compiler produces them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use adit_bytecode::calls::call_graph;
use adit_bytecode::effects::{Analysis, Doubt, Effects, Holder, Limits, Place, What};
use adit_bytecode::{Class, ClassPath, MethodId, Program};
use expect_test::expect;

use crate::jdk::Jdk;

const LIMITS: Limits = Limits { methods: 2_000, targets: 16 };

/// The classes of `tests/java/Effects.java`, compiled once for all tests, in front of the JDK's own.
static PATH: LazyLock<Option<ClassPath>> = LazyLock::new(|| Some(Jdk::find()?.class_path_of("Effects.java")));

/// The world is the source's classes and the best-known packages of the JDK, so that calls into them are
/// followed.
fn with_program(check: impl FnOnce(&Program<'_>, &Class)) {
    let Some(path) = &*PATH else { return };
    let names = path.names();
    let ours = |name: &&String| {
        !name.contains('/') || name.starts_with("java/lang/") || name.starts_with("java/util/")
    };
    let program = Program::new(path, names.iter().filter(ours).map(String::as_str));
    assert!(program.unreadable.is_empty());
    check(&program, &path.class("Effects").unwrap());
}

/// A sentence about the writes of a method.
fn writes(effects: &Effects) -> String {
    fn list<T: ToString>(items: &BTreeSet<T>) -> String {
        items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
    }
    if !effects.writes.is_empty() {
        format!("may write {}", list(&effects.writes))
    } else if !effects.doubts.is_empty() {
        format!("unknown: {}", list(&effects.doubts))
    } else {
        "pure".to_owned()
    }
}

#[test]
fn writes_of_small_methods() {
    with_program(|program, class| {
        let mut analysis = Analysis::new(program, BTreeSet::new(), LIMITS);
        let mut said = String::new();
        for method in class.methods.iter().filter(|method| !method.name.contains(['<', '$'])) {
            let id = MethodId::new(&class.name, &method.name, &method.descriptor);
            said += &format!("{}: {}\n", method.name, writes(&analysis.effects(&id).unwrap()));
        }
        // The number of classes that implement a method depends on the JDK.
        let said: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
        expect![[r#"
            get: pure
            set: may write this Effects.count
            poke: may write inside []
            pokeHead: may write inside Effects$Node.value
            pokeOther: may write argument Effects.count
            bump: may write static Effects.total
            setThroughCall: may write this Effects.count
            setOther: may write argument Effects.count
            fresh: pure
            copy: pure
            sumOfCopy: pure
            wrap: pure
            wrapAndPoke: may write inside Effects$Node.value
            escapeAndPoke: may write this Effects.head, inside Effects$Node.next, argument Effects$Node.value
            shape: may write argument Effects$Counting.asked
            sides: pure
            lambda: unknown: calls java.util.function.IntSupplier.getAsInt, which may be a lambda
            makeLambda: pure
            loop: pure
            text: pure
            wide: pure
            caught: unknown: calls java.lang.Object.hashCode, which  classes implement
            recursive: pure
            other: pure
            locked: pure
            nothingKnown: unknown: reaches Effects.nothingKnown()I, which is native
            isKnown: unknown: reaches Effects.isKnown()Z, which is native
            annotated: may write static Effects.total
        "#]]
        .assert_eq(&said);
    });
}

#[test]
fn reads_are_told_apart_by_whose_they_are() {
    with_program(|program, class| {
        let mut analysis = Analysis::new(program, BTreeSet::new(), LIMITS);
        let mut said = String::new();
        for name in ["get", "loop", "pokeHead", "setOther", "shape", "bump", "sumOfCopy", "recursive"] {
            let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
            let id = MethodId::new(&class.name, name, &method.descriptor);
            let reads: Vec<String> =
                analysis.effects(&id).unwrap().reads.iter().map(ToString::to_string).collect();
            said += &format!("{name}: {}\n", reads.join(", "));
        }
        expect![[r#"
            get: this Effects.count
            loop: this Effects.slots, inside []
            pokeHead: this Effects.head
            setOther: 
            shape: argument Effects$Counting.asked, argument Effects$Square.side
            bump: static Effects.total
            sumOfCopy: this Effects.slots, inside [], inside *
            recursive: 
        "#]]
        .assert_eq(&said);
    });
}

/// A method assumed to be pure is pure wherever it is called, and so is whatever overrides it.
#[test]
fn assumptions_lift_doubts() {
    with_program(|program, class| {
        let caught = MethodId::new(&class.name, "caught", "(Ljava/lang/Object;)I");
        let shape = MethodId::new(&class.name, "shape", "(LEffects$Shape;)I");
        let assumed = [
            MethodId::new("java/lang/Object", "hashCode", "()I"),
            MethodId::new("Effects$Shape", "area", "()I"),
        ];
        let mut trusting = Analysis::new(program, assumed.into(), LIMITS);
        for method in [&caught, &shape] {
            let effects = trusting.effects(method).unwrap();
            assert!(effects.writes.is_empty() && effects.doubts.is_empty(), "{effects:?}");
        }
    });
}

/// A limit that is reached is a doubt, never an answer.
#[test]
fn limits_leave_doubts() {
    with_program(|program, class| {
        let mut analysis = Analysis::new(program, BTreeSet::new(), Limits { methods: 1, targets: 16 });
        let id = MethodId::new(&class.name, "setThroughCall", "(I)V");
        assert_eq!(analysis.effects(&id).unwrap().doubts, [Doubt::TooLarge].into());
        let mut analysis = Analysis::new(program, BTreeSet::new(), Limits { methods: 100, targets: 1 });
        let id = MethodId::new(&class.name, "sides", "(LEffects$Shape;)I");
        let doubts = analysis.effects(&id).unwrap().doubts;
        assert!(matches!(doubts.first(), Some(Doubt::ManyTargets(_, 2))), "{doubts:?}");
    });
}

#[test]
fn calls_reach_what_may_run() {
    with_program(|program, class| {
        let mut said = String::new();
        for (name, most) in [
            ("shape", 9),
            ("setThroughCall", 9),
            ("recursive", 9),
            ("makeLambda", 9),
            ("lambda", 2),
            ("fresh", 2),
        ] {
            let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
            let graph = call_graph(program, &[MethodId::new(&class.name, name, &method.descriptor)], most);
            for (caller, callees) in &graph.callees {
                let callees: Vec<String> =
                    callees.iter().map(|id| format!("{}.{}", id.class, id.name)).collect();
                let unknown = graph.unknown.get(caller).map_or(0, BTreeSet::len);
                said += &format!(
                    "{}.{} -> {} and {unknown} unknown\n",
                    caller.class,
                    caller.name,
                    callees.join(" ")
                );
            }
            said += &format!("{} beyond\n", graph.beyond.len());
        }
        expect![[r#"
            Effects.shape -> Effects$Counting.area Effects$Square.area and 0 unknown
            Effects$Counting.area ->  and 0 unknown
            Effects$Square.area ->  and 0 unknown
            0 beyond
            Effects.set ->  and 0 unknown
            Effects.setThroughCall -> Effects.set and 0 unknown
            0 beyond
            Effects.other -> Effects.recursive and 0 unknown
            Effects.recursive -> Effects.other and 0 unknown
            0 beyond
            Effects.lambda$makeLambda$0 ->  and 0 unknown
            Effects.makeLambda -> Effects.lambda$makeLambda$0 and 0 unknown
            0 beyond
            Effects.lambda ->  and 1 unknown
            0 beyond
            Effects.fresh -> Effects$Node.<init> Effects$Node.withNext and 0 unknown
            Effects$Node.<init> -> java/lang/Object.<init> and 0 unknown
            2 beyond
        "#]]
        .assert_eq(&said);
    });
}

/// Facts about the JDK that anyone can check in its sources; `hasMoreTokens` keeps the position that it
/// found.
#[test]
fn well_known_methods_of_the_jdk() {
    with_program(|program, _| {
        let mut analysis = Analysis::new(program, BTreeSet::new(), LIMITS);
        let mut effects = |class: &str, name: &str, descriptor: &str| {
            analysis.effects(&MethodId::new(class, name, descriptor))
        };
        for (class, name, descriptor) in [
            ("java/util/HashSet", "size", "()I"),
            ("java/util/ArrayList", "isEmpty", "()Z"),
            ("java/util/BitSet", "cardinality", "()I"),
            ("java/util/Optional", "isPresent", "()Z"),
            ("java/lang/String", "isEmpty", "()Z"),
        ] {
            assert_eq!(writes(&effects(class, name, descriptor).unwrap()), "pure", "{class}.{name}");
        }
        for (class, name, descriptor, field) in [
            ("java/util/StringTokenizer", "hasMoreTokens", "()Z", "newPosition"),
            ("java/util/StringTokenizer", "nextToken", "()Ljava/lang/String;", "currentPosition"),
            ("java/util/ArrayList", "clear", "()V", "size"),
        ] {
            let places = effects(class, name, descriptor).unwrap().writes;
            let what = What::Field { class: class.into(), name: field.into() };
            assert!(places.contains(&Place { holder: Holder::This, what }), "{class}.{name}: {places:?}");
        }
        assert_eq!(effects("java/util/List", "size", "()I"), None);
    });
}
