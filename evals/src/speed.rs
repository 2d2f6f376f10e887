//! Speed as ratios to a baseline measured in the same run, on the papers' own traces.

use std::hint::black_box;
use std::io::{Cursor, Read};
use std::time::Instant;

use adit_infer::{Horizon, ktail};
use adit_logic::Template;
use adit_mine::{PropertyMiner, Purity, Wanted};
use adit_trace::read::{self, Options};
use adit_trace::{Alphabet, Labels, Words};
use flate2::read::MultiGzDecoder;
use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};

use crate::data::{Data, read_traces};
use crate::subjects::SUBJECTS;

/// Prints all measurements.
pub(crate) fn run(data: &Data, synthetic_events: u64) -> Result<()> {
    println!("| what | median | ratio |\n|---|---|---|");
    // First, while nothing else has used memory: the peak is the whole process's.
    stream(synthetic_events)?;
    templates(data)?;
    inference(data)
}

/// A log of any length that exists only as it is read: traces of eleven events over fifty labels.
struct Synthetic {
    events: u64,
    traces: u64,
    line: Cursor<Vec<u8>>,
}

/// Number of events in a trace of the synthetic log.
const TRACE: u64 = 11;

impl Read for Synthetic {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.line.position() == self.line.get_ref().len() as u64 {
            if self.events < TRACE {
                return Ok(0);
            }
            let block = (self.events / TRACE).min(1000);
            let mut text = String::new();
            for _ in 0..block {
                text.push_str("<START> open");
                for event in 1..TRACE {
                    let label = (self.traces * 7919 + event * event * 31) % 49;
                    text.push_str(&format!(" call{label}"));
                }
                text.push_str(" <END>\n");
                self.traces += 1;
            }
            self.events -= block * TRACE;
            self.line = Cursor::new(text.into_bytes());
        }
        self.line.read(buffer)
    }
}

fn stream(events: u64) -> Result<()> {
    let begin = Instant::now();
    let log = Synthetic { events, traces: 0, line: Cursor::new(Vec::new()) };
    let mut miner = PropertyMiner::new(Purity::ByName);
    let mut alphabet = Alphabet::new();
    let options = Options::new(Labels::Exception);
    let summary = read::words(log, "synthetic.traces", None, &options, &mut alphabet, &mut miner)?;
    let mined = miner.finish()?.mined(&wanted())?;
    black_box(mined.properties.len());
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "| mine six templates over {} synthetic events (making them included), one core | {seconds:.1} s | peak memory {} |",
        summary.events,
        peak_memory().map_or("unknown".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6)),
    );
    Ok(())
}

/// The largest resident set of this process so far, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

fn templates(data: &Data) -> Result<()> {
    let path = data.0.join("dsm/signature.traces.gz");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", path.display()))?;
    MultiGzDecoder::new(file).read_to_end(&mut bytes).into_diagnostic()?;
    let split = || {
        let words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map(<[u8]>::len).fold(0usize, |sum, length| sum ^ length)
    };
    let mine = |bytes: &[u8], threads: usize| mine_on(bytes, threads).expect("the traces were read before");
    if mine(&bytes, 1) != mine(&bytes, 2) {
        bail!("one thread and two found different numbers of properties");
    }
    // A second thread pays from some megabytes on.
    let long = bytes.repeat(20);
    // Alternating, so that a busy neighbor slows all of them alike.
    let mut times = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for round in 0..31 {
        times[0].push(time(split));
        times[1].push(time(|| mine(&bytes, 1)));
        if round % 3 == 0 {
            times[2].push(time(|| mine(&long, 1)));
            times[3].push(time(|| mine(&long, 2)));
        }
    }
    let [split, one, long_one, long_two] = times.map(median);
    let row = |what: &str, seconds: f64| {
        println!("| {what} | {:.2} ms | {:.2} × splitting |", 1e3 * seconds, seconds / split);
    };
    row("split DSM's Signature traces (4.1 MB) into words", split);
    row("read them and mine six templates, one core", one);
    println!("| 20 copies of them, one core | {:.1} ms | |", 1e3 * long_one);
    println!(
        "| 20 copies of them, two cores | {:.1} ms | {:.2} × faster |",
        1e3 * long_two,
        long_one / long_two
    );
    Ok(())
}

fn mine_on(bytes: &[u8], threads: usize) -> Result<usize> {
    let options = Options::new(Labels::Exception);
    let worker = || (PropertyMiner::new(Purity::ByName), Alphabet::new());
    let mut workers: Vec<_> = (0..threads).map(|_| worker()).collect();
    if threads == 1 {
        let (miner, alphabet) = &mut workers[0];
        read::words(bytes, "signature.traces", None, &options, alphabet, miner)?;
    } else {
        read::parallel(bytes, "signature.traces", None, &options, &mut workers)?;
    }
    let mut counts = None;
    for (miner, _) in workers {
        let next = miner.finish()?;
        counts = Some(match counts {
            None => next,
            Some(sum) => next.merge(&sum)?,
        });
    }
    let counts = counts.ok_or_else(|| miette!("there is at least one worker"))?;
    Ok(counts.mined(&wanted())?.properties.len())
}

fn inference(data: &Data) -> Result<()> {
    let mut all = Words::new();
    for subject in SUBJECTS {
        let path = data.0.join("dsm").join(format!("{}.traces.gz", subject.file));
        if path.exists() {
            read_traces(&path, &mut all)?;
        }
    }
    let words: Vec<Vec<u32>> = all.words.iter().map(|word| word.letters.clone()).collect();
    let (traces, events) = (all.traces(), all.events());
    let seconds = time(|| ktail(&words, Horizon(2)));
    println!("| 2-tail over all of DSM's traces ({traces} traces, {events} events) | {seconds:.2} s | |");
    Ok(())
}

fn wanted() -> Wanted {
    Wanted { templates: Template::ALL.to_vec(), min_support: 1, min_confidence: 1.0 }
}

fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let begin = Instant::now();
    black_box(work());
    begin.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
