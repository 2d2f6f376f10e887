//! The user's own JUnit tests: finding them, and running them while the calls of a class are recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_bytecode::{Class, refers_to};
use adit_jvm::record::{EventNaming, RecordOptions, Task, find_tests};
use miette::Report;

use crate::errors::bad_input;
use crate::java::environment::JavaEnvironment;
use crate::java::project::ClassLocation;
use crate::output::counted;
use crate::request::ClassRequest;

/// Tests of real projects need more than a script of ten calls.
const HEAP_MEGABYTES: u32 = 1024;
const BOX_MEGABYTES: u32 = 256;

/// Tests that a command runs to record how they use the class.
pub(crate) struct UserTests {
    /// Folders and jars that hold them.
    pub(crate) places: Vec<PathBuf>,
    /// The test classes, with dots.
    pub(crate) classes: Vec<String>,
    /// True if the user asked for them; otherwise a command may skip them.
    pub(crate) typed: bool,
    /// The folder that they run in.
    pub(crate) directory: PathBuf,
}

/// Value of `--tests` for no tests. A folder of that name is `./none`.
const NONE: &str = "none";

/// Returns the tests to start from: those given, or those of the project that use the class, if any.
pub(crate) fn choose(
    typed: &[PathBuf],
    class: &ClassRequest,
    location: &ClassLocation,
) -> Result<Option<UserTests>, Report> {
    if typed == [Path::new(NONE)] {
        return Ok(None);
    }
    if !typed.is_empty() {
        let (places, names) = split(typed)?;
        let java = JavaEnvironment::new(class, location, &places)?;
        let classes = classes(&java, &places, &names)?;
        let places = places.into_iter().map(Path::to_owned).collect();
        return Ok(Some(UserTests { places, classes, typed: true, directory: PathBuf::from(".") }));
    }
    let Some(built) = &location.built else { return Ok(None) };
    let places: Vec<&Path> = built.tests.iter().map(PathBuf::as_path).collect();
    let java = JavaEnvironment::new(class, location, &places)?;
    let classes = users_of(&java.class.name, &java, &built.tests)?;
    Ok((!classes.is_empty()).then(|| UserTests {
        places: built.tests.clone(),
        classes,
        typed: false,
        directory: built.folder.clone(),
    }))
}

/// Returns the tests in these places that name a class: themselves, in a nested class, or in a superclass.
fn users_of(class: &str, java: &JavaEnvironment, places: &[PathBuf]) -> Result<Vec<String>, Report> {
    let own = adit_jvm::classes::open(None, places)?;
    let mut users = BTreeSet::new();
    let mut above = BTreeMap::new();
    let names = own.names();
    for name in &names {
        let Some((bytes, file)) = own.find(name)? else { continue };
        if refers_to(&bytes, class) {
            users.insert(name.as_str());
        }
        // An unreadable class has no superclass here; if it is a test, JUnit will complain.
        let outline = Class::parse_outline(&bytes, &file).ok();
        above.extend(outline.and_then(|outline| Some((name.as_str(), outline.superclass?))));
    }
    let uses = |test: &str| {
        let within = format!("{test}$");
        users.contains(test)
            || users.range(within.as_str()..).next().is_some_and(|next| next.starts_with(&within))
    };
    let inherits = |test: &str| {
        // No more steps than there are classes, because a damaged class may be its own ancestor.
        let mut at = test;
        for _ in 0..=names.len() {
            if uses(at) {
                return true;
            }
            let Some(next) = above.get(at) else { return false };
            at = next;
        }
        false
    };
    let tests = find_tests(&java.classes, names.iter().map(String::as_str));
    Ok(tests.into_iter().filter(|test| inherits(&test.replace('.', "/"))).collect())
}

/// Values of `--tests`: folders and jars, and names of classes.
pub(crate) fn split(tests: &[PathBuf]) -> Result<(Vec<&Path>, Vec<String>), Report> {
    let is_single = |path: &&PathBuf| {
        path.is_file()
            && path.extension().is_some_and(|extension| extension == "java" || extension == "class")
    };
    if let Some(file) = tests.iter().find(is_single) {
        return Err(bad_input(
            format!("--tests: {} is a single file", file.display()),
            "name the folder that holds the compiled tests, a jar, or a test class that is on the class path",
        ));
    }
    let is_place = |path: &&PathBuf| {
        path.exists()
            || path.components().count() > 1
            || path.extension().is_some_and(|extension| extension == "jar")
    };
    let places = tests.iter().filter(is_place).map(PathBuf::as_path).collect();
    let names = tests.iter().filter(|path| !is_place(path)).map(|path| path.display().to_string()).collect();
    Ok((places, names))
}

/// Returns the test classes in these places and with these names.
pub(crate) fn classes(
    java: &JavaEnvironment,
    places: &[&Path],
    names: &[String],
) -> Result<Vec<String>, Report> {
    let mut found = BTreeSet::new();
    for name in names {
        let class = java.classes.class(name)?;
        if find_tests(&java.classes, [&*class.name]).is_empty() {
            return Err(bad_input(
                format!("{} has no JUnit tests", class.dotted_name()),
                "a test is a method annotated with @Test or similar, in a class that is not abstract",
            ));
        }
        found.insert(class.dotted_name());
    }
    for place in places {
        let all = adit_jvm::classes::open(None, &[place.to_path_buf()])?.names();
        let tests = find_tests(&java.classes, all.iter().map(String::as_str));
        if tests.is_empty() {
            return Err(bad_input(
                format!(
                    "--tests: {} holds {}, none of them a test",
                    place.display(),
                    counted(all.len(), "class")
                ),
                "name the folder of compiled tests, such as `target/test-classes` or `build/classes/java/test`; \
                 a test class has methods annotated with @Test or similar",
            ));
        }
        found.extend(tests);
    }
    need_junit(java)?;
    Ok(found.into_iter().collect())
}

/// Fails if there is nothing to run tests with.
pub(crate) fn need_junit(java: &JavaEnvironment) -> Result<(), Report> {
    let has = |class: &str| java.classes.find(class).is_ok_and(|found| found.is_some());
    if has("org/junit/platform/launcher/Launcher") || has("org/junit/runner/JUnitCore") {
        return Ok(());
    }
    // Build tools provide the launcher, so projects need not name it.
    Err(if has("org/junit/jupiter/api/Test") {
        bad_input(
            "JUnit 5 is on the class path without junit-platform-launcher",
            "add it as a test dependency of the project, or add its jar with --classpath; \
             Maven downloads it when it runs the tests",
        )
    } else {
        bad_input(
            "JUnit is not on the class path",
            "add its jars with --classpath, such as `junit4.jar:hamcrest.jar`, or for JUnit 5 \
             `junit-platform-console-standalone.jar`",
        )
    })
}

/// Returns the options to run and record a task, with at most `longest_life` events per object.
pub(crate) fn record_options(
    java: &JavaEnvironment,
    task: Task,
    directory: PathBuf,
    limit: Duration,
    longest_life: u64,
    naming: EventNaming,
) -> Result<RecordOptions, Report> {
    let mut host = java.options()?;
    host.limits.heap_megabytes = HEAP_MEGABYTES;
    host.limits.box_megabytes = BOX_MEGABYTES;
    Ok(RecordOptions {
        host,
        class: java.class.dotted_name(),
        task,
        directory,
        record: true,
        limit,
        writable: Vec::new(),
        longest_life,
        naming,
        states: false,
    })
}
