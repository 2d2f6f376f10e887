//! `adit mine` again and again into one folder: nothing that was found is ever lost, whatever happens in
//! between.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use adit_automata::format;
use adit_logic::{Fate, Property, Template};
use adit_store::{About, Campaign, Held, NewRound, RoundId, StoredModel, Writer};
use driver::adit;
use driver::java::java;
use expect_test::expect;
use flate2::read::GzDecoder;
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
    let refuted = campaign.properties().unwrap().into_iter().filter(|claim| claim.fate.is_refuted());
    let told = |claim: adit_store::StoredProperty| {
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
    assert_eq!((first["round"].as_u64(), first["origin"].as_str()), (Some(1), Some("made by round 1")));
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

    // Nor does one whose time is over before it begins.
    let third = mine(&["--budget", "1ms", "--json"]);
    assert_eq!(third.code, 0, "{}", third.err);
    assert!(third.json()["states"].as_u64() >= second["states"].as_u64(), "{second} {}", third.out);
    let (_, more_refuted) = found(&folder);

    // What was refuted is told of again, with a test that shows it.
    let properties: Value =
        serde_json::from_slice(&fs::read(folder.join("properties.json")).unwrap()).unwrap();
    let told: BTreeSet<String> = properties["properties"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|property| property["fate"] == "refuted" && property["test"].is_string())
        .map(|property| {
            let text = |name: &str| property[name].as_str().unwrap().to_owned();
            format!("{} {} {}", text("template"), text("a"), text("b"))
        })
        .collect();
    assert_eq!(told, more_refuted);

    let status = adit(&["status", &out, "--json"]).json();
    assert_eq!(status["rounds"].as_array().unwrap().len(), 3);
    assert_eq!((status["class"].as_str(), status["running"].as_bool()), (Some("Slot"), Some(false)));
    assert_eq!(status["properties"]["refuted"].as_u64(), Some(more_refuted.len() as u64));
    let text = adit(&["status", &out]).out;
    assert!(text.starts_with("campaign of Slot, started 20") && text.contains("  round 2, 20"), "{text}");
    let run: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    assert_eq!((run["budget"].as_str(), run["seed"].as_u64()), (Some("0.001s"), Some(0)));
    assert_eq!(run["parameters"]["non_public"], false);
    assert!(run["keeping"]["writing"].as_f64() > Some(0.0), "{run}");

    // The course of the search is that of all rounds, one after the other.
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let search: Value = serde_json::from_str(&read("search.json")).unwrap();
    let points = search["points"].as_array().unwrap();
    let all = |name: &str| points.iter().map(|point| point[name].as_f64().unwrap()).collect::<Vec<_>>();
    assert!(["round", "seconds", "tests"].iter().all(|name| all(name).is_sorted()), "{search}");
    assert_eq!((points[0]["round"].as_u64(), points[points.len() - 1]["round"].as_u64()), (Some(1), Some(3)));
    let begin = search["rounds"][1]["seconds"].as_f64().unwrap();
    assert!(begin > 0.0 && all("seconds").last() > Some(&begin), "{search}");
    assert!(search["rounds"][1]["tests"].as_u64() >= first["tests"].as_u64(), "{search}");
    assert!(read("report.html").contains(r#""rounds":[{"round":1,"#), "the page has the rounds too");
}

/// A campaign of the version before, whose default miner was called `assay`:
/// `adit mine java.util.ArrayDeque --only push,pop,isEmpty --budget 500tests`.
const EARLIER_VERSION: &[u8] = include_bytes!("campaigns/version-0.1.0.db.gz");

#[test]
fn a_campaign_of_the_version_before_is_continued_or_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Vec::new();
    GzDecoder::new(EARLIER_VERSION).read_to_end(&mut database).unwrap();
    fs::write(folder.path().join("campaign.db"), database).unwrap();
    let out = folder.path().display().to_string();
    // Commands that only read do not migrate it.
    let status = adit(&["status", &out]);
    assert!(status.code == 2 && status.err.contains("adit mine"), "{}", status.err);
    let Some(_) = java() else { return };
    let mine =
        ["mine", "java.util.ArrayDeque", "--only", "push,pop,isEmpty", "--budget", "300tests", "-o", &out];
    let again = adit(&mine);
    if again.code == 0 {
        assert!(again.err.contains("continuing the campaign"), "{}", again.err);
    } else {
        // Its JDK, or the spelling of its labels, was another one. The name of the miner is no reason.
        assert!(again.code == 2 && again.err.contains("add --fresh"), "{}", again.err);
        assert!(!again.err.contains("miner was"), "{}", again.err);
        assert_eq!(adit(&[&mine[..], &["--fresh"]].concat()).code, 0);
    }
    assert_eq!(adit(&["status", &out]).code, 0);
}

/// Whatever found the model, each of its transitions can be shown: by words that took it, and by a test to
/// copy.
#[test]
fn every_transition_has_evidence_in_every_combination() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let path = classes.path().display().to_string();
    for miner in ["explore", "dice"] {
        for tester in ["dice", "dynamosa", "random"] {
            let out = classes.path().join(format!("{miner}-{tester}")).display().to_string();
            let ways = ["--miner", miner, "--tester", tester, "--initial", "20", "--budget", "3000tests"];
            // The second round has words of the first whose tests were not kept.
            for round in 1..=2 {
                let base = ["mine", "Slot", "-c", &path, "--quiet", "--json", "-o", &out];
                let run = adit(&[&base[..], &ways[..]].concat());
                assert_eq!(run.code, 0, "{}", run.err);
                let page = fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
                let (_, data) = page.split_once(r#"id="data">"#).unwrap();
                let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
                let edges = data["models"][0]["edges"].as_array().unwrap();
                assert_eq!(Some(edges.len() as u64), run.json()["transitions"].as_u64());
                for edge in edges {
                    let what = format!("{miner} {tester}, round {round}: {edge}");
                    let words = edge["traces"].as_u64().unwrap() + edge["perhaps"].as_u64().unwrap();
                    assert!(words > 0 && !edge["examples"].as_array().unwrap().is_empty(), "{what}");
                    // What merges states of traces cannot tell which of two ways a test took; what tries,
                    // can.
                    let tests = |field: &str| edge[field].as_array().unwrap().len();
                    assert!(tests("shown") > 0 || miner == "dice" && tests("perhaps_shown") > 0, "{what}");
                }
            }
            let told = adit(&["explain", &out, "put"]).out;
            assert!(told.contains("taken by ") && told.contains(".put("), "{miner} {tester}: {told}");
        }
    }
}

/// A stack of two states, in the form of `model.json`.
const STACK: &str = r#"{"format": "adit-model", "version": 1, "title": "Stack", "initial": [0],
    "states": [{"id": 0, "accepting": true}, {"id": 1, "accepting": true}],
    "edges": [{"from": 0, "event": "Stack", "to": 1}, {"from": 1, "event": "push", "to": 1}, {"from": 1, "event": "pop", "to": 1}]}"#;

