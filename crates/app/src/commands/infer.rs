//! `adit infer`: infers a model that accepts all traces.

use std::path::{Path, PathBuf};
use std::time::Instant;

use adit_automata::Fsa;
use adit_infer::{Constraints, Horizon, dice_miner, first_rejected, ktail, merge_tree, tree_to_bytes};
use adit_logic::{Fate, Property, Template};
use adit_mine::{Evidence, Impossible, Purity, holding, impossible_traces};
use adit_trace::{Letter, WordSink, Words};
use miette::Report;
use serde_json::{Value, json};

use self::stateful::Stateful;
use super::partial::{self, Header, Unusable};
use super::requests::reduce;
use super::traces::{self, dry_run};
use crate::errors::{Ending, InternalFault, bad_input};
use crate::flags::{Algorithm, AlgorithmFlags, InferFlags, infer::DEFAULT_K};
use crate::models;
use crate::output::{Target, counted, print_json};
use crate::progress::Working;
use crate::report;
use crate::report::page::Page;
use crate::results::{Properties, PropertyResult, Results};
use crate::stderr::tell;

/// Limit on the transitions of an automatic report: a larger page takes longer to write than the model.
const MOST_ON_A_PAGE: usize = 5_000;

mod stateful;

pub(super) fn run(flags: &InferFlags, quiet: bool) -> Result<Ending, Report> {
    if flags.traces.dry_run {
        return dry_run(&flags.traces);
    }
    refuse_idle_flags(flags)?;
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    if flags.partial {
        let (words, header) = words_and_header(flags, quiet)?;
        partial::write(&target, &partial::PREFIX_TREE, &header, &tree_to_bytes(&words))?;
        return Ok(Ending::Clean);
    }
    let page_of_it = place_of_page(flags, &target);
    if let Some(path) = &page_of_it {
        Target::new(Some(path)).check()?;
    }
    let format = models::format_of(&target, flags.to.as_deref())?;

    let start = Instant::now();
    let AlgorithmFlags { algorithm, k, .. } = flags.algorithm;
    let stateful = algorithm.uses_state().then(|| Stateful::read(flags, quiet)).transpose()?;
    let (mut words, title) = match &stateful {
        Some(stateful) => (stateful.words.clone(), title(flags)),
        // The states of the model are numbered as its letters are, so that parts of a log and the log itself
        // give the same bytes.
        None if algorithm == Algorithm::KTail => {
            let (words, header) = words_and_header(flags, quiet)?;
            (words.sorted(), header.title.unwrap_or_default())
        }
        None => (traces::words(&flags.traces, quiet)?, title(flags)),
    };
    let purity = traces::purity(&flags.purity);
    traces::check_purity(&flags.purity, words.alphabet.names())?;
    let mut dropped = Vec::new();
    if flags.drop_contradictions {
        dropped = impossible_traces(&words, &purity, Evidence::OVERWHELMING)?;
        report_dropped(&words, &dropped, quiet);
        words = words.without(&dropped.iter().map(|found| found.word).collect());
        if words.words.is_empty() {
            return Err(bad_input(
                "every trace contradicts itself",
                "do the methods given with --pure really have no side effects?",
            ));
        }
    }

    let distinct: Vec<&[Letter]> = words.words.iter().map(|word| word.letters.as_slice()).collect();
    let working = Working::new("inferring", quiet);
    let mut summary = json!({});
    let (model, held) = match (algorithm, &stateful) {
        (_, Some(stateful)) => {
            let inferred = stateful.infer(flags, quiet)?;
            summary = inferred.summary;
            (inferred.model, None)
        }
        (Algorithm::KTail, None) => (ktail(&distinct, Horizon(k.unwrap_or(DEFAULT_K))), None),
        (_, None) => {
            let held = holding(&words, &purity, &Template::ALL)?;
            let pure = purity.pure_letters(&words.alphabet);
            (dice_miner(&distinct, &held, &pure, constraints(&flags.algorithm)), Some(held))
        }
    };
    let model = reduce(model, &flags.reduction)?;
    if let Some(at) = first_rejected(&model, &distinct) {
        let trace: Vec<&str> = words.labels(&words.words[at]).collect();
        return Err(Report::new(InternalFault(format!(
            "the model rejects a trace it was made from: {}",
            trace.join(" ")
        ))));
    }
    drop(working);
    let model: Fsa<String> = model.map(|&letter| words.alphabet.name(letter).to_owned());
    let seconds = start.elapsed().as_secs_f64();

    models::write(&model, &target, format, &title, quiet)?;
    let large = flags.report.is_none() && model.transitions() > MOST_ON_A_PAGE;
    if let Some(path) = page_of_it.filter(|_| !large) {
        report::put(&Target::new(Some(&path)), &report::html(&page(title, &model, &words, &purity, held)?))?;
        if !quiet {
            tell(&format!("report: {}", path.display()));
        }
    } else if large && !quiet {
        tell("the model is too large for an automatic report; --report FILE writes one");
    }
    if flags.json {
        let mut all = json!({
            "algorithm": algorithm.name(),
            "traces": words.traces(),
            "events": words.events(),
            "alphabet": model.alphabet(),
            "dropped": dropped.iter().map(|found| json!({"traces": found.weight, "because": found.why})).collect::<Vec<_>>(),
            "states": model.len(),
            "transitions": model.transitions(),
            "seconds": seconds,
        });
        if let (Value::Object(all), Value::Object(summary)) = (&mut all, summary) {
            all.extend(summary);
        }
        print_json(&all)?;
    }
    if let (Target::File(path), false) = (&target, quiet) {
        tell(&format!(
            "{}: {}, {}, from {} with {} in {seconds:.2} s",
            path.display(),
            counted(model.len(), "state"),
            counted(model.transitions(), "transition"),
            counted(words.traces(), "trace"),
            counted(words.events(), "event"),
        ));
    }
    Ok(Ending::Clean)
}

