//! From thousands of properties to the few sentences that say as much.
//!
//! Paper: `dice`, section 3.2, for what the templates mean; the presentation is ours.
//! Cost: sorting, and what `implications.rs` costs.
//!
//! 1. **Drop** what follows from other mined properties (the table in `implications.rs`).
//! 2. **Group** what one sentence can say: all traces start with one label, labels that exclude each other,
//!    labels that happen once, and otherwise the same property of several labels.
//! 3. **Rank** by evidence: how many bits of surprise it would be to see the log if the property held by
//!    luck. Under luck each event is drawn by the labels' shares of the log, and half a trace lies before and
//!    after it. If a property survives a chance by luck with probability `q`, and survived a share `c` of its
//!    `n` chances, the evidence is `n` times the divergence of `c` from `q`. For a property that was never
//!    broken this is support times `-log2 q`: much support does not help a property that could not fail, such
//!    as that a rare event does not follow another rare event. A sentence has the evidence of all its
//!    properties together, because it is read once.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::Template::{
    self, AlwaysFollowed, AlwaysImmediatelyFollowed, AlwaysImmediatelyPreceded, AlwaysPreceded,
    NeverFollowed, NeverImmediatelyFollowed,
};
use adit_logic::{Property, sentence, templates};
use adit_trace::Letter;

use crate::implications::{Rules, is_certain};
use crate::{Mined, MinedProperty, Purity};

/// The part of a [`Mined`] that is worth reading. All numbers of properties are places in
/// [`Mined::properties`].
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The sentences, with the most evidence first. Each property is in one group or is dropped.
    pub groups: Vec<Group>,
    /// The properties that follow from others.
    pub dropped: Vec<Dropped>,
}

/// Properties that one sentence says.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Plain English. It may also say what dropped properties say.
    pub sentence: String,
    /// The properties.
    pub properties: Vec<usize>,
    /// The least number of times that the sentence was confirmed.
    pub support: u64,
    /// Bits of evidence.
    pub score: f64,
}

/// A property that need not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The property.
    pub property: usize,
    /// From these it follows. They may be dropped themselves, but never in a circle.
    pub because: Vec<usize>,
}

/// Chooses what to say about `mined` and says it. `purity` must be what it was mined with.
pub fn summarize(mined: &Mined, purity: &Purity) -> Summary {
    let rules = Rules::new(mined, purity);
    let mut grouping =
        Grouping { mined, rules, done: vec![false; mined.properties.len()], groups: Vec::new() };
    // The first and last labels of traces come before dropping, which would tear their properties apart: that
    // a label happens only after one that itself happens only after the first follows, but "every trace
    // starts with" does not.
    grouping.frame(AlwaysPreceded);
    grouping.frame(AlwaysFollowed);
    let mut dropped = Vec::new();
    for property in 0..mined.properties.len() {
        if !grouping.done[property]
            && let Some(because) = grouping.rules.because(property)
        {
            grouping.done[property] = true;
            dropped.push(Dropped { property, because });
        }
    }
    grouping.last();
    grouping.once();
    grouping.exclusive();
    grouping.alike();
    grouping.groups.sort_by(|one, two| {
        two.score.total_cmp(&one.score).then_with(|| one.properties.cmp(&two.properties))
    });
    Summary { groups: grouping.groups, dropped }
}

/// Each property of `mined` in words of its own, by place; for those that [`summarize`] would drop as well.
pub fn sentences(mined: &Mined, purity: &Purity) -> Vec<String> {
    let rules = Rules::new(mined, purity);
    let grouping = Grouping { mined, rules, done: Vec::new(), groups: Vec::new() };
    let say = |rule: &MinedProperty| {
        if rule.support == rule.chances {
            grouping.say_one(&rule.property)
        } else {
            grouping.say_mostly(rule)
        }
    };
    mined.properties.iter().map(say).collect()
}

