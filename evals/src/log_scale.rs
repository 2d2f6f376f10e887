//! A log of a hundred million events: the same bytes of the answer from every way to count it, and seconds
//! and memory of each.
//!
//! The log is generated: each trace is a walk of a fixed protocol, drawn from the seed and the number of the
//! trace. It is written as CSV, as a folder of Parquet files in the order of traces, as one file in which the
//! rows of a trace are as far apart as can be, and as one in which half of all rows belong to one trace.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::Hasher as _;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use adit_columns::{TableKind, TableWriter};
use clap::Args;
use flate2::read::MultiGzDecoder;
use miette::{IntoDiagnostic, Result, WrapErr, bail, ensure};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::Program;
use crate::scale::{Measured, measured};

/// Size of the log.
#[derive(Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    program: Program,
    /// Traces of the synthetic log; 0 leaves it out.
    #[arg(long, default_value_t = 1_000_000)]
    traces: u64,
    /// Events of a trace.
    #[arg(long, default_value_t = 100)]
    length: u64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also count DSM's logs in parts: the folder that holds `dsm/`.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Folder for the log [default: a temporary one, removed afterwards].
    #[arg(long)]
    work: Option<PathBuf>,
    /// Only write the log into the folder.
    #[arg(long, requires = "work")]
    only_write: bool,
}

/// Numbers of parts whose merge must have the bytes of one run.
const PARTS: [usize; 3] = [1, 7, 100];

/// Properties that hold in some of the traces too, so that the answer has much in it.
const WEAK: [&str; 5] = ["--json", "--quiet", "--min-confidence", "0.2", "--no-purity"];

/// Labels of the protocol; the last one ends each trace.
const LABELS: [&str; 20] = [
    "connect",
    "login",
    "login!Denied",
    "list",
    "open",
    "isOpen:TRUE",
    "isOpen:FALSE",
    "read",
    "read!Timeout",
    "write",
    "flush",
    "seek",
    "lock",
    "unlock",
    "rename",
    "close",
    "isEmpty:TRUE",
    "isEmpty:FALSE",
    "ping",
    "logout",
];

/// Generates, measures and compares.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    let adit = flags.program.path()?;
    let temporary = tempfile::tempdir().into_diagnostic()?;
    let work = flags.work.clone().unwrap_or_else(|| temporary.path().to_owned());
    fs::create_dir_all(&work).into_diagnostic()?;
    if let Some(data) = flags.data.as_ref().filter(|_| !flags.only_write) {
        published(&adit, &data.join("dsm"), temporary.path(), flags.seed)?;
    }
    if flags.traces > 0 {
        let log = Log::generate(flags);
        log.write(&work)?;
        if !flags.only_write {
            synthetic(&adit, &work, &log, flags.seed)?;
        }
    }
    Ok(())
}

/// Events of all traces, as positions in [`LABELS`].
struct Log {
    length: usize,
    events: Vec<u8>,
}

impl Log {
    /// The same log for the same seed and size.
    fn generate(flags: &Flags) -> Self {
        let length = flags.length as usize;
        let protocol = Protocol::new();
        let mut events = Vec::with_capacity(flags.traces as usize * length);
        for trace in 0..flags.traces {
            let mut rng = Numbers(flags.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ trace);
            let mut state = 0;
            for _ in 1..length {
                let choices = &protocol.0[state as usize];
                let (label, next) = choices[rng.below(choices.len() as u64) as usize];
                events.push(label);
                state = next;
            }
            events.push(LABELS.len() as u8 - 1);
        }
        Self { length, events }
    }

    fn traces(&self) -> usize {
        self.events.len() / self.length
    }

    fn of(&self, trace: usize) -> &[u8] {
        &self.events[trace * self.length..(trace + 1) * self.length]
    }

