//! The properties of a page: a few sentences, each of which unfolds into the properties that it summarizes.
//!
//! Properties that hold are summarized as by `adit properties`: those implied by others are set aside, and
//! the same property of several calls is one sentence. Refuted ones are grouped by template and first event.
//! The page contains labels, templates and stories once and properties as numbers: 20,000 take less than two
//! megabytes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use adit_logic::{Fate, Property, Template, sentence};
use adit_mine::{Mined, MinedProperty, Purity, summarize};
use adit_trace::Letter;
use serde_json::{Value, json};

use super::page::{Page, story};
use crate::results::PropertyResult;

/// Maximum number of properties on a page; `properties.json` has all of them.
const MAX_PROPERTIES: usize = 50_000;

/// Number of labels that a sentence about many lists.
const MAX_LISTED: usize = 3;

/// Placeholders for the two labels of a property in a sentence; no label contains these characters.
const PLACEHOLDERS: [&str; 2] = ["\u{1}", "\u{2}"];

/// Returns the properties of a page in the form that its script reads.
pub(super) fn properties(page: &Page) -> Value {
    let all = &page.properties[..page.properties.len().min(MAX_PROPERTIES)];
    let (mut labels, mut stories) = (Table::default(), Table::default());
    let number = |template: &Template| Template::ALL.iter().position(|one| one == template);
    let fates = Fate::<()>::NAMES;
    let fate = |one: &PropertyResult| fates.iter().position(|name| *name == one.fate.name());
    let list: Vec<Value> = all
        .iter()
        .map(|one| {
            let test = one.fate.witness().and_then(|witness| witness.test.as_deref());
            let Property { template, a, b } = &one.property;
            let (template, a, b) = (number(template), labels.number(a), labels.number(b));
            json!([template, a, b, fate(one), stories.number(&story(one)), test])
        })
        .collect();
    let mut groups = Vec::new();
    for name in fates {
        let members: Vec<usize> = (0..all.len()).filter(|&at| all[at].fate.name() == name).collect();
        let found = if name == "refuted" { refuted(all, &members) } else { holding(page, &members) };
        groups.extend(
            found
                .into_iter()
                .map(|group| json!({"says": group.says, "fate": name, "members": group.members})),
        );
    }
    let patterns = Template::ALL.map(pattern);
    json!({
        "labels": labels.names, "templates": patterns, "stories": stories.names, "fates": fates, "list": list,
        "groups": groups, "left_out": page.properties.len() - all.len(),
    })
}

/// Properties summarized by one sentence.
#[derive(Debug, PartialEq)]
struct Group {
    says: String,
    /// Positions among all properties.
    members: Vec<usize>,
}

/// Summarizes properties that hold in as few sentences as possible, the strongest first, the implied ones
/// last.
fn holding(page: &Page, members: &[usize]) -> Vec<Group> {
    let labels: BTreeSet<&str> = members
        .iter()
        .flat_map(|&at| [page.properties[at].property.a.as_str(), page.properties[at].property.b.as_str()])
        .chain(page.model.alphabet().iter().map(String::as_str))
        .collect();
    let letters: BTreeMap<&str, Letter> = labels.iter().copied().zip(0..).collect();
    // A property that is there twice is listed twice.
    let mut places: BTreeMap<Property<Letter>, usize> = BTreeMap::new();
    let mut alone = Vec::new();
    for &at in members {
        let one = &page.properties[at];
        let Property { template, a, b } = &one.property;
        match places.entry(Property { template: *template, a: letters[a.as_str()], b: letters[b.as_str()] }) {
            Entry::Vacant(place) => drop(place.insert(at)),
            Entry::Occupied(_) => alone.push(Group { says: one.says.clone(), members: vec![at] }),
        }
    }
    let places: Vec<(Property<Letter>, usize)> = places.into_iter().collect();
    let mined = Mined {
        traces: page.evidence.traces,
        events: page.evidence.occurs.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)),
        alphabet: labels.iter().map(|&label| label.to_owned()).collect(),
        occurrences: labels.iter().map(|label| page.evidence.support(label).max(1)).collect(),
        properties: places
            .iter()
            .map(|(property, at)| {
                let support = page.properties[*at].support.max(1);
                MinedProperty { property: property.clone(), support, chances: support, confidence: 1.0 }
            })
            .collect(),
    };
    let purity = Purity::given(page.pure.iter().map(String::as_str));
    let summary = summarize(&mined, &purity);
    let place = |at: usize| places[at].1;
    let mut groups: Vec<Group> = summary
        .groups
        .into_iter()
        .map(|group| Group {
            says: group.sentence,
            members: group.properties.into_iter().map(place).collect(),
        })
        .collect();
    groups.append(&mut alone);
    let dropped: Vec<usize> = summary.dropped.iter().map(|dropped| place(dropped.property)).collect();
    if !dropped.is_empty() {
        groups.push(Group { says: "implied by the properties above".to_owned(), members: dropped });
    }
    groups
}

