//! Classes that do harm: the coordinator survives, the culprit is named, nothing outside the box changes, and
//! the scripts before and after the attack are answered as if nothing had happened.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use adit_jvm::{Host, HostError, Sandbox};
use adit_trace::{End, Run, RunLimits, Script, Subject};
use expect_test::{Expect, expect};
use support::{Bench, bench, script, show};

/// Runs the attack between harmless scripts, with a short limit, and compares what is told about it.
fn check(attack: &[&str], expected: Expect) {
    let Some(bench) = bench() else { return };
    expected.assert_eq(&attacked(&bench, Duration::from_secs(3), attack));
}

/// Returns the outcome of the attack, after making sure that the harmless scripts around it, and a second
/// batch, were not touched.
fn attacked(bench: &Bench, limit: Duration, attack: &[&str]) -> String {
    let harmless = || script(&["new Harmless ()V", "0 Harmless.count ()I", "0 Harmless.count ()I"]);
    let batch: Vec<Script> = vec![harmless(), harmless(), script(attack), harmless(), harmless()];
    let mut options = bench.options();
    options.limits.script = limit;
    let mut host = Host::new(options).unwrap();
    let mut runs = host.run(&batch).unwrap();
    assert_eq!(runs.len(), batch.len());
    let culprit = runs.remove(2);
    runs.extend(host.run(&[harmless()]).unwrap());
    for run in runs {
        assert_eq!(show(&run), "Harmless #0\n1\n2\nComplete\n");
    }
    show(&culprit)
}

