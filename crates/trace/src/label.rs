//! Labels: events as letters of an alphabet, their one spelling, and the label functions that make them.
//!
//! A label names a method and, as far as the label function tells outcomes apart, how the call ended:
//!
//! | label | call |
//! |---|---|
//! | `nextToken` | returned; nothing else is told |
//! | `add:TRUE`, `add:FALSE` | returned a boolean |
//! | `pop!EmptyStackException` | threw |
//! | `remove(Object):TRUE` | one of several overloads, told apart by its parameter types |
//!
//! This file is the only one that reads or writes `:TRUE`, `!Exception`, parameter lists and the `_EXIT`
//! markers of older tools. Formats without fields write an event the same way, so [`Event::from_spelling`] is
//! here too.

use std::fmt;

use crate::{Event, Outcome, Value};

/// A label taken apart. It borrows the text it was parsed from, so parsing allocates nothing.
///
/// ```
/// use adit_trace::Label;
///
/// let label = Label::parse("remove(Object):TRUE");
/// assert_eq!((label.method(), label.name()), ("remove(Object)", "remove"));
/// assert_eq!(label.answer(), Some(true));
/// assert_eq!(label.opposite().unwrap().to_string(), "remove(Object):FALSE");
/// assert_eq!(Label::parse("pop!EmptyStackException").threw(), Some("EmptyStackException"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label<'a> {
    method: &'a str,
    ending: Ending<'a>,
}

/// The end of a call, as far as a label tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Ending<'a> {
    /// The label does not tell.
    Untold,
    /// The call returned this boolean.
    Answered(bool),
    /// The call threw an exception of this class.
    Threw(&'a str),
}

impl<'a> Label<'a> {
    /// The label of a call of `method` whose end is not told.
    pub fn call(method: &'a str) -> Self {
        Self { method, ending: Ending::Untold }
    }

    /// The label of a call of `method` that returned `answer`.
    pub fn answered(method: &'a str, answer: bool) -> Self {
        Self { method, ending: Ending::Answered(answer) }
    }

    /// The label of a call of `method` that threw an exception of `class`.
    pub fn thrown(method: &'a str, class: &'a str) -> Self {
        Self { method, ending: Ending::Threw(class) }
    }

    /// Parses a label as adit writes it. Every text is a label, and printing it gives the text back.
    ///
    /// The text after a `!` must look like the name of a class, so `Great!` and `a != b` are plain methods,
    /// and an outcome without a method is none.
    pub fn parse(text: &'a str) -> Self {
        if let Some((method, class)) = text.split_once('!')
            && !method.is_empty()
            && is_class_name(class)
        {
            return Self::thrown(method, class);
        }
        for answer in [true, false] {
            if let Some(method) = text.strip_suffix(answer_suffix(answer)).filter(|method| !method.is_empty())
            {
                return Self::answered(method, answer);
            }
        }
        Self::call(text)
    }

    /// Parses a label as other tools write it, too: a marker `_EXIT` with the source line of the return, as
    /// tools based on Daikon append it, is dropped. `verify_EXIT592:FALSE` is `verify:FALSE`.
    pub fn parse_recorded(text: &'a str) -> Self {
        let label = Self::parse(text);
        Self { method: without_exit_marker(label.method), ..label }
    }

    /// Parses a label written as an identifier, with an underscore for the colon that the language of a file
    /// does not allow: `hasMoreTokens_EXIT2180_TRUE` is `hasMoreTokens:TRUE`.
    pub fn parse_identifier(text: &'a str) -> Self {
        for answer in [true, false] {
            let method =
                text.strip_suffix(&answer_suffix(answer)[1..]).and_then(|rest| rest.strip_suffix('_'));
            if let Some(method) = method.filter(|method| !method.is_empty()) {
                return Self::answered(without_exit_marker(method), answer);
            }
        }
        Self::parse_recorded(text)
    }

    /// The method, with its parameter types where the label has them: the label without its outcome.
    pub fn method(self) -> &'a str {
        self.method
    }

    /// The method's name without parameter types: `remove` of `remove(Object):TRUE`.
    pub fn name(self) -> &'a str {
        self.split_method().0
    }

    /// The parameter types as the label has them: `int,String` of `read(int,String)`, empty for
    /// `nextToken()`, and none where the label does not tell overloads apart.
    pub fn parameters(self) -> Option<&'a str> {
        self.split_method().1
    }

    /// The label without parameter types: `remove:TRUE` of `remove(Object):TRUE`.
    pub fn without_parameters(self) -> Self {
        Self { method: self.name(), ..self }
    }

    fn split_method(self) -> (&'a str, Option<&'a str>) {
        match self.method.strip_suffix(')').and_then(|open| open.split_once('(')) {
            Some((name, parameters)) if !name.is_empty() => (name, Some(parameters)),
            _ => (self.method, None),
        }
    }

    /// The boolean that the call returned, if the label tells one.
    pub fn answer(self) -> Option<bool> {
        match self.ending {
            Ending::Answered(answer) => Some(answer),
            Ending::Untold | Ending::Threw(_) => None,
        }
    }

    /// The class of the exception that the call threw, if the label tells one.
    pub fn threw(self) -> Option<&'a str> {
        match self.ending {
            Ending::Threw(class) => Some(class),
            Ending::Untold | Ending::Answered(_) => None,
        }
    }

    /// The label of the same call with the other boolean: `add:FALSE` for `add:TRUE`.
    pub fn opposite(self) -> Option<Self> {
        self.answer().map(|answer| Self::answered(self.method, !answer))
    }

    /// Tells whether the name says that calling the method changes nothing: `is…` and `has…` [dice, section
    /// 3.2].
    ///
    /// The prefix must be followed by an upper-case letter, else `hashCode` and `issue` would count.
    pub fn is_pure_by_name(self) -> bool {
        ["is", "has"].iter().any(|prefix| {
            self.name().strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_uppercase))
        })
    }
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method)?;
        match self.ending {
            Ending::Untold => Ok(()),
            Ending::Answered(answer) => f.write_str(answer_suffix(answer)),
            Ending::Threw(class) => write!(f, "!{class}"),
        }
    }
}

