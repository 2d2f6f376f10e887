//! Campaigns as a whole: what was written is read, whatever happened in between.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use adit_logic::{Fate, Property, Template};
use adit_store::{
    About, Campaign, DATABASE, Held, NewRound, RoundEnd, RoundId, SearchPoint, StoreError, StoredModel,
    StoredProperty, TestId, Writer,
};
use adit_trace::{Argument, CallKind, Callable, Limit, Script, Statement, Stop, ValueKind};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::json;

fn about() -> About {
    About {
        class: "a.Stack".to_owned(),
        class_digest: "00ff".to_owned(),
        parameters: json!({ "non_public": false }),
        seed: u64::MAX,
        tool: "0.1.0".to_owned(),
        created: 1_700_000_000,
    }
}

fn round() -> NewRound {
    NewRound { seed: 5, effort: json!({ "budget": "10s" }), tool: "0.1.0".to_owned(), started: 1_700_000_001 }
}

fn script(value: i64) -> Script {
    let callable = Callable {
        signature: "(I)V".to_owned(),
        parameters: vec![ValueKind::Int],
        answer: ValueKind::Object,
        ..Callable::new(CallKind::Constructor, "a.Stack", "Stack")
    };
    let statement =
        Statement { callable: Arc::new(callable), receiver: None, args: vec![Argument::Int(value)] };
    Script { statements: vec![statement] }
}

fn property(fate: Fate<TestId>) -> StoredProperty {
    let property = Property { template: Template::NeverFollowed, a: "pop".to_owned(), b: "push".to_owned() };
    StoredProperty { property, fate, support: 3 }
}

fn open(folder: &Path) -> Writer {
    Writer::open(Held::new(folder).unwrap(), &about()).unwrap()
}

/// A campaign with one of everything.
fn fill(folder: &Path) {
    let mut writer = open(folder);
    let id = writer.begin(&round()).unwrap();
    writer
        .batch(|batch| {
            let test = batch.test(id, &script(1))?;
            batch.trace(&["Stack", "push"], 2, Some(test))?;
            batch.trace(&["Stack"], 1, None)?;
            batch.property(&property(Fate::Refuted(test)))?;
            batch.point(&SearchPoint {
                round: id,
                phase: "attack".to_owned(),
                seconds: 0.5,
                tests: 100,
                states: Some(3),
                refuted: Some(1),
                open: Some(0),
                covered: None,
            })?;
            batch.model(&StoredModel {
                round: id,
                made: id,
                json: "{}".to_owned(),
                why: "made by this round".to_owned(),
                complete: true,
                realized: Some(0.9),
                explored: 12,
                tests: vec![test],
                witnesses: serde_json::json!({"takes": [1]}),
                written: 1_700_000_011,
            })?;
            batch.so_far(id, 100, 0.75)?;
            batch.end(id, &RoundEnd { ended: 1_700_000_011, stop: Stop::Budget(Limit::Time) })
        })
        .unwrap();
    writer.finish().unwrap();
}

