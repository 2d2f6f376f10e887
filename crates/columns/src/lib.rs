//! Traces in tables: Parquet files and Arrow streams, a row an event.
//!
//! The columns are found by name (`columns.rs`), rows are read batch by batch (`table.rs`), and the rows of a
//! trace, which need not be adjacent, are gathered within a memory limit (`gather.rs`): what does not fit is
//! spilled to disk and merged. No trace need fit into memory.
//!
//! This is a crate of its own, because the libraries beneath it take long to build, and the first build of
//! `adit` must not wait for them.

mod columns;
mod error;
mod gather;
mod table;
mod write;

use std::path::PathBuf;

use adit_trace::{Alphabet, Labels, WordSink};

pub use error::TableError;
pub use table::{TableKind, expand, is_table};
pub use write::TableWriter;

use columns::{Batch, Chosen};
use gather::Gather;

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
    files: &[PathBuf],
    options: &TableOptions,
    alphabet: &mut Alphabet,
    sink: &mut dyn WordSink,
    progress: &mut dyn FnMut(u64),
) -> Result<TableSummary, TableError> {
    let tables = files.iter().map(|file| table::Table::open(file)).collect::<Result<Vec<_>, _>>()?;
    let chosen = tables.iter().map(|table| Chosen::find(table, options)).collect::<Result<Vec<_>, _>>()?;
    let lower_bounds = table::lower_bounds(&tables, &chosen);
    let sorted = chosen.iter().any(|chosen| chosen.time.is_some());
    let mut gather = Gather::new(options.memory, sorted);
    let mut letters = columns::LabelCache::new(options);
    let (mut rows, mut group) = (0, 0);
    for (table, chosen) in tables.iter().zip(&chosen) {
        table.each_group(chosen, &mut |batches| {
            for batch in batches {
                let batch = batch?;
                let batch = Batch::of(&batch, chosen, table)?;
                batch.each_row(table, rows, &mut |row| {
                    let letter = letters.letter(&row, alphabet, table)?;
                    gather.add(&row.trace, letter, row.time)
                })?;
                rows += batch.rows as u64;
                progress(rows);
            }
            // No later row has a smaller trace id than this.
            if let Some(Some(bound)) = lower_bounds.as_ref().map(|bounds| &bounds[group]) {
                gather.finish_below(bound, alphabet, sink);
            }
            group += 1;
            Ok(())
        })?;
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
    file: &std::path::Path,
    options: &TableOptions,
    most: usize,
) -> Result<(Vec<NamedColumn>, Vec<ShownRow>), TableError> {
    let table = table::Table::open(file)?;
    let chosen = Chosen::find(&table, options)?;
    let mut shown = Vec::new();
    let mut letters = columns::LabelCache::new(options);
    let mut alphabet = Alphabet::new();
    table.each_group(&chosen, &mut |batches| {
        for batch in batches {
            if shown.len() >= most {
                break;
            }
            let batch = batch?;
            let batch = Batch::of(&batch, &chosen, &table)?;
            batch.each_row(&table, 0, &mut |row| {
                if shown.len() < most {
                    let letter = letters.letter(&row, &mut alphabet, &table)?;
                    shown.push(ShownRow {
                        row: shown.len() as u64 + 1,
                        trace: columns::shown_key(&row.trace, batch.numbers()),
                        time: row.time,
                        label: alphabet.name(letter).to_owned(),
                    });
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok((chosen.named(), shown))
}
