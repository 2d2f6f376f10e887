//! Reading the papers' data folder: ground truths, published models, traces.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use adit_automata::Fsa;
use adit_automata::format::Spelling;
use adit_trace::read::{self, Options};
use adit_trace::{Alphabet, Label, Labels, WordSink, Words};
use miette::{IntoDiagnostic, Result, WrapErr, miette};

use crate::subjects::Subject;

/// Labels as the published models spell them.
pub(crate) const SPELLING: Spelling = Spelling {
    from_word: |word| Label::parse_recorded(word).to_string(),
    from_identifier: |word| Label::parse_identifier(word).to_string(),
    ..Spelling::PLAIN
};

/// The traces that a model is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Randoop's, with which DSM and DICE start.
    Dsm,
    /// DICE-Tester's.
    Dice,
    /// Both, DSM's first.
    Both,
}

pub(crate) struct Data(pub(crate) PathBuf);

impl Data {
    /// The papers' ground truth for `subject`.
    pub(crate) fn truth(&self, subject: &Subject) -> Result<Fsa<String>> {
        model(&self.0.join("dice/ground_truth").join(format!("{}.fsm.txt", subject.file)), subject)
    }

    /// The model that was published with the DICE paper.
    pub(crate) fn published_model(&self, subject: &Subject) -> Result<Fsa<String>> {
        model(&self.0.join("dice/models").join(format!("{}.fsm.txt", subject.file)), subject)
    }

    /// The traces of `subject`, or nothing when the source has none.
    ///
    /// As in [dice, section 4.1.1], DICE's traces with events that the truth does not know are left out; how
    /// many traces that were comes second.
    pub(crate) fn words(
        &self,
        subject: &Subject,
        source: Source,
        truth: &Fsa<String>,
    ) -> Result<Option<(Words, u64)>> {
        let mut words = Words::new();
        let mut left_out = 0;
        let dsm = self.0.join("dsm").join(format!("{}.traces.gz", subject.file));
        if source != Source::Dice && dsm.exists() {
            read_traces(&dsm, &mut words)?;
        } else if source == Source::Dsm {
            return Ok(None);
        }
        if source != Source::Dsm {
            let mut dice = Words::new();
            read_traces(&self.0.join("dice/traces").join(format!("{}.traces", subject.file)), &mut dice)?;
            for word in &dice.words {
                if dice.labels(word).all(|label| truth.letter(label).is_some()) {
                    words.add(dice.labels(word), word.weight);
                } else {
                    left_out += word.weight;
                }
            }
        }
        Ok(Some((words, left_out)))
    }
}

fn model(path: &Path, subject: &Subject) -> Result<Fsa<String>> {
    let text =
        fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
    let fsa = SPELLING.read(&text, &path.display().to_string(), None)?;
    // One published model calls some constructor calls by the virtual machine's name.
    Ok(fsa.map(|label| if label == "<init>" { subject.constructor.to_owned() } else { label.clone() }))
}

/// Reads one trace file.
pub(crate) fn read_traces(path: &Path, words: &mut impl WordSink) -> Result<()> {
    let file =
        File::open(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
    let mut alphabet = Alphabet::new();
    let options = Options::new(Labels::Exception);
    let name = path.display().to_string();
    read::words(file, &name, None, &options, &mut alphabet, words).map_err(|error| miette!(error))?;
    Ok(())
}
