//! Watching objects of several classes while tests or an application run: every call from outside as it ends,
//! with its place, and with the stack if it threw.
//!
//! Unlike a recording, nothing is kept: the caller gets each call once, in the order in which calls end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{ClassPath, Flags, Program};
use adit_trace::{Outcome, Pace};

use crate::classes;
use crate::error::HostError;
use crate::record::plan::{EventName, EventNaming, Method, Plan, TargetSet};
use crate::record::stream::RecordDecoder;
use crate::record::{RecordOptions, Recorded, run};
use crate::wire::{Garbled, Take};

/// The number of classes that can be watched at once: one bit each.
pub const MOST_CLASSES: usize = 64;

/// A call of a watched object.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedCall {
    /// The object, by a number that no other object gets.
    pub object: u64,
    /// The class of the object, with dots.
    pub class: Arc<str>,
    /// The watched classes that it is an instance of, by their numbers.
    pub targets: Vec<usize>,
    /// The number of the method that was called; see [`WatchPlan::signature`]. Nothing for a constructor.
    pub method: Option<usize>,
    /// The end of the call.
    pub outcome: Outcome,
    /// Where the client called it.
    pub place: Option<CodePlace>,
    /// The stack of a call that threw, innermost first, beginning with the method that was called.
    pub stack: Vec<CodePlace>,
    /// The test that was running.
    pub test: Option<Arc<str>>,
}

/// A place in code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// The class, with dots.
    pub class: Arc<str>,
    /// The method.
    pub method: Arc<str>,
    /// The source file, if the compiler kept its name.
    pub file: Option<Arc<str>>,
    /// The line, if the compiler kept lines.
    pub line: Option<u32>,
}

/// Something that happened to a watched object.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// A call ended.
    Call(WatchedCall),
    /// The object was collected.
    Gone(u64),
}

/// The classes to watch, prepared.
pub struct WatchPlan {
    plan: Plan,
    /// For each class, its methods by their numbers, as `add(int,java.lang.String)`.
    signatures: Vec<BTreeMap<usize, String>>,
}

impl WatchPlan {
    /// Reads the classes, given by their names with dots, in the order of their numbers. Of those with
    /// `true`, only objects of exactly the class count, beside the creation of others. Fails if one of them
    /// is not on the class path; see [`MOST_CLASSES`].
    pub fn make(options: &RecordOptions, classes: &[(String, bool)]) -> Result<WatchPlan, HostError> {
        let host = &options.host;
        let names = || classes.iter().map(|(name, _)| name);
        let own: BTreeSet<String> = classes::open(None, &host.class_path)?.names();
        let path = classes::open(Some(&host.jdk), &host.class_path)?;
        // Objects of abstract classes of the JDK are of other classes of the JDK, which must be found.
        let is_abstract = |name: &String| {
            path.class(name).is_ok_and(|class| class.is_interface() || class.flags.has(Flags::ABSTRACT))
        };
        let program = if names().any(|name| is_abstract(name) && !own.contains(&name.replace('.', "/"))) {
            Program::new(&path, everyday(&path, &own).iter().map(String::as_str))
        } else {
            Program::new(&path, own.iter().map(String::as_str))
        };
        let mut plans = Vec::new();
        let mut named = Vec::new();
        for (name, exact) in classes.iter().take(MOST_CLASSES) {
            let (mut plan, names) = Plan::make(&path, name, &own, &program, EventNaming::Signature, false)?;
            for target in plan.targets.iter_mut().filter(|_| *exact) {
                target.exact = true;
                // Methods that a class below overrides run only on objects that do not count.
                let below = program.subtypes(&target.class);
                target.holders.retain(|holder| below.iter().all(|class| **class != **holder));
            }
            // The first name is that of constructors.
            let names = names.into_iter().skip(1).map(|name| name.method);
            named.push(plan.methods.iter().cloned().zip(names).collect::<Vec<_>>());
            plans.push(plan);
        }
        let plan = Plan::join(plans);
        let number = |method: &Method| plan.methods.binary_search(method).ok();
        let by_number = |named: Vec<(Method, String)>| {
            named.into_iter().filter_map(|(method, name)| Some((number(&method)?, name))).collect()
        };
        let signatures = named.into_iter().map(by_number).collect();
        Ok(WatchPlan { plan, signatures })
    }

    /// The signature of a method, if its calls are watched on objects of this class. A bridge has that of the
    /// method which it leads to.
    pub fn signature(&self, target: usize, method: usize) -> Option<&str> {
        Some(self.signatures.get(target)?.get(&method)?.as_str())
    }

    /// Returns true if the method is static and returns the class.
    pub fn is_factory(&self, method: usize) -> bool {
        self.plan.methods.get(method).is_some_and(|method| method.is_factory)
    }

    /// Runs the task of the options, and passes every call to `sink` soon after it has ended. Asks `pace`
    /// several times a second whether to go on.
    pub fn run(
        &self,
        options: RecordOptions,
        sink: &mut dyn FnMut(Watched),
        pace: &mut dyn Pace,
    ) -> Result<Recorded, HostError> {
        let mut decoder = RecordDecoder::new(Vec::<EventName>::new(), false);
        decoder.watching = Some(Box::default());
        let mut hand_on = |decoder: &mut RecordDecoder, _: bool| {
            let waiting = decoder.watching.as_mut().map(|watching| std::mem::take(&mut watching.waiting));
            waiting.into_iter().flatten().for_each(&mut *sink);
        };
        run(options, Some(self.plan.clone()), decoder, &mut hand_on, pace)
    }
}

