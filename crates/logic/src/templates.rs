//! Templates: formulas with placeholders, kept as data.
//!
//! The built-in ones are in `templates.toml`, beside this file, with their sources and with every mend of a
//! printed formula; a file of the user's own has the same form. [`formula_of`] is the definition of what the
//! six templates of [`Template`] mean; miners that count are tested against it.
//!
//! Paper: [dice, section 3.2] and [temari, section IV-B1].
//! Deviation: said beside each template.
//! Cost: that of the formula's size.

mod read;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use thiserror::Error;

pub use read::{TemplateError, read};

use crate::{Formula, Property, Template};

/// A formula with placeholders for events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaTemplate {
    /// Its name.
    pub name: String,
    /// The atoms of the pattern that stand for events, in the order of the arguments.
    pub placeholders: Vec<String>,
    /// The formula. Atoms that are not placeholders are labels; [`PURE`] stands for all labels without side
    /// effects.
    pub pattern: Formula<String>,
    /// The property in English, with placeholders in braces.
    pub sentence: String,
    /// The property in English for the case that all events are the same.
    pub sentence_same: Option<String>,
    /// The source of the template in the literature.
    pub source: Option<String>,
    /// The formula as the source prints it, where it differs.
    pub printed: Option<String>,
    /// The reason for the difference, or advice for using the template.
    pub note: Option<String>,
}

/// The atom that stands for any event without side effects.
pub const PURE: &str = "pure";

/// A template was given another number of events than it has placeholders.
#[derive(Clone, Debug, PartialEq, Eq, Error, miette::Diagnostic)]
#[error("template {name} takes {expected} events, and {given} were given")]
#[diagnostic(code(logic::arity), help("give one event for each of: {placeholders}"))]
pub struct WrongArity {
    name: String,
    expected: usize,
    given: usize,
    placeholders: String,
}

impl FormulaTemplate {
    /// A template in which every atom of `pattern` but [`PURE`] is a placeholder, in the order of first
    /// appearance.
    pub fn from_pattern(name: &str, pattern: Formula<String>) -> Self {
        let mut met = BTreeSet::from([PURE]);
        let placeholders: Vec<String> =
            pattern.labels().filter(|label| met.insert(label.as_str())).cloned().collect();
        let sentence = default_sentence(name, &placeholders);
        Self {
            name: name.to_owned(),
            placeholders,
            pattern,
            sentence,
            sentence_same: None,
            source: None,
            printed: None,
            note: None,
        }
    }

    /// The formula for these events, in the order of the placeholders. The atom [`PURE`] becomes "one of
    /// `pure`".
    pub fn formula<L: AsRef<str>>(
        &self,
        events: &[L],
        pure: &BTreeSet<String>,
    ) -> Result<Formula<String>, WrongArity> {
        self.check_arity(events.len())?;
        Ok(self.pattern.substitute(|atom| match self.placeholders.iter().position(|name| name == atom) {
            Some(place) => Formula::atom(events[place].as_ref().to_owned()),
            None if atom == PURE => Formula::any_of(pure.iter().cloned()),
            None => Formula::atom(atom.clone()),
        }))
    }

    /// The property of these events in English.
    pub fn sentence<L: AsRef<str>>(&self, events: &[L]) -> Result<String, WrongArity> {
        self.check_arity(events.len())?;
        let same = events.len() > 1 && events.windows(2).all(|pair| pair[0].as_ref() == pair[1].as_ref());
        let text = self.sentence_same.as_deref().filter(|_| same).unwrap_or(&self.sentence);
        // One pass, so that braces in a label are left alone.
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let hole = rest[start + 1..].find('}').map(|length| &rest[start + 1..start + 1 + length]);
            let place =
                hole.and_then(|name| self.placeholders.iter().position(|placeholder| placeholder == name));
            out += &rest[..start];
            match (hole, place) {
                (Some(name), Some(place)) => {
                    out += events[place].as_ref();
                    rest = &rest[start + name.len() + 2..];
                }
                _ => {
                    out.push('{');
                    rest = &rest[start + 1..];
                }
            }
        }
        Ok(out + rest)
    }

    fn check_arity(&self, given: usize) -> Result<(), WrongArity> {
        if given == self.placeholders.len() {
            return Ok(());
        }
        Err(WrongArity {
            name: self.name.clone(),
            expected: self.placeholders.len(),
            given,
            placeholders: self.placeholders.join(", "),
        })
    }
}

