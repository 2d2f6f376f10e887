//! Receivers of what a format's reader understood: letters for miners, or whole events for conversion.
//!
//! A reader does not know which of the two it serves. Events become numbers as early as possible, so that an
//! event is parsed once for each of its spellings and an open trace costs about a byte an event.

use rustc_hash::FxHashMap;

use super::error::Halt;
use crate::event_json::fields;
use crate::{Alphabet, Event, EventSink, Labels, Letter, WordSink};

/// An event as a format has it.
pub(crate) enum Spelled<'a> {
    /// One word, such as `add:TRUE`.
    Word(&'a str),
    /// Fields.
    Event(Event),
}

impl Spelled<'_> {
    fn into_event(self) -> Event {
        match self {
            Self::Word(word) => Event::from_spelling(word),
            Self::Event(event) => event,
        }
    }
}

/// There is no number left for another event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Full;

/// Receives traces from a reader.
pub(crate) trait Target {
    /// The number of an event, the same for equal events; to be handed to [`Target::push`], now or later.
    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full>;
    /// Like [`Target::number`], for an event that must wait for its trace, and so must have a number if at
    /// all possible.
    fn number_to_keep(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        match event {
            Spelled::Word(word) => self
                .number(Spelled::Word(word))
                .or_else(|Full| self.number(Spelled::Event(Event::from_spelling(word)))),
            fields => self.number(fields),
        }
    }
    /// A trace begins. Nothing is kept from one that was not ended.
    fn begin(&mut self, id: Option<&str>, weight: u64) -> Result<(), Halt>;
    /// The next event of the trace.
    fn push(&mut self, number: Letter) -> Result<(), Halt>;
    /// The next event of the trace, when it need not be remembered. The outer result is the receiver's, the
    /// inner one says whether there was a number for it.
    fn pass(&mut self, event: Spelled<'_>) -> Result<Result<(), Full>, Halt>;
    /// The trace is complete.
    fn end(&mut self) -> Result<(), Halt>;
}

/// The most letters that are handed to a sink at once.
const PART: usize = 64 * 1024;

/// The most spellings that are remembered. More are parsed each time they come.
const REMEMBERED_WORDS: usize = 64 * 1024;

/// Applies a label function and feeds a [`WordSink`].
pub(crate) struct ToWords<'a> {
    labels: Labels,
    max_labels: usize,
    alphabet: &'a mut Alphabet,
    sink: &'a mut dyn WordSink,
    letters: Vec<Letter>,
    weight: u64,
    words: FxHashMap<Box<str>, Letter>,
}

impl<'a> ToWords<'a> {
    pub(crate) fn new(
        labels: Labels,
        max_labels: usize,
        alphabet: &'a mut Alphabet,
        sink: &'a mut dyn WordSink,
    ) -> Self {
        Self {
            labels,
            max_labels,
            alphabet,
            sink,
            letters: Vec::new(),
            weight: 1,
            words: FxHashMap::default(),
        }
    }

    fn letter(&mut self, event: &Event) -> Result<Letter, Full> {
        let label = self.labels.of(event);
        match self.alphabet.get(&label) {
            Some(letter) => Ok(letter),
            None if self.alphabet.len() < self.max_labels => Ok(self.alphabet.intern(&label)),
            None => Err(Full),
        }
    }
}

impl Target for ToWords<'_> {
    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        match event {
            Spelled::Word(word) => {
                if let Some(&letter) = self.words.get(word) {
                    return Ok(letter);
                }
                let letter = self.letter(&Event::from_spelling(word))?;
                if self.words.len() < REMEMBERED_WORDS {
                    self.words.insert(word.into(), letter);
                }
                Ok(letter)
            }
            Spelled::Event(event) => self.letter(&event),
        }
    }

    fn begin(&mut self, _id: Option<&str>, weight: u64) -> Result<(), Halt> {
        self.letters.clear();
        self.weight = weight;
        Ok(())
    }

    #[inline]
    fn push(&mut self, number: Letter) -> Result<(), Halt> {
        self.letters.push(number);
        if self.letters.len() >= PART {
            self.sink.part(&self.letters, self.alphabet);
            self.letters.clear();
        }
        Ok(())
    }

    fn pass(&mut self, event: Spelled<'_>) -> Result<Result<(), Full>, Halt> {
        match self.number(event) {
            Ok(letter) => self.push(letter).map(Ok),
            Err(full) => Ok(Err(full)),
        }
    }

    #[inline]
    fn end(&mut self) -> Result<(), Halt> {
        if !self.letters.is_empty() {
            self.sink.part(&self.letters, self.alphabet);
            self.letters.clear();
        }
        self.sink.end(self.weight);
        Ok(())
    }
}

/// Feeds an [`EventSink`].
///
/// Events that must wait for their trace are kept once each, so that regrouping costs what the different
/// events take.
pub(crate) struct ToEvents<'a> {
    sink: &'a mut dyn EventSink,
    known: Vec<Event>,
    words: FxHashMap<Box<str>, Letter>,
    encoded: FxHashMap<Box<str>, Letter>,
}

impl<'a> ToEvents<'a> {
    pub(crate) fn new(sink: &'a mut dyn EventSink) -> Self {
        Self { sink, known: Vec::new(), words: FxHashMap::default(), encoded: FxHashMap::default() }
    }

    fn remember(known: &mut Vec<Event>, event: Event) -> Result<Letter, Full> {
        let number = Letter::try_from(known.len()).map_err(|_| Full)?;
        known.push(event);
        Ok(number)
    }
}

impl Target for ToEvents<'_> {
    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        match event {
            Spelled::Word(word) => {
                if let Some(&number) = self.words.get(word) {
                    return Ok(number);
                }
                if self.words.len() >= REMEMBERED_WORDS {
                    return Err(Full);
                }
                let number = Self::remember(&mut self.known, Event::from_spelling(word))?;
                self.words.insert(word.into(), number);
                Ok(number)
            }
            Spelled::Event(event) => {
                let encoded = fields(&event);
                if let Some(&number) = self.encoded.get(encoded.as_str()) {
                    return Ok(number);
                }
                let number = Self::remember(&mut self.known, event)?;
                self.encoded.insert(encoded.into(), number);
                Ok(number)
            }
        }
    }

    fn begin(&mut self, id: Option<&str>, weight: u64) -> Result<(), Halt> {
        go_on(self.sink.begin(id, weight))
    }

    fn push(&mut self, number: Letter) -> Result<(), Halt> {
        go_on(self.sink.event(&self.known[number as usize]))
    }

    fn pass(&mut self, event: Spelled<'_>) -> Result<Result<(), Full>, Halt> {
        go_on(self.sink.event(&event.into_event())).map(Ok)
    }

    fn end(&mut self) -> Result<(), Halt> {
        go_on(self.sink.end())
    }
}

fn go_on(flow: std::ops::ControlFlow<()>) -> Result<(), Halt> {
    if flow.is_break() { Err(Halt::Stopped) } else { Ok(()) }
}
