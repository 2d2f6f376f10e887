//! Where a model comes from, and how to get it again: parameters in plain words, and a command to copy.

use serde_json::Value;

use super::page::Page;
use super::trust;
use crate::shell::quoted;

/// The names that `run.json` uses, and what they mean to a reader. What is not here is shown under its own name.
const WORDS: [(&str, &str); 35] = [
    ("class", "class"),
    ("tests", "tests run"),
    ("properties.mined", "properties claimed"),
    ("properties.falsified", "properties contradicted"),
    ("properties.surviving", "properties that held"),
    ("states", "states"),
    ("transitions", "transitions"),
    ("realized", "share of walks that happened"),
    ("branches.covered", "branches taken"),
    ("branches.all", "branches in all"),
    ("never_returned", "calls that never returned"),
    ("round", "rounds of the campaign"),
    ("model", "where the model comes from"),
    ("complete", "all situations were tried"),
    ("admitted", "situations added afterwards"),
    ("seconds", "time in seconds"),
    ("stop", "why it ended"),
    ("parameters.java", "Java"),
    ("parameters.miner", "how the model was made"),
    ("parameters.coarse", "smallest model preferred"),
    ("parameters.claims", "what was claimed"),
    ("parameters.constraints", "constraints of the miner"),
    ("parameters.tests", "tests to begin with"),
    ("parameters.labels", "what a call is told by"),
    ("parameters.non_public", "methods that are not public"),
    ("parameters.object_methods", "equals, hashCode and toString"),
    ("parameters.only", "only these methods"),
    ("parameters.without", "not these methods"),
    ("parameters.fixtures", "fixtures"),
    ("parameters.fresh_statics", "class loaded anew for each test"),
    ("parameters.seed", "seed"),
    ("versions.adit", "version of adit"),
    ("versions.java", "version of Java"),
    ("versions.os", "system"),
    ("seed", "seed"),
];

/// What is needed to understand where the model comes from, as names and values in plain words.
pub(super) fn parameters(page: &Page) -> Vec<(String, String)> {
    let plain = |(name, value): (String, String)| {
        let known = WORDS.iter().find(|(raw, _)| *raw == name).map(|(_, words)| (*words).to_owned());
        let value = match value.as_str() {
            "true" => "yes".to_owned(),
            "false" => "no".to_owned(),
            _ => value,
        };
        (known.unwrap_or_else(|| name.replace(['.', '_'], " ")), value)
    };
    let told = |(name, value): &(String, String)| !value.is_empty() && value != "[]" && name != COMMAND;
    trust::parameters(page).into_iter().filter(told).map(plain).collect()
}

/// Where `run.json` keeps what was typed.
const COMMAND: &str = "command";

/// The command that mines the model again, for a shell; as it was typed, or else from what is known.
pub(super) fn command(page: &Page) -> Option<String> {
    let run = page.run.as_ref()?;
    let mut words = match run[COMMAND].as_str().and_then(|typed| typed.split_once(' ')) {
        // The program may have been called by a path that only its own machine has.
        Some((_, rest)) => format!("adit {rest}"),
        None => {
            let mut words = format!("adit mine {}", quoted(run["class"].as_str()?));
            let parameters = &run["parameters"];
            for (name, usual) in
                [("miner", "explore"), ("claims", "held"), ("constraints", "both"), ("labels", "outcome")]
            {
                if let Some(value) = parameters[name].as_str().filter(|value| *value != usual) {
                    words += &format!(" --{name} {}", quoted(value));
                }
            }
            for name in ["only", "without"] {
                let list: Vec<&str> =
                    parameters[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                if !list.is_empty() {
                    words += &format!(" --{name} {}", quoted(&list.join(",")));
                }
            }
            for name in ["coarse", "non_public", "object_methods", "fresh_statics"] {
                if parameters[name] == true {
                    words += &format!(" --{}", name.replace('_', "-"));
                }
            }
            words
        }
    };
    let seed = if run["seed"].is_u64() { &run["seed"] } else { &run["parameters"]["seed"] };
    if let Some(seed) = seed.as_u64().filter(|_| !words.contains(" --seed")) {
        words += &format!(" --seed {seed}");
    }
    if let Some(budget) = run["budget"].as_str().filter(|_| !words.contains(" --budget")) {
        words += &format!(" --budget {}", quoted(budget));
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use serde_json::json;

    use super::*;

    fn page(run: Value) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        Page { run: Some(run), ..Page::of("A".to_owned(), builder.build()) }
    }

    #[test]
    fn what_was_typed_is_given_back() {
        let run = json!({"class": "a.B", "command": "/opt/bin/adit mine a.B -c 'x y' --calls 4", "seed": 3, "budget": "10s"});
        assert_eq!(
            command(&page(run)).as_deref(),
            Some("adit mine a.B -c 'x y' --calls 4 --seed 3 --budget 10s")
        );
    }

    #[test]
    fn what_was_not_written_down_is_put_together() {
        let run = json!({"class": "a.B$C", "seed": 0, "budget": "5000tests",
            "parameters": {"miner": "dice", "only": ["add", "remove(int)"], "without": [], "coarse": true, "labels": "outcome"}});
        assert_eq!(
            command(&page(run)).as_deref(),
            Some(
                "adit mine 'a.B$C' --miner dice --only 'add,remove(int)' --coarse --seed 0 --budget 5000tests"
            )
        );
    }

    #[test]
    fn names_are_words() {
        let rows = parameters(&page(
            json!({"parameters": {"labels": "outcome", "coarse": false}, "new_name.x": 3, "command": "adit x"}),
        ));
        let told: Vec<String> = rows.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            told[..3],
            ["what a call is told by: outcome", "smallest model preferred: no", "new name x: 3"]
        );
    }
}
