//! Tables in files: Parquet, read row group by row group, and Arrow, as a file or a stream.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::statistics::Statistics;

use crate::batch::key_of_number;
use crate::columns::{Chosen, Column, Place, is_text};
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
    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
        }
    }
}

/// A file with a table; `-` is standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Its path.
    pub path: PathBuf,
    /// Its format.
    pub kind: TableKind,
}

/// Batches of Arrow.
type ArrowBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Batches of a row group.
pub(crate) type Batches<'a> = dyn Iterator<Item = Result<RecordBatch, TableError>> + 'a;

/// A table whose schema is known.
pub(crate) struct Table {
    pub(crate) name: String,
    file: TableFile,
    schema: SchemaRef,
    /// Values in the names of the folders around the file, such as `day=2026-11-17`.
    folders: Vec<(String, String)>,
    parquet: Option<ArrowReaderMetadata>,
    /// Standard input can be read only once.
    stdin: RefCell<Option<ArrowBatches>>,
}

impl Table {
    pub(crate) fn open(file: &TableFile) -> Result<Self, TableError> {
        let is_stdin = file.path == Path::new("-");
        let name = if is_stdin { "<stdin>".to_owned() } else { file.path.display().to_string() };
        let mut table = Self {
            name,
            file: file.clone(),
            schema: SchemaRef::new(Schema::empty()),
            folders: partitions(&file.path),
            parquet: None,
            stdin: RefCell::new(None),
        };
        match file.kind {
            TableKind::Parquet if is_stdin => return Err(TableError::ParquetStdin),
            TableKind::Parquet => {
                let metadata = table.metadata()?;
                table.schema = metadata.schema().clone();
                table.parquet = Some(metadata);
            }
            TableKind::Arrow if is_stdin => {
                let reader = StreamReader::try_new(BufReader::new(io::stdin()), None);
                let reader = reader.map_err(|error| table.damaged(error))?;
                table.schema = reader.schema();
                table.stdin = RefCell::new(Some(Box::new(reader)));
            }
            TableKind::Arrow => table.schema = table.arrow()?.0,
        }
        // A column of the table is better than the name of a folder.
        let schema = table.schema.clone();
        table.folders.retain(|(name, _)| schema.field_with_name(name).is_err());
        Ok(table)
    }

    fn open_file(&self) -> Result<File, TableError> {
        File::open(&self.file.path).map_err(|error| TableError::Io { file: self.name.clone(), error })
    }

    pub(crate) fn damaged(&self, error: impl std::fmt::Display) -> TableError {
        let (file, kind, why) = (self.name.clone(), self.file.kind.name(), error.to_string());
        if why.contains("Disabled feature at compile time") {
            return TableError::Compression { file, kind, why };
        }
        TableError::Damaged { file, kind, why }
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Names and values in the names of the folders around the file.
    pub(crate) fn folders(&self) -> &[(String, String)] {
        &self.folders
    }

    fn metadata(&self) -> Result<ArrowReaderMetadata, TableError> {
        let file = self.open_file()?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(TableError::Io { file: self.name.clone(), error });
        }
        ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(|error| self.damaged(error))
    }

    /// Lets go of what can be read again: a log may have very many files, each with thousands of columns.
    pub(crate) fn forget_metadata(&mut self) {
        if self.parquet.take().is_some() {
            self.schema = SchemaRef::new(Schema::empty());
        }
    }

    /// The schema and the batches of an Arrow file or stream.
    fn arrow(&self) -> Result<(SchemaRef, ArrowBatches), TableError> {
        let mut file = self.open_file()?;
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

    /// Calls `group` with the batches of each row group, until it says that this is enough; an Arrow file is
    /// one group.
    pub(crate) fn each_group(
        &self,
        chosen: &Chosen,
        group: &mut dyn FnMut(&mut Batches<'_>) -> Result<bool, TableError>,
    ) -> Result<(), TableError> {
        if self.file.kind == TableKind::Arrow {
            let stdin = self.stdin.borrow_mut().take();
            let batches = stdin.map_or_else(|| self.arrow().map(|(_, batches)| batches), Ok)?;
            group(&mut batches.map(|batch| batch.map_err(|error| self.damaged(error))))?;
            return Ok(());
        }
        let metadata = match &self.parquet {
            Some(metadata) => metadata.clone(),
            None => self.metadata()?,
        };
        let metadata = hinted(metadata, chosen);
        for number in 0..metadata.metadata().num_row_groups() {
            let file = self.open_file()?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), chosen.places());
            let reader = builder
                .with_row_groups(vec![number])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
                .map_err(|error| self.damaged(error))?;
            if !group(&mut reader.map(|batch| batch.map_err(|error| self.damaged(error))))? {
                break;
            }
        }
        Ok(())
    }

