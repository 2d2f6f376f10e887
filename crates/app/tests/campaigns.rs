//! `adit mine` again and again into one folder: nothing that was found is ever lost, whatever happens in between.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use adit_automata::format;
use adit_store::{Campaign, Fate};
use driver::adit;
use driver::java::java;
use expect_test::expect;
use serde_json::Value;

/// Few methods and many false claims, if it is watched only for a moment.
const SLOT: &str = "public class Slot {
    private Object held;
    public boolean isEmpty() { return held == null; }
    public void put(Object one) { if (held != null) throw new IllegalStateException(); held = one; }
    public Object take() {
        if (held == null) throw new IllegalStateException();
        Object one = held; held = null; return one;
    }
    public void clear() { held = null; }
    public int size() { return held == null ? 0 : 1; }
}";

/// The words of a campaign, and the claims that are known to be false.
fn found(folder: &Path) -> (BTreeSet<Vec<String>>, BTreeSet<String>) {
    let campaign = Campaign::read(folder).unwrap();
    let words = campaign.traces().map(|trace| trace.unwrap().word).collect();
    let refuted =
        campaign.claims().unwrap().into_iter().filter(|claim| matches!(claim.fate, Fate::Refuted { .. }));
    let told = |claim: adit_store::Claim| {
        format!("{} {} {}", claim.property.template.short(), claim.property.a, claim.property.b)
    };
    (words, refuted.map(told).collect())
}

/// The words that the model in the folder does not allow.
fn rejected(folder: &Path) -> Vec<Vec<String>> {
    let text = fs::read(folder.join("model.json")).unwrap();
    let model = format::read(&text, "model.json", None).unwrap();
    found(folder).0.into_iter().filter(|word| !model.reads(word)).collect()
}

#[test]
fn a_second_run_goes_on_where_the_first_ended() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let (path, folder) = (classes.path().display().to_string(), classes.path().join("out"));
    let out = folder.display().to_string();
    let base = ["mine", "Slot", "-c", &path, "--initial", "5", "-o", &out];
    let mine = |more: &[&str]| adit(&[&base[..], more].concat());
    let first = mine(&["--budget", "20000tests", "--json"]).json();
    assert_eq!((first["round"].as_u64(), first["model"].as_str()), (Some(1), Some("made by round 1")));
    let (words, refuted) = found(&folder);
    assert!(words.len() > 20 && !refuted.is_empty(), "{words:?} {refuted:?}");
    assert_eq!(rejected(&folder), Vec::<Vec<String>>::new());

    // A round with too little time for a model of its own keeps what is there.
    let second = mine(&["--budget", "3000tests", "--json", "--seed", "7"]);
    assert_eq!(second.code, 0, "{}", second.err);
    assert!(second.err.contains("continuing the campaign"), "{}", second.err);
    let second = second.json();
    let (more_words, more_refuted) = found(&folder);
    assert!(more_words.is_superset(&words) && more_refuted.is_superset(&refuted));
    assert_eq!(rejected(&folder), Vec::<Vec<String>>::new());
    assert_eq!(second["round"], 2);
    assert!(second["states"].as_u64() >= first["states"].as_u64(), "{first} {second}");

    // What was refuted is told of again, with a test that shows it.
    let properties: Value =
        serde_json::from_slice(&fs::read(folder.join("properties.json")).unwrap()).unwrap();
    let told: BTreeSet<String> = properties["properties"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|property| property["fate"] == "falsified" && property["test"].is_string())
        .map(|property| {
            let text = |name: &str| property[name].as_str().unwrap().to_owned();
            format!("{} {} {}", text("template"), text("a"), text("b"))
        })
        .collect();
    assert_eq!(told, more_refuted);

    let status = adit(&["status", &out, "--json"]).json();
    assert_eq!(status["rounds"].as_array().unwrap().len(), 2);
    assert_eq!((status["class"].as_str(), status["running"].as_bool()), (Some("Slot"), Some(false)));
    assert_eq!(status["claims"]["refuted"].as_u64(), Some(more_refuted.len() as u64));
    let text = adit(&["status", &out]).out;
    assert!(text.starts_with("campaign about Slot, begun 20") && text.contains("  round 2, 20"), "{text}");
    let run: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    assert_eq!((run["budget"].as_str(), run["seed"].as_u64()), (Some("3000tests"), Some(7)));
    assert_eq!(run["parameters"]["non_public"], false);
}

