//! Gathers the rows of each trace within a memory limit.
//!
//! Cost: a hash lookup a row, spared when the row belongs to the same trace as the one before. Memory: an
//! open trace takes its id, about a hundred bytes, and one byte an event (more with times). When that exceeds
//! the limit, all of it is written to a file in the order of the trace ids, a *run*, and forgotten. In the
//! end the runs are merged by id. The rows of one trace are streamed from all runs, so a trace with half of
//! all rows needs no more memory than any other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use adit_trace::{Alphabet, Letter, WordSink, varint};
use rustc_hash::FxHashMap;
use tempfile::TempDir;

use crate::TableSummary;
use crate::error::TableError;

/// Estimate of what an open trace takes besides its id and its rows: a place in the map and two allocations.
const OPEN_TRACE: usize = 136;

/// Letters that are passed on at a time.
const PART: usize = 1 << 14;

/// The open traces and the runs.
pub(crate) struct Gather {
    limit: usize,
    sorted: bool,
    used: usize,
    /// The trace that had the latest row is kept out of the map: the next row is often its own.
    latest: Option<(Box<[u8]>, Rows)>,
    others: FxHashMap<Box<[u8]>, Rows>,
    runs: Vec<BufReader<File>>,
    folder: Option<TempDir>,
    letters: Vec<Letter>,
    summary: TableSummary,
}

/// Rows of one trace in order of arrival: for each the step from the time before if rows are sorted, and the
/// letter, as variable-length numbers.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    count: u64,
    time: i64,
    disordered: bool,
}

impl Rows {
    fn add(&mut self, letter: Letter, time: Option<i64>, sorted: bool) -> usize {
        let before = self.bytes.capacity();
        if sorted {
            // A row without a time happened with the one before.
            let now = time.unwrap_or(self.time);
            self.disordered |= self.count > 0 && now < self.time;
            varint::put(&mut self.bytes, varint::fold_sign(now.wrapping_sub(self.time)));
            self.time = now;
        }
        varint::put(&mut self.bytes, letter.into());
        self.count += 1;
        self.bytes.capacity() - before
    }

    /// Times and letters, sorted by time; rows of the same time stay in order.
    fn decoded(&self, sorted: bool) -> Vec<(i64, Letter)> {
        let mut rest = self.bytes.as_slice();
        let mut time = 0_i64;
        let mut next = || {
            if sorted {
                time = time.wrapping_add(varint::unfold_sign(varint::take(&mut rest)?));
            }
            Some((time, varint::take(&mut rest)? as Letter))
        };
        let mut rows: Vec<(i64, Letter)> = std::iter::from_fn(&mut next).collect();
        if self.disordered {
            rows.sort_by_key(|(time, _)| *time);
        }
        rows
    }

    /// Passes the letters on, without decoding times into memory when rows are in order.
    fn pass(&self, sorted: bool, letters: &mut Vec<Letter>, alphabet: &Alphabet, sink: &mut dyn WordSink) {
        letters.clear();
        if self.disordered {
            letters.extend(self.decoded(sorted).into_iter().map(|(_, letter)| letter));
        } else {
            let mut rest = self.bytes.as_slice();
            while !rest.is_empty() {
                if sorted {
                    varint::take(&mut rest);
                }
                letters.extend(varint::take(&mut rest).map(|letter| letter as Letter));
                if letters.len() >= PART {
                    sink.part(letters, alphabet);
                    letters.clear();
                }
            }
        }
        sink.part(letters, alphabet);
        sink.end(1);
    }
}

impl Gather {
    pub(crate) fn new(limit: usize, sorted: bool) -> Self {
        Self {
            limit,
            sorted,
            used: 0,
            latest: None,
            others: FxHashMap::default(),
            runs: Vec::new(),
            folder: None,
            letters: Vec::new(),
            summary: TableSummary::default(),
        }
    }

    /// Adds a row to the trace with this id.
    #[inline]
    pub(crate) fn add(&mut self, id: &[u8], letter: Letter, time: Option<i64>) -> Result<(), TableError> {
        if self.latest.as_ref().is_none_or(|(latest, _)| **latest != *id) {
            let next = match self.others.remove_entry(id) {
                Some(known) => known,
                None => {
                    self.used += id.len() + OPEN_TRACE;
                    (id.into(), Rows::default())
                }
            };
            if let Some((id, rows)) = self.latest.replace(next) {
                self.others.insert(id, rows);
            }
        }
        let (_, rows) = self.latest.as_mut().expect("the trace of this row was just put there");
        self.used += rows.add(letter, time, self.sorted);
        self.summary.events += 1;
        self.summary.peak = self.summary.peak.max(self.used);
        if self.used > self.limit { self.spill() } else { Ok(()) }
    }

