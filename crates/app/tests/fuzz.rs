//! `adit fuzz` and `adit serve` as processes, against the servers of `subjects/servers`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too, and says when it could not run"
)]

mod driver;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use driver::{Run, adit, adit_in, adit_with, example, refused};

/// A folder with the compiled FTP server, or nothing if this machine has no C compiler.
fn servers() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/servers/ftpd.c");
    match Command::new("cc").arg("-O1").arg("-o").arg(folder.path().join("ftpd")).arg(source).status() {
        Ok(status) => assert!(status.success()),
        Err(_) => {
            eprintln!("NOT RUN: there is no C compiler `cc`");
            return None;
        }
    }
    Some(folder)
}

fn fuzz(folder: &Path, out: &str, more: &[&str]) -> Run {
    let (server, out) = (folder.join("ftpd").display().to_string(), folder.join(out).display().to_string());
    let model = example("ftp.model.json");
    let start = ["fuzz", "--alphabet", "ftp", "-o", &out, "--json", "-q", "--seed", "1", &model];
    let end = ["--", &server, "{port}"];
    adit(&[&start[..], more, &end[..]].concat())
}

#[test]
fn a_crash_is_found_kept_and_replayed() {
    let Some(place) = servers() else { return };
    let first = fuzz(place.path(), "out", &["--budget", "300tests", "--until", "1"]);
    assert_eq!(first.code, 1, "{}", first.err);
    let answer = first.json();
    let finding = &answer["findings"][0];
    // Which of the planted crashes comes first is up to the generator.
    assert_eq!(finding["kind"], "crash", "{finding}");
    assert!(["MKD", "PROT", "RETR"].map(Some).contains(&finding["label"].as_str()), "{finding}");
    let script = finding["script"].as_str().unwrap();
    let replayed = adit(&["fuzz", "--replay", script, "--json"]);
    assert_eq!((replayed.code, replayed.json()["reproduced"].as_bool()), (1, Some(true)), "{}", replayed.out);
    let server = place.path().join("ftpd").display().to_string();
    let sound = adit(&["fuzz", "--replay", script, "--json", "--", &server, "{port}", "--no-bugs"]);
    assert_eq!((sound.code, sound.json()["reproduced"].as_bool()), (0, Some(false)), "{}", sound.out);
    // The same command goes on where the first one stopped.
    let before = answer["sessions"].as_u64().unwrap();
    let second = fuzz(place.path(), "out", &["--budget", "20tests"]).json();
    assert_eq!(second["sessions"].as_u64(), Some(before + 20));
    assert_eq!(second["findings"][0]["session"], finding["session"]);
    let fresh = fuzz(place.path(), "out", &["--budget", "5tests", "--fresh"]).json();
    assert_eq!(fresh["sessions"], 5);
}

#[test]
fn the_same_seed_gives_the_same_campaign() {
    let Some(place) = servers() else { return };
    let corpus = |out: &str| {
        fuzz(place.path(), out, &["--budget", "60tests", "--minimize", "0"]);
        fs::read_to_string(place.path().join(out).join("corpus.jsonl")).unwrap()
    };
    assert_eq!(corpus("one"), corpus("two"));
}

