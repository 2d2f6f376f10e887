//! Interventions: tests are run again and again while some of their calls are left out, delayed or added.
//!
//! A [`TestBench`] runs *experiments* on a suite. An experiment chooses tests and says at which calls of the
//! class under test to intervene; its run tells what every object of the class did, which tests failed and
//! how, and what became of each intervention. Calls are found by their place in an undisturbed run: the test,
//! the object by order of creation, and the number of the object's event.
//!
//! A run cannot harm the next. Each has new class loaders for the project's classes, an empty folder for
//! temporary files and a time limit; after a crash, a hang or stray threads, and after a number of runs, the
//! JVM is replaced. JUnit stays loaded between runs, because loading it takes longer than most tests.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_trace::{Argument, Life, Pace, Statement, Value};

use crate::classes;
use crate::error::HostError;
use crate::message::send;
use crate::process::{Start, Worker};
use crate::record::plan::{EventName, Plan};
use crate::record::stream::RecordDecoder;
use crate::record::{Printed, RecordOptions, Task, TaskEnd, TestResult, Watched, make_plan, prepare};
use crate::sandbox::Sandbox;
use crate::scripts::put_argument;
use crate::shared;
use crate::wire::{Garbled, Put, Take};
use crate::worker_folder;

/// Packages of what runs tests, which stays loaded between runs.
const OF_RUNNERS: [&str; 5] =
    ["org/junit/", "junit/", "org/hamcrest/", "org/opentest4j/", "org/apiguardian/"];

/// Configuration of a [`TestBench`].
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The class, its tests, and the limit of a run. Arguments and states are always recorded.
    pub record: RecordOptions,
    /// Number of runs of one JVM; 1 for a new one each time.
    pub reuse: u32,
}

/// An experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Tests to run, named as in [`TestResult::name`]; all of the task if it is empty.
    pub tests: Vec<String>,
    /// Interventions.
    pub interventions: Vec<Intervention>,
    /// Objects whose calls are recorded, by their test and their order of creation in it; all if it is
    /// `None`. Calls of others are not even looked at, so interventions must concern these objects only.
    pub only: Option<Vec<(String, u64)>>,
    /// Also tell which fields the recorded calls touch. The run takes longer.
    pub touches: bool,
}

/// An intervention at one or several calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervention {
    /// The calls.
    pub at: Site,
    /// Action to take there.
    pub action: Action,
}

/// Calls of the tests themselves; a part that is `None` matches everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The test that created the object; empty for objects made outside of any test.
    pub test: Option<String>,
    /// The object by order of creation in its test, from zero.
    pub object: Option<u64>,
    /// The number of the object's event, from zero; a constructor is an event.
    pub ordinal: Option<u64>,
    /// The name of the event.
    pub method: String,
}

/// Action of an intervention.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The call does nothing. Constructors and factories cannot be suppressed.
    Suppress {
        /// Value that it returns.
        instead: Replacement,
    },
    /// Right after the call, another method of the object is called; instead of it, if the call is suppressed
    /// as well.
    Add {
        /// Its place in [`TestBench::methods`].
        method: usize,
        /// Arguments. [`Argument::Earlier`] counts the captures first, then the statements of `made`.
        arguments: Vec<Argument>,
        /// Values of earlier calls of the same test.
        captures: Vec<Capture>,
        /// Calls that make values.
        made: Vec<Statement>,
    },
    /// The call does nothing now, and is made after the next call of another method.
    Delay {
        /// Name of the other method's events.
        until: String,
        /// True if that call must be on the same object; otherwise, on the same thread.
        same_object: bool,
        /// Value that the call returns for now.
        instead: Replacement,
        /// True to make the call when the test ends, if the other one has not come.
        run_at_end: bool,
        /// True to throw an exception of the late call out of the other one.
        rethrow: bool,
    },
}

/// Value of a call that was not made.
#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// Zero, false or null.
    Default,
    /// Plain data; the default where it does not fit the type.
    Value(Value),
    /// The object itself, for methods that return it; the default where it does not fit the type.
    Receiver,
}

/// A value of an earlier call of the same test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Capture {
    /// The object of that call, by order of creation.
    pub object: u64,
    /// The number of its event.
    pub ordinal: u64,
    /// The argument, from zero; `None` for the result.
    pub argument: Option<usize>,
}

/// A method of the class under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchMethod {
    /// Name of its events.
    pub event: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// True for a factory.
    pub is_static: bool,
}