/// All that is in a campaign, or the first error.
fn told(folder: &Path) -> Result<String, StoreError> {
    let campaign = Campaign::read(folder)?;
    let mut text = format!("{:?}\n{:?}\n", campaign.about()?, campaign.counts()?);
    for round in campaign.rounds()? {
        text += &format!("{round:?}\n");
    }
    for test in campaign.tests() {
        let test = test?;
        text += &format!("test {} of round {}: {}\n", test.id.0, test.round.0, test.script.to_json());
    }
    for trace in campaign.traces() {
        text += &format!("{:?}\n", trace?);
    }
    for property in campaign.properties()? {
        text += &format!("{property:?}\n");
    }
    for point in campaign.search() {
        text += &format!("{:?}\n", point?);
    }
    for model in campaign.models()? {
        text += &format!("{model:?}\n");
    }
    Ok(text)
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    expect![[r#"
        About { class: "a.Stack", class_digest: "00ff", parameters: Object {"non_public": Bool(false)}, seed: 18446744073709551615, tool: "0.1.0", created: 1700000000 }
        Counts { rounds: 1, tests: 1, words: 2, properties: FateCounts { mined: 1, refuted: 1, survived: 0, not_attacked: 0 } }
        Round { id: RoundId(1), begun: NewRound { seed: 5, effort: Object {"budget": String("10s")}, tool: "0.1.0", started: 1700000001 }, end: Some(RoundEnd { ended: 1700000011, stop: Budget(Time) }), tests: 100, seconds: 0.75 }
        test 1 of round 1: {"version":2,"calls":[{"owner":"a.Stack","name":"Stack","signature":"(I)V","kind":"constructor","takes":["int"],"gives":"object"}],"statements":[{"call":0,"args":[1]}]}
        Trace { id: 1, word: ["Stack", "push"], count: 2, test: Some(TestId(1)) }
        Trace { id: 2, word: ["Stack"], count: 1, test: None }
        StoredProperty { property: Property { template: NeverFollowed, a: "pop", b: "push" }, fate: Refuted(TestId(1)), support: 3 }
        SearchPoint { round: RoundId(1), phase: "attack", seconds: 0.5, tests: 100, states: Some(3), refuted: Some(1), open: Some(0), covered: None }
        StoredModel { round: RoundId(1), made: RoundId(1), json: "{}", why: "made by this round", complete: true, realized: Some(0.9), explored: 12, tests: [TestId(1)], witnesses: Object {"takes": Array [Number(1)]}, written: 1700000011 }
    "#]].assert_eq(&told(folder.path()).unwrap());
    // One file, which can be copied: besides it there is only the lock.
    let mut files: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["campaign.db", "campaign.lock"]);
}

#[test]
fn another_round_adds_and_nothing_is_twice() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let mut writer = open(folder.path());
    let id = writer.begin(&round()).unwrap();
    assert_eq!(id, RoundId(2));
    writer
        .batch(|batch| {
            assert_eq!(batch.test(id, &script(1))?, TestId(1));
            assert_eq!(batch.test(id, &script(2))?, TestId(2));
            batch.trace(&["Stack", "push"], 5, Some(TestId(2)))?;
            // A refuted property stays refuted, whatever a later round reports.
            batch.property(&property(Fate::Survived { attacked: 10, abandoned: true }))?;
            batch.property(&property(Fate::NotAttacked))
        })
        .unwrap();
    // While it is written, it can be read.
    let campaign = Campaign::read(folder.path()).unwrap();
    let trace = campaign.traces().next().unwrap().unwrap();
    assert_eq!((trace.count, trace.test), (7, Some(TestId(1))));
    assert_eq!(campaign.properties().unwrap()[0].fate, Fate::Refuted(TestId(1)));
    assert_eq!(campaign.test(TestId(2)).unwrap().script, script(2));
    writer.batch(|batch| batch.property(&property(Fate::Refuted(TestId(2))))).unwrap();
    assert_eq!(campaign.properties().unwrap()[0].fate, Fate::Refuted(TestId(2)));
}

#[test]
fn a_batch_that_fails_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = open(folder.path());
    let id = writer.begin(&round()).unwrap();
    let failed = writer.batch(|batch| {
        batch.test(id, &script(1))?;
        batch.trace(&["Stack"], 1, None)?;
        Err::<(), _>(StoreError::Full { path: "x".into(), why: "it was a test".to_owned() })
    });
    assert!(failed.is_err());
    let counts = writer.counts().unwrap();
    assert_eq!((counts.tests, counts.words), (0, 0));
    // The labels of the failed batch are numbered again.
    writer.batch(|batch| batch.trace(&["Stack", "pop"], 1, None)).unwrap();
    assert_eq!(writer.traces().next().unwrap().unwrap().word, ["Stack", "pop"]);
}

/// Everything that a writer reported as written is there after its process is killed.
#[test]
fn a_writer_that_vanishes_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = open(folder.path());
    let id = writer.begin(&round()).unwrap();
    writer.batch(|batch| batch.trace(&["Stack"], 1, None)).unwrap();
    // As a kill leaves it: the database and its log, and no farewell.
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    assert_eq!(Campaign::read(copy.path()).unwrap().counts().unwrap().words, 1);
    let again = open(copy.path());
    assert_eq!(again.rounds().unwrap()[0].end, None);
    assert_eq!((again.counts().unwrap().words, id), (1, RoundId(1)));
}

fn refused(files: &[(&str, &[u8])], expected: Expect) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let place = folder.path().display().to_string();
    let tell = |error: StoreError| {
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default();
        format!("{error}\n  {help}\n").replace(&place, "DIR")
    };
    let read = Campaign::read(folder.path()).map(|_| ()).map_err(tell);
    let written = Writer::open(Held::new(folder.path()).unwrap(), &about()).map(|_| ()).map_err(tell);
    expected.assert_eq(&format!(
        "read: {}write: {}",
        read.err().unwrap_or_else(|| "fine\n".to_owned()),
        written.err().unwrap_or_else(|| "fine\n".to_owned())
    ));
}

