//! `abbadingo`: the format of the Abbadingo competition, which FlexFringe reads too.
//!
//! ```text
//! 3 2
//! 1 2 open close
//! 1 0
//! 0 1 close
//! ```
//! The first line says how many traces and how many different symbols follow; each line after it is a label,
//! a length, and that many symbols. `1 0` is an empty trace. A trace labeled 0 is one that cannot happen:
//! miners here learn from what happened, so it is counted and passed over. Symbols are numbers or any words.

use std::io::Read;

use rustc_hash::FxHashSet;

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::stream::Streamed;
use super::target::{Spelled, Target};
use super::text::{Blocks, Line};
use super::{ReadError, Reading};
use crate::format::{Certainty, Head};

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let mut header: Option<Header> = None;
    let mut symbols = FxHashSet::default();
    let mut samples = 0u64;
    let mut blocks = Blocks::new(source, options.max_line);
    blocks.each_line(|line| {
        let mut words = line.text.split_ascii_whitespace();
        let Some(first) = words.next() else { return Ok(()) };
        let Some(header) = &header else {
            header = Some(Header::parse(&line)?);
            return Ok(());
        };
        samples += 1;
        if samples > header.samples {
            let what = format!("more than the {} traces announced on the first line", header.samples);
            return Err(line.error_at(first, Problem::Abbadingo { what }).into());
        }
        let positive = match first {
            "1" => true,
            "0" => false,
            _ => {
                let what =
                    format!("`{}` is not a label: write 1, or 0 for what cannot happen", shorten(first));
                return Err(line.error_at(first, Problem::Abbadingo { what }).into());
            }
        };
        let said: u64 = number(words.next(), "a length", &line)?;
        let mut trace = Streamed::default();
        let mut count = 0u64;
        for word in words {
            count += 1;
            if count > said {
                let what = format!("more than the {said} symbols announced on this line");
                return Err(line.error_at(word, Problem::Abbadingo { what }).into());
            }
            if !symbols.contains(word) {
                if symbols.len() as u64 >= header.symbols {
                    let what =
                        format!("more than the {} symbols announced on the first line", header.symbols);
                    return Err(line.error_at(word, Problem::Abbadingo { what }).into());
                }
                if symbols.len() >= options.max_labels {
                    return Err(line
                        .error_at(word, Problem::TooManyLabels { limit: options.max_labels })
                        .into());
                }
                symbols.insert(Box::<str>::from(word));
            }
            if positive {
                trace
                    .event(Spelled::Word(word), target)?
                    .map_err(|_| line.error_at(word, Problem::TooManyLabels { limit: options.max_labels }))?;
            }
        }
        if count < said {
            let what = format!("{count} symbols, but the line announces {said}");
            return Err(line.error(line.text.len(), Problem::Abbadingo { what }).into());
        }
        if positive {
            trace.end(target, summary)
        } else {
            summary.negative += 1;
            Ok(())
        }
    })?;
    if let Some(header) = header.filter(|header| samples < header.samples) {
        let what =
            format!("the file ends after {samples} traces, but the first line announces {}", header.samples);
        let (name, lines) = (blocks.name(), blocks.lines());
        return Err(ReadError::in_line(name, lines.max(1), b"", 0, Problem::Abbadingo { what }).into());
    }
    Ok(())
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    let mut lines = head.lines();
    is_abbadingo(lines.next().unwrap_or_default(), lines.next()).then_some(Certainty::Header)
}

/// Tells whether two numbers are followed by a line that keeps the promise of its own length.
fn is_abbadingo(first: &str, second: Option<&str>) -> bool {
    let numbers: Option<Vec<u64>> = first.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let Some([_, _]) = numbers.as_deref() else { return false };
    let Some(second) = second else { return true };
    let mut words = second.split_ascii_whitespace();
    let label = words.next();
    let length: Option<usize> = words.next().and_then(|word| word.parse().ok());
    matches!(label, Some("0" | "1")) && length == Some(words.count())
}

struct Header {
    samples: u64,
    symbols: u64,
}

impl Header {
    fn parse(line: &Line<'_>) -> Result<Self, ReadError> {
        let mut words = line.text.split_ascii_whitespace();
        let samples = number(words.next(), "how many traces follow", line)?;
        let symbols = number(words.next(), "the number of distinct symbols", line)?;
        match words.next() {
            Some(more) => {
                let what = format!("unexpected `{}` at the end of the first line", shorten(more));
                Err(line.error_at(more, Problem::Abbadingo { what }))
            }
            None => Ok(Self { samples, symbols }),
        }
    }
}

fn number(word: Option<&str>, meaning: &str, line: &Line<'_>) -> Result<u64, ReadError> {
    match word {
        Some(word) => word.parse().map_err(|_| {
            let what = format!("`{}` where a number should say {meaning}", shorten(word));
            line.error_at(word, Problem::Abbadingo { what })
        }),
        None => {
            let what = format!("no number that says {meaning}");
            Err(line.error(line.text.len(), Problem::Abbadingo { what }))
        }
    }
}
