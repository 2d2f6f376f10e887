//! `lines`: a trace a line, events separated by white space, as DICE and DSM write them.
//!
//! ```text
//! <START> StringTokenizer hasMoreTokens:FALSE nextToken <END>
//! open read:TRUE close
//! ```
//! The markers may be missing, both or either. A blank line is nothing; an empty trace is `<START> <END>`.
//! Markers may be glued to their neighbors (`<END><START>`) and a line may hold several marked traces.
//! Control characters separate events as white space does: real files have runs of zeros where a writer
//! crashed.
//!
//! Cost: one pass over the bytes, a table lookup an event, no allocation per event or trace.

use std::io::Read;

use super::error::{Halt, Problem};
use super::excerpt::shorten;
use super::spellings::{Spellings, cut, separates};
use super::target::{Spelled, Target};
use super::text::{Block, Blocks, too_long};
use super::{Options, Reading, Summary};
use crate::format::{Certainty, Head};

pub(crate) const START: &str = "<START>";
pub(crate) const END: &str = "<END>";

/// Numbers in the table that are not events.
const START_NUMBER: u32 = u32::MAX;
const END_NUMBER: u32 = u32::MAX - 1;
/// A word with a marker in it and something else.
const GLUED: u32 = u32::MAX - 2;
const FIRST_SPECIAL: u32 = GLUED;

pub(crate) fn read<R: Read>(reading: Reading<'_, R, impl Target>) -> Result<(), Halt> {
    let Reading { source, options, target, summary } = reading;
    let mut blocks = Blocks::new(source, options.max_line);
    let mut reader = Reader::new(options);
    while let Some(block) = blocks.next()? {
        reader.block(&block, target, summary)?;
    }
    Ok(())
}

/// Recognizes a file by its beginning.
pub(crate) fn sniff(head: &Head<'_>) -> Option<Certainty> {
    head.first().contains(START).then_some(Certainty::Header)
}

/// The memory of a reader from one block to the next: the spellings, and nothing of the traces.
pub(super) struct Reader<'a> {
    options: &'a Options,
    known: Spellings,
}

/// The position in a line relative to markers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// No marker was seen.
    Unmarked,
    /// After the `<START>` at this byte of the block.
    Inside(usize),
    /// After an `<END>`.
    Outside,
}

impl<'a> Reader<'a> {
    pub(super) fn new(options: &'a Options) -> Self {
        Self { options, known: Spellings::new() }
    }

    /// Reads a block of whole lines.
    pub(super) fn block(
        &mut self,
        block: &Block<'_>,
        target: &mut impl Target,
        summary: &mut Summary,
    ) -> Result<(), Halt> {
        let text = block.text()?;
        let bytes = text.as_bytes();
        let mut line = LineState { block, summary, at: Where::Unmarked, events: 0, begun: false };
        let mut line_start = 0;
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if separates(byte) {
                if byte == b'\n' {
                    if at - line_start > block.max_line {
                        let number = line.number(line_start);
                        return Err(
                            too_long(block.name, number, &bytes[line_start..at], block.max_line).into()
                        );
                    }
                    line.end(self.options, target)?;
                    line_start = at + 1;
                }
                at += 1;
                continue;
            }
            let cut = cut(bytes, at);
            let word = &bytes[at..cut.end];
            let number = match self.known.get(word, &cut) {
                Some(number) => number,
                None => {
                    let word = &text[at..cut.end];
                    match number_of(word, target) {
                        Some(number) => {
                            self.known.insert(word.as_bytes(), &cut, number);
                            number
                        }
                        None => {
                            line.enter(at, word, target)?;
                            line.events += 1;
                            line.pass(at, word, self.options, target)?;
                            at = cut.end;
                            continue;
                        }
                    }
                }
            };
            if number < FIRST_SPECIAL {
                if !line.begun {
                    line.enter(at, &text[at..cut.end], target)?;
                }
                line.events += 1;
                target.push(number)?;
            } else {
                line.markers(at, &text[at..cut.end], number, self.options, target)?;
            }
            at = cut.end;
        }
        // The last line of a file may lack its end, and so may its block.
        if bytes.len() - line_start > block.max_line {
            let number = line.number(line_start);
            return Err(too_long(block.name, number, &bytes[line_start..], block.max_line).into());
        }
        line.end(self.options, target)
    }
}

/// The number of a word, or `None` when the target remembers no more words.
fn number_of(word: &str, target: &mut impl Target) -> Option<u32> {
    match word {
        START => Some(START_NUMBER),
        END => Some(END_NUMBER),
        _ if word.contains(START) || word.contains(END) => Some(GLUED),
        _ => target.number(Spelled::Word(word)).ok().filter(|&number| number < FIRST_SPECIAL),
    }
}

