//! Deals words out to several sinks, each on a thread of its own.
//!
//! The calling thread makes the words. It collects them in parcels; a parcel of whole words goes to the sinks
//! in turn. So which sink receives which word depends on the words and on the number of sinks, never on
//! timing. The parts of a word that is longer than a parcel all go to the same sink.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::{Alphabet, Letter, WordSink};

/// Letters in a parcel: enough that sending one costs nothing beside counting it.
const PARCEL: usize = 1 << 16;

/// The most parcels that may wait for a sink: enough to ride out a slow one, at a quarter of a megabyte each.
const WAITING: usize = 4;

/// Calls `make` with a sink that passes every word on to one of `workers`. Each worker has an alphabet that
/// names its letters. Merging them in their order is up to the caller.
///
/// With a single worker, `make` feeds it on the calling thread.
pub fn deal<S: WordSink + Send, R>(
    workers: &mut [(S, Alphabet)],
    make: impl FnOnce(&mut dyn WordSink) -> R,
) -> R {
    if let [(sink, alphabet)] = workers {
        return make(&mut Renamed { sink, alphabet, letters: Vec::new(), renamed: Vec::new() });
    }
    std::thread::scope(|scope| {
        let (mut queues, mut threads) = (Vec::new(), Vec::new());
        let (return_parcel, empty) = sync_channel(workers.len() * (WAITING + 2));
        for (sink, alphabet) in workers {
            let (queue, parcels) = sync_channel(WAITING);
            let return_parcel = return_parcel.clone();
            queues.push(Queue { parcels: queue, known: 0 });
            threads.push(scope.spawn(move || work(sink, alphabet, &parcels, &return_parcel)));
        }
        let mut dealer = Dealer { queues, next: 0, empty, parcel: Parcel::default() };
        let made = make(&mut dealer);
        dealer.send();
        drop(dealer);
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        made
    })
}

/// Words on their way to a sink.
#[derive(Default)]
struct Parcel {
    letters: Vec<Letter>,
    /// For each word that ends in here, the number of letters before its end, and its weight.
    ends: Vec<(usize, u64)>,
    /// Labels that the sink does not know yet.
    labels: Vec<Box<str>>,
}

struct Queue {
    parcels: SyncSender<Parcel>,
    /// The number of labels that were sent.
    known: usize,
}

struct Dealer {
    queues: Vec<Queue>,
    next: usize,
    empty: Receiver<Parcel>,
    parcel: Parcel,
}

impl Dealer {
    fn send(&mut self) {
        let parcel = std::mem::replace(&mut self.parcel, self.empty.try_recv().unwrap_or_default());
        // A worker that is gone has panicked, and joining it says so.
        self.queues[self.next].parcels.send(parcel).ok();
    }
}

impl WordSink for Dealer {
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
        let known = &mut self.queues[self.next].known;
        if *known < alphabet.len() {
            self.parcel.labels.extend(alphabet.names().skip(*known).map(Into::into));
            *known = alphabet.len();
        }
        self.parcel.letters.extend_from_slice(letters);
        if self.parcel.letters.len() >= 2 * PARCEL {
            self.send();
        }
    }

    fn end(&mut self, weight: u64) {
        self.parcel.ends.push((self.parcel.letters.len(), weight));
        // Empty words have no letters, and still take memory.
        if self.parcel.letters.len() + self.parcel.ends.len() >= PARCEL {
            self.send();
            self.next = (self.next + 1) % self.queues.len();
        }
    }
}

fn work<S: WordSink>(
    sink: &mut S,
    alphabet: &mut Alphabet,
    parcels: &Receiver<Parcel>,
    return_parcel: &SyncSender<Parcel>,
) {
    let mut renamed: Vec<Letter> = Vec::new();
    for mut parcel in parcels {
        renamed.extend(parcel.labels.drain(..).map(|label| alphabet.intern(&label)));
        for letter in &mut parcel.letters {
            *letter = renamed[*letter as usize];
        }
        let mut from = 0;
        for (end, weight) in parcel.ends.drain(..) {
            sink.part(&parcel.letters[from..end], alphabet);
            sink.end(weight);
            from = end;
        }
        if from < parcel.letters.len() {
            sink.part(&parcel.letters[from..], alphabet);
        }
        parcel.letters.clear();
        // Nobody waits for it any more when the dealer is done.
        return_parcel.try_send(parcel).ok();
    }
}

/// A sink whose alphabet may number labels in another way than that of the words.
struct Renamed<'a, S> {
    sink: &'a mut S,
    alphabet: &'a mut Alphabet,
    letters: Vec<Letter>,
    renamed: Vec<Letter>,
}

impl<S: WordSink> WordSink for Renamed<'_, S> {
    fn part(&mut self, letters: &[Letter], alphabet: &Alphabet) {
        let known = self.renamed.len();
        self.renamed.extend(alphabet.names().skip(known).map(|label| self.alphabet.intern(label)));
        self.letters.clear();
        self.letters.extend(letters.iter().map(|&letter| self.renamed[letter as usize]));
        self.sink.part(&self.letters, self.alphabet);
    }

    fn end(&mut self, weight: u64) {
        self.sink.end(weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Words;

    /// Many words, one of them longer than several parcels, to any number of sinks whose alphabets know some
    /// labels already.
    #[test]
    fn every_word_arrives_once() {
        let mut alphabet = Alphabet::new();
        let letters: Vec<Letter> = (0..40).map(|n| alphabet.intern(&format!("e{n}"))).collect();
        let words: Vec<(Vec<Letter>, u64)> = (0..3000_usize)
            .map(|n| {
                let length = if n == 1500 { 5 * PARCEL } else { n % 97 };
                ((0..length).map(|at| letters[(n * n + at) % 40]).collect(), (n % 3) as u64 + 1)
            })
            .collect();
        let feed = |sink: &mut dyn WordSink| {
            for (word, weight) in &words {
                for part in word.chunks(1000) {
                    sink.part(part, &alphabet);
                }
                sink.end(*weight);
            }
        };
        let mut expected = Words::new();
        feed(&mut expected);
        let expected = expected.sorted();
        for number in [1, 2, 3] {
            let other = |at: usize| {
                let known: Alphabet =
                    if at == 0 { ["x", "e7"].into_iter().collect() } else { Alphabet::new() };
                (Words::new(), known)
            };
            let mut workers: Vec<(Words, Alphabet)> = (0..number).map(other).collect();
            deal(&mut workers, feed);
            let mut found = Words::new();
            for (words, _) in &workers {
                for word in &words.words {
                    found.add(words.labels(word), word.weight);
                }
                assert!(number == 1 || words.events() < expected.events(), "one sink received everything");
            }
            assert_eq!(found.sorted().words, expected.words, "{number}");
        }
    }
}
