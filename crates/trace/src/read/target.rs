//! Receivers of what a format's reader understood: letters for miners of order, whole events for conversion,
//! or calls one by one for miners of data.
//!
//! A reader does not know which of them it serves. Events become numbers as early as possible, so that an
//! event is parsed once for each of its spellings and an open trace costs about a byte an event.

use rustc_hash::FxHashMap;

use super::Summary;
use super::error::Halt;
use crate::event_json::fields;
use crate::{Alphabet, CallSink, Event, EventSink, Labels, Letter, ObservedCall, State, WordSink};

/// An event as a format has it.
pub(crate) enum Spelled<'a> {
    /// One word, such as `add:TRUE`.
    Word(&'a str),
    /// Fields.
    Event(Event),
}

impl Spelled<'_> {
    pub(crate) fn into_event(self) -> Event {
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
    /// The target takes calls one by one. Readers of interleaved traces then need not put them together.
    const AT_ONCE: bool = false;
    /// Takes a call of which everything is known, with the class that has the method; only if
    /// [`Target::AT_ONCE`].
    fn call(&mut self, _class: &str, _event: &Event) -> Result<(), Halt> {
        Ok(())
    }
    /// Takes the next event of one of several traces; only if [`Target::AT_ONCE`].
    fn event_of(&mut self, _trace: &str, _event: Event, _summary: &mut Summary) -> Result<(), Halt> {
        Ok(())
    }
    /// The trace is complete; only if [`Target::AT_ONCE`].
    fn end_of(&mut self, _trace: &str) {}
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
pub(crate) struct ToEvents<'a> {
    sink: &'a mut dyn EventSink,
    known: KnownEvents,
}

/// Events that must wait for their trace. Each is kept once, so that regrouping costs what the different
/// events take.
#[derive(Default)]
struct KnownEvents {
    events: Vec<Event>,
    words: FxHashMap<Box<str>, Letter>,
    encoded: FxHashMap<Box<str>, Letter>,
}

impl KnownEvents {
    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        match event {
            Spelled::Word(word) => {
                if let Some(&number) = self.words.get(word) {
                    return Ok(number);
                }
                if self.words.len() >= REMEMBERED_WORDS {
                    return Err(Full);
                }
                let number = self.remember(Event::from_spelling(word))?;
                self.words.insert(word.into(), number);
                Ok(number)
            }
            Spelled::Event(event) => {
                let encoded = fields(&event);
                if let Some(&number) = self.encoded.get(encoded.as_str()) {
                    return Ok(number);
                }
                let number = self.remember(event)?;
                self.encoded.insert(encoded.into(), number);
                Ok(number)
            }
        }
    }

    fn remember(&mut self, event: Event) -> Result<Letter, Full> {
        let number = Letter::try_from(self.events.len()).map_err(|_| Full)?;
        self.events.push(event);
        Ok(number)
    }
}

impl<'a> ToEvents<'a> {
    pub(crate) fn new(sink: &'a mut dyn EventSink) -> Self {
        Self { sink, known: KnownEvents::default() }
    }
}

impl Target for ToEvents<'_> {
    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        self.known.number(event)
    }

    fn begin(&mut self, id: Option<&str>, weight: u64) -> Result<(), Halt> {
        go_on(self.sink.begin(id, weight))
    }

    fn push(&mut self, number: Letter) -> Result<(), Halt> {
        go_on(self.sink.event(&self.known.events[number as usize]))
    }

    fn pass(&mut self, event: Spelled<'_>) -> Result<Result<(), Full>, Halt> {
        go_on(self.sink.event(&event.into_event())).map(Ok)
    }

    fn end(&mut self) -> Result<(), Halt> {
        go_on(self.sink.end())
    }
}

/// Feeds a [`CallSink`].
///
/// Holds the last state of each open trace, and no events unless a format must wait for the end of a trace.
pub(crate) struct ToCalls<'a> {
    sink: &'a mut dyn CallSink,
    known: KnownEvents,
    /// The state after the last event of the trace that is being handed over.
    last: Option<State>,
    /// The same for traces that are interleaved.
    open: FxHashMap<Box<str>, Option<State>>,
}

impl<'a> ToCalls<'a> {
    pub(crate) fn new(sink: &'a mut dyn CallSink) -> Self {
        Self { sink, known: KnownEvents::default(), last: None, open: FxHashMap::default() }
    }
}

/// Hands an event to `sink`, with the state before it: recorded, or the `last` one.
fn observe(sink: &mut dyn CallSink, last: &mut Option<State>, event: &Event) -> Result<(), Halt> {
    let recorded = event.details.as_ref().and_then(|details| details.before.as_ref());
    let before = recorded.or(last.as_ref());
    let flow = sink.call(&ObservedCall { class: None, before, event });
    last.clone_from(&event.state);
    go_on(flow)
}

impl Target for ToCalls<'_> {
    const AT_ONCE: bool = true;

    fn call(&mut self, class: &str, event: &Event) -> Result<(), Halt> {
        let before = event.details.as_ref().and_then(|details| details.before.as_ref());
        let class = Some(class).filter(|class| !class.is_empty());
        go_on(self.sink.call(&ObservedCall { class, before, event }))
    }

    fn event_of(&mut self, trace: &str, event: Event, summary: &mut Summary) -> Result<(), Halt> {
        summary.events = summary.events.saturating_add(1);
        if !self.open.contains_key(trace) {
            summary.traces = summary.traces.saturating_add(1);
            self.open.insert(trace.into(), None);
        }
        let last = self.open.get_mut(trace).expect("it was just put there");
        observe(self.sink, last, &event)
    }

    fn end_of(&mut self, trace: &str) {
        self.open.remove(trace);
    }

    fn number(&mut self, event: Spelled<'_>) -> Result<Letter, Full> {
        self.known.number(event)
    }

    fn begin(&mut self, _id: Option<&str>, _weight: u64) -> Result<(), Halt> {
        self.last = None;
        Ok(())
    }

    fn push(&mut self, number: Letter) -> Result<(), Halt> {
        observe(self.sink, &mut self.last, &self.known.events[number as usize])
    }

    fn pass(&mut self, event: Spelled<'_>) -> Result<Result<(), Full>, Halt> {
        observe(self.sink, &mut self.last, &event.into_event()).map(Ok)
    }

    fn end(&mut self) -> Result<(), Halt> {
        self.last = None;
        Ok(())
    }
}

fn go_on(flow: std::ops::ControlFlow<()>) -> Result<(), Halt> {
    if flow.is_break() { Err(Halt::Stopped) } else { Ok(()) }
}
