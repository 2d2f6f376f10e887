//! Observing with generated calls: random scripts, run in workers until the budget is used up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use adit_attack::HangGuard;
use adit_bytecode::Class;
use adit_trace::{
    Author, CallKind, Callable, End, EventNames, Limit, Pace, Phase, Progress, Run, RunLimits, Script, Skip,
    StepResult, Stop, Subject,
};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use super::Observed;
use crate::adapter;
use crate::budget::Budget;
use crate::java::class_under_test::{ClassUnderTest, SCRIPTS_PER_BATCH};
use crate::java::project::ClassLocation;
use crate::java::recording::Recording;
use crate::java::signature::with_types;
use crate::output::counted;
use crate::pace::BudgetPace;
use crate::progress::{Audience, Counting};
use crate::request::{GeneratedCalls, ObserveRequest};
use crate::under_test::{AnyHost, JavaWorld, UnderTest, World};

/// Number of scripts to generate before the generator learns from their runs. The first batch is small,
/// because it teaches most; the sizes are fixed, because the scripts of a seed depend on them.
const FIRST_ROUND: usize = 100;
const LARGEST_ROUND: usize = 5000;

/// Number of scripts to run at first before checking the clock.
const FIRST_CHUNK: usize = 4;

/// Approximate time between checks of the clock and of Ctrl-C.
const BREATH: Duration = Duration::from_millis(200);

/// Number of scripts that may crash or hang their worker before adit stops: each costs its time limit and a
/// new worker, and nearly always one method is to blame.
const PATIENCE: u64 = 40;

/// Number of scripts shown that crashed or hung a worker.
const CULPRITS_SHOWN: usize = 3;

pub(super) fn observe(
    request: &ObserveRequest,
    asked: &GeneratedCalls,
    quiet: bool,
) -> Result<Observed, Report> {
    let (class, GeneratedCalls { calls, budget, states }) = (&request.class, asked);
    let subject = match &class.adapter {
        Some(asked) => {
            let mut subject = adapter::under_test(asked, calls, quiet)?;
            if let AnyHost::Adapter(host) = &mut subject.host {
                host.set_states(*states);
            }
            subject
        }
        None => {
            let location = ClassLocation::new(class, Audience::unless(quiet))?;
            let class = ClassUnderTest::new(class, &location, calls, |options| {
                options.snapshots = *states;
                options.limits.batch = SCRIPTS_PER_BATCH;
            })?;
            class.into()
        }
    };
    let mut session = Session {
        guard: HangGuard::default(),
        rng: ChaCha8Rng::seed_from_u64(calls.seed),
        family: Family::new(subject.class()),
        starts: subject.vocabulary.starts.iter().cloned().collect(),
        names: subject.vocabulary.names.clone(),
        subject,
        recording: Recording::new(),
        tally: BTreeMap::new(),
        culprits: Vec::new(),
        culprits_in_all: 0,
        tests: 0,
    };
    let mut counting = Counting::new(quiet);
    let stop = session.run(request.max_events, asked, &mut BudgetPace::new(*budget), &mut counting)?;
    counting.finish();
    Ok(session.observed(counting.elapsed(), stop))
}

/// A running observation.
struct Session {
    subject: UnderTest,
    /// Learns which calls hang, so that scripts are cut before them.
    guard: HangGuard,
    rng: ChaCha8Rng,
    family: Family,
    /// The ways to construct an object.
    starts: BTreeSet<Arc<Callable>>,
    names: EventNames,
    recording: Recording,
    /// Outcomes of each method.
    tally: BTreeMap<Arc<Callable>, Fate>,
    /// The first scripts that crashed or hung a worker.
    culprits: Vec<(Script, String)>,
    culprits_in_all: u64,
    tests: u64,
}

/// Outcomes of calling a method.
#[derive(Default)]
struct Fate {
    returned: u64,
    /// Counts by exception class, or by the reason why the call could not be made.
    threw: BTreeMap<Arc<str>, u64>,
    skipped: BTreeMap<&'static str, u64>,
    /// Calls that crashed or hung the worker.
    ended: u64,
}

