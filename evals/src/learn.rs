//! Random Mealy machines, learned by adit and by AALpy in the same run.
//!
//! Both learn the same machines, checked in the same way: by someone who knows the machine, or by random
//! words. The systems are in memory, or behind a process that speaks the adapter protocol.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use adit_adapter::{Adapter, AdapterLimits, AdapterTeacher, Launch, learner_inputs};
use adit_learn::mealy::lsharp::lsharp;
use adit_learn::mealy::lstar::lstar;
use adit_learn::mealy::random_walks::RandomWalks;
use adit_learn::mealy::teacher::{CachedWords, CountedWords, Numbered, QueryCount};
use adit_learn::mealy::{
    Checked, Ended, Equivalence, InputWord, LearnedMealy, Mealy, MealyTeacher, OutputSymbol,
};
use clap::{Args, ValueEnum};
use miette::{IntoDiagnostic, Result, bail, miette};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

/// Random machines, learned by adit and AALpy.
#[derive(Args)]
pub(crate) struct Flags {
    /// Number of states of each machine.
    #[arg(long, default_value_t = 200)]
    states: usize,
    /// Number of inputs.
    #[arg(long, default_value_t = 10)]
    inputs: usize,
    /// Numbers of outputs; there are machines of each.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 5, 10])]
    outputs: Vec<u32>,
    /// Machines for each number of outputs.
    #[arg(long, default_value_t = 3)]
    machines: u64,
    /// Check of conjectures.
    #[arg(long, value_enum, default_value = "perfect")]
    equivalence: Check,
    /// Random words for each conjecture.
    #[arg(long, default_value_t = 1000)]
    words: usize,
    /// Longest random word.
    #[arg(long, default_value_t = 40)]
    longest: usize,
    /// Ask a process by the adapter protocol instead of a machine in memory.
    #[arg(long)]
    pipe: bool,
    /// Python with AALpy, such as `venv/bin/python`; without it, only adit is measured.
    #[arg(long)]
    python: Option<PathBuf>,
    /// AALpy's algorithms: kv, lsharp (its default rules), lsharp-ads.
    #[arg(long, default_value = "kv,lsharp")]
    aalpy: String,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Check {
    Perfect,
    Words,
}

/// Repetitions of a session of adit, of which the median time counts: they are short.
const REPEATED: usize = 5;

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let mut rows = Vec::new();
    for &outputs in &flags.outputs {
        let machines: Vec<Mealy> = (0..flags.machines).map(|seed| machine(flags, outputs, seed)).collect();
        let file = tempfile::NamedTempFile::new().into_diagnostic()?;
        serde_json::to_writer(&file, &machines.iter().map(as_json).collect::<Vec<_>>()).into_diagnostic()?;
        for (index, machine) in machines.iter().enumerate() {
            for (name, learn) in [("adit lsharp", lsharp as Learn), ("adit lstar", lstar)] {
                let mut row = ours(flags, machine, index, file.path(), learn)?;
                row["learner"] = json!(name);
                row["machine"] = json!(index);
                row["outputs"] = json!(outputs);
                eprintln!("{row}");
                rows.push(row);
            }
        }
        if let Some(python) = &flags.python {
            for mut row in theirs(flags, python, file.path())? {
                row["outputs"] = json!(outputs);
                eprintln!("{row}");
                rows.push(row);
            }
        }
    }
    print!("{}", table(&rows));
    if let Some(path) = &flags.json {
        std::fs::write(path, format!("{:#}\n", Value::Array(rows))).into_diagnostic()?;
    }
    Ok(())
}

type Learn = fn(usize, &mut dyn MealyTeacher<Output = OutputSymbol>, &mut dyn Equivalence) -> LearnedMealy;

/// The first random machine from a seed on that is minimal and has no state out of reach.
fn machine(flags: &Flags, outputs: u32, seed: u64) -> Mealy {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let machine = Mealy::random(flags.states, flags.inputs, outputs, &mut rng).minimize();
        if machine.len() == flags.states {
            return machine;
        }
    }
}

fn as_json(machine: &Mealy) -> Value {
    let row =
        |state| (0..machine.inputs()).map(|input| json!(machine.step(state, input))).collect::<Vec<_>>();
    (0..machine.len()).map(row).collect()
}

/// A check by someone who knows the machine.
struct Knows<'a>(&'a Mealy);

impl Equivalence for Knows<'_> {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        _: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        Ok(self.0.difference(hypothesis))
    }

    fn checked(&self) -> Checked {
        Checked::Sampled { words: 0, lengths: (0, 0) }
    }
}