#[test]
fn a_campaign_about_something_else_is_not_mixed_in() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let (path, folder) = (classes.path().display().to_string(), classes.path().join("out"));
    let out = folder.display().to_string();
    let base = ["mine", "Slot", "-c", &path, "--budget", "5000tests", "--quiet", "-o", &out];
    let mine = |more: &[&str]| adit(&[&base[..], more].concat());
    assert_eq!(mine(&[]).code, 0);
    let told = |run: driver::Run| format!("{}:{}\n", run.code, run.err.replace(&out, "DIR"));
    let mut text = told(mine(&["--non-public", "--only", "put,take"]));
    let before = found(&folder);
    fs::write(classes.path().join("Slot.java"), SLOT.replace("? 0 : 1", "? 0 : 2")).unwrap();
    java.compile_files(&[classes.path().join("Slot.java")], "", classes.path());
    text += &told(mine(&[]));
    assert_eq!(found(&folder), before);
    // The second process is told who the first is.
    let lock = File::options().read(true).write(true).open(folder.join("campaign.lock")).unwrap();
    lock.lock().unwrap();
    (&lock).write_all(b"4711 \n").unwrap();
    text += &told(mine(&[]));
    text += &told(mine(&["--fresh"]));
    drop(lock);
    expect![[r#"
        2:  error: DIR holds a campaign about something else: non_public was false and is now true; only was not given and is now ["put","take"]
          help: add --fresh to begin anew (the old one is kept in DIR.1 or the next free number), or name another folder with -o

        2:  error: DIR holds a campaign about something else: the class file changed
          help: add --fresh to begin anew (the old one is kept in DIR.1 or the next free number), or name another folder with -o

        2:store::in_use

          error: DIR is being written by process 4711
          help: wait for it to end, or name another folder with -o; `adit status DIR` shows how far it is

        2:store::in_use

          error: DIR is being written by process 4711
          help: wait for it to end, or name another folder with -o; `adit status DIR` shows how far it is

    "#]].assert_eq(&text);
    assert_eq!(mine(&["--fresh"]).code, 0);
    assert_eq!(found(&classes.path().join("out.1")), before);
    assert_eq!(adit(&["status", &out, "--json"]).json()["rounds"].as_array().unwrap().len(), 1);
}

/// A file system of a megabyte, on which there is no room for a second round.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_last_good_state() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    fs::create_dir(classes.path().join("small")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=900k tmpfs small || exit 77
         mine='{} mine Slot -c . --budget 5000tests --quiet -o small'
         $mine > first.txt || exit 1
         head -c 900000 /dev/zero > small/fill 2> /dev/null
         $mine > second.txt 2> error.txt; echo $? > code.txt
         rm small/fill
         {0} status small --json > status.txt || exit 1
         $mine > third.txt",
        env!("CARGO_BIN_EXE_adit")
    );
    let run = Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(classes.path()).output();
    let read = |name: &str| fs::read_to_string(classes.path().join(name)).unwrap();
    match run {
        Ok(run) if run.status.success() => {}
        Ok(run) if classes.path().join("first.txt").exists() => {
            panic!("{}{}", String::from_utf8_lossy(&run.stderr), read("first.txt"))
        }
        _ => {
            eprintln!("NOT RUN: no small file system can be mounted here (`unshare -rm`)");
            return;
        }
    }
    assert_eq!(read("code.txt"), "2\n", "{}", read("error.txt"));
    assert!(read("error.txt").contains("no room to write"), "{}", read("error.txt"));
    let status: Value = serde_json::from_str(&read("status.txt")).unwrap();
    assert!(status["model"]["states"].as_u64() > Some(0), "{status}");
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let path = classes.path().display().to_string();
    let run = adit(&["mine", "Slot", "-c", &path, "--quiet", "-o", "/sys"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("may not be written"), "{}", run.err);
    let folder = classes.path().join("out");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("campaign.db"), "something else, which is longer than a header of a database")
        .unwrap();
    let run = adit(&["mine", "Slot", "-c", &path, "--quiet", "-o", &folder.display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("is no campaign of adit"), "{}", run.err);
    let run = adit(&["status", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("holds no campaign"), "{}", run.err);
}

/// A run of `adit mine` that tells its progress as JSON.
struct Mining {
    child: Child,
    lines: Receiver<String>,
}

impl Mining {
    fn start(class_path: &str, folder: &Path, budget: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_adit"))
            .args([
                "mine",
                "Slot",
                "-c",
                class_path,
                "--initial",
                "5",
                "--budget",
                budget,
                "--progress",
                "json",
            ])
            .arg("-o")
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, lines) = channel();
        let reader = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in reader.lines() {
                let Ok(line) = line else { break };
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// What it told until the moment came, at which it was killed if it still ran. `begun` is whether to wait for the campaign to
    /// be open before the time is counted.
    fn kill_after(mut self, wait: Duration, begun: bool) -> Vec<String> {
        let mut told: Vec<String> = self.lines.iter().take(usize::from(begun)).collect();
        let moment = Instant::now() + wait;
        loop {
            match self.lines.recv_timeout(moment.saturating_duration_since(Instant::now())) {
                Ok(line) => told.push(line),
                Err(RecvTimeoutError::Timeout) => break self.child.kill().unwrap(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.child.wait().unwrap();
        // What was in the pipe was told as well.
        told.extend(self.lines.iter());
        told
    }
}

/// Killed at fifty moments without a warning, it never loses what it had told.
#[test]
fn nothing_that_was_told_is_lost_when_it_is_killed() {
    const KILLS: u64 = 50;
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let (path, folder) = (classes.path().display().to_string(), classes.path().join("out"));
    let (mut told_tests, mut told_words, mut told_refuted) = (0, 0, BTreeSet::new());
    let (mut words_before, mut began) = (BTreeSet::new(), 0);
    for kill in 0..KILLS {
        // Moments all over the place and always the same; a fifth of them may come before anything is written.
        let wait = kill.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1000;
        let mining = Mining::start(&path, &folder, "20000tests");
        let lines = mining.kill_after(Duration::from_millis(wait), kill % 5 > 0);
        // A line that was being written when the process was killed was not told.
        let whole = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for line in whole {
            let number = |name: &str| line[name].as_u64().unwrap();
            let text = |name: &str| line[name].as_str().unwrap();
            match text("event") {
                "begin" => began += 1,
                "saved" => (told_tests, told_words) = (number("tests"), number("words")),
                "refuted" => {
                    told_refuted.insert(format!("{} {} {}", text("template"), text("a"), text("b")));
                }
                _ => {}
            }
        }
        if began == 0 {
            continue;
        }
        let counts = Campaign::read(&folder).unwrap().counts().unwrap();
        assert!(
            counts.tests >= told_tests && counts.words >= told_words,
            "{counts:?} {told_tests} {told_words}"
        );
        let (words, refuted) = found(&folder);
        assert!(refuted.is_superset(&told_refuted), "{refuted:?} {told_refuted:?}");
        assert!(words.is_superset(&words_before));
        words_before = words;
    }
    assert!(began >= KILLS / 5 * 4 && told_tests > 10, "it was killed too early: {began} {told_tests}");
    let lines = Mining::start(&path, &folder, "30000tests").kill_after(Duration::from_secs(100), true);
    let last: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    assert_eq!(last["event"], "end", "{lines:?}");
    assert_eq!(rejected(&folder), Vec::<Vec<String>>::new());
    assert!(found(&folder).1.is_superset(&told_refuted));
}

/// Ctrl-C ends the step, writes, and says how to go on.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_what_there_is() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let (path, folder) = (classes.path().display().to_string(), classes.path().join("out"));
    let mut mining = Mining::start(&path, &folder, "100s");
    let mut told = Vec::new();
    for line in &mining.lines {
        let explores = line.contains("\"phase\":\"attack\"");
        told.push(line);
        if explores {
            break;
        }
    }
    let pid = mining.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    told.extend(mining.lines.iter());
    assert!(mining.child.wait().unwrap().success(), "{told:?}");
    let last: Value = serde_json::from_str(told.last().unwrap()).unwrap();
    assert_eq!((last["event"].as_str(), last["stop"].as_str()), (Some("end"), Some("interrupted")));
    assert!(
        told.iter().any(|line| line.contains("to continue: ") && line.contains(" mine Slot -c ")),
        "{told:?}"
    );
    assert_eq!(rejected(&folder), Vec::<Vec<String>>::new());
    let status = adit(&["status", &folder.display().to_string(), "--json"]).json();
    assert_eq!(status["rounds"][0]["stop"], "interrupted");
}
