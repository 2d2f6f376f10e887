//! `adit enrich`: completes the typestate that a test suite shows, by running mutants of its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use adit_bytecode::{ClassPath, Flags};
use adit_infer::{BehaviorCall, BehaviorModel, Exceptional, Merged, Reduced};
use adit_jvm::Sandbox;
use adit_jvm::record::intervene::{BenchMethod, BenchOptions, TestBench};
use adit_jvm::record::{EventNaming, Outcome, Task, TaskEnd};
use adit_trace::Label;
use miette::Report;
use serde_json::{Value, json};

use super::requests::class_request;
use crate::budget::Budget;
use crate::enrichment::{Callee, Enricher, Enrichment, Recheck, TransitionOrigin, generated_calls, types};
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::EnrichFlags;
use crate::flags::enrich::EnrichLabels;
use crate::flags::mine::GENERATION;
use crate::interrupt::Listening;
use crate::java::enumerated::enumerated_fields;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::project::ClassLocation;
use crate::java::user_tests;
use crate::models;
use crate::output::{Target, counted, print_json, some_of};
use crate::progress::{Audience, Counting};
use crate::stderr::tell;

/// Limit on the events kept per object.
const LONGEST_LIFE: u64 = 10_000;

pub(super) fn run(flags: &EnrichFlags, quiet: bool) -> Result<Ending, Report> {
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    let format = models::format_of(&target, flags.to.as_deref())?;
    let request = class_request(&flags.class)?;
    let location = ClassLocation::new(&request, Audience::unless(quiet))?;
    let (places, names) = user_tests::split(&flags.tests)?;
    let java = JavaEnvironment::new(&request, &location, &places)?;
    let classes = user_tests::classes(&java, &places, &names)?;
    let directory = flags.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    if !directory.is_dir() {
        return Err(bad_input(
            format!("--directory: {} is not a folder", directory.display()),
            "name an existing folder",
        ));
    }
    if request.sandbox == Sandbox::Unsafe {
        tell("WARNING: --unsafe-no-sandbox: the tests run without any protection that this kernel lacks");
    }
    let naming = EventNaming::Overload { non_public: request.non_public };
    let task = Task::Tests { classes };
    let record = user_tests::record_options(&java, task, directory, flags.time_limit, LONGEST_LIFE, naming)?;
    let mut bench =
        TestBench::start(BenchOptions { record, reuse: flags.reuse }).map_err(environment::cannot_run)?;
    let callees = callees(bench.methods(), &java.classes, &java.class.name, request.non_public);
    let mut listening = Listening::new();
    let class = java.class.dotted_name();
    let enumerated = enumerated_fields(&java.classes, &java.class.name);
    let enricher =
        Enricher::start(&mut bench, callees, enumerated, &mut listening).map_err(environment::cannot_run)?;
    check_suite(enricher.found(), &class, quiet)?;
    // A second suite run would not help: mutants run one test each.
    let mut counting = Counting::new(quiet);
    let mut show = |found: &Enrichment| {
        counting.show(|| {
            let states = counted(found.model.states().len(), "state");
            format!(
                "{}: {states}, {} that throw",
                counted(found.mutants, "mutant"),
                found.model.exceptional()
            )
        });
    };
    let budget = flags.budget;
    let (found, again) = enricher
        .limited(flags.mutant_limit)
        .enrich(flags.paper, flags.recheck, budget, &mut listening, &mut show)
        .map_err(environment::cannot_run)?;
    counting.finish();
    drop(listening);
    let machines = bench.machines();
    let result = Enriched::new(&found, flags.labels, flags.all_fields);
    models::write(&result.model.typestate(Exceptional::One), &target, format, &class, quiet)?;
    if flags.json {
        print_json(&result.json(&class, &found, again.as_ref(), machines))?;
    }
    if !quiet {
        report(&result, &found, budget);
        if let Some(Recheck { calls, unconfirmed }) = &again {
            let confirmed = calls - unconfirmed.len();
            tell(&format!("run again: {confirmed} of {} were seen again", counted(*calls, "transition")));
        }
    }
    Ok(Ending::Clean)
}

