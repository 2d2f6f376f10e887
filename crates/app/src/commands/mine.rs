//! `adit mine`: what a Java class can do, from its name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_attack::assay::AssayOptions;
use adit_attack::branches::Branches;
use adit_attack::dice_tester::Fate;
use adit_attack::dynamosa::Settings;
use adit_attack::{Ear, Generator, GeneratorOptions, java};
use adit_automata::{Fsa, format};
use adit_bytecode::probe::probe_classes;
use adit_infer::Constraints;
use adit_jvm::{Host, HostOptions, hits};
use adit_logic::sentence;
use adit_trace::read::Format;
use adit_trace::{Letter, Life, Run, Script};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use crate::drive::Drive;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::{Budget, Kept, MineFlags, Tester};
use crate::machine::Machine;
use crate::models;
use crate::output::{Target, print, print_json, tell, write_failed};
use crate::pipeline::{Judged, Mined, Plan, Watch, mine};
use crate::recording::Recording;
use crate::timeline::Timeline;

mod tests;

const DEFAULT_BUDGET: Budget = Budget::Time(Duration::from_secs(10));

/// Values that recur make calls meet: what was added is then looked for.
const HABITS: GeneratorOptions = GeneratorOptions { reuse: 0.3, second_object: 0.1, longest: 60 };

pub(super) fn run(flags: &MineFlags, quiet: bool) -> Result<Ending, Report> {
    let folder = flags.output.clone().unwrap_or_else(|| Path::new("adit-out").join(&flags.class.class));
    let lives = if flags.tests.is_empty() { Vec::new() } else { tests::lives(flags, quiet)? };
    let mut watch = Watch::new(flags.generate.budget.unwrap_or(DEFAULT_BUDGET), quiet);
    let mut drive = Drive::new(&flags.class, &flags.generate, HABITS, |options| {
        options.snapshots = true;
        options.watch_descriptors = true;
    })?;
    // Only now, so that a class that cannot be run leaves no empty folder.
    make(&folder.join("tests"))?;
    let ear = Ear::new(&drive.api);
    let given = tests::words(&lives, &drive.api, &ear);
    let plan = plan(flags, given);
    let mut rng = ChaCha8Rng::seed_from_u64(flags.generate.seed);
    let Drive { host, generator, api, machine, options, .. } = &mut drive;
    let probed = || probed(machine, options);
    let mined = mine(host, probed, generator, api, &ear, &plan, &mut rng, &mut watch)?;
    watch.counting.finish();
    if mined.model.transitions() == 0 {
        return Err(nothing_made(&flags.class.class, &mined));
    }
    write(&folder, &drive, &mined, &lives, &watch.timeline)?;
    let seconds = watch.elapsed().as_secs_f64();
    if flags.json {
        print_json(&summary(&drive, &mined, seconds))?;
    } else {
        print(&drawn(&mined.model))?;
    }
    if !quiet {
        for line in remarks(&drive, &mined, seconds, &folder) {
            tell(&line);
        }
    }
    Ok(Ending::Clean)
}

/// A worker whose class says which of its branches are taken. One is enough: generations are small, and with one the same seed
/// always finds the same machine.
fn probed(machine: &Machine, options: &HostOptions) -> Result<(Host, Branches), String> {
    let probed =
        probe_classes(&machine.classes, &machine.class.name, &hits()).map_err(|error| error.to_string())?;
    let branches = Branches::new(&probed.probes);
    let options = HostOptions { workers: 1, probes: Some(probed), ..options.clone() };
    let host = Host::new(options).map_err(|error| error.to_string())?;
    match host.unprobed() {
        None => Ok((host, branches)),
        Some(why) => Err(why.to_owned()),
    }
}

