//! `adit mine`: what a Java class can do, from its name.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_attack::branches::{BranchSide, Branches};
use adit_attack::dynamosa::Settings;
use adit_attack::explore::{ExploreOptions, SplitOptions};
use adit_attack::{EventReader, SurveyOptions};
use adit_automata::Fsa;
use adit_bytecode::Flags;
use adit_bytecode::probe::{Probe, probe_classes};
use adit_jvm::{Host, HostOptions, hits};
use adit_picture::StateNames;
use adit_trace::{
    Author, CallKind, Callable, Label, RunLimits, Script, StepResult, Stop, Subject, ValueKind,
};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::json;
use terminal_size::{Height, Width, terminal_size_of};

use super::requests::{call_request, folder_name, subject_request};
use crate::adapter;
use crate::budget::Budget;
use crate::campaign::{self, Campaign, CampaignRequest, Conclusion, Recorder};
use crate::errors::{Ending, InternalFault, bad_input, no_answer};
use crate::findings::{
    Experiments, ThrownChanges, experiments::Shown, experiments::promises_to_ask, thrown::ThrownChange,
};
use crate::flags::{MineFlags, ProgressForm, mine as defaults};
use crate::interrupt;
use crate::java::class_under_test::{ClassUnderTest, ignore_the_clock};
use crate::java::project::ClassLocation;
use crate::java::signature::with_types;
use crate::output::{counted, create_folder, print, print_json, some_of};
use crate::pace::RoundPace;
use crate::pipeline::{
    self, AttackRequest, Calls, MineRequest, Mined, ModelRequest, Probed, Round, Workers, mine,
};
use crate::progress::{Audience, Mining};
use crate::report::{NO_DETAIL, protocol, terminal};
use crate::results;
use crate::results::not_made::NeverReturned;
use crate::results::run::{BlockedCalls, MethodExceptions};
use crate::shell;
use crate::state_facts::with_facts;
use crate::under_test::{AnyHost, UnderTest, World};
use assertions::asserting;
use beside::Beside;
use blocked::{blocked_calls, without_refusals};
use guards::GuardSearch;
use outcome::Outcome;

mod all;
mod assertions;
mod beside;
mod blocked;
mod fixture_skeleton;
mod guards;
mod outcome;
mod remarks;
mod test_file;
mod test_names;
mod tests;

