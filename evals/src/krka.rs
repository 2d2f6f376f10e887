//! k-tail, SEKT, TEMI and CONTRACTOR++ on the traces published with `krka`, beside the paper's Figure 13.
//!
//! Sampled: as [krka, section 4.2.1], walks of at most twice the truth's transitions. The paper does not say
//! when a walk stops; here stopping is one more edge in every state, as in DICE's evaluation, and with
//! `--full-length` a walk goes on as long as it may. Exact: all words up to a length are counted. Transitions
//! of the truth on calls that no trace has are removed, as in section 4.2.2. Labels are methods with the line
//! at which they returned and their boolean results: the paper's method distinction.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adit_automata::{Builder, Fsa, compare};
use adit_infer::{
    Abstraction, Claims, FromInvariants, Horizon, Scope, StateLimit, Visit, contractor, ktail, pessimistic,
    sekt, temi,
};
use adit_logic::contract::{Contracts, Valuation};
use adit_mine::{InvariantQuery, Scope as ClaimScope, ValueTypes, contracts_of};
use adit_smt::{Counters, Frugal, Patience, Process};
use adit_trace::read::{self, Options};
use adit_trace::{Event, EventSink, Labels, Outcome};
use miette::{IntoDiagnostic, Result, bail, miette};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

/// Flags of the table.
#[derive(clap::Args)]
pub(crate) struct Flags {
    /// The folder that holds `krka/`.
    #[arg(long)]
    data: PathBuf,
    /// Number of times to draw walks.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Number of walks to draw from each automaton.
    #[arg(long, default_value_t = 1000)]
    walks: usize,
    /// Let walks go on as long as they may.
    #[arg(long)]
    full_length: bool,
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
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A class of the paper whose traces are published.
struct Class {
    name: &'static str,
    /// The class in the traces.
    traced: &'static str,
    /// The lines of the truth are those of the traces. The tokenizer was recorded in another version.
    lines: bool,
    /// The file of the truth, if it is published.
    truth: Option<&'static str>,
    /// Figure 13: precision and recall in its order of columns.
    printed: [Option<(u8, u8)>; 7],
}

const COLUMNS: [&str; 7] =
    ["1-tail", "2-tail", "SEKT 1", "SEKT 2", "TEMI optimistic", "TEMI pessimistic", "CONTRACTOR++"];

const fn p(precision: u8, recall: u8) -> Option<(u8, u8)> {
    Some((precision, recall))
}

const CLASSES: [Class; 7] = [
    Class {
        name: "StackAr",
        traced: "DataStructures.StackAr",
        lines: true,
        truth: Some("stackar.txt"),
        printed: [p(64, 30), p(83, 30), p(97, 30), p(97, 30), p(99, 94), p(100, 71), p(99, 94)],
    },
    Class {
        name: "NumberFormatStringTokenizer",
        traced: "org.apache.xalan.templates.ElemNumber$NumberFormatStringTokenizer",
        lines: true,
        truth: Some("numberformatstringtokenizer.txt"),
        printed: [p(100, 21), p(100, 21), p(100, 21), p(100, 21), p(96, 57), p(96, 44), p(96, 57)],
    },
    Class {
        name: "StringTokenizer",
        traced: "duy.java.util.DuyStringTokenizer",
        lines: false,
        truth: Some("stringtokenizer.txt"),
        printed: [p(100, 52), p(100, 51), p(100, 51), p(100, 50), p(100, 51), p(100, 50), p(93, 52)],
    },
    Class {
        name: "Signature",
        traced: "java.security.Signature",
        lines: true,
        truth: Some("signature.txt"),
        printed: [p(100, 61), p(100, 61), p(100, 61), p(100, 61), p(100, 88), p(100, 88), p(100, 88)],
    },
    Class {
        name: "ToHTMLStream",
        traced: "org.apache.xml.serializer.ToHTMLStream",
        lines: true,
        truth: Some("tohtmlstream.txt"),
        printed: [p(100, 26), p(100, 26), p(100, 26), p(100, 26), p(100, 100), p(100, 100), p(100, 100)],
    },
    Class {
        name: "SMTPProtocol",
        traced: "org.columba.ristretto.smtp.SMTPProtocol",
        lines: true,
        truth: Some("smtpprotocol.txt"),
        printed: [p(100, 20), p(100, 20), p(100, 20), p(100, 20), p(96, 77), p(100, 66), p(88, 78)],
    },
    Class {
        name: "SftpConnection",
        traced: "net.sf.jftp.net.wrappers.SftpConnection",
        lines: true,
        truth: None,
        printed: [p(61, 31), p(96, 29), p(100, 30), p(100, 29), p(97, 48), p(100, 33), None],
    },
];

/// One measured model.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    method: &'static str,
    /// Precision and recall by walks; missing without a truth.
    sampled: Option<[f64; 2]>,
    exact: Option<[f64; 2]>,
    printed: Option<(u8, u8)>,
    states: usize,
    transitions: usize,
    seconds: f64,
}