fn plan(flags: &MineFlags, given: Vec<Vec<Letter>>) -> Plan {
    let mut assay = AssayOptions { calls: flags.generate.calls, ..AssayOptions::default() };
    if flags.coarse {
        // No share of walks is worth a state.
        assay.gain = 1.1;
    }
    let settings = Settings {
        // Without claims there is nothing to give up, and events that never happen must not end the search.
        abandon_after: (flags.tester == Tester::Dice).then_some(flags.abandon_after),
        reset_after: Some(flags.reset_after),
        ..Settings::default()
    };
    Plan {
        miner: flags.miner,
        tester: flags.tester,
        initial: flags.initial,
        calls: flags.generate.calls,
        settings,
        assay,
        claims: flags.claims,
        constraints: Constraints {
            pure_as_loops: matches!(flags.constraints, Kept::Both | Kept::A),
            compatible_states: matches!(flags.constraints, Kept::Both | Kept::B),
        },
        given,
    }
}

fn make(folder: &Path) -> Result<(), Report> {
    fs::create_dir_all(folder).map_err(|error| {
        bad_input(
            format!("the folder {} cannot be made: {error}", folder.display()),
            "name another with -o; is there a file of that name, or no right to write?",
        )
    })
}

/// No object could be made; say what its constructors threw.
fn nothing_made(class: &str, mined: &Mined) -> Report {
    let tests = mined.tests_run;
    no_answer(
        format!("no object of {class} could be made in {tests} tests"),
        format!(
            "`adit observe {class} --budget 100tests` shows what its constructors throw; \
             with --fixtures FILE.java a method of yours can supply an object or its arguments"
        ),
    )
}

/// Everything that the folder holds.
fn write(
    folder: &Path,
    drive: &Drive,
    mined: &Mined,
    lives: &[Life],
    timeline: &Timeline,
) -> Result<(), Report> {
    let class = &*drive.api.class;
    let file = |name: &str| Target::File(folder.join(name));
    for (name, format) in [("model.json", format::Format::Json), ("model.dot", format::Format::Dot)] {
        models::write(&mined.model, &file(name), format, class, true)?;
    }
    for (name, value) in [("properties.json", properties(mined)), ("search.json", timeline.as_json())] {
        let text = serde_json::to_string_pretty(&value).expect("numbers and texts have a JSON form");
        file(name).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))?;
    }
    let mut recording = Recording::new();
    lives.iter().for_each(|life| recording.add(&life.events));
    for (script, run) in &mined.tests {
        for life in run.lives(script) {
            let start = &script.statements[life.object].callable;
            if drive.api.starts.iter().any(|known| known.callable == *start) {
                recording.add(&life.events);
            }
        }
    }
    recording.write(&file("traces.jsonl"), Format::Jsonl, class)?;
    let (name, source) = java_tests(&drive.api.class, &mined.tests, &drive.generator);
    file(&format!("tests/{name}.java")).write(|out| out.write_all(source.as_bytes()).map_err(write_failed))
}

/// A JUnit class of the tests, and its name.
fn java_tests(class: &str, tests: &[(Script, Run)], generator: &Generator) -> (String, String) {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let name = format!("{}MinedTest", simple.replace('$', ""));
    // Nobody may add to the packages of the JDK; elsewhere the package's own see more.
    let package = if package.starts_with("java.") || package.starts_with("javax.") { "" } else { package };
    let tests: Vec<(Script, Option<Run>)> =
        tests.iter().map(|(script, run)| (script.clone(), Some(run.clone()))).collect();
    (name.clone(), java::test_class(package, &name, &tests, generator.facts()))
}

fn properties(mined: &Mined) -> Value {
    let one = |Judged { property, fate, found_after }: &Judged| {
        let mut value = json!({
            "template": property.template.short(),
            "a": property.a,
            "b": property.b,
            "says": sentence(property),
        });
        match fate {
            Fate::Refuted(test) => {
                value["fate"] = "falsified".into();
                value["test"] = format!("script{test}").into();
                value["found_after_tests"] = (*found_after).into();
            }
            Fate::Survived { attacked, abandoned } => {
                value["fate"] = "surviving".into();
                value["attacked"] = (*attacked).into();
                value["abandoned"] = (*abandoned).into();
            }
            Fate::NotAttacked => value["fate"] = "not attacked".into(),
        }
        value
    };
    json!({ "pure": mined.pure, "properties": mined.properties.iter().map(one).collect::<Vec<_>>() })
}

