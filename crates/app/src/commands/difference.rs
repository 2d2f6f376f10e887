//! The difference between a model and an earlier one of the same class, for reviewers: calls that became
//! possible, calls that are now refused, and calls that were not seen this time.

use std::fmt::Write as _;

use adit_automata::{Fsa, Reader, TooLarge};
use adit_picture::legible;
use adit_trace::Label;
use serde_json::{Value, json};

use crate::models::STATES;
use crate::output::counted;

/// Most words that are listed of one kind.
const LISTED: usize = 20;

/// Changes from an earlier model to this one. Each word is the shortest that ends with its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Words that only this model allows.
    pub(super) new: Vec<Vec<String>>,
    /// Words that the earlier model allows and whose last call throws now, with its label.
    pub(super) refused: Vec<(Vec<String>, String)>,
    /// Other words that only the earlier model allows: this search did not see them.
    pub(super) gone: Vec<Vec<String>>,
}

impl Difference {
    pub(super) fn between(now: &Fsa<String>, before: &Fsa<String>) -> Result<Self, TooLarge> {
        let mut found = Self { new: now.reads_beyond(before, STATES)?, ..Self::default() };
        for word in before.reads_beyond(now, STATES)? {
            match refusal(now, &word) {
                Some(label) => found.refused.push((word, label)),
                None => found.gone.push(word),
            }
        }
        Ok(found)
    }

    /// Tells whether the class behaves differently from what the earlier model says. A search that saw less
    /// says nothing about the class.
    pub(super) fn is_news(&self) -> bool {
        !self.new.is_empty() || !self.refused.is_empty()
    }

    pub(super) fn as_json(&self) -> Value {
        let refused = self.refused.iter().map(|(word, label)| json!({ "word": word, "now": label }));
        json!({ "new": self.new, "refused": refused.collect::<Vec<_>>(), "gone": self.gone })
    }

    /// Returns the difference as Markdown, ready for a comment on a change.
    pub(super) fn markdown(&self, title: &str) -> String {
        let mut text = format!("### {}\n\n", code(title));
        if *self == Self::default() {
            text += "The model has not changed.\n";
            return text;
        }
        let sections = [
            ("is possible now", "are possible now", self.new.iter().map(|word| (word, None)).collect()),
            (
                "is refused now",
                "are refused now",
                self.refused.iter().map(|(word, label)| (word, Label::parse(label).threw())).collect(),
            ),
            (
                "was not seen this time",
                "were not seen this time",
                self.gone.iter().map(|word| (word, None)).collect::<Vec<_>>(),
            ),
        ];
        for (one, many, words) in sections.into_iter().filter(|(.., words)| !words.is_empty()) {
            let verb = if words.len() == 1 { one } else { many };
            let _ = writeln!(text, "**{} {verb}:**\n", counted(words.len(), "call"));
            let _ = writeln!(text, "| call | after | |\n|---|---|---|");
            for (word, threw) in words.iter().take(LISTED) {
                let (last, rest) = word.split_last().map_or(("", &[][..]), |(last, rest)| (last, rest));
                let rest: Vec<String> = rest.iter().map(|label| code(label)).collect();
                let threw = threw.map(|class| format!("throws {}", code(class))).unwrap_or_default();
                let _ = writeln!(text, "| {} | {} | {threw} |", code(last), rest.join(" "));
            }
            if words.len() > LISTED {
                let _ = writeln!(text, "\n{} more.", words.len() - LISTED);
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// A name as code that neither ends nor leaves its cell.
fn code(text: &str) -> String {
    format!("`{}`", legible(text).replace('`', "'").replace('|', "\\|"))
}

/// The label with which a model refuses the last call of a word, if it does where the rest of the word leads.
fn refusal(model: &Fsa<String>, word: &[String]) -> Option<String> {
    let (last, rest) = word.split_last()?;
    let mut reader = Reader::indexed(model);
    if !reader.reads(rest.iter().map(|label| model.letter(label))) {
        return None;
    }
    let method = Label::parse(last).method();
    let refused = |state: &usize| {
        model.refusals(*state).iter().find(|label| Label::parse(label).method() == method).cloned()
    };
    reader.states().iter().find_map(refused)
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::*;

    fn model(edges: &[(usize, &str, usize)], refusals: &[(usize, &str)]) -> Fsa<String> {
        let mut builder = Builder::new();
        (0..3).for_each(|_| _ = builder.state(true));
        builder.initial(0);
        for (from, label, to) in edges {
            builder.edge(*from, (*label).to_owned(), *to);
        }
        for (state, label) in refusals {
            builder.refusals(*state, vec![(*label).to_owned()]);
        }
        builder.build()
    }

    #[test]
    fn what_is_new_refused_and_gone() {
        let before = model(&[(0, "Door", 1), (1, "open", 2), (2, "lock", 1), (1, "paint", 1)], &[]);
        let now =
            model(&[(0, "Door", 1), (1, "open", 2), (2, "knock", 2)], &[(2, "lock!IllegalStateException")]);
        let found = Difference::between(&now, &before).unwrap();
        assert!(found.is_news());
        expect![[r#"
            ### `a.Door`

            **1 call is possible now:**

            | call | after | |
            |---|---|---|
            | `knock` | `Door` `open` |  |

            **1 call is refused now:**

            | call | after | |
            |---|---|---|
            | `lock` | `Door` `open` | throws `IllegalStateException` |

            **1 call was not seen this time:**

            | call | after | |
            |---|---|---|
            | `paint` | `Door` |  |
        "#]]
        .assert_eq(&found.markdown("a.Door"));
        let less = model(&[(0, "Door", 1), (1, "open", 2), (2, "lock", 1)], &[]);
        let found = Difference::between(&less, &before).unwrap();
        assert!(!found.is_news() && found.gone == [["Door", "paint"]], "{found:?}");
        assert_eq!(
            Difference::between(&before, &before).unwrap().markdown("a|b`"),
            "### `a\\|b'`\n\nThe model has not changed.\n"
        );
    }
}
