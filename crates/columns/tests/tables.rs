//! Tables in files: what is written comes back, in any order of rows and with any memory; faulty ones are
//! refused with advice.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_columns::{TableFile, TableKind, TableOptions, TableSummary, TableWriter, dry_run, words};
use adit_trace::{Alphabet, Labels, WordSink, Words};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int8Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray, TimestampMillisecondArray, TimestampSecondArray,
};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

fn options() -> TableOptions {
    TableOptions {
        labels: Labels::Exception,
        trace: None,
        event: None,
        time: None,
        memory: 1 << 20,
        max_labels: 1000,
    }
}

/// A file of the kind that its name says.
fn file(path: impl Into<PathBuf>) -> TableFile {
    let path: PathBuf = path.into();
    let is_parquet = path.extension().is_some_and(|extension| extension == "parquet");
    TableFile { path, kind: if is_parquet { TableKind::Parquet } else { TableKind::Arrow } }
}

fn read(files: &[PathBuf], options: &TableOptions) -> Result<(Vec<(String, u64)>, TableSummary), String> {
    let (mut alphabet, mut found) = (Alphabet::new(), Words::new());
    let files: Vec<TableFile> = files.iter().map(file).collect();
    let summary = words(&files, options, &mut alphabet, &mut found, &mut |_| {}).map_err(|error| {
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default();
        format!("{error}; {help}")
    })?;
    let found = found.sorted();
    let shown =
        found.words.iter().map(|word| (found.labels(word).collect::<Vec<_>>().join(" "), word.weight));
    Ok((shown.collect(), summary))
}

/// Rows in groups of ten, so that a small table has many.
fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(10)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn what_is_written_comes_back() {
    let folder = TempDir::new().unwrap();
    for name in ["log.parquet", "log.arrow"] {
        let path = folder.path().join(name);
        let out = File::create(&path).unwrap();
        let mut writer = TableWriter::new(out, file(&path).kind, name.to_owned()).unwrap();
        let mut all = Words::new();
        all.add(["open", "isX:TRUE", "close"], 2);
        all.add(["open", "pop!EmptyStackException"], 1);
        for word in &all.words {
            writer.part(&word.letters, &all.alphabet);
            writer.end(word.weight);
        }
        writer.finish().unwrap();
        let (found, summary) = read(&[path], &options()).unwrap();
        assert_eq!(
            found,
            [("open isX:TRUE close".to_owned(), 2), ("open pop!EmptyStackException".to_owned(), 1)],
            "{name}"
        );
        assert_eq!((summary.traces, summary.events, summary.spilled), (3, 8, 0));
    }
}

/// Rows of many traces, interleaved and with times in any order, across two files; a trace has rows in both.
#[test]
fn rows_need_not_be_adjacent_nor_in_order() {
    let folder = TempDir::new().unwrap();
    let rows: Vec<(String, i64, String)> = (0..500_i64)
        .map(|n| {
            let trace = if n % 2 == 0 { "big".to_owned() } else { format!("t{}", n % 41) };
            (trace, (n * 7919) % 503, format!("e{}", (n * n) % 13))
        })
        .collect();
    let mut expected: std::collections::BTreeMap<&str, Vec<(i64, &str)>> = Default::default();
    for (trace, time, event) in &rows {
        expected.entry(trace).or_default().push((*time, event));
    }
    let mut expected: Vec<String> = expected
        .into_values()
        .map(|mut rows| {
            rows.sort_by_key(|(time, _)| *time);
            rows.into_iter().map(|(_, event)| event).collect::<Vec<_>>().join(" ")
        })
        .collect();
    expected.sort();
    let mut files = Vec::new();
    for (number, half) in rows.chunks(250).enumerate() {
        let day = folder.path().join(format!("day={number}"));
        fs::create_dir(&day).unwrap();
        fs::write(day.join("_SUCCESS"), "").unwrap();
        let column = |of: fn(&(String, i64, String)) -> &str| texts(&half.iter().map(of).collect::<Vec<_>>());
        let times = Int64Array::from(half.iter().map(|row| row.1).collect::<Vec<_>>());
        let path = day.join("part.parquet");
        write(
            &path,
            vec![
                ("session_id", column(|row| &row.0)),
                ("ts", Arc::new(times)),
                ("action", column(|row| &row.2)),
                ("unused", column(|row| &row.2)),
            ],
        );
        files.push(path);
    }
    for memory in [300, 5000, 1 << 20] {
        let options = TableOptions { memory, time: Some("ts".into()), ..options() };
        let (found, summary) = read(&files, &options).unwrap();
        let mut found: Vec<String> =
            found.into_iter().flat_map(|(word, weight)| vec![word; weight as usize]).collect();
        found.sort();
        assert_eq!(found, expected, "{memory}");
        assert_eq!(summary.spilled > 0, memory < 6000, "{memory} {summary:?}");
    }
}

