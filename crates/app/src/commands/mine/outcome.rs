//! The outcome of a round: the files in its folder, and what the terminal says about them.

use std::path::Path;
use std::time::Duration;

use adit_automata::{Modality, format};
use adit_java::{Api, source};
use adit_logic::FateCounts;
use adit_store::{About, Campaign};
use adit_trace::{Format, Labels, Life, Run, Script};
use miette::Report;

use crate::budget::Budget;
use crate::campaign::{JudgedProperty, RecordingCost};
use crate::java::class_under_test::ClassUnderTest;
use crate::java::recording::Recording;
use crate::models;
use crate::output::{Target, counted, write_failed};
use crate::pace::in_words;
use crate::pipeline::Mined;
use crate::progress::rounded;
use crate::report;
use crate::results::run::{
    BadEnd, Branches, ConfirmedEdges, Gaps, Keeping, ModelSummary, NeverReturned, NeverTried, Summary,
    Versions,
};
use crate::results::validation::Share;
use crate::results::{self, Properties, PropertyResult, Results, SearchHistory, TestResult, Tests, Witness};
use crate::shell;

/// A round that has ended.
pub(super) struct Outcome<'a> {
    pub(super) subject: &'a ClassUnderTest,
    pub(super) mined: &'a Mined,
    pub(super) about: &'a About,
    pub(super) round: i64,
    pub(super) budget: Budget,
    pub(super) cost: RecordingCost,
    pub(super) elapsed: Duration,
}