#[test]
fn what_is_no_campaign_is_refused() {
    for files in [&[][..], &[(DATABASE, &b""[..])]] {
        refused(
            files,
            expect![[r#"
                read: DIR holds no campaign
                  start one with `adit mine CLASS -o DIR`; the folder of a campaign holds a file campaign.db
                write: fine
            "#]],
        );
    }
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let whole = fs::read(folder.path().join(DATABASE)).unwrap();
    // The version stands at byte 60 of the header, and who wrote it at byte 68.
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    refused(
        &[(DATABASE, &with(63, 99))],
        expect![[r#"
            read: DIR/campaign.db has schema 99, but this adit knows schemas only up to 7
              a newer adit wrote it: use that version, or name another folder with -o
            write: DIR/campaign.db has schema 99, but this adit knows schemas only up to 7
              a newer adit wrote it: use that version, or name another folder with -o
        "#]],
    );
    let letter = b"a letter to my aunt, long enough to be read as a header of something";
    for content in [letter.as_slice(), &with(68, 99)] {
        refused(
            &[(DATABASE, content)],
            expect![[r#"
                read: DIR/campaign.db is not a campaign of adit
                  move the file away, or name another folder with -o
                write: DIR/campaign.db is not a campaign of adit
                  move the file away, or name another folder with -o
            "#]],
        );
    }
    refused(
        &[(DATABASE, &whole[..5000])],
        expect![[r#"
        read: DIR/campaign.db is damaged: database disk image is malformed
          `sqlite3 campaign.db .recover` saves what can be read; `adit mine … --fresh` moves the folder away and starts over
        write: DIR/campaign.db is damaged: database disk image is malformed
          `sqlite3 campaign.db .recover` saves what can be read; `adit mine … --fresh` moves the folder away and starts over
    "#]],
    );
}

#[test]
fn two_processes_do_not_write_one_campaign() {
    let folder = tempfile::tempdir().unwrap();
    let _writer = open(folder.path());
    let error = Held::new(folder.path()).unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with(&format!("is in use by process {}", std::process::id())), "{text}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let whole = told(folder.path()).unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        fs::set_permissions(file.unwrap().path(), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(told(folder.path()).unwrap(), whole);
    let held = Held::new(folder.path());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // The administrator may write everywhere; the next test has a place where nobody may.
    if let Err(error) = held {
        assert!(error.to_string().ends_with("is not writable"), "{error}");
    }
}

/// A folder in which even the administrator may not make a file.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_file_system_is_named() {
    let error = Held::new(Path::new("/sys")).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

/// A million traces are written and read in little memory.
#[cfg(target_os = "linux")]
#[test]
fn a_million_traces_stay_small() {
    const TRACES: u64 = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    let labels: Vec<String> = (0..40).map(|number| format!("method{number}:TRUE")).collect();
    let mut writer = open(folder.path());
    let id = writer.begin(&round()).unwrap();
    let mut number = 0;
    while number < TRACES {
        writer
            .batch(|batch| {
                let test = batch.test(id, &script(number as i64))?;
                for _ in 0..20_000 {
                    // The digits of a number to the base of 40 are as many different words as there are
                    // numbers.
                    let mut rest = number.wrapping_mul(2_654_435_761) % (1 << 40);
                    let mut word = vec![&labels[0]];
                    while rest > 0 {
                        word.push(&labels[(rest % 40) as usize]);
                        rest /= 40;
                    }
                    batch.trace(&word, 1, Some(test))?;
                    number += 1;
                }
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap();
    let campaign = Campaign::read(folder.path()).unwrap();
    assert_eq!(campaign.counts().unwrap().words, TRACES);
    let mut lengths: BTreeMap<usize, u64> = BTreeMap::new();
    for trace in campaign.traces() {
        *lengths.entry(trace.unwrap().word.len()).or_default() += 1;
    }
    assert_eq!(lengths.values().sum::<u64>(), TRACES);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kibibytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kibibytes < 500 * 1024, "{kibibytes} KiB");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Damage anywhere is an error or goes unnoticed; it is never a panic, and never a hang.
    #[test]
    fn damage_does_not_panic(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        let path = folder.path().join(DATABASE);
        let mut bytes = fs::read(&path).unwrap();
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        fs::write(&path, bytes).unwrap();
        let _ = told(folder.path());
        if let Ok(mut writer) = Writer::open(Held::new(folder.path()).unwrap(), &about()) {
            let _ = writer.begin(&round());
            let _ = writer.batch(|batch| batch.trace(&["Stack", "more"], 1, None));
        }
    }
}
