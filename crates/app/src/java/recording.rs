//! Recorded traces of objects, equal ones stored once, in memory until they are written.

use std::collections::HashMap;
use std::sync::Arc;

use adit_trace::write::Writer;
use adit_trace::{Event, EventSink, Format, Labels, Words};
use miette::Report;

use crate::output::{Target, finish_traces};

/// Traces of the objects of one class.
#[derive(Default)]
pub(crate) struct Recording {
    /// The distinct events.
    events: Vec<Event>,
    /// Number of each event, by its debugging form.
    numbers: HashMap<String, u32>,
    /// The distinct traces in order of first appearance, each with its count.
    traces: Vec<(Arc<[u32]>, u64)>,
    index: HashMap<Arc<[u32]>, usize>,
    /// The traces as a miner sees them.
    words: Words,
    objects: u64,
    total: u64,
}

impl Recording {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the trace of one object, unless it is empty.
    pub(crate) fn add(&mut self, life: &[Event]) {
        if life.is_empty() {
            return;
        }
        self.objects += 1;
        self.total += life.len() as u64;
        let trace: Arc<[u32]> = life.iter().map(|event| self.number(event)).collect();
        match self.index.get(&trace) {
            Some(&at) => self.traces[at].1 += 1,
            None => {
                self.index.insert(trace.clone(), self.traces.len());
                self.traces.push((trace, 1));
            }
        }
        let labels: Vec<String> = life.iter().map(|event| Labels::Exception.of(event)).collect();
        self.words.add(labels.iter().map(String::as_str), 1);
    }

    fn number(&mut self, event: &Event) -> u32 {
        // Events hold floating-point numbers, which cannot be keys; their debugging forms are distinct.
        let key = format!("{event:?}");
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = u32::try_from(self.events.len()).expect("the limit on events is far below");
        self.events.push(event.clone());
        self.numbers.insert(key, number);
        number
    }

    /// Number of objects.
    pub(crate) fn objects(&self) -> u64 {
        self.objects
    }

    /// Number of events of all objects.
    pub(crate) fn events(&self) -> u64 {
        self.total
    }

    /// Number of distinct traces.
    pub(crate) fn different(&self) -> usize {
        self.traces.len()
    }

    /// The traces as words.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Writes all traces, and returns what the format cannot hold.
    pub(crate) fn write(&self, target: &Target, format: Format, class: &str) -> Result<Vec<String>, Report> {
        let mut lost = Vec::new();
        target.write(|out| {
            let mut writer = Writer::new(out, format, false)?;
            writer.set_class(class);
            // An error stops the iteration and is returned at the end.
            let _ = self.traces.iter().try_for_each(|(trace, weight)| {
                writer.begin(None, *weight)?;
                trace.iter().try_for_each(|&number| writer.event(&self.events[number as usize]))?;
                writer.end()
            });
            lost = finish_traces(writer)?;
            Ok(())
        })?;
        Ok(lost)
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::{Outcome, Value};

    use super::*;

    #[test]
    fn equal_traces_are_kept_once() {
        let returned = |value| Event { outcome: Outcome::Returned(value), ..Event::call("get") };
        let mut recording = Recording::new();
        recording.add(&[]);
        recording.add(&[Event::call("Box"), returned(Value::Int(1))]);
        recording.add(&[Event::call("Box"), returned(Value::Int(2))]);
        recording.add(&[Event::call("Box"), returned(Value::Int(1))]);
        assert_eq!((recording.objects(), recording.events()), (3, 6));
        assert_eq!((recording.different(), recording.words().words.len()), (2, 1));
        assert_eq!(recording.traces[0].1, 2);
    }
}