    fn write(&self, work: &Path) -> Result<()> {
        let mut csv =
            BufWriter::with_capacity(1 << 20, File::create(work.join("log.csv")).into_diagnostic()?);
        writeln!(csv, "trace,sequence,event").into_diagnostic()?;
        for trace in 0..self.traces() {
            for (sequence, &event) in self.of(trace).iter().enumerate() {
                writeln!(csv, "{trace},{sequence},{}", LABELS[event as usize]).into_diagnostic()?;
            }
        }
        csv.flush().into_diagnostic()?;

        let parts = work.join("parts");
        fs::create_dir_all(&parts).into_diagnostic()?;
        let each = self.traces().div_ceil(PARTS[2]).max(1);
        for (number, first) in (0..self.traces()).step_by(each).enumerate() {
            let traces = first..(first + each).min(self.traces());
            let rows = traces.flat_map(|trace| (0..self.length).map(move |place| (trace, place, trace)));
            self.table(&parts.join(format!("part-{number:03}.parquet")), rows)?;
        }
        // The first event of every trace, then the second of every trace, and so on.
        let scattered =
            (0..self.length).flat_map(|place| (0..self.traces()).map(move |trace| (trace, place, trace)));
        self.table(&work.join("scattered.parquet"), scattered)?;
        // Every other trace has the id of the first, one after the other.
        let skewed = (0..self.length).flat_map(|place| {
            (0..self.traces()).map(move |trace| match trace % 2 {
                0 => (0, trace * self.length + place, trace),
                _ => (trace, place, trace),
            })
        });
        self.table(&work.join("skewed.parquet"), skewed)
    }

    /// Writes rows of an id, a sequence number, and the trace whose event at that place it is.
    fn table(&self, path: &Path, rows: impl Iterator<Item = (usize, usize, usize)>) -> Result<()> {
        let file = File::create(path).into_diagnostic()?;
        let mut table = TableWriter::new(file, TableKind::Parquet, path.display().to_string())?;
        for (id, sequence, trace) in rows {
            let event = self.of(trace)[sequence % self.length];
            table.row(id as i64, sequence as i64, LABELS[event as usize]);
        }
        Ok(table.finish()?)
    }
}

/// Random numbers that are fast and the same everywhere (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A protocol of sessions: for each state, the possible events with the state after them. State 0 is before
/// the session, 1 connected, 2 logged in, 3 with an open file, 4 with a lock on it.
struct Protocol([Vec<(u8, u8)>; 5]);

impl Protocol {
    fn new() -> Self {
        let label = |name: &str| LABELS.iter().position(|label| *label == name).map(|place| place as u8);
        let named = |choices: &[(&str, u8)]| {
            choices.iter().filter_map(|(name, next)| Some((label(name)?, *next))).collect::<Vec<_>>()
        };
        Self([
            named(&[("connect", 1)]),
            named(&[("login", 2), ("login!Denied", 1), ("login", 2), ("ping", 1)]),
            named(&[("open", 3), ("open", 3), ("list", 2), ("rename", 2), ("isOpen:FALSE", 2), ("ping", 2)]),
            named(&[
                ("read", 3),
                ("read", 3),
                ("read!Timeout", 3),
                ("write", 3),
                ("seek", 3),
                ("isOpen:TRUE", 3),
                ("isEmpty:TRUE", 3),
                ("isEmpty:FALSE", 3),
                ("lock", 4),
                ("close", 2),
            ]),
            named(&[("write", 4), ("write", 4), ("flush", 4), ("isOpen:TRUE", 4), ("unlock", 3)]),
        ])
    }
}

/// The answer of a command, as a digest of its bytes, with what it took.
struct Answer {
    digest: u64,
    bytes: usize,
    took: Measured,
}

