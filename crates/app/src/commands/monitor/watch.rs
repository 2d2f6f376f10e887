//! Objects under watch: the state of each, the events before, and the violations.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use adit_jvm::record::watch::{CodePlace, WatchPlan, Watched, WatchedCall};
use adit_trace::{Outcome, Value};
use adit_verify::{Followed, Monitor, ObservedEnd, Typestate};

use crate::output::{counted, some_of};

/// Number of events that the history of an object keeps, beside the first.
const HISTORY: usize = 30;

/// Number of different violations that are kept; a loop may have any number.
const MOST_VIOLATIONS: usize = 1000;

/// Methods of test libraries that run code which is expected to throw.
const EXPECTING: [&str; 7] = [
    "assertThrows",
    "assertThrowsExactly",
    "assertThatThrownBy",
    "assertThatExceptionOfType",
    "catchThrowable",
    "catchThrowableOfType",
    "isThrownBy",
];

/// Objects of several classes under watch.
pub(super) struct Watch<'t> {
    plan: &'t WatchPlan,
    monitors: Vec<Monitor<'t>>,
    /// For each class and method, the call of its model.
    calls: HashMap<(usize, usize), Option<usize>>,
    /// The objects, by the class of the model and their numbers.
    objects: HashMap<(usize, u64), Object>,
    report: Report,
}

/// An object under watch.
struct Object {
    followed: Followed,
    first: Option<HistoryEvent>,
    last: VecDeque<HistoryEvent>,
    /// Number of events that the history has lost.
    lost: u64,
    /// Number of its events.
    events: u64,
}

/// An event of an object.
#[derive(Clone, Debug)]
pub(super) struct HistoryEvent {
    /// The label of the event.
    pub(super) event: String,
    pub(super) place: Option<CodePlace>,
    /// The object as it was afterwards.
    after: Followed,
    /// The event as a rule names it.
    in_rule: String,
}

/// A call that a model refuses.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    /// Class with the model, with dots.
    pub(super) model: String,
    /// Class of the object, with dots.
    pub(super) class: Arc<str>,
    /// Number of the object.
    pub(super) object: u64,
    pub(super) rule: String,
    pub(super) state: String,
    /// The call with the exception that the model says.
    pub(super) event: String,
    /// The exception that was thrown; nothing if the call returned.
    pub(super) threw: Option<String>,
    /// Every state that the object may have been in refuses the call.
    pub(super) certain: bool,
    /// It happened inside of an assertion that expects an exception.
    pub(super) expected: bool,
    pub(super) place: Option<CodePlace>,
    /// The stack below the class itself, innermost first.
    pub(super) stack: Vec<CodePlace>,
    pub(super) test: Option<Arc<str>>,
    pub(super) history: Vec<HistoryEvent>,
    /// Number of events that are missing behind the first of the history.
    pub(super) history_lost: u64,
    /// Number of times that the same happened at the same place.
    pub(super) times: u64,
}

/// The result of watching.
#[derive(Default)]
pub(super) struct Report {
    /// Calls that the model refuses and that threw, by place and rule.
    pub(super) found: Vec<Violation>,
    /// Calls that the model refuses and that returned.
    pub(super) contradictions: Vec<Violation>,
    by_place: HashMap<(String, Option<CodePlace>, bool), usize>,
    /// Number of violations, with repetitions.
    pub(super) violations: u64,
    /// Number of violations that an assertion expects.
    pub(super) expected: u64,
    /// Violations that are different and were not kept.
    not_kept: u64,
    /// For each model, the number of objects and of calls.
    pub(super) models: Vec<Seen>,
    /// Objects of classes below a class whose model holds of the class itself only.
    pub(super) subclasses: BTreeMap<String, u64>,
}

/// Objects of one model.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) class: String,
    pub(super) objects: u64,
    /// Objects whose creation was seen.
    pub(super) created: u64,
    pub(super) calls: u64,
    /// Calls that the model does not have.
    pub(super) unknown_calls: u64,
}

impl<'t> Watch<'t> {
    pub(super) fn new(typestates: &'t [Typestate], plan: &'t WatchPlan) -> Self {
        let models = typestates
            .iter()
            .map(|typestate| Seen { class: typestate.dotted_class(), ..Seen::default() })
            .collect();
        Self {
            plan,
            monitors: typestates.iter().map(Monitor::new).collect(),
            calls: HashMap::new(),
            objects: HashMap::new(),
            report: Report { models, ..Report::default() },
        }
    }

