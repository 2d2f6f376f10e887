//! Names of tests, as JUnit 4 and JUnit 5 spell them, made alike.

/// The name of a test from JUnit 5's id for it: `[engine:junit-jupiter]/[class:a.ATest]/[method:works()]`.
pub(super) fn readable(id: &str) -> String {
    let mut name = String::new();
    for segment in id.trim_start_matches('[').trim_end_matches(']').split("]/[") {
        let (kind, value) = segment.split_once(':').unwrap_or(("", segment));
        let value = decoded(value);
        match kind {
            "engine" => {}
            "class" | "runner" => name = value,
            "nested-class" => name = format!("{name}${value}"),
            "test-template-invocation" | "dynamic-test" | "dynamic-container" => {
                name = format!("{name}[{value}]")
            }
            // The vintage engine writes the class behind the method.
            "test" if value.ends_with(')') => name = turned(&value),
            // The parameters of a whole class: `[0]`, which the names of its tests have too.
            "test" if value.starts_with('[') => {}
            _ if name.is_empty() => name = value,
            _ => name = format!("{name}.{value}"),
        }
    }
    name
}

/// Text in which JUnit wrote brackets, slashes and colons as `%5B`.
fn decoded(value: &str) -> String {
    let mut parts = value.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(u8::is_ascii) {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[2..]);
            }
            None => {
                text.push('%');
                text.push_str(part);
            }
        }
    }
    text
}

/// JUnit 4 writes `works(a.ATest)`.
pub(super) fn turned(display: &str) -> String {
    match display.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((method, class)) => format!("{class}.{method}"),
        None => display.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names() {
        for (id, name) in [
            ("[engine:junit-jupiter]/[class:a.ATest]/[method:works()]", "a.ATest.works()"),
            ("[engine:junit-jupiter]/[class:a.ATest]/[nested-class:In]/[method:m()]", "a.ATest$In.m()"),
            (
                "[engine:junit-jupiter]/[class:A]/[test-template:m(int)]/[test-template-invocation:#2]",
                "A.m(int)[#2]",
            ),
            ("[engine:junit-vintage]/[runner:a.BTest]/[test:works(a.BTest)]", "a.BTest.works"),
            (
                "[engine:junit-vintage]/[runner:a.BTest]/[test:%5B0%5D]/[test:works%5B0%5D(a.BTest)]",
                "a.BTest.works[0]",
            ),
            ("[engine:junit-vintage]/[runner:All]/[test:a.BTest]/[test:works(a.BTest)]", "a.BTest.works"),
            ("[engine:other]/[test:50%]", "50%"),
            ("", ""),
            ("[", ""),
        ] {
            assert_eq!(readable(id), name, "{id}");
        }
        assert_eq!(turned("works(a.ATest)"), "a.ATest.works");
        assert_eq!(turned("works"), "works");
    }
}