/// The end of a label whose call returned `answer`.
fn answer_suffix(answer: bool) -> &'static str {
    if answer { ":TRUE" } else { ":FALSE" }
}

fn is_class_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
        && text.chars().all(|other| other.is_alphanumeric() || matches!(other, '_' | '$' | '.' | '/'))
}

/// `method` without a final `_EXIT` and the number of a source line.
///
/// DICE's traces and models have the number everywhere; one of Krka's published models has the bare marker.
/// Without a number it counts only after a name in lower case, as Java's methods have it, because names of
/// other logs end like that too: `NO_EXIT` is a name.
fn without_exit_marker(method: &str) -> &str {
    let marked = method.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let numbered = marked.len() < method.len();
    match marked.strip_suffix("_EXIT") {
        Some(name) if name.starts_with(char::is_lowercase) || (numbered && !name.is_empty()) => name,
        _ => method,
    }
}

/// The last part of a class name: `EmptyStackException` of `java.util.EmptyStackException`.
pub(crate) fn simple_name(class: &str) -> &str {
    // The number of an anonymous class says nothing by itself: `Outer$1` stays whole behind its package.
    let class = class.rsplit(['.', '/']).find(|part| !part.is_empty()).unwrap_or(class);
    class
        .rsplit('$')
        .next()
        .filter(|inner| inner.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .unwrap_or(class)
}

/// A label function. It is chosen once, outside every miner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// The method alone.
    Method,
    /// The method and a boolean result: `add:TRUE`.
    Outcome,
    /// The method, a boolean result, and the class of an exception: `pop!EmptyStackException`.
    Exception,
    /// The same, and the source line of the return where it is known: `top@78`, `isEmpty@48:TRUE`. This is
    /// how `krka` tells outcomes apart.
    Line,
}

impl Labels {
    /// Returns the label of `event`.
    pub fn of(self, event: &Event) -> String {
        let told;
        let method = match event.line().filter(|_| self == Self::Line) {
            Some(line) => {
                told = format!("{}@{line}", event.method);
                told.as_str()
            }
            None => event.method.as_str(),
        };
        match (self, &event.outcome) {
            (Self::Method, _) => Label::call(method),
            (_, Outcome::Returned(Value::Bool(answer))) => Label::answered(method, *answer),
            (Self::Exception | Self::Line, Outcome::Threw(class)) => {
                Label::thrown(method, simple_name(class))
            }
            _ => Label::call(method),
        }
        .to_string()
    }
}

/// Tells whether the name of a label's method says that calling it changes nothing; see
/// [`Label::is_pure_by_name`].
pub fn pure_by_name(label: &str) -> bool {
    Label::parse(label).is_pure_by_name()
}

/// Finds the label that a user means by `typed`, which `labels` does not have: the one that reads so without
/// its parameter types. Several are all returned, for the user to choose.
pub fn overloads_of<'a>(typed: &str, labels: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = Label::parse(typed);
    let reads_so = |label: &Label<'_>| label.parameters().is_some() && label.without_parameters() == typed;
    labels.into_iter().filter(|label| reads_so(&Label::parse(label))).collect()
}

impl Event {
    /// The event that one word of a log spells: `add:TRUE`, `pop!java.util.EmptyStackException`, `nextToken`,
    /// and with the markers of other tools `verify_EXIT592:FALSE`.
    pub fn from_spelling(spelling: &str) -> Self {
        let label = Label::parse_recorded(spelling);
        let outcome = match label.ending {
            Ending::Untold => Outcome::Unrecorded,
            Ending::Answered(answer) => Outcome::Returned(Value::Bool(answer)),
            Ending::Threw(class) => Outcome::Threw(class.to_owned()),
        };
        Self { outcome, ..Self::call(label.method) }
    }

