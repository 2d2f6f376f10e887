//! Puts the events of interleaved traces back together.
//!
//! Cost: a hash lookup an event, spared when the event belongs to the same trace as the one before. Memory:
//! an open trace takes its id, about a hundred bytes, and one byte an event (two above 127 different labels,
//! and the difference of the times when they are to be sorted); a trace that the file itself ends is given
//! back at once.

use rustc_hash::FxHashMap;

use super::error::Halt;
use super::target::Target;
use super::{Options, Summary};
use crate::{Letter, varint};

/// The open traces.
pub(super) struct Groups {
    sort: bool,
    begun: u64,
    /// The trace that had the latest event is kept out of the map: the next event is often its own.
    latest: Option<(Box<str>, Open)>,
    others: FxHashMap<Box<str>, Open>,
}

struct Open {
    /// The number of traces that began before.
    order: u64,
    /// Letters, and before each the step from the time before when they are to be sorted, as variable-length
    /// numbers.
    bytes: Vec<u8>,
    events: u64,
    weight: u64,
    time: Option<i64>,
    disordered: bool,
}

impl Groups {
    pub(super) fn new(options: &Options) -> Self {
        Self { sort: options.sort_by_time, begun: 0, latest: None, others: FxHashMap::default() }
    }

    /// Adds an event to the trace `id`.
    pub(super) fn add(&mut self, id: &str, letter: Letter, time: Option<i64>, summary: &mut Summary) {
        let sort = self.sort;
        let trace = self.open(id);
        let before = trace.time.unwrap_or(0);
        // An event without a time happened with the one before.
        let now = time.unwrap_or(before);
        if trace.time.is_some() && now < before {
            summary.out_of_order += 1;
            trace.disordered = true;
        }
        if time.is_some() {
            trace.time = time;
        }
        if sort {
            let step = now.wrapping_sub(before);
            varint::put(&mut trace.bytes, varint::fold_sign(step));
        }
        varint::put(&mut trace.bytes, u64::from(letter));
        trace.events += 1;
    }

    /// The file says how often the trace `id` was seen.
    pub(super) fn weigh(&mut self, id: &str, weight: u64) {
        self.open(id).weight = weight;
    }

    /// The file says that the trace `id` is complete. The same id afterwards means another trace.
    pub(super) fn close(
        &mut self,
        id: &str,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        // The one trace of a log without ids goes by the empty one here.
        self.close_as(id, Some(id).filter(|id| !id.is_empty()), target, summary)
    }

    /// Like [`Groups::close`], with another name to the outside.
    pub(super) fn close_as(
        &mut self,
        id: &str,
        shown: Option<&str>,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        self.open(id);
        let (_, trace) = self.latest.take().expect("the trace was just opened");
        deliver(shown, &trace, self.sort, target, summary)
    }

    /// The file ends: delivers the traces in the order in which they began.
    pub(super) fn finish(self, target: &mut impl Target, summary: &mut Summary) -> Result<(), Halt> {
        let mut traces: Vec<(Box<str>, Open)> = self.others.into_iter().chain(self.latest).collect();
        traces.sort_unstable_by_key(|(_, trace)| trace.order);
        for (id, trace) in traces {
            deliver(Some(&*id).filter(|id| !id.is_empty()), &trace, self.sort, target, summary)?;
        }
        Ok(())
    }

    fn open(&mut self, id: &str) -> &mut Open {
        if self.latest.as_ref().is_none_or(|(latest, _)| **latest != *id) {
            let next = self.others.remove_entry(id).unwrap_or_else(|| {
                self.begun += 1;
                let (order, bytes) = (self.begun, Vec::new());
                (id.into(), Open { order, bytes, events: 0, weight: 1, time: None, disordered: false })
            });
            if let Some((id, trace)) = self.latest.replace(next) {
                self.others.insert(id, trace);
            }
        }
        &mut self.latest.as_mut().expect("it was just put there").1
    }
}

fn deliver(
    id: Option<&str>,
    trace: &Open,
    sort: bool,
    target: &mut impl Target,
    summary: &mut Summary,
) -> Result<(), Halt> {
    target.begin(id, trace.weight)?;
    summary.count(trace.events, trace.weight);
    let mut rest = trace.bytes.as_slice();
    if !sort {
        while let Some(letter) = varint::take(&mut rest) {
            target.push(letter as Letter)?;
        }
        return target.end();
    }
    let mut time = 0i64;
    let mut events = Vec::new();
    while let (Some(step), Some(letter)) = (varint::take(&mut rest), varint::take(&mut rest)) {
        time = time.wrapping_add(varint::unfold_sign(step));
        events.push((time, letter as Letter));
    }
    if trace.disordered {
        events.sort_by_key(|&(time, _)| time);
    }
    for (_, letter) in events {
        target.push(letter)?;
    }
    target.end()
}