    pub(super) fn take(&mut self, seen: Watched) {
        match seen {
            Watched::Call(call) => {
                for target in call.targets.clone() {
                    self.call(target, &call);
                }
            }
            Watched::Gone(object) => {
                for target in 0..self.monitors.len() {
                    self.objects.remove(&(target, object));
                }
            }
        }
    }

    fn call(&mut self, target: usize, call: &WatchedCall) {
        let monitor = &self.monitors[target];
        let creates = call.method.is_none_or(|method| self.plan.is_factory(method));
        if !monitor.typestate().applies_to(&call.class) {
            if creates {
                *self.report.subclasses.entry(call.class.to_string()).or_default() += 1;
            }
            return;
        }
        let seen = &mut self.report.models[target];
        let key = (target, call.object);
        if creates {
            if matches!(call.outcome, Outcome::Returned(_)) && !self.objects.contains_key(&key) {
                seen.objects += 1;
                seen.created += 1;
                let simple = seen.class.rsplit('.').next().unwrap_or(&seen.class);
                let followed = monitor.created();
                let event = HistoryEvent {
                    event: format!("new {simple}"),
                    place: call.place.clone(),
                    after: followed.clone(),
                    in_rule: String::new(),
                };
                self.objects.insert(key, Object::new(followed, Some(event)));
            }
            return;
        }
        let Some(number) = call.method else { return };
        seen.calls += 1;
        let plan = self.plan;
        let of_model = *self
            .calls
            .entry((target, number))
            .or_insert_with(|| monitor.call(plan.signature(target, number)?));
        let object = self.objects.entry(key).or_insert_with(|| {
            seen.objects += 1;
            Object::new(monitor.found(), None)
        });
        let Some(of_model) = of_model else {
            // The model says nothing about the method, which may change the object.
            seen.unknown_calls += 1;
            let signature = plan.signature(target, number).unwrap_or("?");
            let name = signature.split('(').next().unwrap_or(signature).to_owned();
            object.followed = monitor.found();
            object.add(name.clone(), name, call);
            return;
        };
        let (end, ending) = match &call.outcome {
            Outcome::Threw(class) => (ObservedEnd::Threw(class), format!("!{}", simple(class))),
            Outcome::Returned(Value::Bool(answer)) => {
                let shown = if *answer { ":TRUE" } else { ":FALSE" };
                (ObservedEnd::Returned(Some(*answer)), shown.to_owned())
            }
            _ => (ObservedEnd::Returned(None), String::new()),
        };
        let before = object.followed.clone();
        let refusal = monitor.step(&mut object.followed, of_model, end);
        if let Some(refusal) = refusal {
            let after = object.cause(monitor, of_model, &before);
            let rule = monitor.rule(&refusal, after.as_deref());
            let expected = call.stack.iter().any(|frame| EXPECTING.contains(&&*frame.method));
            self.report.add(Violation {
                model: monitor.typestate().dotted_class(),
                class: call.class.clone(),
                object: call.object,
                rule,
                state: refusal.state,
                event: format!("{}!{}", refusal.call, refusal.exception),
                threw: match &call.outcome {
                    Outcome::Threw(class) => Some(class.clone()),
                    _ => None,
                },
                certain: refusal.certain,
                expected,
                place: call.place.clone(),
                stack: client_frames(&call.stack),
                test: call.test.clone(),
                history: object.history(),
                history_lost: object.lost,
                times: 1,
            });
        }
        let label = monitor.label(of_model);
        let answer = if monitor.answer_matters(of_model) { ending.as_str() } else { "" };
        let in_rule = if ending.starts_with('!') { label.to_owned() } else { format!("{label}{answer}") };
        object.add(format!("{label}{ending}"), in_rule, call);
    }

    pub(super) fn finish(mut self) -> Report {
        let key = |violation: &Violation| (violation.place.clone(), violation.rule.clone(), violation.object);
        self.report.found.sort_by_key(key);
        self.report.contradictions.sort_by_key(key);
        self.report
    }
}

impl Object {
    fn new(followed: Followed, first: Option<HistoryEvent>) -> Self {
        let events = u64::from(first.is_some());
        Self { followed, first, last: VecDeque::new(), lost: 0, events }
    }

    fn add(&mut self, event: String, in_rule: String, call: &WatchedCall) {
        self.events += 1;
        let (place, after) = (call.place.clone(), self.followed.clone());
        let event = HistoryEvent { event, place, after, in_rule };
        if self.first.is_none() && self.last.is_empty() && self.events == 1 {
            self.first = Some(event);
            return;
        }
        if self.last.len() == HISTORY {
            self.last.pop_front();
            self.lost += 1;
        }
        self.last.push_back(event);
    }