fn about_stack() -> About {
    About {
        class: "Stack".to_owned(),
        class_digest: String::new(),
        parameters: serde_json::json!({}),
        seed: 0,
        tool: "0.1.0".to_owned(),
        created: 0,
    }
}

/// A campaign about a stack with these words, in a round that was killed.
fn stack(folder: &Path, words: impl IntoIterator<Item = Vec<&'static str>>) -> Writer {
    let mut writer = Writer::open(Held::new(folder).unwrap(), &about_stack()).unwrap();
    let round = NewRound { seed: 0, effort: serde_json::json!({}), tool: String::new(), started: 0 };
    writer.begin(&round).unwrap();
    let written = writer.batch(|batch| words.into_iter().try_for_each(|word| batch.trace(&word, 2, None)));
    written.unwrap();
    writer
}

/// Runs `adit` and says how much memory it had at most, in megabytes.
#[cfg(target_os = "linux")]
fn peak_of(args: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adit"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    // The mark only rises, so that the last look before the end is the one that counts.
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let found = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = found.unwrap_or(0).max(peak);
        std::thread::yield_now();
    }
    assert!(child.wait().unwrap().success(), "{args:?}");
    peak / 1024
}

/// Memory must not grow with the traces. Kept as texts, these would take some two hundred megabytes. What an
/// allocator holds back differs by some ten from run to run.
#[cfg(target_os = "linux")]
#[test]
fn many_traces_take_no_more_memory_than_few() {
    let peaks = |count: u64| {
        let folder = tempfile::tempdir().unwrap();
        let word = |number: u64| {
            // Of each number another word: its twenty bits, again and again.
            let bit = |at: u64| if number >> (at % 20) & 1 == 0 { "push" } else { "pop" };
            std::iter::once("Stack").chain((0..number % 80 + 40).map(bit)).collect()
        };
        stack(folder.path(), (0..count).map(word)).finish().unwrap();
        fs::write(folder.path().join("model.json"), STACK).unwrap();
        let place = folder.path().to_str().unwrap();
        let told = adit(&["explain", place, "push", "--json"]).json();
        assert!(told["transitions"][0]["traces"].as_u64() > Some(count), "{told}");
        [&["status", place][..], &["report", place, "--quiet"], &["explain", place, "push"]].map(peak_of)
    };
    let (few, many) = (peaks(100), peaks(50_000));
    for (few, many) in few.into_iter().zip(many) {
        assert!(many <= few + 24, "{many} MB instead of {few} MB");
    }
}

