//! `adit mine`: what a Java class can do, from its name.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_attack::branches::Branches;
use adit_attack::dice_tester::Fate;
use adit_attack::dynamosa::Settings;
use adit_attack::explore::{ExploreOptions, SplitOptions};
use adit_attack::{Ear, Generator, SurveyOptions, java};
use adit_automata::{Modality, format};
use adit_bytecode::probe::probe_classes;
use adit_jvm::{Host, HostOptions, hits};
use adit_logic::sentence;
use adit_store::About;
use adit_trace::{Format, Letter, Life, Run, Script, Stop};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};
use terminal_size::{Width, terminal_size_of};

use super::requests::{call_request, class_request};
use crate::budget::Budget;
use crate::campaign::{self, Campaign, Kept, Spent};
use crate::errors::{Ending, no_answer};
use crate::flags::{MineFlags, ProgressForm, mine as defaults};
use crate::interrupt;
use crate::java::class_under_test::ClassUnderTest;
use crate::java::environment::JavaEnvironment;
use crate::java::project::ClassLocation;
use crate::java::recording::Recording;
use crate::models;
use crate::output::{Target, create_folder, print, print_json, write_failed};
use crate::pace::{self, RoundPace};
use crate::pipeline::{Judged, Mined, Plan, mine};
use crate::progress::{Audience, Mining, rounded};
use crate::report::{self, terminal};
use crate::request::{AttackRequest, MineRequest, ModelRequest, Tester};
use crate::shell;
use crate::timeline::Course;

mod tests;

pub(super) fn run(flags: &MineFlags, quiet: bool) -> Result<Ending, Report> {
    let request = request(flags);
    let folder = &request.folder;
    let audience = match (flags.progress, quiet) {
        (_, true) => Audience::Nobody,
        (ProgressForm::Auto, false) => Audience::People,
        (ProgressForm::Json, false) => Audience::Tools,
    };
    let location = ClassLocation::new(&request.class, audience)?;
    let tests::Beginning { lives, tests } = tests::beginning(&request, &location, audience)?;
    let progress = Mining::new(request.budget, audience);
    let mut pace = RoundPace::new(request.budget, progress.clone());
    let mut subject = ClassUnderTest::new(&request.class, &location, &request.calls, |options| {
        options.snapshots = true;
        options.watch_descriptors = true;
    })?;
    let ear = Ear::new(&subject.api);
    let plan = plan(&request, tests::words(&lives, &subject.api, &ear));
    // Only now, so that a class that cannot be run leaves no empty folder.
    let about = campaign::identity(&request, &location, tests.as_ref(), &subject)?;
    let campaign = Campaign::open(&request, &about, &progress)?;
    create_folder(&folder.join("tests"))?;
    interrupt::farewell(format!(
        "interrupted; what was saved so far is kept, and this continues: {}",
        shell::typed_command()
    ));
    let round = campaign.round();
    let mut rng = ChaCha8Rng::seed_from_u64(campaign.seed());
    let ClassUnderTest { host, generator, api, java, options, .. } = &mut subject;
    let mut kept = Kept::new(host, &ear, campaign, &plan.given, progress.clone(), pace.clone())?;
    let probed = || probed(java, options);
    let mined = mine(&mut kept, probed, generator, api, &ear, &plan, &mut rng, &mut pace, &progress);
    progress.finish();
    let mined = mined?;
    let spent = kept.end(&mined)?;
    if mined.model.transitions() == 0 {
        return Err(nothing_made(&request.class.name, &mined));
    }
    let course = Course::of(&adit_store::Campaign::read(folder)?)?;
    write(folder, &subject, &mined, &lives, &course.as_json())?;
    let seconds = pace.elapsed().as_secs_f64();
    let summary = summary(&subject, &mined, round, seconds);
    write_run(folder, &summary, &about, &subject, request.budget, spent)?;
    // Last, because it is made from all the other files.
    report::finish(folder, &subject.api, &mined.tests, &mined.witnesses)?;
    if flags.json {
        print_json(&summary)?;
    } else {
        print(&drawn(&mined))?;
    }
    for line in remarks(&subject, &mined, seconds, folder) {
        progress.remark(&line);
    }
    if mined.stop == Stop::Interrupted {
        progress.remark(&format!("to continue: {}", shell::typed_command()));
    }
    progress.event(|| {
        let stop = mined.stop.name();
        json!({ "event": "end", "stop": stop, "folder": folder, "continue": shell::typed_command() })
    });
    Ok(Ending::Clean)
}

