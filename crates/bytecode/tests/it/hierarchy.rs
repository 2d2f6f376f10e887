//! Supertypes, and the interfaces that a lambda may implement, in a JDK.

use adit_bytecode::{ClassPath, Program};

use crate::jdk::Jdk;

#[test]
fn above_below_and_functional() {
    let Some(jdk) = Jdk::find() else { return };
    let path = ClassPath::new(vec![Box::new(jdk.modules())]);
    let names = path.names();
    let known = |name: &&String| name.starts_with("java/util/") || name.starts_with("java/lang/");
    let program = Program::new(&path, names.iter().filter(known).map(String::as_str));
    assert!(program.outlines().any(|class| &*class.name == "java/util/ArrayList"));

    let above: Vec<&str> =
        program.supertypes("java/util/ArrayList").iter().map(|class| &*class.name).collect();
    let chain =
        ["java/util/ArrayList", "java/util/AbstractList", "java/util/AbstractCollection", "java/lang/Object"];
    assert_eq!(above[..4], chain);
    assert!(above.contains(&"java/lang/Iterable"));
    // An interface is its own first supertype, once.
    let above = program.supertypes("java/util/List");
    assert_eq!(above.iter().filter(|class| &*class.name == "java/util/List").count(), 1);

    for (below, above, expected) in [
        ("java/util/ArrayList", "java/util/Collection", true),
        ("java/util/Collection", "java/util/ArrayList", false),
        ("java/util/ArrayList", "java/lang/Object", true),
        // The program does not have it, but a class of the program names it.
        ("java/util/ArrayList", "java/io/Serializable", true),
        ("not/There", "not/There", true),
        ("not/There", "java/util/List", false),
    ] {
        assert_eq!(program.is_subtype(below, above), expected, "{below} below {above}");
    }

    let functional = |name| program.functional_method(name).map(|method| method.name.to_string());
    assert_eq!(functional("java/util/Comparator").as_deref(), Some("compare"));
    assert_eq!(functional("java/util/function/UnaryOperator").as_deref(), Some("apply"));
    for other in ["java/util/List", "java/util/RandomAccess", "java/util/ArrayList", "not/There"] {
        assert_eq!(functional(other), None, "{other}");
    }
}