struct Grouping<'a> {
    mined: &'a Mined,
    rules: Rules<'a>,
    /// The properties that are in a group or dropped.
    done: Vec<bool>,
    groups: Vec<Group>,
}

impl Grouping<'_> {
    /// "Every trace starts with `x`": then, and only then, all other labels happen only after it. Likewise
    /// the end.
    fn frame(&mut self, template: Template) {
        let letters = self.mined.alphabet.len() as Letter;
        for x in 0..letters {
            let others = (0..letters).filter(|&y| y != x).map(|y| self.rules.find_certain(template, y, x));
            let Some(mut properties) = others.collect::<Option<Vec<usize>>>() else { continue };
            if properties.is_empty() {
                continue;
            }
            let once = self.rules.find_certain(NeverFollowed, x, x);
            properties.extend(once);
            let place = if template == AlwaysPreceded { "starts" } else { "ends" };
            let only = if once.is_some() { ", which happens only there" } else { "" };
            let sentence = format!("every {}trace {place} with {}{only}", self.nonempty(x), self.name(x));
            self.group(sentence, properties);
            if let Some(group) = self.groups.last_mut() {
                // The sentence is about traces, so traces are what confirms it.
                group.support = self.mined.occurrences[x as usize].min(self.mined.traces);
            }
            return;
        }
    }

    /// An event that starts every trace can be missing only where there is no event at all.
    fn nonempty(&self, first: Letter) -> &'static str {
        if self.mined.occurrences[first as usize] < self.mined.traces { "nonempty " } else { "" }
    }

    /// Labels after which nothing happens.
    fn last(&mut self) {
        let letters = 0..self.mined.alphabet.len() as Letter;
        let (mut last, mut properties) = (Vec::new(), Vec::new());
        for x in letters.clone() {
            let never: Option<Vec<usize>> =
                letters.clone().map(|y| self.rules.find_certain(NeverFollowed, x, y)).collect();
            // What was dropped is said again, and what other sentences say is not.
            let open: Vec<usize> = never.into_iter().flatten().filter(|&at| !self.done[at]).collect();
            if !open.is_empty() {
                last.push(x);
                properties.extend(open);
            }
        }
        if !last.is_empty() {
            self.group(format!("nothing happens after {}", self.list(&last, "or")), properties);
        }
    }

    /// Labels that happen at most once.
    fn once(&mut self) {
        let found: Vec<(Letter, usize)> = (0..self.mined.alphabet.len() as Letter)
            .filter_map(|x| Some((x, self.rules.find_certain(NeverFollowed, x, x)?)))
            .filter(|&(_, at)| !self.done[at])
            .collect();
        let (letters, properties): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if !letters.is_empty() {
            let verb = if letters.len() == 1 { "happens" } else { "each happen" };
            self.group(format!("{} {verb} at most once in a trace", self.list(&letters, "and")), properties);
        }
    }

    /// Labels of which a trace has at most one.
    fn exclusive(&mut self) {
        let letters = self.mined.alphabet.len() as Letter;
        let open: Vec<(Letter, Letter)> = self
            .mined
            .properties
            .iter()
            .zip(&self.done)
            .filter(|(rule, done)| rule.property.template == NeverFollowed && is_certain(rule) && !**done)
            .map(|(rule, _)| (rule.property.a, rule.property.b))
            .collect();
        let mut rivals = vec![BTreeSet::new(); letters as usize];
        for &(a, b) in open.iter().filter(|(a, b)| a < b && open.binary_search(&(*b, *a)).is_ok()) {
            rivals[a as usize].insert(b);
        }
        for a in 0..letters {
            // Grow a set of labels of which any two are rivals; what does not fit waits for another set with
            // `a`.
            while let Some(&first) = rivals[a as usize].first() {
                let mut set = vec![a, first];
                for &b in &rivals[a as usize] {
                    if b > first && set[1..].iter().all(|&c| rivals[c as usize].contains(&b)) {
                        set.push(b);
                    }
                }
                let mut properties = Vec::new();
                for (at, &one) in set.iter().enumerate() {
                    for &two in &set[at + 1..] {
                        rivals[one as usize].remove(&two);
                        properties.extend(self.rules.find(NeverFollowed, one, two));
                        properties.extend(self.rules.find(NeverFollowed, two, one));
                    }
                }
                let names = self.list(&set, "and");
                let sentence = match set.len() {
                    2 => format!("{names} never happen in the same trace"),
                    _ => format!("at most one of {names} happens in a trace"),
                };
                self.group(sentence, properties);
            }
        }
    }

    /// Groups the same property of several labels.
    fn alike(&mut self) {
        let mut by_event: BTreeMap<(Template, Letter), Vec<Letter>> = BTreeMap::new();
        for at in 0..self.mined.properties.len() {
            let rule = &self.mined.properties[at];
            let Property { template, a, b } = rule.property;
            if self.done[at] {
                continue;
            }
            if is_certain(rule) {
                by_event.entry((template, a)).or_default().push(b);
            } else {
                self.group(self.say_mostly(rule), vec![at]);
            }
        }
        let mut alike: BTreeMap<(Template, Vec<Letter>), Vec<Letter>> = BTreeMap::new();
        for ((template, a), b) in by_event {
            alike.entry((template, b)).or_default().push(a);
        }
        for ((template, b), a) in alike {
            let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
            let properties = pairs.filter_map(|(a, b)| self.rules.find(template, a, b)).collect();
            let sentence = self.say(template, &a, &b);
            self.group(sentence, properties);
        }
    }

    fn group(&mut self, sentence: String, mut properties: Vec<usize>) {
        properties.sort_unstable();
        let rules = || properties.iter().map(|&at| &self.mined.properties[at]);
        let support = rules().map(|rule| rule.support).min().unwrap_or(0);
        let score: f64 = rules().map(|rule| evidence(self.mined, rule)).sum();
        // Rounded, so that the last bits of a logarithm cannot change the order from one machine to the next.
        let score = (score * 1000.0).round() / 1000.0;
        for &at in &properties {
            self.done[at] = true;
        }
        self.groups.push(Group { sentence, properties, support, score });
    }

    /// `template` for all pairs of one of `a` and one of `b`, in words.
    fn say(&self, template: Template, a: &[Letter], b: &[Letter]) -> String {
        let aside = self.aside();
        if let ([a], [b]) = (a, b) {
            return self.say_one(&Property { template, a: *a, b: *b });
        }
        let any_a = self.list(a, "or");
        if matches!(template, NeverFollowed | NeverImmediatelyFollowed)
            && let Some(allowed) = self.allowed(template, a).filter(|allowed| allowed.len() * 2 < b.len())
        {
            return match (template, allowed.as_slice()) {
                (_, []) => format!("nothing comes after {any_a}"),
                (NeverFollowed, allowed) => {
                    format!("after {any_a}, only {} can happen", self.list(allowed, "or"))
                }
                (_, allowed) => {
                    format!("right after {any_a}, only {} can come{aside}", self.list(allowed, "or"))
                }
            };
        }
        let many = b.len() > 1;
        let all_b = self.list(b, "and");
        let none_of_b = match b {
            [_] => all_b.clone(),
            [one, other] => format!("neither {} nor {}", self.name(*one), self.name(*other)),
            many => format!("none of {}", self.list(many, "and")),
        };
        match template {
            AlwaysFollowed => {
                format!("after {any_a}, {all_b} always {}", if many { "happen" } else { "happens" })
            }
            NeverFollowed => {
                format!("after {any_a}, {none_of_b} {} happens", if many { "ever" } else { "never" })
            }
            AlwaysPreceded => {
                let verb = if a.len() > 1 { "happen" } else { "happens" };
                format!("{} {verb} only after {all_b}", self.list(a, "and"))
            }
            AlwaysImmediatelyFollowed => {
                format!("right after {any_a} always {} {all_b}{aside}", if many { "come" } else { "comes" })
            }
            NeverImmediatelyFollowed => {
                format!(
                    "right after {any_a}, {none_of_b} {} comes{aside}",
                    if many { "ever" } else { "never" }
                )
            }
            AlwaysImmediatelyPreceded => {
                format!("right before {any_a} always {} {all_b}{aside}", if many { "come" } else { "comes" })
            }
        }
    }

    /// A property that was broken, in words.
    fn say_mostly(&self, rule: &MinedProperty) -> String {
        let (a, b) = (self.name(rule.property.a), self.name(rule.property.b));
        let (says, immediate) = match rule.property.template {
            AlwaysFollowed => (format!("{b} happens at some time after {a}"), false),
            NeverFollowed => (format!("{b} does not happen after {a}"), false),
            AlwaysPreceded => (format!("{b} has happened before {a}"), false),
            AlwaysImmediatelyFollowed => (format!("{b} comes right after {a}"), true),
            NeverImmediatelyFollowed => (format!("{b} does not come right after {a}"), true),
            AlwaysImmediatelyPreceded => (format!("{b} comes right before {a}"), true),
        };
        let aside = if immediate { self.aside() } else { "" };
        format!("in {} of {} cases, {says}{aside}", rule.support, rule.chances)
    }

    /// The exception to "right after".
    fn aside(&self) -> &'static str {
        if self.rules.pure.contains(&true) { " (ignoring events without side effects)" } else { "" }
    }

    fn say_one(&self, property: &Property<Letter>) -> String {
        let property = self.mined.named(property);
        let plain = format!("{}-plain", property.template.short());
        let plain =
            templates::find(templates::built_in(), &plain).filter(|_| !self.rules.pure.contains(&true));
        plain
            .and_then(|plain| plain.sentence(&[&property.a, &property.b]).ok())
            .unwrap_or_else(|| sentence(&property))
    }

    /// The labels that a negative property leaves open, if it leaves the same ones for all of `a`. Dropped
    /// properties count: they are as true as the others.
    fn allowed(&self, template: Template, a: &[Letter]) -> Option<Vec<Letter>> {
        let letters = 0..self.mined.alphabet.len() as Letter;
        let allowed =
            |a: Letter| letters.clone().filter(move |&b| self.rules.find_certain(template, a, b).is_none());
        let first: Vec<Letter> = allowed(*a.first()?).collect();
        a[1..].iter().all(|&a| allowed(a).eq(first.iter().copied())).then_some(first)
    }

    fn name(&self, letter: Letter) -> String {
        format!("`{}`", self.mined.alphabet[letter as usize])
    }

    /// The labels as a list in a sentence. A list that nobody would read to its end is cut.
    fn list(&self, letters: &[Letter], and: &str) -> String {
        const READABLE: usize = 12;
        let shown = if letters.len() > READABLE + 1 { READABLE } else { letters.len().saturating_sub(1) };
        let (most, rest) = letters.split_at(shown);
        let most = most.iter().map(|&letter| self.name(letter)).collect::<Vec<_>>().join(", ");
        match rest {
            [only] if most.is_empty() => self.name(*only),
            [last] => format!("{most} {and} {}", self.name(*last)),
            rest => format!("{most} {and} {} others", rest.len()),
        }
    }
}

