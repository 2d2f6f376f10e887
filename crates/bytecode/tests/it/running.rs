//! A spliced class at work, with a hook written in Java.

use std::fs;

use adit_bytecode::splice::{CallSite, Choice, Hook, reroute};
use adit_bytecode::{ClassSource, MemberRef};
use expect_test::expect;

use crate::jdk::{Jdk, java_sources, read_folder};

/// The calls in `all`, numbered by how far apart answers must be told: odd for `size`, even for `isEmpty`.
struct CallsInAll;

impl Choice for CallsInAll {
    fn number(&mut self, site: &CallSite<'_>) -> Option<i32> {
        let number = match &*site.target.name {
            "size" => 100_001,
            "isEmpty" => 100_002,
            "append" => -7,
            "charAt" => 3,
            _ => 40,
        };
        (site.caller == "all").then_some(number)
    }

    fn may_be_protected(&mut self, _: &MemberRef) -> bool {
        false
    }

    fn is_loadable(&mut self, _: &str) -> bool {
        true
    }
}

#[test]
fn the_hook_sees_and_answers_every_call() {
    let Some(jdk) = Jdk::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let sources = [java_sources().join("Calls.java"), java_sources().join("Hook.java")];
    jdk.compile(&[&sources[0], &sources[1]], folder.path(), &[]);
    let bytes = read_folder(folder.path()).find("Calls").unwrap().unwrap();
    let hook = Hook { class: "Hook".to_owned(), flag: "on".to_owned(), method: "call".to_owned() };
    let spliced = reroute(&bytes, "Calls.class", &hook, &mut CallsInAll).unwrap();
    assert!(spliced.skipped.is_empty(), "{:?}", spliced.skipped);
    let run = |arguments: &[&str]| {
        let output = jdk.java().arg("-cp").arg(folder.path()).arg("Calls").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let plain = run(&[]);
    fs::write(folder.path().join("Calls.class"), &spliced.bytes).unwrap();
    assert_eq!(run(&[]), plain, "a hook that is off changes nothing");
    expect![[r#"
        40 ArrayList String x
        -7 StringBuilder Character c
        -7 StringBuilder Long 3
        -7 StringBuilder Float 4.0
        -7 StringBuilder Double 5.0
        -7 StringBuilder Boolean true
        -7 StringBuilder Integer 1
        -7 StringBuilder Integer 2
        40 static Double 5.0
        40 static Long 3
        40 int[]
        100002 ArrayList
        3 StringBuilder Integer 0
        100001 ArrayList
        40 StringBuilder
        55 77 2000 9 true q
    "#]]
    .assert_eq(&run(&["on"]));
}