/// Reads traces, or merges prefix trees. The header says what a partial answer depends on.
fn words_and_header(flags: &InferFlags, quiet: bool) -> Result<(Words, Header), Report> {
    let (words, mut header) = if flags.merge {
        let mut words = Words::new();
        let header = partial::read_all(&flags.traces.traces, &partial::PREFIX_TREE, |body, _| {
            merge_tree(&mut words, body).map_err(|error| Unusable::Damaged(error.to_string()))
        })?;
        (words, header)
    } else {
        let mut header = Header::new([("--labels", flags.traces.labels.name())]);
        header.title = Some(title(flags));
        (traces::words(&flags.traces, quiet)?, header)
    };
    header.title = flags.title.clone().or(header.title);
    Ok((words, header))
}

/// The title of the model.
fn title(flags: &InferFlags) -> String {
    let first = flags.traces.traces.first().map_or(Path::new("model"), |path| path.as_path());
    flags.title.clone().unwrap_or_else(|| models::title_of(first))
}

/// Builds the report of a model inferred from these traces: which traces take its transitions, and what held
/// in all of them, which is mined here unless the inference needed it too.
fn page(
    title: String,
    model: &Fsa<String>,
    words: &Words,
    purity: &Purity,
    held: Option<Vec<Property<Letter>>>,
) -> Result<Page, Report> {
    let held = held.map_or_else(|| holding(words, purity, &Template::ALL), Ok)?;
    let name = |letter: Letter| words.alphabet.name(letter).to_owned();
    let properties = held.into_iter().map(|held| {
        let property = Property { template: held.template, a: name(held.a), b: name(held.b) };
        // The page counts the traces that support it.
        PropertyResult::new(property, 0, Fate::NotAttacked)
    });
    let properties = properties.collect();
    let pure = purity.pure_letters(&words.alphabet).into_iter().map(name).collect();
    let results = Results { properties: Some(Properties { pure, properties }), ..Results::default() };
    Page::new(title, model.clone(), None, results, |replay| {
        for word in &words.words {
            replay.part(&word.letters, &words.alphabet);
            replay.end(word.weight);
        }
        Ok(())
    })
}