struct LineState<'a> {
    block: &'a Block<'a>,
    summary: &'a mut Summary,
    at: Where,
    events: u64,
    begun: bool,
}

impl LineState<'_> {
    fn number(&self, at: usize) -> u64 {
        self.block.first_line + memchr::memchr_iter(b'\n', &self.block.bytes[..at]).count() as u64
    }

    /// The first word of the line of `at`, which is not the word at `at`, and where it is.
    fn first_word(&self, at: usize) -> (usize, String) {
        let before = &self.block.bytes[..at];
        let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let first =
            before[line..].iter().position(|&byte| !separates(byte)).map_or(at, |offset| line + offset);
        let word = &self.block.bytes[first..cut(self.block.bytes, first).end];
        (first, shorten(&String::from_utf8_lossy(word)))
    }

    /// An event comes: begins its trace if need be.
    fn enter(&mut self, at: usize, word: &str, target: &mut impl Target) -> Result<(), Halt> {
        if self.at == Where::Outside {
            return Err(self.block.error(at, Problem::Stray { word: shorten(word) }).into());
        }
        if !self.begun {
            target.begin(None, 1)?;
            self.begun = true;
        }
        Ok(())
    }

    fn pass(&self, at: usize, word: &str, options: &Options, target: &mut impl Target) -> Result<(), Halt> {
        target
            .pass(Spelled::Word(word))?
            .map_err(|_| self.block.error(at, Problem::TooManyLabels { limit: options.max_labels }).into())
    }

    /// Handles a word that is a marker or contains some.
    #[cold]
    #[inline(never)]
    fn glued(
        &mut self,
        mut at: usize,
        mut word: &str,
        options: &Options,
        target: &mut impl Target,
    ) -> Result<(), Halt> {
        while !word.is_empty() {
            let len = if word.starts_with(START) {
                self.start(at, options, target)?;
                START.len()
            } else if word.starts_with(END) {
                self.close(at, target)?;
                END.len()
            } else {
                let len =
                    [START, END].iter().filter_map(|marker| word.find(marker)).min().unwrap_or(word.len());
                self.enter(at, &word[..len], target)?;
                self.events += 1;
                self.pass(at, &word[..len], options, target)?;
                len
            };
            at += len;
            word = &word[len..];
        }
        Ok(())
    }

    #[inline]
    fn markers(
        &mut self,
        at: usize,
        word: &str,
        number: u32,
        options: &Options,
        target: &mut impl Target,
    ) -> Result<(), Halt> {
        match number {
            START_NUMBER => self.start(at, options, target),
            END_NUMBER => self.close(at, target),
            _ => self.glued(at, word, options, target),
        }
    }

    /// A `<START>`.
    #[inline]
    fn start(&mut self, at: usize, options: &Options, target: &mut impl Target) -> Result<(), Halt> {
        match self.at {
            Where::Unmarked if self.begun => {
                let (first, word) = self.first_word(at);
                return Err(self.block.error(first, Problem::Stray { word }).into());
            }
            Where::Inside(start) => self.unclosed(start, options, target)?,
            Where::Unmarked | Where::Outside => {}
        }
        target.begin(None, 1)?;
        self.begun = true;
        self.at = Where::Inside(at);
        Ok(())
    }

    /// An `<END>`.
    #[inline]
    fn close(&mut self, at: usize, target: &mut impl Target) -> Result<(), Halt> {
        match self.at {
            Where::Outside => return Err(self.block.error(at, Problem::Stray { word: END.into() }).into()),
            Where::Unmarked if !self.begun => target.begin(None, 1)?,
            Where::Unmarked | Where::Inside(_) => {}
        }
        self.complete(target)?;
        self.at = Where::Outside;
        Ok(())
    }

    /// The line is over.
    #[inline]
    fn end(&mut self, options: &Options, target: &mut impl Target) -> Result<(), Halt> {
        match self.at {
            Where::Unmarked if self.begun => self.complete(target)?,
            Where::Inside(start) => self.unclosed(start, options, target)?,
            Where::Unmarked | Where::Outside => {}
        }
        self.at = Where::Unmarked;
        Ok(())
    }

    fn unclosed(&mut self, start: usize, options: &Options, target: &mut impl Target) -> Result<(), Halt> {
        if !options.keep_partial {
            return Err(self.block.error(start, Problem::Unclosed).into());
        }
        self.summary.partial += 1;
        self.complete(target)
    }

    #[inline]
    fn complete(&mut self, target: &mut impl Target) -> Result<(), Halt> {
        self.summary.count(self.events, 1);
        self.events = 0;
        self.begun = false;
        target.end()
    }
}