/// In a table that is sorted by trace, statistics let traces go before the end.
#[test]
fn statistics_keep_memory_small() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sorted.parquet");
    let traces: Vec<String> = (0..400).map(|n| format!("{:04}", n / 4)).collect();
    let events: Vec<&str> = (0..400).map(|n| ["a", "b", "c", "d"][n % 4]).collect();
    write(
        &path,
        vec![
            ("trace", texts(&traces.iter().map(String::as_str).collect::<Vec<_>>())),
            ("event", texts(&events)),
        ],
    );
    let (found, summary) = read(&[path], &options()).unwrap();
    assert_eq!(found, [("a b c d".to_owned(), 100)]);
    assert!(summary.peak < 2000, "{summary:?}");
}

#[test]
fn outcomes_and_numbers_and_streams() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.arrows");
    let batch = RecordBatch::try_from_iter([
        ("case", Arc::new(Int64Array::from(vec![-1, 7, -1])) as ArrayRef),
        ("activity", texts(&["isX", "isX", "pop"])),
        ("returned", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])) as ArrayRef),
        ("threw", Arc::new(StringArray::from(vec![None, None, Some("a.Broken")])) as ArrayRef),
    ])
    .unwrap();
    let mut writer = StreamWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let (found, _) = read(std::slice::from_ref(&path), &options()).unwrap();
    assert_eq!(found, [("isX:FALSE".to_owned(), 1), ("isX:TRUE pop!Broken".to_owned(), 1)]);
    let (columns, rows) = dry_run(&file(&path), &options(), 2).unwrap();
    assert_eq!(columns[0], ("trace", "case".to_owned()));
    assert_eq!((rows[0].trace.as_str(), rows[0].label.as_str(), rows.len()), ("-1", "isX:TRUE", 2));
}

#[test]
fn faulty_tables_are_refused_with_advice() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let check = |path: &Path, options: &TableOptions, parts: &[&str]| {
        let error = read(&[path.to_owned()], options).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "`{part}` is not in: {error}");
        }
    };
    let good = at("good.parquet");
    write(&good, vec![("trace", texts(&["1", "2"])), ("event", texts(&["a", "b"]))]);
    let bytes = fs::read(&good).unwrap();
    for cut in [0, 3, bytes.len() / 2, bytes.len() - 1] {
        let path = at("cut.parquet");
        fs::write(&path, &bytes[..cut]).unwrap();
        check(&path, &options(), &["cut.parquet", "Parquet file is cut off or damaged", "copy it again"]);
    }
    fs::write(at("cut.arrow"), b"ARROW1").unwrap();
    check(&at("cut.arrow"), &options(), &["cut.arrow", "cut off or damaged"]);
    check(&at("none.parquet"), &options(), &["none.parquet", "cannot read"]);

    let named = TableOptions { trace: Some("trase".into()), ..options() };
    check(&good, &named, &["no column for the trace", "`trace`, `event`", "did you mean `trace`?", "--case"]);
    let odd = at("odd.parquet");
    write(&odd, vec![("traec_id", texts(&["1"])), ("event", texts(&["a"]))]);
    check(&odd, &options(), &["no column for the trace", "did you mean `traec_id`?"]);

    let fields = Fields::from(vec![Field::new("id", DataType::Int64, false)]);
    let nested = StructArray::new(fields, vec![Arc::new(Int64Array::from(vec![1]))], None);
    write(&odd, vec![("trace", Arc::new(nested)), ("event", texts(&["a"]))]);
    check(&odd, &options(), &["`trace` for the trace has the type", "Struct", "select one field"]);
    let times = Arc::new(BooleanArray::from(vec![true]));
    write(&odd, vec![("trace", texts(&["1"])), ("event", texts(&["a"])), ("time", times)]);
    check(&odd, &options(), &["`time`", "Boolean", "--time"]);
    let times = texts(&["2024-05-31T10:00:00", "noon"]);
    write(&odd, vec![("trace", texts(&["1", "2"])), ("event", texts(&["a", "b"])), ("time", times)]);
    check(&odd, &options(), &["row 2", "`noon`", "`time`", "--time"]);
    write(&odd, vec![("trace", texts(&["1", ""])), ("event", texts(&["a", "b"]))]);
    check(&odd, &options(), &["row 2 has no trace"]);
    let none: ArrayRef = Arc::new(StringArray::from(vec![Some("1"), None]));
    write(&odd, vec![("trace", none), ("event", texts(&["a", "b"]))]);
    check(&odd, &options(), &["row 2 has no trace"]);
    let other = at("other.parquet");
    write(&other, vec![("trace", Arc::new(Int64Array::from(vec![1]))), ("event", texts(&["a"]))]);
    let error = read(&[good.clone(), other], &options()).unwrap_err();
    assert!(error.contains("other.parquet") && error.contains("Int64"), "{error}");
    assert!(error.contains("good.parquet") && error.contains("Utf8"), "{error}");
    let few = TableOptions { max_labels: 1, ..options() };
    check(&good, &few, &["more than 1 different events", "--activity"]);
}