fn default_sentence(name: &str, placeholders: &[String]) -> String {
    let holes: Vec<String> = placeholders.iter().map(|name| format!("`{{{name}}}`")).collect();
    format!("{name}({})", holes.join(", "))
}

/// The templates that come with the program: DICE's six, purity-aware and plain, and TEMARI's four.
pub fn built_in() -> &'static [FormulaTemplate] {
    static BUILT_IN: LazyLock<Vec<FormulaTemplate>> = LazyLock::new(|| {
        read("templates.toml", include_bytes!("templates.toml")).expect("a test reads the built-in templates")
    });
    &BUILT_IN
}

/// The template of this name, in any case.
pub fn find<'t>(templates: &'t [FormulaTemplate], name: &str) -> Option<&'t FormulaTemplate> {
    templates.iter().find(|template| template.name.eq_ignore_ascii_case(name))
}

/// The purity-aware template that defines one of the six.
pub fn definition(template: Template) -> &'static FormulaTemplate {
    find(built_in(), template.short()).expect("a test looks up all six")
}

/// The formula of `property` when the events of `pure` have no side effects.
///
/// For each occurrence of `a`: AF, a `b` comes strictly later; NF, none does; AP, a `b` came strictly
/// earlier; AIF, a `b` comes later with only pure events between; NIF, no `b` is among the later events up to
/// and including the first impure one; AIP, a `b` came earlier with only pure events between.
pub fn formula_of<L: Ord + Clone>(property: &Property<L>, pure: &BTreeSet<L>) -> Formula<L> {
    let aware = definition(property.template);
    // Without pure events the plain form is equivalent, and easier to read than `false U b`.
    let plain = find(built_in(), &format!("{}-plain", aware.name)).filter(|_| pure.is_empty());
    plain.unwrap_or(aware).pattern.substitute(|atom| match atom.as_str() {
        "a" => Formula::atom(property.a.clone()),
        "b" => Formula::atom(property.b.clone()),
        _ => Formula::any_of(pure.iter().cloned()),
    })
}

