//! Bad input of every kind: exit code 2, nothing on standard output, and a message that says where and what
//! would help.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use driver::{adit, adit_with, example, refused};
use tempfile::TempDir;

#[test]
fn a_missing_file_with_a_near_miss() {
    let run = adit(&["infer", &example("tokeniser.traces")]);
    refused(&run, &["tokeniser.traces", "no such file", "tokenizer.traces"]);
    refused(&adit(&["check", "nowhere/m.json", "--formula", "true"]), &["nowhere/m.json", "no such file"]);
}

#[test]
fn a_directory() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().display().to_string();
    refused(&adit(&["properties", &path]), &[&path, "is a directory", "name the files"]);
    refused(&adit(&["compare", &path, &path]), &["is a directory", "a folder that `adit mine` wrote"]);
}

#[test]
fn a_folder_with_a_model_stands_for_its_files() {
    let place = Place::new();
    let model = fs::read(example("tokenizer.model.json")).unwrap();
    place.file("model.json", &model);
    place.file("traces.jsonl", br#"{"events": ["open", "close"]}"#);
    let folder = place.0.path().display().to_string();
    let run = adit(&["check", &folder, "--formula", "F StringTokenizer"]);
    assert_eq!(run.out, "holds\n", "{}", run.err);
    assert_eq!(adit(&["compare", &folder, &folder]).code, 0);
    assert_eq!(adit(&["convert", &folder, "-", "--to", "dot"]).code, 0);
    assert!(adit(&["infer", &folder]).out.contains("\"close\""));
    assert!(adit(&["properties", &folder]).out.contains("close"));
}

#[test]
fn a_format_that_cannot_be_named() {
    let place = Place::new();
    let path = place.file("model.txt", b"some words\n");
    // These commands have no --from.
    for command in ["show", "report"] {
        let run = adit(&[command, &path]);
        refused(&run, &["not a known model format", "adit convert", "--from FORMAT"]);
    }
    refused(&adit(&["check", &path, "--formula", "true"]), &["name the format with --from"]);
}

#[test]
fn a_picture_of_traces() {
    let run = adit(&["convert", &example("tokenizer.traces"), "out.svg"]);
    refused(&run, &["only models can be drawn", "-o model.json && adit convert model.json out.svg"]);
    let run = adit(&["infer", &example("tokenizer.traces"), "-o", "out.svg"]);
    refused(&run, &["out.svg would be a picture", "adit convert model.json out.svg"]);
}

#[test]
fn a_log_without_a_pattern() {
    let run = adit(&["properties", &example("server.log")]);
    refused(&run, &["looks like a log", "--regex '^(?:\\S+ +){4}(?<event>\\S+)'"]);
    assert_eq!(
        adit(&["properties", &example("server.log"), "--regex", r"^(?:\S+ +){4}(?<event>\S+)"]).code,
        0
    );
    // Words that begin with digits are no times.
    let place = Place::new();
    let path = place.file("a.words", b"1 open close\n2 open close\n3 open\n4 open\n");
    assert_eq!(adit(&["properties", &path]).code, 0);
}

#[test]
fn an_empty_file() {
    let place = Place::new();
    for name in ["a.traces", "a.csv", "a.jsonl", "a.xes", "a.txt"] {
        let path = place.file(name, b"");
        refused(&adit(&["properties", &path]), &[&path, "help"]);
    }
    let path = place.file("a.json", b"");
    refused(&adit(&["check", &path, "--formula", "true"]), &[&path, "empty"]);
}

#[test]
fn gzip_that_was_cut_off() {
    let place = Place::new();
    let whole = place.path("a.traces.gz");
    assert_eq!(adit(&["convert", &example("tokenizer.traces"), &whole]).code, 0);
    let bytes = fs::read(&whole).unwrap();
    let path = place.file("cut.traces.gz", &bytes[..bytes.len() / 2]);
    refused(&adit(&["properties", &path]), &[&path, "gzip"]);

    let whole = place.path("a.json.gz");
    assert_eq!(adit(&["convert", &example("tokenizer.dot"), &whole]).code, 0);
    let bytes = fs::read(&whole).unwrap();
    let path = place.file("cut.json.gz", &bytes[..bytes.len() / 2]);
    refused(&adit(&["check", &path, "--formula", "true"]), &[&path, "gzip"]);
}

#[test]
fn bytes_that_are_no_text() {
    let place = Place::new();
    let path = place.file("a.traces", b"open read close\nopen \xff\xfe close\n");
    refused(&adit(&["properties", &path]), &[&format!("{path}:2:6"), "UTF-8"]);
    let path = place.file("a.dot", b"digraph {\n a -> \xff\n}");
    refused(&adit(&["check", &path, "--formula", "true"]), &[&format!("{path}:2:"), "UTF-8"]);
}

#[test]
fn a_line_of_a_hundred_megabytes() {
    let place = Place::new();
    let path = place.path("a.traces");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"open close\nopen ").unwrap();
    // A hole in a file reads as zeros, which are text, and costs no disk.
    file.set_len(100 << 20).unwrap();
    refused(&adit(&["properties", &path]), &[&format!("{path}:2"), "16777216 bytes", "--max-line"]);
    let path = place.path("a.aut");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"des (0, 1, 2)\n(0, \"").unwrap();
    file.set_len(100 << 20).unwrap();
    refused(&adit(&["check", &path, "--formula", "true"]), &[&format!("{path}:2:"), "help"]);
}

