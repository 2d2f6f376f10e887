//! Published traces and truths, ready for inference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use adit_automata::{Builder, Fsa};
use adit_infer::{Abstraction, Claims, Visit};
use adit_logic::contract::Valuation;
use adit_trace::read::{self, Options};
use adit_trace::{Event, EventSink, Labels, Outcome};
use miette::{IntoDiagnostic, Result, bail, miette};

use super::published::Class;

/// Traces of one class, each from the constructor on, with its truths.
pub(super) struct Prepared {
    pub(super) traces: Vec<Vec<Event>>,
    pub(super) labels: Labels,
    /// The published truth.
    pub(super) truth: Option<Fsa<String>>,
    /// The truth without its mistakes; the published one if it has none.
    pub(super) corrected: Option<Fsa<String>>,
    /// Traces that the published truth rejects.
    pub(super) contradicting: usize,
    /// Traces without a constructor.
    pub(super) headless: usize,
}

impl Prepared {
    pub(super) fn read(class: &Class, data: &Path) -> Result<Self> {
        let mut traces = read_traces(&data.join("krka").join(class.name), class.traced)?;
        let labels = if class.lines { Labels::Line } else { Labels::Exception };
        let truth_file = class.truth.map(|file| data.join("krka/ground_truth").join(file));
        let named = truth_file.as_ref().map(|file| actions(file, class)).transpose()?;
        // The paper has no calls that threw, and truths no methods that are not public.
        for trace in &mut traces {
            trace.retain(|event| {
                let thrown = matches!(event.outcome, Outcome::Threw(_));
                !thrown && named.as_ref().is_none_or(|named| named.contains(&action(&labels.of(event))))
            });
        }
        traces.retain(|trace| !trace.is_empty());
        // An object that was there before the recording began has no constructor in its trace. A truth
        // allows nothing before the constructor, so such a trace is none of its words.
        let all = traces.len();
        let simple = class.traced.rsplit('.').next().unwrap_or(class.traced);
        let is_made = |event: &Event| event.method.split('(').next() == Some(simple);
        let is_made = |event: &Event| is_made(event) || simple.ends_with(&format!("${}", event.method));
        traces.retain(|trace| is_made(&trace[0]));
        let headless = all - traces.len();
        let alphabet: BTreeSet<String> = traces.iter().flatten().map(|event| labels.of(event)).collect();
        let truth = truth_file.map(|file| truth(&file, class, &alphabet)).transpose()?;
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("truths");
        let corrected = match class.corrected {
            Some(file) => Some(self::truth(&own.join(file), class, &alphabet)?),
            None => truth.clone(),
        };
        let is_rejected = |truth: &Fsa<String>, trace: &Vec<Event>| {
            let word: Vec<String> = trace.iter().map(|event| labels.of(event)).collect();
            !truth.reads(&word)
        };
        let contradicting =
            truth.as_ref().map_or(0, |truth| traces.iter().filter(|trace| is_rejected(truth, trace)).count());
        Ok(Self { traces, labels, truth, corrected, contradicting, headless })
    }

    /// The different traces as labels and abstract states.
    pub(super) fn visits(&self, abstraction: &mut Abstraction) -> Vec<Vec<Visit<String>>> {
        let distinct: BTreeSet<Vec<Visit<String>>> = self
            .traces
            .iter()
            .map(|trace| {
                trace
                    .iter()
                    .map(|event| {
                        let values = event.state.as_ref().map(Valuation::of_state).unwrap_or_default();
                        (self.labels.of(event), abstraction.observe(&values))
                    })
                    .collect()
            })
            .collect();
        distinct.into_iter().collect()
    }

    /// The abstraction by these claims, and the traces in it.
    pub(super) fn seen_through(&self, claims: &Claims<'_, String>) -> (Abstraction, Vec<Vec<Visit<String>>>) {
        let mut abstraction = Abstraction::of_claims(claims);
        let visits = self.visits(&mut abstraction);
        (abstraction, visits)
    }

    pub(super) fn events(&self) -> usize {
        self.traces.iter().map(Vec::len).sum()
    }
}

/// All prefixes of traces. k-tail as the paper describes it compares the next `k` calls and does not ask
/// where traces end, which is what it does if every prefix is a trace.
pub(super) fn prefixes<T: Ord + Clone>(traces: &[Vec<T>]) -> Vec<Vec<T>> {
    let all: BTreeSet<&[T]> =
        traces.iter().flat_map(|trace| (1..=trace.len()).map(|length| &trace[..length])).collect();
    all.into_iter().map(<[T]>::to_vec).collect()
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
    if !unknown.is_empty() || !extra.is_empty() {
        eprintln!(
            "{}: calls of the truth that no trace has: {unknown:?}; of traces that the truth lacks: {extra:?}",
            file.display()
        );
    }
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
