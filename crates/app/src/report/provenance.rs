//! Provenance of a model, and the command that mines it again.

use serde_json::Value;

use super::page::Page;
use crate::progress::rounded;
use crate::results::Run;

/// Returns the facts about the run that made the model, as names and values.
pub(super) fn rows(page: &Page) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
    if let Some(run) = &page.run {
        let Run { summary, parameters, versions, .. } = run;
        let properties = summary.properties;
        row("class", summary.class.clone());
        row("tests run", summary.tests.to_string());
        row("properties mined", properties.mined.to_string());
        row("properties refuted", properties.refuted.to_string());
        row("properties that survived an attack", properties.survived.to_string());
        row("properties not attacked", properties.not_attacked.to_string());
        row("round of the campaign", summary.round.to_string());
        row("model", summary.model.origin.clone());
        row("time in seconds", rounded(summary.seconds).to_string());
        row("stopped because", summary.model.stopped(summary.stop));
        row("budget", run.budget.clone());
        row("seed", run.seed.to_string());
        // They are named like the flags that set them; the version of Java is among the others.
        for (name, value) in parameters.iter().filter(|(name, _)| *name != "java") {
            if let Some(value) = flag_value(value) {
                row(&format!("--{}", name.replace('_', "-")), value);
            }
        }
        row("version of adit", versions.adit.clone());
        let of_subject =
            if parameters.contains_key("adapter") { "version of the subject" } else { "version of Java" };
        row(of_subject, versions.java.clone());
        row("system", versions.os.clone());
    }
    row("page written by", format!("adit {}", env!("CARGO_PKG_VERSION")));
    rows
}

/// Returns the value of a flag as text; nothing if it was not given.
fn flag_value(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(given) => Some(if *given { "yes" } else { "no" }.to_owned()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => {
            let texts =
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            Some(texts.collect::<Vec<_>>().join(", "))
        }
        other => Some(other.to_string()),
    }
}

/// Returns the command that mines the model again, for a shell.
pub(super) fn command(page: &Page) -> Option<String> {
    let run = page.run.as_ref()?;
    // The program may have been called by a path that only its own machine has.
    let arguments = run.command.split_once(' ').map_or("", |(_, arguments)| arguments);
    let mut command = format!("adit {arguments}");
    // Defaults are written out, because those of another version may differ.
    if !command.contains(" --seed") {
        command += &format!(" --seed {}", run.seed);
    }
    if !command.contains(" --budget") {
        command += &format!(" --budget {}", run.budget);
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;
    use serde_json::json;

    use super::*;
    use crate::results::run::tests::plain;

    fn page(run: Run) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        Page { run: Some(run), ..Page::of("A", builder.build()) }
    }

    #[test]
    fn the_command_is_the_one_that_was_typed() {
        let typed = |command: &str| super::command(&page(Run { command: command.to_owned(), ..plain() }));
        assert_eq!(
            typed("/opt/bin/adit mine a.B -c 'x y' --calls 4").as_deref(),
            Some("adit mine a.B -c 'x y' --calls 4 --seed 3 --budget 10s")
        );
        assert_eq!(
            typed("adit mine a.B --seed 9 --budget 2m").as_deref(),
            Some("adit mine a.B --seed 9 --budget 2m")
        );
    }

    #[test]
    fn everything_about_the_run_has_a_name() {
        let mut run = plain();
        let parameters = json!({"java": "21", "miner": "dice", "non_public": false, "only": ["add", "get"],
            "without": [], "fixtures": null});
        run.parameters = parameters.as_object().unwrap().clone();
        let mut told: Vec<(String, String)> = rows(&page(run));
        told.pop();
        let text: String = told.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        expect![[r#"
            class: a.B
            tests run: 1234
            properties mined: 6
            properties refuted: 1
            properties that survived an attack: 2
            properties not attacked: 3
            round of the campaign: 1
            model: made by this round
            time in seconds: 9.5
            stopped because: the budget is used up
            budget: 10s
            seed: 3
            --miner: dice
            --non-public: no
            --only: add, get
            version of adit: 0.1.0
            version of Java: 21
            system: linux
        "#]]
        .assert_eq(&text);
    }
}