impl Session {
    /// Runs random scripts until the budget is used up or a limit is reached.
    fn run(
        &mut self,
        max_events: u64,
        asked: &GeneratedCalls,
        pace: &mut dyn Pace,
        counting: &mut Counting,
    ) -> Result<Stop, Report> {
        self.subject.host.limit(RunLimits { deadline: None, bad_ends: Some(1) });
        let mut round = FIRST_ROUND;
        let mut chunk = FIRST_CHUNK;
        loop {
            let size = match asked.budget {
                Budget::Tests(tests) => round.min(usize::try_from(tests - self.tests).unwrap_or(round)),
                Budget::Time(_) => round,
            };
            let scripts: Vec<Script> =
                (0..size).map(|_| self.subject.author.script(&mut self.rng, asked.calls.calls)).collect();
            let mut rest = scripts.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(chunk.min(rest.len()));
                rest = later;
                let before = counting.elapsed();
                let runs = self.guard.run(&mut self.subject.host, now, Phase::Random, pace)?;
                self.guard.warn(&mut self.subject.author);
                for (script, run) in now.iter().zip(&runs).filter(|(_, run)| run.was_run()) {
                    self.record(script, run);
                }
                if let Some(stop) = self.guard.stopped {
                    return Ok(stop);
                }
                let taken = counting.elapsed() - before;
                // The batch size affects only how soon a stop is noticed.
                chunk = if taken < BREATH / 2 { (chunk * 2).min(LARGEST_ROUND) } else { chunk };
                chunk = if taken > BREATH * 2 { (chunk / 2).max(1) } else { chunk };
                let rate = rate(self.tests, counting.elapsed());
                counting.show(|| self.progress(rate));
                if self.culprits_in_all >= PATIENCE {
                    return Ok(Stop::GaveUp);
                }
                let events = self.recording.events();
                if events >= max_events {
                    return Ok(Stop::Budget(Limit::Events));
                }
                let progress = Progress { events: Some(events), ..Progress::new(Phase::Random, self.tests) };
                if let ControlFlow::Break(stop) = pace.go_on(&progress) {
                    return Ok(stop);
                }
            }
            round = (round * 2).min(LARGEST_ROUND);
        }
    }

    fn progress(&self, rate: f64) -> String {
        format!(
            "{} ({rate:.0} per second), {}, {}",
            counted(self.tests, "test"),
            counted(self.recording.events(), "event"),
            counted(self.recording.words().words.len(), "distinct sequence")
        )
    }

    fn record(&mut self, script: &Script, run: &Run) {
        self.tests += 1;
        self.subject.author.observe(script, run);
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            let fate = self.tally.entry(statement.callable.clone()).or_default();
            match &step.result {
                StepResult::Returned(_) | StepResult::Object { .. } => fate.returned += 1,
                StepResult::Threw { class, .. } | StepResult::Unresolved { class, .. } => {
                    *fate.threw.entry(class.clone()).or_default() += 1;
                }
                StepResult::Skipped(why) => *fate.skipped.entry(reason(*why)).or_default() += 1,
            }
        }
        let ended = match &run.end {
            End::Complete | End::Oversized | End::Cut { .. } => None,
            End::TimedOut | End::Looped => Some("took too long".to_owned()),
            End::Blocked => Some("blocked".to_owned()),
            End::Died { how } => Some(how.clone()),
            _ => Some("was cut short".to_owned()),
        };
        if let Some(how) = ended {
            if let Some(statement) = script.statements.get(run.steps.len()) {
                self.tally.entry(statement.callable.clone()).or_default().ended += 1;
            }
            self.culprits_in_all += 1;
            if self.culprits.len() < CULPRITS_SHOWN {
                self.culprits.push((script.clone(), how));
            }
        }
        for life in run.lives(script, &self.names) {
            // An object returned by another object's method was not observed from its start, unless that is
            // how such objects are constructed.
            let maker = &script.statements[life.object].callable;
            let begun = maker.kind != CallKind::Method || self.starts.contains(maker);
            if begun && self.family.has(&life.class, self.subject.java()) {
                self.recording.add(&life.events);
            }
        }
    }

    fn observed(mut self, elapsed: Duration, stop: Stop) -> Observed {
        let culprits: Vec<(String, Vec<String>)> = std::mem::take(&mut self.culprits)
            .into_iter()
            .map(|(script, how)| (how, self.subject.lines(&script)))
            .collect();
        let vocabulary = &self.subject.vocabulary;
        let operations = vocabulary.starts.iter().chain(&vocabulary.methods);
        let never: Vec<(String, &Fate)> = operations
            .clone()
            .filter_map(|callable| Some((with_types(callable), self.tally.get(callable)?)))
            .filter(|(_, fate)| fate.returned == 0)
            .collect();
        let no_turn = operations
            .filter(|&callable| !self.tally.contains_key(callable))
            .map(|callable| (with_types(callable), "it had no turn; try a larger --budget".to_owned()));
        let skipped = self.subject.java().map_or(&[][..], |java| &java.api.skipped);
        let left = skipped.iter().map(|(callable, why)| (with_types(callable), why.to_string()));
        let left: Vec<(String, String)> = left.chain(no_turn).collect();
        let worst = self.tally.iter().filter(|(_, fate)| fate.ended > 0).max_by_key(|(_, fate)| fate.ended);
        let blame = worst
            .filter(|(callable, _)| callable.kind == CallKind::Method)
            .map(|(callable, _)| callable.name.clone());
        let mut remarks: Vec<String> = self.subject.speed().into_iter().collect();
        let failed = never.iter().map(|(method, fate)| format!("never succeeded: {method}: {}", fate.why()));
        remarks.extend(failed);
        remarks.extend(left.iter().map(|(method, why)| format!("never called: {method}: {why}")));
        if self.culprits_in_all > 0 {
            remarks.push(format!("{} crashed or hung a worker:", counted(self.culprits_in_all, "test")));
            for (how, lines) in &culprits {
                remarks.push(format!("  one {how}:\n    {}", lines.join("\n    ")));
            }
        }
        match stop {
            Stop::Interrupted => {
                remarks.push("stopped by Ctrl-C; everything recorded so far is written".to_owned())
            }
            Stop::Budget(Limit::Events) => remarks.push("stopped at the limit of --max-events".to_owned()),
            Stop::GaveUp => remarks.push(format!(
                "stopped after {PATIENCE} tests crashed or hung their worker{}",
                blame
                    .map(|method| format!("; `--without {method}` skips the most frequent cause"))
                    .unwrap_or_default()
            )),
            Stop::Done | Stop::Budget(Limit::Time | Limit::Tests) => {}
        }
        let never_returned: Value = never.iter().map(|(method, fate)| fate.as_json(method)).collect();
        let never_tried: Value =
            left.iter().map(|(method, why)| json!({"method": method, "why": why})).collect();
        let shown: Value =
            culprits.iter().map(|(how, lines)| json!({"how": how, "java": lines.join("\n")})).collect();
        let adapter = match &self.subject.host {
            AnyHost::Java(_) => Value::Null,
            AnyHost::Adapter(host) => json!({
                "calls": host.calls(),
                "calls_per_second": host.calls_per_second(),
                "restarts": host.restarts(),
            }),
        };
        Observed {
            class: self.subject.class().to_owned(),
            failure: self.subject.answers_nothing(),
            work: counted(self.tests, "test"),
            elapsed,
            stop,
            remarks,
            hint: match &self.subject.world {
                World::Java(_) => format!(
                    "every way to construct an object failed, as listed above; supply one with a method \
                     `public static {} make()` in a file passed with --fixtures",
                    self.subject.class()
                ),
                World::Adapter(_) => {
                    "every start failed, as listed above; let the adapter offer other values for it"
                        .to_owned()
                }
            },
            details: vec![
                ("adapter", adapter),
                ("tests", json!(self.tests)),
                ("never_returned", never_returned),
                ("never_tried", never_tried),
                ("bad_tests", json!({ "count": self.culprits_in_all, "shown": shown })),
            ],
            recording: self.recording,
        }
    }
}