    /// Passes on the traces with ids below `bound`, of which no more rows come.
    pub(crate) fn finish_below(&mut self, bound: &[u8], alphabet: &Alphabet, sink: &mut dyn WordSink) {
        // Rows of a trace may be in a run too, and then they wait for the merge.
        if !self.runs.is_empty() {
            return;
        }
        self.others.extend(self.latest.take());
        let mut ready: Vec<(Box<[u8]>, Rows)> = self.others.extract_if(|id, _| **id < *bound).collect();
        ready.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (id, rows) in ready {
            self.used = self.used.saturating_sub(id.len() + OPEN_TRACE + rows.bytes.capacity());
            self.summary.traces += 1;
            rows.pass(self.sorted, &mut self.letters, alphabet, sink);
        }
    }

    /// Passes on all other traces.
    pub(crate) fn finish(
        mut self,
        alphabet: &Alphabet,
        sink: &mut dyn WordSink,
    ) -> Result<TableSummary, TableError> {
        if !self.runs.is_empty() {
            self.spill()?;
            let folder = self.folder_name();
            self.merge(alphabet, sink).map_err(|error| TableError::Spill { folder, error })?;
            return Ok(self.summary);
        }
        let mut all: Vec<(Box<[u8]>, Rows)> = self.others.drain().chain(self.latest.take()).collect();
        all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (_, rows) in all {
            self.summary.traces += 1;
            rows.pass(self.sorted, &mut self.letters, alphabet, sink);
        }
        Ok(self.summary)
    }

    fn folder_name(&self) -> String {
        self.folder.as_ref().map(|folder| folder.path().display().to_string()).unwrap_or_default()
    }

    /// Writes all open traces to a run, and forgets them.
    fn spill(&mut self) -> Result<(), TableError> {
        let mut all: Vec<(Box<[u8]>, Rows)> = self.others.drain().chain(self.latest.take()).collect();
        all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        self.used = 0;
        let run = self.write_run(&all);
        let folder = self.folder_name();
        self.runs.push(run.map_err(|error| TableError::Spill { folder, error })?);
        self.summary.spilled += 1;
        Ok(())
    }