#[test]
fn a_wrong_column() {
    let run = adit(&["properties", &example("orders.csv"), "--activity", "activty"]);
    refused(&run, &["orders.csv:1:1", "did you mean `activity`?"]);
    let place = Place::new();
    let path = place.file("a.csv", b"case,activity\n1,open\n1\n");
    refused(&adit(&["properties", &path]), &[&format!("{path}:3"), "help"]);
}

#[test]
fn a_line_that_the_pattern_does_not_match() {
    let run = adit(&["properties", &example("server.log"), "--regex", r"INFO +\[s-17\] (?<event>[A-Z]+)"]);
    refused(&run, &["server.log:3:", "--skip-unmatched"]);
    let run = adit(&["properties", &example("server.log"), "--regex", r"(?<event>[A-Z]+"]);
    refused(&run, &["help"]);
    let run = adit(&["properties", &example("server.log"), "--regex", r"[A-Z]+"]);
    refused(&run, &["event", "help"]);
}

#[test]
fn a_trace_that_was_cut_off() {
    let place = Place::new();
    let path = place.file("a.traces", b"<START> open close <END>\n<START> open\n");
    refused(&adit(&["properties", &path]), &[&format!("{path}:2:1"), "--keep-partial"]);
    assert_eq!(adit(&["properties", &path, "--keep-partial"]).code, 0);
}

#[test]
fn a_model_with_a_dangling_state() {
    let place = Place::new();
    let path = place.file("a.aut", b"des (0, 2, 2)\n(0, \"open\", 1)\n(1, \"close\", 7)\n");
    refused(&adit(&["check", &path, "--formula", "true"]), &[&format!("{path}:3:"), "7", "help"]);
    let whole = adit(&["convert", &example("connection.aut"), "-", "--to", "json"]).out;
    let path = place
        .file("a.json", whole.replace("\"to\":2", "\"to\":9").replace("\"to\": 2", "\"to\": 9").as_bytes());
    refused(&adit(&["check", &path, "--formula", "true"]), &[&format!("{path}:"), "9", "help"]);
}

#[test]
fn a_formula_with_a_typo() {
    let model = example("tokenizer.dot");
    refused(&adit(&["check", &model, "--formula", "G(nextToken -> "]), &["help"]);
    refused(&adit(&["check", &model, "--formula", "G nextTokn"]), &["nextTokn", "nextToken"]);
    refused(&adit(&["check", &model, "--formula", ""]), &["help"]);
    let deep = format!("{}a{}", "(".repeat(20_000), ")".repeat(20_000));
    refused(&adit(&["check", &model, "--formula", &deep]), &["help"]);
}

#[test]
fn an_unknown_name() {
    let traces = example("tokenizer.traces");
    refused(&adit(&["properties", &traces, "--from", "cvs"]), &["cvs", "csv"]);
    refused(&adit(&["infer", &traces, "--to", "dott"]), &["dott", "dot"]);
    refused(&adit(&["infer", &traces, "-o", "model.doc"]), &["model.doc", "dot"]);
    refused(&adit(&["properties", &traces, "--template", "NFF"]), &["NFF", "NF"]);
    refused(&adit(&["convert", &traces, "x.json"]), &["adit infer"]);
    refused(&adit(&["properties", &traces, "--pure", "hasMoreToken"]), &["hasMoreToken", "hasMoreTokens"]);
}

#[test]
fn a_place_that_cannot_be_written() {
    let traces = example("tokenizer.traces");
    let folder = TempDir::new().unwrap();
    let path = folder.path().display().to_string();
    refused(&adit(&["infer", &traces, "-o", &path]), &[&path, "is a directory"]);
    let path = folder.path().join("no/model.json").display().to_string();
    refused(&adit(&["infer", &traces, "-o", &path]), &[&path, "does not exist", "mkdir -p"]);
    refused(&adit(&["infer", &traces, "-o", "/proc/model.json"]), &["/proc/model.json", "cannot write"]);
}