/// The work that the flags ask for.
fn request(flags: &MineFlags) -> MineRequest {
    MineRequest {
        class: class_request(&flags.class),
        calls: call_request(&flags.generate, defaults::GENERATION),
        budget: flags.generate.budget.unwrap_or(defaults::DEFAULT_BUDGET),
        folder: flags.output.clone().unwrap_or_else(|| campaign::default_folder(&flags.class.class)),
        fresh: flags.fresh,
        tests: flags.tests.clone(),
        initial_tests: flags.initial,
        model: ModelRequest { miner: flags.miner, coarse: flags.coarse, constraints: flags.constraints },
        attack: AttackRequest {
            tester: flags.tester,
            properties: flags.claims,
            reset_after: flags.reset_after,
            abandon_after: flags.abandon_after,
        },
    }
}

/// A worker whose class says which of its branches are taken. One is enough: generations are small, and with one the same seed
/// always finds the same machine.
fn probed(java: &JavaEnvironment, options: &HostOptions) -> Result<(Host, Branches), String> {
    let probed =
        probe_classes(&java.classes, &java.class.name, &hits()).map_err(|error| error.to_string())?;
    let branches = Branches::new(&probed.probes);
    let options = HostOptions { workers: 1, probes: Some(probed), ..options.clone() };
    let host = Host::new(options).map_err(|error| error.to_string())?;
    match host.unprobed() {
        None => Ok((host, branches)),
        Some(why) => Err(why.to_owned()),
    }
}

/// The summary with all that it takes to run it again.
fn write_run(
    folder: &Path,
    summary: &Value,
    about: &About,
    subject: &ClassUnderTest,
    budget: Budget,
    spent: Spent,
) -> Result<(), Report> {
    let mut run = summary.clone();
    run["parameters"] = about.parameters.clone();
    run["versions"] = json!({
        "adit": about.tool,
        "java": subject.java.jdk.version,
        "os": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    });
    run["seed"] = about.seed.into();
    run["budget"] = budget.to_string().into();
    run["command"] = shell::typed_command().into();
    let Spent { noting, writing, ending } = spent;
    let told = |spent: Duration| rounded(spent.as_secs_f64());
    run["keeping"] = json!({ "noting": told(noting), "writing": told(writing), "ending": told(ending) });
    let text = format!("{run:#}\n");
    Target::File(folder.join("run.json")).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))
}

fn plan(request: &MineRequest, given: Vec<Vec<Letter>>) -> Plan {
    let MineRequest { model, attack, .. } = request;
    let ExploreOptions { survey, successors, splitting } = defaults::EXPLORATION;
    // More than all walks can gain, so that no state is split.
    let gain = if model.coarse { 1.1 } else { splitting.gain };
    let explore = ExploreOptions {
        survey: SurveyOptions { calls: request.calls.calls, ..survey },
        successors,
        splitting: SplitOptions { gain, ..splitting },
    };
    let settings = Settings {
        // Without claims there is nothing to give up, and events that never happen must not end the search.
        abandon_after: (attack.tester == Tester::Dice).then_some(attack.abandon_after),
        reset_after: Some(attack.reset_after),
        ..defaults::EVOLUTION
    };
    Plan {
        miner: model.miner,
        tester: attack.tester,
        initial: request.initial_tests,
        calls: request.calls.calls,
        settings,
        explore,
        claims: attack.properties,
        constraints: model.constraints.into(),
        given,
    }
}

