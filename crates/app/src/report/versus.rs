//! Two models side by side, and the words that only one of them allows.

use std::path::Path;

use adit_automata::TooLarge;
use serde_json::{Value, json};

use super::html::{Views, fill};
use super::page::Page;
use crate::models::{MODEL, STATES};

/// Words that only one of two models allows.
pub(crate) struct Versus {
    /// Words that only the first model can read: for each last label the shortest.
    pub(crate) only_one: Vec<Vec<String>>,
    /// The same for the second.
    pub(crate) only_two: Vec<Vec<String>>,
    /// Both models read the same words, and the listed ones may end in only one of them.
    pub(crate) ends: bool,
}

impl Versus {
    /// Compares the words that two models can read and, if these agree, the words that they accept.
    pub(crate) fn new(one: &Page, two: &Page) -> Result<Self, TooLarge> {
        let (a, b) = (&one.model, &two.model);
        let (only_one, only_two) = (a.reads_beyond(b, STATES)?, b.reads_beyond(a, STATES)?);
        let mut found = Self { only_one, only_two, ends: false };
        if found.same() {
            found.ends = true;
            found.only_one.extend(a.separating_word(b, STATES)?);
            found.only_two.extend(b.separating_word(a, STATES)?);
        }
        Ok(found)
    }

    /// Returns the differences for tools.
    pub(crate) fn as_json(&self) -> Value {
        json!({
            "equal": self.same(), "only_in_first": self.only_one, "only_in_second": self.only_two,
            "same_calls": self.ends,
        })
    }

    /// Returns true if there is no difference.
    pub(crate) fn same(&self) -> bool {
        self.only_one.is_empty() && self.only_two.is_empty()
    }
}

/// Returns the page about two models, read from `places`. The differences are unknown if the comparison was
/// too large.
pub(crate) fn versus(one: &Page, two: &Page, places: [&Path; 2], found: &Result<Versus, TooLarge>) -> String {
    let mut views = Views::default();
    let [first, second] = names(one, two, places);
    let models = [
        views.add(&first, &one.model, &one.pure, &one.evidence),
        views.add(&second, &two.model, &two.pure, &two.evidence),
    ];
    let says = match found {
        Ok(found) if found.same() => "The models allow the same call sequences.".to_owned(),
        Ok(found) if found.ends => "Both models allow the same call sequences. They differ in where a trace may end: below is the shortest trace that only one accepts. Select it to follow it in both.".to_owned(),
        Ok(_) => "Each trace below is the shortest one that ends with a call which only one of the models allows there. Select one to follow it in both.".to_owned(),
        Err(_) => "The differences are unknown.".to_owned(),
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
        "{} vs {} states, {} vs {} transitions",
        one.model.explored_states().count(),
        two.model.explored_states().count(),
        one.model.transitions(),
        two.model.transitions()
    );
    fill(&format!("{first} and {second}"), &summary, &views.figures, &data)
}

/// Returns different names for the two models: their titles, or for two runs of one class the names of their
/// folders, or else their whole paths.
fn names(one: &Page, two: &Page, places: [&Path; 2]) -> [String; 2] {
    if one.title != two.title {
        return [one.title.clone(), two.title.clone()];
    }
    let whole = places.map(|place| place.display().to_string());
    let last = places.map(|place| {
        // Models of campaigns all have the same file name; their folders differ.
        let place = if place.ends_with(MODEL) { place.parent().unwrap_or(place) } else { place };
        place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    });
    let told = if last[0] == last[1] || last.iter().any(String::is_empty) { whole } else { last };
    told.map(|place| if place == one.title { place } else { format!("{} ({place})", one.title) })
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    fn page(title: &str, accepting: bool, edges: &[(usize, &str, usize)]) -> Page {
        let mut builder = Builder::new();
        builder.state(accepting);
        builder.state(true);
        builder.initial(0);
        for (from, label, to) in edges {
            builder.edge(*from, (*label).to_owned(), *to);
        }
        Page::of(title, builder.build())
    }

    #[test]
    fn models_of_one_class_are_told_apart_by_their_folders() {
        let door = page("Door", true, &[(0, "open", 1)]);
        let other = page("Gate", true, &[(0, "open", 1)]);
        let of = |two: &Page, places: [&str; 2]| names(&door, two, places.map(Path::new));
        assert_eq!(of(&other, ["a", "b"]), ["Door", "Gate"]);
        assert_eq!(of(&door, ["out/v1", "out/v2"]), ["Door (v1)", "Door (v2)"]);
        assert_eq!(of(&door, ["v1/model.json", "v2/model.json"]), ["Door (v1)", "Door (v2)"]);
        assert_eq!(of(&door, ["v1/Door", "v2/Door"]), ["Door (v1/Door)", "Door (v2/Door)"]);
    }

    #[test]
    fn what_is_said_fits_what_is_listed() {
        let door = page("Door", true, &[(0, "open", 1), (1, "close", 0)]);
        let shut = page("Door", true, &[(0, "open", 1)]);
        let never = page("Door", false, &[(0, "open", 1)]);
        let told = |one: &Page, two: &Page| {
            let found = Versus::new(one, two);
            (versus(one, two, [Path::new("a"), Path::new("b")], &found), found.unwrap())
        };
        let (html, found) = told(&door, &shut);
        assert_eq!(
            (&found.only_one[..], found.ends),
            (&[vec!["open".to_owned(), "close".to_owned()]][..], false)
        );
        assert!(html.contains("ends with a call which only one of the models allows there"));
        let (html, found) = told(&shut, &never);
        assert_eq!((&found.only_one[..], found.ends), (&[Vec::new()][..], true));
        assert!(html.contains("differ in where a trace may end"));
    }
}