#[test]
fn nothing_that_can_be_told_apart() {
    let place = Place::new();
    let path = place.file("model", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    refused(&adit(&["check", &path, "--formula", "true"]), &[&path, "--from"]);
    refused(&adit(&["convert", &path, "-", "--to", "dot"]), &[&path]);
}

#[test]
fn every_input_from_standard_input_is_named() {
    let run =
        adit_with(&["check", "-", "--from", "aut", "--formula", "true"], "des (0, 1, 1)\n(0, \"a\", 4)\n");
    refused(&run, &["<stdin>:2:"]);
}

/// A folder for the files of one test.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        path.display().to_string()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

#[test]
fn flags_that_mean_nothing_here_are_refused() {
    let traces = example("tokenizer.traces");
    let cases: [(&[&str], &str); 7] = [
        (&["infer", &traces, "--k", "3"], "--algorithm k-tail"),
        (&["infer", &traces, "--algorithm", "k-tail", "--no-constraint-a"], "--algorithm dice"),
        (&["infer", &traces, "--json", "-o", "-"], "standard output"),
        (&["infer", &traces, "--algorithm", "k-tail", "--k", "-1"], "invalid"),
        (&["properties", &traces, "--threads", "100000"], "1..=256"),
        (&["properties", &traces, "--formula", "G(x -> F y)", "--pure", "size"], "formula"),
        (&["properties", &traces, "--formula", "G(x -> F y)", "--placeholders", "x,y,z"], "`z`"),
    ];
    for (arguments, says) in cases {
        let run = adit(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(says), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn what_is_no_trace_file_is_not_mined() {
    let folder = tempfile::tempdir().unwrap();
    let renamed = folder.path().join("model").display().to_string();
    std::fs::copy(example("tokenizer.dot"), &renamed).unwrap();
    for (file, says) in [(example("tokenizer.dot"), "is a model"), (renamed, "is a model")] {
        let run = adit(&["properties", &file]);
        assert_eq!(run.code, 2, "{file}: {}", run.err);
        assert!(run.err.contains(says), "{file}: {}", run.err);
    }
}

#[test]
fn reports_of_what_is_not_there() {
    let empty = TempDir::new().unwrap();
    let folder = empty.path().display().to_string();
    refused(&adit(&["report", &folder]), &["holds no model.json", "adit mine"]);
    refused(&adit(&["report", &example("tokenizer.model.jsn")]), &["no such file", "tokenizer.model.json"]);
    refused(&adit(&["show", &example("tokenizer.traces")]), &["tokenizer.traces"]);
    let model = example("tokenizer.model.json");
    refused(&adit(&["report", &model, &model]), &["cannot be compared with itself"]);
    refused(&adit(&["report", &model, "-o", "no/such/folder/a.html"]), &["does not exist", "mkdir"]);
    // A broken file beside a model that is whole.
    fs::copy(&model, empty.path().join("model.json")).unwrap();
    fs::write(empty.path().join("properties.json"), "{\n  \"pure\": [").unwrap();
    refused(&adit(&["report", &folder]), &["properties.json:2:", "cut off"]);
    fs::write(empty.path().join("properties.json"), "[1, \"no properties\"]").unwrap();
    refused(&adit(&["report", &folder]), &["properties.json:1:", "not a result file"]);
    // As adit wrote it before results had versions.
    fs::write(empty.path().join("properties.json"), "{\"pure\": [], \"properties\": []}").unwrap();
    refused(&adit(&["report", &folder]), &["has version 1", "run the same `adit mine` command again"]);
    fs::remove_file(empty.path().join("properties.json")).unwrap();
    fs::write(empty.path().join("traces.jsonl"), "{\"event\":").unwrap();
    refused(&adit(&["report", &folder]), &["traces.jsonl"]);
}

#[test]
fn explanations_of_what_is_not_there() {
    let model = example("tokenizer.model.json");
    let explain = |what: &[&str]| adit(&[&["explain", &model], what].concat());
    refused(&explain(&["nextTokn"]), &["no transition", "did you mean `nextToken`"]);
    refused(&explain(&["9", "nextToken"]), &["no state 9", "0 to 2"]);
    refused(&explain(&["0", "nextToken"]), &["the model has no transition `0 nextToken`", "1 nextToken 1"]);
    refused(&explain(&["nextToken", "x"]), &["no state `x`", "`adit name MODEL` lists them"]);
    refused(&explain(&["NF(a, b)"]), &["was not mined", "no properties.json"]);
}

#[test]
fn pictures_that_cannot_be_made() {
    let model = example("tokenizer.model.json");
    refused(&adit(&["convert", &example("tokenizer.traces"), "a.svg"]), &["holds traces", "adit infer"]);
    let place = Place::new();
    let svg = place.file("a.svg", b"<svg/>");
    refused(&adit(&["convert", &svg, "a.json"]), &["is a picture"]);
    let png = place.file("a.png", b"\x89PNG\r\n\x1a\n");
    refused(&adit(&["convert", &png, "a.json"]), &["is a picture"]);
    refused(&adit(&["convert", &model, "-", "--to", "svgg"]), &["did you mean `svg`"]);
}

/// A binary without the feature `parquet` says how to get one that has it.
#[cfg(not(feature = "parquet"))]
#[test]
fn tables_need_a_binary_that_reads_them() {
    let advice = ["built without Parquet and Arrow", "./adit", "--features parquet"];
    refused(&adit(&["properties", "log.parquet"]), &advice);
    refused(&adit(&["properties", "log.arrow", "--dry-run"]), &advice);
    refused(&adit(&["infer", "log.parquet"]), &advice);
    refused(&adit(&["convert", &example("tokenizer.traces"), "log.parquet"]), &advice);
    refused(&adit(&["convert", "log.parquet", "log.csv"]), &advice);
}
