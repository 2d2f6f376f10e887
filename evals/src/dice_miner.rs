//! DICE-Miner against k-tail on the papers' own traces, beside the papers' Tables 1 and 4.
//!
//! Sampled: as [dice, section 4.1.1], F of each seed, then the mean of the Fs; a walk stops in a final state
//! with probability 1/(1 + out-degree) and counts as accepted when the judge can read it, finality ignored.
//! Exact: all words up to a length are counted, finality ignored.

use std::collections::BTreeMap;
use std::time::Instant;

use adit_automata::{Fsa, compare};
use adit_infer::{Constraints, Horizon, dice_miner, first_rejected, ktail};
use adit_logic::Template;
use adit_mine::{Evidence, Purity, holding, impossible_traces};
use adit_trace::Words;
use miette::{IntoDiagnostic, Result, bail};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

use crate::data::{Data, Source};
use crate::published::{Printed, Published, published};
use crate::subjects::{SUBJECTS, Subject};

/// Numbers of the measurement.
#[derive(Clone, Copy)]
pub(crate) struct Protocol {
    pub(crate) seeds: u64,
    pub(crate) walks: usize,
    pub(crate) exact_length: usize,
}

/// One measured model.
#[derive(Serialize)]
struct Row {
    traces: &'static str,
    class: &'static str,
    method: &'static str,
    sampled: [f64; 3],
    /// Missing when determinizing the model takes more states than [`LIMIT`].
    exact: Option<[f64; 3]>,
    states: usize,
    transitions: usize,
    seconds: f64,
}

/// Largest number of states of a deterministic automaton before the exact measure gives up.
const LIMIT: usize = 50_000;

#[derive(Clone, Copy)]
enum Method {
    Tail(usize),
    Dice { given: bool, constraint_b: bool, drop: bool },
}

const METHODS: [(&str, Method); 8] = [
    ("1-tail", Method::Tail(1)),
    ("2-tail", Method::Tail(2)),
    ("DICE-Miner, purity by name", Method::Dice { given: false, constraint_b: true, drop: false }),
    ("DICE-Miner, purity given", Method::Dice { given: true, constraint_b: true, drop: false }),
    ("without constraint B, by name", Method::Dice { given: false, constraint_b: false, drop: false }),
    ("without constraint B, given", Method::Dice { given: true, constraint_b: false, drop: false }),
    ("contradictions dropped, by name", Method::Dice { given: false, constraint_b: true, drop: true }),
    ("contradictions dropped, given", Method::Dice { given: true, constraint_b: true, drop: true }),
];

/// Prints all tables, and writes the raw rows as JSON when asked.
pub(crate) fn run(data: &Data, protocol: Protocol, json: Option<&std::path::Path>) -> Result<()> {
    println!(
        "Sampled: mean over {} seeds of {} walks each way; a walk stops in a final state with probability \
         1/(1 + out-degree), is at most twice as long as the truth has transitions, and counts as accepted when it can \
         be read (finality ignored). Exact: all words of up to {} events, finality ignored; `-` where determinizing takes \
         more than {LIMIT} states. All numbers in percent, P/R/F. Means of the papers' columns are taken over the rows they \
         print; the paper itself gives 87.8, 68.4 and 63.4 as means of F.\n",
        protocol.seeds, protocol.walks, protocol.exact_length
    );
    let mut rows = published_models(data, protocol)?;
    for (name, source) in
        [("DSM's", Source::Dsm), ("DICE's", Source::Dice), ("DSM's and DICE's", Source::Both)]
    {
        rows.extend(mined_models(data, protocol, name, source)?);
    }
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&rows).into_diagnostic()?;
        std::fs::write(path, text).into_diagnostic()?;
    }
    Ok(())
}