/// `property` in English: “after `close`, `write` never happens”.
pub fn sentence<L: fmt::Display>(property: &Property<L>) -> String {
    let events = [property.a.to_string(), property.b.to_string()];
    definition(property.template).sentence(&events).expect("a test shows that the six take two events")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    fn letters() -> impl Strategy<Value = char> {
        prop::sample::select(vec!['a', 'b', 'p', 'q', 'z'])
    }

    /// The six templates as [`formula_of`] states them in words, position by position.
    fn by_position(property: &Property<char>, pure: &BTreeSet<char>, word: &[char]) -> bool {
        let Property { template, a, b } = property;
        let occurrences = word.iter().enumerate().filter(|(_, event)| *event == a).map(|(at, _)| at);
        occurrences.into_iter().all(|at| {
            let (before, after) = (&word[..at], &word[at + 1..]);
            // The events next to `a` on one side: the pure ones, and the first impure one.
            let near = |side: &mut dyn Iterator<Item = char>| {
                let mut near = Vec::new();
                for event in side {
                    near.push(event);
                    if !pure.contains(&event) {
                        break;
                    }
                }
                near.contains(b)
            };
            match template {
                Template::AlwaysFollowed => after.contains(b),
                Template::NeverFollowed => !after.contains(b),
                Template::AlwaysPreceded => before.contains(b),
                Template::AlwaysImmediatelyFollowed => near(&mut after.iter().copied()),
                Template::NeverImmediatelyFollowed => !near(&mut after.iter().copied()),
                Template::AlwaysImmediatelyPreceded => near(&mut before.iter().rev().copied()),
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn formulas_mean_what_is_said_of_each_occurrence(
            template in prop::sample::select(Template::ALL.to_vec()),
            a in letters(), b in letters(),
            pure in prop::collection::btree_set(letters(), 0..4),
            word in prop::collection::vec(letters(), 0..9),
        ) {
            let property = Property { template, a, b };
            let formula = formula_of(&property, &pure);
            prop_assert_eq!(formula.holds(&word), by_position(&property, &pure, &word), "{} {}", property, formula);
        }

        /// With no pure events, the purity-aware forms are the plain ones, and TEMARI's are DICE's.
        #[test]
        fn forms_that_should_agree_do(a in letters(), b in letters(), word in prop::collection::vec(letters(), 0..9)) {
            let pairs = [("AIF", "AIF-plain"), ("NIF", "NIF-plain"), ("AIP", "AIP-plain"), ("AF", "TEMARI-a"),
                ("AIF-plain", "TEMARI-b"), ("AP", "TEMARI-c")];
            let word: Vec<String> = word.into_iter().map(String::from).collect();
            let events = [a.to_string(), b.to_string()];
            for (left, right) in pairs {
                let holds = |name| find(built_in(), name).unwrap().formula(&events, &BTreeSet::new()).unwrap().holds(&word);
                prop_assert_eq!(holds(left), holds(right), "{} and {}", left, right);
            }
            if a != b {
                let said = FormulaTemplate::from_pattern("", Formula::parse("G(y & F x -> X x)").unwrap());
                let said = said.formula(&[&events[1], &events[0]], &BTreeSet::new()).unwrap().holds(&word);
                let printed = find(built_in(), "TEMARI-d").unwrap().formula(&events, &BTreeSet::new()).unwrap();
                prop_assert_eq!(said, printed.holds(&word), "the sentence of TEMARI-d");
            }
        }
    }

    /// Each note of a mended formula, by words on which the printed formula and ours differ.
    #[test]
    fn what_the_notes_say_is_true() {
        let cases = [
            // name, events, pure, word, ours, printed
            ("AP", "aa", "", "a", false, true),
            ("AP", "ab", "", "ba", true, true),
            ("NIF", "ab", "p", "apb", false, true),
            ("NIF", "ab", "p", "apzb", true, true),
            ("AIP", "ab", "p", "bpaza", false, true),
            ("AIF-plain", "ab", "", "ab", true, false),
            ("AIP-plain", "ab", "", "baza", false, true),
            ("TEMARI-c", "ab", "", "ba", true, false),
        ];
        for (name, events, pure, word, ours, printed) in cases {
            let template = find(built_in(), name).unwrap();
            let as_printed = Formula::parse(template.printed.as_ref().unwrap()).unwrap();
            let as_printed = FormulaTemplate { pattern: as_printed, ..template.clone() };
            let split = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
            let pure = split(pure).into_iter().collect();
            let holds = |template: &FormulaTemplate| {
                template.formula(&split(events), &pure).unwrap().holds(&split(word))
            };
            assert_eq!((holds(template), holds(&as_printed)), (ours, printed), "{name} on {word}");
        }
        let temari = find(built_in(), "temari-d").unwrap().formula(&["x", "y"], &BTreeSet::new()).unwrap();
        let aip = find(built_in(), "AIP").unwrap().formula(&["x", "y"], &BTreeSet::new()).unwrap();
        let on = |word: &str| {
            let word: Vec<String> = word.chars().map(String::from).collect();
            (temari.holds(&word), aip.holds(&word))
        };
        assert_eq!([on("x"), on("yyx"), on("yx")], [(true, false), (false, true), (true, true)]);
    }

    fn check(template: &str, events: &[&str], pure: &str, expected: Expect) {
        let pure = pure.split_whitespace().map(str::to_owned).collect();
        let template = find(built_in(), template).unwrap();
        let formula = template.formula(events, &pure).unwrap();
        expected.assert_eq(&format!("{}\n{formula}\n", template.sentence(events).unwrap()));
    }

    #[test]
    fn instances_of_each_template() {
        check(
            "AF",
            &["open", "close"],
            "",
            expect![[r#"
            `open` is always followed, sooner or later, by `close`
            G(open -> X F close)
        "#]],
        );
        check(
            "NF",
            &["close", "write"],
            "",
            expect![[r#"
            after `close`, `write` never happens
            G(close -> X G !write)
        "#]],
        );
        check(
            "nf",
            &["<init>", "<init>"],
            "",
            expect![[r#"
            `<init>` happens at most once
            G(<init> -> X G !<init>)
        "#]],
        );
        check(
            "AP",
            &["read", "open"],
            "",
            expect![[r#"
            `read` happens only after `open` has happened
            !read W (open & !read)
        "#]],
        );
        check(
            "AIF",
            &["a", "b"],
            "isEmpty:TRUE isEmpty:FALSE",
            expect![[r#"
            right after `a` comes `b` (ignoring events without side effects)
            G(a -> X((isEmpty:FALSE | isEmpty:TRUE) U b))
        "#]],
        );
        check(
            "NIF",
            &["a", "b"],
            "isOpen",
            expect![[r#"
            `b` never comes right after `a` (ignoring events without side effects)
            G(a -> X(!isOpen R !b))
        "#]],
        );
        check(
            "AIP",
            &["a", "b"],
            "isOpen",
            expect![[r#"
            right before `a` comes `b` (ignoring events without side effects)
            (!a W (b & !a)) & G(!b & !isOpen -> X(!a W (b & !a)))
        "#]],
        );
        check(
            "AIP",
            &["a", "b"],
            "",
            expect![[r#"
            right before `a` comes `b` (ignoring events without side effects)
            (!a W (b & !a)) & G(!b & !false -> X(!a W (b & !a)))
        "#]],
        );
        check(
            "TEMARI-d",
            &["x", "y"],
            "",
            expect![[r#"
            `y`, if `x` happens at any time after it, is followed by `x` at once
            G(y & F x -> (x U (y & X x)))
        "#]],
        );
    }

    #[test]
    fn the_six_are_there_and_speak_english() {
        let mut out = String::new();
        for template in Template::ALL {
            out += &sentence(&Property { template, a: "close", b: "{a}" });
            out += "\n";
            out += &sentence(&Property { template, a: "init", b: "init" });
            out += "\n";
        }
        expect![[r#"
            `close` is always followed, sooner or later, by `{a}`
            `init` never happens, as each would need another one after it
            after `close`, `{a}` never happens
            `init` happens at most once
            `close` happens only after `{a}` has happened
            `init` never happens, as each would need another one before it
            right after `close` comes `{a}` (ignoring events without side effects)
            `init` never happens, as each would need another one right after it
            `{a}` never comes right after `close` (ignoring events without side effects)
            `init` never happens twice in a row (ignoring events without side effects)
            right before `close` comes `{a}` (ignoring events without side effects)
            `init` never happens, as each would need another one right before it
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn a_wrong_number_of_events_is_an_error() {
        let template = find(built_in(), "AF").unwrap();
        let error = template.formula(&["a"], &BTreeSet::new()).unwrap_err();
        assert_eq!(error.to_string(), "template AF takes 2 events, and 1 were given");
        assert_eq!(template.sentence(&["a", "b", "c"]).unwrap_err().given, 3);
    }

    #[test]
    fn a_pattern_alone_makes_a_template() {
        let template =
            FormulaTemplate::from_pattern("mine", Formula::parse("G(y -> pure U x) & F y").unwrap());
        assert_eq!(template.placeholders, ["y", "x"]);
        assert_eq!(template.sentence(&["1", "2"]).unwrap(), "mine(`1`, `2`)");
    }
}
