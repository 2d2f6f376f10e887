//! k-tail, SEKT, TEMI and CONTRACTOR++ on the traces published with `krka`, beside the paper's Figures 13 to
//! 15.
//!
//! Sampled: as [krka, section 4.2.1], walks of at most twice the truth's transitions. The paper does not say
//! when a walk stops. Stopping is one more edge in every state but the one before creation: of the readings
//! tried, this one gives k-tail the recall that the paper prints (Signature 62, SMTPProtocol 21 and
//! NumberFormatStringTokenizer 20, printed 61, 20 and 21); with walks of full length it is zero. Exact: all
//! words up to a length are counted. Transitions of the truth on calls that no trace has are removed, as in
//! section 4.2.2. Labels are methods with the line at which they returned and their boolean results: the
//! paper's method distinction. k-tail and SEKT compare calls only, not where traces end, as the paper says.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use adit_automata::{Fsa, compare};
use adit_infer::{
    Claims, FromInvariants, Horizon, Scope, StateLimit, contractor, ktail, pessimistic, sekt, temi,
};
use adit_logic::contract::Contracts;
use adit_mine::{InvariantQuery, Scope as ClaimScope, ValueTypes, contracts_of};
use adit_smt::{Counters, Frugal, Patience, Process};
use adit_trace::Labels;
use miette::{IntoDiagnostic, Result};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

use self::prepared::{Prepared, prefixes};
use self::published::{CLASSES, COLUMNS, Class, Printed};

mod noise;
mod prepared;
mod published;

/// Flags of the table.
#[derive(Clone, clap::Args)]
pub(crate) struct Flags {
    /// The folder that holds `krka/`.
    #[arg(long)]
    data: PathBuf,
    /// Figures to print.
    #[arg(long, value_delimiter = ',', default_values_t = [13, 14, 15])]
    figures: Vec<u8>,
    /// Number of times to draw walks.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Number of walks to draw from each automaton.
    #[arg(long, default_value_t = 1000)]
    walks: usize,
    /// Figure 14: number of times to remove clauses.
    #[arg(long, default_value_t = 20)]
    removals: u64,
    /// Largest length of words to count for the exact measure.
    #[arg(long, default_value_t = 10)]
    exact_length: usize,
    /// Least confidence of an invariant.
    #[arg(long, default_value_t = 0.99)]
    min_confidence: f64,
    /// Number of abstract states beyond which only those of the traces are left.
    #[arg(long, default_value_t = 100)]
    max_states: usize,
    /// The solver.
    #[arg(long, default_value = "z3")]
    solver: PathBuf,
    /// Only these classes.
    #[arg(long, value_delimiter = ',')]
    classes: Vec<String>,
    /// Folder for the models, as JSON.
    #[arg(long)]
    models: Option<PathBuf>,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// One measured model.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    method: &'static str,
    /// Precision and recall by walks, with the truth without its mistakes; missing without a truth.
    sampled: Option<[f64; 2]>,
    /// The same with the truth as published.
    as_published: Option<[f64; 2]>,
    /// Precision and recall over all words up to a length, with the truth without its mistakes.
    exact: Option<[f64; 2]>,
    printed: Printed,
    states: usize,
    transitions: usize,
    seconds: f64,
}

/// Prints the figures, and writes the raw rows as JSON when asked.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    println!(
        "Precision/recall in percent, {} seeds of {} walks; stopping is one more edge in every state but the \
         first.\n",
        flags.seeds, flags.walks
    );
    let wanted =
        |class: &&Class| flags.classes.is_empty() || flags.classes.iter().any(|name| name == class.name);
    let classes: Vec<(&Class, Prepared)> = CLASSES
        .iter()
        .filter(wanted)
        .map(|class| Ok((class, Prepared::read(class, &flags.data)?)))
        .collect::<Result<_>>()?;
    let mut rows: Vec<Row> = Vec::new();
    if flags.figures.contains(&13) {
        figure_13(&classes, flags, &mut rows)?;
    }
    if flags.figures.contains(&14) {
        noise::figure_14(&classes, flags)?;
    }
    if flags.figures.contains(&15) {
        noise::figure_15(&classes, flags)?;
    }
    if let Some(path) = &flags.json {
        std::fs::write(path, serde_json::to_string_pretty(&rows).into_diagnostic()?).into_diagnostic()?;
    }
    Ok(())
}