/// Bits of evidence against luck; none if luck would have done better.
fn evidence(mined: &Mined, rule: &MinedProperty) -> f64 {
    let by_luck = survival_by_luck(mined, &rule.property);
    let seen = rule.confidence;
    if seen <= by_luck {
        return 0.0;
    }
    let term = |seen: f64, luck: f64| if seen > 0.0 { seen * (seen / luck).log2() } else { 0.0 };
    rule.chances as f64 * (term(seen, by_luck) + term(1.0 - seen, 1.0 - by_luck))
}

/// The probability that a property survives one chance if events have nothing to do with each other.
fn survival_by_luck(mined: &Mined, property: &Property<Letter>) -> f64 {
    let events = mined.events.max(1) as f64;
    // Even a label that is every event, or none, might have been otherwise once.
    let share =
        ((mined.occurrences[property.b as usize] as f64 + 0.5) / (events + 1.0)).clamp(f64::EPSILON, 1.0);
    let share = share.min(1.0 - 0.5 / (events + 1.0));
    let half_a_trace = (events / mined.traces.max(1) as f64 / 2.0).max(1.0);
    let absent = (1.0 - share).powf(half_a_trace);
    match property.template {
        AlwaysFollowed | AlwaysPreceded => 1.0 - absent,
        NeverFollowed => absent,
        AlwaysImmediatelyFollowed | AlwaysImmediatelyPreceded => share,
        NeverImmediatelyFollowed => 1.0 - share,
    }
}

