//! A complete model, written by hand, and what it says about an enriched one.

use std::collections::{BTreeMap, BTreeSet};

use miette::{Result, miette};
use serde_json::{Value, json};

/// The end of a call in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    To(String),
    Stays,
    Throws(String),
    /// The arguments decide.
    Open,
}

/// A complete model.
pub(super) struct Truth {
    first: String,
    states: BTreeSet<String>,
    ends: BTreeMap<(String, String), End>,
    anywhere: BTreeMap<String, End>,
}

/// The judgment about an enriched model.
#[derive(Default)]
pub(super) struct Judgment {
    /// Transitions whose state and method the complete model knows.
    pub(super) judged: usize,
    /// Those that end otherwise.
    pub(super) wrong: Vec<String>,
    /// Exceptional transitions of the complete model.
    pub(super) exceptional: usize,
    /// Those of them that the enriched one has.
    pub(super) covered: usize,
    /// The others.
    pub(super) missing: Vec<String>,
    /// Exceptional transitions of the enriched model, over the states of the complete one.
    pub(super) enriched_exceptional: usize,
}

impl Truth {
    /// Reads lines such as `open read -> open`, `closed read !IOException`, `* flush ok` and `open write ?`.
    pub(super) fn parse(text: &str) -> Result<Truth> {
        let mut truth = Truth {
            first: String::new(),
            states: BTreeSet::new(),
            ends: BTreeMap::new(),
            anywhere: BTreeMap::new(),
        };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let (state, method, end) = match words[..] {
                [state, method, "->", to] => (state, method, End::To(to.to_owned())),
                [state, method, "ok"] => (state, method, End::Stays),
                [state, method, "?"] => (state, method, End::Open),
                [state, method, end] if end.starts_with('!') => {
                    (state, method, End::Throws(end[1..].to_owned()))
                }
                _ => return Err(miette!("line {}: not a transition: {line}", number + 1)),
            };
            if let End::To(to) = &end {
                truth.states.insert(to.clone());
            }
            if state == "*" {
                truth.anywhere.insert(method.to_owned(), end);
                continue;
            }
            if truth.first.is_empty() {
                state.clone_into(&mut truth.first);
            }
            truth.states.insert(state.to_owned());
            truth.ends.insert((state.to_owned(), method.to_owned()), end);
        }
        Ok(truth)
    }

    fn end(&self, state: &str, method: &str) -> Option<&End> {
        let own = self.ends.get(&(state.to_owned(), method.to_owned()));
        own.or_else(|| self.anywhere.get(method))
    }

    /// The state after these events; nothing if the model does not tell.
    fn follow(&self, word: &[&str]) -> Option<String> {
        let mut state = self.first.clone();
        // The first event creates the object.
        for event in word.iter().skip(1) {
            let (method, threw) = match event.split_once('!') {
                Some((method, _)) => (method, true),
                // The answer of a call is no part of its name.
                None => (event.split(':').next().unwrap_or(event), false),
            };
            match (self.end(&state, method)?, threw) {
                (End::To(to), false) => state.clone_from(to),
                // A call whose end the arguments decide may have changed anything.
                (End::Open, _) => return None,
                (End::Stays, false) | (End::Throws(_), true) => {}
                _ => return None,
            }
        }
        Some(state)
    }

    /// Follows the way of every transition of an enriched model.
    pub(super) fn judge(&self, enriched: &Value) -> Judgment {
        let mut judgment = Judgment::default();
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let mut wrong = BTreeSet::new();
        for call in enriched["calls"].as_array().into_iter().flatten() {
            let (Some(label), Some(word)) = (call["label"].as_str(), call["word"].as_array()) else {
                continue;
            };
            let word: Vec<&str> = word.iter().filter_map(Value::as_str).collect();
            if call["from"].is_null() || word.is_empty() {
                continue;
            }
            let Some(state) = self.follow(&word) else { continue };
            let Some(end) = self.end(&state, label) else { continue };
            let threw = call["threw"].as_str().map(|class| class.rsplit(['.', '$']).next().unwrap_or(class));
            if threw.is_some() {
                seen.insert((state.clone(), label.to_owned()));
            }
            judgment.judged += 1;
            let is_right = match (end, threw) {
                (End::Open, _) => true,
                (End::Throws(class), Some(threw)) => class == threw,
                (End::Throws(_), None) | (_, Some(_)) => false,
                _ => true,
            };
            if !is_right {
                let end = threw.map_or_else(|| " returned".to_owned(), |class| format!("!{class}"));
                wrong.insert(format!("{state}: {label}{end}, after {}", word.join(" ")));
            }
        }
        judgment.enriched_exceptional = seen.len();
        judgment.wrong = wrong.into_iter().collect();
        for state in &self.states {
            let methods = self.ends.keys().map(|(_, method)| method).chain(self.anywhere.keys());
            for method in methods.collect::<BTreeSet<_>>() {
                if let Some(End::Throws(class)) = self.end(state, method) {
                    judgment.exceptional += 1;
                    if seen.contains(&(state.clone(), method.clone())) {
                        judgment.covered += 1;
                    } else {
                        judgment.missing.push(format!("{state}: {method}!{class}"));
                    }
                }
            }
        }
        judgment
    }
}

