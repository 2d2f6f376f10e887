//! Observing the user's own tests or program: the calls of the class while they run.

use std::collections::BTreeSet;

use adit_bytecode::overloads::Overloads;
use adit_jvm::Sandbox;
use adit_jvm::record::{EventNaming, Outcome, RecordOptions, Recorded, Task, TaskEnd, TestResult, record};
use adit_trace::{Limit, Pace, Progress, Stop};
use miette::Report;
use serde_json::{Value, json};

use super::Observed;
use crate::errors::bad_input;
use crate::interrupt::Listening;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::project::ClassLocation;
use crate::java::recording::Recording;
use crate::java::user_tests;
use crate::output::counted;
use crate::progress::{Audience, Counting, Working};
use crate::request::{ObserveRequest, Program, ProgramRequest};
use crate::stderr::tell;

/// Number of failed tests to list.
const FAILURES_SHOWN: usize = 10;

/// Limit on the events kept per object; without it, an object in constant use would fill the memory.
const LONGEST_LIFE: u64 = 100_000;

pub(super) fn observe(
    request: &ObserveRequest,
    asked: &ProgramRequest,
    quiet: bool,
) -> Result<Observed, Report> {
    let ObserveRequest { class, max_events, .. } = request;
    let ProgramRequest { program, directory, writable, .. } = asked;
    let location = ClassLocation::new(class, Audience::unless(quiet))?;
    let (java, task) = match program {
        Program::Main { class: main, arguments } => {
            let java = JavaEnvironment::new(class, &location, &[])?;
            let task = main_of(&java, main, arguments)?;
            (java, task)
        }
        Program::Tests(tests) => {
            let (places, names) = user_tests::split(tests)?;
            let java = JavaEnvironment::new(class, &location, &places)?;
            let classes = user_tests::classes(&java, &places, &names)?;
            (java, Task::Tests { classes })
        }
    };
    for folder in writable.iter().chain([directory]) {
        if !folder.is_dir() {
            return Err(bad_input(
                format!("{} is not a folder", folder.display()),
                "--directory and --writable need existing folders",
            ));
        }
    }
    let longest = LONGEST_LIFE.min(*max_events);
    let naming = match asked.overloads {
        Overloads::Apart => EventNaming::Overload { non_public: class.non_public },
        Overloads::Merged => EventNaming::Name,
    };
    let options = RecordOptions {
        writable: writable.clone(),
        states: asked.states,
        ..user_tests::record_options(&java, task, directory.clone(), asked.time_limit, longest, naming)?
    };
    if class.sandbox == Sandbox::Unsafe {
        tell("WARNING: --unsafe-no-sandbox: the tests run without any protection that this kernel lacks");
    }
    let mut recording = Recording::new();
    let mut counting = Counting::new(quiet);
    let mut full = false;
    let mut take = |life: adit_trace::Life| {
        full |= recording.events() >= *max_events;
        if !full {
            recording.add(&life.events);
        }
    };
    let mut listening = Listening::new();
    let recorded = record(options.clone(), &mut take, &mut |now: &Progress| {
        let (objects, events) = (now.objects.unwrap_or(0), now.events.unwrap_or(0));
        counting.show(|| {
            [counted(now.tests, "test"), counted(objects, "object"), counted(events, "event")].join(", ")
        });
        listening.go_on(now)
    })
    .map_err(environment::cannot_run)?;
    counting.finish();
    let mut remarks = Remarks { asked, recorded: &recorded, lines: Vec::new() };
    remarks.end();
    remarks.failures();
    remarks.left(full);
    remarks.cost();
    let mut lines = remarks.lines;
    let mut details = details(&recorded);
    if asked.states {
        details.push(("state_seconds", json!(recorded.state_time.as_secs_f64())));
    }
    // A stopped run cannot be compared with a complete one.
    if asked.compare && !matches!(recorded.end, TaskEnd::Stopped(_)) {
        let working = Working::new("running the tests again without recording", quiet);
        let plain = RecordOptions { record: false, ..options };
        let plain = record(plain, &mut |_| {}, &mut listening).map_err(environment::cannot_run)?;
        drop(working);
        if matches!(plain.end, TaskEnd::Stopped(_)) {
            lines.push("stopped by Ctrl-C before the comparison with a run without recording".to_owned());
        } else {
            let (line, detail) = compare(&recorded, &plain, "recording");
            lines.push(line);
            details.push(("compare", detail));
        }
    }
    drop(listening);
    Ok(Observed {
        class: java.class.dotted_name(),
        recording,
        work: match program {
            Program::Main { class, .. } => class.clone(),
            Program::Tests(_) => counted(recorded.tests.len(), "test"),
        },
        elapsed: recorded.elapsed,
        stop: match recorded.end {
            _ if full => Stop::Budget(Limit::Events),
            // A program may end by leaving its process; its exit code is told among the details.
            TaskEnd::Finished | TaskEnd::Exited { .. } => Stop::Done,
            TaskEnd::TimedOut => Stop::Budget(Limit::Time),
            TaskEnd::Stopped(stop) => stop,
            TaskEnd::Died { .. } => Stop::GaveUp,
        },
        remarks: lines,
        failure: None,
        hint: "do the tests use the class at all? without --tests and --main, adit generates calls"
            .to_owned(),
        details,
    })
}