pub(super) fn run(flags: &MineFlags, quiet: bool) -> Result<Ending, Report> {
    if flags.all {
        return all::run(flags, quiet);
    }
    let request = request(flags)?;
    request.model.miner.check()?;
    let folder = &request.folder;
    let audience = match (flags.progress, quiet) {
        (_, true) => Audience::Nobody,
        (ProgressForm::Auto, false) => Audience::People,
        (ProgressForm::Json, false) => Audience::Tools,
    };
    let location = match request.class.adapter {
        Some(_) => None,
        None => Some(ClassLocation::new(&request.class, audience)?),
    };
    let tests::Beginning { lives, tests } = match &location {
        Some(location) => tests::beginning(&request, location, audience)?,
        None => tests::Beginning::default(),
    };
    let progress = Mining::new(request.budget, audience);
    let pace = RoundPace::new(request.budget, progress.clone());
    let mut subject = opened(&request, location.as_ref(), quiet)?;
    let lives = subject.java().map(|java| tests::renamed(lives, &java.api)).unwrap_or_default();
    let reader = EventReader::new(&subject.vocabulary);
    let given = tests::words(&lives, &subject.vocabulary, &reader);
    // Only now, so that a class that cannot be run leaves no empty folder.
    let about = pipeline::identity(&request, location.as_ref(), tests.as_ref(), &subject)?;
    let campaign =
        CampaignRequest { folder, fresh: request.fresh, about: &about, effort: pipeline::effort(&request) };
    let campaign = Campaign::open(&campaign, &reader, &progress)?;
    create_folder(&folder.join("tests"))?;
    interrupt::farewell(format!(
        "interrupted; everything found so far is saved; to continue: {}",
        shell::typed_command()
    ));
    let round = campaign.round();
    let rng = ChaCha8Rng::seed_from_u64(campaign.seed());
    let UnderTest { host, author, vocabulary, world } = &mut subject;
    let thrown = ThrownChanges::default();
    let recorder = Recorder::new(campaign, &given, thrown.clone(), progress.clone(), pace.clone())?;
    let workers = Workers::new(host, recorder, pace.clone());
    let calls = Calls { vocabulary, reader: &reader, generator: author };
    let mined = mine(Round::new(&request, calls, workers, &given, rng, progress.clone()), || probed(world));
    let (mined, cost) = mined.inspect_err(|_| progress.finish())?;
    subject.host.limit(afterwards(request.budget));
    let found = findings(&mut subject, &reader, &mined, &thrown, folder);
    progress.finish();
    let found = found?;
    let (chosen, stop) = (&mined.conclusion.chosen, mined.conclusion.stop);
    if let Some(report) = subject.answers_nothing() {
        return Err(report);
    }
    if chosen.model.transitions() == 0 {
        return Err(nothing_made(flags, &request.class.name, &mined, &mut subject));
    }
    let (budget, elapsed) = (request.budget, pace.elapsed());
    let model = protocol::without_never_worked(&chosen.model);
    let blocked = blocked_calls(&model, &reader, &thrown.blocked());
    let model = without_refusals(&model, &blocked);
    let (model, questions) = match stop {
        Stop::Interrupted => (model, Vec::new()),
        _ => state_names(&mut subject, &reader, model, &mined)?,
    };
    let asserted = asserting(&mut subject, &reader, &mined, &questions)?;
    let mut beside = Beside::of(&mined);
    beside.detail = beside.detail.filter(|detail| detail.refines(&model));
    let model = match stop {
        Stop::Interrupted => model,
        _ => with_guards(&mut subject, &reader, model, &mined, request.budget, &mut beside)?,
    };
    let (model, without_state) = named_by_user(folder, model)?;
    let detail = beside.detail.as_ref().filter(|_| flags.detail);
    if flags.detail && detail.is_none() {
        progress.remark(NO_DETAIL);
    }
    let rendered = rendered(&mut subject, &mined);
    let outcome = Outcome {
        subject: &subject,
        reader: &reader,
        rendered,
        mined: &mined,
        blocked,
        asserted,
        found: &found,
        thrown: &thrown,
        beside: &beside,
        model,
        about: &about,
        round,
        budget,
        cost,
        elapsed,
    };
    let (summary, rejected) = outcome.write(folder, &lives)?;
    let first = kinds_of_objects(&subject).into_iter().chain(subject.speed());
    let names = StateNames::of(&outcome.model);
    let more = remarks::remarks(&summary, rejected, &names, folder, budget, subject.java().is_some());
    let below: Vec<String> = first.chain(more).collect();
    if flags.json {
        print_json(&results::json(&summary))?;
    } else {
        let shown = detail.map_or(&outcome.model, |detail| &detail.model);
        // The states of a finer model are others.
        let blocked = if detail.is_none() { &summary.model.blocked[..] } else { &[] };
        let findings = remarks::findings(&summary, folder);
        let said = below.iter().filter(|_| !quiet).map(String::as_str).chain([findings.as_str()]);
        let room = terminal::room_beside(said);
        let model_text =
            drawn(shown, blocked, &mined, &outcome.never_worked(), &summary.model.object_exceptions, room);
        print(&(findings + &model_text))?;
    }
    for line in below {
        progress.remark(&line);
    }
    for name in without_state {
        progress.remark(&format!("the name `{name}` fits no state of this model; later rounds try again"));
    }
    if stop == Stop::Interrupted {
        progress.remark(&format!("to continue: {}", shell::typed_command()));
    }
    progress.event(|| {
        let stop = stop.name();
        json!({ "event": "end", "stop": stop, "folder": folder, "continue": shell::typed_command() })
    });
    if flags.test_spec && stop != Stop::Interrupted {
        super::test_spec::after_mining(flags, folder, quiet)?;
    }
    Ok(Ending::Clean)
}

/// Opens the requested class, or starts the adapter.
fn opened(request: &MineRequest, location: Option<&ClassLocation>, quiet: bool) -> Result<UnderTest, Report> {
    match (&request.class.adapter, location) {
        (Some(asked), _) => adapter::under_test(asked, &request.calls, quiet),
        (None, Some(location)) => {
            let class = ClassUnderTest::new(&request.class, location, &request.calls, |options| {
                options.snapshots = true;
                options.watch_descriptors = true;
                ignore_the_clock(options, request.budget);
            })?;
            Ok(class.into())
        }
        (None, None) => Err(Report::new(InternalFault("a Java class has no location".to_owned()))),
    }
}

/// The tests of a round as an adapter writes them; none for a Java class.
fn rendered(subject: &mut UnderTest, mined: &Mined) -> Vec<String> {
    if subject.java().is_some() {
        return Vec::new();
    }
    let tests = mined.conclusion.tests.iter();
    tests.map(|(script, _)| subject.lines(script).join("\n")).collect()
}