impl Outcome<'_> {
    /// Writes all files of the folder, the page last. `lives` are the objects of the user's own tests.
    pub(super) fn write(&self, folder: &Path, lives: &[Life]) -> Result<Summary, Report> {
        let campaign = Campaign::read(folder)?;
        let class = &*self.subject.api.class;
        let file = |name: &str| Target::File(folder.join(name));
        for (name, format) in [("model.json", format::Format::Json), ("model.dot", format::Format::Dot)] {
            models::write(&self.mined.conclusion.chosen.model, &file(name), format, class, true)?;
        }
        self.recording(lives).write(&file("traces.jsonl"), Format::Jsonl, class)?;
        let (java_name, java) = self.java_tests();
        file(&format!("tests/{java_name}.java")).write(|out| write!(out, "{java}").map_err(write_failed))?;
        let (properties, tests) = (self.properties(&java), self.tests(java));
        let (search, run) = (SearchHistory::of(&campaign)?, self.run());
        results::write(folder, &properties)?;
        results::write(folder, &tests)?;
        results::write(folder, &search)?;
        results::write(folder, &run)?;
        let summary = run.summary.clone();
        let results = Results {
            run: Some(run),
            properties: Some(properties),
            tests: Some(tests),
            search: Some(search),
            // One that cannot be read must not fail the round; `adit report` says what is wrong with it.
            validation: results::read(folder).unwrap_or_default(),
        };
        report::write(folder, class, self.mined.conclusion.chosen.model.clone(), results, &campaign)?;
        Ok(summary)
    }

    /// The traces of the user's tests and of the generated ones.
    fn recording(&self, lives: &[Life]) -> Recording {
        let mut recording = Recording::new();
        lives.iter().for_each(|life| recording.add(&life.events));
        for (script, run) in &self.mined.conclusion.tests {
            subject_lives(&self.subject.api, script, run).for_each(|life| recording.add(&life.events));
        }
        recording
    }

    /// The generated tests as a JUnit class, and its name.
    fn java_tests(&self) -> (String, source::TestClass) {
        let class = &*self.subject.api.class;
        let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
        let name = format!("{}MinedTest", simple.replace('$', ""));
        // The JDK's packages are closed; in any other, a test in the same package may call more.
        let is_closed = package.starts_with("java.") || package.starts_with("javax.");
        let package = if is_closed { "" } else { package };
        let tests = self.mined.conclusion.tests.iter().zip(&self.mined.agreed);
        let tests: Vec<(Script, Option<Run>)> =
            tests.map(|((script, _), agreed)| (script.clone(), Some(agreed.clone()))).collect();
        let java = source::test_class(package, &name, &tests, self.subject.generator.facts());
        (name, java)
    }

    fn tests(&self, java: source::TestClass) -> Tests {
        let tests =
            self.mined.conclusion.tests.iter().zip(java.methods).map(|((script, run), method)| TestResult {
                name: method.name,
                source: method.source,
                words: subject_lives(&self.subject.api, script, run)
                    .map(|life| life.events.iter().map(|event| Labels::Exception.of(event)).collect())
                    .collect(),
            });
        Tests { tests: tests.collect(), head: java.head, witnesses: self.mined.conclusion.witnesses.clone() }
    }

    fn properties(&self, java: &source::TestClass) -> Properties {
        let one = |JudgedProperty { property, fate, support, found_after }: &JudgedProperty| {
            let witness = |test: usize| Witness {
                test: Some(java.methods[test].name.clone()),
                found_after_tests: *found_after,
            };
            PropertyResult::new(property.clone(), *support, fate.map(witness))
        };
        let properties = self.mined.conclusion.properties.iter().map(one).collect();
        Properties { pure: self.mined.pure.clone(), properties }
    }

    fn run(&self) -> results::Run {
        let RecordingCost { noting, writing, ending } = self.cost;
        let seconds = |spent: Duration| rounded(spent.as_secs_f64());
        results::Run {
            summary: self.summary(),
            parameters: self.about.parameters.as_object().cloned().unwrap_or_default(),
            versions: Versions {
                adit: self.about.tool.clone(),
                java: self.subject.java.jdk.version.to_string(),
                os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            },
            seed: self.about.seed,
            budget: self.budget.to_string(),
            command: shell::typed_command(),
            keeping: Keeping { noting: seconds(noting), writing: seconds(writing), ending: seconds(ending) },
        }
    }

    fn summary(&self) -> Summary {
        let mined = self.mined;
        Summary {
            class: self.subject.api.class.to_string(),
            tests: mined.tests_run,
            properties: FateCounts::of(mined.conclusion.properties.iter().map(|judged| &judged.fate)),
            model: self.model(),
            gaps: self.gaps(),
            branches: mined.branches.map(|(covered, all)| Branches { covered, all }),
            attacked: mined.attacked,
            round: self.round,
            seconds: self.elapsed.as_secs_f64(),
            stop: mined.conclusion.stop,
        }
    }

    fn model(&self) -> ModelSummary {
        let chosen = &self.mined.conclusion.chosen;
        let model = &chosen.model;
        let confirmed = model.all_edges().filter(|edge| edge.modality == Modality::Required).count();
        ModelSummary {
            alphabet: model.alphabet().to_vec(),
            states: model.len(),
            transitions: model.transitions(),
            pure: self.mined.pure.clone(),
            realized: chosen.realized,
            walks: chosen.walks.map(Into::into),
            unrealized: self.mined.unrealized.clone(),
            confirmed_edges: ConfirmedEdges { confirmed, all: model.transitions() },
            origin: chosen.why.clone(),
            made_by_round: chosen.made.0,
            complete: chosen.complete,
            admitted: chosen.admitted,
            rejected: self.mined.rejected.clone(),
        }
    }

    fn gaps(&self) -> Gaps {
        let mined = self.mined;
        let never_tried = self.subject.api.skipped.iter();
        let never_returned = mined.trouble.never_returned.iter();
        let bad_ends = mined.trouble.bad_ends.iter().cloned();
        Gaps {
            never_tried: never_tried
                .map(|(callable, why)| NeverTried { method: callable.name.clone(), why: why.to_string() })
                .collect(),
            never_returned: never_returned
                .map(|(method, times)| NeverReturned { method: method.clone(), times: *times })
                .collect(),
            hang: mined.trouble.given_up.clone(),
            hanging_objects: mined.trouble.constructions_given_up.clone(),
            bad_ends: bad_ends.map(|(method, on, times)| BadEnd { method, on, times }).collect(),
        }
    }
}

/// Returns what happened to the objects of the class under test in a run, leaving out those that only serve
/// as arguments.
fn subject_lives(api: &Api, script: &Script, run: &Run) -> impl Iterator<Item = Life> {
    run.lives(script, &api.names).into_iter().filter(|life| {
        let start = &script.statements[life.object].callable;
        api.starts.iter().any(|known| known.callable == *start)
    })
}