/// Times as texts, and times in another unit in another file, are sorted together.
#[test]
fn times_of_any_kind_are_one_order() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let log = |events: &[&str], times: ArrayRef| {
        vec![("trace", texts(&["1", "1"])), ("event", texts(events)), ("time", times)]
    };
    let second = 1_717_149_600;
    let seconds = TimestampSecondArray::from(vec![second + 2, second]);
    write(&at("a.parquet"), log(&["c", "a"], Arc::new(seconds)));
    let millis = TimestampMillisecondArray::from(vec![second * 1000 + 2500, second * 1000 + 1]);
    write(&at("b.parquet"), log(&["d", "b"], Arc::new(millis)));
    write(&at("c.parquet"), log(&["f", "e"], texts(&["2024-05-31T10:00:05.5", "2024-05-31 10:00:05"])));
    let files = ["a.parquet", "b.parquet", "c.parquet"].map(at);
    assert_eq!(read(&files, &options()).unwrap().0, [("a b c d e f".to_owned(), 1)]);
    write(&at("d.parquet"), log(&["y", "x"], Arc::new(Int64Array::from(vec![2, 1]))));
    assert_eq!(read(&[at("d.parquet")], &options()).unwrap().0, [("x y".to_owned(), 1)]);
    let error = read(&["a.parquet", "d.parquet"].map(at), &options()).unwrap_err();
    assert!(error.contains("its column for the time has the type Int64"), "{error}");
}

/// Columns may be in the names of folders, where Hive and Spark put them.
#[test]
fn folders_give_columns() {
    let folder = TempDir::new().unwrap();
    let mut files = Vec::new();
    for (session, date, events) in [("s%201", "2026-11-02", ["b", "c"]), ("s%201", "2026-11-01", ["x", "a"])]
    {
        let place = folder.path().join(format!("session={session}/date={date}"));
        fs::create_dir_all(&place).unwrap();
        let path = place.join("part.parquet");
        write(&path, vec![("event", texts(&events)), ("n", texts(&["p", "q"]))]);
        files.push(path);
    }
    // A date in a folder's name orders rows only on request.
    assert_eq!(read(&files, &options()).unwrap().0, [("b c x a".to_owned(), 1)]);
    let by_date = TableOptions { time: Some("date".into()), ..options() };
    assert_eq!(read(&files, &by_date).unwrap().0, [("x a b c".to_owned(), 1)]);
    let (columns, rows) = dry_run(&file(&files[0]), &options(), 9).unwrap();
    assert_eq!(columns[0], ("trace", "session".to_owned()));
    assert_eq!(rows[0].trace, "s 1");
    let by_day = TableOptions { trace: Some("dat".into()), ..options() };
    assert!(read(&files, &by_day).unwrap_err().contains("did you mean `date`?"));
}

/// Texts of every kind that other programs write, with a value in a dictionary that no row has.
#[test]
fn texts_of_every_kind() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rows.arrow");
    let ids = LargeStringArray::from(vec!["x", "y", "x"]);
    let values = StringArray::from(vec!["unused", "open", "close"]);
    let keys = Int8Array::from(vec![1, 1, 2]);
    let events = DictionaryArray::<Int8Type>::new(keys, Arc::new(values));
    let threw = StringViewArray::from(vec![None, Some("a.Broken"), None]);
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("trace", Arc::new(ids) as ArrayRef, false),
        ("event", Arc::new(events), false),
        ("threw", Arc::new(threw), true),
    ])
    .unwrap();
    let mut writer = StreamWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let expected = [("open close".to_owned(), 1), ("open!Broken".to_owned(), 1)];
    assert_eq!(read(std::slice::from_ref(&path), &options()).unwrap().0, expected);
    let mut alphabet = Alphabet::new();
    words(&[file(&path)], &options(), &mut alphabet, &mut Words::new(), &mut |_| {}).unwrap();
    assert_eq!(alphabet.names().collect::<Vec<_>>(), ["open", "open!Broken", "close"]);
    let parquet = folder.path().join("rows.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&parquet).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(read(&[parquet], &options()).unwrap().0, expected);
}
