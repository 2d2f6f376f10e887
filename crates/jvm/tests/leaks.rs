//! A host leaves nothing behind when it is gone. One test, alone in its process, because it counts what the
//! process has.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::fs;
use std::process::Command;

use adit_jvm::Host;
use adit_trace::{Script, Subject};
use support::{bench, script};

#[test]
fn nothing_is_left_behind() {
    let Some(bench) = bench() else { return };
    // As a coordinator that was killed leaves it.
    let mut killed = Command::new("true").spawn().unwrap();
    killed.wait().unwrap();
    fs::create_dir(bench.boxes.path().join(format!("adit-box-{}-orphan", killed.id()))).unwrap();
    let before = (open_files(), children());
    for round in 0..3 {
        let mut options = bench.options();
        options.workers = 2;
        options.limits.batch = 5;
        options.limits.recycle_after = 20;
        let scripts: Vec<Script> = (0..60)
            .map(|index| match index % 20 {
                7 => script(&["new Exits ()V", "0 Exits.attack ()V"]),
                11 => script(&["new WildWrite ()V", "0 WildWrite.attack ()V"]),
                _ => script(&["new Harmless ()V", "0 Harmless.count ()I"]),
            })
            .collect();
        let runs = Host::new(options).unwrap().run(&scripts).unwrap();
        assert_eq!(runs.len(), 60);
        assert_eq!((open_files(), children()), before, "after round {round}");
        assert_eq!(fs::read_dir(bench.boxes.path()).unwrap().count(), 0, "after round {round}");
    }
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The processes, dead ones not yet waited for among them, whose parent is this one.
fn children() -> usize {
    let own = std::process::id().to_string();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok())
        // The name of the program stands in parentheses and may contain anything; state and parent follow.
        .filter(|stat| stat.rsplit(')').next().unwrap().split_whitespace().nth(1) == Some(&own))
        .count()
}