fn ask(adit: &Path, args: &[String]) -> Result<Answer> {
    let took = measured(adit, args)?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&took.output);
    Ok(Answer { digest: hasher.finish(), bytes: took.output.len(), took })
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Measures the synthetic log.
fn synthetic(adit: &Path, work: &Path, log: &Log, seed: u64) -> Result<()> {
    let at = |name: &str| work.join(name).display().to_string();
    let events = log.events.len();
    println!("{} traces of {} events, {events} events in all\n", log.traces(), log.length);
    println!(
        "| command | seconds | of a processor | million events a second | peak memory |\n|---|---|---|---|---|"
    );
    let row = |what: &str, took: &Measured| {
        println!(
            "| {what} | {:.2} | {:.2} | {:.1} | {:.0} MB |",
            took.seconds,
            took.used.processor,
            events as f64 / took.seconds / 1e6,
            took.used.peak as f64 / 1e6
        );
    };
    let properties = |input: &str, more: &[&str]| {
        let mut args = texts(&["properties", input, "--case", "trace", "--activity", "event"]);
        args.extend(texts(&[&WEAK[..], more].concat()));
        ask(adit, &args)
    };
    let csv = properties(&at("log.csv"), &["--threads", "1"])?;
    row("CSV, one thread", &csv.took);
    let compare = |what: &str, answer: Answer| -> Result<Answer> {
        row(what, &answer.took);
        ensure!(answer.digest == csv.digest, "{what}: another answer than from CSV");
        Ok(answer)
    };
    compare("CSV", properties(&at("log.csv"), &[])?)?;
    let one = compare("Parquet by trace, one thread", properties(&at("parts"), &["--threads", "1"])?)?;
    let all = compare("Parquet by trace", properties(&at("parts"), &[])?)?;
    compare("Parquet, scattered", properties(&at("scattered.parquet"), &["--time", "sequence"])?)?;
    let tight = ["--time", "sequence", "--memory", "64M"];
    compare("Parquet, scattered, `--memory 64M`", properties(&at("scattered.parquet"), &tight)?)?;
    let skewed = properties(&at("skewed.parquet"), &["--time", "sequence"])?;
    row("Parquet, half of all rows in one trace", &skewed.took);
    let tight_skewed = properties(&at("skewed.parquet"), &tight)?;
    row("Parquet, half of all rows in one trace, `--memory 64M`", &tight_skewed.took);
    ensure!(skewed.digest == tight_skewed.digest, "memory changes the answer");
    println!(
        "\nThe answer has {} bytes, the same from all of these (the skewed log is another one). CSV takes {:.2} \
         times as long as Parquet with one thread, {:.2} times with all.",
        csv.bytes,
        csv.took.seconds / one.took.seconds,
        csv.took.seconds / all.took.seconds,
    );
    in_parts(adit, work, csv.digest, seed)
}

/// Counts the files of the log in parts and merges them in random order.
fn in_parts(adit: &Path, work: &Path, expected: u64, seed: u64) -> Result<()> {
    let mut files: Vec<String> = fs::read_dir(work.join("parts"))
        .into_diagnostic()?
        .flatten()
        .map(|entry| entry.path().display().to_string())
        .collect();
    files.sort();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    println!(
        "\n| parts | longest part | all parts | size of a part | merge | same bytes |\n|---|---|---|---|---|---|"
    );
    for parts in PARTS {
        files.shuffle(&mut rng);
        let (mut folds, mut longest, mut sum, mut size) = (Vec::new(), 0.0_f64, 0.0, 0);
        for (number, some) in files.chunks(files.len().div_ceil(parts)).enumerate() {
            let fold = work.join(format!("{parts}-{number}.fold"));
            let mut args = texts(&["properties", "--partial", "--quiet", "--no-purity", "-o"]);
            args.push(fold.display().to_string());
            args.extend(some.iter().cloned());
            let took = measured(adit, &args)?;
            longest = longest.max(took.seconds);
            sum += took.seconds;
            size = fs::metadata(&fold).into_diagnostic()?.len();
            folds.push(fold.display().to_string());
        }
        folds.shuffle(&mut rng);
        let mut args = texts(&["properties", "--merge"]);
        args.extend(folds.iter().cloned());
        args.extend(texts(&WEAK[..4]));
        let merged = ask(adit, &args)?;
        ensure!(merged.digest == expected, "{parts} parts: another answer than from one run");
        let seconds = merged.took.seconds;
        println!("| {} | {longest:.2} s | {sum:.2} s | {size} bytes | {seconds:.3} s | yes |", folds.len());
        for fold in folds {
            fs::remove_file(fold).into_diagnostic()?;
        }
    }
    Ok(())
}