/// Fails if the suite shows nothing of the class.
fn check_suite(found: &Enrichment, class: &str, quiet: bool) -> Result<(), Report> {
    let suite = &found.suite;
    let failed: Vec<&str> = suite
        .tests
        .iter()
        .filter_map(|test| matches!(test.outcome, Outcome::Failed { .. }).then_some(test.name.as_str()))
        .collect();
    match &suite.end {
        TaskEnd::Finished => {}
        TaskEnd::TimedOut => {
            return Err(no_answer(
                format!(
                    "the suite did not end in time, in {}",
                    suite.running.as_deref().unwrap_or("no test")
                ),
                "give it more time with --time-limit, or name fewer tests",
            ));
        }
        TaskEnd::Stopped(_) => {
            return Err(no_answer("stopped by Ctrl-C before the suite had ended", "nothing was written"));
        }
        TaskEnd::Exited { code } => {
            return Err(no_answer(
                format!(
                    "{} ends its JVM with exit code {code}",
                    suite.running.as_deref().unwrap_or("a test")
                ),
                "leave that test out: name the others with --tests",
            ));
        }
        TaskEnd::Died { how } => {
            return Err(no_answer(
                format!("the JVM of the suite {how}"),
                "run `adit observe` on it to learn more",
            ));
        }
    }
    let load_errors =
        ["NoClassDefFoundError", "NoSuchMethodError", "ClassNotFoundException", "NoSuchFieldError"];
    let unloadable = suite.tests.iter().find_map(|test| match &test.outcome {
        Outcome::Failed { class, message, .. } if load_errors.iter().any(|error| class.ends_with(error)) => {
            Some((test.name.as_str(), message.as_str()))
        }
        _ => None,
    });
    if suite.lives.is_empty() {
        if let Some((test, why)) = unloadable {
            return Err(bad_input(
                format!("{test} does not fit the class path: {why}"),
                "were the tests compiled against these classes? add what is missing with --classpath",
            ));
        }
        return Err(bad_input(
            format!("none of {} uses {class}", counted(suite.tests.len(), "test")),
            "name tests that create objects of the class; `adit mine` needs no tests",
        ));
    }
    if !failed.is_empty() && !quiet {
        let names = some_of(&failed, 3);
        tell(&format!("{} of the suite fail as they are: {names}", counted(failed.len(), "test")));
        if let Some((test, why)) = unloadable {
            tell(&format!(
                "note: {test} does not fit the class path: {why}; add what is missing with --classpath"
            ));
        }
    }
    Ok(())
}

/// The methods to call: public ones unless others are wanted, each name of events once.
fn callees(methods: &[BenchMethod], classes: &ClassPath, class: &str, non_public: bool) -> Vec<Callee> {
    let generated = generated_calls(classes, class, non_public, GENERATION);
    let visible = visible_methods(classes, class, non_public);
    let mut seen = BTreeSet::new();
    methods
        .iter()
        .enumerate()
        .filter(|(_, method)| !method.is_static)
        .filter(|(_, method)| visible.contains(&(method.name.clone(), method.descriptor.clone())))
        .filter(|(_, method)| seen.insert(method.event.clone()))
        .map(|(number, method)| {
            let (parameters, result) = types(&method.descriptor);
            let generated = generated.get(&(method.name.clone(), method.descriptor.clone()));
            let generated = generated.cloned().unwrap_or_default();
            Callee { event: method.event.clone(), number, parameters, result, generated }
        })
        .collect()
}

/// Name and descriptor of the methods that a caller may call, in the class and above it, without bridges.
fn visible_methods(classes: &ClassPath, class: &str, non_public: bool) -> BTreeSet<(String, String)> {
    let mut visible = BTreeSet::new();
    let mut open = vec![class.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == "java/lang/Object" || !seen.insert(name.clone()) {
            continue;
        }
        let Ok(Some(class)) = classes.read(&name) else { continue };
        for method in &class.methods {
            let is_public = method.flags.has(Flags::PUBLIC);
            if (is_public || non_public) && !method.flags.has(Flags::BRIDGE) {
                visible.insert((method.name.to_string(), method.descriptor.to_string()));
            }
        }
        open.extend(class.superclass.iter().chain(&class.interfaces).map(ToString::to_string));
    }
    visible
}

/// The result as the user sees it.
struct Enriched {
    model: BehaviorModel,
    initial: BehaviorModel,
    origins: BTreeMap<BehaviorCall, TransitionOrigin>,
    /// For each call, events that lead to it.
    words: BTreeMap<BehaviorCall, Vec<String>>,
    /// Fields that make no difference.
    dropped: Vec<String>,
    /// Number of states that are gone because others have the same future.
    merged: usize,
}

/// A call for people.
fn shown(call: &BehaviorCall) -> String {
    let threw = call.threw.as_ref().map(|class| format!("!{class}")).unwrap_or_default();
    format!("{}{threw}", call.label)
}

