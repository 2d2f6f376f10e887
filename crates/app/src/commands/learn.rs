//! `adit learn`: a Mealy machine of a program that can only be asked from outside.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use adit_adapter::{
    Adapter, AdapterCall, AdapterLimits, AdapterTeacher, CallOutcome, Described, LAST_OUTPUTS, LearnerInput,
    Sequence, inputs_of, learner_inputs, parse_input, parse_start,
};
use adit_automata::Fsa;
use adit_automata::format::Format;
use adit_jvm::Sandbox;
use adit_learn::mealy::lsharp::lsharp;
use adit_learn::mealy::lstar::lstar;
use adit_learn::mealy::random_walks::RandomWalks;
use adit_learn::mealy::teacher::{
    CachedWords, Contradiction, CountedWords, Disagreement, Numbered, Parallel, QueryCount, Voting,
};
use adit_learn::mealy::w_method::WMethod;
use adit_learn::mealy::wp_method::WpMethod;
use adit_learn::mealy::{
    Checked, Ended, Equivalence, InputWord, LearnedMealy, Mealy, MealyTeacher, OutputSymbol,
};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use crate::adapter::{AdapterRequest, launcher};
use crate::budget::Budget;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::LearnFlags;
use crate::flags::learn::{self as defaults, EquivalenceChoice, LearningAlgorithm};
use crate::interrupt::{Listening, farewell};
use crate::models;
use crate::output::{Target, counted, print_json};
use crate::progress::Counting;
use crate::shell;
use crate::stderr::tell;
use crate::under_test::faults;
use journal::Journal;

mod journal;
mod model;

/// Words that one worker answers before adit looks at the clock and at Ctrl-C.
const AT_ONCE: usize = 64;

pub(super) fn run(flags: &LearnFlags, quiet: bool) -> Result<Ending, Report> {
    let start = Instant::now();
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    let format = models::format_of(&target, None)?;
    // From here on, Ctrl-C ends the session and keeps the answers.
    let listening = Listening::new();
    let deadline = match flags.budget {
        Some(Budget::Time(time)) => Some(start + time),
        _ => None,
    };
    let limits = AdapterLimits::new(flags.script_limit);
    let request = AdapterRequest {
        command: flags.adapter.clone(),
        subject: flags.name.clone(),
        sandbox: if flags.unsafe_no_sandbox { Sandbox::Unsafe } else { Sandbox::Required },
        line_limit: flags.script_limit,
    };
    // The folders of the sandbox go when this is dropped.
    let (launch, _folders) = launcher(&request)?;
    let mut adapters = vec![Adapter::start(&launch, &flags.name, limits)?];
    let described = adapters[0].description().clone();
    for note in described.notes.iter().filter(|_| !quiet) {
        tell(&format!("note: {note}"));
    }
    let inputs = inputs(flags, &described, quiet)?;
    let first = first_call(flags, &described, &mut adapters[0], deadline)?;
    for _ in 1..flags.workers {
        adapters.push(Adapter::start(&launch, &flags.name, limits)?);
    }
    let journal_file = flags.output.as_ref().filter(|_| target != Target::Stdout).map(|path| {
        let mut name = path.clone().into_os_string();
        name.push(".queries.jsonl");
        PathBuf::from(name)
    });
    let header = json!({
        "adit": "queries",
        "version": 1,
        "subject": described.name,
        "program": described.version,
        "adapter": flags.adapter,
        "start": first.as_ref().map(|first| &first.label),
    });
    let labels: Vec<String> = inputs.iter().map(|input| input.label.clone()).collect();
    let (journal, earlier) = match &journal_file {
        None => (None, Vec::new()),
        Some(path) => {
            let (journal, earlier) = Journal::open(path, &header, &labels, flags.fresh)?;
            farewell(format!("interrupted; the answers so far are in {}", path.display()));
            (Some(journal), earlier)
        }
    };
    let teachers = adapters
        .into_iter()
        .map(|adapter| AdapterTeacher::new(adapter, first.as_ref(), inputs.clone(), deadline))
        .collect();
    let votes = usize::from(flags.votes);
    let mut numbered = Numbered::new(Voting::new(votes, CountedWords::new(Parallel::new(teachers))));
    let last = LAST_OUTPUTS.map(|output| numbered.number(output.to_owned()));
    let states = RefCell::new(0);
    let session = Session {
        inner: numbered,
        labels: &labels,
        journal,
        listening: &listening,
        most_words: match flags.budget {
            Some(Budget::Tests(tests)) => tests as usize,
            _ => usize::MAX,
        },
        at_once: AT_ONCE * usize::from(flags.workers),
        queries: 0,
        states: &states,
        progress: Counting::new(quiet),
        failure: None,
    };
    let mut teacher = CachedWords::new(inputs.len(), &last, session);
    let remembered = remember(&mut teacher, earlier, &labels);
    if remembered.is_ok()
        && !quiet
        && let Some(count @ 1..) = remembered.as_ref().ok()
    {
        tell(&format!("continuing with {} of an earlier run", counted(*count, "answer")));
    }
    let mut equivalence = Shown { inner: equivalence(flags), states: &states };
    let learned = match &remembered {
        Err(ended) => LearnedMealy { machine: None, rounds: 0, ended: Some(ended.clone()) },
        Ok(_) => match flags.algorithm {
            LearningAlgorithm::Lstar => lstar(inputs.len(), &mut teacher, &mut equivalence),
            LearningAlgorithm::Lsharp => lsharp(inputs.len(), &mut teacher, &mut equivalence),
        },
    };
    let Session { inner, mut progress, queries, failure, journal, .. } = teacher.into_inner();
    progress.finish();
    let names = inner.names().to_vec();
    let voting = inner.into_inner();
    let disagreements = voting.disagreements().to_vec();
    let counter = voting.into_inner();
    let count = counter.count();
    let workers = counter.into_inner().into_workers();
    let adapters = || workers.iter().map(AdapterTeacher::adapter);
    let fault = adapters().find_map(Adapter::last_fault);
    let session = Outcome {
        name: described.name.clone(),
        labels,
        names,
        learned,
        queries,
        count,
        remembered: remembered.unwrap_or(0),
        checked: equivalence.checked(),
        disagreements,
        elapsed: start.elapsed(),
        faults: fault.map(|fault| faults(adapters().map(Adapter::faults).sum(), fault)),
    };
    if let Some(report) = failure {
        return Err(report);
    }
    if let Some(Ended::Failed(text)) = &session.learned.ended {
        let failures = workers.into_iter().find_map(|mut worker| worker.failure());
        return Err(
            failures.map_or_else(|| bad_input(text, "see docs/adapters.md for the protocol"), Report::new)
        );
    }
    if !quiet {
        session.tell_disagreements();
    }
    finish(&session, flags, &target, format, journal.zip(journal_file), quiet)
}

