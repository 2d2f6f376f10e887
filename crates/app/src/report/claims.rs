//! The properties of a page: a few sentences that say it all, and behind them every single one.
//!
//! What stands is said as `adit properties` says it: what follows from something else is set aside, and the same claim about
//! several calls is one sentence. What was contradicted is grouped by what it is about. The page gets labels, templates and
//! stories once and claims as numbers, so that twenty thousand of them take less than two megabytes.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::{Property, Template, sentence};
use adit_mine::{Mined, MinedProperty, Purity, summarize};
use adit_trace::Letter;
use serde_json::{Value, json};

use super::page::{Claim, Fate, Page};

/// More claims than these are not put into the page; the folder has all of them.
const MOST: usize = 50_000;

/// Labels that a sentence about many lists; the others are behind it.
const LISTED: usize = 3;

/// What stands for the two labels of a claim in a sentence; no label has such a sign.
const HOLES: [&str; 2] = ["\u{1}", "\u{2}"];

/// All claims of a page as its script wants them.
pub(super) fn claims(page: &Page) -> Value {
    let claims = &page.claims[..page.claims.len().min(MOST)];
    let (mut labels, mut templates, mut stories) = (Table::default(), Table::default(), Table::default());
    let fates = ["surviving", "not attacked", "falsified"];
    let fate = |claim: &Claim| fates.iter().position(|word| *word == claim.fate.word());
    let mut said = BTreeMap::new();
    let list: Vec<Value> = claims
        .iter()
        .enumerate()
        .map(|(at, claim)| {
            if says(claim).as_ref() != Some(&claim.says) {
                said.insert(at.to_string(), &claim.says);
            }
            let test = match &claim.fate {
                Fate::Falsified { test, .. } => test.as_deref(),
                _ => None,
            };
            let (template, a, b) =
                (templates.number(&claim.template), labels.number(&claim.a), labels.number(&claim.b));
            json!([template, a, b, fate(claim), stories.number(&claim.story()), test])
        })
        .collect();
    let mut groups = Vec::new();
    for word in fates {
        let members: Vec<usize> = (0..claims.len()).filter(|&at| claims[at].fate.word() == word).collect();
        let found =
            if word == "falsified" { contradicted(claims, &members) } else { standing(page, &members) };
        groups.extend(
            found.into_iter().map(|group| json!({"says": group.says, "fate": word, "claims": group.claims})),
        );
    }
    let patterns: Vec<Value> = templates.names.iter().map(|name| pattern(name)).collect();
    json!({
        "labels": labels.names, "templates": patterns, "stories": stories.names, "fates": fates, "list": list,
        "said": said, "groups": groups, "left_out": page.claims.len() - claims.len(),
    })
}

/// Claims that are read as one.
#[derive(Debug, PartialEq)]
struct Group {
    says: String,
    /// Places among all claims.
    claims: Vec<usize>,
}

/// What stands, said in the fewest sentences, the strongest first; what follows from them at the end.
fn standing(page: &Page, members: &[usize]) -> Vec<Group> {
    let labels: BTreeSet<&str> = members
        .iter()
        .flat_map(|&at| [page.claims[at].a.as_str(), page.claims[at].b.as_str()])
        .chain(page.model.alphabet().iter().map(String::as_str))
        .collect();
    let letters: BTreeMap<&str, Letter> = labels.iter().copied().zip(0..).collect();
    // A claim that is there twice, or of a template that is not known, speaks for itself.
    let mut places: BTreeMap<Property<Letter>, usize> = BTreeMap::new();
    let mut alone = Vec::new();
    for &at in members {
        let claim = &page.claims[at];
        let property = Template::from_short(&claim.template).map(|template| Property {
            template,
            a: letters[claim.a.as_str()],
            b: letters[claim.b.as_str()],
        });
        match property {
            Some(property) if !places.contains_key(&property) => drop(places.insert(property, at)),
            _ => alone.push(Group { says: claim.says.clone(), claims: vec![at] }),
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
                let support = page.claims[*at].support.max(1);
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
            claims: group.properties.into_iter().map(place).collect(),
        })
        .collect();
    groups.append(&mut alone);
    let dropped: Vec<usize> = summary.dropped.iter().map(|dropped| place(dropped.property)).collect();
    if !dropped.is_empty() {
        groups.push(Group { says: "what follows from the properties above".to_owned(), claims: dropped });
    }
    groups
}