/// A session with adit's learner.
fn ours(flags: &Flags, truth: &Mealy, index: usize, file: &Path, learn: Learn) -> Result<Value> {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..if flags.pipe { 1 } else { REPEATED } {
        let start = Instant::now();
        let cpu = cpu_seconds();
        let (learned, count) = if flags.pipe {
            let command = format!("{} {index}", adapter_command(file));
            let limits = AdapterLimits::new(Duration::from_secs(60));
            let adapter = Adapter::start(&Launch::unprotected(&command), "machine", limits)?;
            let inputs = learner_inputs(adapter.description()).0;
            let mut numbered = Numbered::new(AdapterTeacher::new(adapter, None, inputs, None));
            // The same numbers as in the machine, which the check compares.
            for output in 0..1000 {
                numbered.number(output.to_string());
            }
            let mut teacher = CachedWords::new(truth.inputs(), &[], CountedWords::new(numbered));
            let learned = session(flags, truth, index, &mut teacher, learn);
            (learned, teacher.inner().count())
        } else {
            let mut teacher = CachedWords::new(truth.inputs(), &[], CountedWords::new(truth.clone()));
            let learned = session(flags, truth, index, &mut teacher, learn);
            (learned, teacher.inner().count())
        };
        times.push((start.elapsed().as_secs_f64(), cpu_seconds() - cpu));
        last = Some((learned, count));
    }
    times.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (seconds, cpu) = times[times.len() / 2];
    let (learned, QueryCount { words, symbols, batches }) =
        last.ok_or_else(|| miette!("there was no session"))?;
    let Some(machine) = learned.machine.filter(|_| learned.ended.is_none()) else {
        bail!("adit did not finish: {:?}", learned.ended);
    };
    let same = machine.minimize() == *truth;
    if !same && flags.equivalence == Check::Perfect {
        bail!("adit learned another machine than machine {index}");
    }
    Ok(json!({
        "states": machine.len(),
        "same": same,
        "rounds": learned.rounds,
        "queries": words,
        "symbols": symbols,
        "batches": batches,
        "seconds": seconds,
        "cpu_seconds": cpu,
    }))
}

fn session(
    flags: &Flags,
    truth: &Mealy,
    index: usize,
    teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    learn: Learn,
) -> LearnedMealy {
    match flags.equivalence {
        Check::Perfect => learn(truth.inputs(), teacher, &mut Knows(truth)),
        Check::Words => {
            let rng = ChaCha8Rng::seed_from_u64(index as u64);
            // One word at a time, as AALpy does, so that no word is run after a counterexample.
            learn(truth.inputs(), teacher, &mut RandomWalks::new(flags.words, (1, flags.longest), 1, rng))
        }
    }
}

/// Processor time of this process, which is the fairer measure where other work runs beside it.
fn cpu_seconds() -> f64 {
    // The first number is the time that this thread ran, in nanoseconds; adit learns in one thread.
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    line.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

fn adapter_command(file: &Path) -> String {
    format!("exec python3 {} {}", here("machine_adapter.py").display(), file.display())
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("learn").join(name)
}

/// Sessions with AALpy's learners on all machines of a file.
fn theirs(flags: &Flags, python: &Path, file: &Path) -> Result<Vec<Value>> {
    let mut command = Command::new(python);
    command.arg(here("aalpy_learn.py")).arg(file);
    command.arg(if flags.equivalence == Check::Perfect { "perfect" } else { "words" }).arg(&flags.aalpy);
    command.args(["--words", &flags.words.to_string(), "--longest", &flags.longest.to_string()]);
    if flags.pipe {
        command.args(["--adapter", &adapter_command(file)]);
    }
    let output = command.output().into_diagnostic()?;
    if !output.status.success() {
        bail!("AALpy failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).into_diagnostic()).collect()
}

/// Medians for each number of outputs and learner.
fn table(rows: &[Value]) -> String {
    let mut groups: BTreeMap<(u64, String), Vec<&Value>> = BTreeMap::new();
    for row in rows {
        let learner = row["learner"].as_str().unwrap_or_default().to_owned();
        groups.entry((row["outputs"].as_u64().unwrap_or_default(), learner)).or_default().push(row);
    }
    let mut text =
        "| outputs | learner | states | rounds | queries | symbols | seconds | processor seconds |\n\
                    |---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for ((outputs, learner), rows) in groups {
        let median = |field: &str| {
            let mut values: Vec<f64> = rows.iter().filter_map(|row| row[field].as_f64()).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        text += &format!(
            "| {outputs} | {learner} | {} | {} | {} | {} | {:.4} | {:.4} |\n",
            median("states"),
            median("rounds"),
            median("queries"),
            median("symbols"),
            median("seconds"),
            median("cpu_seconds")
        );
    }
    text
}