/// Writes what was learned, and says how to go on if it is not all.
fn finish(
    session: &Outcome,
    flags: &LearnFlags,
    target: &Target,
    format: Format,
    journal: Option<(Journal, PathBuf)>,
    quiet: bool,
) -> Result<Ending, Report> {
    let kept = match (&journal, &session.learned.ended) {
        (Some((_, path)), Some(Ended::Budget | Ended::Interrupted)) => {
            format!("the answers are in {}; continue with: {}", path.display(), shell::typed_command())
        }
        _ => "name a file with -o, and an interrupted run can be continued".to_owned(),
    };
    if let Some(ended) = &session.learned.ended {
        let why = match ended {
            Ended::Flaky(contradiction) => return Err(session.flaky(contradiction)),
            Ended::Undecided => return Err(session.undecided()),
            Ended::Budget => "the budget ended",
            Ended::Interrupted => "interrupted",
            Ended::Failed(_) => "the adapter failed",
        };
        if session.learned.machine.is_none() {
            let kept =
                session.faults.iter().map(String::as_str).chain([&*kept]).collect::<Vec<_>>().join("\n");
            return Err(no_answer(format!("{why} before there was a first machine"), kept));
        }
        if !matches!(ended, Ended::Budget) {
            tell(&format!("note: {why} before the machine was checked to the end; {kept}"));
        }
    }
    if session.answers_nothing() {
        return Err(no_answer(
            format!(
                "the adapter answered no call of {}: {}",
                session.name,
                session.faults.as_deref().unwrap_or("it hung or died in each")
            ),
            "call it by hand with the lines that docs/adapters.md shows; more time for each with --script-limit",
        ));
    }
    let model = session.model();
    if !flags.json || *target != Target::Stdout {
        models::write(&model, target, format, &session.name, quiet)?;
    }
    if session.learned.ended.is_none()
        && let Some((journal, path)) = journal
    {
        // The program may change, and old answers would then contradict new ones.
        drop(journal);
        let _ = std::fs::remove_file(path);
    }
    if !quiet {
        tell(&session.headline(&model));
        if let Some(faults) = &session.faults {
            tell(&format!("note: {faults}"));
        }
    }
    if flags.json {
        print_json(&session.as_json(&model))?;
    }
    // The machine is written, but it may be wrong: nobody should take it for an answer.
    if let Some(Ended::Budget) = &session.learned.ended {
        return Err(no_answer("the budget ended before the machine was checked to the end", kept));
    }
    Ok(Ending::Clean)
}

