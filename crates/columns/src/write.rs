//! Writes traces as a table: the columns `trace`, `sequence` and `event`, a row an event.

use std::io::Write;
use std::sync::Arc;

use adit_trace::{Alphabet, Letter, WordSink};
use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::error::TableError;
use crate::table::TableKind;

/// Rows that are collected before they are written.
const BATCH: usize = 1 << 16;

/// Writes the words that it receives as rows. Traces are numbered from 1; one that was seen several times is
/// repeated.
pub struct TableWriter<W: Write + Send> {
    file: String,
    schema: SchemaRef,
    out: Out<W>,
    traces: Int64Builder,
    sequence: Int64Builder,
    events: StringBuilder,
    rows: usize,
    trace: i64,
    word: Vec<Letter>,
    names: Vec<Box<str>>,
    failed: Option<String>,
}

enum Out<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Writes to `out`, which messages call `file`.
    pub fn new(out: W, kind: TableKind, file: String) -> Result<Self, TableError> {
        let schema = SchemaRef::new(Schema::new(vec![
            Field::new("trace", DataType::Int64, false),
            Field::new("sequence", DataType::Int64, false),
            Field::new("event", DataType::Utf8, false),
        ]));
        let wrong = |why: String| TableError::Write { file: file.clone(), why };
        let out = match kind {
            TableKind::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_max_row_group_row_count(Some(1 << 20))
                    .build();
                let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties));
                Out::Parquet(Box::new(writer.map_err(|error| wrong(error.to_string()))?))
            }
            TableKind::Arrow => Out::Arrow(Box::new(
                FileWriter::try_new(out, &schema).map_err(|error| wrong(error.to_string()))?,
            )),
        };
        Ok(Self {
            file,
            schema,
            out,
            traces: Int64Builder::new(),
            sequence: Int64Builder::new(),
            events: StringBuilder::new(),
            rows: 0,
            trace: 0,
            word: Vec::new(),
            names: Vec::new(),
            failed: None,
        })
    }

    fn flush(&mut self) {
        if self.failed.is_some() || self.rows == 0 {
            return;
        }
        self.rows = 0;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.traces.finish()),
            Arc::new(self.sequence.finish()),
            Arc::new(self.events.finish()),
        ];
        let written = RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|error| error.to_string())
            .and_then(|batch| match &mut self.out {
                Out::Parquet(out) => out.write(&batch).map_err(|error| error.to_string()),
                Out::Arrow(out) => out.write(&batch).map_err(|error| error.to_string()),
            });
        self.failed = written.err();
    }

    /// Writes one row. The rows of a trace may be anywhere.
    pub fn row(&mut self, trace: i64, sequence: i64, event: &str) {
        self.traces.append_value(trace);
        self.sequence.append_value(sequence);
        self.events.append_value(event);
        self.rows += 1;
        if self.rows >= BATCH {
            self.flush();
        }
    }

    /// Writes the rest. The file is complete only then.
    pub fn finish(mut self) -> Result<(), TableError> {
        self.flush();
        let ended = match (self.failed.take(), self.out) {
            (Some(why), _) => Err(why),
            (None, Out::Parquet(out)) => out.close().map(|_| ()).map_err(|error| error.to_string()),
            (None, Out::Arrow(mut out)) => out.finish().map_err(|error| error.to_string()),
        };
        ended.map_err(|why| TableError::Write { file: self.file, why })
    }
}

impl<W: Write + Send> WordSink for TableWriter<W> {
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
        self.names.extend(alphabet.names().skip(self.names.len()).map(Into::into));
        self.word.extend_from_slice(letters);
    }

    fn end(&mut self, weight: u64) {
        let (word, names) = (std::mem::take(&mut self.word), std::mem::take(&mut self.names));
        for _ in 0..weight {
            self.trace += 1;
            for (sequence, &letter) in (1..).zip(&word) {
                self.row(self.trace, sequence, &names[letter as usize]);
            }
        }
        (self.word, self.names) = (word, names);
        self.word.clear();
    }
}