/// What was contradicted, by what it is about.
fn contradicted(claims: &[Claim], members: &[usize]) -> Vec<Group> {
    let mut about: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for &at in members {
        about.entry((&claims[at].template, &claims[at].a)).or_default().push(at);
    }
    let group = |((template, a), members): ((&str, &str), Vec<usize>)| {
        let [one] = members[..] else {
            let listed: Vec<String> =
                members.iter().take(LISTED).map(|&at| format!("`{}`", claims[at].b)).collect();
            let more = match members.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let about = Template::from_short(template).map_or_else(
                || format!("{template} of `{a}`"),
                |template| sentence(&Property { template, a, b: "…" }),
            );
            return Group { says: format!("{about}, for {}{more}", listed.join(", ")), claims: members };
        };
        Group { says: claims[one].says.clone(), claims: members }
    };
    about.into_iter().map(group).collect()
}

/// The sentence that a template gives for a claim.
fn says(claim: &Claim) -> Option<String> {
    let template = Template::from_short(&claim.template)?;
    Some(sentence(&Property { template, a: &claim.a, b: &claim.b }))
}

/// How a template speaks of two labels, and of one and the same.
fn pattern(name: &str) -> Value {
    let [a, b] = HOLES;
    let with = |a: &str, b: &str| match Template::from_short(name) {
        Some(template) => sentence(&Property { template, a, b }),
        None => format!("{name}(`{a}`, `{b}`)"),
    };
    json!({"name": name, "says": with(a, b), "same": with(a, a)})
}

/// Texts that are there once and are told by their numbers.
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

    fn page(claims: &[(&str, &str, &str, Fate)]) -> Page {
        let mut builder = Builder::new();
        builder.state(true);
        builder.initial(0);
        for label in ["Stack", "push", "pop", "peek", "size"] {
            builder.edge(0, label.to_owned(), 0);
        }
        let claim = |(template, a, b, fate): &(&str, &str, &str, Fate)| {
            let mut claim = Claim {
                says: String::new(),
                template: (*template).to_owned(),
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                fate: fate.clone(),
                support: 7,
            };
            claim.says = says(&claim).unwrap_or_else(|| "something else".to_owned());
            claim
        };
        Page {
            pure: BTreeSet::from(["size".to_owned()]),
            claims: claims.iter().map(claim).collect(),
            ..Page::of("A".to_owned(), builder.build())
        }
    }

    const STANDS: Fate = Fate::Surviving { attacked: Some(3), abandoned: false };
    const FELL: Fate = Fate::Falsified { test: None, after: None };

    #[test]
    fn few_sentences_say_it_and_none_is_lost() {
        let mut all = vec![
            ("NF", "pop", "push", FELL),
            ("odd", "push", "pop", STANDS),
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
        let told = claims(&page);
        let mut text = String::new();
        let mut members = Vec::new();
        for group in told["groups"].as_array().unwrap() {
            let claims: Vec<u64> =
                group["claims"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
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
            surviving (5): every trace starts with `Stack`, which happens only there
            surviving (1): something else
            surviving (8): what follows from the properties above
            not attacked (1): `peek` happens at most once in a trace
            falsified (4): `push` is always followed, sooner or later, by `…`, for `push`, `pop`, `peek` and 1 more
            falsified (1): after `pop`, `push` never happens
        "#]].assert_eq(&text);
        // What the script makes of a pattern is what the claim says.
        for (one, claim) in told["list"].as_array().unwrap().iter().zip(&page.claims) {
            let [template, a, b] = [0, 1, 2].map(|at| one[at].as_u64().unwrap() as usize);
            let pattern = &told["templates"][template][if a == b { "same" } else { "says" }];
            let name = |at: usize| told["labels"][at].as_str().unwrap();
            let text = pattern.as_str().unwrap().replace(HOLES[0], name(a)).replace(HOLES[1], name(b));
            if claim.template != "odd" {
                assert_eq!(text, claim.says);
            }
        }
        assert_eq!(told["said"], json!({"1": "something else"}));
    }

    #[test]
    fn no_claims_are_no_sentences() {
        assert_eq!(claims(&page(&[]))["groups"], json!([]));
    }
}
