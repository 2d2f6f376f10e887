//! Tables in files: Parquet, read row group by row group, and Arrow, as a file or a stream.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::statistics::Statistics;

use crate::columns::{Chosen, key_of_number};
use crate::error::TableError;

/// Rows that are decoded at a time.
const BATCH: usize = 8192;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, as a file or a stream.
    Arrow,
}

impl TableKind {
    /// The kind of a file with this name, by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "parquet" | "parq" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
        }
    }
}

/// Tells whether a path names a table, a folder of tables, or a pattern of their names.
pub fn is_table(path: &Path) -> bool {
    let name = path.to_string_lossy();
    TableKind::of(path).is_some() || (path.is_dir() && !files_below(path).is_empty()) || {
        name.contains('*') && !path.exists() && TableKind::of(path).is_some()
    }
}

/// The files that a path stands for, in order: itself, the tables in a folder and the folders below it, or
/// those whose names fit a pattern with `*`.
pub fn expand(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        return files_below(path);
    }
    let pattern = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.exists() || !path.to_string_lossy().contains('*') {
        return vec![path.to_owned()];
    }
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    // A pattern may stand in the names of folders too.
    let folders =
        if parent.to_string_lossy().contains('*') { expand(parent) } else { vec![parent.to_owned()] };
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|entry| fits(&entry.file_name().to_string_lossy(), &pattern))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// The tables below a folder. Names that begin with `_` or `.` are notes of the program that wrote it.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['_', '.']));
    let mut found = Vec::new();
    for entry in entries.into_iter().filter(|entry| !hidden(entry)) {
        if entry.is_dir() {
            found.extend(files_below(&entry));
        } else if TableKind::of(&entry).is_some() {
            found.push(entry);
        }
    }
    found
}

/// Tells whether a name fits a pattern in which `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = first.len() == pattern.len();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
        last = part.is_empty();
    }
    last || rest.is_empty() || pattern.rsplit('*').next().is_some_and(|end| name.ends_with(end))
}

/// The batches of a row group.
pub(crate) type Batches<'a> = dyn Iterator<Item = Result<RecordBatch, TableError>> + 'a;

/// An open file.
pub(crate) struct Table {
    pub(crate) name: String,
    kind: TableKind,
    path: PathBuf,
    schema: SchemaRef,
    parquet: Option<ArrowReaderMetadata>,
}

impl Table {
    pub(crate) fn open(path: &Path) -> Result<Self, TableError> {
        let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
        let kind = TableKind::of(path).unwrap_or(TableKind::Arrow);
        let mut table = Self {
            name,
            kind,
            path: path.to_owned(),
            schema: SchemaRef::new(Schema::empty()),
            parquet: None,
        };
        if kind == TableKind::Parquet {
            let file = table.file()?;
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
                .map_err(|error| table.damaged(error))?;
            table.schema = metadata.schema().clone();
            table.parquet = Some(metadata);
        } else if path != Path::new("-") {
            table.schema = table.arrow()?.0;
        }
        Ok(table)
    }

    fn file(&self) -> Result<File, TableError> {
        File::open(&self.path).map_err(|error| TableError::Io { file: self.name.clone(), error })
    }

    pub(crate) fn damaged(&self, error: impl std::fmt::Display) -> TableError {
        TableError::Damaged { file: self.name.clone(), kind: self.kind.name(), why: error.to_string() }
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema and the batches of an Arrow file or stream.
    #[expect(clippy::type_complexity, reason = "the two readers have nothing else in common")]
    fn arrow(
        &self,
    ) -> Result<(SchemaRef, Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>), TableError> {
        let mut file = self.file()?;
        let mut magic = [0; 6];
        let read = file.read_exact(&mut magic);
        io::Seek::rewind(&mut file).map_err(|error| TableError::Io { file: self.name.clone(), error })?;
        if read.is_ok() && &magic == b"ARROW1" {
            let reader =
                FileReader::try_new(BufReader::new(file), None).map_err(|error| self.damaged(error))?;
            return Ok((reader.schema(), Box::new(reader)));
        }
        let reader =
            StreamReader::try_new(BufReader::new(file), None).map_err(|error| self.damaged(error))?;
        Ok((reader.schema(), Box::new(reader)))
    }

    /// Calls `group` with the batches of each row group; an Arrow file is one group.
    pub(crate) fn each_group(
        &self,
        chosen: &Chosen,
        group: &mut dyn FnMut(&mut Batches<'_>) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let Some(metadata) = &self.parquet else {
            let (_, batches) = self.arrow()?;
            return group(&mut batches.map(|batch| batch.map_err(|error| self.damaged(error))));
        };
        for number in 0..metadata.metadata().num_row_groups() {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file()?, metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), chosen.places());
            let reader = builder
                .with_row_groups(vec![number])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
                .map_err(|error| self.damaged(error))?;
            group(&mut reader.map(|batch| batch.map_err(|error| self.damaged(error))))?;
        }
        Ok(())
    }
}

/// For each row group of all tables, a lower bound of the trace ids in all row groups after it, from the
/// statistics; the last has none. Nothing if some row group has no statistics.
///
/// In a table that is sorted by trace, this lets each trace leave the memory soon after its last row.
pub(crate) fn lower_bounds(tables: &[Table], chosen: &[Chosen]) -> Option<Vec<Option<Vec<u8>>>> {
    let mut least: Vec<Vec<u8>> = Vec::new();
    for (table, chosen) in tables.iter().zip(chosen) {
        let metadata = table.parquet.as_ref()?.metadata();
        for group in metadata.row_groups() {
            // Only columns without nesting can be chosen, and each is one leaf of the schema.
            let columns = group.columns();
            let column = columns.iter().find(|column| column.column_path().string() == chosen.trace.name)?;
            least.push(match column.statistics()? {
                Statistics::ByteArray(values) if !chosen.trace.number => values.min_opt()?.data().to_vec(),
                Statistics::Int64(values) if chosen.trace.signed => {
                    key_of_number(*values.min_opt()?).to_vec()
                }
                Statistics::Int32(values) if chosen.trace.signed => {
                    key_of_number(i64::from(*values.min_opt()?)).to_vec()
                }
                _ => return None,
            });
        }
    }
    let mut bounds: Vec<Option<Vec<u8>>> = vec![None; least.len()];
    for at in (1..least.len()).rev() {
        let after = bounds[at].clone();
        bounds[at - 1] = Some(after.map_or_else(|| least[at].clone(), |after| after.min(least[at].clone())));
    }
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (name, pattern, expected) in [
            ("part-1.parquet", "*.parquet", true),
            ("part-1.parquet", "part-*.parquet", true),
            ("part-1.parquet", "part-2*", false),
            ("part-1.parquet", "part*", true),
            ("a.parquet.crc", "*.parquet", false),
            ("a", "a", true),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }
}