impl Fate {
    /// A method that never succeeded, with the names that `adit mine` uses.
    fn as_json(&self, method: &str) -> Value {
        let times = self.threw.values().chain(self.skipped.values()).sum::<u64>() + self.ended;
        let mut value = json!({ "method": method, "times": times, "why": self.why() });
        if let Some((class, _)) = self.threw.iter().max_by_key(|(_, times)| **times) {
            value["exception"] = class.rsplit('.').next().into();
        }
        value
    }

    /// Returns the reason why a method never succeeded.
    fn why(&self) -> String {
        let mut parts: Vec<(u64, String)> =
            self.threw.iter().map(|(class, &count)| (count, format!("threw {class}"))).collect();
        parts.extend(self.skipped.iter().map(|(why, &count)| (count, (*why).to_owned())));
        if self.ended > 0 {
            parts.push((self.ended, "ended its worker".to_owned()));
        }
        parts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let parts: Vec<String> = parts
            .iter()
            .take(3)
            .map(|(count, what)| format!("{what} ({})", counted(*count, "time")))
            .collect();
        parts.join(", ")
    }
}

fn reason(skip: Skip) -> &'static str {
    match skip {
        Skip::NoReceiver => "there was no object to call it on",
        Skip::NoArgument => "an argument could not be constructed",
        Skip::WrongType => "an argument had the wrong type",
    }
}