/// Limits for what is tried when a round has ended: little time beyond its budget, and not much patience. A
/// budget in tests has no clock, so that the same seed gives the same bytes.
fn afterwards(budget: Budget) -> RunLimits {
    const TIME: Duration = Duration::from_millis(1500);
    let deadline = matches!(budget, Budget::Time(_)).then(|| Instant::now() + TIME);
    RunLimits { deadline, bad_ends: Some(1) }
}

/// Names the states of the model by what objects answer in them. Returns the questions that tell them apart,
/// too.
fn state_names(
    subject: &mut UnderTest,
    reader: &EventReader,
    model: Fsa<String>,
    mined: &Mined,
) -> Result<(Fsa<String>, Vec<Arc<Callable>>), Report> {
    // The search may take a question for an effect if something else changes meanwhile; its name says more.
    let names = &subject.vocabulary.names;
    let is_pure = |method: &&Arc<Callable>| mined.pure.contains(names.of(method)) || promises_to_ask(method);
    let methods = || subject.vocabulary.methods.iter().filter(|one| !mined.trouble.has_hung(&one.name));
    // Where there was no time to look for side effects, a call that changes no state is a question, too.
    let asks = |method: &&Arc<Callable>| {
        matches!(method.answer, ValueKind::Bool | ValueKind::Int) && changes_nothing(&model, names.of(method))
    };
    let others = methods().filter(|method| !is_pure(method)).filter(asks);
    // What --only leaves out of the model may still tell what an object is like.
    let left_out = subject.java().into_iter().flat_map(|java| &java.api.left_out);
    let left_out = left_out.map(|one| &one.callable).filter(|method| promises_to_ask(method));
    let methods: Vec<_> = methods().filter(is_pure).chain(left_out).chain(others).cloned().collect();
    let Conclusion { tests, witnesses, .. } = &mined.conclusion;
    with_facts(&mut subject.host, &model, reader, &methods, tests, witnesses)
}

/// Returns true if a call happens in a model, and leaves every state as it is.
fn changes_nothing(model: &Fsa<String>, method: &str) -> bool {
    let mut edges = model.all_edges().filter(|edge| Label::parse(edge.label).method() == method).peekable();
    edges.peek().is_some() && edges.all(|edge| edge.from == edge.to)
}

/// The model with the names that the user gave to its states, and the names that fit none of them.
fn named_by_user(folder: &Path, model: Fsa<String>) -> Result<(Fsa<String>, Vec<String>), Report> {
    let names: Option<results::Names> = results::read(folder)?;
    Ok(names.map_or_else(|| (model.clone(), Vec::new()), |names| names.given_to(&model)))
}

/// Says which classes stand for one that has no objects of its own.
fn kinds_of_objects(subject: &UnderTest) -> Option<String> {
    const MOST: usize = 5;
    let java = subject.java()?;
    let class = &java.java.class;
    let kind = match (class.is_interface(), class.flags.has(Flags::ABSTRACT)) {
        (true, _) => "an interface",
        (false, true) => "an abstract class",
        (false, false) => return None,
    };
    let starts = subject.vocabulary.starts.iter();
    let made: BTreeSet<&str> = starts
        .filter(|callable| callable.kind == CallKind::Constructor)
        .map(|callable| callable.owner.rsplit('.').next().unwrap_or(&callable.owner))
        .collect();
    let made: Vec<&str> = made.into_iter().collect();
    let name = subject.class().rsplit('.').next().unwrap_or_default();
    (!made.is_empty()).then(|| format!("{name} is {kind}; its objects are of {}", some_of(&made, MOST)))
}

/// Adds the conditions on arguments under which transitions are taken. It takes a small share of the budget.
fn with_guards(
    subject: &mut UnderTest,
    reader: &EventReader,
    model: Fsa<String>,
    mined: &Mined,
    budget: Budget,
    beside: &mut Beside,
) -> Result<Fsa<String>, Report> {
    let time = match budget {
        Budget::Time(budget) => Some((budget / 10).min(guards::MOST_TIME)),
        _ => None,
    };
    let World::Java(java) = &subject.world else { return Ok(model) };
    let deadline = time.map(|time| Instant::now() + time);
    subject.host.limit(RunLimits { deadline, bad_ends: Some(1) });
    let methods = subject.vocabulary.methods.iter().cloned();
    let questions: Vec<_> = methods
        .filter(|callable| guards::is_question(callable) && !mined.trouble.has_hung(&callable.name))
        .collect();
    let Conclusion { tests, witnesses, .. } = &mined.conclusion;
    let search = GuardSearch {
        classes: &java.java.classes,
        reader,
        tests,
        witnesses,
        callables: subject.vocabulary.starts.iter().chain(&subject.vocabulary.methods).collect(),
        blocking: &mined.trouble.blocking,
        questions: &questions,
        deadline,
        field_names: RefCell::default(),
    };
    let (model, found) = search.run(&mut subject.host, &model)?;
    beside.guards = found;
    Ok(model)
}

