//! The page as one HTML file that contains style, script, pictures and data.
//!
//! Texts of models, traces and tests reach the page in two ways only: escaped inside the pictures, and as
//! JSON that the script inserts as text, never as markup. A content security policy forbids the page to load
//! anything.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Fsa, Modality};
use adit_logic::FateCounts;
use adit_picture::{Choice, Picture, STYLE_SHEET, StateNames, Style, draw, escaped, failures, spellings};
use adit_trace::Label;
use serde_json::{Value, json};

use super::evidence::{Evidence, Taken};
use super::page::Page;
use super::properties::properties;
use super::{protocol, provenance, terminal, trust};
use crate::output::{counted, size_of};
use crate::results::TestedOrders;
use crate::results::run::DetailSummary;

/// The page with placeholders such as `{{title}}`.
const SKELETON: &str = include_str!("assets/page.html");
pub(super) const STYLE: [&str; 2] = [STYLE_SHEET, include_str!("assets/report.css")];
/// The script of the page in parts, which are one function.
const SCRIPT: &str = concat!(
    include_str!("assets/base.js"),
    include_str!("assets/viewer.js"),
    include_str!("assets/panel.js"),
    include_str!("assets/tools.js"),
    include_str!("assets/follow.js"),
    include_str!("assets/sections.js"),
    include_str!("assets/paper.js"),
    include_str!("assets/versus.js"),
);

/// Maximum number of tests on a page; the folder has all of them.
const MAX_TESTS: usize = 1000;

/// Returns the page about one model.
pub(crate) fn html(page: &Page) -> String {
    let mut views = Views::default();
    let mut models = vec![views.add(&page.title, &page.model, &page.pure, &page.evidence)];
    for blocked in page.run.iter().flat_map(|run| &run.summary.model.blocked) {
        if let Some(state) = models[0]["states"].get_mut(blocked.state) {
            state["blocks"] = json!(blocked.methods);
        }
    }
    let told = page.detail.as_ref().map(|(detail, evidence)| {
        models.push(views.add(&page.title, detail, &page.pure, evidence));
        detail_in_words(page, detail)
    });
    let tests = &page.tests.tests[..page.tests.tests.len().min(MAX_TESTS)];
    let data = json!({
        "models": models,
        "detail": told,
        "opens_with_detail": page.opens_with_detail && page.detail.is_some(),
        "findings": page.findings,
        "orders": page.tested_orders.as_ref().map(TestedOrders::without_repetitions),
        "properties": properties(page),
        "tests": tests,
        "test_head": page.tests.head,
        "tests_left_out": page.tests.tests.len() - tests.len(),
        "search": page.search,
        "facts": trust::facts(page),
        "provenance": provenance::rows(page),
        "command": provenance::command(page),
    });
    fill(&page.title, &summary(page), &views.figures, &data)
}

/// The size and the figure of the finer model.
fn detail_in_words(page: &Page, detail: &Fsa<String>) -> String {
    let summary = page.run.as_ref().and_then(|run| run.summary.detail.as_ref());
    summary.map_or_else(|| size_of(detail), DetailSummary::told)
}

/// Returns a summary of the page in one sentence.
fn summary(page: &Page) -> String {
    // A round knows of calls that hang, which the model does not show.
    let is_told = page.run.as_ref().is_none_or(|run| run.summary.model.no_protocol);
    let never: Vec<String> =
        page.run.iter().flat_map(|run| run.summary.gaps.not_made.never_worked()).collect();
    let free = if !is_told {
        ""
    } else if protocol::is_free(&page.model) && !never.is_empty() {
        "no protocol: every call that ever succeeded is possible at any time; "
    } else if protocol::is_free(&page.model) {
        "no protocol: every call is possible at any time; "
    } else if protocol::is_immutable(&page.model) {
        "no protocol: no call changes what others may do; "
    } else {
        ""
    };
    let mut text = format!("{free}{}", size_of(&page.model));
    if page.evidence.traces > 0 {
        text += &format!(", {}", counted(page.evidence.traces, "recorded trace"));
    }
    if !page.properties.is_empty() {
        text += &format!("; {}", FateCounts::of(page.properties.iter().map(|one| &one.fate)));
    }
    if page.run.as_ref().is_some_and(|run| !run.summary.model.complete) {
        text += "; incomplete: the search stopped before it had tried everything";
    }
    text
}

/// Pictures of a page, several views of each model.
#[derive(Default)]
pub(super) struct Views {
    /// SVG of all views, one figure per model.
    pub(super) figures: Vec<String>,
    count: usize,
}

