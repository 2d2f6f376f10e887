//! The cost of mining beside merely splitting a log into words, and beside nothing at all on a long log.
//!
//! `split` is the yardstick for `mine` and `split_and_mine`, which work on the same bytes. `stream` mines a
//! log that never exists as a whole: `ADIT_BENCH_EVENTS=100000000` makes it long, and memory must not grow
//! with it.

use adit_logic::Template;
use adit_mine::{Mined, PropertyMiner, Purity, Wanted};
use adit_trace::{Alphabet, Letter, WordSink};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const TRACES: usize = 20_000;

/// A small generator, so that every run measures the same log.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Traces like those of a signature object: an initialization, updates, a result, and again; about 17 events
/// each.
fn log() -> String {
    let mut dice = Dice(7);
    let mut log = String::new();
    for _ in 0..TRACES {
        log += "<START> Signature";
        while dice.roll(6) > 0 {
            let sign = dice.roll(2) == 0;
            log += if sign { " initSign" } else { " initVerify" };
            while dice.roll(3) > 0 {
                log += " update";
            }
            log += if sign { " sign" } else { " verify:TRUE" };
        }
        log += " <END>\n";
    }
    log
}

fn events(log: &str) -> usize {
    log.split_ascii_whitespace().count() - 2 * TRACES
}

fn mined(miner: PropertyMiner) -> Mined {
    let wanted = Wanted { templates: Template::ALL.to_vec(), min_support: 1, min_confidence: 1.0 };
    miner.finish().and_then(|counts| counts.mined(&wanted)).expect("a log without absurd weights or labels")
}

/// The words of the log, and nothing else.
#[divan::bench]
fn split(bencher: Bencher<'_, '_>) {
    let log = log();
    bencher.counter(ItemsCount::new(events(&log))).bench(|| {
        for word in black_box(&log).split_ascii_whitespace() {
            black_box(word);
        }
    });
}

/// All six templates, when the words are letters already.
#[divan::bench]
fn mine(bencher: Bencher<'_, '_>) {
    let log = log();
    let mut alphabet = Alphabet::new();
    let words: Vec<Vec<Letter>> = log
        .lines()
        .map(|line| line.split_ascii_whitespace().filter(|word| !word.starts_with('<')))
        .map(|word| word.map(|label| alphabet.intern(label)).collect())
        .collect();
    bencher.counter(ItemsCount::new(events(&log))).bench(|| {
        let mut miner = PropertyMiner::new(Purity::ByName);
        for word in &words {
            miner.part(word, &alphabet);
            miner.end(1);
        }
        mined(miner)
    });
}

/// From bytes to properties, with the simplest of readers.
#[divan::bench]
fn split_and_mine(bencher: Bencher<'_, '_>) {
    let log = log();
    bencher.counter(ItemsCount::new(events(&log))).bench(|| mined(read(&log)));
}

/// The same on two threads, whose counts are added.
#[divan::bench]
fn split_and_mine_on_two_threads(bencher: Bencher<'_, '_>) {
    let log = log();
    bencher.counter(ItemsCount::new(events(&log))).bench(|| {
        let middle = log[log.len() / 2..].find('\n').map_or(log.len(), |at| log.len() / 2 + at + 1);
        let (one, two) = log.split_at(middle);
        std::thread::scope(|scope| {
            let one = scope.spawn(|| read(one).finish());
            let two = read(two).finish().expect("a log without absurd weights or labels");
            let one = one.join().expect("mining does not panic").expect("as above");
            one.merge(&two).expect("two halves of a small log")
        })
    });
}

fn read(log: &str) -> PropertyMiner {
    let mut alphabet = Alphabet::new();
    let mut miner = PropertyMiner::new(Purity::ByName);
    let mut word = Vec::new();
    for line in log.lines() {
        word.clear();
        let labels = line.split_ascii_whitespace().filter(|word| !word.starts_with('<'));
        word.extend(labels.map(|label| alphabet.intern(label)));
        miner.part(&word, &alphabet);
        miner.end(1);
    }
    miner
}

/// A thousand labels, a tenth of them pure, in traces of the given length, made as they are mined.
#[divan::bench(args = [20, 1_000, 10_000_000], sample_count = 1, sample_size = 1)]
fn stream(bencher: Bencher<'_, '_>, length: usize) {
    const LABELS: u64 = 1000;
    let events: usize =
        std::env::var("ADIT_BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let mut alphabet = Alphabet::new();
    for n in 0..LABELS {
        alphabet.intern(&if n % 10 == 0 { format!("isIn{n}") } else { format!("do{n}") });
    }
    bencher.counter(ItemsCount::new(events)).bench(|| {
        let mut miner = PropertyMiner::new(Purity::ByName);
        let mut dice = Dice(11);
        let mut part = Vec::new();
        let mut left = events;
        while left > 0 {
            let mut rest = length.min(left);
            left -= rest;
            while rest > 0 {
                part.clear();
                part.extend((0..rest.min(4096)).map(|_| dice.roll(LABELS) as Letter));
                miner.part(&part, &alphabet);
                rest -= part.len();
            }
            miner.end(1);
        }
        mined(miner)
    });
}