/// Looks for findings with the workers of a round that has ended. A round that was interrupted ends at once.
fn findings(
    subject: &mut UnderTest,
    reader: &EventReader,
    mined: &Mined,
    thrown: &ThrownChanges,
    folder: &Path,
) -> Result<Vec<Shown>, Report> {
    let conclusion = &mined.conclusion;
    let is_over = conclusion.stop == Stop::Interrupted || conclusion.chosen.model.transitions() == 0;
    if is_over || subject.java().is_none() {
        return Ok(Vec::new());
    }
    // One that cannot be read must not fail the round, which writes it anew.
    let earlier: Option<results::Findings> = results::read(folder).unwrap_or_default();
    let mut candidates = thrown.all();
    candidates.extend(earlier.iter().flat_map(|earlier| ThrownChange::earlier(earlier, reader)));
    let vocabulary = subject.vocabulary.clone();
    Experiments::new(&mut subject.host, vocabulary, reader, &mined.pure, |method| {
        mined.trouble.has_hung(method)
    })
    .find(&candidates, &conclusion.tests, &mined.agreed)
}

/// Rejects flags about JUnit tests, which have no effect on an adapter.
fn refuse_tests(flags: &MineFlags) -> Result<(), Report> {
    match flags.mining.tests.is_empty() {
        true => Ok(()),
        false => Err(bad_input(
            "--tests has no effect with --adapter",
            "remove it; adit generates all calls of an adapter",
        )),
    }
}

/// The work that the flags ask for.
fn request(flags: &MineFlags) -> Result<MineRequest, Report> {
    let MineFlags { class, generate, mining, .. } = flags;
    let ExploreOptions { survey, successors, splitting } = defaults::EXPLORATION;
    // More than all walks can gain, so that no state is split.
    let gain = if mining.coarse { 1.1 } else { splitting.gain };
    if flags.adapter.adapter.is_some() {
        refuse_tests(flags)?;
    }
    let class = subject_request(class, &flags.adapter, generate)?;
    let folder = || {
        // Earlier versions named the folder of a nested class as it was typed.
        let typed = campaign::default_folder(&class.name);
        if typed.is_dir() { typed } else { campaign::default_folder(&folder_name(&class.name)) }
    };
    Ok(MineRequest {
        calls: call_request(generate, defaults::GENERATION),
        budget: generate.budget.unwrap_or(defaults::DEFAULT_BUDGET),
        folder: flags.output.clone().unwrap_or_else(folder),
        class,
        fresh: flags.fresh,
        tests: mining.tests.clone(),
        initial_tests: mining.initial,
        model: ModelRequest {
            miner: mining.miner,
            coarse: mining.coarse,
            exploration: ExploreOptions {
                survey: SurveyOptions { calls: generate.calls, ..survey },
                successors,
                splitting: SplitOptions { gain, ..splitting },
            },
            constraints: mining.constraints,
            confirm: !mining.no_confirm,
        },
        attack: AttackRequest {
            tester: mining.tester,
            properties: mining.claims,
            search: Settings {
                reset_after: Some(mining.reset_after),
                abandon_after: Some(mining.abandon_after),
                ..defaults::EVOLUTION
            },
        },
    })
}

/// Starts a worker that reports which branches of the class are taken. One is enough: generations are small,
/// and with one the same seed always finds the same machine.
fn probed(world: &World) -> Probed {
    let World::Java(java) = world else { return Err(None) };
    let (java, options) = (&java.java, &java.options);
    let probed =
        probe_classes(&java.classes, &java.class.name, &hits()).map_err(|error| Some(error.to_string()))?;
    let branches = Branches::new(&probed.probes.iter().map(branch_side).collect::<Vec<_>>());
    let options = HostOptions { workers: 1, waiting_workers: 1, probes: Some(probed), ..options.clone() };
    let host = Host::new(options).map_err(|error| Some(error.to_string()))?;
    match host.unprobed() {
        None => Ok((AnyHost::Java(Box::new(host)), branches)),
        Some(why) => Err(Some(why.to_owned())),
    }
}