/// Counts published logs in parts, for properties and k-tail.
fn published(adit: &Path, folder: &Path, work: &Path, seed: u64) -> Result<()> {
    let mut logs: Vec<PathBuf> = fs::read_dir(folder)
        .into_diagnostic()
        .wrap_err_with(|| folder.display().to_string())?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".traces.gz"))
        .collect();
    logs.sort();
    ensure!(!logs.is_empty(), "no logs in {}", folder.display());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    println!(
        "| log | traces | bytes of properties | bytes of the k-tail model | parts with the same bytes |\n|---|---|---|---|---|"
    );
    for path in &logs {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut text = String::new();
        let file = File::open(path).into_diagnostic()?;
        std::io::Read::read_to_string(&mut MultiGzDecoder::new(file), &mut text).into_diagnostic()?;
        let mut lines: Vec<&str> = text.lines().collect();
        let whole = path.display().to_string();
        let mut sizes = Vec::new();
        for command in [&["properties"][..], &["infer", "--algorithm", "k-tail"]] {
            let model = work.join("model.json").display().to_string();
            let answer = |args: &[String]| -> Result<Vec<u8>> {
                let mut args = [texts(command), args.to_vec()].concat();
                if command.len() == 1 {
                    args.extend(texts(&WEAK[..4]));
                    return Ok(measured(adit, &args)?.output);
                }
                args.extend(texts(&["--k", "2", "--title", "log", "--no-report", "--quiet", "-o", &model]));
                measured(adit, &args)?;
                fs::read(&model).into_diagnostic()
            };
            let expected = answer(&texts(&[&whole]))?;
            sizes.push(expected.len());
            for parts in PARTS {
                lines.shuffle(&mut rng);
                let mut folds = Vec::new();
                for (number, some) in lines.chunks(lines.len().div_ceil(parts)).enumerate() {
                    let part = work.join("part.traces");
                    fs::write(&part, some.join("\n") + "\n").into_diagnostic()?;
                    let fold = work.join(format!("{number}.fold")).display().to_string();
                    let mut args = texts(command);
                    let part = part.display().to_string();
                    args.extend(texts(&[&part, "--partial", "--quiet", "-o", &fold]));
                    measured(adit, &args)?;
                    folds.push(fold);
                }
                folds.shuffle(&mut rng);
                if answer(&[vec!["--merge".to_owned()], folds].concat())? != expected {
                    bail!("{name}: {parts} parts of {command:?} give other bytes");
                }
            }
        }
        println!("| {name} | {} | {} | {} | 1, 7, 100 |", lines.len(), sizes[0], sizes[1]);
    }
    println!();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_the_same_for_the_same_seed() {
        let flags = |seed| Flags {
            program: Program { adit: None },
            traces: 50,
            length: 20,
            seed,
            data: None,
            work: None,
            only_write: false,
        };
        let (one, again, other) = (flags(1), flags(1), flags(2));
        let events = |flags| Log::generate(flags).events;
        assert_eq!(events(&one), events(&again));
        assert_ne!(events(&one), events(&other));
        let log = Log::generate(&one);
        assert_eq!((log.traces(), LABELS[log.of(7)[0] as usize]), (50, "connect"));
        assert_eq!(LABELS[log.of(7)[19] as usize], "logout");
        let kinds: std::collections::BTreeSet<u8> = log.events.iter().copied().collect();
        assert!(kinds.len() > 15, "{kinds:?}");
    }
}