/// Result of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchRun {
    /// The objects in order of creation.
    pub lives: Vec<BenchLife>,
    /// Results of the tests.
    pub tests: Vec<TestResult>,
    /// Notes on interventions. One that met no call has no note.
    pub notes: Vec<Note>,
    /// Fields that the recorded calls touched, each once, if the experiment asks for them.
    pub touched: Vec<Touched>,
    /// End of the run.
    pub end: TaskEnd,
    /// The test that was running when it ended prematurely.
    pub running: Option<String>,
    /// Beginning of the output of its JVM since the last run.
    pub printed: String,
    /// Methods that cannot be recorded, with the reasons.
    pub left: Vec<String>,
    /// Duration of the tests.
    pub elapsed: Duration,
}

/// A field of the class under test, of a class above or below it or of one nested in these, that recorded
/// calls of a method touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The method, by its place in [`TestBench::methods`].
    pub method: usize,
    /// Class and name of the field, `a.Box.items`.
    pub field: String,
    /// True if the field was written, and false if it was read.
    pub written: bool,
    /// True if it holds an array or an object that may change while the field stays as it is.
    pub leads_on: bool,
}

/// An object of the class in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchLife {
    /// Its events, those of added and delayed calls included.
    pub life: Life,
    /// The test that created it; empty if it was made outside of any test.
    pub test: String,
    /// Its place in the order of creation in that test.
    pub object: u64,
    /// A mark for each event.
    pub marks: Vec<Mark>,
}

/// Circumstances of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its place among all events of the run, by the ends of calls.
    pub sequence: u64,
    /// A number for its thread.
    pub thread: u64,
    /// Origin of the call.
    pub origin: Origin,
    /// The place in the code that made the exception, `a.Box.open(Box.java:7)`, if the call threw one.
    /// Only the first exceptions of a test have it.
    pub thrown_at: Option<Arc<str>>,
}

/// Maker of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The test.
    Own {
        /// Number of the object's event, in the order in which its calls began.
        ordinal: u64,
    },
    /// An intervention.
    Added {
        /// Its number.
        intervention: usize,
    },
    /// The test, but later.
    Delayed {
        /// The number of the intervention.
        intervention: usize,
    },
}

/// Report on an intervention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its number.
    pub intervention: usize,
    /// The test of the object of the call.
    pub test: String,
    /// The object.
    pub object: u64,
    /// The number of the event that the call is, or would have been.
    pub ordinal: u64,
    /// Kind of event.
    pub kind: NoteKind,
}

/// Kind of a [`Note`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// The call was suppressed.
    Suppressed,
    /// The call was put off.
    Delayed,
    /// A call could not be added, or made late.
    Failed {
        /// The reason.
        why: String,
    },
    /// The call that a delayed one waited for did not come.
    NeverCame {
        /// True if the delayed call was made at the end of the test.
        ran: bool,
    },
}

/// Numbers of the kinds of notes on their way.
pub(crate) mod note {
    pub(crate) const SUPPRESSED: u8 = 0;
    pub(crate) const DELAYED: u8 = 1;
    pub(crate) const FAILED: u8 = 2;
    pub(crate) const NEVER_CAME: u8 = 3;
    pub(crate) const NEVER_CAME_RAN: u8 = 4;
}

/// A suite on which experiments are run.
pub struct TestBench {
    options: BenchOptions,
    plan: Plan,
    names: Vec<EventName>,
    methods: Vec<BenchMethod>,
    /// Class path entries of JUnit, and the others. Nothing if they cannot be told apart.
    loaders: Option<Loaders>,
    running: Option<Running>,
    started: u64,
}

/// Class path entries that stay loaded, and those that each run loads anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loaders {
    pub(crate) kept: Vec<PathBuf>,
    pub(crate) fresh: Vec<PathBuf>,
}

/// A worker with a JVM, for several runs.
struct Running {
    watched: Watched,
    printed: Printed,
    left: u32,
}

impl TestBench {
    /// Prepares experiments on a class. Starts no JVM yet.
    pub fn start(mut options: BenchOptions) -> Result<Self, HostError> {
        options.record.states = true;
        options.record.record = true;
        let (mut plan, names) = make_plan(&options.record)?;
        plan.intervenes = true;
        let methods = plan
            .methods
            .iter()
            .zip(&names[1..])
            .map(|(method, name)| BenchMethod {
                event: name.method.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                is_static: method.is_factory,
            })
            .collect();
        let loaders = Loaders::split(&options.record)?.filter(|_| options.reuse > 1);
        if loaders.is_none() {
            options.reuse = 1;
        }
        worker_folder::sweep(&options.record.host.boxes);
        Ok(Self { options, plan, names, methods, loaders, running: None, started: 0 })
    }