fn figure_13(classes: &[(&Class, Prepared)], flags: &Flags, rows: &mut Vec<Row>) -> Result<()> {
    println!(
        "Figure 13: by walks; in brackets by counting all words of up to {} events; then as printed. Truths are \
         corrected where the traces themselves contradict them (evals/truths). HashSet's traces are published \
         too, but it is not in the figure.\n",
        flags.exact_length
    );
    println!("| class | {} |\n|---|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    let mut notes = Vec::new();
    for (class, prepared) in classes {
        let (new, note) = measure_class(class, prepared, flags)?;
        let cells: Vec<String> = new.iter().map(cell).collect();
        println!("| {} | {} |", class.name, cells.join(" | "));
        notes.push(note);
        rows.extend(new);
    }
    for (title, part) in [
        ("mean of those with a truth", (|row: &Row| row.sampled) as fn(&Row) -> Option<[f64; 2]>),
        ("mean, truths as published", |row: &Row| row.as_published),
        ("mean, by counting", |row: &Row| row.exact),
    ] {
        let means: Vec<String> = COLUMNS
            .iter()
            .map(|column| {
                let of_column = || rows.iter().filter(|row| row.method == *column && row.sampled.is_some());
                let ours = mean(of_column().filter_map(part));
                format!(
                    "**{}**; {}",
                    percent(ours),
                    percent(mean(of_column().filter_map(|row| shares(row.printed))))
                )
            })
            .collect();
        println!("| **{title}** | {} |", means.join(" | "));
    }
    println!();
    notes.iter().for_each(|note| println!("- {note}"));
    println!();
    Ok(())
}

/// The mean of precisions, and that of recalls.
fn mean(scores: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    let all: Vec<[f64; 2]> = scores.collect();
    let part = |part: usize| all.iter().map(|score| score[part]).sum::<f64>() / all.len().max(1) as f64;
    [part(0), part(1)]
}

fn shares(printed: Printed) -> Option<[f64; 2]> {
    printed.map(|(precision, recall)| [f64::from(precision) / 100.0, f64::from(recall) / 100.0])
}

fn percent([precision, recall]: [f64; 2]) -> String {
    format!("{:.0}/{:.0}", precision * 100.0, recall * 100.0)
}

fn as_printed(printed: Printed) -> String {
    shares(printed).map_or("NA".to_owned(), percent)
}

fn cell(row: &Row) -> String {
    let sampled = row.sampled.map_or("no truth".to_owned(), percent);
    let exact = row.exact.map_or("-".to_owned(), percent);
    format!("{sampled} ({exact}); {}; {} states, {:.2} s", as_printed(row.printed), row.states, row.seconds)
}

fn measure_class(class: &Class, prepared: &Prepared, flags: &Flags) -> Result<(Vec<Row>, String)> {
    let start = Instant::now();
    let contracts = contracts(prepared, PAPER, prepared.labels, flags.min_confidence)?.about_states();
    let mining = start.elapsed();
    let claims = Claims::of(&contracts);
    let (abstraction, visits) = prepared.seen_through(&claims);
    let words: BTreeSet<Vec<String>> =
        visits.iter().map(|trace| trace.iter().map(|(label, _)| label.clone()).collect()).collect();
    let words = prefixes(&words.into_iter().collect::<Vec<_>>());
    let visit_prefixes = prefixes(&visits);
    let limit = StateLimit(flags.max_states);
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    let mut asked = Counters::default();
    let mut optimistic = None;
    for (column, method) in COLUMNS.into_iter().enumerate() {
        let start = Instant::now();
        let mut solver = solver(flags);
        let mut note = |found: FromInvariants<String>| {
            let scope = match found.scope {
                Scope::Satisfiable => "all satisfiable states",
                Scope::Observed => "observed states only",
            };
            let (undecided, unforeseen) = (found.undecided.questions, found.unforeseen);
            notes.push(format!("{method}: {scope}, {undecided} undecided, {unforeseen} unforeseen"));
            found.model
        };
        let model = match column {
            0 | 1 => ktail(&words, Horizon(column + 1)),
            2 | 3 => sekt(&visit_prefixes, &abstraction, Horizon(column - 1)),
            4 => note(temi(&claims, &visits, &abstraction, limit, &mut solver)),
            5 => pessimistic(optimistic.as_ref().expect("the column before made it")),
            _ => note(contractor(&claims, &visits, &abstraction, limit, &mut solver)),
        };
        let seconds = start.elapsed().as_secs_f64();
        asked.add(solver.counters());
        if let Some(folder) = &flags.models {
            write_model(folder, class.name, method, &model)?;
        }
        rows.push(Row {
            class: class.name,
            method,
            sampled: prepared.corrected.as_ref().map(|truth| sampled(&model, truth, flags)),
            as_published: prepared.truth.as_ref().map(|truth| sampled(&model, truth, flags)),
            exact: prepared.corrected.as_ref().and_then(|truth| exact(&model, truth, flags.exact_length)),
            printed: class.figure_13[column],
            states: model.len(),
            transitions: model.transitions(),
            seconds,
        });
        if column == 4 {
            optimistic = Some(model);
        }
    }
    let note = format!(
        "{}: {} traces ({} without a constructor left out, {} that the published truth rejects), {} events, {} clauses \
         in {:.2} s, {} predicates; {}; solver: {} questions, {} by simplification, {} by cache, {} by the solver, {} \
         unknown",
        class.name,
        prepared.traces.len(),
        prepared.headless,
        prepared.contradicting,
        prepared.events(),
        contracts.clauses(),
        mining.as_secs_f64(),
        abstraction.predicates().len(),
        notes.join("; "),
        asked.asked,
        asked.by_simplification,
        asked.by_cache,
        asked.by_solver,
        asked.unknown
    );
    Ok((rows, note))
}

fn write_model(folder: &std::path::Path, class: &str, method: &str, model: &Fsa<String>) -> Result<()> {
    std::fs::create_dir_all(folder).into_diagnostic()?;
    let mut text = String::new();
    for state in model.states() {
        text += &format!("{state}: {}\n", model.predicates(state).join(", "));
        for edge in model.edges(state) {
            let maybe = if edge.modality == adit_automata::Modality::Maybe { "?" } else { "" };
            text += &format!("  {}{maybe} -> {}\n", edge.label, edge.to);
        }
    }
    let name = format!("{class}-{}.txt", method.replace(' ', "-"));
    std::fs::write(folder.join(name), text).into_diagnostic()
}

/// The filters of section 3.2.
const PAPER: ClaimScope = ClaimScope { depth: 1, types: ValueTypes::PAPER, elements: false };

fn solver(flags: &Flags) -> Frugal<Process> {
    Frugal::new(Process::new(flags.solver.clone(), Patience(Duration::from_secs(10))))
}

fn contracts(
    prepared: &Prepared,
    scope: ClaimScope,
    labels: Labels,
    min_confidence: f64,
) -> Result<Contracts> {
    let query = InvariantQuery { labels, min_confidence, min_support: 1, keep_implied: false };
    Ok(contracts_of(prepared.traces.iter().map(Vec::as_slice), scope, &query)?)
}

/// An automaton whose walks may stop in every state but the one before creation.
fn stoppable(fsa: &Fsa<String>) -> Fsa<String> {
    let mut builder = fsa.to_builder();
    fsa.states().for_each(|state| builder.accepting(state, !fsa.initial().contains(&state)));
    builder.build()
}

/// Sampled precision and recall.
fn sampled(model: &Fsa<String>, truth: &Fsa<String>, flags: &Flags) -> [f64; 2] {
    let length = 2 * truth.transitions();
    let (model, truth) = (stoppable(model), stoppable(truth));
    mean((0..flags.seeds).map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let score = compare::sampled(&model, &truth, flags.walks, length, &mut rng);
        [score.precision, score.recall]
    }))
}

/// Precision and recall over all words, as means over lengths, if the models are small enough.
fn exact(model: &Fsa<String>, truth: &Fsa<String>, length: usize) -> Option<[f64; 2]> {
    let exact = compare::exact(&stoppable(model), &stoppable(truth), length, 50_000).ok()?;
    exact.mean().map(|score| [score.precision, score.recall])
}
