//! Two models side by side, and what only one of them allows.

use adit_automata::TooLarge;
use serde_json::json;

use super::html::{Views, fill};
use super::page::Page;
use crate::models::STATES;

/// What only one of two models allows.
pub(crate) struct Versus {
    /// Words that only the first model can read, one for each label that they end with, the shortest.
    pub(crate) only_one: Vec<Vec<String>>,
    /// The same for the second.
    pub(crate) only_two: Vec<Vec<String>>,
}

impl Versus {
    /// Compares what two models can read. When they agree on that, the words that may end count.
    pub(crate) fn new(one: &Page, two: &Page) -> Result<Self, TooLarge> {
        let (a, b) = (&one.model, &two.model);
        let mut found = Self { only_one: a.reads_beyond(b, STATES)?, only_two: b.reads_beyond(a, STATES)? };
        if found.same() {
            found.only_one.extend(a.separating_word(b, STATES)?);
            found.only_two.extend(b.separating_word(a, STATES)?);
        }
        Ok(found)
    }

    /// Whether nothing differs.
    pub(crate) fn same(&self) -> bool {
        self.only_one.is_empty() && self.only_two.is_empty()
    }
}

/// The page of two models. What differs may be unknown, when finding it out takes too much.
pub(crate) fn versus(one: &Page, two: &Page, found: &Result<Versus, TooLarge>) -> String {
    let mut views = Views::default();
    // Two runs of one class have the same title, and a reader must be able to tell them apart.
    let (first, second) = if one.title == two.title {
        (format!("{} (first)", one.title), format!("{} (second)", two.title))
    } else {
        (one.title.clone(), two.title.clone())
    };
    let models = [
        views.add(&first, &one.model, &one.pure, &one.evidence),
        views.add(&second, &two.model, &two.pure, &two.evidence),
    ];
    let says = match found {
        Ok(found) if found.same() => "The models allow the same.".to_owned(),
        Ok(_) => "For each call that only one model allows somewhere, the shortest way there. Choose one to follow it in both.".to_owned(),
        Err(_) => "What differs is not known.".to_owned(),
    };
    let unknown = found
        .as_ref()
        .err()
        .map(|TooLarge(states)| format!("Comparing the models takes more than {states} states."));
    let nothing = Vec::new();
    let (only_one, only_two) =
        found.as_ref().map_or((&nothing, &nothing), |found| (&found.only_one, &found.only_two));
    let data = json!({
        "models": models,
        "differences": {"says": says, "unknown": unknown, "only_one": only_one, "only_two": only_two},
    });
    let summary = format!(
        "{} states beside {}; {} transitions beside {}",
        one.model.len(),
        two.model.len(),
        one.model.transitions(),
        two.model.transitions()
    );
    fill(&format!("{first} and {second}"), &summary, &views.figures, &data)
}
