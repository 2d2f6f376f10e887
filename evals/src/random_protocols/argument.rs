//! Arguments whose values fall into a few classes, with a Java condition and examples for each.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::protocol::{Argument, Values};

/// Name of the enum that the generated classes take as an argument.
pub(crate) const ENUM: &str = "Mode";

/// Constants of that enum.
pub(crate) const MODES: [&str; 3] = ["FAST", "SAFE", "OFF"];

/// Guards on an `int`: a constant, or a range.
pub(crate) fn int(rng: &mut ChaCha8Rng) -> Argument {
    let classes = if rng.random_bool(0.4) {
        let constant: i32 = match rng.random_range(0..3) {
            0 => rng.random_range(-1..=10),
            1 => rng.random_range(11..=1000),
            _ => rng.random_range(1001..=1_000_000),
        };
        vec![
            values(format!("amount == {constant}"), [constant.to_string()]),
            other([(constant - 1).to_string(), (constant + 1).to_string(), "-2147483648".to_owned()]),
        ]
    } else {
        let low: i32 = if rng.random_bool(0.5) { 0 } else { rng.random_range(-20..=100) };
        let high = low + [0, 1, 9, 99, 5000][rng.random_range(0..5)];
        vec![
            values(format!("amount < {low}"), [(low - 1).to_string(), "-2147483648".to_owned()]),
            values(format!("amount <= {high}"), [low.to_string(), high.to_string()]),
            other([(high + 1).to_string(), "2147483647".to_owned()]),
        ]
    };
    Argument { java_type: "int", name: "amount", classes, nullable: false }
}

/// Guards on a `String`: constants, prefixes, emptiness, length.
pub(crate) fn text(rng: &mut ChaCha8Rng) -> Argument {
    const WORDS: [&str; 6] = ["admin", "ok", "retry-now", "v2", "SELECT", "x"];
    const PREFIXES: [&str; 3] = ["job-", "tmp:", "A"];
    let word = WORDS[rng.random_range(0..WORDS.len())];
    let prefix = PREFIXES[rng.random_range(0..PREFIXES.len())];
    let empty = || values("text.isEmpty()".to_owned(), ["\"\"".to_owned()]);
    let constant = || {
        values(format!("text.equals(\"{word}\")"), [format!("\"{word}\""), format!("new String(\"{word}\")")])
    };
    let prefixed = || {
        let samples = [format!("\"{prefix}\""), format!("\"{prefix}7\"")];
        values(format!("text.startsWith(\"{prefix}\")"), samples)
    };
    let long =
        || values("text.length() > 4".to_owned(), ["\"#####\"".to_owned(), "\"# # # # #\"".to_owned()]);
    // Short, not empty, and neither of the words nor the prefixes.
    let rest = || other(["\"#\"".to_owned(), "\"# \"".to_owned()]);
    let classes = match rng.random_range(0..5) {
        0 => vec![empty(), rest()],
        1 => vec![constant(), rest()],
        2 => vec![prefixed(), rest()],
        3 => vec![empty(), constant(), rest()],
        _ => vec![empty(), long(), rest()],
    };
    Argument { java_type: "String", name: "text", classes, nullable: true }
}

/// Guards on the size of a list.
pub(crate) fn items(rng: &mut ChaCha8Rng) -> Argument {
    let list = |size: i32| {
        let items: Vec<String> = (0..size).map(|item| format!("\"i{item}\"")).collect();
        format!("java.util.List.<String>of({})", items.join(", "))
    };
    let classes = if rng.random_bool(0.5) {
        vec![values("items.isEmpty()".to_owned(), [list(0)]), other([list(1), list(4)])]
    } else {
        let size = rng.random_range(1..=2);
        vec![
            values("items.isEmpty()".to_owned(), [list(0)]),
            values(format!("items.size() <= {size}"), [list(1), list(size)]),
            other([list(size + 1), list(size + 3)]),
        ]
    };
    Argument { java_type: "List<String>", name: "items", classes, nullable: true }
}

/// Guards on an enum: each constant is a class.
pub(crate) fn choice() -> Argument {
    let constant = |at: usize| format!("{ENUM}.{}", MODES[at]);
    let mut classes: Vec<Values> =
        (0..MODES.len() - 1).map(|at| values(format!("mode == {}", constant(at)), [constant(at)])).collect();
    classes.push(other([constant(MODES.len() - 1)]));
    Argument { java_type: ENUM, name: "mode", classes, nullable: true }
}

/// A boolean.
pub(crate) fn flag() -> Argument {
    let classes = vec![values("on".to_owned(), ["true".to_owned()]), other(["false".to_owned()])];
    Argument { java_type: "boolean", name: "on", classes, nullable: false }
}

/// An argument that does not matter.
pub(crate) fn any(java_type: &'static str, name: &'static str, samples: &[&str]) -> Argument {
    let classes = vec![other(samples.iter().map(|&sample| sample.to_owned()))];
    Argument { java_type, name, classes, nullable: false }
}

fn values(condition: String, samples: impl IntoIterator<Item = String>) -> Values {
    Values { condition, samples: samples.into_iter().collect() }
}

/// All values that no class before has.
fn other(samples: impl IntoIterator<Item = String>) -> Values {
    values(String::new(), samples)
}
