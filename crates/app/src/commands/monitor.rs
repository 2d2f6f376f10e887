//! `adit monitor`: follows objects through a run of tests or a program, and reports calls that their models
//! refuse.

use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_jvm::Sandbox;
use adit_jvm::record::watch::{MOST_CLASSES, WatchPlan};
use adit_jvm::record::{EventNaming, Outcome, RecordOptions, Recorded, Task, TaskEnd, record};
use adit_trace::{Pace, Progress};
use adit_verify::Typestate;
use miette::Report;

use super::observe::program::{compare, main_of};
use super::requests;
use super::verify::inputs;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::MonitorFlags;
use crate::interrupt::Listening;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::project::ClassLocation;
use crate::java::user_tests;
use crate::output::{counted, print, print_json};
use crate::progress::{Audience, Counting, Working};
use crate::request::ClassRequest;
use crate::shipped;
use crate::stderr::tell;

mod forms;
mod watch;

use watch::{Report as Watching, Watch};

pub(super) fn run(flags: &MonitorFlags, quiet: bool) -> Result<Ending, Report> {
    let named = named_models(flags)?;
    let request = request(flags, &named)?;
    let directory = flags.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    for folder in flags.writable.iter().chain([&directory]) {
        if !folder.is_dir() {
            return Err(bad_input(
                format!("{} is not a folder", folder.display()),
                "--directory and --writable need existing folders",
            ));
        }
    }
    let location = ClassLocation::new(&request, Audience::unless(quiet))?;
    let (java, task) = java_and_task(flags, &request, &location)?;
    let typestates = typestates(flags, &java)?;
    if request.sandbox == Sandbox::Unsafe {
        tell("WARNING: --unsafe-no-sandbox: the code runs without any protection that this kernel lacks");
    }
    let options = RecordOptions {
        writable: flags.writable.clone(),
        ..user_tests::record_options(
            &java,
            task,
            directory,
            flags.time_limit,
            u64::MAX,
            EventNaming::Signature,
        )?
    };
    let classes: Vec<(String, bool)> = typestates
        .iter()
        .map(|typestate| (typestate.class.replace('/', "."), typestate.is_of_exact_class()))
        .collect();
    let plan = WatchPlan::make(&options, &classes).map_err(environment::cannot_run)?;
    let mut watch = Watch::new(&typestates, &plan);
    let mut listening = Listening::new();
    let mut counting = Counting::new(quiet);
    let mut pace = |now: &Progress| {
        let (objects, calls) = (now.objects.unwrap_or(0), now.events.unwrap_or(0));
        counting.show(|| {
            [counted(now.tests, "test"), counted(objects, "object"), counted(calls, "call")].join(", ")
        });
        listening.go_on(now)
    };
    let recorded = plan
        .run(options.clone(), &mut |seen| watch.take(seen), &mut pace)
        .map_err(environment::cannot_run)?;
    counting.finish();
    let mut report = watch.finish();
    if flags.ignore_expected {
        report.ignore_expected();
    }
    let compared = if flags.compare && !matches!(recorded.end, TaskEnd::Stopped(_)) {
        let working = Working::new("running the same again without watching", quiet);
        let plain = RecordOptions { record: false, ..options };
        let plain = record(plain, &mut |_| {}, &mut listening).map_err(environment::cannot_run)?;
        drop(working);
        (!matches!(plain.end, TaskEnd::Stopped(_))).then(|| compare(&recorded, &plain, "watching"))
    } else {
        None
    };
    drop(listening);
    let compared_json = compared.as_ref().map(|(_, json)| json.clone());
    if flags.json {
        print_json(&forms::json(&report, &recorded, compared_json))?;
    } else {
        print(&forms::text(&report))?;
    }
    if !quiet {
        remarks(&report, &recorded, flags.time_limit);
        if let Some((line, _)) = &compared {
            tell(line);
        }
    }
    ending(&report, &recorded)
}

/// The exit code. A run that ended too early and showed nothing wrong is no answer.
fn ending(report: &Watching, recorded: &Recorded) -> Result<Ending, Report> {
    if report.violations > 0 {
        return Ok(Ending::Found);
    }
    match &recorded.end {
        TaskEnd::TimedOut => Err(no_answer(
            format!(
                "the run did not end in time{}",
                recorded.running.as_ref().map(|test| format!(", in {test}")).unwrap_or_default()
            ),
            "give it more time with --time-limit, or name fewer tests",
        )),
        // An application may end its JVM. A test that does keeps all later tests from running.
        TaskEnd::Exited { code } if recorded.running.is_some() => Err(no_answer(
            format!("{} ends its JVM with exit code {code}", recorded.running.as_deref().unwrap_or("a test")),
            "leave that test out: name the others with --tests",
        )),
        TaskEnd::Died { how } => {
            Err(no_answer(format!("the JVM {how}"), "run `adit observe` on it to learn more"))
        }
        _ => Ok(Ending::Clean),
    }
}