/// Returns the lines about a round that are written to the terminal.
pub(super) fn remarks(summary: &Summary, folder: &Path) -> Vec<String> {
    let Summary { tests, seconds, properties, stop, .. } = summary;
    let model = &summary.model;
    let rate = *tests as f64 / seconds.max(0.001);
    let mut lines = vec![format!(
        "{}, {}; {} in {seconds:.1} s ({rate:.0} per second); {properties}; stopped: {}",
        counted(model.states, "state"),
        counted(model.transitions, "transition"),
        counted(*tests, "test"),
        in_words(*stop),
    )];
    lines.extend(about_model(summary));
    if let Some(Branches { covered, all }) = summary.branches {
        lines.push(format!("branch coverage of the attack: {covered} of {all}"));
    }
    if !summary.attacked && properties.mined > 0 {
        lines.push("no property was attacked: the budget ran out first".to_owned());
    }
    lines.extend(about_gaps(&summary.gaps));
    lines.push(format!("written to {}", folder.display()));
    lines
}

fn about_model(summary: &Summary) -> Vec<String> {
    let model = &summary.model;
    let mut lines = Vec::new();
    if model.made_by_round != summary.round {
        lines.push(format!("the model is {}", model.origin));
    }
    if let Some(Share { good, of, interval: Some((low, high)) }) = model.walks {
        lines.push(format!(
            "of {} through the model, {good} were reproduced on the class ({low:.2} to {high:.2})",
            counted(of, "random walk"),
        ));
    } else if let Some(realized) = model.realized {
        // Rounded down, because only all is 100 %.
        lines.push(format!(
            "{} % of random walks through the model were reproduced on the class",
            (realized * 100.0).floor()
        ));
    }
    for word in model.unrealized.iter().flatten().take(2) {
        lines.push(format!("  not reproduced: {}", word.join(" ")));
    }
    if model.unrealized.is_some() && !model.complete {
        lines.push("incomplete: the search stopped early; a larger --budget may find more".to_owned());
    }
    if let Some(shortest) = model.rejected.first() {
        lines.push(format!(
            "the model rejects {} of your tests (listed by --json); the shortest: {}",
            counted(model.rejected.len(), "call sequence"),
            shortest.join(" ")
        ));
    }
    let ConfirmedEdges { confirmed, all } = model.confirmed_edges;
    if confirmed < all {
        let (guesses, all) = (all - confirmed, counted(all, "transition"));
        let (are, they) =
            if guesses == 1 { ("is a guess", "it leads") } else { ("are guesses", "they lead") };
        lines.push(format!(
            "{guesses} of {all} {are} (marked `?` by `adit show`): there was no time to see where {they}"
        ));
    }
    if model.admitted > 0 {
        let one = model.admitted == 1;
        let (were, them, they) = if one { ("was", "it", "it leads") } else { ("were", "them", "they lead") };
        lines.push(format!(
            "{} happened but {were} not explored; the model allows {them}, but where {they} is a guess",
            counted(model.admitted, "call sequence")
        ));
    }
    lines
}

fn about_gaps(gaps: &Gaps) -> Vec<String> {
    let mut lines = Vec::new();
    let mut list = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            lines.push(format!("{what}: {}", names.join(", ")));
        }
    };
    list("no longer called, because they hang or crash", gaps.hang.iter().cloned().collect());
    if gaps.hanging_objects.is_empty() {
        let rare = gaps.bad_ends.iter().filter(|one| !gaps.hang.contains(&one.method));
        let rare = rare
            .map(|BadEnd { method, on, times }| format!("{method} on {on} ({})", counted(*times, "time")));
        list("sometimes hung or crashed, still called", rare.collect());
    }
    list(
        "no longer constructed, because most calls on them hang",
        gaps.hanging_objects.iter().cloned().collect(),
    );
    let returned = gaps.never_returned.iter();
    list(
        "never succeeded, so the model does not show them (--fixtures may help)",
        returned
            .map(|NeverReturned { method, times }| format!("{method} ({})", counted(*times, "time")))
            .collect(),
    );
    list(
        "never called, because adit could not construct their arguments (use --fixtures)",
        gaps.never_tried.iter().map(|one| one.method.clone()).collect(),
    );
    lines
}