#[cfg(test)]
mod tests {
    use adit_logic::formula_of;
    use adit_trace::{Alphabet, WordSink};
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;
    use crate::{PropertyMiner, Wanted};

    fn mine(words: &[Vec<&str>], purity: &Purity, min_confidence: f64) -> Mined {
        let mut alphabet = Alphabet::new();
        let mut miner = PropertyMiner::new(purity.clone());
        for word in words {
            let letters: Vec<Letter> = word.iter().map(|label| alphabet.intern(label)).collect();
            miner.part(&letters, &alphabet);
            miner.end(1);
        }
        let wanted = Wanted { templates: Template::ALL.to_vec(), min_support: 1, min_confidence };
        miner.finish().unwrap().mined(&wanted).unwrap()
    }

    fn check_from(traces: &str, min_confidence: f64, expect: Expect) {
        let words: Vec<Vec<&str>> = traces.split('|').map(|word| word.split_whitespace().collect()).collect();
        let mined = mine(&words, &Purity::ByName, min_confidence);
        let summary = summarize(&mined, &Purity::ByName);
        let mut text: String =
            summary.groups.iter().map(|group| format!("{:6.1} {}\n", group.score, group.sentence)).collect();
        text += &format!("{} of {} properties dropped\n", summary.dropped.len(), mined.properties.len());
        expect.assert_eq(&text);
    }