#[test]
fn endless_loop() {
    check(
        &["new EndlessLoop ()V", "0 EndlessLoop.attack ()V"],
        expect![[r#"
            EndlessLoop #0
            Looped
        "#]],
    );
}

#[test]
fn sleeping() {
    check(
        &["new Sleeper ()V", "0 Sleeper.attack ()V"],
        expect![[r#"
            Sleeper #0
            TimedOut
        "#]],
    );
}

/// A script that waits for ever is detected long before its time is up.
#[test]
fn waiting_is_not_computing() {
    let Some(bench) = bench() else { return };
    let limit = Duration::from_secs(40);
    let begun = Instant::now();
    let shown = attacked(&bench, limit, &["new Sleeper ()V", "0 Sleeper.attack ()V"]);
    assert_eq!(shown, "Sleeper #0\nTimedOut\n");
    assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
}

/// A call that blocks is ended and the machine lives on: whoever interrupts, or ignores it, or catches it.
#[test]
fn blocking_ends_the_call_alone() {
    for bench in support::benches() {
        let mut options = bench.options();
        options.limits.script = Duration::from_secs(60);
        let mut host = Host::new(options).unwrap();
        let semaphore = |call: &str| {
            let call = format!("0 java.util.concurrent.Semaphore.{call} ()V");
            script(&["new java.util.concurrent.Semaphore (I)V 0", &call, &call])
        };
        let latch = "java.util.concurrent.CountDownLatch";
        let counter = ["new Counter ()V", "0 Counter.next ()I"];
        let batch = [
            script(&counter),
            semaphore("acquire"),
            semaphore("acquireUninterruptibly"),
            script(&[&format!("new {latch} (I)V 1"), &format!("0 {latch}.await ()V")]),
            script(&counter),
            script(&["static java.lang.Thread.interrupted ()Z"]),
        ];
        let shown: Vec<String> = host.run(&batch).unwrap().iter().map(show).collect();
        let blocked = |class: &str| format!("{class} #0\nBlocked\n");
        let (semaphore, latch) = (blocked("java.util.concurrent.Semaphore"), blocked(latch));
        // The counter is static, so that a new machine would begin anew.
        let expected = [
            "Counter #0\n1\nComplete\n",
            &semaphore,
            &semaphore,
            &latch,
            "Counter #0\n2\nComplete\n",
            "false\nComplete\n",
        ];
        assert_eq!(shown, expected);
    }
}

/// A bad end or a deadline keeps the rest of a batch from being run, and the next batch runs as ever.
#[test]
fn limits_end_a_batch() {
    let Some(bench) = bench() else { return };
    let harmless = || script(&["new Harmless ()V", "0 Harmless.count ()I"]);
    let exits = || script(&["new Exits ()V", "0 Exits.attack ()V"]);
    let mut host = bench.host();
    let told = |host: &mut Host, batch: &[Script]| -> Vec<(usize, &'static str)> {
        let name = |end: &End| match end {
            End::Complete => "complete",
            End::Died { .. } => "died",
            End::NotRun => "not run",
            _ => "something else",
        };
        host.run(batch).unwrap().iter().map(|run| (run.steps.len(), name(&run.end))).collect()
    };
    host.limit(RunLimits { deadline: None, bad_ends: Some(1) });
    let batch = [harmless(), exits(), harmless(), exits()];
    let not_run = (0, "not run");
    assert_eq!(told(&mut host, &batch), [(2, "complete"), (1, "died"), not_run, not_run]);
    assert_eq!(told(&mut host, &batch[2..]), [(2, "complete"), (1, "died")]);
    host.limit(RunLimits::until(Some(Instant::now())));
    assert_eq!(told(&mut host, &batch), [not_run; 4]);
    host.limit(RunLimits::default());
    host.renew();
    assert_eq!(told(&mut host, &batch), [(2, "complete"), (1, "died"), (2, "complete"), (1, "died")]);
}

/// A call that loops ends alone: static state shows that the next scripts run in the same machine. The same
/// holds for a call that is running when the time for everything is over, and nobody is blamed for it.
#[test]
fn a_loop_ends_and_the_machine_stays() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    options.limits.script = Duration::from_millis(300);
    let mut host = Host::new(options).unwrap();
    let count = || script(&["new Counter ()V", "0 Counter.next ()I"]);
    let loops = || script(&["new EndlessLoop ()V", "0 EndlessLoop.attack ()V"]);
    let runs = host.run(&[count(), loops(), count(), loops(), count()]).unwrap();
    let shown: Vec<String> = runs.iter().map(show).collect();
    let looped = "EndlessLoop #0\nLooped\n";
    let counted = |number: u32| format!("Counter #0\n{number}\nComplete\n");
    assert_eq!(shown, [&counted(1), looped, &counted(2), looped, &counted(3)]);

    let mut options = bench.options();
    options.limits.script = Duration::from_secs(60);
    let mut host = Host::new(options).unwrap();
    assert_eq!(show(&host.run(&[count()]).unwrap()[0]), counted(1));
    host.limit(RunLimits::until(Some(Instant::now() + Duration::from_millis(500))));
    let runs = host.run(&[count(), loops(), count()]).unwrap();
    let shown: Vec<String> = runs.iter().map(show).collect();
    assert_eq!(shown, [&counted(2), looped, &counted(3)], "it had a third of the time that was left");

    host.limit(RunLimits::until(Some(Instant::now() + Duration::from_millis(40))));
    let runs = host.run(&[count(), loops(), count()]).unwrap();
    let shown: Vec<String> = runs.iter().map(show).collect();
    assert_eq!(shown[1..], ["NotRun\n", "NotRun\n"], "nobody is to blame");
    host.limit(RunLimits::default());
    assert_eq!(show(&host.run(&[count()]).unwrap()[0]), counted(5));
}

#[test]
fn endless_initializer() {
    check(
        &["new LoopsInInitializer ()V"],
        expect![[r#"
            Looped
        "#]],
    );
}

#[test]
fn exit() {
    check(
        &["new Exits ()V", "0 Exits.attack ()V", "0 Exits.attack ()V"],
        expect![[r#"
            Exits #0
            Died { how: "exited with code 3" }
        "#]],
    );
}

#[test]
fn halt() {
    check(
        &["new Halts ()V", "0 Halts.attack ()V"],
        expect![[r#"
            Halts #0
            Died { how: "exited with code 4" }
        "#]],
    );
}

#[test]
fn native_crash() {
    let Some(bench) = bench() else { return };
    let shown = attacked(&bench, Duration::from_secs(20), &["new WildWrite ()V", "0 WildWrite.attack ()V"]);
    // By which signal depends on the release: the machine ends itself after the crash.
    assert!(shown.starts_with("WildWrite #0\nDied { how: \"was killed by signal "), "{shown}");
}

#[test]
fn stack_overflow() {
    let Some(bench) = bench() else { return };
    // Filling the stack takes its time on a busy machine, and this is not about the clock.
    let shown = attacked(
        &bench,
        Duration::from_secs(30),
        &["new Recursion ()V", "0 Recursion.attack ()V", "new Harmless ()V", "2 Harmless.count ()I"],
    );
    expect![[r#"
        Recursion #0
        threw java.lang.StackOverflowError
        Harmless #2
        1
        Complete
    "#]]
    .assert_eq(&shown);
}

#[test]
fn memory_exhaustion() {
    let Some(bench) = bench() else { return };
    let shown = attacked(
        &bench,
        Duration::from_secs(30),
        &["new HungryForMemory ()V", "0 HungryForMemory.attack ()V"],
    );
    expect![[r#"
        HungryForMemory #0
        threw java.lang.OutOfMemoryError: Java heap space
        Complete
    "#]]
    .assert_eq(&shown);
}

#[test]
fn memory_exhaustion_outside_the_heap() {
    let Some(bench) = bench() else { return };
    let shown = attacked(
        &bench,
        Duration::from_secs(30),
        &["new HungryForMemory ()V", "0 HungryForMemory.attackOutsideTheHeap ()V"],
    );
    // The machine may find no memory to report that there is none, and give up.
    assert!(shown.contains("java.lang.OutOfMemoryError") || shown.contains("Died"), "{shown}");
}

#[test]
fn thread_bomb() {
    let Some(bench) = bench() else { return };
    let shown = attacked(&bench, Duration::from_secs(30), &["new ThreadBomb ()V", "0 ThreadBomb.attack ()V"]);
    // As above: without room for another thread the machine may not live on.
    assert!(shown.contains("java.lang.OutOfMemoryError") || shown.contains("Died"), "{shown}");
}

#[test]
fn files_outside_the_box() {
    let Some(bench) = bench() else { return };
    let outside = tempfile::tempdir().unwrap();
    let (folder, file) = (outside.path().to_str().unwrap(), outside.path().join("precious"));
    fs::write(&file, "precious").unwrap();
    let precious = file.to_str().unwrap();
    let path = "(Ljava/lang/String;)V";
    let lines = [
        "new FileVandal ()V".to_owned(),
        format!("0 FileVandal.delete (Ljava/lang/String;)Z '{precious}'"),
        format!("0 FileVandal.overwrite {path} '{precious}'"),
        format!("0 FileVandal.truncate {path} '{precious}'"),
        format!("0 FileVandal.create {path} '{folder}'"),
        format!("0 FileVandal.makeFolder {path} '{folder}'"),
        format!("0 FileVandal.rename {path} '{precious}'"),
        format!("0 FileVandal.link {path} '{precious}'"),
        "0 FileVandal.ownFilesWork ()Z".to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = attacked(&bench, Duration::from_secs(20), &lines);
    // Messages of the machine name the file, whose name is cut and another each time.
    let classes: String =
        shown.lines().map(|line| line.split(": ").next().unwrap().to_owned() + "\n").collect();
    expect![[r#"
        FileVandal #0
        false
        threw java.io.FileNotFoundException
        threw java.io.FileNotFoundException
        threw java.nio.file.AccessDeniedException
        threw java.nio.file.AccessDeniedException
        threw java.nio.file.AccessDeniedException
        threw java.nio.file.AccessDeniedException
        true
        Complete
    "#]]
    .assert_eq(&classes);
    assert_eq!(names(outside.path()), ["precious"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn gigabytes_of_files() {
    let Some(bench) = bench() else { return };
    for attack in ["attack", "attackWithManyFiles"] {
        let line = format!("0 WritesGigabytes.{attack} ()V");
        let shown = attacked(&bench, Duration::from_secs(30), &["new WritesGigabytes ()V", &line]);
        assert!(shown.contains("threw java.io.IOException"), "{shown}");
    }
    assert_eq!(names(bench.boxes.path()), Vec::<String>::new(), "the boxes are gone");
}

#[test]
fn starting_programs() {
    let Some(bench) = bench() else { return };
    let shown =
        attacked(&bench, Duration::from_secs(20), &["new StartsPrograms ()V", "0 StartsPrograms.attack ()I"]);
    assert!(shown.starts_with("StartsPrograms #0\nthrew java.io.IOException"), "{shown}");
}

#[test]
fn killing_the_coordinator() {
    check(
        &["new KillsOthers ()V", "0 KillsOthers.attack ()Z"],
        expect![[r#"
            KillsOthers #0
            false
            Complete
        "#]],
    );
}

#[test]
fn the_network_is_the_loopback() {
    check(
        &[
            "new NetworkUser ()V",
            "0 NetworkUser.interfaces ()Ljava/lang/String;",
            "0 NetworkUser.routes ()I",
            "0 NetworkUser.loopbackWorks ()Z",
        ],
        expect![[r#"
            NetworkUser #0
            "lo"
            0
            true
            Complete
        "#]],
    );
}

#[test]
fn services_of_the_user_are_out_of_reach() {
    let Some(bench) = bench() else { return };
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("service");
    let service = UnixListener::bind(&path).unwrap();
    service.set_nonblocking(true).unwrap();
    let line = format!("0 NetworkUser.connectToService (Ljava/lang/String;)V '{}'", path.display());
    let shown = attacked(&bench, Duration::from_secs(20), &["new NetworkUser ()V", &line]);
    assert!(shown.starts_with("NetworkUser #0\nthrew java."), "{shown}");
    assert!(service.accept().is_err(), "nobody came");
}

#[test]
fn closing_the_streams() {
    check(
        &["new ClosesStreams ()V", "0 ClosesStreams.attack ()V"],
        expect![[r#"
            ClosesStreams #0
            void
            Complete
        "#]],
    );
}

#[test]
fn printing_megabytes() {
    let Some(bench) = bench() else { return };
    let shown = attacked(&bench, Duration::from_secs(30), &["new Chatterbox ()V", "0 Chatterbox.attack ()V"]);
    assert_eq!(shown, "Chatterbox #0\nvoid\nComplete\n");
}

#[test]
fn failing_initializer() {
    check(
        &["new FailsToInitialize ()V", "0 FailsToInitialize.attack ()V"],
        expect![[r#"
            no such call: java.lang.ExceptionInInitializerError
            no such call: java.lang.NoClassDefFoundError: Could not initialize class FailsToInitia…
            Complete
        "#]],
    );
}

#[test]
fn missing_class() {
    check(
        &["new NeedsMissing ()V", "0 NeedsMissing.attack ()Ljava/lang/Object;"],
        expect![[r#"
            NeedsMissing #0
            threw java.lang.NoClassDefFoundError: Missing
            Complete
        "#]],
    );
}

/// One attack after the other, of all kinds that end a worker, among many harmless scripts and on two
/// workers.
#[test]
fn a_storm_of_attacks() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    options.workers = 2;
    options.limits.batch = 16;
    // None of these attacks is about the clock.
    options.limits.script = Duration::from_secs(30);
    let attacks = ["Exits", "Halts", "WildWrite", "Recursion"];
    let scripts: Vec<Script> = (0..200)
        .map(|index| match index % 25 {
            0 => {
                let class = attacks[index / 25 % attacks.len()];
                script(&[&format!("new {class} ()V"), &format!("0 {class}.attack ()V")])
            }
            _ => script(&["new Harmless ()V", "0 Harmless.count ()I"]),
        })
        .collect();
    let runs = Host::new(options).unwrap().run(&scripts).unwrap();
    for (index, run) in runs.iter().enumerate() {
        if index % 25 != 0 {
            assert_eq!(show(run), "Harmless #0\n1\nComplete\n", "script {index}");
        } else if attacks[index / 25 % attacks.len()] == "Recursion" {
            assert_eq!((&run.end, run.steps.len()), (&End::Complete, 2), "script {index}");
        } else {
            assert!(matches!(run.end, End::Died { .. }) && run.steps.len() == 1, "script {index}: {run:?}");
        }
    }
}

/// On a kernel that grants no namespaces, nothing runs unless the caller allows it.
#[test]
fn without_protection_nothing_runs() {
    let Some(bench) = bench() else { return };
    let mut options = bench.options();
    // Inside a namespace of its own, a process may forbid that more are made.
    let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
    options.arguments = ["-U", "-r", "/bin/sh", "-c", forbid].map(Into::into).to_vec();
    options.arguments.push(std::mem::replace(&mut options.program, "/usr/bin/unshare".into()).into());
    if !options.program.exists() {
        eprintln!("NOT RUN: there is no {}", options.program.display());
        return;
    }
    let Err(HostError::Unprotected(protection)) = Host::new(options.clone()) else { panic!("it runs") };
    assert_eq!(protection.missing(), ["using the network", "filling disk and memory"]);
    assert!(protection.notes[0].starts_with("user, network and mount namespaces: "), "{protection:?}");

    options.sandbox = Sandbox::Unsafe;
    let mut host = Host::new(options).unwrap();
    assert_eq!(host.protection().missing(), protection.missing());
    let runs = host.run(&[script(&["new Harmless ()V", "0 Harmless.count ()I"])]).unwrap();
    assert_eq!(show(&runs[0]), "Harmless #0\n1\nComplete\n");
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// A call that once took all its time has less in later scripts, so that hanging does not eat up the budget.
#[test]
fn a_call_that_hangs_again_costs_less() {
    let Some(bench) = bench() else { return };
    let limit = Duration::from_secs(4);
    let mut options = bench.options();
    options.limits.script = limit;
    let harmless = || script(&["new Harmless ()V", "0 Harmless.count ()I"]);
    let loops = || script(&["new EndlessLoop ()V", "0 EndlessLoop.attack ()V"]);
    let batch: Vec<_> = (0..200).map(|_| harmless()).chain((0..5).map(|_| loops())).collect();
    let mut host = Host::new(options).unwrap();
    let begun = Instant::now();
    let runs = host.run(&batch).unwrap();
    assert!(runs[200..].iter().all(|run| run.end == End::Looped));
    assert!(begun.elapsed() < 4 * limit, "{:?}", begun.elapsed());
}

/// Threads of a script are waited for before anybody looks, and are gone when the next script begins.
#[test]
fn threads_of_a_script_are_quiet_after_a_call_and_gone_after_the_script() {
    let Some(bench) = bench() else { return };
    let works = script(&["new Background ()V", "0 Background.begin ()V", "0 Background.done ()I"]);
    let alive = script(&["static Background.alive ()I"]);
    let batch: Vec<_> = (0..10).flat_map(|_| [works.clone(), alive.clone()]).collect();
    let runs = bench.host().run(&batch).unwrap();
    // The wait is short, and on a busy machine a thread may get no processor for as long. Without it, none of
    // the scripts would see the result of the thread.
    let right = |pair: &&[Run]| {
        show(&pair[0]) == "Background #0\nvoid\n1\nComplete\n" && show(&pair[1]) == "0\nComplete\n"
    };
    let count = runs.chunks(2).filter(right).count();
    assert!(count >= 5, "{count} of 10");
}

/// Daemons that each script leaves anew do not pile up, whether or not interrupts end them.
#[test]
fn daemons_of_objects_end_once_they_are_many() {
    let Some(bench) = bench() else { return };
    let timer = "java.util.Timer";
    let daemon = script(&[&format!("new {timer} (Z)V true"), &format!("0 {timer}.purge ()I")]);
    let threads = script(&["static java.lang.Thread.activeCount ()I"]);
    let batch: Vec<_> = (0..40).map(|_| daemon.clone()).chain([threads]).collect();
    let runs = bench.host().run(&batch).unwrap();
    let expected = "java.util.Timer #0\n0\nComplete\n";
    assert!(runs[..40].iter().all(|run| show(run) == expected), "{}", show(&runs[0]));
    let left: usize = show(&runs[40]).lines().next().unwrap().parse().unwrap();
    assert!(left < 15, "{left} threads");
}

/// An author hears of calls that are too slow for a search.
#[test]
fn slow_calls_are_told() {
    let Some(bench) = bench() else { return };
    let options = bench.options();
    let slow_calls = options.slow_calls.clone();
    let computing =
        |time: &str| script(&["new Counter ()V", &format!("static Background.compute (I)V {time}")]);
    // The first call of all may have loaded classes, and does not count.
    let batch = [computing("80"), computing("70"), computing("1")];
    let runs = Host::new(options).unwrap().run(&batch).unwrap();
    assert!(runs.iter().all(|run| show(run) == "Counter #0\nvoid\nComplete\n"), "{}", show(&runs[1]));
    assert_eq!(slow_calls.take(), [(batch[1].clone(), 1)]);
}
