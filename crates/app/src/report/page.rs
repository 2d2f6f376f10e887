//! The content of a report page, as plain data.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_logic::Fate;
use adit_trace::pure_by_name;
use miette::Report;

use super::evidence::{Evidence, Replay};
use crate::output::counted;
use crate::results::{
    Findings, PropertyResult, Results, Run, SearchHistory, TestedOrders, Tests, Validation, Witness,
};

/// Content of the page about one model.
pub(crate) struct Page {
    /// Name of the class, or of the file that the model comes from.
    pub(crate) title: String,
    pub(crate) model: Fsa<String>,
    /// A finer model, of which the model is a quotient, with its evidence.
    pub(crate) detail: Option<(Fsa<String>, Evidence)>,
    /// Labels of calls without side effects.
    pub(crate) pure: BTreeSet<String>,
    pub(crate) properties: Vec<PropertyResult>,
    pub(crate) tests: Tests,
    /// Traces and tests that took each transition.
    pub(crate) evidence: Evidence,
    pub(crate) search: SearchHistory,
    pub(crate) findings: Findings,
    pub(crate) run: Option<Run>,
    pub(crate) validation: Option<Validation>,
    pub(crate) tested_orders: Option<TestedOrders>,
    /// The page shows the finer model first.
    pub(crate) opens_with_detail: bool,
    /// Warnings about input that could not be read.
    pub(crate) notes: Vec<String>,
}

impl Page {
    /// Collects the content of a page. `replay_words` feeds all recorded words to the replay.
    pub(crate) fn new(
        title: String,
        model: Fsa<String>,
        detail: Option<Fsa<String>>,
        results: Results,
        replay_words: impl Fn(&mut Replay<'_>) -> Result<(), Report>,
    ) -> Result<Self, Report> {
        let Results { run, properties, tests, search, findings, validation, tested_orders } = results;
        let tests = tests.unwrap_or_default();
        let replayed = |model: &Fsa<String>| -> Result<Evidence, Report> {
            let mut replay = Replay::new(model);
            for (number, test) in tests.tests.iter().enumerate() {
                replay.test(number, &test.words);
            }
            replay_words(&mut replay)?;
            Ok(replay.finish())
        };
        let mut evidence = replayed(&model)?;
        let detail = match detail {
            Some(detail) => Some(replayed(&detail).map(|evidence| (detail, evidence))?),
            None => None,
        };
        evidence.learn(&model, &tests.witnesses, |test| Some(test).filter(|test| *test < tests.tests.len()));
        let (pure, mut properties) = match properties {
            Some(known) => (known.pure, known.properties),
            None => (pure_labels(&model), Vec::new()),
        };
        // The replay may know more words than the search had counted.
        for one in &mut properties {
            one.support = one.support.max(evidence.support(&one.property.a));
        }
        Ok(Self {
            title,
            model,
            detail,
            pure,
            properties,
            tests,
            evidence,
            search: search.unwrap_or_default(),
            findings: findings.unwrap_or_default(),
            run,
            validation,
            tested_orders,
            opens_with_detail: false,
            notes: Vec::new(),
        })
    }

    /// Returns the page of a model about which nothing else is known.
    #[cfg(test)]
    pub(crate) fn of(title: &str, model: Fsa<String>) -> Self {
        Self::new(title.to_owned(), model, None, Results::default(), |_| Ok(())).expect("nothing is read")
    }
}

/// Returns the labels of a model whose names promise that they have no side effect.
pub(super) fn pure_labels(model: &Fsa<String>) -> BTreeSet<String> {
    model.alphabet().iter().filter(|label| pure_by_name(label)).cloned().collect()
}

/// Returns the fate of a property in short. A trace is relevant if it could have refuted the property.
pub(crate) fn story(one: &PropertyResult) -> String {
    let support = match one.support {
        0 => "no relevant trace".to_owned(),
        traces => counted(traces, "relevant trace"),
    };
    match &one.fate {
        Fate::Refuted(Witness { test, found_after_tests }) => {
            let by = test.as_ref().map_or_else(String::new, |test| format!(" by {test}"));
            let after = found_after_tests.map(|tests| format!(" after {}", counted(tests, "test")));
            format!("refuted{by}{}", after.unwrap_or_default())
        }
        Fate::Survived { attacked, .. } => {
            format!("not refuted in {} of attack ({support})", counted(*attacked, "generation"))
        }
        Fate::NotAttacked => format!("not attacked ({support})"),
    }
}

#[cfg(test)]
mod tests {
    use adit_logic::{Property, Template};

    use super::*;

    #[test]
    fn stories_tell_the_fate() {
        let told = |support, fate| {
            let property = Property { template: Template::NeverFollowed, a: "x".into(), b: "y".into() };
            story(&PropertyResult::new(property, support, fate))
        };
        let witness = Witness { test: Some("script3".to_owned()), found_after_tests: Some(12) };
        assert_eq!(told(5, Fate::Refuted(witness)), "refuted by script3 after 12 tests");
        assert_eq!(told(5, Fate::Refuted(Witness::default())), "refuted");
        assert_eq!(
            told(0, Fate::Survived { attacked: 7, abandoned: true }),
            "not refuted in 7 generations of attack (no relevant trace)"
        );
        assert_eq!(told(1, Fate::NotAttacked), "not attacked (1 relevant trace)");
    }
}