impl Views {
    /// Draws every distinct view of a model and returns the data that the script needs.
    pub(super) fn add(
        &mut self,
        title: &str,
        model: &Fsa<String>,
        pure: &BTreeSet<String>,
        evidence: &Evidence,
    ) -> Value {
        let has_pure = model.all_edges().any(|edge| pure.contains(edge.label));
        let has_failures = !failures(model).is_empty();
        let mut svg = String::new();
        let mut views = Vec::new();
        for with_failures in [false, true] {
            for with_pure in [true, false] {
                if (!with_pure && !has_pure) || (with_failures && !has_failures) {
                    continue;
                }
                let choice = Choice { pure: with_pure, failures: with_failures };
                let picture = draw(model, pure, choice);
                svg += &picture.svg(&format!("the model of {title}"), Style::Page { number: self.count });
                views.push(view(self.count, choice, &picture));
                self.count += 1;
            }
        }
        self.figures.push(svg);
        let mut kept: BTreeMap<&[u32], usize> = BTreeMap::new();
        let mut words: Vec<Vec<&str>> = Vec::new();
        let edges: Vec<Value> = model
            .all_edges()
            .zip(&evidence.taken)
            .map(|(edge, taken)| {
                let examples: Vec<usize> = taken
                    .examples
                    .iter()
                    .map(|word| {
                        *kept.entry(word).or_insert_with(|| {
                            words.push(evidence.word(word));
                            words.len() - 1
                        })
                    })
                    .collect();
                json!({
                    "from": edge.from, "label": edge.label, "to": edge.to, "guard": edge.guard,
                    "maybe": edge.modality == Modality::Maybe, "explored": model.is_explored(&edge), "pure": pure.contains(edge.label),
                    "traces": taken.traces, "perhaps": taken.perhaps, "examples": examples, "tests": taken.tests,
                    "situations": taken.situations, "shown": taken.shown_by(),
                    "perhaps_shown": taken.perhaps_shown_by(),
                })
            })
            .collect();
        let (names, not_explored) = (StateNames::of(model), model.not_explored());
        let states: Vec<Value> = model
            .states()
            .map(|state| {
                let refuses = model.refusals(state).iter().map(|label| {
                    let (times, test) =
                        evidence.refused.get(&(state, label.clone())).copied().unwrap_or_default();
                    json!({"label": label, "times": times, "test": test})
                });
                let refuses: Vec<Value> = refuses.collect();
                json!({
                    "refuses": refuses, "shown": names.title(state), "not_explored": not_explored == Some(state),
                    "name": model.name(state), "predicates": model.predicates(state),
                    "accepting": model.is_accepting(state), "initial": model.initial().contains(&state),
                })
            })
            .collect();
        let refusals = if terminal::is_long(model) { protocol::refusals(model) } else { Vec::new() };
        json!({
            "refusals": refusals,
            "title": title, "labels": labels(model), "states": states, "edges": edges, "words": words, "views": views,
            "replayed": evidence.traces > 0 || evidence.taken.iter().any(Taken::is_possible),
        })
    }
}

/// The labels of a model taken apart, so that the page need not know how they are spelled.
fn labels(model: &Fsa<String>) -> Vec<Value> {
    let refused = model.states().flat_map(|state| model.refusals(state));
    let all: BTreeSet<&str> = model.alphabet().iter().chain(refused).map(String::as_str).collect();
    let taken_apart = all.into_iter().map(Label::parse).map(|label| {
        json!({
            "label": label.to_string(), "method": label.method(), "threw": label.threw(),
            "spellings": spellings(label),
        })
    });
    taken_apart.collect()
}

fn view(number: usize, choice: Choice, picture: &Picture) -> Value {
    let way = |from: usize, to: usize, edges: &[usize]| json!({"from": from, "to": to, "edges": edges});
    let arrows = picture.arrows.iter().map(|arrow| way(arrow.from, arrow.to, &arrow.edges));
    let notes = picture.notes.iter().map(|note| way(note.from, note.to, &note.edges));
    json!({
        "number": number, "pure": choice.pure, "failures": choice.failures, "folded": picture.folded,
        "ends": picture.shows_ends,
        "boxes": picture.boxes.iter().map(|one| &one.states).collect::<Vec<_>>(),
        "arrows": arrows.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
    })
}

/// Fills the placeholders of the skeleton. Inserted text is not searched for further placeholders.
pub(super) fn fill(title: &str, summary: &str, figures: &[String], data: &Value) -> String {
    let figure = |(number, svg): (usize, &String)| {
        format!(
            "<div class=\"figure\" data-model=\"{number}\"><div class=\"stage\" tabindex=\"0\" role=\"region\" aria-label=\"picture of the model; drag to move, scroll to zoom\">{svg}</div></div>"
        )
    };
    let mut text = String::new();
    let mut rest = SKELETON;
    while let Some((before, after)) = rest.split_once("{{") {
        let (hole, after) = after.split_once("}}").expect("every hole of the skeleton is closed");
        text += before;
        match hole {
            "title" => text += &escaped(title),
            "summary" => text += &escaped(summary),
            "style" => text += &STYLE.concat(),
            "figures" => text += &figures.iter().enumerate().map(figure).collect::<String>(),
            "data" => text += &embedded(data),
            "script" => text += SCRIPT,
            other => unreachable!("the skeleton has no hole called {other}"),
        }
        rest = after;
    }
    text + rest
}

/// Returns JSON that is safe inside a `script` element: characters with a meaning in HTML occur only in
/// strings and are escaped there.
fn embedded(data: &Value) -> String {
    let mut safe = String::new();
    for c in data.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe += &format!("\\u{:04x}", u32::from(c)),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A browser walks along the whole line for each point. With eighty states this took seconds.
    #[test]
    fn no_browser_is_asked_for_points_of_lines() {
        assert!(!SCRIPT.contains("getPointAtLength") && !SCRIPT.contains("getTotalLength"));
    }

    #[test]
    fn data_cannot_break_out_of_its_element() {
        let nasty = json!({"</script><script>alert(1)</script>": "<!-- <script> ]]> & \u{2028} \"'"});
        let safe = embedded(&nasty);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), nasty);
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let page = fill("{{data}} <b>", "{{script}}", &["{{title}}".to_owned()], &json!("{{style}}"));
        assert!(page.contains("<title>{{data}} &lt;b&gt;"), "{page}");
        assert!(page.contains("{{script}}") && page.contains("{{title}}") && page.contains("\"{{style}}\""));
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = fill("a", "b", &[], &json!(null));
        for way in ["http:", "https:", "@import", "url(", " src=", "<link"] {
            let found = page.match_indices(way).filter(|(at, _)| {
                // The name of SVG's language is no address that anybody opens.
                !page[*at..].starts_with("http://www.w3.org/")
            });
            assert_eq!(found.count(), 0, "{way}");
        }
    }
}
