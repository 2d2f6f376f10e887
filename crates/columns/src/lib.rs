//! Traces in tables: Parquet files and Arrow streams, a row an event.
//!
//! The columns are found by name (`columns.rs`), rows are read batch by batch (`table.rs`) and decoded column
//! by column (`batch.rs`, `labels.rs`), and the rows of a trace, which need not be adjacent, are gathered
//! within a memory limit (`gather.rs`): what does not fit is spilled to disk and merged. No trace need fit
//! into memory.
//!
//! This is a crate of its own, because the libraries beneath it take long to build, and the first build of
//! `adit` must not wait for them.

mod batch;
mod columns;
mod error;
mod gather;
mod labels;
mod table;
mod write;

use adit_trace::{Alphabet, Labels, WordSink};

pub use error::TableError;
pub use table::{TableFile, TableKind};
pub use write::TableWriter;

use batch::Batch;
use columns::Chosen;
use gather::Gather;
use labels::LabelCache;
use table::Table;

/// The way to read tables.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The label function.
    pub labels: Labels,
    /// The column with the trace, if the user named it.
    pub trace: Option<String>,
    /// The column with the event.
    pub event: Option<String>,
    /// The column with the time or the sequence number. The rows of a trace are sorted by it.
    pub time: Option<String>,
    /// Bytes of memory for rows whose trace may go on. What exceeds it is spilled to disk.
    pub memory: usize,
    /// The most different labels.
    pub max_labels: usize,
}

/// Numbers about what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSummary {
    /// Traces.
    pub traces: u64,
    /// Events.
    pub events: u64,
    /// Files that were written for rows that did not fit into memory.
    pub spilled: usize,
    /// The most bytes that were held for rows at a time, roughly.
    pub peak: usize,
}

/// Passes the traces of all files to `sink`, in the order of their ids. A trace may have rows in several
/// files. `progress` is told how many rows have been read.
pub fn words(
    files: &[TableFile],
    options: &TableOptions,
    alphabet: &mut Alphabet,
    sink: &mut dyn WordSink,
    progress: &mut dyn FnMut(u64),
) -> Result<TableSummary, TableError> {
    let (mut tables, mut chosen) = (Vec::new(), Vec::new());
    let mut least: Option<Vec<Vec<u8>>> = Some(Vec::new());
    for file in files {
        let mut table = Table::open(file)?;
        let columns = Chosen::find(&table, options)?;
        least = least.and_then(|least| Some([least, table.least_ids(&columns)?].concat()));
        table.forget_metadata();
        tables.push(table);
        chosen.push(columns);
    }
    columns::reconcile(&tables, &mut chosen)?;
    let bounds = least.map(|least| table::bounds_after(&least));
    let sorted = chosen.iter().any(|chosen| chosen.time.is_some());
    let mut gather = Gather::new(options.memory, sorted);
    let mut labels = LabelCache::new(options);
    let (mut rows, mut group) = (0, 0);
    for (table, chosen) in tables.iter().zip(&chosen) {
        let mut before = 0;
        table.each_group(chosen, &mut |batches| {
            for batch in batches {
                let batch = Batch::of(&batch?, chosen, table, before, &mut labels, alphabet)?;
                batch.each_row(|row| gather.add(row.trace, row.letter, row.time))?;
                before += batch.rows as u64;
                progress(rows + before);
            }
            // No later row has a smaller trace id than this.
            if let Some(Some(bound)) = bounds.as_ref().map(|bounds| &bounds[group]) {
                gather.finish_below(bound, alphabet, sink);
            }
            group += 1;
            Ok(true)
        })?;
        rows += before;
    }
    gather.finish(alphabet, sink)
}

/// A row of a dry run: the row's number, trace, time and label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownRow {
    /// Number of the row, from 1.
    pub row: u64,
    /// The trace.
    pub trace: String,
    /// The time or sequence number, if there is such a column.
    pub time: Option<i64>,
    /// The label.
    pub label: String,
}

/// A use of a column, such as `trace`, and the column's name.
pub type NamedColumn = (&'static str, String);

/// The names of the columns that are used, and the first rows as they are understood.
pub fn dry_run(
    file: &TableFile,
    options: &TableOptions,
    most: usize,
) -> Result<(Vec<NamedColumn>, Vec<ShownRow>), TableError> {
    let table = Table::open(file)?;
    let chosen = Chosen::find(&table, options)?;
    let mut shown = Vec::new();
    let mut labels = LabelCache::new(options);
    let mut alphabet = Alphabet::new();
    table.each_group(&chosen, &mut |batches| {
        for batch in batches {
            if shown.len() >= most {
                break;
            }
            let before = shown.len() as u64;
            let batch = Batch::of(&batch?, &chosen, &table, before, &mut labels, &mut alphabet)?;
            batch.each_row(|row| {
                if shown.len() < most {
                    shown.push(ShownRow {
                        row: shown.len() as u64 + 1,
                        trace: batch.shown_id(row.trace),
                        time: row.time,
                        label: alphabet.name(row.letter).to_owned(),
                    });
                }
                Ok(())
            })?;
        }
        Ok(shown.len() < most)
    })?;
    Ok((chosen.named(), shown))
}
