//! Every hint that a message can give: the commands in it work, and its flags exist.
//!
//! The test reads the sources of all crates, because no list of messages could be complete. A hint with
//! placeholders cannot be run as it stands, so a table has each hint as a user would type it. A hint that is
//! not in the table fails the test, and so does an entry whose hint is gone.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use driver::adit;
use driver::java::{CELL, Java, java};
use driver::literals::{literals, sources};

/// The flags in a text: `--budget`, also of `--budget=1s`.
fn flags(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_flag =
        |word: &&str| word.len() > 3 && word.starts_with("--") && word.as_bytes()[2].is_ascii_lowercase();
    words.filter(is_flag).map(|word| word.trim_end_matches('-').to_owned()).collect()
}

/// The names of all commands.
fn commands() -> Vec<String> {
    let listed = adit(&["--help"]).out;
    let commands: Vec<String> = listed
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    commands
}

/// The commands in a text, without `adit`: up to the end of the code, or to the next command. Prose such as
/// “adit cannot …” is none.
fn hints(text: &str, commands: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("adit ") {
        let is_start = text[..at].chars().next_back().is_none_or(|c| "`' (&\n".contains(c));
        let rest = text[at + 5..].split(['`', '\n', ';']).next().unwrap_or_default();
        // A command within quotes is an argument, and is looked at for itself.
        let rest = rest.split("'adit ").next().unwrap_or_default();
        let name = rest.split_whitespace().next().unwrap_or_default();
        if is_start && commands.iter().any(|command| command == name) {
            found.push(rest.trim().to_owned());
        }
    }
    found
}

#[test]
fn commands_and_flags_in_hints_exist() {
    let commands = commands();
    let helps: BTreeMap<&str, BTreeSet<String>> = commands
        .iter()
        .map(|command| (command.as_str(), flags(&adit(&[command, "--help"]).out).into_iter().collect()))
        .collect();
    let anywhere: BTreeSet<&String> = helps.values().flatten().collect();
    // Flags of other programs that hints name: gzip, javac, jlink, autfilt, Maven and cargo.
    let others = [
        "--help",
        "--version",
        "--test",
        "--release",
        "--state-based-acceptance",
        "--prefix",
        "--features",
        "--compress",
    ];
    // Crates that pass flags to programs of their own.
    let internal = ["jvm/src", "smt/src", "wrapper.rs"];
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in sources() {
        let is_internal = internal.iter().any(|part| file.to_string_lossy().contains(part));
        for text in literals(&fs::read_to_string(&file).unwrap()) {
            for (at, _) in text.match_indices("`adit ") {
                // What is marked as code must be a command.
                let name = text[at + 6..].split(['`', ' ', ';']).next().unwrap_or_default();
                if !helps.contains_key(name) && !name.starts_with(['{', '-']) {
                    wrong.push(format!("{}: there is no command `adit {name}`", file.display()));
                }
            }
            for hint in hints(&text, &commands) {
                seen += 1;
                let name = hint.split_whitespace().next().unwrap_or_default();
                for flag in flags(&hint) {
                    if !helps[name].contains(&flag) && !others.contains(&flag.as_str()) {
                        wrong.push(format!("{}: `adit {name}` has no {flag}", file.display()));
                    }
                }
            }
            // Flags beside no command still belong to one.
            for flag in flags(&text).iter().filter(|_| text.contains(' ') && !is_internal) {
                seen += 1;
                let is_known = anywhere.contains(flag) || others.contains(&flag.as_str());
                if !is_known && !text.contains("gradle") && !text.contains("mvn") && !text.contains("java ") {
                    wrong.push(format!("{}: no command has {flag}: {text}", file.display()));
                }
            }
        }
    }
    assert!(seen > 100, "the test found only {seen} hints");
    assert_eq!(wrong, Vec::<String>::new());
}