/// The program to run.
pub(in crate::commands) fn main_of(
    java: &JavaEnvironment,
    name: &str,
    arguments: &[String],
) -> Result<Task, Report> {
    let class = java.classes.class(name)?;
    let is_main = |method: &adit_bytecode::Method| {
        &*method.name == "main" && method.is_static() && &*method.descriptor == "([Ljava/lang/String;)V"
    };
    if !class.methods.iter().any(is_main) {
        return Err(bad_input(
            format!("--main: {} has no method `static void main(String[])`", class.dotted_name()),
            "name the class that `java` would be started with",
        ));
    }
    Ok(Task::Main { class: class.dotted_name(), args: arguments.to_vec() })
}

/// Remarks about a run.
struct Remarks<'a> {
    asked: &'a ProgramRequest,
    recorded: &'a Recorded,
    lines: Vec<String>,
}

impl Remarks<'_> {
    fn is_main(&self) -> bool {
        matches!(self.asked.program, Program::Main { .. })
    }

    /// Reports how the run ended, unless all went well.
    fn end(&mut self) {
        let recorded = self.recorded;
        let during = recorded.running.as_ref().map(|test| format!(" during {test}")).unwrap_or_default();
        let how = match &recorded.end {
            TaskEnd::Finished => return,
            TaskEnd::Exited { code: 0 } if self.is_main() => return,
            TaskEnd::Stopped(_) => {
                let line = format!("stopped by Ctrl-C{during}; everything recorded so far is written");
                self.lines.push(line);
                return;
            }
            TaskEnd::TimedOut => format!("took longer than {:?}{during}", self.asked.time_limit),
            TaskEnd::Exited { code } => format!("ended with exit code {code}{during}"),
            TaskEnd::Died { how } => format!("{how}{during}"),
        };
        let who = if self.is_main() { "the program" } else { "the tests" };
        self.lines.push(format!("warning: {who} {how}; everything recorded so far is written"));
        if !recorded.printed.trim().is_empty() {
            let head: Vec<&str> = recorded.printed.lines().take(10).collect();
            self.lines.push(format!("it printed:\n  {}", head.join("\n  ")));
        }
    }

    fn failures(&mut self) {
        let failed: Vec<(&str, &str)> = failures(&self.recorded.tests).collect();
        if failed.is_empty() {
            return;
        }
        self.lines.push(format!(
            "warning: {} of {} failed:",
            failed.len(),
            counted(self.recorded.tests.len(), "test")
        ));
        for (name, message) in failed.iter().take(FAILURES_SHOWN) {
            self.lines.push(format!("  {name}: {}", message.lines().next().unwrap_or_default()));
        }
        if failed.len() > FAILURES_SHOWN {
            self.lines.push(format!("  … and {} more; --json lists all", failed.len() - FAILURES_SHOWN));
        }
    }

    /// Reports the time that states took.
    fn cost(&mut self) {
        if self.asked.states {
            let [states, all] =
                [self.recorded.state_time, self.recorded.elapsed].map(|time| time.as_secs_f64());
            self.lines.push(format!("reading arguments and states took {states:.2} s of {all:.2} s"));
        }
    }

    /// Reports what is missing from the recording.
    fn left(&mut self, full: bool) {
        self.lines.extend(self.recorded.left.iter().map(|left| format!("not recorded: {left}")));
        if self.recorded.cut > 0 {
            let cut = self.recorded.cut;
            self.lines.push(format!(
                "{} had more than {LONGEST_LIFE} events; only the first ones were kept",
                counted(cut, "object")
            ));
        }
        if full {
            self.lines.push("the recording stopped at the limit of --max-events".to_owned());
        }
    }
}