/// The classes of the user, and those of the JDK that everyday objects are of.
fn everyday(path: &ClassPath, own: &BTreeSet<String>) -> Vec<String> {
    let packages = ["java/", "javax/", "sun/nio/", "sun/security/", "jdk/internal/"];
    let is_everyday =
        |name: &String| own.contains(name) || packages.iter().any(|package| name.starts_with(package));
    path.names().into_iter().filter(is_everyday).collect()
}

/// Calls on their way from the worker.
#[derive(Default)]
pub(crate) struct WatchedCalls {
    /// The targets of each class.
    targets: Vec<TargetSet>,
    methods: Vec<CodeMethod>,
    /// The largest number of an object so far.
    last_object: u64,
    test: Option<Arc<str>>,
    waiting: Vec<Watched>,
}

/// A method that places are in.
struct CodeMethod {
    class: Arc<str>,
    name: Arc<str>,
    file: Option<Arc<str>>,
    /// Where each line begins, in order, and its number.
    lines: Vec<(u64, u32)>,
}

impl WatchedCalls {
    pub(crate) fn add_class(&mut self, targets: TargetSet) {
        self.targets.push(targets);
    }

    pub(crate) fn add_method(&mut self, take: &mut Take<'_>) -> Result<(), Garbled> {
        let (class, name, file) = (take.text()?.into(), take.text()?.into(), take.text()?);
        let mut lines = Vec::new();
        for _ in 0..take.count()? {
            lines.push((take.number()?, u32::try_from(take.number()?).map_err(|_| Garbled)?));
        }
        lines.sort_unstable();
        self.methods.push(CodeMethod { class, name, file: (!file.is_empty()).then(|| file.into()), lines });
        Ok(())
    }

    pub(crate) fn add_gone(&mut self, object: u64) {
        self.waiting.push(Watched::Gone(object));
    }

    /// Reads the rest of an event. Returns true if its object is new.
    #[expect(clippy::too_many_arguments, reason = "one event, of which a part was read")]
    pub(crate) fn add_call(
        &mut self,
        object: u64,
        class: Arc<str>,
        class_number: usize,
        method: usize,
        outcome: Outcome,
        take: &mut Take<'_>,
        running: &Option<String>,
    ) -> Result<bool, Garbled> {
        let place = self.place(take)?;
        let mut stack = Vec::new();
        for _ in 0..take.count()? {
            stack.extend(self.place(take)?);
        }
        let set = self.targets.get(class_number - 1).copied().unwrap_or(0);
        let targets = (0..MOST_CLASSES).filter(|target| set & (1 << target) != 0).collect();
        if self.test.as_deref() != running.as_deref() {
            self.test = running.as_deref().map(Into::into);
        }
        let (method, test) = (method.checked_sub(1), self.test.clone());
        let call = WatchedCall { object, class, targets, method, outcome, place, stack, test };
        self.waiting.push(Watched::Call(call));
        // Objects are numbered when their first call begins.
        let is_new = object > self.last_object;
        self.last_object = self.last_object.max(object);
        Ok(is_new)
    }

    fn place(&self, take: &mut Take<'_>) -> Result<Option<CodePlace>, Garbled> {
        let (method, location) = (take.size()?, take.number()?);
        let Some(number) = method.checked_sub(1) else { return Ok(None) };
        let method = self.methods.get(number).ok_or(Garbled)?;
        let line = location.checked_sub(1).and_then(|at| {
            let before = method.lines.partition_point(|(start, _)| *start <= at);
            Some(method.lines.get(before.checked_sub(1)?)?.1)
        });
        let (class, name) = (method.class.clone(), method.name.clone());
        Ok(Some(CodePlace { class, method: name, file: method.file.clone(), line }))
    }
}

impl std::fmt::Display for CodePlace {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (class, method) = (&self.class, &self.method);
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(out, "{class}.{method}({file}:{line})"),
            (Some(file), None) => write!(out, "{class}.{method}({file})"),
            _ => write!(out, "{class}.{method}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Put;

    #[test]
    fn places_have_lines() {
        let mut bytes = Vec::new();
        bytes.text("a.Client");
        bytes.text("run");
        bytes.text("Client.java");
        bytes.number(2);
        for (start, line) in [(7, 12), (0, 10)] {
            bytes.number(start);
            bytes.number(line);
        }
        let mut calls = WatchedCalls::default();
        calls.add_method(&mut Take(&bytes)).unwrap();
        let place = |method: u64, location: u64| {
            let mut bytes = Vec::new();
            bytes.number(method);
            bytes.number(location);
            calls.place(&mut Take(&bytes)).map(|place| place.map(|place| place.to_string()))
        };
        assert_eq!(place(1, 7), Ok(Some("a.Client.run(Client.java:10)".to_owned())));
        assert_eq!(place(1, 8), Ok(Some("a.Client.run(Client.java:12)".to_owned())));
        // Native methods have no place.
        assert_eq!(place(1, 0), Ok(Some("a.Client.run(Client.java)".to_owned())));
        assert_eq!(place(0, 0), Ok(None));
        assert_eq!(place(2, 1), Err(Garbled));
    }
}