/// Prints the table, and writes the raw rows as JSON when asked.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    println!(
        "Precision/recall in percent: sampled ({} seeds of {} walks, {}), in brackets exact (all words of up to {} \
         events), then the paper's Figure 13. HashSet's traces are published too, but it is not in the figure.\n",
        flags.seeds,
        flags.walks,
        if flags.full_length { "as long as they may be" } else { "stopping is one more edge" },
        flags.exact_length
    );
    println!("| class | {} |\n|---|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    let mut rows: Vec<Row> = Vec::new();
    let mut notes = Vec::new();
    for class in &CLASSES {
        if !flags.classes.is_empty() && !flags.classes.iter().any(|wanted| wanted == class.name) {
            continue;
        }
        let (new, note) = measure_class(class, flags)?;
        let cells: Vec<String> = new.iter().map(cell).collect();
        println!("| {} | {} |", class.name, cells.join(" | "));
        notes.push(note);
        rows.extend(new);
    }
    let mean = |column: &str, part: usize| {
        let all: Vec<f64> = rows
            .iter()
            .filter(|row| row.method == column)
            .filter_map(|row| Some(row.sampled?[part]))
            .collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64 * 100.0
    };
    let printed = |column: usize, part: fn((u8, u8)) -> u8| {
        let chosen = CLASSES
            .iter()
            .filter(|class| class.truth.is_some() && rows.iter().any(|row| row.class == class.name));
        let all: Vec<f64> =
            chosen.filter_map(|class| class.printed[column]).map(|pair| f64::from(part(pair))).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let means: Vec<String> = COLUMNS
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let (precision, recall) = (mean(column, 0), mean(column, 1));
            format!(
                "**{precision:.0}/{recall:.0}**; {:.0}/{:.0}",
                printed(at, |pair| pair.0),
                printed(at, |pair| pair.1)
            )
        })
        .collect();
    println!("| **mean of those with a truth** | {} |\n", means.join(" | "));
    for note in notes {
        println!("- {note}");
    }
    if let Some(path) = &flags.json {
        std::fs::write(path, serde_json::to_string_pretty(&rows).into_diagnostic()?).into_diagnostic()?;
    }
    Ok(())
}

fn cell(row: &Row) -> String {
    let percent = |pair: [f64; 2]| format!("{:.0}/{:.0}", pair[0] * 100.0, pair[1] * 100.0);
    let sampled = row.sampled.map_or("no truth".to_owned(), percent);
    let exact = row.exact.map_or("-".to_owned(), percent);
    let printed = row.printed.map_or("NA".to_owned(), |(precision, recall)| format!("{precision}/{recall}"));
    format!("{sampled} ({exact}); {printed}; {} states, {:.2} s", row.states, row.seconds)
}

