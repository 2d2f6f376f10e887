//! The file of the generated JUnit tests: a nested class for each state, and only the imports that it needs.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::test_names::NamedTests;

/// The annotation of a class of tests inside another.
const NESTED: &str = "org.junit.jupiter.api.Nested";

/// Writes the tests as a Java file. Tests of one group follow each other. Those of the first group, which is
/// about new objects, belong to the class itself: tools take a class without tests of its own for none.
pub(super) fn written(tests: &NamedTests) -> String {
    let methods = &tests.class.methods;
    let sources = methods.iter().map(|method| method.source.as_str());
    let used: BTreeSet<&str> = sources
        .flat_map(|source| source.split(|c: char| !(c.is_alphanumeric() || "_$".contains(c))))
        .collect();
    // A class of the user's may have the same name.
    let nested = if used.contains("Nested") { NESTED } else { "Nested" };
    let first = tests.groups.first();
    let is_nested = |group: &String| Some(group) != first;
    let mut text = head(&tests.class.head, &used, tests.groups.iter().any(is_nested));
    let mut before: Option<&String> = None;
    for (method, group) in methods.iter().zip(&tests.groups) {
        if before.is_some_and(|before| before != group && is_nested(before)) {
            text += "    }\n";
        }
        text += if before.is_some() { "\n" } else { "" };
        if before != Some(group) && is_nested(group) {
            let _ = writeln!(text, "    @{nested}\n    class {group} {{");
        }
        before = Some(group);
        let indent = if is_nested(group) { "        " } else { "    " };
        for line in method.source.lines() {
            let _ = writeln!(text, "{}{line}", if line.is_empty() { "" } else { indent });
        }
    }
    text += if before.is_some_and(is_nested) { "    }\n" } else { "" };
    text + "}\n"
}

/// The beginning of the file without imports that no test needs: of classes in the same package, and of
/// assertions that were written otherwise.
fn head(head: &str, used: &BTreeSet<&str>, has_nested: bool) -> String {
    let package = head.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
    let is_needed = |line: &&str| {
        let Some(import) = line.strip_prefix("import ").and_then(|rest| rest.strip_suffix(';')) else {
            return true;
        };
        let (owner, name) = import.rsplit_once('.').unwrap_or(("", import));
        used.contains(name) && Some(owner) != package
    };
    let mut lines: Vec<&str> = head.lines().filter(is_needed).collect();
    let nested = format!("import {NESTED};");
    // In the order of the alphabet, where the plain imports are.
    let is_later = |line: &&str| {
        line.starts_with("import ") && !line.starts_with("import static ") && **line > *nested.as_str()
    };
    if let Some(at) = lines.iter().position(is_later).filter(|_| has_nested && !used.contains("Nested")) {
        lines.insert(at, &nested);
    }
    // A group of imports of which none is left leaves no gap.
    lines.dedup_by(|one, other| one.is_empty() && other.is_empty());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use adit_java::source::{TestClass, TestMethod};
    use expect_test::expect;

    use super::*;

    #[test]
    fn tests_of_a_state_are_a_class() {
        let method = |name: &str, body: &str| TestMethod {
            name: name.to_owned(),
            source: format!("@Test\nvoid {name}() throws Throwable {{\n    {body}\n}}\n"),
        };
        let head = "package com.acme;\n\n\
                    import static org.junit.jupiter.api.Assertions.assertSame;\n\
                    import static org.junit.jupiter.api.Assertions.assertTrue;\n\n\
                    import com.acme.Order;\nimport java.util.List;\nimport org.junit.jupiter.api.Test;\n\n\
                    class OrderMinedTest {\n";
        let tests = NamedTests {
            class: TestClass {
                head: head.to_owned(),
                methods: vec![
                    method("a", "Order order0 = new Order();"),
                    method("b", "assertTrue(List.of().isEmpty());"),
                    method("c", "// nothing"),
                ],
            },
            groups: ["NewObjects", "InOpen", "InOpen"].map(str::to_owned).to_vec(),
            position: vec![0, 1, 2],
        };
        expect![[r#"
            package com.acme;

            import static org.junit.jupiter.api.Assertions.assertTrue;

            import java.util.List;
            import org.junit.jupiter.api.Nested;
            import org.junit.jupiter.api.Test;

            class OrderMinedTest {
                @Test
                void a() throws Throwable {
                    Order order0 = new Order();
                }

                @Nested
                class InOpen {
                    @Test
                    void b() throws Throwable {
                        assertTrue(List.of().isEmpty());
                    }

                    @Test
                    void c() throws Throwable {
                        // nothing
                    }
                }
            }
        "#]]
        .assert_eq(&written(&tests));
    }
}