/// The side of a branch that a probe watches.
fn branch_side(probe: &Probe) -> BranchSide {
    BranchSide { branch: probe.branch.clone(), opened_by: probe.opened_by.clone() }
}

/// End of the message of a round that had too little time.
const NO_TIME: &str = "before the exploration could start";

/// The error of a round without a model.
fn nothing_made(flags: &MineFlags, class: &str, mined: &Mined, subject: &mut UnderTest) -> Report {
    let tests = counted(mined.tests_run, "test");
    let (is_made, threw) = constructors_threw(subject);
    // Where every way to make an object threw, a larger budget is no remedy.
    if mined.conclusion.chosen.words > 0 || (mined.hardly_watched && (is_made || threw.is_empty())) {
        let more = "run the same command again with a larger --budget; it continues from what was found";
        return no_answer(
            format!("the budget ended after {tests}, {NO_TIME}"),
            match subject.faults() {
                Some(faults) => format!("{faults}\n{more}"),
                None => more.to_owned(),
            },
        );
    }
    let why = if threw.is_empty() { String::new() } else { format!(": {}", threw.join("; ")) };
    if subject.java().is_none() {
        return no_answer(
            format!("the adapter made no object of {class} in {tests}{why}"),
            "let it offer other values for its starts, or name another subject",
        );
    }
    no_answer(
        format!("adit could not construct an object of {class} in {tests}{why}"),
        format!(
            "supply an object or its arguments with --fixtures FILE.java; `adit observe {}{} --budget 100tests` \
             shows more",
            shell::quoted(class),
            places(flags)
        ),
    )
}

/// Exceptions of the ways to construct an object, the most frequent first, and whether one of them worked. A
/// class that cannot be run at all has nothing to tell.
fn constructors_threw(subject: &mut UnderTest) -> (bool, Vec<String>) {
    const TRIES: usize = 60;
    const TOLD: usize = 3;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let scripts: Vec<Script> = (0..TRIES).map(|_| subject.author.script(&mut rng, 1)).collect();
    subject.host.limit(afterwards(Budget::Time(Duration::ZERO)));
    let runs = subject.host.run(&scripts).unwrap_or_default();
    let mut counts: BTreeMap<NeverReturned, u32> = BTreeMap::new();
    let mut is_made = false;
    for (script, run) in scripts.iter().zip(&runs) {
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            let is_start = subject.vocabulary.starts.contains(&statement.callable);
            is_made |= is_start && matches!(step.result, StepResult::Object { .. });
            let (StepResult::Threw { class, message, .. } | StepResult::Unresolved { class, message }) =
                &step.result
            else {
                continue;
            };
            if is_start {
                let threw = NeverReturned::threw(with_types(&statement.callable), class, message.as_deref());
                *counts.entry(threw).or_default() += 1;
            }
        }
    }
    let mut all: Vec<(NeverReturned, u32)> = counts.into_iter().collect();
    all.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let told = all.into_iter().take(TOLD).map(|(threw, times)| NeverReturned { times, ..threw }.to_string());
    (is_made, told.collect())
}

/// The flags that say where the class and its values come from, as they were typed.
fn places(flags: &MineFlags) -> String {
    let quoted = |flag: &str, value: &str| format!(" {flag} {}", shell::quoted(value));
    let class_path = flags.class.classpath.iter().map(|path| quoted("-c", &path.to_string_lossy()));
    let fixtures = flags.generate.fixtures.iter().map(|file| quoted("--fixtures", &file.to_string_lossy()));
    class_path.chain(fixtures).collect()
}

/// The model as text: drawn on a terminal where it fits, and in words elsewhere, so scripts can rely on it.
fn drawn(
    model: &Fsa<String>,
    blocked: &[BlockedCalls],
    mined: &Mined,
    never_worked: &[String],
    thrown: &[MethodExceptions],
    room: usize,
) -> String {
    let model_text = match terminal_size_of(io::stdout()) {
        Some((Width(width), Height(height))) => {
            terminal::fitting(model, blocked, &mined.pure, (width.into(), height.into()), room)
        }
        None => terminal::told(model, blocked, room),
    };
    // A call that was given up, or blocks somewhere, may be what the order is about.
    let told = (!mined.trouble.hides_calls())
        .then(|| terminal::no_protocol(model, Some(mined.tests_run), never_worked, thrown));
    told.flatten().unwrap_or_default() + &model_text
}
