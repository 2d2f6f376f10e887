//! The outcome of a round: the files in its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use adit_attack::EventReader;
use adit_automata::{Follower, Fsa, Modality, Reader, State, Traversed, format};
use adit_java::source;
use adit_logic::FateCounts;
use adit_picture::StateNames;
use adit_store::{About, Campaign};
use adit_trace::{
    CallKind, Callable, Event, Format, Label, Labels, Letter, Life, Run, Script, Value, Vocabulary,
};
use miette::Report;

use super::assertions::{Asserted, with_constants};
use super::beside::Beside;
use super::fixture_skeleton::{SKELETON, is_public, skeleton};
use super::test_file;
use super::test_names::{NamedTests, Namer};
use crate::budget::Budget;
use crate::campaign::{Conclusion, DetailedModel, JudgedProperty, RecordingCost};
use crate::findings::{self, ThrownChanges, experiments::Shown};
use crate::java::recording::Recording;
use crate::java::signature::with_types;
use crate::models::{self, DETAIL};
use crate::output::{Target, write_failed};
use crate::pipeline::Mined;
use crate::progress::rounded;
use crate::report::{self, RejectedTraces, protocol};
use crate::results::explored_first::ExploredFirst;
use crate::results::not_made::NotMade;
use crate::results::run::{
    BadEnd, BlockedCalls, Branches, ConfirmedTransitions, Construction, DetailSummary, FoundSummary, Gaps,
    Keeping, MethodExceptions, ModelSummary, Summary, Versions,
};
use crate::results::{
    self, Findings, Properties, PropertyResult, ResultFile, Results, SearchHistory, TestResult, TestedOrders,
    Tests, Witness,
};
use crate::shell;
use crate::under_test::{AnyAuthor, UnderTest, World};

/// A round that has ended.
pub(super) struct Outcome<'a> {
    pub(super) subject: &'a UnderTest,
    pub(super) reader: &'a EventReader,
    /// The tests as the adapter writes them, if the subject is no Java class.
    pub(super) rendered: Vec<String>,
    pub(super) mined: &'a Mined,
    /// The calls that block in a state.
    pub(super) blocked: Vec<BlockedCalls>,
    /// The tests of the round as they are written to a file, with what each asserts.
    pub(super) asserted: Asserted,
    pub(super) found: &'a [Shown],
    /// The calls that threw.
    pub(super) thrown: &'a ThrownChanges,
    pub(super) beside: &'a Beside,
    /// The model of the round, without the refusals of methods that never worked.
    pub(super) model: Fsa<String>,
    pub(super) about: &'a About,
    pub(super) round: i64,
    pub(super) budget: Budget,
    pub(super) cost: RecordingCost,
    pub(super) elapsed: Duration,
}