    /// The methods whose calls are events, by their numbers.
    pub fn methods(&self) -> &[BenchMethod] {
        &self.methods
    }

    /// Name of the events of constructors.
    pub fn constructor(&self) -> &str {
        &self.names[0].method
    }

    /// Number of JVMs that were started.
    pub fn machines(&self) -> u64 {
        self.started
    }

    /// Changes the time limit of a run.
    pub fn set_limit(&mut self, limit: Duration) {
        self.options.record.limit = limit;
    }

    /// Runs an experiment. However it ends, the bench can run the next. Fails only if no JVM can be started,
    /// or JUnit does not run at all.
    pub fn run(&mut self, experiment: &Experiment, pace: &mut dyn Pace) -> Result<BenchRun, HostError> {
        if self.running.is_none() {
            self.running = Some(self.worker()?);
        }
        let order = self.order(experiment);
        let limit = self.options.record.limit;
        let running = self.running.as_mut().expect("it was just started");
        running.left = running.left.saturating_sub(1);
        let watched = &mut running.watched;
        watched.begin_run();
        let (control, memory) = watched.worker.channels();
        let sent = shared::reset(memory).and_then(|()| send(control, &order));
        let begin = Instant::now();
        let mut lives = BTreeMap::new();
        let end = match sent {
            Ok(()) => watched.watch(limit, &mut |_| {}, pace),
            Err(_) => Ok(watched.ended()),
        };
        let elapsed = begin.elapsed();
        let decoder = &mut watched.decoder;
        decoder.hand_on(true, &mut |life: Life| {
            lives.insert(life.object as u64, life);
        });
        let lives = decoder.take_marked(lives);
        let tests = std::mem::take(&mut decoder.tests);
        let notes = std::mem::take(&mut decoder.notes);
        let touched = std::mem::take(&mut decoder.touched);
        let left = decoder.left.clone();
        let ran = decoder.running.take();
        let is_over = watched.retires || running.left == 0;
        let printed = running.printed.take();
        if is_over || !matches!(end, Ok(TaskEnd::Finished)) {
            self.running = None;
        }
        Ok(BenchRun { lives, tests, notes, touched, end: end?, running: ran, printed, left, elapsed })
    }

    fn worker(&mut self) -> Result<Running, HostError> {
        let options = self.options.record.clone();
        let start_limit = options.host.limits.start;
        let failed = |what| move |source| HostError::Start { what, source };
        let (reader, writer) = std::io::pipe().map_err(failed("creating a pipe for its output"))?;
        let printed = Printed::read(reader).map_err(failed("starting a thread"))?;
        let protected = options.host.sandbox == Sandbox::Required;
        let start: Start =
            prepare(options, Some(self.plan.clone()), OwnedFd::from(writer), Some(self.loaders.clone()))?;
        let mut worker = Worker::start(&start)?;
        drop(start);
        let greeting = worker.greeting(start_limit).map_err(|how| HostError::Unstable { tries: 1, how })?;
        if protected && !greeting.protection.is_enough() {
            return Err(HostError::Unprotected(greeting.protection));
        }
        greeting.machine.map_err(HostError::Machine)?;
        self.started += 1;
        let decoder = RecordDecoder::new(self.names.clone(), true).marked();
        Ok(Running { watched: Watched::new(worker, decoder), printed, left: self.options.reuse })
    }

