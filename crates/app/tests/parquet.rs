//! Parquet and Arrow through the command line: the same answers as from CSV, and clear messages about faulty
//! tables. `tests/tables` holds tables that another program, pyarrow, wrote.
#![cfg(feature = "parquet")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

mod driver;
use driver::{adit, refused};

fn written(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name).display().to_string()
}

/// Traces whose rows are interleaved, with results and exceptions.
fn csv(folder: &Path) -> String {
    let events =
        ["open,,", "isReady,true,", "isReady,false,", "read,,java.io.IOException", "write,,", "close,,"];
    let mut text = "trace,event,returned,threw\n".to_owned();
    for place in 0..9_usize {
        for trace in 0..120_usize {
            if place <= trace % 9 {
                let event = events[(trace * trace + place * (1 + trace % 4)) % events.len()];
                let _ = writeln!(text, "{trace},{event}");
            }
        }
    }
    let path = folder.join("log.csv").display().to_string();
    fs::write(&path, text).unwrap();
    path
}

fn answer(args: &[&str]) -> String {
    let run = adit(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

#[test]
fn a_table_gives_the_bytes_that_csv_gives() {
    let folder = TempDir::new().unwrap();
    let log = csv(folder.path());
    let expected = answer(&["properties", &log, "--json", "--min-confidence", "0.3"]);
    assert!(expected.contains("\"isReady:TRUE\"") && expected.contains("read!IOException"), "{expected}");
    let model = |file: &str| {
        let out = folder.path().join("model.json").display().to_string();
        answer(&["infer", file, "--algorithm", "k-tail", "-o", &out, "--title", "T", "--no-report"]);
        fs::read_to_string(&out).unwrap()
    };
    let expected_model = model(&log);
    for name in ["log.parquet", "log.arrow"] {
        let table = folder.path().join(name).display().to_string();
        answer(&["convert", &log, &table]);
        for memory in ["64M", "4K"] {
            let found =
                answer(&["properties", &table, "--json", "--min-confidence", "0.3", "--memory", memory]);
            assert_eq!(found, expected, "{name} in {memory}");
        }
        assert_eq!(model(&table), expected_model, "{name}");
        // And back again.
        let back = folder.path().join("back.csv").display().to_string();
        answer(&["convert", &table, &back]);
        assert_eq!(answer(&["properties", &back, "--json", "--min-confidence", "0.3"]), expected);
        let other = folder.path().join("again.parquet").display().to_string();
        answer(&["convert", &table, &other]);
        assert_eq!(model(&other), expected_model);
    }
    let fold = folder.path().join("part.fold").display().to_string();
    let table = folder.path().join("log.parquet").display().to_string();
    answer(&["properties", &table, "--partial", "-o", &fold]);
    let merged = answer(&["properties", "--merge", &fold, "--json", "--min-confidence", "0.3"]);
    assert_eq!(merged, expected);
}

/// A trace may have rows in several files of a folder, and the folders may be partitions.
#[test]
fn folders_and_patterns_are_one_log() {
    let folder = TempDir::new().unwrap();
    for (day, name) in [("day=1", "a.parquet"), ("day=2", "b.parquet")] {
        fs::create_dir(folder.path().join(day)).unwrap();
        fs::copy(written("pyarrow.parquet"), folder.path().join(day).join(name)).unwrap();
    }
    let path = folder.path().display().to_string();
    let both = answer(&["properties", &path, "--json", "--quiet"]);
    let pattern = format!("{path}/day=*/*.parquet");
    assert_eq!(answer(&["properties", &pattern, "--json", "--quiet"]), both);
    let one = answer(&["properties", &format!("{path}/day=1/*.parquet"), "--quiet"]);
    assert!(one.starts_with("2 traces, 5 events of 3 kinds"), "{one}");
    let both = answer(&["properties", &path, "--quiet"]);
    assert!(both.starts_with("2 traces, 10 events of 3 kinds"), "{both}");
    refused(&adit(&["properties", &format!("{path}/none-*.parquet")]), &["none-*.parquet", "pattern"]);
    let everywhere = answer(&["properties", &format!("{path}/**/*.parquet"), "--quiet"]);
    assert_eq!(everywhere, both);
    assert_eq!(answer(&["properties", &format!("{path}/day=*"), "--quiet"]), both);
    // A dry run shows the rows of one file, and that the others are alike.
    let shown = answer(&["properties", &path, "--dry-run"]);
    assert!(shown.contains("a.parquet read as a table") && shown.contains("row 5"), "{shown}");
    assert!(!shown.contains("b.parquet") && shown.contains("1 more file with the same columns"), "{shown}");
    // The name of a folder is a column too.
    let by_day = answer(&["properties", &path, "--case", "day", "--quiet"]);
    assert!(by_day.starts_with("2 traces, 10 events of 3 kinds"), "{by_day}");
    refused(&adit(&["properties", &path, "--case", "dya"]), &["did you mean `day`?"]);
}

/// A table is known by its first bytes, or by what the user says; Arrow may come through a pipe.
#[test]
fn names_need_not_tell() {
    let folder = TempDir::new().unwrap();
    let expected = answer(&["properties", &written("pyarrow.parquet"), "--json", "--quiet"]);
    let unnamed = folder.path().join("events").display().to_string();
    fs::copy(written("pyarrow.parquet"), &unnamed).unwrap();
    assert_eq!(answer(&["properties", &unnamed, "--json", "--quiet"]), expected);
    assert_eq!(answer(&["properties", &unnamed, "--from", "parquet", "--json", "--quiet"]), expected);
    let inside = folder.path().display().to_string();
    assert_eq!(answer(&["properties", &inside, "--from", "parquet", "--json", "--quiet"]), expected);
    refused(&adit(&["properties", &unnamed, "--from", "parkett"]), &["unknown trace format `parkett`"]);
    refused(&adit(&["properties", &unnamed, "--from", "arrow"]), &["events", "cut off or damaged"]);

    let arrow = folder.path().join("rows.bin").display().to_string();
    answer(&["convert", &unnamed, &arrow, "--to", "arrow", "--quiet"]);
    assert_eq!(answer(&["properties", &arrow, "--json", "--quiet"]), expected);
    refused(&adit(&["convert", &unnamed, "-", "--to", "arrow"]), &["standard output", "name a file"]);

    let piped = |args: &[&str], bytes: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_adit"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that has seen enough reads no further.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let stream = fs::read(written("stream.arrows")).unwrap();
    let args = ["properties", "-", "--from", "arrow", "--quiet", "--no-purity"];
    let (code, out, err) = piped(&args, &stream);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out, answer(&["properties", &written("stream.arrows"), "--quiet", "--no-purity"]));
    let (code, _, err) = piped(&args, &stream[..stream.len() / 2]);
    assert!(code == Some(2) && err.contains("<stdin>") && err.contains("cut off"), "{err}");
    let (code, _, err) = piped(&["properties", "-", "--from", "parquet"], &stream);
    assert!(code == Some(2) && err.contains("Parquet cannot be read from standard input"), "{err}");
}

/// Every compression that other programs write is read, or named.
#[test]
fn compressions() {
    let expected = answer(&["properties", &written("pyarrow.parquet"), "--json", "--quiet"]);
    for name in ["gzip", "lz4", "zstd"] {
        let table = written(&format!("{name}.parquet"));
        assert_eq!(answer(&["properties", &table, "--json", "--quiet"]), expected, "{name}");
    }
    refused(&adit(&["properties", &written("brotli.parquet")]), &["brotli.parquet", "compressed", "Snappy"]);
}

#[test]
fn a_dry_run_shows_columns_and_rows() {
    let shown = answer(&["properties", &written("pyarrow.parquet"), "--dry-run"]);
    for part in
        ["trace `session`", "event `action`", "time `timestamp`", "row 1: event close (trace b", "row 5"]
    {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
    // The rows of a trace are sorted by time.
    let lines = answer(&["convert", &written("pyarrow.parquet"), "-", "--to", "lines", "--quiet"]);
    assert_eq!(lines.replace("<START> ", "").replace(" <END>", ""), "open read close\nopen close\n");
}

#[test]
fn faulty_tables_are_refused() {
    let folder = TempDir::new().unwrap();
    let table = written("pyarrow.parquet");
    refused(
        &adit(&["properties", &table, "--case", "sesion"]),
        &["no column for the trace", "`action`", "did you mean `session`?", "--case"],
    );
    refused(&adit(&["properties", &written("nested.arrow")]), &["`trace`", "Struct", "--case"]);
    let bytes = fs::read(&table).unwrap();
    let cut = folder.path().join("cut.parquet").display().to_string();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    refused(&adit(&["properties", &cut]), &["cut.parquet", "cut off or damaged"]);
    fs::write(&cut, "").unwrap();
    refused(&adit(&["infer", &cut, "--dry-run"]), &["cut.parquet", "cut off or damaged"]);
    refused(&adit(&["properties", "/nowhere/at-all.parquet"]), &["/nowhere/at-all.parquet"]);
    refused(&adit(&["invariants", &table]), &["a table has no states of objects", "JSON lines"]);
    // A failed conversion leaves the old file alone.
    let kept = folder.path().join("kept.parquet");
    fs::write(&kept, "old").unwrap();
    let shown = kept.display().to_string();
    refused(&adit(&["convert", &cut, &shown]), &["cut off or damaged"]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "old");
    refused(&adit(&["convert", &table, &shown, "--minimize"]), &["--minimize"]);
    refused(&adit(&["convert", &table, "model.dot"]), &["adit infer"]);
}