#[test]
fn bad_input_is_named_and_nothing_hangs() {
    let start = Instant::now();
    let model = example("ftp.model.json");
    let place = tempfile::tempdir().unwrap();
    let wrong = place.path().join("a.toml").display().to_string();
    fs::write(&wrong, "[[label]]\nname = 'USER'\nsned = 'USER'\n").unwrap();
    let typo = adit(&["fuzz", &model, "--alphabet", &wrong, "--", "true"]);
    refused(&typo, &["a.toml:3:1", "a label has no field `sned`", "did you mean `send`?"]);
    let name = adit(&["fuzz", &model, "--alphabet", "fttp", "--", "true"]);
    refused(&name, &["there is no alphabet `fttp`", "did you mean `ftp`?"]);
    let other = adit(&["fuzz", &example("tokenizer.dot"), "--alphabet", "ftp", "--", "true"]);
    refused(&other, &["the alphabet lacks", "`nextToken`", "`events`"]);
    let out = place.path().join("out").display().to_string();
    let ended = adit(&["fuzz", &model, "--alphabet", "ftp", "-o", &out, "--", "sh", "-c", "exit 3"]);
    refused(&ended, &["did not start", "exit code 3"]);
    let missing = adit(&["fuzz", &model, "--alphabet", "ftp", "-o", &out, "--", "no-such-server"]);
    refused(&missing, &["cannot be started", "no-such-server"]);
    let replay = adit(&["fuzz", "--replay", &model]);
    refused(&replay, &["no finding of `adit fuzz`"]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_server_is_an_adapter() {
    let Some(place) = servers() else { return };
    let server = place.path().join("ftpd").display().to_string();
    let lines = concat!(
        r#"{"id": 0, "requests": [{"do": "describe", "protocol": 1, "subject": "ftp"}]}"#,
        "\n",
        r#"{"id": 1, "requests": [{"do": "reset"}, {"do": "call", "name": "PASS", "args": ["x"]}]}"#,
        "\n",
        r#"{"id": 2, "requests": [{"do": "close"}]}"#,
        "\n"
    );
    let run =
        adit_with(&["serve", "--alphabet", "ftp", "--labels", "USER,PASS", "--", &server, "{port}"], lines);
    let answers: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 3, "{}", run.err);
    assert_eq!(answers[0]["answers"][0]["operations"].as_array().unwrap().len(), 2);
    assert_eq!(answers[1]["answers"][1]["output"], "503");
    let wrong = adit(&["serve", "--alphabet", "ftp", "--labels", "USR", "--", &server, "{port}"]);
    refused(&wrong, &["no label `USR`", "did you mean `USER`?"]);
}

/// A stand-in for `afl-showmap`: starts the server, and writes its edges when it is asked to end. An edge
/// says that it ran, another one that files were made or deleted, and a third one differs in each session.
const SHOWMAP: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do
    if [ "$1" = "-o" ]; then map=$2; fi
    shift
done
shift
end() {
    kill -9 $server
    echo "000007:1" > "$map"
    if [ "$(ls | wc -l)" != 2 ]; then echo "000042:3" >> "$map"; fi
    echo "0$$:1" >> "$map"
    exit 0
}
trap end TERM
"$@" &
server=$!
wait $server
exit 2
"#;

#[test]
fn edges_of_an_instrumented_server_count_when_two_sessions_take_them() {
    use std::os::unix::fs::PermissionsExt;
    let Some(place) = servers() else { return };
    let folder = place.path();
    // A program is taken for instrumented if it has the name of AFL's variable.
    let mark = "const char *adit_mark __attribute__((used)) = \"__AFL_SHM_ID\";\n";
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/servers/ftpd.c");
    fs::write(folder.join("mark.c"), mark).unwrap();
    let compiled = Command::new("cc")
        .args(["-O1", "-o"])
        .args([folder.join("ftpd"), source, folder.join("mark.c")])
        .status()
        .unwrap();
    assert!(compiled.success());
    fs::write(folder.join("afl-showmap"), SHOWMAP).unwrap();
    fs::set_permissions(folder.join("afl-showmap"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let (server, out) = (folder.join("ftpd").display().to_string(), folder.join("out").display().to_string());
    let model = example("ftp.model.json");
    let fuzz = |more: &[&str]| {
        let start = ["fuzz", &model, "--alphabet", "ftp", "-o", &out, "--fresh", "--json", "--minimize", "0"];
        let end = ["--budget", "120tests", "--", &server, "{port}", "--no-bugs"];
        adit_in(&[("PATH", Some(&path))], &[&start[..], more, &end[..]].concat())
    };
    let with = fuzz(&[]);
    assert!(with.err.contains("the server is instrumented"), "{}", with.err);
    assert_eq!(
        with.json()["edges"],
        2,
        "edges 7 and 42, and none of those that one session took: {}",
        with.out
    );
    let crashes = with.json()["findings"].as_array().unwrap().len();
    assert_eq!(crashes, 0, "{}", with.out);
    let without = fuzz(&["--no-edges"]);
    assert!(without.json()["edges"].is_null(), "{}", without.out);
}

#[test]
fn servers_that_stop_answering_are_named_and_nothing_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/servers/misbehaves.c");
    let program = folder.path().join("misbehaves").display().to_string();
    match Command::new("cc").args(["-O1", "-o", &program]).arg(source).status() {
        Ok(status) => assert!(status.success()),
        Err(_) => return eprintln!("NOT RUN: there is no C compiler `cc`"),
    }
    let start = Instant::now();
    let out = folder.path().join("out").display().to_string();
    let model = example("ftp.model.json");
    let fuzz = |how: &str| {
        let flags = ["--alphabet", "ftp", "-o", &out, "--fresh", "--json", "-q", "--budget", "3tests"];
        let end = ["--minimize", "0", "--", &program, "{port}", how];
        adit(&[&["fuzz", &model], &flags[..], &end[..]].concat())
    };
    // It accepts connections and never greets, greets in part, or greets with something else.
    refused(&fuzz("silent"), &["the server does not answer", "sent no greeting for 5 s", "`banner = false`"]);
    refused(&fuzz("half-greeting"), &["stopped in the middle of its greeting: `220 hel`"]);
    refused(&fuzz("nonsense"), &["greeted with what is no answer of the protocol: `hello there"]);
    refused(&fuzz("closes"), &["the server does not answer", "closed it without a greeting"]);
    // It greets, and then does not answer, or stops in the middle of an answer.
    for (how, detail) in [("mute", "no answer"), ("half-answer", "stops in the middle of an answer")] {
        let run = fuzz(how);
        let finding = &run.json()["findings"][0];
        assert_eq!(run.code, 1, "{}", run.err);
        let told = (finding["kind"].as_str(), finding["detail"].as_str());
        assert_eq!(told, (Some("hang"), Some(detail)), "{finding}");
    }
    // As an adapter, a server that does not start is told at once.
    let adapter = format!("{} serve --alphabet ftp -- {program} {{port}} closes", env!("CARGO_BIN_EXE_adit"));
    let learned = adit(&["learn", "ftp", "--adapter", &adapter]);
    refused(&learned, &["the server does not answer", "closed it without a greeting"]);
    assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
}