    /// An experiment as bytes.
    fn order(&self, experiment: &Experiment) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.texts(&experiment.tests);
        let classes = match &self.options.record.task {
            Task::Tests { classes } => classes.as_slice(),
            Task::Main { .. } => &[],
        };
        bytes.texts(classes);
        bytes.number(experiment.interventions.len() as u64);
        for Intervention { at, action } in &experiment.interventions {
            bytes.optional_text(at.test.as_deref());
            for part in [at.object, at.ordinal] {
                bytes.number(part.map_or(0, |part| part + 1));
            }
            self.put_events(&at.method, &mut bytes);
            match action {
                Action::Suppress { instead } => {
                    bytes.byte(0);
                    put_replacement(instead, &mut bytes);
                }
                Action::Add { method, arguments, captures, made } => {
                    bytes.byte(1);
                    bytes.number(*method as u64);
                    bytes.number(arguments.len() as u64);
                    let mut inner = Vec::new();
                    arguments.iter().for_each(|argument| put_argument(&mut inner, argument));
                    bytes.number(inner.len() as u64);
                    bytes.bytes(&inner);
                    bytes.number(captures.len() as u64);
                    for capture in captures {
                        bytes.number(capture.object);
                        bytes.number(capture.ordinal);
                        bytes.number(capture.argument.map_or(0, |argument| argument as u64 + 1));
                    }
                    bytes.number(made.len() as u64);
                    made.iter().for_each(|statement| put_statement(statement, &mut bytes));
                }
                Action::Delay { until, same_object, instead, run_at_end, rethrow } => {
                    bytes.byte(2);
                    self.put_events(until, &mut bytes);
                    for flag in [same_object, run_at_end, rethrow] {
                        bytes.byte(u8::from(*flag));
                    }
                    put_replacement(instead, &mut bytes);
                }
            }
        }
        bytes.byte(u8::from(experiment.only.is_some()));
        let only = experiment.only.as_deref().unwrap_or_default();
        bytes.number(only.len() as u64);
        for (test, object) in only {
            bytes.text(test);
            bytes.number(*object);
        }
        bytes.byte(u8::from(experiment.touches));
        bytes
    }

    /// The numbers of the events with a name; zero is the constructor's.
    fn put_events(&self, name: &str, bytes: &mut Vec<u8>) {
        let numbers: Vec<u64> = (0..)
            .zip(&self.names)
            .filter(|(_, known)| known.method == name)
            .map(|(number, _)| number)
            .collect();
        bytes.number(numbers.len() as u64);
        numbers.into_iter().for_each(|number| bytes.number(number));
    }
}

impl Loaders {
    /// Tells the entries of JUnit from the others; nothing if there are none of one kind.
    fn split(options: &RecordOptions) -> Result<Option<Self>, HostError> {
        let (mut kept, mut fresh) = (Vec::new(), Vec::new());
        for entry in classes::expand(&options.host.class_path)? {
            let names = classes::open(None, std::slice::from_ref(&entry))?.names();
            let mut names = names.iter().filter(|name| !name.ends_with("module-info")).peekable();
            let is_kept = names.peek().is_some()
                && names.all(|name| OF_RUNNERS.iter().any(|package| name.starts_with(package)));
            let entry = std::path::absolute(&entry).unwrap_or(entry);
            if is_kept { kept.push(entry) } else { fresh.push(entry) }
        }
        Ok((!kept.is_empty() && !fresh.is_empty()).then_some(Self { kept, fresh }))
    }
}

impl Watched {
    fn begin_run(&mut self) {
        self.read = 0;
        self.retires = false;
    }
}

fn put_replacement(replacement: &Replacement, bytes: &mut Vec<u8>) {
    let argument = match replacement {
        Replacement::Receiver => return bytes.byte(1),
        Replacement::Default => Argument::Null,
        Replacement::Value(value) => match value {
            Value::Bool(value) => Argument::Bool(*value),
            Value::Int(value) => Argument::Int(*value),
            Value::Float(value) => Argument::Float(*value),
            Value::Text(text) => Argument::Text(text.clone()),
            _ => Argument::Null,
        },
    };
    bytes.byte(0);
    let mut inner = Vec::new();
    put_argument(&mut inner, &argument);
    bytes.number(inner.len() as u64);
    bytes.bytes(&inner);
}

fn put_statement(statement: &Statement, bytes: &mut Vec<u8>) {
    let callable = &statement.callable;
    bytes.byte(callable.kind as u8);
    bytes.text(&callable.owner);
    bytes.text(&callable.name);
    bytes.text(&callable.signature);
    bytes.number(statement.receiver.map_or(0, |receiver| receiver as u64 + 1));
    bytes.number(statement.args.len() as u64);
    let mut inner = Vec::new();
    statement.args.iter().for_each(|argument| put_argument(&mut inner, argument));
    bytes.number(inner.len() as u64);
    bytes.bytes(&inner);
}

/// Reads a note that a worker wrote.
pub(crate) fn take_note(
    take: &mut Take<'_>,
    objects: &BTreeMap<u64, (String, u64)>,
) -> Result<Note, Garbled> {
    let intervention = take.size()?;
    let object = take.number()?;
    let ordinal = take.number()?;
    let kind = match take.byte()? {
        note::SUPPRESSED => NoteKind::Suppressed,
        note::DELAYED => NoteKind::Delayed,
        note::FAILED => NoteKind::Failed { why: take.text()?.to_owned() },
        note::NEVER_CAME => NoteKind::NeverCame { ran: false },
        note::NEVER_CAME_RAN => NoteKind::NeverCame { ran: true },
        _ => return Err(Garbled),
    };
    let (test, object) = objects.get(&object).cloned().unwrap_or_default();
    Ok(Note { intervention, test, object, ordinal, kind })
}