/// No object could be made; say what its constructors threw.
fn nothing_made(class: &str, mined: &Mined) -> Report {
    let tests = mined.tests_run;
    if mined.settled.words > 0 || mined.hardly_watched {
        return no_answer(
            format!("the budget ended after {tests} tests, before it was tried which calls are possible"),
            "run the same command again with a longer --budget; what was found is kept and will be used",
        );
    }
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
    subject: &ClassUnderTest,
    mined: &Mined,
    lives: &[Life],
    search: &Value,
) -> Result<(), Report> {
    let class = &*subject.api.class;
    let file = |name: &str| Target::File(folder.join(name));
    for (name, format) in [("model.json", format::Format::Json), ("model.dot", format::Format::Dot)] {
        models::write(&mined.model, &file(name), format, class, true)?;
    }
    for (name, value) in [("properties.json", &properties(mined)), ("search.json", search)] {
        let text = serde_json::to_string_pretty(value).expect("numbers and texts have a JSON form");
        file(name).write(|out| out.write_all(text.as_bytes()).map_err(write_failed))?;
    }
    let mut recording = Recording::new();
    lives.iter().for_each(|life| recording.add(&life.events));
    for (script, run) in &mined.tests {
        for life in run.lives(script) {
            let start = &script.statements[life.object].callable;
            if subject.api.starts.iter().any(|known| known.callable == *start) {
                recording.add(&life.events);
            }
        }
    }
    recording.write(&file("traces.jsonl"), Format::Jsonl, class)?;
    let (name, source) = java_tests(&subject.api.class, mined, &subject.generator);
    file(&format!("tests/{name}.java")).write(|out| out.write_all(source.as_bytes()).map_err(write_failed))
}

/// A JUnit class of the tests, and its name.
fn java_tests(class: &str, mined: &Mined, generator: &Generator) -> (String, String) {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let name = format!("{}MinedTest", simple.replace('$', ""));
    // Nobody may add to the packages of the JDK; elsewhere the package's own see more.
    let package = if package.starts_with("java.") || package.starts_with("javax.") { "" } else { package };
    let tests = mined.tests.iter().zip(&mined.agreed);
    let tests: Vec<(Script, Option<Run>)> =
        tests.map(|((script, _), agreed)| (script.clone(), Some(agreed.clone()))).collect();
    (name.clone(), java::test_class(package, &name, &tests, generator.facts()))
}