fn rate(tests: u64, elapsed: Duration) -> f64 {
    tests as f64 / elapsed.as_secs_f64().max(0.001)
}

/// The class under test and its subclasses.
struct Family {
    head: String,
    known: HashMap<Arc<str>, bool>,
}

impl Family {
    fn new(head: &str) -> Self {
        Self { head: head.replace('.', "/"), known: HashMap::new() }
    }

    /// Returns true if the class, with dots, belongs to the family. Without class files, nothing is known of
    /// subclasses.
    fn has(&mut self, class: &Arc<str>, java: Option<&JavaWorld>) -> bool {
        if let Some(&known) = self.known.get(class) {
            return known;
        }
        let mut open = vec![class.replace('.', "/")];
        let mut seen = Vec::new();
        let mut belongs = false;
        while let Some(name) = open.pop() {
            if name == self.head {
                belongs = true;
                break;
            }
            // A damaged class may be its own ancestor.
            if seen.contains(&name) {
                continue;
            }
            // Classes that the JVM generates at run time cannot be read and belong to no family.
            let read = java.and_then(|java| java.java.classes.find(&name).ok().flatten());
            if let Some(outline) = read.and_then(|(bytes, file)| Class::parse_outline(&bytes, &file).ok()) {
                open.extend(
                    outline.superclass.iter().chain(&outline.interfaces).map(|above| above.to_string()),
                );
            }
            seen.push(name);
        }
        self.known.insert(class.clone(), belongs);
        belongs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callable_reads_as_in_java() {
        let callable = |name: &str, signature: &str, kind| Callable {
            signature: signature.to_owned(),
            ..Callable::new(kind, "a.b.Stack", name)
        };
        let push = callable("push", "(Ljava/lang/Object;[I)V", CallKind::Method);
        assert_eq!(with_types(&push), "push(Object, int[])");
        assert_eq!(with_types(&callable("Stack", "(I)V", CallKind::Constructor)), "Stack(int)");
        assert_eq!(with_types(&callable("EMPTY", "La/b/Stack;", CallKind::Constant)), "EMPTY");
    }

    #[test]
    fn the_most_frequent_reason_comes_first() {
        let mut fate = Fate::default();
        fate.threw.insert("a.Empty".into(), 2);
        fate.threw.insert("a.Full".into(), 7);
        fate.skipped.insert(reason(Skip::NoArgument), 3);
        assert_eq!(
            fate.why(),
            "threw a.Full (7 times), an argument could not be constructed (3 times), threw a.Empty (2 times)"
        );
    }
}