fn failures(tests: &[TestResult]) -> impl Iterator<Item = (&str, &str)> {
    tests.iter().filter_map(|test| match &test.outcome {
        Outcome::Failed { message, .. } => Some((test.name.as_str(), message.as_str())),
        _ => None,
    })
}

fn details(recorded: &Recorded) -> Vec<(&'static str, Value)> {
    let count =
        |wanted: fn(&Outcome) -> bool| recorded.tests.iter().filter(|test| wanted(&test.outcome)).count();
    let failed: Value =
        failures(&recorded.tests).map(|(name, message)| json!({"name": name, "message": message})).collect();
    let end = match &recorded.end {
        TaskEnd::Finished | TaskEnd::TimedOut | TaskEnd::Stopped(_) => Value::Null,
        TaskEnd::Exited { code } => json!({ "exit_code": code }),
        TaskEnd::Died { how } => json!({ "died": how }),
    };
    vec![
        ("tests", json!(recorded.tests.len())),
        ("passed", json!(count(|outcome| *outcome == Outcome::Passed))),
        ("skipped", json!(count(|outcome| *outcome == Outcome::Skipped))),
        ("failed", failed),
        ("end", end),
        ("not_recorded", json!(recorded.left)),
    ]
}

/// Compares the results and the time of a run with those of one without `act`: recording, or watching.
pub(in crate::commands) fn compare(recorded: &Recorded, plain: &Recorded, act: &str) -> (String, Value) {
    let sorted = |tests: &[TestResult]| {
        // Messages contain addresses and times, so only the kind of ending is compared.
        let mut tests: Vec<(String, u8)> = tests
            .iter()
            .map(|test| match test.outcome {
                Outcome::Passed => (test.name.clone(), 0),
                Outcome::Failed { .. } => (test.name.clone(), 1),
                Outcome::Skipped => (test.name.clone(), 2),
            })
            .collect();
        tests.sort();
        tests
    };
    let with_tests = !recorded.tests.is_empty();
    let (with, without) = (sorted(&recorded.tests), sorted(&plain.tests));
    let different: BTreeSet<&str> = with
        .iter()
        .filter(|test| !without.contains(test))
        .chain(without.iter().filter(|test| !with.contains(test)))
        .map(|(name, _)| name.as_str())
        .collect();
    let slowdown = recorded.elapsed.as_secs_f64() / plain.elapsed.as_secs_f64().max(0.001);
    let line = if different.is_empty() {
        let [with, without] = [recorded, plain].map(|run| run.elapsed.as_secs_f64());
        let same = if with_tests { "all tests end" } else { "the run ends" };
        format!(
            "{same} the same way without {act}; {act} takes {slowdown:.1} times as long ({with:.2} s instead of \
             {without:.2} s)"
        )
    } else {
        let names: Vec<&str> = different.iter().take(FAILURES_SHOWN).copied().collect();
        let end = if different.len() == 1 { "ends" } else { "end" };
        let tests = counted(different.len(), "test");
        format!("warning: {tests} {end} differently without {act}: {}", names.join(", "))
    };
    let seconds = plain.elapsed.as_secs_f64();
    let detail = json!({
        "same": different.is_empty(),
        "different": different,
        "slowdown": slowdown,
        "seconds_without": seconds,
    });
    (line, detail)
}
