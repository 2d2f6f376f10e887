//! Finds test classes: those that JUnit 3, 4 or 5 would run, according to their class files.

use std::collections::BTreeMap;

use adit_bytecode::{Class, ClassPath, Flags};

/// Annotations of methods, and of classes, that make a class a test.
const ON_METHODS: [&str; 6] = [
    "Lorg/junit/Test;",
    "Lorg/junit/jupiter/api/Test;",
    "Lorg/junit/jupiter/api/RepeatedTest;",
    "Lorg/junit/jupiter/api/TestFactory;",
    "Lorg/junit/jupiter/api/TestTemplate;",
    "Lorg/junit/jupiter/params/ParameterizedTest;",
];
const ON_CLASSES: [&str; 1] = ["Lorg/junit/runner/RunWith;"];

/// Annotation of an inner class whose tests are those of the class around it.
const NESTED: &str = "Lorg/junit/jupiter/api/Nested;";

/// The tests among the classes called `names` (with dots or slashes), with dots and in order.
///
/// A class is a test if it, a class above it or a `@Nested` one in it has a test method or extends
/// `TestCase`; abstract classes and inner classes, which JUnit runs as parts of others, are left out. So are
/// classes that cannot be read.
pub fn find_tests<'n>(path: &ClassPath, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut seen = Seen { path, known: BTreeMap::new() };
    let mut tests: Vec<String> = names
        .into_iter()
        .map(|name| name.replace('.', "/"))
        .filter(|name| {
            let Some(class) = seen.outline(name) else { return false };
            can_be_made(&class) && seen.is_test(name, 0)
        })
        .map(|name| name.replace('/', "."))
        .collect();
    tests.sort();
    tests.dedup();
    tests
}

/// The classes that were looked at.
struct Seen<'p> {
    path: &'p ClassPath,
    known: BTreeMap<String, bool>,
}

impl Seen<'_> {
    fn outline(&self, name: &str) -> Option<Class> {
        let (bytes, file) = self.path.find(name).ok().flatten()?;
        Class::parse_outline(&bytes, &file).ok()
    }

    fn is_test(&mut self, name: &str, depth: usize) -> bool {
        // A damaged class may be its own ancestor.
        const HIGHEST: usize = 100;
        if name == "junit/framework/TestCase" {
            return true;
        }
        // Nothing in the JDK is a test, and it is large.
        if depth > HIGHEST || name.starts_with("java/") {
            return false;
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let Some(class) = self.outline(name) else { return false };
        let has = |annotations: &[std::sync::Arc<str>], wanted: &[&str]| {
            annotations.iter().any(|annotation| wanted.contains(&&**annotation))
        };
        let own = has(&class.annotations, &ON_CLASSES)
            || class.methods.iter().any(|method| has(&method.annotations, &ON_METHODS));
        // Interfaces may have test methods too, as defaults.
        let above = class.superclass.iter().chain(&class.interfaces);
        let is_nested = |name: &&std::sync::Arc<str>| {
            self.outline(name).is_some_and(|class| has(&class.annotations, &[NESTED]))
        };
        let nested: Vec<_> = class.members.iter().filter(is_nested).collect();
        let answer = own || above.chain(nested).any(|other| self.is_test(other, depth + 1));
        self.known.insert(name.to_owned(), answer);
        answer
    }
}

/// Returns true if JUnit can instantiate the class by itself.
fn can_be_made(class: &Class) -> bool {
    let nested_well = class
        .nesting
        .as_ref()
        .is_none_or(|nesting| nesting.name.is_some() && nesting.flags.has(Flags::STATIC));
    !class.flags.has(Flags::ABSTRACT) && !class.is_interface() && nested_well
}
