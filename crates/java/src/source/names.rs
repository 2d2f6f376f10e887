//! Names of classes in Java source, short where that is clear.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::Type;

/// The names that a source file uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The class that each simple name means.
    simple: BTreeMap<String, String>,
    fixed: BTreeSet<String>,
}

/// Names that must keep their meaning in a test.
const TAKEN: [&str; 1] = ["Test"];

impl Names {
    /// The name of a class in the source, given its name with dots as a JVM has it.
    pub(crate) fn of(&mut self, class: &str) -> String {
        let source = source_name(class);
        // The outermost class is imported, those inside are named through it.
        let package = class.rfind('.').map_or("", |last| &class[..last]);
        let inside = if package.is_empty() { &*source } else { &source[package.len() + 1..] };
        let outer = inside.split('.').next().unwrap_or(inside);
        let full = if package.is_empty() { outer.to_owned() } else { format!("{package}.{outer}") };
        if TAKEN.contains(&outer) && full != "org.junit.jupiter.api.Test" {
            return source;
        }
        let known = self.simple.entry(outer.to_owned()).or_insert_with(|| full.clone());
        if *known == full { inside.to_owned() } else { source }
    }

    /// The name of a type in the source.
    pub(crate) fn of_type(&mut self, wanted: &Type) -> String {
        match wanted {
            Type::Class(name) => self.of(&name.replace('/', ".")),
            Type::Array(element) => format!("{}[]", self.of_type(element)),
            primitive => primitive.to_string(),
        }
    }

    /// Makes a static method known by its simple name.
    pub(crate) fn add_static(&mut self, class: &str, method: &str) {
        self.fixed.insert(format!("static {class}.{method}"));
    }

    /// The necessary imports.
    pub(crate) fn imports(&self) -> BTreeSet<String> {
        let needed =
            |full: &&String| full.rsplit_once('.').is_some_and(|(package, _)| package != "java.lang");
        self.simple.values().filter(needed).chain(&self.fixed).cloned().collect()
    }
}

/// The name as Java source has it: a dollar sign between names of classes is a dot.
fn source_name(class: &str) -> String {
    let mut name = String::with_capacity(class.len());
    let mut rest = class.chars().peekable();
    while let Some(letter) = rest.next() {
        let between = name.chars().last().is_some_and(char::is_alphanumeric)
            && rest.peek().is_some_and(|next| next.is_alphabetic());
        name.push(if letter == '$' && between { '.' } else { letter });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_simple_name_is_imported() {
        let mut names = Names::default();
        let said: Vec<String> = [
            "java.util.Map$Entry",
            "java.awt.List",
            "java.util.List",
            "java.lang.String",
            "Top",
            "a.Test",
            "a.B$1",
        ]
        .map(|name| names.of(name))
        .into();
        let expected = ["Map.Entry", "List", "java.util.List", "String", "Top", "a.Test", "B$1"];
        assert_eq!(said, expected);
        let imports: Vec<String> = names.imports().into_iter().collect();
        assert_eq!(imports, ["a.B$1", "java.awt.List", "java.util.Map"]);
    }
}