impl Enriched {
    fn new(found: &Enrichment, labels: EnrichLabels, all_fields: bool) -> Self {
        let (model, initial) = match labels {
            EnrichLabels::Method => (&found.model, &found.initial),
            EnrichLabels::Outcome => (&found.outcomes, &found.initial_outcomes),
        };
        let reduced = |model: &BehaviorModel| {
            if all_fields {
                let numbers = (0..model.states().len()).collect();
                return (Reduced { model: model.clone(), dropped: Vec::new(), numbers }, 0);
            }
            let Reduced { model, dropped, numbers } = model.without_irrelevant_fields();
            let before = model.states().len();
            let Merged { model, numbers: futures } = model.with_merged_futures();
            let numbers = numbers.into_iter().map(|number| futures[number]).collect();
            let merged = before - model.states().len();
            (Reduced { model, dropped, numbers }, merged)
        };
        let (Reduced { model, dropped, numbers }, merged) = reduced(model);
        let initial = reduced(initial).0.model;
        let (mut origins, mut words) = (BTreeMap::new(), BTreeMap::new());
        for (call, origin) in &found.origins {
            let from = call.from.map(|from| numbers[from]);
            let word = found.witnesses.get(call).map(|witness| witness.word.clone());
            let label = match labels {
                EnrichLabels::Method => Label::parse(&call.label).method().to_owned(),
                EnrichLabels::Outcome => call.label.clone(),
            };
            let call = BehaviorCall { from, label, to: numbers[call.to], threw: call.threw.clone() };
            words.entry(call.clone()).or_insert_with(|| word.unwrap_or_default());
            let known = origins.entry(call).or_insert(*origin);
            *known = (*known).min(*origin);
        }
        Self { model, initial, origins, words, dropped, merged }
    }

    fn json(&self, class: &str, found: &Enrichment, again: Option<&Recheck>, machines: u64) -> Value {
        let size = |model: &BehaviorModel| {
            let typestate = model.typestate(Exceptional::One);
            let exceptional = typestate.all_edges().filter(|edge| edge.label.contains('!')).count();
            (typestate.len(), typestate.transitions(), exceptional)
        };
        let (states, transitions, exceptional) = size(&self.model);
        let (first_states, first_transitions, first_exceptional) = size(&self.initial);
        let count = |origin: TransitionOrigin| self.origins.values().filter(|of| **of == origin).count();
        let transition = |(call, origin): (&BehaviorCall, &TransitionOrigin)| {
            json!({
                "word": self.words.get(call),
                "from": call.from,
                "label": call.label,
                "threw": call.threw,
                "to": call.to,
                "origin": origin.name(),
            })
        };
        json!({
            "class": class,
            "states": states,
            "transitions": transitions,
            "exceptional": exceptional,
            "initial": {
                "states": first_states,
                "transitions": first_transitions,
                "exceptional": first_exceptional,
            },
            "mutants": found.mutants,
            "hung": found.hung,
            "died": found.died,
            "machines": machines,
            "seconds": found.elapsed.as_secs_f64(),
            "complete": !found.is_cut,
            "merged_fields": self.dropped,
            "merged_states": self.merged,
            "not_called": found.not_called,
            "origins": {
                "suite": count(TransitionOrigin::Suite),
                "added": count(TransitionOrigin::AddedCall),
                "suppressed": count(TransitionOrigin::SuppressedCall),
            },
            "state_names": self.model.state_names(),
            "recheck": again.map(|again| {
                let unconfirmed: Vec<String> = again.unconfirmed.iter().map(shown).collect();
                json!({
                    "transitions": again.calls,
                    "confirmed": again.calls - again.unconfirmed.len(),
                    "unconfirmed": unconfirmed,
                })
            }),
            "calls": self.origins.iter().map(transition).collect::<Vec<_>>(),
        })
    }
}

fn report(result: &Enriched, found: &Enrichment, budget: Budget) {
    let seconds = found.elapsed.as_secs_f64();
    tell(&format!(
        "{} in {seconds:.1} s: {} that throw, {} in the suite; {}",
        counted(found.mutants, "mutant"),
        counted(result.model.exceptional(), "transition"),
        result.initial.exceptional(),
        counted(result.model.states().len(), "state"),
    ));
    if !result.dropped.is_empty() {
        let fields = some_of(&result.dropped, 5);
        tell(&format!("left out of the states, because they make no difference to calls: {fields}"));
    }
    if result.merged > 0 {
        let merged = counted(result.merged, "state");
        tell(&format!(
            "merged: {merged} with the same calls and exceptions as others; --all-fields keeps them"
        ));
    }
    if found.hung + found.died > 0 {
        tell(&format!("{} hung and {} ended their JVM", counted(found.hung, "mutant"), found.died));
    }
    for (method, why) in found.not_called.iter().take(5) {
        tell(&format!("not called: {method}: {why}"));
    }
    if found.is_cut {
        let is_spent = match budget {
            Budget::Time(time) => found.elapsed >= time,
            Budget::Tests(tests) => found.mutants >= tests,
        };
        let limit = budget.in_words();
        tell(&if is_spent {
            format!("incomplete: the budget of {limit} is spent; a larger --budget shows more")
        } else {
            format!("incomplete: stopped after {seconds:.1} s")
        });
    }
}