/// Hints as sources have them, without `adit`, and each as a user types it who follows the message. The
/// examples of `--help` are run by the test of the documents.
///
/// A typed command may say more than its hint: what a bare command is about, and a small budget.
const TYPED: &[(&str, &str)] = &[
    ("check", "check model.json --formula true"),
    ("ci --help", "ci --help"),
    ("ci --update", "ci --update"),
    ("compare", "compare model.json other.json"),
    ("convert", "convert t.traces t.jsonl"),
    ("convert --help", "convert --help"),
    ("convert --minimize", "convert --minimize model.json smaller.json"),
    ("convert model.json small.json --minimize", "convert model.json small.json --minimize"),
    ("convert model.json {output}", "convert model.json model.svg"),
    ("convert model.json {}", "convert model.json model.png"),
    ("convert {} model.json", "convert other.dot model.json"),
    ("convert {} model.json --from FORMAT", "convert odd.file model.json --from dot"),
    ("doctor", "doctor"),
    ("fuzz", "fuzz ftp.model.json --alphabet ftp -o fuzzed --budget 20tests --seed 1 -- ./ftpd {port}"),
    ("fuzz --replay {}", "fuzz --replay finding"),
    ("infer", "infer t.traces -o inferred.json"),
    ("infer --algorithm contractor", "infer --algorithm contractor stack.dtrace -o contractor.json"),
    ("infer --algorithm k-tail", "infer --algorithm k-tail t.traces -o inferred.json"),
    ("infer --help", "infer --help"),
    (
        "infer {input} -o model.json && adit convert model.json {output}",
        "infer t.traces -o model.json && adit convert model.json t.svg",
    ),
    ("infer {} -o model.json", "infer t.traces -o model.json"),
    ("infer {} -o {}", "infer t.traces -o t.json"),
    ("interface", "interface Cell -c classes -o interface"),
    ("invariants", "invariants stack.dtrace"),
    ("invariants TRACES --partial -o FOLD", "invariants stack.dtrace --partial -o invariants.fold"),
    ("mine", "mine Cell -c classes -o cell --budget 400tests"),
    ("mine --all", "mine --all classes -o every --budget 400tests"),
    ("mine --all JAR --list", "mine --all classes --list"),
    ("mine --fixtures", "mine --fixtures Values.java Cell -c classes -o given --budget 400tests"),
    ("mine --only", "mine --only isEmpty,clear Cell -c classes -o few --budget 400tests"),
    ("mine --test-spec", "mine --test-spec Cell -c classes:$JUNIT --tests tests -o spec --budget 1000tests"),
    ("mine CLASS -o {}", "mine Cell -o cell -c classes --budget 400tests"),
    ("mine {class} -o {folder}", "mine Cell -o cell -c classes --budget 400tests"),
    ("mine {name} -c CLASSPATH", "mine Cell -c classes --budget 400tests"),
    ("mine {}", "mine java.util.StringTokenizer --budget 400tests"),
    ("mine … --fresh", "mine Cell -c classes -o new --budget 400tests --fresh"),
    ("name", "name cell 1 empty"),
    ("name MODEL", "name cell"),
    ("name {} {state} NAME", "name cell 1 'still empty'"),
    ("observe", "observe Cell -c classes -o cell.jsonl --budget 100tests"),
    (
        "observe CLASS --states -o traces.jsonl",
        "observe Cell --states -o traces.jsonl -c classes --budget 100tests",
    ),
    ("observe {0}", "observe java.util.StringTokenizer --budget 100tests"),
    ("observe {} --tests …", "observe Cell --tests tests -c classes:$JUNIT -o tested.jsonl"),
    ("observe {}{} --budget 100tests", "observe Cell -c classes --budget 100tests"),
    ("properties", "properties t.traces"),
    ("properties TRACES --partial -o FOLD", "properties t.traces --partial -o properties.fold"),
    ("report", "report cell -o cell.html"),
    ("serve", "serve --help"),
    ("show", "show cell"),
    ("show --all", "show --all cell"),
    ("status {folder}", "status cell"),
    ("status {}", "status cell"),
    ("validate --json", "validate --json cell.json Cell -c classes --budget 3000tests"),
    (
        "validate model.json {class}{path} --json > validate.json",
        "validate cell.json Cell --json > validate.json -c classes --budget 3000tests",
    ),
    ("verify MODEL target/classes", "verify cell target/classes"),
    ("verify … --write-baseline FILE", "verify classes --write-baseline baseline.txt"),
];

/// Texts that look like hints and are none: the first line of a file, and parts of names.
const NO_HINTS: [&str; 1] = ["verify baseline 1"];

/// Returns true if a typed command follows a hint: the same words, with something in place of every
/// placeholder, and perhaps more behind them.
fn follows(typed: &str, hint: &str) -> bool {
    let is_name = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let mut typed = typed;
    for word in hint.split_whitespace() {
        let word = if word == "model.json" { "" } else { word };
        let is_open = word.is_empty() || word.contains('{') || word == "…" || is_name(word);
        if is_open {
            continue;
        }
        match typed.find(word) {
            Some(at) => typed = &typed[at + word.len()..],
            None => return false,
        }
    }
    true
}

/// A folder with everything that typed commands name.
fn prepared(java: &Java) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for (from, to) in [
        ("tokenizer.model.json", "model.json"),
        ("tokenizer.model.json", "other.json"),
        ("tokenizer.dot", "other.dot"),
        ("tokenizer.dot", "odd.file"),
        ("tokenizer.traces", "t.traces"),
        ("stack.dtrace", "stack.dtrace"),
        ("ftp.model.json", "ftp.model.json"),
    ] {
        fs::copy(driver::example(from), at(to)).unwrap();
    }
    for folder in ["classes", "tests", "target/classes"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("Cell.java"), CELL).unwrap();
    java.compile_files(&[at("Cell.java")], "", &at("classes"));
    java.compile_files(&[at("Cell.java")], "", &at("target/classes"));
    let values = "public class Values { public static String text() { return \"a\"; } }";
    fs::write(at("Values.java"), values).unwrap();
    let toml = "budget = \"400tests\"\n[[class]]\nname = \"Cell\"\nclasspath = [\"classes\"]\n";
    fs::write(at("adit.toml"), toml).unwrap();
    if has_junit() {
        let test = "public class CellTest { @org.junit.Test public void puts() { new Cell().put(\"a\"); } }";
        fs::write(at("CellTest.java"), test).unwrap();
        let path = format!("{}:{JUNIT}", at("classes").display());
        java.compile_files(&[at("CellTest.java")], &path, &at("tests"));
    }
    place
}

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

