//! The cost of mining invariants, from bytes of a Daikon trace to claims, and of counting alone.
//!
//! `dtrace` reads traces of a stack of 16,754, ten times and a hundred times as many calls, generated while
//! they are read: time must grow with the calls, and memory must not. `ADIT_BENCH_CALLS=100000000` adds a
//! longer one. `count` counts calls with ten fields.

use std::io::{self, Read};

use adit_logic::contract::Contracts;
use adit_mine::{ClassInvariants, InvariantMiner, InvariantQuery, Scope, ValueTypes};
use adit_trace::read::{self, Options};
use adit_trace::{Event, Format, Labels, ObservedCall, Outcome, State, Value};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const SCOPE: Scope = Scope { depth: 1, types: ValueTypes::PAPER, elements: false };

const QUERY: InvariantQuery =
    InvariantQuery { labels: Labels::Exception, min_confidence: 0.99, min_support: 1, keep_implied: false };

/// As many calls as the stack in the data of [krka] has, and multiples.
fn sizes() -> Vec<usize> {
    let more = std::env::var("ADIT_BENCH_CALLS").ok().and_then(|calls| calls.parse().ok());
    [16_754, 167_540, 1_675_400].into_iter().chain(more).collect()
}

#[divan::bench(args = sizes(), sample_count = 3)]
fn dtrace(bencher: Bencher<'_, '_>, calls: usize) {
    bencher.counter(ItemsCount::new(calls)).bench(|| {
        let mut miner = InvariantMiner::new(SCOPE);
        let log = StackLog::new(calls);
        let options = Options::new(Labels::Exception);
        read::calls(log, "stack.dtrace", Some(Format::Dtrace), &options, &mut miner).expect("a good log");
        let classes = miner.invariants(&QUERY).expect("few variables");
        let contracts: Vec<Contracts> = classes.iter().map(ClassInvariants::contracts).collect();
        black_box(contracts)
    });
}

#[divan::bench(args = [10_000, 100_000])]
fn count(bencher: Bencher<'_, '_>, calls: usize) {
    let state = |number: i64| -> State {
        (0..10).map(|field| (format!("field{field}"), Value::Int(number % (field + 2)))).collect()
    };
    let states: Vec<State> = (0..100).map(state).collect();
    let mut event = Event::call("step");
    event.outcome = Outcome::Returned(Value::Bool(true));
    bencher.counter(ItemsCount::new(calls)).bench_local(|| {
        let mut miner = InvariantMiner::new(SCOPE);
        for call in 0..calls {
            event.state = Some(states[(call + 1) % 100].clone());
            let call = ObservedCall { class: None, before: Some(&states[call % 100]), event: &event };
            miner.add(&call).expect("few variables");
        }
        miner
    });
}

/// A Daikon trace of a stack, made while it is read.
struct StackLog {
    left: usize,
    nonce: u64,
    top: i64,
    random: u64,
    buffer: Vec<u8>,
    at: usize,
}

impl StackLog {
    fn new(calls: usize) -> Self {
        let buffer = DECLARATIONS.as_bytes().to_vec();
        Self { left: calls, nonce: 0, top: -1, random: 7, buffer, at: 0 }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % sides
    }

    fn object(&self) -> String {
        let elements = "null ".repeat(20);
        let (elements, top) = (elements.trim_end(), self.top);
        format!(
            "this\n77\n1\nthis.theArray\n55\n1\nthis.theArray[..]\n[{elements}]\n1\nthis.topOfStack\n{top}\n1\n"
        )
    }

    /// Writes one call, with another inside now and then.
    fn call(&mut self) {
        let mut text = String::new();
        let nonce = self.nonce;
        self.nonce += 2;
        let enter = |method: &str, nonce: u64, object: &str| {
            format!("StackAr.{method}():::ENTER\nthis_invocation_nonce\n{nonce}\n{object}\n")
        };
        let exit = |method: &str, nonce: u64, object: &str, result: &str| {
            format!("StackAr.{method}():::EXIT9\nthis_invocation_nonce\n{nonce}\n{object}{result}\n")
        };
        let before = self.object();
        let answer = |yes: bool| format!("return\n{yes}\n1\n");
        match self.roll(4) {
            0 if self.top < 19 => {
                self.top += 1;
                text += &enter("push", nonce, &before);
                text += &exit("push", nonce, &self.object(), "");
            }
            1 if self.top >= 0 => {
                text += &enter("pop", nonce, &before);
                text += &enter("isEmpty", nonce + 1, &before);
                text += &exit("isEmpty", nonce + 1, &before, &answer(self.top < 0));
                self.top -= 1;
                text += &exit("pop", nonce, &self.object(), "");
            }
            _ => {
                text += &enter("isEmpty", nonce, &before);
                text += &exit("isEmpty", nonce, &before, &answer(self.top < 0));
            }
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(text.as_bytes());
    }
}

impl Read for StackLog {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() {
            if self.left == 0 {
                return Ok(0);
            }
            self.left -= 1;
            self.call();
            self.at = 0;
        }
        let count = (self.buffer.len() - self.at).min(out.len());
        out[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

const DECLARATIONS: &str = "decl-version 2.0\nvar-comparability none\n\n";
