//! The user's own JUnit tests: where they are, and how they are run while the calls of a class are recorded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_jvm::record::{RecordOptions, Task, find_tests};
use miette::Report;

use crate::errors::bad_input;
use crate::machine::Machine;

/// Tests of real projects need more than a script of ten calls.
const HEAP_MEGABYTES: u32 = 1024;
const BOX_MEGABYTES: u32 = 256;

/// What was typed after `--tests`: folders and jars, and names of classes.
pub(crate) fn split(tests: &[PathBuf]) -> (Vec<&Path>, Vec<String>) {
    let is_place = |path: &&PathBuf| {
        path.exists()
            || path.components().count() > 1
            || path.extension().is_some_and(|extension| extension == "jar")
    };
    let places = tests.iter().filter(is_place).map(PathBuf::as_path).collect();
    let names = tests.iter().filter(|path| !is_place(path)).map(|path| path.display().to_string()).collect();
    (places, names)
}

/// The test classes in these places and with these names.
pub(crate) fn classes(machine: &Machine, places: &[&Path], names: &[String]) -> Result<Vec<String>, Report> {
    let mut found = BTreeSet::new();
    for name in names {
        let class = machine.classes.class(name)?;
        if find_tests(&machine.classes, [&*class.name]).is_empty() {
            return Err(bad_input(
                format!("{} has no tests that JUnit would run", class.dotted_name()),
                "a test is a method with JUnit's @Test or its like, in a class that is not abstract",
            ));
        }
        found.insert(class.dotted_name());
    }
    for place in places {
        let all = adit_jvm::classes::open(None, &[place.to_path_buf()])?.names();
        let tests = find_tests(&machine.classes, all.iter().map(String::as_str));
        if tests.is_empty() {
            return Err(bad_input(
                format!("--tests: {} holds {} classes, and none is a test", place.display(), all.len()),
                "name the folder of compiled tests, such as `target/test-classes` or `build/classes/java/test`; \
                 a test is a class with methods that have JUnit's @Test or its like",
            ));
        }
        found.extend(tests);
    }
    let needed = ["org/junit/platform/launcher/Launcher", "org/junit/runner/JUnitCore"];
    if !needed.iter().any(|class| machine.classes.find(class).is_ok_and(|found| found.is_some())) {
        return Err(bad_input(
            "JUnit is not on the class path",
            "add its jars with --classpath, such as `junit4.jar:hamcrest.jar`, or for JUnit 5 \
             `junit-platform-console-standalone.jar`",
        ));
    }
    Ok(found.into_iter().collect())
}

/// How a task is run and recorded. Of each object no more than `longest_life` events are kept.
pub(crate) fn record_options(
    machine: &Machine,
    task: Task,
    directory: PathBuf,
    limit: Duration,
    longest_life: u64,
) -> Result<RecordOptions, Report> {
    let mut host = machine.options()?;
    host.limits.heap_megabytes = HEAP_MEGABYTES;
    host.limits.box_megabytes = BOX_MEGABYTES;
    Ok(RecordOptions {
        host,
        class: machine.class.dotted_name(),
        task,
        directory,
        record: true,
        limit,
        writable: Vec::new(),
        longest_life,
    })
}