fn measure_class(class: &Class, flags: &Flags) -> Result<(Vec<Row>, String)> {
    let mut traces = read_traces(&flags.data.join("krka").join(class.name), class.traced)?;
    let labels = if class.lines { Labels::Line } else { Labels::Exception };
    let named = match class.truth {
        Some(file) => Some(actions(&flags.data.join("krka/ground_truth").join(file), class)?),
        None => None,
    };
    // The paper has no calls that threw, and truths no methods that are not public.
    for trace in &mut traces {
        trace.retain(|event| {
            let thrown = matches!(event.outcome, Outcome::Threw(_));
            !thrown && named.as_ref().is_none_or(|named| named.contains(&action(&labels.of(event))))
        });
    }
    traces.retain(|trace| !trace.is_empty());
    let events: usize = traces.iter().map(Vec::len).sum();
    let start = Instant::now();
    let contracts = contracts(&traces, labels, flags.min_confidence)?;
    let mining = start.elapsed();
    let claims = Claims::of(&contracts);
    let clauses: usize =
        contracts.calls.values().map(|contract| contract.pre.len() + contract.post.len()).sum::<usize>()
            + contracts.object.len();
    let mut abstraction = Abstraction::of_claims(&claims);
    let visits: Vec<Vec<Visit<String>>> = traces
        .iter()
        .map(|trace| {
            trace
                .iter()
                .map(|event| {
                    let values = event.state.as_ref().map(Valuation::of_state).unwrap_or_default();
                    (labels.of(event), abstraction.observe(&values))
                })
                .collect()
        })
        .collect();
    let words: Vec<Vec<String>> =
        visits.iter().map(|trace| trace.iter().map(|(label, _)| label.clone()).collect()).collect();
    let alphabet: BTreeSet<String> = words.iter().flatten().cloned().collect();
    let truth = match class.truth {
        Some(file) => Some(truth(&flags.data.join("krka/ground_truth").join(file), class, &alphabet)?),
        None => None,
    };
    let limit = StateLimit(flags.max_states);
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    let mut asked = Counters::default();
    for (column, method) in COLUMNS.into_iter().enumerate() {
        let start = Instant::now();
        let mut solver = Frugal::new(Process::new(flags.solver.clone(), Patience(Duration::from_secs(10))));
        let mut note = |found: FromInvariants<String>| {
            notes.push(format!(
                "{method}: {}, {} undecided, {} unforeseen",
                match found.scope {
                    Scope::Satisfiable => "all satisfiable states",
                    Scope::Observed => "observed states only",
                },
                found.undecided.questions,
                found.unforeseen
            ));
            found.model
        };
        let model = match column {
            0 | 1 => ktail(&words, Horizon(column + 1)),
            2 | 3 => sekt(&visits, &abstraction, Horizon(column - 1)),
            4 => note(temi(&claims, &visits, &abstraction, limit, &mut solver)),
            5 => pessimistic(&note(temi(&claims, &visits, &abstraction, limit, &mut solver))),
            _ => note(contractor(&claims, &visits, &abstraction, limit, &mut solver)),
        };
        let seconds = start.elapsed().as_secs_f64();
        asked.add(solver.counters());
        let scores = truth.as_ref().map(|truth| score(&model, truth, flags));
        rows.push(Row {
            class: class.name,
            method,
            sampled: scores.map(|(sampled, _)| sampled),
            exact: scores.and_then(|(_, exact)| exact),
            printed: class.printed[column],
            states: model.len(),
            transitions: model.transitions(),
            seconds,
        });
    }
    let note = format!(
        "{}: {} traces, {events} events, {clauses} clauses in {:.2} s, {} predicates; {}; solver: {} questions, {} by \
         simplification, {} by cache, {} by the solver, {} unknown",
        class.name,
        traces.len(),
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

fn contracts(traces: &[Vec<Event>], labels: Labels, min_confidence: f64) -> Result<Contracts> {
    let types = ValueTypes { int: true, bool: true, null: true, text: false, float: false };
    let scope = ClaimScope { depth: 1, types, elements: false };
    let query = InvariantQuery { labels, min_confidence, min_support: 1, keep_implied: false };
    Ok(contracts_of(traces.iter().map(Vec::as_slice), scope, &query)?)
}

/// Sampled precision and recall, and the exact ones if the models are small enough.
fn score(model: &Fsa<String>, truth: &Fsa<String>, flags: &Flags) -> ([f64; 2], Option<[f64; 2]>) {
    let length = 2 * truth.transitions();
    let closed = |fsa: &Fsa<String>| {
        if !flags.full_length {
            return fsa.prefix_closed();
        }
        let mut builder = fsa.to_builder();
        fsa.states().for_each(|state| builder.accepting(state, false));
        builder.build()
    };
    let (one, other) = (closed(model), closed(truth));
    let mut sums = [0.0; 2];
    for seed in 0..flags.seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let score = compare::sampled(&one, &other, flags.walks, length, &mut rng);
        sums[0] += score.precision;
        sums[1] += score.recall;
    }
    let exact = compare::exact(&model.prefix_closed(), &truth.prefix_closed(), flags.exact_length, 50_000)
        .ok()
        .and_then(|exact| exact.mean())
        .map(|score| [score.precision, score.recall]);
    (sums.map(|sum| sum / flags.seeds as f64), exact)
}

/// Traces of all files of a folder.
fn read_traces(folder: &Path, class: &str) -> Result<Vec<Vec<Event>>> {
    #[derive(Default)]
    struct Collected {
        traces: Vec<Vec<Event>>,
        open: Vec<Event>,
    }
    impl EventSink for Collected {
        fn begin(&mut self, _: Option<&str>, _: u64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn event(&mut self, event: &Event) -> ControlFlow<()> {
            self.open.push(event.clone());
            ControlFlow::Continue(())
        }
        fn end(&mut self) -> ControlFlow<()> {
            self.traces.push(std::mem::take(&mut self.open));
            ControlFlow::Continue(())
        }
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_diagnostic()?
        .map(|entry| Ok(entry.into_diagnostic()?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".dtrace.gz"));
    files.sort();
    if files.is_empty() {
        bail!("{} holds no .dtrace.gz", folder.display());
    }
    let mut collected = Collected::default();
    for file in files {
        let options = Options { class: Some(class.to_owned()), ..Options::new(Labels::Line) };
        let before = collected.traces.len();
        let read = read::events(
            File::open(&file).into_diagnostic()?,
            &file.to_string_lossy(),
            None,
            &options,
            &mut collected,
        );
        match read {
            Ok(_) => {}
            // Some of the files hold other classes only.
            Err(error) if collected.traces.len() == before => eprintln!("{}: {error}", file.display()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(collected.traces)
}

/// The actions that a truth names.
fn actions(file: &Path, class: &Class) -> Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(file).into_diagnostic()?;
    let words = text.split(|letter: char| letter.is_whitespace() || "(|,".contains(letter));
    Ok(words.filter(|word| word.contains("_EXIT")).map(|word| without_line(class, word)).collect())
}

/// An action, without its line if the lines of this class mean nothing.
fn without_line(class: &Class, action: &str) -> String {
    match action.split_once("_EXIT") {
        Some((method, rest)) if !class.lines => {
            format!("{method}{}", rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        _ => action.to_owned(),
    }
}

/// A published truth in the FSP of the paper's authors, over the labels of the traces.
///
/// Its actions are `topAndPop_EXIT112`, and `isFull_EXIT57_FALSE` with a result. Calls that no trace has are
/// left out.
fn truth(file: &Path, class: &Class, alphabet: &BTreeSet<String>) -> Result<Fsa<String>> {
    let spelled: BTreeMap<String, &String> = alphabet.iter().map(|label| (action(label), label)).collect();
    let text = std::fs::read_to_string(file).into_diagnostic()?;
    let mut builder = Builder::new();
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    let mut known = BTreeSet::new();
    for definition in text.split(',').filter(|part| !part.contains("||MTS") || part.contains("->")) {
        let definition = definition.split("||MTS").next().unwrap_or_default();
        let Some((name, body)) = definition.split_once('=') else { continue };
        if !body.contains("->") {
            continue;
        }
        let mut state = |name: &str, builder: &mut Builder<String>| {
            *states.entry(name.trim().to_owned()).or_insert_with(|| builder.state(true))
        };
        let from = state(name, &mut builder);
        for choice in body.trim().trim_matches(['(', ')', '.']).split('|') {
            let Some((action, target)) = choice.split_once("->") else {
                return Err(miette!("{}: cannot read `{choice}`", file.display()));
            };
            let target = target.trim().trim_end_matches(['.', ')']).trim();
            let to = state(target, &mut builder);
            match spelled.get(&without_line(class, action.trim())) {
                Some(label) => {
                    known.insert((*label).clone());
                    builder.edge(from, (*label).clone(), to);
                }
                None => {
                    unknown.insert(action.trim().to_owned());
                }
            }
        }
    }
    let Some(&initial) = states.get("S0") else { bail!("{} has no state S0", file.display()) };
    builder.initial(initial);
    let extra: Vec<&String> = alphabet.difference(&known).collect();
    eprintln!(
        "{}: calls of the truth that no trace has: {unknown:?}; of traces that the truth lacks: {extra:?}",
        file.display()
    );
    Ok(builder.build().breadth_first())
}

/// The action that a truth has for a label: `isFull@57:FALSE` is `isFull_EXIT57_FALSE`.
fn action(label: &str) -> String {
    let (call, answer) = match label.split_once(':') {
        Some((call, answer)) => (call, Some(answer)),
        None => (label, None),
    };
    let (method, line) = call.rsplit_once('@').unwrap_or((call, ""));
    let method = method.split('(').next().unwrap_or(method);
    // A constructor of an inner class has the outer one's name too, and one class was renamed for recording.
    let method = method.rsplit('$').next().unwrap_or(method);
    let method = method.strip_prefix("Duy").unwrap_or(method);
    let mut letters = method.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    let answer = answer.map(|answer| format!("_{answer}")).unwrap_or_default();
    let line = if line.is_empty() { String::new() } else { format!("_EXIT{line}") };
    format!("{first}{}{line}{answer}", letters.as_str())
}