#[test]
fn a_folder_of_campaigns_is_listed() {
    let parent = tempfile::tempdir().unwrap();
    for name in ["b.Stack", "a.Stack"] {
        let folder = parent.path().join(name);
        fs::create_dir(&folder).unwrap();
        stack(&folder, []).finish().unwrap();
    }
    fs::create_dir(parent.path().join("empty")).unwrap();
    let path = parent.path().to_str().unwrap();
    let run = adit(&["status", path]);
    expect![[r#"
        DIR/a.Stack: Stack, 1 round; no model yet
        DIR/b.Stack: Stack, 1 round; no model yet
    "#]]
    .assert_eq(&run.out.replace(path, "DIR"));
    let said = adit(&["status", path, "--json"]).json();
    assert_eq!(said["campaigns"].as_array().unwrap().len(), 2);
    assert_eq!(said["campaigns"][0]["folder"], format!("{path}/a.Stack"));
}

#[test]
fn a_campaign_that_runs_is_not_said_to_have_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let writer = stack(folder.path(), []);
    let run = adit(&["report", path]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("is still running") && run.err.contains("adit status"), "{}", run.err);
    writer.finish().unwrap();
    assert!(adit(&["report", path]).err.contains("stopped before one was inferred"));
}

#[test]
fn odd_campaigns_give_a_page_or_say_what_helps() {
    let told = |name: &str, folder: &Path, made: bool| {
        let page = folder.join("report.html");
        let run = adit(&["report", folder.to_str().unwrap()]);
        assert_eq!(run.code, if made { 0 } else { 2 }, "{name}: {}", run.err);
        assert_eq!(page.exists(), made, "{name}");
        format!("{name}: {}\n", run.err.replace(folder.to_str().unwrap(), "DIR").trim())
    };
    let folders: Vec<_> = (0..9).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut folders = folders.iter().map(tempfile::TempDir::path);
    let mut next = || folders.next().unwrap();
    let word = || [vec!["Stack", "push", "pop"]];
    let model = |folder: &Path| fs::write(folder.join("model.json"), STACK).unwrap();
    let mut text = String::new();

    let folder = next();
    text += &told("not a campaign", folder, false);

    let folder = next();
    fs::write(folder.join("campaign.db"), "").unwrap();
    text += &told("an empty store", folder, false);

    let folder = next();
    stack(folder, word()).finish().unwrap();
    text += &told("killed before any model", folder, false);

    let folder = next();
    let mut writer = stack(folder, word());
    let stored = StoredModel {
        round: RoundId(1),
        made: RoundId(1),
        json: STACK.to_owned(),
        why: "made by round 1".to_owned(),
        complete: true,
        realized: None,
        explored: 1,
        tests: Vec::new(),
        witnesses: serde_json::json!({}),
        written: 0,
    };
    let property = Property { template: Template::NeverFollowed, a: "pop".to_owned(), b: "Stack".to_owned() };
    let claim = adit_store::StoredProperty {
        property,
        fate: Fate::Survived { attacked: 5, abandoned: false },
        support: 1,
    };
    writer.batch(|batch| batch.property(&claim).and_then(|()| batch.model(&stored))).unwrap();
    writer.finish().unwrap();
    text += &told("killed before the files were written", folder, true);
    let explained = adit(&["explain", folder.to_str().unwrap(), "NF(pop, Stack)"]);
    assert!(
        explained.out.contains("not refuted in 5 generations of attack (2 relevant traces)"),
        "{}",
        explained.out
    );
    assert!(adit(&["show", folder.to_str().unwrap()]).out.contains("push"));

    let folder = next();
    stack(folder, word()).finish().unwrap();
    model(folder);
    text += &told("no traces.jsonl, no tests, no properties", folder, true);
    let explained = adit(&["explain", folder.to_str().unwrap(), "pop"]).out;
    assert!(
        explained.contains("taken by 2 traces and 0 generated tests\n    Stack push pop\n"),
        "{explained}"
    );

    let folder = next();
    stack(folder, word()).finish().unwrap();
    model(folder);
    let fallen = r#"{"version": 2, "pure": [], "properties": [{"template": "NF", "a": "push", "b": "pop", "says": "", "support": 1, "fate": "refuted", "test": null, "found_after_tests": null}]}"#;
    fs::write(folder.join("properties.json"), fallen).unwrap();
    text += &told("no property that holds", folder, true);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("; 1 property: 1 refuted, 0 survived, 0 not attacked"), "the summary says so");

    let folder = next();
    stack(folder, []).finish().unwrap();
    model(folder);
    text += &told("a store without words", folder, true);

    // The schema's number is at the 60th byte of the file.
    let newer = |folder: &Path| {
        stack(folder, word()).finish().unwrap();
        let file = folder.join("campaign.db");
        let mut bytes = fs::read(&file).unwrap();
        bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
        fs::write(&file, bytes).unwrap();
    };
    let folder = next();
    newer(folder);
    text += &told("a newer store", folder, false);
    let folder = next();
    newer(folder);
    model(folder);
    text += &told("a newer store beside a model", folder, true);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("has schema 99"), "the page says so too");
    expect![[r#"
        not a campaign: error: DIR holds no model.json and no campaign
          help: name a folder that `adit mine` wrote, or a model file
        an empty store: error: DIR holds no campaign
          help: start one with `adit mine CLASS -o DIR`; the folder of a campaign holds a file campaign.db
        killed before any model: error: the campaign in DIR has no model: the run stopped before one was inferred (0 tests, 1 word stored)
          help: `adit mine Stack -o DIR` with the same flags continues it; `adit status DIR` shows what is stored
        killed before the files were written: note: model.json is missing; this is the model of round 1 from the campaign
        written to DIR/report.html
        no traces.jsonl, no tests, no properties: written to DIR/report.html
        no property that holds: written to DIR/report.html
        a store without words: written to DIR/report.html
        a newer store: error: DIR/campaign.db has schema 99, but this adit knows schemas only up to 7
          help: a newer adit wrote it: use that version, or name another folder with -o
        a newer store beside a model: note: DIR/campaign.db has schema 99, but this adit knows schemas only up to 7; the page is made from the files beside it, without the campaign
        written to DIR/report.html
    "#]].assert_eq(&text);
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
    // The second process is told who the first is.
    let lock = File::options().read(true).write(true).open(folder.join("campaign.lock")).unwrap();
    lock.lock().unwrap();
    (&lock).write_all(b"4711 \n").unwrap();
    text += &told(mine(&[]));
    text += &told(mine(&["--fresh"]));
    drop(lock);
    expect![[r#"
        2:  error: DIR holds a different campaign: non_public was false and is now true; only was not given and is now ["put","take"]
          help: add --fresh to start over (the old campaign is kept in DIR.1 or the next free number), or name another folder with -o

        2:  error: DIR is in use by process 4711
          help: wait for it to end, or name another folder with -o; `adit status DIR` shows its progress

        2:  error: DIR is in use by process 4711
          help: wait for it to end, or name another folder with -o; `adit status DIR` shows its progress

    "#]].assert_eq(&text);
    assert_eq!(mine(&["--fresh"]).code, 0);
    assert_eq!(found(&classes.path().join("out.1")), before);
    assert_eq!(adit(&["status", &out, "--json"]).json()["rounds"].as_array().unwrap().len(), 1);
}

#[test]
fn a_class_that_was_compiled_again_starts_over() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Slot.java", SLOT)]);
    let (path, folder) = (classes.path().display().to_string(), classes.path().join("out"));
    let out = folder.display().to_string();
    let mine = |more: &[&str]| {
        adit(&[&["mine", "Slot", "-c", &path, "--budget", "2000tests", "-o", &out], more].concat())
    };
    assert_eq!(mine(&[]).code, 0);
    assert_eq!(adit(&["name", &out, "1", "ready"]).code, 0);
    let before = found(&folder);
    fs::write(classes.path().join("Slot.java"), SLOT.replace("? 0 : 1", "? 0 : 2")).unwrap();
    java.compile_files(&[classes.path().join("Slot.java")], "", classes.path());
    // Another flag is another question, whatever was compiled.
    let other = mine(&["--without", "take"]);
    assert!(other.code == 2 && other.err.contains("the class file changed; without was"), "{}", other.err);
    assert_eq!(found(&folder), before);
    let again = mine(&[]);
    assert_eq!(again.code, 0, "{}", again.err);
    let line = format!("starting over, because the class file changed; the earlier campaign is in {out}.1");
    assert!(again.err.contains(&line), "{}", again.err);
    assert!(again.out.contains("(ready)"), "names of the user stay: {}", again.out);
    assert_eq!(found(&classes.path().join("out.1")), before);
    assert_eq!(adit(&["status", &out, "--json"]).json()["rounds"].as_array().unwrap().len(), 1);
    assert!(mine(&[]).err.contains("continuing the campaign"));
}

/// A file system of a megabyte, on which there is no room for a second round.
#[cfg(target_os = "linux")]
#[test]
fn what_others_wrote_is_not_written_over() {
    if java().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("mine");
    let out = folder.display().to_string();
    let base =
        ["mine", "java.util.StringTokenizer", "--only", "hasMoreTokens,nextToken", "--budget", "3000tests"];
    let run = |more: &[&str]| adit(&[&base[..], &["-o", &out], more].concat());
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("model.json"), "mine").unwrap();
    // A campaign whose database was emptied is as good as none.
    for database in [None, Some("")] {
        database.iter().for_each(|text| fs::write(folder.join("campaign.db"), text).unwrap());
        let refused = run(&[]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(refused.err.contains("model.json") && refused.err.contains("--fresh"), "{}", refused.err);
        assert_eq!(fs::read_to_string(folder.join("model.json")).unwrap(), "mine");
    }
    let fresh = run(&["--fresh"]);
    assert_eq!(fresh.code, 0, "{}", fresh.err);
    assert_eq!(fs::read_to_string(place.path().join("mine.1/model.json")).unwrap(), "mine");
    assert_eq!(run(&[]).code, 0, "its own results are no others'");
}

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
    assert!(read("error.txt").contains("no space left"), "{}", read("error.txt"));
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
    assert!(run.err.contains("is not writable"), "{}", run.err);
    let folder = classes.path().join("out");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("campaign.db"), "something else, which is longer than a header of a database")
        .unwrap();
    let run = adit(&["mine", "Slot", "-c", &path, "--quiet", "-o", &folder.display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("is not a campaign of adit"), "{}", run.err);
    let run = adit(&["status", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("is not a campaign of adit"), "{}", run.err);
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

    /// Kills the process after a while if it still runs, and returns the lines that it printed. With `begun`,
    /// the time counts from the opening of the campaign.
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
        // Moments all over the place and always the same; a fifth of them may come before anything is
        // written.
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
    assert_eq!(mining.child.wait().unwrap().code(), Some(130), "{told:?}");
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