fn has_junit() -> bool {
    JUNIT.split(':').all(|jar| Path::new(jar).exists())
}

/// Runs a line of bash in a folder, with `adit` as a command, and returns its exit code and messages.
fn typed(line: &str, place: &Path) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_adit"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let run = Command::new("bash")
        .args(["-c", line])
        .current_dir(place)
        .env("PATH", path)
        .env("JUNIT", JUNIT)
        .output()
        .unwrap();
    (run.status.code().unwrap_or(-1), String::from_utf8_lossy(&run.stderr).into_owned())
}

#[test]
fn commands_in_hints_work() {
    let commands = commands();
    let mut hinted: BTreeSet<String> = BTreeSet::new();
    for file in sources() {
        // The test of the documents runs the examples of `--help`.
        if !file.to_string_lossy().contains("app/src/flags") {
            let texts = literals(&fs::read_to_string(&file).unwrap());
            hinted.extend(texts.iter().flat_map(|text| hints(text, &commands)));
        }
    }
    hinted.retain(|hint| !NO_HINTS.contains(&hint.as_str()));
    let known: BTreeSet<&str> = TYPED.iter().map(|(hint, _)| *hint).collect();
    let new: Vec<&String> = hinted.iter().filter(|hint| !known.contains(hint.as_str())).collect();
    assert!(new.is_empty(), "say in TYPED what a user types who follows these hints: {new:?}");
    let gone: Vec<&&str> = known.iter().filter(|hint| !hinted.contains(**hint)).collect();
    assert!(gone.is_empty(), "no message gives these hints any more: {gone:?}");
    for (hint, typed) in TYPED {
        assert!(follows(typed, hint), "`{typed}` is not what `{hint}` says");
    }

    let Some(java) = java() else { return };
    let place = prepared(&java);
    let run = |line: &str| typed(line, place.path());
    let mined =
        run("adit mine Cell -c classes -o cell --budget 4000tests -q && cp cell/model.json cell.json");
    assert_eq!(mined.0, 0, "{}", mined.1);
    // The page names the class path as its own folder sees it.
    let page = fs::read_to_string(place.path().join("cell/report.html")).unwrap();
    assert!(page.contains("adit validate model.json Cell -c ../classes --json"), "no class path in the hint");
    let ftpd = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/servers/ftpd.c");
    let server = run(&format!("cc -o ftpd {}", ftpd.display())).0 == 0;
    if server {
        // Which sessions the server answers in time differs from run to run, and so does what a seed finds;
        // eight seeds had three to six findings each.
        let fuzzed = run(
            "adit fuzz ftp.model.json --alphabet ftp -o first --budget 1000tests --seed 1 -q -- ./ftpd {port}",
        );
        assert_eq!(fuzzed.0, 1, "no finding to replay: {}", fuzzed.1);
    }
    let (solver, junit) = (run("command -v z3 || command -v cvc5").0 == 0, has_junit());
    let mut wrong = Vec::new();
    for (hint, line) in TYPED {
        let lacks = (hint.starts_with("fuzz") && !server)
            || (line.contains("JUNIT") && !junit)
            || ((hint.contains("contractor") || *hint == "interface") && !solver);
        if lacks {
            eprintln!("NOT RUN: `adit {line}` needs what this machine lacks");
            continue;
        }
        let line = line.replace("--replay finding", "--replay \"$(ls -d first/findings/* | head -n 1)\"");
        let (code, said) = run(&format!("adit {line}"));
        // 1 is a difference or a finding, which is an answer.
        if !matches!(code, 0 | 1) {
            wrong.push(format!("`adit {line}` ends with {code}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_follows_a_hint_is_told_from_what_does_not() {
    assert!(follows("name cell 1 'still empty'", "name {} {state} NAME"));
    assert!(follows("convert odd.file model.json --from dot", "convert {} model.json --from FORMAT"));
    assert!(!follows("convert odd.file model.json", "convert {} model.json --from FORMAT"));
    assert!(!follows("show cell", "show --all"));
}

#[test]
fn texts_are_found_in_sources() {
    let source = "let a = \"one `adit x`\"; // \"no\"\nlet b = '\"'; let c = \"two \\\n    three --all\";\n";
    assert_eq!(literals(&format!("{source}\n// \"no\"\n")), ["one `adit x`", "no", "two three --all"]);
    assert_eq!(flags("two three --all, --budget=1s -- x"), ["--all", "--budget"]);
}