/// The inputs that the flags ask for.
fn inputs(flags: &LearnFlags, described: &Described, quiet: bool) -> Result<Vec<LearnerInput>, Report> {
    if flags.inputs.is_empty() {
        let (inputs, left_out) = learner_inputs(described);
        if !left_out.is_empty() && !quiet {
            tell(&format!("note: left out, because they take objects: {}", left_out.join(", ")));
        }
        if inputs.is_empty() {
            return Err(bad_input(
                format!("{}: every operation takes objects, so there is nothing to ask", described.name),
                "have the adapter offer values, or name calls with --inputs",
            ));
        }
        return Ok(inputs);
    }
    let mut inputs: Vec<LearnerInput> = Vec::new();
    for text in flags.inputs.iter().flat_map(|list| split(list)) {
        let named = parse_input(&text, described)
            .map_err(|message| bad_input(message, "write --inputs as in `open,put(\"a\",1)`"))?;
        for input in named {
            if !inputs.iter().any(|known| known.label == input.label) {
                inputs.push(input);
            }
        }
    }
    if inputs.is_empty() {
        return Err(bad_input("--inputs names no operation", "write --inputs as in `open,put(\"a\",1)`"));
    }
    Ok(inputs)
}

/// Splits a list at its commas, except within parentheses, brackets and quotes.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for c in list.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        parts.last_mut().expect("there is a part from the beginning").push(c);
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The call that makes the object: the one that was named, or the first that gives one. None if a reset makes
/// it.
fn first_call(
    flags: &LearnFlags,
    described: &Described,
    adapter: &mut Adapter,
    deadline: Option<Instant>,
) -> Result<Option<LearnerInput>, Report> {
    let choices = match &flags.start {
        Some(text) => vec![
            parse_start(text, described)
                .map_err(|message| bad_input(message, "write --start as in `Buffer(\"abc\")`"))?,
        ],
        None if described.starts.is_empty() => return Ok(None),
        None => described.starts.iter().flat_map(|start| inputs_of(start, described)).collect(),
    };
    let batch: Vec<Sequence> = choices
        .iter()
        .map(|choice| Sequence {
            calls: vec![AdapterCall::new(choice.operation.clone(), None, choice.args.clone())],
            states: false,
        })
        .collect();
    let mut last = String::new();
    for (choice, answered) in choices.into_iter().zip(adapter.run(&batch, deadline)?) {
        match answered.answers.first() {
            Some(answer) if matches!(answer.outcome, CallOutcome::Object { .. }) => return Ok(Some(choice)),
            Some(answer) => last = format!("`{}` gives no object: {}", choice.label, answer.letter()),
            None => last = format!("`{}` has no answer", choice.label),
        }
    }
    if last.is_empty() {
        last = format!("{}: every call that makes an object takes objects", described.name);
    }
    Err(bad_input(last, "name a call that makes an object with --start"))
}

/// Puts answers of an earlier session into the cache; returns how many there were.
fn remember<'a>(
    teacher: &mut CachedWords<Session<'a>>,
    earlier: Vec<(Vec<String>, Vec<String>)>,
    labels: &[String],
) -> Result<usize, Ended> {
    let mut count = 0;
    for (word, outputs) in earlier {
        // Inputs may be left out the second time.
        let word: Option<InputWord> =
            word.iter().map(|label| labels.iter().position(|known| known == label)).collect();
        if let Some(word) = word {
            let outputs: Vec<OutputSymbol> =
                outputs.into_iter().map(|output| teacher.inner_mut().inner.number(output)).collect();
            teacher.remember(&word, &outputs)?;
            count += 1;
        }
    }
    Ok(count)
}