/// How many claims there were, and how many were refuted.
fn counts(mined: &Mined) -> (usize, usize) {
    let refuted = mined.properties.iter().filter(|judged| matches!(judged.fate, Fate::Refuted(_))).count();
    (mined.properties.len(), refuted)
}

fn summary(drive: &Drive, mined: &Mined, seconds: f64) -> Value {
    let (all, falsified) = counts(mined);
    let assayed = mined.assayed.as_ref();
    json!({
        "class": &*drive.api.class,
        "alphabet": mined.model.alphabet(),
        "tests": mined.tests_run,
        "properties": { "mined": all, "falsified": falsified, "surviving": all - falsified },
        "states": mined.model.len(),
        "transitions": mined.model.transitions(),
        "pure": mined.pure,
        "realized": assayed.and_then(|assayed| assayed.realized),
        "unrealized": assayed.map(|assayed| assayed.unrealized.clone()),
        "branches": mined.branches.map(|(covered, all)| json!({"covered": covered, "all": all})),
        "rejected": mined.rejected,
        "never_tried": drive.api.left.iter().map(|(callable, why)| json!({"method": callable.name, "why": why})).collect::<Vec<_>>(),
        "hang": assayed.map(|assayed| assayed.deadly.clone()),
        "seconds": seconds,
        "stop": mined.stop,
    })
}

/// The model as text: from each state, where which events lead.
fn drawn(model: &Fsa<String>) -> String {
    let name = |state: usize| match model.name(state) {
        Some(name) => format!("{state} ({name})"),
        None => state.to_string(),
    };
    let mut text = String::new();
    for state in model.states() {
        let start = if model.initial().contains(&state) { "start " } else { "" };
        text += &format!("{start}{}\n", name(state));
        let mut to: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for edge in model.edges(state) {
            to.entry(edge.to).or_default().push(edge.label);
        }
        for (to, labels) in to {
            let arrow = if to == state { "stays".to_owned() } else { format!("-> {}", name(to)) };
            text += &format!("    {arrow}: {}\n", labels.join(", "));
        }
    }
    text
}

fn remarks(drive: &Drive, mined: &Mined, seconds: f64, folder: &Path) -> Vec<String> {
    let (all, falsified) = counts(mined);
    let rate = mined.tests_run as f64 / seconds.max(0.001);
    let mut lines = vec![format!(
        "{} states, {} transitions; {} tests in {seconds:.1} s ({rate:.0} a second); {falsified} of {all} claims refuted; ended: {}",
        mined.model.len(),
        mined.model.transitions(),
        mined.tests_run,
        mined.stop,
    )];
    if let Some(assayed) = &mined.assayed {
        if let Some(realized) = assayed.realized {
            // Rounded down: all is not nearly all.
            lines.push(format!("{} % of the model's walks can really happen", (realized * 100.0).floor()));
        }
        for word in assayed.unrealized.iter().take(2) {
            lines.push(format!("  one that could not be made to: {}", word.join(" ")));
        }
        if !assayed.deadly.is_empty() {
            lines.push(format!(
                "not tried further, because they hang or kill the machine: {}",
                assayed.deadly.join(", ")
            ));
        }
        if !assayed.complete {
            lines.push("broken off before everything was tried; a longer --budget may find more".to_owned());
        }
    }
    if let Some((covered, all)) = mined.branches {
        lines.push(format!("the attack took {covered} of {all} branches of the class"));
    }
    if let Some(shortest) = mined.rejected.first() {
        lines.push(format!(
            "{} orders of calls that your tests use are not in the model (--json lists them); the shortest: {}",
            mined.rejected.len(),
            shortest.join(" ")
        ));
    }
    if !drive.api.left.is_empty() {
        let names: Vec<&str> = drive.api.left.iter().map(|(callable, _)| callable.name.as_str()).collect();
        lines.push(format!("never called, for want of arguments (--fixtures helps): {}", names.join(", ")));
    }
    lines.push(format!("written to {}", PathBuf::from(folder).display()));
    lines
}