/// The first check of an evaluator: does it give the paper's numbers on the paper's models?
fn published_models(data: &Data, protocol: Protocol) -> Result<Vec<Row>> {
    println!("## The models published with DICE, measured here\n");
    println!("| class | sampled | paper, Table 1 | exact |\n|---|---|---|---|");
    let mut rows = Vec::new();
    for subject in SUBJECTS {
        let (truth, model) = (data.truth(subject)?, data.published_model(subject)?);
        let row = measure("published", subject.file, "published model", &model, &truth, 0.0, protocol);
        let paper = published(subject.file).map_or(String::new(), |row| print(row.dice));
        println!("| {} | {} | {paper} | {} |", subject.file, percent(row.sampled), exactly(&row));
        rows.push(row);
    }
    println!("| **mean** | **{}** | **87.8/88.3/87.8** | |\n", percent(mean(rows.iter())));
    Ok(rows)
}

fn mined_models(data: &Data, protocol: Protocol, name: &'static str, source: Source) -> Result<Vec<Row>> {
    println!("## Models mined here from {name} traces\n");
    let mut rows: Vec<Row> = Vec::new();
    let mut notes = Vec::new();
    let mut counted = BTreeMap::new();
    for subject in SUBJECTS {
        let truth = data.truth(subject)?;
        let Some((words, left_out)) = data.words(subject, source, &truth)? else { continue };
        counted.insert(subject.file, (words.traces(), words.words.len()));
        if left_out > 0 {
            notes.push(format!(
                "{}: {left_out} of DICE's traces have events that the truth does not know",
                subject.file
            ));
        }
        for (label, method) in METHODS {
            if matches!(method, Method::Dice { drop: true, .. }) && source != Source::Both {
                continue;
            }
            eprintln!("{name} / {} / {label}", subject.file);
            let begin = Instant::now();
            let (model, dropped) = infer(subject, &words, method)?;
            let seconds = begin.elapsed().as_secs_f64();
            notes.extend(dropped.into_iter().map(|note| format!("{}, {label}: {note}", subject.file)));
            rows.push(measure(name, subject.file, label, &model, &truth, seconds, protocol));
        }
    }
    let methods: Vec<&str> = METHODS
        .iter()
        .map(|(label, _)| *label)
        .filter(|label| rows.iter().any(|row| row.method == *label))
        .collect();
    for (heading, show) in [
        ("sampled", (|row: &Row| percent(row.sampled)) as fn(&Row) -> String),
        ("exact", exactly),
        ("states, seconds", size),
    ] {
        println!(
            "### {name}: {heading}\n\n| class (traces, distinct) | {} | DICE, Table 1 | DSM, Table 1 | DSM on DICE's, Table 4 |",
            methods.join(" | ")
        );
        println!("|---|{}---|---|---|", "---|".repeat(methods.len()));
        for (class, (traces, distinct)) in &counted {
            let cells: Vec<String> = methods
                .iter()
                .filter_map(|method| rows.iter().find(|row| row.class == *class && row.method == *method))
                .map(show)
                .collect();
            let paper = published(class).map_or(String::new(), |row| {
                format!("{} | {} | {}", print(row.dice), print(row.dsm), print(row.dsm_on_dice))
            });
            println!("| {class} ({traces}, {distinct}) | {} | {paper} |", cells.join(" | "));
        }
        if heading == "sampled" {
            let means: Vec<String> = methods
                .iter()
                .map(|method| {
                    format!("**{}**", percent(mean(rows.iter().filter(|row| row.method == *method))))
                })
                .collect();
            println!(
                "| **mean of {}** | {} | {} |",
                counted.len(),
                means.join(" | "),
                printed_means(counted.keys().copied())
            );
        }
        println!();
    }
    for note in notes {
        println!("- {note}");
    }
    println!();
    Ok(rows)
}