    /// The word that spells this event, or `None` when no word is read back as this method and outcome.
    ///
    /// Arguments, states and results that are not boolean have no place in a word; they are left out.
    pub fn spelling(&self) -> Option<String> {
        let label = match &self.outcome {
            Outcome::Returned(Value::Bool(answer)) => Label::answered(&self.method, *answer),
            Outcome::Threw(class) => Label::thrown(&self.method, class),
            Outcome::Returned(_) | Outcome::Unrecorded => Label::call(&self.method),
        };
        let spelling = label.to_string();
        (Label::parse_recorded(&spelling) == label).then_some(spelling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn purity_by_name_needs_a_new_word() {
        let labels =
            ["isEmpty:TRUE", "hasMoreTokens", "hasNext!Foo", "isSet(int)", "hashCode", "issue", "is", "size"];
        let pure: Vec<_> = labels.into_iter().filter(|label| pure_by_name(label)).collect();
        assert_eq!(pure, ["isEmpty:TRUE", "hasMoreTokens", "hasNext!Foo", "isSet(int)"]);
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
        assert_eq!(Labels::Line.of(&event), "pop:FALSE");
        event.details = Some(Box::new(crate::Details { line: Some(48), ..Default::default() }));
        assert_eq!(Labels::Line.of(&event), "pop@48:FALSE");
        assert_eq!(Labels::Exception.of(&event), "pop:FALSE");
        assert!(Label::parse("isEmpty@48:TRUE").is_pure_by_name());
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
    fn labels_come_apart() {
        let parts = |text| {
            let label = Label::parse(text);
            (label.name(), label.parameters(), label.answer(), label.threw())
        };
        assert_eq!(parts("nextToken"), ("nextToken", None, None, None));
        assert_eq!(parts("nextToken()"), ("nextToken", Some(""), None, None));
        assert_eq!(parts("remove(Object):TRUE"), ("remove", Some("Object"), Some(true), None));
        assert_eq!(
            parts("read(byte[],int)!IOException"),
            ("read", Some("byte[],int"), None, Some("IOException"))
        );
        assert_eq!(parts("add:FALSE"), ("add", None, Some(false), None));
        for plain in ["(x)", "a)", "a(b", "a(b) ", "Great!", "!x", "a != b", ":TRUE", "add:True", ""] {
            assert_eq!(parts(plain), (plain, None, None, None));
        }
        let opposite = |text| Label::parse(text).opposite().map(|label| label.to_string());
        assert_eq!(opposite("add(int):TRUE").as_deref(), Some("add(int):FALSE"));
        assert_eq!(opposite("add(int)"), None);
        assert_eq!(opposite("add!X"), None);
    }

    #[test]
    fn a_name_alone_means_its_only_overload() {
        let labels = ["add", "nextToken()", "nextToken(String)", "remove(Object):TRUE", "remove(int)"];
        assert_eq!(overloads_of("nextToken", labels), ["nextToken()", "nextToken(String)"]);
        assert_eq!(overloads_of("remove", labels), ["remove(int)"]);
        assert_eq!(overloads_of("remove:TRUE", labels), ["remove(Object):TRUE"]);
        for nothing in ["add", "remove:FALSE", "remove(Object)", "nextToken(int)", ""] {
            assert!(overloads_of(nothing, labels).is_empty(), "{nothing}");
        }
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
        check("Socket_EXIT7", "Socket", Outcome::Unrecorded);
        check("add_EXIT", "add", Outcome::Unrecorded);
        check("add_EXIT:TRUE", "add", Outcome::Returned(Value::Bool(true)));
        check(
            "pop_EXIT12!java.util.EmptyStackException",
            "pop",
            Outcome::Threw("java.util.EmptyStackException".into()),
        );
        for plain in ["NO_EXIT", "_EXIT5", "_EXIT", "set_EXIT_CODE", "read_EXITS", "Great!", "add:True", ""] {
            check(plain, plain, Outcome::Unrecorded);
        }
    }

    #[test]
    fn identifiers_spell_labels() {
        let read = |text| Label::parse_identifier(text).to_string();
        assert_eq!(read("hasMoreTokens_EXIT2180_TRUE"), "hasMoreTokens:TRUE");
        assert_eq!(read("isEmpty_FALSE"), "isEmpty:FALSE");
        assert_eq!(read("stack_EXIT40"), "stack");
        assert_eq!(read("verify_EXIT592:FALSE"), "verify:FALSE");
        assert_eq!(read("_TRUE"), "_TRUE");
        assert_eq!(read("NO_EXIT"), "NO_EXIT");
    }

    proptest! {
        /// Every text is a label that prints as it was parsed.
        #[test]
        fn labels_come_back(text in "[a-z(]{0,2}(_EXIT|:TRUE|!|[0-9]|:FALSE|x\\.Y|\\)){0,4}") {
            prop_assert_eq!(Label::parse(&text).to_string(), text);
        }

        /// Whatever a word can spell is read back.
        #[test]
        fn spelling_comes_back(word in "[a-z]{0,2}(_EXIT|:TRUE|!|[0-9]|:FALSE|x\\.Y){0,4}") {
            let event = Event::from_spelling(&word);
            if let Some(spelling) = event.spelling() {
                prop_assert_eq!(Event::from_spelling(&spelling), event);
            }
        }
    }
}
