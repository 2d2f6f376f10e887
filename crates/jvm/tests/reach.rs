//! Digests of what an object leads to: they tell apart what the fields do not, and are the same in every
//! machine.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use adit_jvm::Host;
use adit_trace::{Depth, Digest, Script, Subject};
use support::{Bench, benches, script};

fn host(bench: &Bench) -> Host {
    let mut options = bench.options();
    options.snapshots = true;
    Host::new(options).unwrap()
}

/// The digest at the end of each script.
fn at_end(host: &mut Host, scripts: &[Script]) -> Vec<Digest> {
    host.look(Depth::ReachableAtEnd);
    let runs = host.run(scripts).unwrap();
    let last = |at: usize| runs[at].steps.last().and_then(|step| step.fields.as_ref()?.deep());
    (0..runs.len()).map(|at| last(at).unwrap_or_else(|| panic!("script {at}: {:?}", runs[at]))).collect()
}

/// A script on a `Nested`, from the calls after its constructor.
fn nested(calls: &[&str]) -> Script {
    let signature = |name: &str| match name {
        "set" => "(II)V",
        "put" => "(Ljava/lang/String;)V",
        "add" | "refer" => "(Ljava/lang/Object;)V",
        "name" => "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V",
        "capture" => "(I)V",
        _ => "()V",
    };
    let line = |call: &&str| {
        let (name, args) = call.split_once(' ').unwrap_or((call, ""));
        format!("0 Nested.{name} {} {args}", signature(name)).trim_end().to_owned()
    };
    let lines: Vec<String> = calls.iter().map(line).collect();
    script(&[&["new Nested ()V"], &lines.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat())
}

/// Tells for each pair of scripts whether their digests are equal, exactly and from afar.
fn check(pairs: &[(&[&str], &[&str], bool, bool)]) {
    for bench in benches() {
        let scripts: Vec<Script> = pairs.iter().flat_map(|(a, b, ..)| [nested(a), nested(b)]).collect();
        for (pair, found) in pairs.iter().zip(at_end(&mut host(&bench), &scripts).chunks(2)) {
            let equal = (found[0].exact == found[1].exact, found[0].coarse == found[1].coarse);
            assert_eq!(equal, (pair.2, pair.3), "{:?} and {:?}", pair.0, pair.1);
        }
    }
}

#[test]
fn what_is_hidden_shows() {
    check(&[
        (&["set 1 5"], &["set 1 5"], true, true),
        (&["set 1 5"], &["set 1 6"], false, true),
        (&["set 1 5"], &["set 1 0"], false, false),
        (&["set 3 5"], &["set 3 6"], false, true),
        // The cells are objects number 1, 3 and 5 behind the field.
        (&["set 5 5"], &["set 5 6"], true, true),
        (&["add 'a'"], &["add 'b'"], false, true),
        (&["add 'a'"], &["add ''"], false, false),
        (&["add 1"], &["add 2"], false, false),
        (&["refer null"], &["refer 'x'"], false, false),
        (&["refer [1,2]"], &["refer [1,3]"], false, true),
        (&["cycle"], &["cycle"], true, true),
        (&["cycle"], &["thread"], false, false),
        (&["thread"], &["thread"], true, true),
        (&["capture 5"], &["capture 5"], true, true),
        (&["capture 5"], &["capture 6"], false, true),
    ]);
}

/// Hash codes and counters of changes do not matter.
#[test]
fn chance_does_not_show() {
    check(&[
        (&["put 'x'"], &["put 'x'"], true, true),
        (&["put 'x'", "put 'y'", "put 'z'"], &["put 'z'", "put 'x'", "put 'y'"], true, true),
        (&["put 'x'", "put 'y'", "put 'z'"], &["put 'z'", "put 'x'", "put 'x'"], false, true),
        (&["put 'x'", "clear", "put 'x'"], &["put 'x'"], true, true),
        (&["name 'a' 'b' 'c'"], &["name 'c' 'b' 'a'"], true, true),
        (&["name 'a' 'b' 'c'"], &["name 'a' 'b' 'd'"], false, true),
    ]);
}

/// Ten keys without a hash code of their own meet in the buckets of a table by chance, and yet the digest is
/// always the same.
#[test]
fn buckets_do_not_show() {
    let calls = ["put 'a'"; 10];
    for bench in benches() {
        let found = at_end(&mut host(&bench), &vec![nested(&calls); 200]);
        assert!(found.iter().all(|digest| *digest == found[0]), "{found:?}");
    }
}

#[test]
fn digests_come_when_they_are_asked_for() {
    for bench in benches() {
        let mut host = host(&bench);
        let script = [nested(&["look", "set 1 1"])];
        let shown = |host: &mut Host| -> Vec<bool> {
            let runs = host.run(&script).unwrap();
            let deep = |step: &adit_trace::Step| step.fields.as_ref().unwrap().deep().is_some();
            runs[0].steps.iter().map(deep).collect()
        };
        assert_eq!(shown(&mut host), [false; 3]);
        host.look(Depth::ReachableAtEnd);
        assert_eq!(shown(&mut host), [false, false, true]);
        host.look(Depth::Reachable);
        assert_eq!(shown(&mut host), [true; 3]);
        let runs = host.run(&script).unwrap();
        let fields: Vec<_> = runs[0].steps.iter().map(|step| step.fields.clone().unwrap()).collect();
        assert_eq!(fields[1].deep(), fields[0].deep(), "a call that changes nothing");
        assert_eq!(fields[1], fields[2], "the fields themselves are the same");
        let differ = |at: usize| fields[1].digests().unwrap()[at] != fields[2].digests().unwrap()[at];
        let differing: Vec<&String> = fields[1]
            .names()
            .iter()
            .enumerate()
            .filter(|(at, _)| differ(*at))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(differing, ["cell"]);
        host.look(Depth::Fields);
        assert_eq!(shown(&mut host), [false; 3]);
    }
}

/// Neither the order of scripts nor what ran before in the same machine shows in a digest.
#[test]
fn digests_are_the_same_in_every_machine() {
    let text = "(Ljava/lang/String;)V";
    let scripts = [
        script(&["new java.util.ArrayDeque ()V", "0 java.util.ArrayDeque.add (Ljava/lang/Object;)Z 'a'"]),
        script(&[
            "new java.util.concurrent.locks.ReentrantLock ()V",
            "0 java.util.concurrent.locks.ReentrantLock.lock ()V",
        ]),
        script(&[&format!("new java.util.Scanner {text} 'a'"), "0 java.util.Scanner.hasNextInt ()Z"]),
        script(&[
            &format!("new java.util.Scanner {text} '1,5'"),
            "0 java.util.Scanner.nextLine ()Ljava/lang/String;",
        ]),
        script(&[
            &format!("new java.util.Scanner {text} '7'"),
            "0 java.util.Scanner.nextBigDecimal ()Ljava/math/BigDecimal;",
        ]),
        script(&[
            "new java.util.Formatter ()V",
            "0 java.util.Formatter.format (Ljava/lang/String;[Ljava/lang/Object;)Ljava/util/Formatter; '%d' [5]",
        ]),
        script(&[
            &format!("new java.text.DecimalFormat {text} '0.0'"),
            "0 java.text.DecimalFormat.format (D)Ljava/lang/String; 1.5",
        ]),
        script(&[
            "new java.util.concurrent.CompletableFuture ()V",
            "0 java.util.concurrent.CompletableFuture.thenRun (Ljava/lang/Runnable;)Ljava/util/concurrent/CompletableFuture; {null}",
        ]),
        script(&["new java.util.Timer (Z)V true", "0 java.util.Timer.purge ()I"]),
        script(&[
            "new java.util.concurrent.Semaphore (I)V 1",
            "0 java.util.concurrent.Semaphore.acquire ()V",
        ]),
        script(&[
            "new java.util.concurrent.ConcurrentHashMap ()V",
            "0 java.util.concurrent.ConcurrentHashMap.put (Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object; #0 'a'",
        ]),
        script(&[
            "new java.io.ByteArrayInputStream ([B)V [1,2]",
            "new java.io.InputStreamReader (Ljava/io/InputStream;)V #0",
            "1 java.io.InputStreamReader.read ()I",
        ]),
        script(&[
            "static java.util.regex.Pattern.compile (Ljava/lang/String;)Ljava/util/regex/Pattern; 'a+'",
            "0 java.util.regex.Pattern.matcher (Ljava/lang/CharSequence;)Ljava/util/regex/Matcher; 'aab'",
            "1 java.util.regex.Matcher.find ()Z",
        ]),
        script(&["new java.util.zip.Deflater ()V", "0 java.util.zip.Deflater.finished ()Z"]),
        script(&[
            "field java.util.Locale.ROOT Ljava/util/Locale;",
            "0 java.util.Locale.toLanguageTag ()Ljava/lang/String;",
        ]),
    ];
    for bench in benches() {
        let first = at_end(&mut host(&bench), &scripts);
        let mut backwards = scripts.to_vec();
        backwards.reverse();
        let mut second = host(&bench);
        for round in 0..3 {
            let mut found = at_end(&mut second, &backwards);
            found.reverse();
            let unstable: Vec<usize> = (0..first.len()).filter(|at| first[*at] != found[*at]).collect();
            assert_eq!(unstable, Vec::<usize>::new(), "round {round}");
        }
    }
}