/// The model, and what was dropped on the way, each with the reason.
fn infer(subject: &Subject, words: &Words, method: Method) -> Result<(Fsa<String>, Vec<String>)> {
    let mut notes = Vec::new();
    let mut words = std::borrow::Cow::Borrowed(words);
    let letters = |words: &Words| words.words.iter().map(|word| word.letters.clone()).collect::<Vec<_>>();
    let model = match method {
        Method::Tail(k) => ktail(&letters(&words), Horizon(k)),
        Method::Dice { given, constraint_b, drop } => {
            let purity = if given { Purity::given(subject.pure.iter().copied()) } else { Purity::ByName };
            if drop {
                let impossible = impossible_traces(&words, &purity, Evidence::OVERWHELMING)?;
                for one in &impossible {
                    let word: Vec<&str> = words.labels(&words.words[one.word]).collect();
                    notes.push(format!("dropped {} × `{}`, because {}", one.weight, word.join(" "), one.why));
                }
                let dropped = impossible.iter().map(|one| one.word).collect();
                words = std::borrow::Cow::Owned(words.without(&dropped));
            }
            let properties = holding(&words, &purity, &Template::ALL)?;
            let constraints = Constraints { pure_as_loops: true, compatible_states: constraint_b };
            dice_miner(&letters(&words), &properties, &purity.pure_letters(&words.alphabet), constraints)
        }
    };
    if let Some(at) = first_rejected(&model, &letters(&words)) {
        let word: Vec<&str> = words.labels(&words.words[at]).collect();
        bail!("the model of {} rejects a trace that it was made from: {}", subject.file, word.join(" "));
    }
    Ok((model.map(|&letter| words.alphabet.name(letter).to_owned()), notes))
}

fn measure(
    traces: &'static str,
    class: &'static str,
    method: &'static str,
    model: &Fsa<String>,
    truth: &Fsa<String>,
    seconds: f64,
    protocol: Protocol,
) -> Row {
    let mut sums = [0.0; 3];
    for seed in 0..protocol.seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let score = compare::sampled(model, truth, protocol.walks, 2 * truth.transitions(), &mut rng);
        for (sum, value) in sums.iter_mut().zip([score.precision, score.recall, score.f()]) {
            *sum += value / protocol.seeds as f64;
        }
    }
    let exact = compare::exact(&model.prefix_closed(), &truth.prefix_closed(), protocol.exact_length, LIMIT);
    Row {
        traces,
        class,
        method,
        sampled: sums,
        exact: exact
            .ok()
            .map(|exact| exact.overall())
            .map(|score| [score.precision, score.recall, score.f()]),
        states: model.len(),
        transitions: model.transitions(),
        seconds,
    }
}

fn mean<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> [f64; 3] {
    let count = rows.clone().count() as f64;
    let part = |at: usize| rows.clone().map(|row| row.sampled[at]).sum::<f64>() / count;
    [part(0), part(1), part(2)]
}

/// The means of the papers' columns over the same classes that ours are taken over.
fn printed_means<'a>(classes: impl Iterator<Item = &'a str> + Clone) -> String {
    let column = |part: fn(&Published) -> Printed| {
        let rows: Vec<Printed> = classes.clone().filter_map(published).map(|row| part(&row)).collect();
        let mean = |value: fn(&Printed) -> f64| rows.iter().map(value).sum::<f64>() / rows.len() as f64;
        format!("**{}**", print(Printed(mean(|row| row.0), mean(|row| row.1), mean(|row| row.2))))
    };
    [column(|row| row.dice), column(|row| row.dsm), column(|row| row.dsm_on_dice)].join(" | ")
}

fn percent([precision, recall, f]: [f64; 3]) -> String {
    format!("{:.1}/{:.1}/{:.1}", 100.0 * precision, 100.0 * recall, 100.0 * f)
}

fn exactly(row: &Row) -> String {
    row.exact.map_or_else(|| "-".to_owned(), percent)
}

fn size(row: &Row) -> String {
    format!("{}, {:.2}", row.states, row.seconds)
}

fn print(Printed(precision, recall, f): Printed) -> String {
    format!("{precision:.1}/{recall:.1}/{f:.1}")
}