/// The refuted properties, grouped by template and first event.
fn refuted(all: &[PropertyResult], members: &[usize]) -> Vec<Group> {
    let mut about: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for &at in members {
        let Property { template, a, .. } = &all[at].property;
        about.entry((template.short(), a)).or_default().push(at);
    }
    let group = |members: Vec<usize>| {
        let first = &all[members[0]];
        if members.len() == 1 {
            return Group { says: first.says.clone(), members };
        }
        let listed: Vec<String> =
            members.iter().take(MAX_LISTED).map(|&at| format!("`{}`", all[at].property.b)).collect();
        let more = match members.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let Property { template, a, .. } = &first.property;
        let about = sentence(&Property { template: *template, a: a.as_str(), b: "…" });
        Group { says: format!("{about}, for {}{more}", listed.join(", ")), members }
    };
    about.into_values().map(group).collect()
}

/// Returns the sentences of a template about two different labels and about one label twice.
fn pattern(template: Template) -> Value {
    let [a, b] = PLACEHOLDERS;
    let with = |a: &str, b: &str| sentence(&Property { template, a, b });
    json!({"name": template.short(), "long": in_full(template), "says": with(a, b), "same": with(a, a)})
}

/// The name of a template in full.
fn in_full(template: Template) -> &'static str {
    match template {
        Template::AlwaysFollowed => "always followed",
        Template::NeverFollowed => "never followed",
        Template::AlwaysPreceded => "always preceded",
        Template::AlwaysImmediatelyFollowed => "always immediately followed",
        Template::NeverImmediatelyFollowed => "never immediately followed",
        Template::AlwaysImmediatelyPreceded => "always immediately preceded",
    }
}

/// Texts that are stored once and referred to by number.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Table {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::expect;

    use super::*;
    use crate::results::Witness;

    fn page(claims: &[(&str, &str, &str, Fate<()>)]) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        for label in ["Stack", "push", "pop", "peek", "size"] {
            builder.edge(0, label.to_owned(), 0);
        }
        let claim = |(template, a, b, fate): &(&str, &str, &str, Fate<()>)| {
            let template = Template::from_short(template).unwrap();
            let property = Property { template, a: (*a).to_owned(), b: (*b).to_owned() };
            PropertyResult::new(property, 7, fate.map(|()| Witness::default()))
        };
        Page {
            pure: BTreeSet::from(["size".to_owned()]),
            properties: claims.iter().map(claim).collect(),
            ..Page::of("A", builder.build())
        }
    }

    const STANDS: Fate<()> = Fate::Survived { attacked: 3, abandoned: false };
    const FELL: Fate<()> = Fate::Refuted(());

    #[test]
    fn few_sentences_say_it_and_none_is_lost() {
        let mut all = vec![
            ("NF", "pop", "push", FELL),
            ("NF", "push", "Stack", STANDS),
            ("NF", "peek", "peek", Fate::NotAttacked),
        ];
        for other in ["push", "pop", "peek", "size"] {
            all.push(("AP", other, "Stack", STANDS));
            all.push(("NF", other, "Stack", STANDS));
            all.push(("NIF", other, "Stack", STANDS));
            all.push(("AF", "push", other, FELL));
        }
        all.push(("NF", "Stack", "Stack", STANDS));
        let page = page(&all);
        let told = properties(&page);
        let mut text = String::new();
        let mut members = Vec::new();
        for group in told["groups"].as_array().unwrap() {
            let claims: Vec<u64> =
                group["members"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
            text += &format!(
                "{} ({}): {}\n",
                group["fate"].as_str().unwrap(),
                claims.len(),
                group["says"].as_str().unwrap()
            );
            members.extend(claims);
        }
        members.sort_unstable();
        assert!(members.into_iter().eq(0..all.len() as u64), "each claim is in one group");
        expect![[r#"
            survived (5): every trace starts with `Stack`, which happens only there
            survived (1): after `push`, `Stack` never happens
            survived (8): implied by the properties above
            not_attacked (1): `peek` happens at most once in a trace
            refuted (4): `push` is always followed, sooner or later, by `…`, for `push`, `pop`, `peek` and 1 more
            refuted (1): after `pop`, `push` never happens
        "#]].assert_eq(&text);
        // What the script makes of a pattern is what the claim says.
        for (one, claim) in told["list"].as_array().unwrap().iter().zip(&page.properties) {
            let [template, a, b] = [0, 1, 2].map(|at| one[at].as_u64().unwrap() as usize);
            let pattern = &told["templates"][template][if a == b { "same" } else { "says" }];
            let name = |at: usize| told["labels"][at].as_str().unwrap();
            let text =
                pattern.as_str().unwrap().replace(PLACEHOLDERS[0], name(a)).replace(PLACEHOLDERS[1], name(b));
            assert_eq!(text, claim.says);
        }
    }

    #[test]
    fn no_claims_are_no_sentences() {
        assert_eq!(properties(&page(&[]))["groups"], json!([]));
    }
}
