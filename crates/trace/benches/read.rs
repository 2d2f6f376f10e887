//! Cost of reading, beside the cost of splitting the same bytes at white space: the ratio is what matters,
//! for it says the same on every machine. The data look like traces of `java.security.Signature`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use adit_trace::read::{self, Options};
use adit_trace::{Alphabet, Format, Labels, Letter, WordSink, Words};
use divan::Bencher;
use divan::counter::BytesCount;

#[expect(clippy::print_stdout, reason = "a benchmark is there to print its result")]
fn main() {
    divan::main();
    let text = log(23_627);
    let split = best(|| split(&text));
    let read = best(|| count(&text));
    println!("reading takes {:.2} times as long as splitting", read.as_secs_f64() / split.as_secs_f64());
}

/// The yardstick: the words of a text, counted.
#[divan::bench(args = [1_000, 23_627])]
fn splitting(bencher: Bencher<'_, '_>, traces: usize) {
    let text = log(traces);
    bencher.counter(BytesCount::new(text.len())).bench(|| split(&text));
}

/// Lines to letters, which is all that a miner needs.
#[divan::bench(args = [1_000, 23_627])]
fn lines_to_letters(bencher: Bencher<'_, '_>, traces: usize) {
    let text = log(traces);
    bencher.counter(BytesCount::new(text.len())).bench(|| count(&text));
}

/// The same on two threads.
#[divan::bench(args = [23_627, 236_270])]
fn lines_to_letters_on_two_threads(bencher: Bencher<'_, '_>, traces: usize) {
    let text = log(traces);
    let options = Options::new(Labels::Outcome);
    bencher.counter(BytesCount::new(text.len())).bench(|| {
        let mut workers = [(Counter(0), Alphabet::new()), (Counter(0), Alphabet::new())];
        read::parallel(text.as_bytes(), "log", Some(Format::Lines), &options, &mut workers)
    });
}

/// Lines to distinct words with weights, which inference needs.
#[divan::bench(args = [23_627])]
fn lines_to_words(bencher: Bencher<'_, '_>, traces: usize) {
    let text = log(traces);
    bencher.counter(BytesCount::new(text.len())).bench(|| {
        let mut words = Words::new();
        let options = Options::new(Labels::Outcome);
        read::words(text.as_bytes(), "log", Some(Format::Lines), &options, &mut Alphabet::new(), &mut words)
    });
}

/// The other formats, interleaved ones regrouped.
#[divan::bench(args = [Format::Texada, Format::Csv, Format::Jsonl, Format::Abbadingo, Format::Xes])]
fn other_formats(bencher: Bencher<'_, '_>, format: Format) {
    let mut words = Words::new();
    let options = Options::new(Labels::Outcome);
    let text = log(2_000);
    read::words(text.as_bytes(), "log", Some(Format::Lines), &options, &mut Alphabet::new(), &mut words)
        .expect("the log is well-formed");
    let mut writer =
        adit_trace::write::Writer::new(Vec::new(), format, false).expect("the format can be written");
    assert!(writer.words(&words).is_continue());
    let (bytes, _) = writer.finish().expect("a vector takes any bytes");
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        read::words(bytes.as_slice(), "log", Some(format), &options, &mut Alphabet::new(), &mut Counter(0))
    });
}

/// Counts letters, so that a reader is measured and not its receiver.
struct Counter(u64);

impl WordSink for Counter {
    fn part(&mut self, letters: &[Letter], _alphabet: &Alphabet) {
        self.0 += letters.len() as u64;
    }

    fn end(&mut self, _weight: u64) {
        self.0 += 1;
    }
}

fn split(text: &str) -> usize {
    text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !black_box(word).is_empty()).count()
}

fn count(text: &str) -> u64 {
    let mut counter = Counter(0);
    let options = Options::new(Labels::Outcome);
    read::words(text.as_bytes(), "log", Some(Format::Lines), &options, &mut Alphabet::new(), &mut counter)
        .expect("the log is well-formed");
    counter.0
}

/// The shortest of several runs: what else the machine does only ever adds.
fn best<T>(mut run: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..40).map(time).min().unwrap_or_default()
}

/// Traces of 5 to 28 events over a handful of labels, always the same ones.
fn log(traces: usize) -> String {
    const LABELS: [&str; 6] = ["initVerify", "update", "verify:FALSE", "initSign", "sign", "verify:TRUE"];
    let mut seed = 0x5eed_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut text = String::new();
    for _ in 0..traces {
        text.push_str("<START> Signature");
        for _ in 0..5 + random(24) {
            text.push(' ');
            text.push_str(LABELS[random(6) as usize]);
        }
        text.push_str(" <END>\n");
    }
    text
}
