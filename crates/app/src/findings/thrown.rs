//! Calls that threw, noted while a search runs: the exceptions of each and the events before it, and those
//! that threw although they had already changed the object.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use adit_attack::{EventReader, ObjectTrace};
use adit_trace::edit::cut;
use adit_trace::{Callable, End, Letter, Run, Script, Snapshot, StepResult, Value};

use crate::results::Findings;

/// Candidates for one method and exception: a call that changes a cache must not hide one that changes more.
const MAX_OF_KIND: usize = 4;

/// Candidates in all. A class whose every call throws late would fill the memory otherwise.
const MAX_KINDS: usize = 60;

/// Calls that blocked in all; each costs time, so that there are seldom more.
const MAX_BLOCKED: usize = 2_000;

/// A script whose last call threw and left other fields behind than it had found.
#[derive(Clone)]
pub(crate) struct ThrownChange {
    pub(crate) script: Script,
}

impl ThrownChange {
    /// The scripts of earlier findings, to be tried again.
    pub(crate) fn earlier(earlier: &Findings, reader: &EventReader) -> Vec<Vec<Self>> {
        let threw = earlier.findings.iter().filter(|finding| finding.kind.is_of_thrown());
        let scripts = threw.filter_map(|finding| Script::from_json(&finding.script).ok());
        let known = |script: &Script| {
            let last = script.statements.last();
            last.is_some_and(|last| !reader.letters_of(&last.callable).is_empty())
        };
        scripts.filter(known).map(|script| vec![Self { script }]).collect()
    }
}

/// The shortest candidates and the exceptions of all calls, shared by the recorder and the command.
#[derive(Clone, Default)]
pub(crate) struct ThrownChanges {
    kinds: Rc<RefCell<Kinds>>,
    exceptions: Rc<RefCell<Exceptions>>,
    blocked: Rc<RefCell<Blocked>>,
}

/// Calls that blocked, each with the events of its object before.
pub(crate) type Blocked = BTreeSet<(Vec<Letter>, Arc<Callable>)>;

/// Exceptions that methods threw, each with what its objects did before: the shortest word for every last
/// event.
pub(crate) type Exceptions = BTreeMap<(Arc<Callable>, Arc<str>), BTreeMap<Option<Letter>, Vec<Letter>>>;

/// Candidates by method and exception, and among them by the names of the changed fields.
type Kinds = BTreeMap<(Arc<Callable>, Arc<str>), BTreeMap<Vec<String>, ThrownChange>>;

impl ThrownChanges {
    /// Notes the call at the end of a run if it blocked.
    fn note_blocked(&self, script: &Script, run: &Run, trace: &ObjectTrace) {
        let Some(last) = script.statements.get(run.steps.len()) else { return };
        let mut blocked = self.blocked.borrow_mut();
        let is_of_object = last.receiver == Some(trace.object) && trace.threw.is_none();
        if run.end == End::Blocked && is_of_object && blocked.len() < MAX_BLOCKED {
            blocked.insert((trace.word.clone(), last.callable.clone()));
        }
    }

    /// Notes what an object's last call did if it threw or blocked.
    pub(crate) fn note(&self, script: &Script, run: &Run, trace: &ObjectTrace) {
        self.note_blocked(script, run, trace);
        let Some(at) = trace.threw.filter(|&at| at < script.statements.len()) else { return };
        let StepResult::Threw { class, exhausted: false, .. } = &run.steps[at].result else { return };
        let key = (script.statements[at].callable.clone(), class.clone());
        {
            let mut exceptions = self.exceptions.borrow_mut();
            let words = exceptions.entry(key.clone()).or_default();
            let word = words.entry(trace.word.last().copied()).or_insert_with(|| trace.word.clone());
            if trace.word.len() < word.len() {
                word.clone_from(&trace.word);
            }
        }
        let Some(&last) = trace.statements.last() else { return };
        let fields = |at: usize| run.steps[at].fields.as_ref();
        let (Some(before), Some(after)) = (fields(last), fields(at)) else { return };
        if after.is(before) || after == before {
            return;
        }
        let changed: Vec<String> = changes(before, after).map(|(name, ..)| name.to_owned()).collect();
        let mut kinds = self.kinds.borrow_mut();
        if !kinds.contains_key(&key) && kinds.len() >= MAX_KINDS {
            return;
        }
        let kind = kinds.entry(key).or_default();
        if !kind.contains_key(&changed) && kind.len() >= MAX_OF_KIND {
            return;
        }
        let is_shorter = kind.get(&changed).is_none_or(|known| at + 1 < known.script.statements.len());
        if is_shorter {
            kind.insert(changed, ThrownChange { script: cut(script, at + 1) });
        }
    }

    /// The calls that blocked.
    pub(crate) fn blocked(&self) -> Blocked {
        self.blocked.borrow().clone()
    }

    /// The exceptions that calls threw.
    pub(crate) fn exceptions(&self) -> Exceptions {
        self.exceptions.borrow().clone()
    }

    /// The candidates: of each method and exception those that change the most fields first.
    pub(crate) fn all(&self) -> Vec<Vec<ThrownChange>> {
        let kinds = self.kinds.borrow();
        let ordered = kinds.values().map(|kind| {
            let mut kind: Vec<(&Vec<String>, &ThrownChange)> = kind.iter().collect();
            kind.sort_by_key(|(changed, one)| {
                (std::cmp::Reverse(changed.len()), one.script.statements.len())
            });
            kind.into_iter().map(|(_, one)| one.clone()).collect()
        });
        ordered.collect()
    }
}

/// The fields that differ, with both values.
pub(crate) fn changes<'s>(
    before: &'s Snapshot,
    after: &'s Snapshot,
) -> impl Iterator<Item = (&'s str, &'s Value, &'s Value)> {
    let names = before.names().iter().map(String::as_str);
    let values = names.zip(before.values()).filter_map(|(name, value)| Some((name, value, after.get(name)?)));
    values.filter(|(_, before, after)| before != after)
}
