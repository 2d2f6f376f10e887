//! The letters of events, so that each spelling is parsed once.

use adit_trace::{Alphabet, Event, Labels, Letter, Outcome, Value};
use rustc_hash::FxHashMap;

use crate::TableOptions;
use crate::error::TableError;
use crate::table::Table;

/// Stands for a text that is missing.
pub(crate) const NONE: u32 = u32::MAX;

/// Texts that occurred, numbered from zero.
#[derive(Default)]
pub(crate) struct Spellings {
    numbers: FxHashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Spellings {
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = u32::try_from(self.texts.len()).expect("fewer than 2^32 texts fit in memory");
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// The calls of some rows: names, results and exceptions, by their numbers.
pub(crate) struct Ended<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) returned: Option<&'a [Option<bool>]>,
    pub(crate) threw: Option<&'a [u32]>,
}

/// The letters of spellings that occurred.
pub(crate) struct LabelCache {
    labels: Labels,
    limit: usize,
    pub(crate) words: Spellings,
    pub(crate) classes: Spellings,
    /// By the number of the word.
    plain: Vec<Option<Letter>>,
    /// Those with a result or an exception.
    ended: FxHashMap<(u32, Option<bool>, u32), Letter>,
}

impl LabelCache {
    pub(crate) fn new(options: &TableOptions) -> Self {
        Self {
            labels: options.labels,
            limit: options.max_labels,
            words: Spellings::default(),
            classes: Spellings::default(),
            plain: Vec::new(),
            ended: FxHashMap::default(),
        }
    }

    /// The letters of rows whose words are known by number.
    pub(crate) fn letters(
        &mut self,
        rows: &Ended<'_>,
        alphabet: &mut Alphabet,
        table: &Table,
    ) -> Result<Vec<Letter>, TableError> {
        self.plain.resize(self.words.texts.len(), None);
        let mut letters = Vec::with_capacity(rows.words.len());
        for (row, &word) in rows.words.iter().enumerate() {
            let returned = rows.returned.and_then(|returned| returned[row]);
            let threw = rows.threw.map_or(NONE, |threw| threw[row]);
            let known = match (returned, threw) {
                (None, NONE) => self.plain[word as usize],
                _ => self.ended.get(&(word, returned, threw)).copied(),
            };
            letters.push(match known {
                Some(letter) => letter,
                None => self.new_letter(word, returned, threw, alphabet, table)?,
            });
        }
        Ok(letters)
    }

    fn new_letter(
        &mut self,
        word: u32,
        returned: Option<bool>,
        threw: u32,
        alphabet: &mut Alphabet,
        table: &Table,
    ) -> Result<Letter, TableError> {
        let spelled = Event::from_spelling(&self.words.texts[word as usize]);
        let outcome = match (returned, threw) {
            (None, NONE) => None,
            (Some(answer), NONE) => Some(Outcome::Returned(Value::Bool(answer))),
            (_, class) => Some(Outcome::Threw(self.classes.texts[class as usize].to_string())),
        };
        let letter = match outcome {
            None => {
                let letter = alphabet.intern(&self.labels.of(&spelled));
                self.plain[word as usize] = Some(letter);
                letter
            }
            Some(outcome) => {
                let letter = alphabet.intern(&self.labels.of(&Event { outcome, ..spelled }));
                self.ended.insert((word, returned, threw), letter);
                letter
            }
        };
        if alphabet.len() > self.limit {
            return Err(TableError::TooManyLabels { file: table.name.clone(), limit: self.limit });
        }
        Ok(letter)
    }
}