/// File for the report: the one given, or next to the model.
fn place_of_page(flags: &InferFlags, target: &Target) -> Option<PathBuf> {
    match (&flags.report, target.name()) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(name)) if !flags.no_report => Some(Path::new(&name).with_extension("html")),
        _ => None,
    }
}

/// Fails if the chosen algorithm ignores a given flag, or if two results would share one stream.
fn refuse_idle_flags(flags: &InferFlags) -> Result<(), Report> {
    let AlgorithmFlags { algorithm, k, no_constraint_a, no_constraint_b } = flags.algorithm;
    let (dice, temi) = (algorithm == Algorithm::Dice, algorithm == Algorithm::Temi);
    let solves = temi || algorithm == Algorithm::Contractor;
    let state = &flags.state;
    let merges = algorithm == Algorithm::KTail;
    let (idle, algorithm) = match algorithm {
        _ if flags.partial && !merges => ("--partial", "k-tail"),
        _ if flags.merge && !merges => ("--merge", "k-tail"),
        _ if k.is_some() && (dice || solves) => ("--k", "k-tail or sekt"),
        _ if no_constraint_a && !dice => ("--no-constraint-a", "dice"),
        _ if no_constraint_b && !dice => ("--no-constraint-b", "dice"),
        _ if state.pessimistic && !temi => ("--pessimistic", "temi"),
        _ if state.solver.is_some() && !solves => ("--solver", "contractor or temi"),
        _ if state.max_states.is_some() && !solves => ("--max-states", "contractor or temi"),
        _ if state.class.is_some() && !algorithm.uses_state() => ("--class", "sekt, contractor or temi"),
        _ if flags.drop_contradictions && algorithm.uses_state() => {
            ("--drop-contradictions", "k-tail or dice")
        }
        _ if flags.report.as_ref().is_some_and(|path| Target::new(Some(path)) == Target::Stdout) => {
            return Err(bad_input("the report cannot go to standard output", "name a file with --report"));
        }
        _ if flags.json && Target::new(flags.output.as_deref()) == Target::Stdout => {
            return Err(bad_input(
                "the model and the JSON summary cannot both go to standard output",
                "name a file for the model with -o",
            ));
        }
        _ => return Ok(()),
    };
    Err(bad_input(format!("{idle} has no effect here"), format!("use it with --algorithm {algorithm}")))
}

/// Reports dropped traces with the reason.
fn report_dropped(words: &Words, dropped: &[Impossible], quiet: bool) {
    /// More would bury the rest of the messages.
    const SHOWN: usize = 10;
    /// Enough of a trace to recognize it.
    const EVENTS: usize = 30;
    if quiet || dropped.is_empty() {
        return;
    }
    let traces: u64 = dropped.iter().map(|found| found.weight).sum();
    tell(&format!("dropped {traces} of {}:", counted(words.traces(), "trace")));
    for Impossible { word, weight, why } in dropped.iter().take(SHOWN) {
        let length = words.words[*word].letters.len();
        let labels: Vec<&str> = words.labels(&words.words[*word]).take(EVENTS).collect();
        let rest = if length > EVENTS { format!(" … ({length} events)") } else { String::new() };
        tell(&format!("  {weight} × {}{rest}\n      reason: {why}", labels.join(" ")));
    }
    if dropped.len() > SHOWN {
        tell(&format!("  and {}", counted(dropped.len() - SHOWN, "more distinct trace")));
    }
}

/// The constraints of DICE-Miner that the flags leave in force.
fn constraints(flags: &AlgorithmFlags) -> Constraints {
    Constraints { pure_as_loops: !flags.no_constraint_a, compatible_states: !flags.no_constraint_b }
}
