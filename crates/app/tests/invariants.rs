//! `adit invariants` as users run it: on traces of a stack, in every notation, in parts, and on bad input.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use driver::{adit, example, refused};
use expect_test::expect;
use tempfile::TempDir;

fn stack() -> String {
    example("stack.dtrace")
}

/// Writes a file into a folder of its own.
fn file(name: &str, content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path: PathBuf = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path.display().to_string())
}

#[test]
fn claims_as_json_have_the_promised_names() {
    let run = adit(&["invariants", &stack(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let points = json["points"].as_array().unwrap();
    let point = |name: &str| points.iter().find(|point| point["point"] == name).unwrap();
    let claims = |name: &str| -> Vec<String> {
        let claims = point(name)["invariants"].as_array().unwrap().iter();
        claims.map(|claim| claim["text"].as_str().unwrap().to_owned()).collect()
    };
    // Figure 1 of Krka et al.
    for (name, claim) in [
        ("DataStructures.StackAr:::OBJECT", "this.topOfStack >= -1"),
        ("DataStructures.StackAr:::OBJECT", "this.topOfStack <= size(this.theArray) - 1"),
        ("DataStructures.StackAr.push:::ENTER", "this.topOfStack < size(this.theArray) - 1"),
        ("DataStructures.StackAr.push:::ENTER", "this.topOfStack >= -1"),
        ("DataStructures.StackAr.push:::EXIT", "orig(this.topOfStack) < size(this.theArray) - 1"),
        ("DataStructures.StackAr.push:::EXIT", "this.topOfStack >= 0"),
        ("DataStructures.StackAr.push:::EXIT", "this.topOfStack == orig(this.topOfStack) + 1"),
        ("DataStructures.StackAr.push:::EXIT", "size(this.theArray) == orig(size(this.theArray))"),
        ("DataStructures.StackAr.isEmpty:TRUE:::ENTER", "this.topOfStack == -1"),
        ("DataStructures.StackAr.isFull:TRUE:::ENTER", "this.topOfStack == size(this.theArray) - 1"),
    ] {
        assert!(claims(name).iter().any(|known| known == claim), "{claim} at {name}: {:?}", claims(name));
    }
    let first = &point("DataStructures.StackAr:::OBJECT")["invariants"][0];
    assert!(first["support"].as_u64().unwrap() > 100);
    assert!(first["confidence"].as_f64().unwrap() >= 0.99);
}

#[test]
fn the_notations() {
    let text = adit(&["invariants", &stack()]).out;
    assert!(text.starts_with("DataStructures.StackAr: "), "{text}");
    assert!(text.contains("  after\n") && text.contains("unchanged: "), "{text}");
    let daikon = adit(&["invariants", &stack(), "--format", "daikon"]).out;
    assert!(
        daikon.contains("DataStructures.StackAr.isEmpty():::EXIT;condition=\"return == true\"\n"),
        "{daikon}"
    );
    assert!(daikon.contains("this.topOfStack - orig(this.topOfStack) - 1 == 0\n"), "{daikon}");
    let lines = adit(&["invariants", &stack(), "--format", "daikon", "--labels", "line"]).out;
    assert!(lines.contains("DataStructures.StackAr.top():::EXIT79\n"), "{lines}");
    let jml = adit(&["invariants", &stack(), "--format", "jml"]).out;
    assert!(jml.contains("//@ invariant this.topOfStack >= -1;\n"), "{jml}");
    assert!(jml.contains("ensures (\\result == true) ==> (\\old(this.topOfStack) == -1);"), "{jml}");
    assert!(jml.contains("signals (Throwable e) ("), "{jml}");
    // One outcome: what held before is what a caller provides.
    assert!(jml.contains("// makeEmpty\n/*@ requires "), "{jml}");
}

#[test]
fn outcomes_that_are_not_told_apart_become_implications() {
    let run = adit(&["invariants", &stack(), "--labels", "method"]);
    assert!(run.out.contains("(return == true) <==> (this.topOfStack == -1)"), "{}", run.out);
}

#[test]
fn parts_add_up_to_the_whole() {
    let (folder, _) = file("x", b"");
    let fold = |name: &str| folder.path().join(name).display().to_string();
    let (one, two) = (fold("one.fold"), fold("two.fold.gz"));
    for path in [&one, &two] {
        let run = adit(&["invariants", &stack(), "--partial", "-o", path]);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
    }
    let merged = adit(&["invariants", "--merge", &one, &two, "--json"]);
    assert_eq!(merged.code, 0, "{}", merged.err);
    assert_eq!(merged.out, adit(&["invariants", &stack(), &stack(), "--json"]).out);
    let other = fold("other.fold");
    adit(&["invariants", &stack(), "--partial", "--depth", "2", "-o", &other]);
    refused(&adit(&["invariants", "--merge", &one, &other]), &["--depth 1", "--depth 2"]);
    let cut = fs::read(&one).unwrap();
    fs::write(&one, &cut[..cut.len() / 2]).unwrap();
    refused(&adit(&["invariants", "--merge", &one]), &["one.fold", "no usable partial answer", "--partial"]);
    refused(&adit(&["invariants", "--merge", &stack()]), &["stack.dtrace", "no usable partial answer"]);
}

#[test]
fn a_class_and_methods_are_chosen() {
    let run = adit(&["invariants", &stack(), "--class", "StackAr", "--ignore", "push,top"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.out.contains("push") && run.out.contains("topAndPop"), "{}", run.out);
    refused(&adit(&["invariants", &stack(), "--class", "Queue"]), &["Queue", "DataStructures.StackAr"]);
    refused(
        &adit(&["invariants", &stack(), "--ignore", "pusj"]),
        &["--ignore", "pusj", "did you mean `push`?"],
    );
}

#[test]
fn json_lines_with_states() {
    let mut text = String::new();
    for trace in 0..6 {
        text += &format!("{{\"trace\":{trace},\"event\":\"Counter\",\"state\":{{\"n\":0}}}}\n");
        for n in 1..5 {
            text +=
                &format!("{{\"trace\":{trace},\"event\":\"add\",\"args\":[{n}],\"state\":{{\"n\":{n}}}}}\n");
        }
    }
    let (_folder, path) = file("counter.jsonl", text.as_bytes());
    let run = adit(&["invariants", &path, "-q"]);
    expect![[r#"
        Counter: 30 calls

        always
          this.n <= 4
          this.n >= 0

        Counter, 6 calls
          after
            this.n == 0

        add, 24 calls
          before
            this.n <= 3
            this.n < arg0
            this.n >= 0
            arg0 <= 4
            arg0 >= 1
          after
            this.n == arg0
            this.n <= 4
            this.n >= 1
            this.n > orig(this.n)
    "#]]
    .assert_eq(&run.out);
}

#[test]
fn bad_input() {
    refused(&adit(&["invariants", &example("tokenizer.traces")]), &["no states", "adit observe", "--states"]);
    refused(&adit(&["invariants", "nowhere.dtrace"]), &["nowhere.dtrace", "no such file"]);
    refused(&adit(&["invariants", &stack(), "--min-confidence", "2"]), &["--min-confidence"]);
    refused(&adit(&["invariants", &stack(), "--depth", "0"]), &["--depth"]);
    refused(&adit(&["invariants", &stack(), "--types", "ints"]), &["--types", "int"]);
    refused(&adit(&["invariants", &stack(), "--partial"]), &["--output"]);
    refused(&adit(&["invariants", "--merge"]), &["TRACES"]);
    // A record that does not fit its declaration.
    let whole = fs::read_to_string(stack()).unwrap();
    let bad = whole.replacen("this.topOfStack\n-1\n1\n", "this.topOfStack\nminus one\n1\n", 1);
    assert_ne!(bad, whole);
    let (_folder, path) = file("bad.dtrace", bad.as_bytes());
    refused(&adit(&["invariants", &path]), &["bad.dtrace:", "minus one", "whole number", "--keep-partial"]);
    let run = adit(&["invariants", &path, "--keep-partial"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("1 records do not match their declarations"), "{}", run.err);
    // A gzip stream that is cut off.
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(whole.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let (_folder, path) = file("cut.dtrace.gz", &packed[..packed.len() / 2]);
    refused(&adit(&["invariants", &path]), &["cut off", "--keep-partial"]);
    let run = adit(&["invariants", &path, "--keep-partial"]);
    assert!(run.code == 0 && run.out.contains("topOfStack"), "{}", run.err);
    // Calls without a beginning.
    let start = whole.find("isEmpty():::ENTER\nthis_inv").unwrap();
    let (_folder, path) = file("late.dtrace", [&whole[..0], &whole[start - 23..]].concat().as_bytes());
    let run = adit(&["invariants", &path, "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
}
