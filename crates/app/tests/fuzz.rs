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

use driver::{Run, adit, adit_with, example, refused};

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
    assert_eq!(
        (finding["kind"].as_str(), finding["label"].as_str()),
        (Some("crash"), Some("MKD")),
        "{finding}"
    );
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