impl Judgment {
    pub(super) fn json(&self) -> Value {
        json!({
            "judged": self.judged,
            "wrong": self.wrong,
            "exceptional": self.exceptional,
            "covered": self.covered,
            "missing": self.missing,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    #[test]
    fn transitions_are_judged_by_the_way_that_leads_to_them() {
        let truth = Truth::parse(
            "new open -> open\nnew read !IOException\nopen read ok\n# a comment\n* open !IllegalStateException",
        )
        .unwrap();
        let call = |word: &[&str], label: &str, threw: Option<&str>| json!({"from": 0, "word": word, "label": label, "threw": threw});
        let io = Some("java.io.IOException");
        let enriched = json!({"calls": [
            call(&["Box"], "read", io),
            call(&["Box", "open"], "read", io),
            call(&["Box", "read!IOException", "open"], "read", None),
        ]});
        let judgment = truth.judge(&enriched);
        assert_eq!(judgment.wrong, ["open: read!IOException, after Box open"]);
        assert_eq!((judgment.judged, judgment.exceptional, judgment.covered), (3, 2, 1));
        assert_eq!(judgment.missing, ["open: open!IllegalStateException"]);
        assert!(Truth::parse("open read").is_err());
    }

    /// The complete model of Socket against the class itself: every method in every state.
    #[test]
    fn the_complete_model_of_socket_is_right() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("truths/tautoko");
        let truth = Truth::parse(&fs::read_to_string(folder.join("Socket.txt")).unwrap()).unwrap();
        let Ok(output) = Command::new("java").arg(folder.join("SocketStates.java")).output() else {
            return eprintln!("NOT RUN: there is no `java`");
        };
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let mut seen = BTreeSet::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [state, method, end] = words[..] else { panic!("{line}") };
            let expected = match truth.end(state, method).unwrap_or_else(|| panic!("{line}: no row")) {
                End::To(to) => to.clone(),
                End::Stays => state.to_owned(),
                End::Throws(class) => format!("!{class}"),
                End::Open => end.to_owned(),
            };
            assert_eq!(end, expected, "{line}");
            seen.insert((state.to_owned(), method.to_owned()));
        }
        let states: BTreeSet<&String> = seen.iter().map(|(state, _)| state).collect();
        assert_eq!(states, truth.states.iter().collect());
        for (state, method) in truth.ends.keys() {
            assert!(seen.contains(&(state.clone(), method.clone())), "{state} {method} was not tried");
        }
        let tried: BTreeSet<&String> = seen.iter().map(|(_, method)| method).collect();
        for method in truth.anywhere.keys() {
            assert!(tried.contains(method), "{method} was not tried");
        }
    }
}