    /// A lower bound of the trace ids in each row group, from the statistics; nothing if a group has none.
    pub(crate) fn least_ids(&self, chosen: &Chosen) -> Option<Vec<Vec<u8>>> {
        let groups = self.parquet.as_ref()?.metadata().row_groups();
        let bound = |group: &parquet::file::metadata::RowGroupMetaData| {
            if let Place::Folder(value) = &chosen.trace.place {
                return Some(value.clone().into_bytes());
            }
            // Only columns without nesting can be chosen, and each is one leaf of the schema.
            let columns = group.columns();
            let column = columns.iter().find(|column| column.column_path().string() == chosen.trace.name)?;
            match column.statistics()? {
                Statistics::ByteArray(values) if !chosen.trace.is_number() => {
                    Some(values.min_opt()?.data().to_vec())
                }
                Statistics::Int64(values) if chosen.trace.is_signed() => {
                    Some(key_of_number(*values.min_opt()?).to_vec())
                }
                Statistics::Int32(values) if chosen.trace.is_signed() => {
                    Some(key_of_number(i64::from(*values.min_opt()?)).to_vec())
                }
                _ => None,
            }
        };
        groups.iter().map(bound).collect()
    }
}

/// The same metadata, but with the types in which texts are read fastest: names of events are few, so they
/// stay numbers into a dictionary, and trace ids are not copied out of their pages.
fn hinted(metadata: ArrowReaderMetadata, chosen: &Chosen) -> ArrowReaderMetadata {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let wanted = |place: usize| {
        let is = |column: &Column| column.place == Place::Schema(place) && is_text(&column.kind);
        if is(&chosen.event) || chosen.threw.as_ref().is_some_and(is) {
            Some(dictionary.clone())
        } else if is(&chosen.trace) {
            Some(DataType::Utf8View)
        } else {
            None
        }
    };
    let fields = metadata.schema().fields().iter().enumerate().map(|(place, field)| match wanted(place) {
        Some(kind) => Arc::new(Field::clone(field).with_data_type(kind)),
        None => field.clone(),
    });
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(SchemaRef::new(schema));
    // It is only faster: where a type cannot be read so, it is read as it is.
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata)
}

/// Names and values in the names of folders, as Hive and Spark write them: `day=2026-11-17`.
fn partitions(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let pair = |folder: Component<'_>| {
        let folder = folder.as_os_str().to_str()?.to_owned();
        let (name, value) = folder.split_once('=')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c));
        is_name.then(|| (name.to_owned(), unescaped(value)))
    };
    folders.filter_map(pair).collect()
}

/// The value that the name of a folder stands for: `%3A` is a colon. What Hive writes for none is empty.
fn unescaped(value: &str) -> String {
    if value == "__HIVE_DEFAULT_PARTITION__" {
        return String::new();
    }
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |at: usize| after.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| value.to_owned())
}

/// For each row group, a lower bound of the trace ids in all groups after it; the last has none. `least` has
/// a lower bound for each group itself.
///
/// In a table that is sorted by trace, this lets each trace leave the memory soon after its last row.
pub(crate) fn bounds_after(least: &[Vec<u8>]) -> Vec<Option<Vec<u8>>> {
    let mut bounds: Vec<Option<Vec<u8>>> = vec![None; least.len()];
    for at in (1..least.len()).rev() {
        let after = bounds[at].clone();
        bounds[at - 1] = Some(after.map_or_else(|| least[at].clone(), |after| after.min(least[at].clone())));
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_columns() {
        let pairs = |path: &str| partitions(Path::new(path));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            pairs("logs/day=2026-11-17/hour=10%3A30/a=b.parquet"),
            [pair("day", "2026-11-17"), pair("hour", "10:30")]
        );
        assert_eq!(pairs("x=__HIVE_DEFAULT_PARTITION__/a.parquet"), [pair("x", "")]);
        assert_eq!(pairs("50%/a b=c/=d/a.parquet"), []);
        assert_eq!(pairs("x=50%/a.parquet"), [pair("x", "50%")]);
    }

    #[test]
    fn a_bound_holds_for_all_groups_after() {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
        let bounds = bounds_after(&texts(&["a", "d", "b", "e"]));
        assert_eq!(bounds, [Some(b"b".to_vec()), Some(b"b".to_vec()), Some(b"e".to_vec()), None]);
        assert_eq!(bounds_after(&[]), []);
    }
}
