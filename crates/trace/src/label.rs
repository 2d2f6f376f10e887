//! What counts as a letter: label functions from events to labels, and what can be read off a label.
//!
//! A label reads `add:TRUE` (a boolean result), `nextToken` (any other end) or `pop!EmptyStackException` (it threw).
//! The same spelling is how formats without fields write an event, so that [`Event::from_spelling`] is here too.

use crate::{Event, Outcome, Value};

/// A label function. It is chosen once, outside every miner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// The method alone.
    Method,
    /// The method and a boolean result: `add:TRUE`.
    Outcome,
    /// The method, a boolean result, and the class of an exception: `pop!EmptyStackException`.
    Exception,
}

impl Labels {
    /// The label of `event`.
    pub fn of(self, event: &Event) -> String {
        match (self, &event.outcome) {
            (Self::Outcome | Self::Exception, Outcome::Returned(Value::Bool(true))) => {
                format!("{}:TRUE", event.method)
            }
            (Self::Outcome | Self::Exception, Outcome::Returned(Value::Bool(false))) => {
                format!("{}:FALSE", event.method)
            }
            (Self::Exception, Outcome::Threw(class)) => format!("{}!{}", event.method, simple_name(class)),
            _ => event.method.clone(),
        }
    }
}

/// The method that a label names: the label without its outcome.
pub fn method_of(label: &str) -> &str {
    split_outcome(label).0
}

/// Whether the name of a label's method says that calling it changes nothing: `is…` and `has…` [dice, section 3.2].
///
/// The prefix must be followed by an upper-case letter, else `hashCode` and `issue` would count.
pub fn pure_by_name(label: &str) -> bool {
    let method = method_of(label);
    ["is", "has"]
        .iter()
        .any(|prefix| method.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_uppercase)))
}

impl Event {
    /// The event that one word of a log spells: `add:TRUE`, `pop!java.util.EmptyStackException`, `nextToken`.
    ///
    /// A marker `_EXIT` with the source line of the return, as DICE's data has it, is no part of the name:
    /// `verify_EXIT592:FALSE` is `verify` with the result `false`.
    pub fn from_spelling(spelling: &str) -> Self {
        let (method, outcome) = split_outcome(spelling);
        Self { outcome, ..Self::call(without_exit(method)) }
    }

    /// The word that spells this event, or `None` when no word is read back as this method and outcome.
    ///
    /// Arguments, states and results that are not boolean have no place in a word; they are left out.
    pub fn spelling(&self) -> Option<String> {
        let spelling = match &self.outcome {
            Outcome::Returned(Value::Bool(true)) => format!("{}:TRUE", self.method),
            Outcome::Returned(Value::Bool(false)) => format!("{}:FALSE", self.method),
            Outcome::Threw(class) => format!("{}!{class}", self.method),
            Outcome::Returned(_) | Outcome::Unrecorded => self.method.clone(),
        };
        let read_back = Self::from_spelling(&spelling);
        let same_outcome = match &self.outcome {
            Outcome::Returned(Value::Bool(_)) | Outcome::Threw(_) => read_back.outcome == self.outcome,
            Outcome::Returned(_) | Outcome::Unrecorded => read_back.outcome == Outcome::Unrecorded,
        };
        (read_back.method == self.method && same_outcome).then_some(spelling)
    }
}

/// Splits a word into method and outcome.
///
/// What stands after `!` must look like the name of a class, so that `Great!` or `a != b` stay names, and there must
/// be something left to be the method.
fn split_outcome(word: &str) -> (&str, Outcome) {
    if let Some((method, class)) = word.split_once('!')
        && !method.is_empty()
        && is_class_name(class)
    {
        return (method, Outcome::Threw(class.to_owned()));
    }
    for (suffix, value) in [(":TRUE", true), (":FALSE", false)] {
        if let Some(method) = word.strip_suffix(suffix).filter(|method| !method.is_empty()) {
            return (method, Outcome::Returned(Value::Bool(value)));
        }
    }
    (word, Outcome::Unrecorded)
}

