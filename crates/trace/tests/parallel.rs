//! Reading on several threads gives what reading on one gives.

use std::io::Read;

use adit_trace::read::{self, Options};
use adit_trace::{Alphabet, Format, Labels, Words};
use proptest::prelude::*;

fn one(text: &[u8], options: &Options) -> Result<(read::Summary, Vec<String>), String> {
    let mut words = Words::new();
    let summary = read::words(text, "log", Some(Format::Lines), options, &mut Alphabet::new(), &mut words);
    Ok((summary.map_err(|error| error.to_string())?, lines(&words)))
}

fn several(
    text: impl Read,
    options: &Options,
    threads: usize,
) -> Result<(read::Summary, Vec<String>), String> {
    let mut workers: Vec<(Words, Alphabet)> = (0..threads).map(|_| Default::default()).collect();
    let summary = read::parallel(text, "log", Some(Format::Lines), options, &mut workers);
    let summary = summary.map_err(|error| error.to_string())?;
    let mut all = Words::new();
    for (words, _) in &workers {
        for word in &words.words {
            all.add(words.labels(word), word.weight);
        }
    }
    Ok((summary, lines(&all)))
}

fn lines(words: &Words) -> Vec<String> {
    let mut lines: Vec<String> = words
        .words
        .iter()
        .map(|word| format!("{} × {}", words.labels(word).collect::<Vec<_>>().join(" "), word.weight))
        .collect();
    lines.sort();
    lines
}

/// A reader that hands out its bytes in uneven portions, as pipes do.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 * 31 % 70_001 + 1;
        let count = self.1.min(buffer.len()).min(self.0.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// A log of several blocks.
fn log(traces: usize) -> String {
    (0..traces).map(|n| format!("<START> a{} b:TRUE c{} <END>\n", n % 37, n % 5)).collect()
}

#[test]
fn threads_and_portions_do_not_show() {
    let text = log(60_000);
    let options = Options::new(Labels::Outcome);
    let expected = one(text.as_bytes(), &options).unwrap();
    assert_eq!(expected.0.traces, 60_000);
    for threads in 1..4 {
        assert_eq!(several(text.as_bytes(), &options, threads).unwrap(), expected);
        assert_eq!(several(Trickle(text.as_bytes(), 7), &options, threads).unwrap(), expected);
    }
}

#[test]
fn a_worker_sees_the_same_traces_every_time() {
    let text = log(60_000);
    let options = Options::new(Labels::Outcome);
    let run = |input: &mut dyn Read| {
        let mut workers: Vec<(Words, Alphabet)> = (0..3).map(|_| Default::default()).collect();
        read::parallel(input, "log", Some(Format::Lines), &options, &mut workers).unwrap();
        workers.into_iter().map(|(words, _)| words.words).collect::<Vec<_>>()
    };
    assert_eq!(run(&mut text.as_bytes()), run(&mut Trickle(text.as_bytes(), 3)));
}

#[test]
fn no_worker_reads_nothing_and_says_so() {
    let error = several("a b\n".as_bytes(), &Options::new(Labels::Method), 0).unwrap_err();
    assert_eq!(error, "log: no traces in this file");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The first error of the file is the one that is reported, wherever the others are.
    #[test]
    fn the_first_error_wins(faults in prop::collection::btree_set(0usize..40_000, 1..4), threads in 2usize..4) {
        let text: String = (0..40_000)
            .map(|n| if faults.contains(&n) { "<START> a\n".to_owned() } else { format!("<START> a b{} <END>\n", n % 9) })
            .collect();
        let options = Options::new(Labels::Outcome);
        let expected = one(text.as_bytes(), &options).unwrap_err();
        let place = format!("log:{}:1: ", faults.first().unwrap() + 1);
        prop_assert!(expected.starts_with(&place), "{}", expected);
        prop_assert_eq!(several(text.as_bytes(), &options, threads).unwrap_err(), expected);
    }
}
