//! Tables in files: what is written comes back, in any order of rows and with any memory; faulty ones are
//! refused with advice.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_columns::{TableOptions, TableSummary, TableWriter, dry_run, expand, is_table, words};
use adit_trace::{Alphabet, Labels, WordSink, Words};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, StructArray};
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

fn read(files: &[PathBuf], options: &TableOptions) -> Result<(Vec<(String, u64)>, TableSummary), String> {
    let (mut alphabet, mut found) = (Alphabet::new(), Words::new());
    let summary = words(files, options, &mut alphabet, &mut found, &mut |_| {}).map_err(|error| {
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
        let mut writer = TableWriter::create(&path).unwrap();
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
    assert!(is_table(folder.path()));
    assert_eq!(expand(folder.path()), files);
    assert_eq!(expand(&folder.path().join("day=*/part.parquet")), files);
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
    let (columns, rows) = dry_run(&path, &options(), 2).unwrap();
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
    write(&odd, vec![("trace", texts(&["1"])), ("event", texts(&["a"])), ("time", texts(&["noon"]))]);
    check(&odd, &options(), &["`time`", "timestamp", "--time"]);
    let none: ArrayRef = Arc::new(StringArray::from(vec![Some("1"), None]));
    write(&odd, vec![("trace", none), ("event", texts(&["a", "b"]))]);
    check(&odd, &options(), &["row 2 has no trace"]);
    let few = TableOptions { max_labels: 1, ..options() };
    check(&good, &few, &["more than 1 different events", "--activity"]);
}