    fn write_run(&mut self, all: &[(Box<[u8]>, Rows)]) -> io::Result<BufReader<File>> {
        if self.folder.is_none() {
            self.folder = Some(tempfile::Builder::new().prefix("adit-rows-").tempdir()?);
        }
        let folder = self.folder.as_ref().expect("it was just made");
        let path = folder.path().join(format!("run-{}", self.runs.len()));
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut bytes = Vec::new();
        for (id, rows) in all {
            bytes.clear();
            varint::put(&mut bytes, id.len() as u64);
            bytes.extend_from_slice(id);
            varint::put(&mut bytes, rows.count);
            out.write_all(&bytes)?;
            if !rows.disordered {
                out.write_all(&rows.bytes)?;
                continue;
            }
            bytes.clear();
            let mut before = 0_i64;
            for (time, letter) in rows.decoded(self.sorted) {
                varint::put(&mut bytes, varint::fold_sign(time.wrapping_sub(before)));
                varint::put(&mut bytes, letter.into());
                before = time;
            }
            out.write_all(&bytes)?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    /// Merges the runs by trace id, and the rows of a trace by time, or run by run if there are no times.
    fn merge(&mut self, alphabet: &Alphabet, sink: &mut dyn WordSink) -> io::Result<()> {
        let sorted = self.sorted;
        let mut heads: BinaryHeap<Reverse<Head>> = BinaryHeap::new();
        for (number, run) in self.runs.iter_mut().enumerate() {
            heads.extend(head(run)?.map(|(id, count)| Reverse((id, number, count))));
        }
        while let Some(Reverse((id, number, count))) = heads.pop() {
            let mut parts = vec![(number, count)];
            while let Some(Reverse((next, _, _))) = heads.peek()
                && *next == id
            {
                let Some(Reverse((_, number, count))) = heads.pop() else { break };
                parts.push((number, count));
            }
            self.letters.clear();
            let mut pass = |letters: &mut Vec<Letter>, letter: Letter| {
                letters.push(letter);
                if letters.len() >= PART {
                    sink.part(letters, alphabet);
                    letters.clear();
                }
            };
            if sorted && parts.len() > 1 {
                let mut cursors: Vec<Cursor> =
                    parts.iter().map(|&(run, left)| Cursor { run, left, time: 0 }).collect();
                let mut rows: BinaryHeap<Reverse<(i64, usize, Letter)>> = BinaryHeap::new();
                for (at, cursor) in cursors.iter_mut().enumerate() {
                    let next = cursor.next(&mut self.runs)?;
                    rows.extend(next.map(|(time, letter)| Reverse((time, at, letter))));
                }
                while let Some(Reverse((_, at, letter))) = rows.pop() {
                    pass(&mut self.letters, letter);
                    let next = cursors[at].next(&mut self.runs)?;
                    rows.extend(next.map(|(time, letter)| Reverse((time, at, letter))));
                }
            } else {
                for &(run, count) in &parts {
                    for _ in 0..count {
                        if sorted {
                            take(&mut self.runs[run])?;
                        }
                        let letter = take(&mut self.runs[run])? as Letter;
                        pass(&mut self.letters, letter);
                    }
                }
            }
            sink.part(&self.letters, alphabet);
            sink.end(1);
            self.summary.traces += 1;
            for (number, _) in parts {
                heads.extend(head(&mut self.runs[number])?.map(|(id, count)| Reverse((id, number, count))));
            }
        }
        Ok(())
    }
}

/// The next trace of a run: its id, the number of the run, and the number of the trace's rows in it.
type Head = (Box<[u8]>, usize, u64);

/// A place in the rows of one trace in one run.
struct Cursor {
    run: usize,
    left: u64,
    time: i64,
}

impl Cursor {
    fn next(&mut self, runs: &mut [BufReader<File>]) -> io::Result<Option<(i64, Letter)>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.time = self.time.wrapping_add(varint::unfold_sign(take(&mut runs[self.run])?));
        Ok(Some((self.time, take(&mut runs[self.run])? as Letter)))
    }
}

/// The next trace of a run: its id and the number of its rows.
fn head(run: &mut BufReader<File>) -> io::Result<Option<(Box<[u8]>, u64)>> {
    if io::BufRead::fill_buf(run)?.is_empty() {
        return Ok(None);
    }
    let length = take(run)? as usize;
    let mut id = vec![0; length];
    run.read_exact(&mut id)?;
    Ok(Some((id.into(), take(run)?)))
}

/// The next number of a run.
fn take(run: &mut BufReader<File>) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        run.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            break;
        }
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use adit_trace::Words;
    use proptest::prelude::*;

    use super::*;

    /// The words that come out of rows, with their order.
    fn gathered(rows: &[(u8, i64, u8)], limit: usize, sorted: bool) -> (Vec<Vec<Letter>>, TableSummary) {
        let mut alphabet = Alphabet::new();
        (0..200).for_each(|n| _ = alphabet.intern(&n.to_string()));
        #[derive(Default)]
        struct Kept(Vec<Vec<Letter>>, Vec<Letter>);
        impl WordSink for Kept {
            fn part(&mut self, letters: &[Letter], _: &Alphabet) {
                self.1.extend_from_slice(letters);
            }
            fn end(&mut self, _: u64) {
                self.0.push(std::mem::take(&mut self.1));
            }
        }
        let mut gather = Gather::new(limit, sorted);
        for &(id, time, letter) in rows {
            gather.add(&[id], letter.into(), Some(time)).unwrap();
        }
        let mut kept = Kept::default();
        let summary = gather.finish(&alphabet, &mut kept).unwrap();
        (kept.0, summary)
    }

    fn naive(rows: &[(u8, i64, u8)], sorted: bool) -> Vec<Vec<Letter>> {
        let mut traces: BTreeMap<u8, Vec<(i64, Letter)>> = BTreeMap::new();
        for &(id, time, letter) in rows {
            traces.entry(id).or_default().push((time, letter.into()));
        }
        if sorted {
            traces.values_mut().for_each(|rows| rows.sort_by_key(|(time, _)| *time));
        }
        traces.into_values().map(|rows| rows.into_iter().map(|(_, letter)| letter).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// Any memory limit gives the same words as sorting everything in memory.
        #[test]
        fn spilling_changes_nothing(
            rows in prop::collection::vec((0..6_u8, -50..50_i64, 0..200_u8), 0..300),
            limit in 1..3000_usize,
            sorted: bool,
        ) {
            let expected = naive(&rows, sorted);
            let (words, summary) = gathered(&rows, limit, sorted);
            prop_assert_eq!(&words, &expected);
            prop_assert_eq!(summary.traces, expected.len() as u64);
            prop_assert_eq!(summary.events, rows.len() as u64);
            prop_assert_eq!(gathered(&rows, usize::MAX, sorted).0, expected);
        }
    }

    #[test]
    fn a_trace_with_half_of_all_rows_is_spilled_and_streamed() {
        let rows: Vec<(u8, i64, u8)> = (0..60_000)
            .map(|n| (if n % 2 == 0 { 0 } else { (n % 251) as u8 }, -n, (n % 200) as u8))
            .collect();
        let (words, summary) = gathered(&rows, 40_000, true);
        assert_eq!(words, naive(&rows, true));
        assert!(summary.spilled > 3, "{summary:?}");
        assert!(summary.peak < 80_000, "{summary:?}");
    }

    #[test]
    fn finished_traces_leave_at_once() {
        let mut alphabet = Alphabet::new();
        let letter = alphabet.intern("a");
        let mut words = Words::new();
        let mut gather = Gather::new(1 << 20, false);
        for id in [b"a", b"b", b"c"] {
            gather.add(id, letter, None).unwrap();
        }
        gather.finish_below(b"c", &alphabet, &mut words);
        assert_eq!(words.traces(), 2);
        assert_eq!(gather.others.len(), 1);
        assert_eq!(gather.finish(&alphabet, &mut words).unwrap().traces, 3);
    }
}