/// The named models, each with the class that it is a model of.
fn named_models(flags: &MonitorFlags) -> Result<Vec<(PathBuf, String)>, Report> {
    let mut named = Vec::new();
    for path in &flags.models {
        if !path.exists() {
            return Err(crate::input::missing(path));
        }
        named.push((path.clone(), inputs::class_of_model(path, flags.class.as_deref())?));
    }
    if flags.class.is_some() && named.len() != 1 {
        return Err(bad_input("--class is for one model", "name one model, or leave --class out"));
    }
    Ok(named)
}

/// The first class, which says which project is meant, and where to look for all.
fn request(flags: &MonitorFlags, named: &[(PathBuf, String)]) -> Result<ClassRequest, Report> {
    let first = named.first().map(|(_, class)| class.clone()).or_else(|| flags.main.clone());
    Ok(ClassRequest {
        name: first.unwrap_or_else(|| "java.lang.Object".to_owned()),
        class_path: requests::class_path(&flags.classpath),
        find_project: !flags.no_project && flags.classpath.is_empty(),
        jdk: flags.jdk.clone(),
        adapter: None,
        non_public: true,
        sandbox: if flags.unsafe_no_sandbox { Sandbox::Unsafe } else { Sandbox::Required },
    })
}

fn java_and_task(
    flags: &MonitorFlags,
    request: &ClassRequest,
    location: &ClassLocation,
) -> Result<(JavaEnvironment, Task), Report> {
    if let Some(main) = &flags.main {
        let java = JavaEnvironment::new(request, location, &[])?;
        let task = main_of(&java, main, &flags.arguments)?;
        return Ok((java, task));
    }
    let (places, names) = user_tests::split(&flags.tests)?;
    let places: Vec<&Path> = places;
    let java = JavaEnvironment::new(request, location, &places)?;
    let classes = user_tests::classes(&java, &places, &names)?;
    Ok((java, Task::Tests { classes }))
}

/// The typestates to watch with: those of the named models, and the shipped ones.
fn typestates(flags: &MonitorFlags, java: &JavaEnvironment) -> Result<Vec<Typestate>, Report> {
    let mut found: Vec<Typestate> = Vec::new();
    for path in &flags.models {
        let model = inputs::user_model(path, flags.class.as_deref(), false, &java.classes)?;
        if !model.class_found {
            let class = model.typestate.dotted_class();
            return Err(bad_input(
                format!("{class}, the class of {}, is not on the class path", path.display()),
                "add its folder or jar with --classpath",
            ));
        }
        // Of several models of a class, the last counts, as in `adit verify`.
        found.retain(|other| other.class != model.typestate.class);
        found.push(model.typestate);
    }
    if flags.models.is_empty() || flags.shipped {
        for (about, model) in shipped::shipped()? {
            let class = about.class.replace('.', "/");
            let is_there = java.classes.find(&class).is_ok_and(|found| found.is_some());
            if is_there && !found.iter().any(|other| *other.class == *class) {
                found.push(inputs::shipped_typestate(&about, &model)?);
            }
        }
    }
    if found.len() > MOST_CLASSES {
        return Err(bad_input(
            format!("{} are too many; {MOST_CLASSES} can be watched at once", counted(found.len(), "model")),
            "name fewer models, or leave out --shipped",
        ));
    }
    Ok(found)
}

fn remarks(report: &Watching, recorded: &Recorded, limit: Duration) {
    let failed = recorded.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed { .. })).count();
    if failed > 0 {
        tell(&format!("{failed} of {} failed", counted(recorded.tests.len(), "test")));
    }
    let during = recorded.running.as_ref().map(|test| format!(" during {test}")).unwrap_or_default();
    match &recorded.end {
        TaskEnd::Finished | TaskEnd::Exited { code: 0 } => {}
        TaskEnd::Exited { code } => tell(&format!("warning: the run ended with exit code {code}{during}")),
        TaskEnd::TimedOut => tell(&format!("warning: the run took longer than {limit:?}{during}")),
        TaskEnd::Stopped(_) => tell(&format!("stopped by Ctrl-C{during}")),
        TaskEnd::Died { how } => tell(&format!("warning: the JVM {how}{during}")),
    }
    for left in recorded.left.iter().take(3) {
        tell(&format!("not watched: {left}"));
    }
    for line in report.remarks() {
        tell(&line);
    }
    let work = match recorded.tests.len() {
        0 => String::new(),
        tests => format!("{}: ", counted(tests, "test")),
    };
    tell(&format!("{work}{}", report.summary()));
}
