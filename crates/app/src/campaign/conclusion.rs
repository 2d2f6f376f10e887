//! The end of a round: its results are written, and the folder is given back.

use std::time::Instant;

use adit_automata::format;
use adit_logic::{Fate, Property};
use adit_store::{Known, RoundEnd, StoredModel, StoredProperty, TestId};
use adit_trace::{Letter, Run, Script, Stop};
use miette::Report;

use super::model_choice::ChosenModel;
use super::recorder::{Recorder, RecordingCost};
use super::seen_words::Fingerprint;
use super::{labels, now};
use crate::witnesses::Witnesses;

/// Results of a round that its campaign stores.
pub(crate) struct Conclusion {
    pub(crate) chosen: ChosenModel,
    pub(crate) properties: Vec<JudgedProperty>,
    /// Tests with their runs: they take the model's transitions or refute properties.
    pub(crate) tests: Vec<(Script, Run)>,
    /// Tests that show transitions and refusals of the model, as far as that is known, by their positions.
    pub(crate) witnesses: Witnesses,
    pub(crate) stop: Stop,
}

/// A property with its fate. A witness is the position of a test.
pub(crate) struct JudgedProperty {
    pub(crate) property: Property<String>,
    pub(crate) fate: Fate<usize>,
    /// Number of different words that it is about.
    pub(crate) support: u64,
    /// Tests of this round that ran until one refuted it.
    pub(crate) found_after: Option<u64>,
}

impl Recorder<'_> {
    /// Writes the results of the round and closes the campaign. Returns what recording has cost in all.
    pub(crate) fn end(mut self, conclusion: &Conclusion) -> Result<RecordingCost, Report> {
        self.write()?;
        let begun = Instant::now();
        let repetitions = self.repetitions()?;
        let Conclusion { chosen, properties, tests, witnesses, stop } = conclusion;
        let class = self.campaign.writer.about()?.class;
        let json = format::write(&chosen.model, format::Format::Json, &class)?;
        let (reader, round) = (self.campaign.reader, self.campaign.round);
        let course = self.progress.course(round);
        let (run, seconds) = (self.pace.tests(), self.progress.elapsed().as_secs_f64());
        let mut writer = self.campaign.writer;
        writer.batch(|batch| {
            let ids = tests.iter().map(|(script, _)| batch.test(round, script));
            let ids: Vec<TestId> = ids.collect::<Result<_, _>>()?;
            repetitions.iter().try_for_each(|&(word, count)| batch.again(word, count))?;
            // Words whose test was not worth keeping until the model needed it.
            for ((script, run), &test) in tests.iter().zip(&ids).filter(|((_, run), _)| !run.leaked) {
                for heard in reader.read(script, run).iter().filter(|heard| !heard.word.is_empty()) {
                    batch.trace(&labels(reader, &heard.word), 0, Some(test))?;
                }
            }
            for JudgedProperty { property, fate, support, .. } in properties {
                let fate = fate.map(|test| ids[test]);
                batch.property(&StoredProperty { property: property.clone(), fate, support: *support })?;
            }
            if chosen.model.transitions() > 0 {
                batch.model(&StoredModel {
                    round,
                    made: chosen.made,
                    json: json.text,
                    why: chosen.why.clone(),
                    complete: chosen.complete,
                    realized: chosen.realized,
                    explored: chosen.explored,
                    tests: ids,
                    witnesses: witnesses.as_json(),
                    written: now(),
                })?;
            }
            batch.course(round, &course)?;
            batch.so_far(round, run, seconds)?;
            batch.end(round, &RoundEnd { ended: now(), stop: *stop })
        })?;
        writer.finish()?;
        Ok(RecordingCost { ending: begun.elapsed(), ..self.cost })
    }

    /// Numbers of stored words that were seen again in this round, and how often.
    fn repetitions(&self) -> Result<Vec<(i64, u64)>, Report> {
        let mut found = Vec::new();
        if !self.seen.has_repetitions() {
            return Ok(found);
        }
        let alphabet = self.campaign.reader.alphabet();
        let mut letters: Vec<Letter> = Vec::new();
        self.campaign.writer.each_word(
            0,
            |label| alphabet.get(label),
            |Known { id, word, .. }| {
                letters.clear();
                letters.extend(word.iter().copied().flatten());
                let is_whole = letters.len() == word.len();
                let count = self.seen.repetitions(Fingerprint::of(&letters)).filter(|_| is_whole);
                found.extend(count.map(|count| (id, count)));
            },
        )?;
        Ok(found)
    }
}