    fn history(&self) -> Vec<HistoryEvent> {
        self.first.iter().chain(&self.last).cloned().collect()
    }

    /// The event since which the object refuses the call; nothing if it is its creation, or if it is not
    /// known any more.
    fn cause(&self, monitor: &Monitor<'_>, call: usize, now: &Followed) -> Option<String> {
        if !monitor.refuses(now, call) {
            return None;
        }
        let events: Vec<&HistoryEvent> = self.first.iter().chain(&self.last).collect();
        let refuses = |event: &&&HistoryEvent| monitor.refuses(&event.after, call);
        let since = events.iter().rev().take_while(refuses).count();
        let cause = events.get(events.len().checked_sub(since)?)?;
        // The rule of a new object names no event.
        (!cause.in_rule.is_empty()).then(|| cause.in_rule.clone())
    }
}

impl Report {
    fn add(&mut self, violation: Violation) {
        let threw = violation.threw.is_some();
        if threw {
            self.violations += 1;
            self.expected += u64::from(violation.expected);
        }
        let key = (violation.rule.clone(), violation.place.clone(), threw);
        let list = if threw { &mut self.found } else { &mut self.contradictions };
        match self.by_place.get(&key) {
            Some(&at) => list[at].times += 1,
            None if list.len() < MOST_VIOLATIONS => {
                self.by_place.insert(key, list.len());
                list.push(violation);
            }
            None => self.not_kept += 1,
        }
    }

    /// Leaves out the violations that an assertion expects.
    pub(super) fn ignore_expected(&mut self) {
        self.found.retain(|violation| !violation.expected);
        self.violations -= self.expected;
    }

    pub(super) fn objects(&self) -> u64 {
        self.models.iter().map(|seen| seen.objects).sum()
    }

    pub(super) fn calls(&self) -> u64 {
        self.models.iter().map(|seen| seen.calls).sum()
    }

    /// Remarks about what was not watched, and about the models.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let unseen: Vec<&str> =
            self.models.iter().filter(|seen| seen.objects == 0).map(|seen| seen.class.as_str()).collect();
        // Of the shipped models, most concern classes that a program does not use.
        let is_telling = unseen.len() <= 3 || unseen.len() == self.models.len();
        if !unseen.is_empty() && is_telling {
            lines.push(format!("no object was seen of {}", some_of(&unseen, 3)));
        }
        if !self.subclasses.is_empty() {
            let names: Vec<&str> = self.subclasses.keys().map(String::as_str).collect();
            lines.push(format!(
                "not watched: objects of {}; the models hold of objects of the class itself",
                some_of(&names, 3)
            ));
        }
        for contradiction in self.contradictions.iter().take(3) {
            let place = contradiction.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            lines.push(format!(
                "the model is wrong: {}, but it returned{place} ({})",
                contradiction.rule,
                counted(contradiction.times, "time")
            ));
        }
        if self.contradictions.len() > 3 {
            lines.push(format!("… and {} more such places", self.contradictions.len() - 3));
        }
        if self.not_kept > 0 {
            lines.push(format!("{} more are not shown", counted(self.not_kept, "violation")));
        }
        lines
    }

    pub(super) fn summary(&self) -> String {
        let mut line = format!(
            "{}; {} watched, {}",
            counted(self.violations, "violation"),
            counted(self.objects(), "object"),
            counted(self.calls(), "call")
        );
        if self.violations as usize > self.found.len() && self.not_kept == 0 {
            let places = counted(self.found.len(), "place");
            line = line.replacen(';', &format!(" in {places};"), 1);
        }
        line
    }
}

/// The frames of the client: without those of the called class above them, of the JDK's reflection and of
/// what runs the tests.
fn client_frames(stack: &[CodePlace]) -> Vec<CodePlace> {
    const RUNNERS: [&str; 9] = [
        "org.junit.",
        "junit.",
        "org.opentest4j.",
        "org.hamcrest.",
        "org.apiguardian.",
        "java.lang.reflect.",
        "jdk.internal.reflect.",
        "java.lang.invoke.",
        "sun.reflect.",
    ];
    let is_runner = |frame: &&CodePlace| RUNNERS.iter().any(|runner| frame.class.starts_with(runner));
    let end = stack.iter().position(|frame| is_runner(&frame) && !EXPECTING.contains(&&*frame.method));
    stack[..end.unwrap_or(stack.len())].to_vec()
}

fn simple(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}