fn equivalence(flags: &LearnFlags) -> Box<dyn Equivalence> {
    let batch = AT_ONCE * usize::from(flags.workers);
    let extra = flags.depth.unwrap_or(defaults::EXTRA_STATES);
    match flags.equivalence {
        EquivalenceChoice::W => Box::new(WMethod::new(extra, batch)),
        EquivalenceChoice::Wp => Box::new(WpMethod::new(extra, batch)),
        EquivalenceChoice::Walks => {
            let longest = flags.depth.unwrap_or(defaults::LONGEST_WALK);
            let rng = ChaCha8Rng::seed_from_u64(flags.seed);
            Box::new(RandomWalks::new(flags.walks, (1, longest), batch, rng))
        }
    }
}

type Workers = Numbered<Voting<CountedWords<Parallel<AdapterTeacher>>>>;

/// The adapters behind limits: it stops in time, keeps every answer, and shows how far it is.
struct Session<'a> {
    inner: Workers,
    labels: &'a [String],
    journal: Option<Journal>,
    listening: &'a Listening,
    most_words: usize,
    at_once: usize,
    queries: usize,
    states: &'a RefCell<usize>,
    progress: Counting,
    /// The reason why an answer could not be kept.
    failure: Option<Report>,
}

impl MealyTeacher for Session<'_> {
    type Output = OutputSymbol;

    fn ask(&mut self, words: &[InputWord]) -> Result<Vec<Vec<OutputSymbol>>, Ended> {
        let mut answers = Vec::with_capacity(words.len());
        let mut rest = words;
        while !rest.is_empty() {
            if self.listening.interrupted() {
                return Err(Ended::Interrupted);
            }
            let left = self.most_words - self.queries;
            if left == 0 {
                return Err(Ended::Budget);
            }
            let (some, others) = rest.split_at(rest.len().min(self.at_once).min(left));
            let given = self.inner.ask(some)?;
            self.queries += some.len();
            if let Some(journal) = &mut self.journal {
                let pairs = some.iter().zip(&given);
                if let Err(report) = journal.append(pairs, self.labels, self.inner.names()) {
                    let text = report.to_string();
                    self.failure = Some(report);
                    return Err(Ended::Failed(text));
                }
            }
            answers.extend(given);
            rest = others;
            let (states, queries) = (*self.states.borrow(), self.queries);
            self.progress.show(|| {
                format!("{} asked, {} so far", counted(queries, "sequence"), counted(states, "state"))
            });
        }
        Ok(answers)
    }
}

/// An equivalence check that says how many states there are.
struct Shown<'a> {
    inner: Box<dyn Equivalence>,
    states: &'a RefCell<usize>,
}

impl Equivalence for Shown<'_> {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        *self.states.borrow_mut() = hypothesis.len();
        self.inner.counterexample(hypothesis, teacher)
    }

    fn checked(&self) -> Checked {
        self.inner.checked()
    }
}

/// The end of a session, with everything that is said about it.
struct Outcome {
    name: String,
    labels: Vec<String>,
    names: Vec<String>,
    learned: LearnedMealy,
    /// Sequences that no earlier answer told.
    queries: usize,
    /// Sequences and calls that were made, votes included.
    count: QueryCount,
    remembered: usize,
    checked: Checked,
    disagreements: Vec<Disagreement<String>>,
    elapsed: Duration,
    /// Processes that hung or died, in words.
    faults: Option<String>,
}

impl Outcome {
    /// Returns true if every call hangs or kills the adapter.
    fn answers_nothing(&self) -> bool {
        // A call that waits was answered.
        let ends = &LAST_OUTPUTS[1..];
        self.learned.machine.as_ref().is_some_and(|machine| {
            (0..machine.inputs()).all(|input| {
                let (output, _) = machine.step(0, input);
                ends.contains(&self.names[output as usize].as_str())
            })
        })
    }

    fn model(&self) -> Fsa<String> {
        let machine = self.learned.machine.as_ref().expect("a session without a machine ends earlier");
        model::of(&machine.minimize(), &self.labels, &self.names)
    }

    /// The check in words.
    fn equivalence(&self) -> String {
        let found = match self.learned.ended {
            None => "no difference",
            Some(_) => "not finished",
        };
        format!("{}: {found}", self.checked)
    }

    fn headline(&self, model: &Fsa<String>) -> String {
        let QueryCount { words, symbols, .. } = self.count;
        let machine = self.learned.machine.as_ref().expect("a session without a machine ends earlier");
        format!(
            "{}: {}, {} over {}; {}, {}, {}; {}",
            self.name,
            counted(machine.len(), "state"),
            counted(model.transitions(), "transition"),
            counted(self.labels.len(), "input"),
            counted(self.queries, "query"),
            counted(words, "reset"),
            counted(symbols, "call"),
            self.equivalence()
        )
    }

