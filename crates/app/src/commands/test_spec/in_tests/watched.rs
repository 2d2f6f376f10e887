//! Fields that the calls of tests touch: dynamic state sharing, on the user's own objects and values.
//!
//! The recorder tells which fields of the class under test each method reads and writes in one more run of
//! the tests. Stores into arrays and into objects behind a field are not told; of those, the recorded states
//! show changed sizes. A field that both methods read and behind which something may change is therefore a
//! doubt.

use std::collections::{BTreeMap, BTreeSet};

use adit_attack::spec_verdict::Shares;
use adit_jvm::record::TaskEnd;
use adit_jvm::record::intervene::{BenchRun, Experiment};
use miette::Report;

use super::super::methods::EventMethods;
use super::super::objects::common_fields;
use super::{Suite, before};

/// The fields that calls of one side touch.
#[derive(Default)]
struct Touched {
    /// Each with whether it was written.
    fields: BTreeMap<String, bool>,
    /// Those behind which something may change.
    leading_on: BTreeSet<String>,
    was_called: bool,
}

impl Suite {
    /// Runs the tests that call the methods of these pairs once more while fields are watched, and tells
    /// which fields that one of them writes both methods of each pair touch.
    pub(in super::super) fn watch(
        &mut self,
        pairs: &[&(EventMethods, EventMethods)],
    ) -> Result<Vec<(Shares, Vec<String>)>, Report> {
        let sides: Vec<[BTreeSet<String>; 2]> =
            pairs.iter().map(|pair| <[_; 2]>::from(self.events_of(pair))).collect();
        let asked: BTreeSet<&String> = sides.iter().flatten().flatten().collect();
        let mut tests: BTreeSet<String> = BTreeSet::new();
        for life in &self.plain.lives {
            if life.life.events.iter().any(|event| asked.contains(&event.method)) && !life.test.is_empty() {
                tests.insert(life.test.clone());
            }
        }
        if tests.is_empty() {
            return Ok(vec![(Shares::Perhaps, Vec::new()); pairs.len()]);
        }
        let run =
            self.timed(&Experiment { tests: tests.into_iter().collect(), touches: true, ..<_>::default() })?;
        let is_whole = matches!(run.end, TaskEnd::Finished);
        let shared = sides.iter().map(|[first, second]| {
            let [first, second] = [first, second].map(|side| self.touched(side, &run));
            let shared = common_fields(&first.fields, &second.fields);
            let is_doubtful = !is_whole
                || !first.was_called
                || !second.was_called
                || first.leading_on.intersection(&second.leading_on).next().is_some();
            match (shared.is_empty(), is_doubtful) {
                (false, _) => (Shares::Yes, shared),
                (true, true) => (Shares::Perhaps, shared),
                (true, false) => (Shares::No, shared),
            }
        });
        Ok(shared.collect())
    }

    /// The fields that calls of these events touched, by the reports of a run and by its states.
    fn touched(&self, events: &BTreeSet<String>, run: &BenchRun) -> Touched {
        let mut touched = Touched::default();
        for one in &run.touched {
            if self.bench.methods().get(one.method).is_some_and(|method| events.contains(&method.event)) {
                *touched.fields.entry(one.field.clone()).or_default() |= one.written;
                if one.leads_on {
                    touched.leading_on.insert(one.field.clone());
                }
            }
        }
        let mut changed = BTreeSet::new();
        for life in &run.lives {
            for (at, event) in life.life.events.iter().enumerate() {
                if !events.contains(&event.method) {
                    continue;
                }
                touched.was_called = true;
                let states = before(&life.life.events, at).zip(event.state.as_ref());
                let differs = |(name, value): &(&String, _)| {
                    states.is_some_and(|(old, _)| old.get(*name) != Some(*value))
                };
                let after = event.state.iter().flatten().filter(differs);
                changed.extend(after.map(|(name, _)| name.split('.').next().unwrap_or(name).to_owned()));
            }
        }
        for (field, written) in &mut touched.fields {
            *written |= field.rsplit('.').next().is_some_and(|name| changed.contains(name));
        }
        touched
    }
}