impl Outcome<'_> {
    /// Writes all files of the folder, the page last. `lives` are the objects of the user's own tests.
    /// Returns the summary, and the traces that the model rejects.
    pub(super) fn write(&self, folder: &Path, lives: &[Life]) -> Result<(Summary, RejectedTraces), Report> {
        let campaign = Campaign::read(folder)?;
        let class = self.subject.class();
        let file = |name: &str| Target::File(folder.join(name));
        for (name, format) in [("model.json", format::Format::Json), ("model.dot", format::Format::Dot)] {
            models::write(&self.model, &file(name), format, class, true)?;
        }
        self.detail_file(folder)?;
        self.fixture_skeleton(folder)?;
        self.recording(lives).write(&file("traces.jsonl"), Format::Jsonl, class)?;
        let (java_name, java) = self.java_tests();
        self.test_file(folder, &java_name, &java)?;
        let (properties, tests) = (self.properties(&java), self.tests(java));
        let findings = self.findings(folder)?;
        let (search, run) = (SearchHistory::of(&campaign)?, self.run(folder, &findings));
        results::write(folder, &properties)?;
        results::write(folder, &tests)?;
        results::write(folder, &search)?;
        results::write(folder, &findings)?;
        if let Some(invariants) = &self.beside.invariants {
            results::write(folder, invariants)?;
        }
        results::write(folder, &run)?;
        // Verdicts on an earlier model; `--test-spec` writes new ones, and the page again.
        let _ = fs::remove_file(folder.join(TestedOrders::NAME));
        let summary = run.summary.clone();
        let results = Results {
            run: Some(run),
            properties: Some(properties),
            tests: Some(tests),
            search: Some(search),
            findings: Some(findings),
            // One that cannot be read must not fail the round; `adit report` says what is wrong with it.
            validation: results::read(folder).unwrap_or_default(),
            tested_orders: None,
        };
        let rejected = report::write(
            folder,
            class,
            self.model.clone(),
            self.beside.detail.as_ref().map(|detail| detail.model.clone()),
            results,
            &campaign,
        )?;
        Ok((summary, rejected))
    }

    /// Writes the finer model; that of an earlier round is removed if there is none.
    fn detail_file(&self, folder: &Path) -> Result<(), Report> {
        let path = folder.join(DETAIL);
        match self.beside.detail.as_ref() {
            Some(detail) => {
                let (class, format) = (self.subject.class(), format::Format::Json);
                models::write(&detail.model, &Target::File(path), format, class, true)?;
            }
            None => {
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// Writes a file that the user can complete for --fixtures, unless it is there already.
    fn fixture_skeleton(&self, folder: &Path) -> Result<(), Report> {
        let Some(java) = self.subject.java() else { return Ok(()) };
        let api = &java.api;
        let failed_names: BTreeSet<&str> =
            self.mined.trouble.never_returned.iter().map(|(method, _)| method.as_str()).collect();
        let failed = api.methods.iter().map(|method| &*method.callable);
        let never = |callable: &&Callable| {
            failed_names.contains(callable.event_name()) || failed_names.contains(api.names.of(callable))
        };
        let skipped = api.skipped.iter().map(|(callable, _)| callable);
        let classes = &java.java.classes;
        let calls = failed.filter(never).chain(skipped);
        let Some(java) = skeleton(calls, |wanted| is_public(classes, wanted)) else { return Ok(()) };
        let path = folder.join(SKELETON);
        if path.exists() {
            return Ok(());
        }
        Target::File(path).write(|out| write!(out, "{java}").map_err(write_failed))
    }

    /// The traces of the user's tests and of the generated ones.
    fn recording(&self, lives: &[Life]) -> Recording {
        let mut recording = Recording::new();
        lives.iter().for_each(|life| recording.add(&life.events));
        for (script, run) in &self.mined.conclusion.tests {
            subject_lives(&self.subject.vocabulary, script, run).for_each(|life| recording.add(&life.events));
        }
        recording
    }

    /// Writes the tests of the findings, and returns them. A file of an earlier round that has no findings
    /// any more is removed.
    fn findings(&self, folder: &Path) -> Result<Findings, Report> {
        // Findings are told by tests in Java; those of adapters have no such form yet.
        let AnyAuthor::Java(generator) = &self.subject.author else { return Ok(Findings::default()) };
        let (package, name) = self.test_class("FindingsTest");
        let findings = findings::tests::written(self.found, package, &name, generator.facts());
        let path = folder.join(findings_file(self.subject.class()));
        if findings.findings.is_empty() {
            let _ = fs::remove_file(path);
            return Ok(findings);
        }
        let java = findings::tests::file(&findings);
        Target::File(path).write(|out| write!(out, "{java}").map_err(write_failed))?;
        Ok(findings)
    }

    /// The package and the name of a class of tests.
    fn test_class(&self, suffix: &str) -> (&str, String) {
        let class = self.subject.class();
        let (package, _) = class.rsplit_once('.').unwrap_or(("", class));
        // The JDK's packages are closed; in any other, a test in the same package may call more.
        let is_closed = package.starts_with("java.") || package.starts_with("javax.");
        (if is_closed { "" } else { package }, test_class_name(class, suffix))
    }

    /// The generated tests as a JUnit class, and its name.
    fn java_tests(&self) -> (String, NamedTests) {
        let (package, name) = self.test_class("MinedTest");
        let tests: Vec<(Script, Option<Run>)> =
            self.asserted.tests.iter().map(|(script, run)| (script.clone(), Some(run.clone()))).collect();
        let java = match &self.subject.author {
            AnyAuthor::Java(generator) => {
                let tests = source::test_class(package, &name, &tests, generator.facts());
                with_constants(tests, &self.asserted.enums)
            }
            AnyAuthor::Adapter(_) => self.rendered_tests(),
        };
        let Conclusion { witnesses, properties, .. } = &self.mined.conclusion;
        let class = self.subject.class();
        let namer = Namer {
            model: &self.model,
            names: StateNames::of(&self.model),
            witnesses,
            properties,
            class: class.rsplit(['.', '$']).next().unwrap_or(class),
        };
        let words: Vec<_> = (0..tests.len()).map(|test| self.words(test)).collect();
        (name, NamedTests::new(java, &namer, &words))
    }

    /// The generated tests as the adapter writes them.
    fn rendered_tests(&self) -> source::TestClass {
        let method = |(at, text): (usize, &String)| source::TestMethod {
            name: format!("test{at}"),
            source: text.trim_end().to_owned(),
        };
        let methods = self.rendered.iter().enumerate().map(method).collect();
        source::TestClass { head: String::new(), methods }
    }

    /// Writes the tests in the language of the subject.
    fn test_file(&self, folder: &Path, name: &str, tests: &NamedTests) -> Result<(), Report> {
        let (extension, text) = match &self.subject.world {
            World::Java(_) => ("java", test_file::written(tests)),
            World::Adapter(adapter) => {
                let one = |method: &source::TestMethod| format!("# {}\n{}\n", method.name, method.source);
                let all: Vec<String> = tests.class.methods.iter().map(one).collect();
                (adapter.extension(), all.join("\n"))
            }
        };
        let target = Target::File(folder.join(format!("tests/{name}.{extension}")));
        target.write(|out| write!(out, "{text}").map_err(write_failed))
    }

    /// The events of each object of the class under test, in one test.
    fn words(&self, test: usize) -> Vec<Vec<String>> {
        let (script, run) = &self.mined.conclusion.tests[test];
        subject_lives(&self.subject.vocabulary, script, run)
            .map(|life| life.events.iter().map(|event| Labels::Exception.of(event)).collect())
            .collect()
    }

    /// The fields of the same objects after each of these events, as far as they are short and known.
    fn fields(&self, test: usize) -> Vec<Vec<Vec<(String, String)>>> {
        const MOST: usize = 8;
        const LONGEST: usize = 40;
        let (script, run) = &self.mined.conclusion.tests[test];
        let shown = |value: &Value| -> Option<String> {
            let text = match value {
                // An object that is not looked into is told by its class, which says nothing at a step.
                Value::Text(text) if is_class_name(text) => return None,
                Value::Text(text) => format!("\"{text}\""),
                Value::Null => "null".to_owned(),
                Value::Bool(answer) => answer.to_string(),
                Value::Int(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                _ => return None,
            };
            (text.chars().count() <= LONGEST).then_some(text)
        };
        let of_event = |event: &Event| -> Vec<(String, String)> {
            let fields = event.state.iter().flatten();
            fields.filter_map(|(name, value)| Some((name.clone(), shown(value)?))).take(MOST).collect()
        };
        subject_lives(&self.subject.vocabulary, script, run)
            .map(|life| life.events.iter().map(of_event).collect())
            .collect()
    }

    fn tests(&self, java: NamedTests) -> Tests {
        let NamedTests { class, position, .. } = java;
        let mut tests: Vec<TestResult> = class
            .methods
            .into_iter()
            .map(|method| TestResult {
                name: method.name,
                source: method.source,
                words: Vec::new(),
                fields: Vec::new(),
            })
            .collect();
        // Tests that read the same may still have happened differently.
        for (test, &place) in position.iter().enumerate().rev() {
            tests[place].words = self.words(test);
            tests[place].fields = self.fields(test);
        }
        let witnesses = self.mined.conclusion.witnesses.renumbered(|test| position.get(test).copied());
        Tests { tests, head: class.head, witnesses }
    }

    fn properties(&self, java: &NamedTests) -> Properties {
        let one = |JudgedProperty { property, fate, support, found_after }: &JudgedProperty| {
            let witness = |test: usize| Witness {
                test: Some(java.class.methods[java.position[test]].name.clone()),
                found_after_tests: *found_after,
            };
            PropertyResult::new(property.clone(), *support, fate.map(witness))
        };
        let properties = self.mined.conclusion.properties.iter().map(one).collect();
        Properties { pure: self.mined.pure.clone(), properties }
    }

    fn run(&self, folder: &Path, findings: &Findings) -> results::Run {
        let RecordingCost { noting, writing, ending } = self.cost;
        let seconds = |spent: Duration| rounded(spent.as_secs_f64());
        results::Run {
            summary: self.summary(findings),
            parameters: self.about.parameters.as_object().cloned().unwrap_or_default(),
            versions: Versions {
                adit: self.about.tool.clone(),
                java: match &self.subject.world {
                    World::Java(java) => java.java.jdk.version.to_string(),
                    World::Adapter(adapter) => adapter.version(),
                },
                os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            },
            seed: self.about.seed,
            budget: self.budget.to_string(),
            command: shell::typed_command(),
            class_path: match &self.subject.world {
                World::Java(java) => Some(
                    java.java.typed_entries.iter().map(|entry| shell::seen_from(folder, entry)).collect(),
                ),
                World::Adapter(_) => None,
            },
            keeping: Keeping { noting: seconds(noting), writing: seconds(writing), ending: seconds(ending) },
        }
    }

    fn summary(&self, findings: &Findings) -> Summary {
        let mined = self.mined;
        Summary {
            class: self.subject.class().to_owned(),
            methods: self.subject.offered(),
            tests: mined.tests_run,
            properties: FateCounts::of(mined.conclusion.properties.iter().map(|judged| &judged.fate)),
            model: self.model(),
            detail: self.beside.detail.as_ref().map(detail_summary),
            gaps: self.gaps(),
            branches: mined.branches.map(|(covered, all)| Branches { covered, all }),
            attacked: mined.attacked,
            findings: findings.findings.iter().map(FoundSummary::of).collect(),
            round: self.round,
            seconds: self.elapsed.as_secs_f64(),
            stop: mined.conclusion.stop,
        }
    }

    fn model(&self) -> ModelSummary {
        let chosen = &self.mined.conclusion.chosen;
        let model = &self.model;
        let confirmed = model.all_edges().filter(|edge| edge.modality == Modality::Required).count();
        let (argument_exceptions, object_exceptions) = self.exceptions();
        ModelSummary {
            alphabet: model.alphabet().to_vec(),
            refused: model.states().flat_map(|state| model.refusals(state)).cloned().collect(),
            states: model.explored_states().count(),
            transitions: model.transitions(),
            not_explored: model.unexplored_transitions(),
            explored_first: ExploredFirst::of(model),
            no_protocol: !self.mined.trouble.hides_calls()
                && object_exceptions.is_empty()
                && (protocol::is_free(model) || protocol::is_immutable(model)),
            modes: self.beside.modes.clone(),
            stable_rounds: self.beside.stable_rounds,
            pure: self.mined.pure.clone(),
            realized: chosen.realized,
            walks: chosen.walks.map(Into::into),
            unrealized: self.mined.unrealized.clone(),
            confirmed_transitions: ConfirmedTransitions { confirmed, all: model.transitions() },
            origin: chosen.why.clone(),
            made_by_round: chosen.made.0,
            complete: chosen.complete,
            admitted: chosen.admitted,
            rejected: self.mined.rejected.clone(),
            guards: self.beside.guards.clone(),
            constructions: self.constructions(),
            blocked: self.blocked.clone(),
            argument_exceptions,
            object_exceptions,
        }
    }

    /// The states that each constructor leads to, as far as the tests show it for certain; nothing if labels
    /// tell constructors apart.
    fn constructions(&self) -> Vec<Construction> {
        let edges: Vec<(State, State)> = self.model.all_edges().map(|edge| (edge.from, edge.to)).collect();
        let mut follower = Follower::new(&self.model);
        let mut found: BTreeMap<&Callable, BTreeSet<State>> = BTreeMap::new();
        for (script, run) in &self.mined.conclusion.tests {
            for life in subject_lives(&self.subject.vocabulary, script, run) {
                let start = &script.statements[life.object].callable;
                if start.kind != CallKind::Constructor {
                    continue;
                }
                follower
                    .follow(life.events.iter().map(|event| self.model.letter(&Labels::Exception.of(event))));
                for &Traversed { transition, certain } in follower.traversed() {
                    let (from, to) = edges[transition];
                    if certain && self.model.initial().contains(&from) {
                        found.entry(start).or_default().insert(to);
                    }
                }
            }
        }
        let one = |(call, states): (&Callable, BTreeSet<State>)| Construction {
            call: with_types(call),
            states: states.into_iter().collect(),
        };
        let told: Vec<Construction> = found.into_iter().map(one).collect();
        if told.len() > 1 { told } else { Vec::new() }
    }

    /// The exceptions that calls threw where the model allows them: those of calls with parameters, for which
    /// arguments may be the cause, and those of others. An exception by which a state refuses the method, and
    /// any of a call without parameters, counts only if it was seen in a state that allows the call.
    fn exceptions(&self) -> (Vec<MethodExceptions>, Vec<MethodExceptions>) {
        let model = &self.model;
        let allowed: BTreeSet<&str> =
            model.alphabet().iter().map(|label| Label::parse(label).method()).collect();
        let refused: BTreeSet<Label<'_>> =
            model.states().flat_map(|state| model.refusals(state)).map(|label| Label::parse(label)).collect();
        let (mut states, unknown) = (Reader::indexed(model), model.not_explored());
        let mut is_allowed_after = |word: &Vec<Letter>, method: &str| {
            let has = |state: &State| {
                Some(*state) != unknown
                    && model.edges(*state).any(|edge| Label::parse(edge.label).method() == method)
            };
            let labels = word.iter().map(|&letter| model.letter(self.reader.alphabet().name(letter)));
            states.reads(labels) && !states.states().is_empty() && states.states().iter().all(has)
        };
        let (mut arguments, mut objects) = (Thrown::new(), Thrown::new());
        for ((callable, exception), words) in self.thrown.exceptions() {
            let method = self.subject.vocabulary.names.of(&callable);
            let exception = exception.rsplit(['.', '$']).next().unwrap_or(&exception);
            let is_refusal = |label: &Label<'_>| label.method() == method && label.threw() == Some(exception);
            let has_parameters = !callable.parameters.is_empty();
            let is_clear = has_parameters && !refused.iter().any(is_refusal);
            let mut is_seen = || words.values().any(|word| is_allowed_after(word, method));
            if allowed.contains(method) && (is_clear || is_seen()) {
                let found = if has_parameters { &mut arguments } else { &mut objects };
                found.entry(method.to_owned()).or_default().insert(exception.to_owned());
            }
        }
        let told = |found: Thrown| {
            found.into_iter().map(|(method, exceptions)| MethodExceptions { method, exceptions }).collect()
        };
        (told(arguments), told(objects))
    }

    /// Methods that were called and never returned.
    pub(super) fn never_worked(&self) -> Vec<String> {
        self.not_made().never_worked().collect()
    }

    fn not_made(&self) -> NotMade {
        let works =
            |method: &str| self.model.alphabet().iter().any(|label| Label::parse(label).method() == method);
        NotMade::of(self.subject, works)
    }

    fn gaps(&self) -> Gaps {
        let mined = self.mined;
        let offered = self.subject.offered();
        let bad_ends = mined.trouble.bad_ends.iter();
        Gaps {
            not_made: self.not_made(),
            hang: mined.trouble.given_up.iter().map(|hung| hung.shown(&offered)).collect(),
            hanging_objects: mined.trouble.constructions_given_up.clone(),
            bad_ends: { bad_ends }
                .map(|(hung, on, times)| BadEnd {
                    method: hung.shown(&offered),
                    on: on.clone(),
                    times: *times,
                })
                .collect(),
            blocking: mined.trouble.blocking.clone(),
        }
    }
}

/// Exceptions by method.
type Thrown = BTreeMap<String, BTreeSet<String>>;

fn detail_summary(DetailedModel { model, walks, coarse }: &DetailedModel) -> DetailSummary {
    DetailSummary {
        states: model.explored_states().count(),
        transitions: model.transitions(),
        not_explored: model.unexplored_transitions(),
        walks: walks.map(Into::into),
        coarse: coarse.clone(),
    }
}

/// Returns what happened to the objects of the class under test in a run, leaving out those that only serve
/// as arguments.
fn subject_lives(vocabulary: &Vocabulary, script: &Script, run: &Run) -> impl Iterator<Item = Life> {
    run.lives(script, &vocabulary.names).into_iter().filter(|life| {
        let start = &script.statements[life.object].callable;
        vocabulary.starts.contains(start)
    })
}

/// Returns true for the full name of a class: `java.util.ArrayList`.
fn is_class_name(text: &str) -> bool {
    let mut parts = text.split('.');
    let is_word = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic())
            && part.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.contains('.') && last.starts_with(char::is_uppercase) && parts.all(is_word)
}

/// The name of a class of tests.
fn test_class_name(class: &str, suffix: &str) -> String {
    format!("{}{suffix}", class.rsplit('.').next().unwrap_or(class).replace('$', ""))
}

/// The file with the tests of the findings, in the folder.
pub(super) fn findings_file(class: &str) -> String {
    format!("tests/{}.java", test_class_name(class, "FindingsTest"))
}