    fn as_json(&self, model: &Fsa<String>) -> Value {
        let machine = self.learned.machine.as_ref().expect("a session without a machine ends earlier");
        let check = match self.checked {
            Checked::Exhaustive { method, extra_states, words } => {
                json!({"method": method, "extra_states": extra_states, "words": words})
            }
            Checked::Sampled { words, lengths } => {
                json!({"method": "random words", "words": words, "longest": lengths.1})
            }
        };
        json!({
            "name": self.name,
            "states": machine.len(),
            "transitions": model.transitions(),
            "inputs": self.labels,
            "outputs": self.outputs(machine),
            "queries": self.queries,
            "resets": self.count.words,
            "symbols": self.count.symbols,
            "remembered": self.remembered,
            "rounds": self.learned.rounds,
            "equivalence": self.equivalence(),
            "check": check,
            "complete": self.learned.ended.is_none(),
            "flaky": self.disagreements.iter().map(|flaky| json!({
                "word": self.spelled(&flaky.word),
                "answers": flaky.answers.iter().map(|(outputs, votes)| json!({"outputs": outputs, "votes": votes})).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "stop": match &self.learned.ended {
                None => "done",
                Some(Ended::Interrupted) => "interrupted",
                Some(_) => "budget",
            },
            "seconds": self.elapsed.as_secs_f64(),
        })
    }

    /// The outputs of the machine, in the order in which they were seen.
    fn outputs(&self, machine: &Mealy) -> Vec<&str> {
        let used = |output: OutputSymbol| {
            (0..machine.len())
                .any(|state| (0..machine.inputs()).any(|input| machine.step(state, input).0 == output))
        };
        let numbered = self.names.iter().enumerate();
        let mut outputs: Vec<&str> =
            numbered.filter(|(at, _)| used(*at as OutputSymbol)).map(|(_, name)| name.as_str()).collect();
        outputs.sort_unstable();
        outputs
    }

    fn spelled(&self, word: &[usize]) -> Vec<&str> {
        word.iter().map(|&input| self.labels[input].as_str()).collect()
    }

    fn tell_disagreements(&self) {
        /// More than these are only counted.
        const SHOWN: usize = 3;
        for flaky in self.disagreements.iter().take(SHOWN) {
            tell(&format!("note: flaky: {}", self.disagreement(flaky)));
        }
        if self.disagreements.len() > SHOWN {
            let more = counted(self.disagreements.len() - SHOWN, "flaky sequence");
            tell(&format!("note: {more} more; --json lists all"));
        }
    }

    fn disagreement(&self, flaky: &Disagreement<String>) -> String {
        let answers: Vec<String> = flaky
            .answers
            .iter()
            .map(|(outputs, votes)| format!("`{}` ({votes} of {})", outputs.join(" "), total(flaky)))
            .collect();
        format!("`{}` was answered {}", self.spelled(&flaky.word).join(" "), answers.join(" and "))
    }

    fn flaky(&self, Contradiction { word, first, second }: &Contradiction) -> Report {
        let outputs = |outputs: &[OutputSymbol]| {
            outputs.iter().map(|&output| self.names[output as usize].as_str()).collect::<Vec<_>>().join(" ")
        };
        no_answer(
            format!(
                "the program is flaky: `{}` was answered `{}` and `{}`",
                self.spelled(word).join(" "),
                outputs(first),
                outputs(second)
            ),
            "answers must depend on the calls since the last reset only; ask several times with --votes 5, \
             leave out a call with --inputs, or start over with --fresh if the program has changed",
        )
    }

    fn undecided(&self) -> Report {
        let word = self.disagreements.last().map(|flaky| self.disagreement(flaky)).unwrap_or_default();
        no_answer(
            format!("the program is flaky, and no answer has a majority: {word}"),
            "ask more often with --votes, or leave out a call with --inputs",
        )
    }
}

fn total(flaky: &Disagreement<String>) -> usize {
    flaky.answers.iter().map(|(_, votes)| votes).sum()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn lists_are_split_outside_of_arguments() {
        assert_eq!(split("open,close"), ["open", "close"]);
        assert_eq!(split(r#"put("a,(",1),get([1,2]),"#), [r#"put("a,(",1)"#, "get([1,2])"]);
        assert!(split(" , ").is_empty());
    }
}