fn properties(mined: &Mined) -> Value {
    let one = |Judged { property, fate, support, found_after }: &Judged| {
        let mut value = json!({
            "template": property.template.short(),
            "a": property.a,
            "b": property.b,
            "says": sentence(property),
            "support": support,
        });
        match fate {
            Fate::Refuted(test) => {
                value["fate"] = "falsified".into();
                value["test"] = report::test_name(*test).into();
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

fn summary(subject: &ClassUnderTest, mined: &Mined, round: i64, seconds: f64) -> Value {
    let (all, falsified) = counts(mined);
    let explored = mined.explored.as_ref();
    let own = explored.filter(|_| mined.settled.own);
    json!({
        "class": &*subject.api.class,
        "alphabet": mined.model.alphabet(),
        "tests": mined.tests_run,
        "properties": { "mined": all, "falsified": falsified, "surviving": all - falsified },
        "states": mined.model.len(),
        "transitions": mined.model.transitions(),
        "pure": mined.pure,
        "realized": mined.settled.realized,
        "unrealized": own.map(|explored| explored.unrealized.clone()),
        "branches": mined.branches.map(|(covered, all)| json!({"covered": covered, "all": all})),
        "rejected": mined.rejected,
        "never_tried": subject.api.left.iter().map(|(callable, why)| json!({"method": callable.name, "why": why})).collect::<Vec<_>>(),
        "never_returned": mined.never_returned.iter().map(|(method, times)| json!({"method": method, "times": times})).collect::<Vec<_>>(),
        "hang": mined.given_up,
        "hanging_objects": mined.makings_given_up,
        "bad_ends": mined.bad_ends.iter().map(|(method, on, times)| json!({"method": method, "on": on, "times": times})).collect::<Vec<_>>(),
        "attacked": mined.attacked,
        "confirmed_edges": { "confirmed": confirmed(mined), "all": mined.model.transitions() },
        "round": round,
        "model": mined.settled.why,
        "complete": mined.settled.complete,
        "admitted": mined.settled.admitted,
        "seconds": seconds,
        "stop": mined.stop.name(),
    })
}

/// How many transitions of the model were seen from their beginning to their end; the others are guesses.
fn confirmed(mined: &Mined) -> usize {
    mined.model.all_edges().filter(|edge| edge.modality == Modality::Required).count()
}

/// The model as text: drawn on a terminal where it fits, and always told in words elsewhere, so that scripts can rely on it.
fn drawn(mined: &Mined) -> String {
    match terminal_size_of(io::stdout()) {
        Some((Width(room), _)) => terminal::fitting(&mined.model, &mined.pure, room.into()),
        None => terminal::told(&mined.model),
    }
}

fn remarks(subject: &ClassUnderTest, mined: &Mined, seconds: f64, folder: &Path) -> Vec<String> {
    let (all, falsified) = counts(mined);
    let rate = mined.tests_run as f64 / seconds.max(0.001);
    let mut lines = vec![format!(
        "{} states, {} transitions; {} tests in {seconds:.1} s ({rate:.0} a second); {falsified} of {all} claims refuted; ended: {}",
        mined.model.len(),
        mined.model.transitions(),
        mined.tests_run,
        pace::in_words(mined.stop),
    )];
    if !mined.settled.own {
        lines.push(format!("the model is {}", mined.settled.why));
    }
    if let Some(realized) = mined.settled.realized {
        // Rounded down: all is not nearly all.
        lines.push(format!("{} % of the model's walks can really happen", (realized * 100.0).floor()));
    }
    if let Some(explored) = mined.explored.as_ref().filter(|_| mined.settled.own) {
        for word in explored.unrealized.iter().take(2) {
            lines.push(format!("  one that could not be made to: {}", word.join(" ")));
        }
        if !explored.stop.is_done() {
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
    let guessed = mined.model.transitions() - confirmed(mined);
    if guessed > 0 {
        lines.push(format!(
            "{guessed} of {} transitions are guesses, drawn dashed: there was no time to look where they lead",
            mined.model.transitions()
        ));
    }
    if !mined.attacked && all > 0 {
        lines.push("nothing that is claimed was attacked: the budget ended before".to_owned());
    }
    if mined.settled.admitted > 0 {
        lines.push(format!(
            "{} words happened and were not explored; the model allows them, and what follows is a guess",
            mined.settled.admitted
        ));
    }
    if !mined.given_up.is_empty() {
        let names: Vec<&str> = mined.given_up.iter().map(String::as_str).collect();
        lines.push(format!("not tried further, because they hang or end their worker: {}", names.join(", ")));
    }
    let rare = mined.bad_ends.iter().filter(|(method, ..)| !mined.given_up.contains(method));
    let rare: Vec<String> =
        rare.map(|(method, on, times)| format!("{method} on {on} ({times} times)")).collect();
    if !rare.is_empty() && mined.makings_given_up.is_empty() {
        lines.push(format!("hung or ended their worker, but too rarely to be given up: {}", rare.join(", ")));
    }
    if !mined.makings_given_up.is_empty() {
        let makings: Vec<&str> = mined.makings_given_up.iter().map(String::as_str).collect();
        lines.push(format!("not made further, because most calls on them hang: {}", makings.join(", ")));
    }
    if !mined.never_returned.is_empty() {
        let names: Vec<String> =
            mined.never_returned.iter().map(|(method, times)| format!("{method} ({times} times)")).collect();
        lines.push(format!(
            "called but never seen to return, so that the model says nothing about them (--fixtures may help): {}",
            names.join(", ")
        ));
    }
    if !subject.api.left.is_empty() {
        let names: Vec<&str> = subject.api.left.iter().map(|(callable, _)| callable.name.as_str()).collect();
        lines.push(format!("never called, for want of arguments (--fixtures helps): {}", names.join(", ")));
    }
    lines.push(format!("written to {}", PathBuf::from(folder).display()));
    lines
}