fn is_class_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
        && text.chars().all(|other| other.is_alphanumeric() || matches!(other, '_' | '$' | '.' | '/'))
}

/// The last part of a class name: `EmptyStackException` of `java.util.EmptyStackException`.
fn simple_name(class: &str) -> &str {
    // The number of an anonymous class says nothing by itself: `Outer$1` stays whole behind its package.
    let class = class.rsplit(['.', '/']).find(|part| !part.is_empty()).unwrap_or(class);
    class
        .rsplit('$')
        .next()
        .filter(|inner| inner.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .unwrap_or(class)
}

/// `method` without a final `_EXIT` and number.
fn without_exit(method: &str) -> &str {
    let digits = method.trim_end_matches(|digit: char| digit.is_ascii_digit());
    match digits.strip_suffix("_EXIT") {
        Some(name) if digits.len() < method.len() && !name.is_empty() => name,
        _ => method,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn purity_by_name_needs_a_new_word() {
        let pure: Vec<_> =
            ["isEmpty:TRUE", "hasMoreTokens", "hasNext!Foo", "hashCode", "issue", "is", "size"]
                .into_iter()
                .filter(|label| pure_by_name(label))
                .collect();
        assert_eq!(pure, ["isEmpty:TRUE", "hasMoreTokens", "hasNext!Foo"]);
    }

    #[test]
    fn labels_tell_outcomes_apart_only_when_asked() {
        let mut event = Event::call("pop");
        event.outcome = Outcome::Threw("java.util.EmptyStackException".into());
        assert_eq!(Labels::Outcome.of(&event), "pop");
        assert_eq!(Labels::Exception.of(&event), "pop!EmptyStackException");
        event.outcome = Outcome::Returned(Value::Bool(false));
        assert_eq!(Labels::Method.of(&event), "pop");
        assert_eq!(Labels::Outcome.of(&event), "pop:FALSE");
    }

    #[test]
    fn exceptions_are_called_by_their_last_name() {
        let names =
            ["java.util.EmptyStackException", "a.Outer$Inner", "a.Outer$1", "java/io/IOException", "X", "a."];
        assert_eq!(
            names.map(simple_name),
            ["EmptyStackException", "Inner", "Outer$1", "IOException", "X", "a"]
        );
    }

    #[test]
    fn words_spell_events() {
        let check = |word: &str, method: &str, outcome: Outcome| {
            let event = Event::from_spelling(word);
            assert_eq!((event.method.as_str(), event.outcome), (method, outcome), "{word}");
        };
        check("nextToken", "nextToken", Outcome::Unrecorded);
        check("add:TRUE", "add", Outcome::Returned(Value::Bool(true)));
        check("verify_EXIT592:FALSE", "verify", Outcome::Returned(Value::Bool(false)));
        check("close_EXIT7", "close", Outcome::Unrecorded);
        check(
            "pop_EXIT12!java.util.EmptyStackException",
            "pop",
            Outcome::Threw("java.util.EmptyStackException".into()),
        );
        for plain in ["NO_EXIT", "_EXIT5", "Great!", "!x", "a != b", ":TRUE", "add:True", ""] {
            check(plain, plain, Outcome::Unrecorded);
        }
    }

    proptest! {
        /// Whatever a word can spell is read back, and the method of a label is the method of its event.
        #[test]
        fn spelling_comes_back(word in "[a-z]{0,2}(_EXIT|:TRUE|!|[0-9]|:FALSE|x\\.Y){0,4}") {
            let event = Event::from_spelling(&word);
            if let Some(spelling) = event.spelling() {
                prop_assert_eq!(Event::from_spelling(&spelling), event);
            }
            prop_assert_eq!(without_exit(method_of(&word)), Event::from_spelling(&word).method);
        }
    }
}