    fn check(traces: &str, expect: Expect) {
        check_from(traces, 1.0, expect);
    }

    #[test]
    fn a_file() {
        check(
            "File open read read close | File open write read write close | File open close",
            expect![[r#"
              14.9 every trace ends with `close`, which happens only there
              14.9 every trace starts with `File`, which happens only there
               8.9 `close`, `read` and `write` happen only after `open`
               6.3 the next event after `File` is always `open`
               6.3 the last event before `open` is always `File`
               2.7 `open` happens at most once in a trace
               0.5 `write` never happens twice in a row
            25 of 42 properties dropped
        "#]],
        );
    }

    #[test]
    fn rivals() {
        check(
            "a x a | a a y | a z z a",
            expect![[r#"
               2.5 nothing happens after `y`
               1.5 right before `x` or `y` always comes `a`
               1.5 every trace starts with `a`
               1.3 `x` and `z` never happen in the same trace
               1.1 after `x` or `z`, `y` never happens
               0.8 the next event after `x` is always `a`
               0.7 `z` is always followed, sooner or later, by `a`
               0.4 `x` happens at most once in a trace
            12 of 26 properties dropped
        "#]],
        );
    }

    #[test]
    fn observers_do_not_come_between() {
        check(
            "It hasNext next hasNext next | It next hasNext | It hasNext",
            expect![[r#"
              10.3 every trace starts with `It`, which happens only there
               3.0 `hasNext` never happens twice in a row (ignoring events without side effects)
               2.3 `It` is always followed, sooner or later, by `hasNext`
            5 of 10 properties dropped
        "#]],
        );
    }

    #[test]
    fn what_is_not_certain_says_so() {
        check_from(
            "a b a b a b a c | a b",
            0.75,
            expect![[r#"
               5.0 `a` never happens twice in a row
               5.0 right before `b` or `c` always comes `a`
               4.9 nothing happens after `c`
               3.7 in 4 of 5 cases, `c` happens at some time after `a`
               2.4 in 3 of 4 cases, `c` happens at some time after `b`
               2.3 in 4 of 5 cases, `b` comes right after `a`
               1.4 every trace starts with `a`
               0.8 in 3 of 4 cases, `a` comes right after `b`
               0.5 `c` happens only after `b` has happened
            8 of 21 properties dropped
        "#]],
        );
    }

    #[test]
    fn no_traces_and_one_label() {
        check(
            "",
            expect![[r#"
            0 of 0 properties dropped
        "#]],
        );
        check(
            "a | a a",
            expect![[r#"
            0 of 0 properties dropped
        "#]],
        );
    }

    const LABELS: [&str; 4] = ["a", "b", "c", "isD"];

    fn words(labels: &'static [&str]) -> impl Strategy<Value = Vec<Vec<&'static str>>> {
        prop::collection::vec(prop::collection::vec(prop::sample::select(labels), 0..8), 1..4)
    }

    /// All words of at most five letters: enough for three labels of a rule and what may come between them.
    fn short_words(letters: u32) -> Vec<Vec<Letter>> {
        let mut words: Vec<Vec<Letter>> = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..5 {
            let until = words.len();
            for at in from..until {
                for letter in 0..letters {
                    let word = words[at].iter().copied().chain([letter]).collect();
                    words.push(word);
                }
            }
            from = until;
        }
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Each property is dropped or said once, and a word that obeys everything said obeys everything
        /// dropped.
        #[test]
        fn what_is_said_implies_what_is_dropped(
            words in words(&LABELS),
            pure in prop::sample::subsequence(&LABELS[..], 0..=4),
        ) {
            let purity = Purity::given(pure);
            let mined = mine(&words, &purity, 1.0);
            let summary = summarize(&mined, &purity);
            let said: BTreeSet<usize> = summary.groups.iter().flat_map(|group| group.properties.iter().copied()).collect();
            let count: usize = summary.groups.iter().map(|group| group.properties.len()).sum();
            prop_assert_eq!(count, said.len(), "a property is said twice");
            let dropped: BTreeSet<usize> = summary.dropped.iter().map(|dropped| dropped.property).collect();
            prop_assert!(said.is_disjoint(&dropped));
            prop_assert_eq!(said.len() + dropped.len(), mined.properties.len());

            let letters = mined.alphabet.len() as Letter;
            let pure: BTreeSet<Letter> =
                (0..letters).filter(|&letter| purity.is_pure(&mined.alphabet[letter as usize])).collect();
            let formula = |&at: &usize| formula_of(&mined.properties[at].property, &pure);
            let said: Vec<_> = said.iter().map(formula).collect();
            let dropped: Vec<_> = dropped.iter().map(formula).collect();
            for word in short_words(letters).iter().filter(|word| said.iter().all(|formula| formula.holds(word))) {
                prop_assert!(dropped.iter().all(|formula| formula.holds(word)), "{:?}", word);
            }
        }

        /// The six templates mean what their formulas mean.
        #[test]
        fn certain_is_true_of_every_word(
            words in words(&LABELS[1..]),
        ) {
            let mined = mine(&words, &Purity::ByName, 0.0);
            let pure = BTreeSet::from(["isD".to_owned()]);
            for rule in &mined.properties {
                let formula = formula_of(&mined.named(&rule.property), &pure);
                let labels = |word: &Vec<&str>| word.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
                prop_assert_eq!(
                    words.iter().all(|word| formula.holds(&labels(word))), is_certain(rule), "{:?}", rule
                );
            }
        }
    }
}
