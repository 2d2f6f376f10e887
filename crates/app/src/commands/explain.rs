//! `adit explain`: the evidence for a transition or a property.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use adit_automata::{Edge, Modality, NOT_EXPLORED, State};
use adit_logic::{Property, Template, nearest_label};
use adit_picture::StateNames;
use adit_trace::{Label, overloads_of};
use miette::Report;
use serde_json::{Value, json};

use super::states;
use crate::errors::{Ending, bad_input};
use crate::flags::ExplainFlags;
use crate::output::{counted, print, print_json, some_of};
use crate::report::evidence::Taken;
use crate::report::load;
use crate::report::page::{Page, story};
use crate::results::not_made::NeverReturned;
use crate::results::{PropertyResult, TestResult};
use crate::stderr::tell;

/// Most names in one message.
const NAMES_SHOWN: usize = 10;

pub(super) fn run(flags: &ExplainFlags) -> Result<Ending, Report> {
    let page = load(&flags.model)?;
    page.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    let words: Vec<&str> = flags.what.iter().flat_map(|word| word.split_whitespace()).collect();
    match Question::of(&words, &page)? {
        Question::Transitions(edges) if flags.json => print_json(&transitions_json(&page, &edges))?,
        Question::Transitions(edges) => print(&transitions(&page, &edges))?,
        Question::State(one) if flags.json => print_json(&state_json(&page, &one))?,
        Question::State(one) => print(&state_text(&page, &one))?,
        Question::Refusals(refused) if flags.json => print_json(&refusals_json(&page, &refused))?,
        Question::Refusals(refused) => print(&refusals(&page, &refused))?,
        Question::NeverWorked(calls) if flags.json => print_json(&json!({"never_returned": calls}))?,
        Question::NeverWorked(calls) => print(&never_worked(&calls))?,
        Question::Property(claim) if flags.json => print_json(&property_json(&page, claim))?,
        Question::Property(claim) => print(&property(&page, claim))?,
    }
    Ok(Ending::Clean)
}

/// A question about a model.
enum Question<'p> {
    /// Positions of transitions among all.
    Transitions(Vec<usize>),
    /// Everything that is known about a state.
    State(AboutState<'p>),
    /// Calls that states refuse.
    Refusals(Vec<(State, &'p str)>),
    /// A method that was called and never returned, for each of its overloads.
    NeverWorked(Vec<&'p NeverReturned>),
    Property(&'p PropertyResult),
}

/// The calls of a state.
struct AboutState<'p> {
    state: State,
    /// Positions of its transitions among all.
    transitions: Vec<usize>,
    /// Calls that it refuses.
    refusals: Vec<(State, &'p str)>,
    /// Methods that wait there for what only another thread could give.
    blocks: Vec<&'p str>,
}

impl<'p> AboutState<'p> {
    fn of(state: State, page: &'p Page) -> Self {
        let edges = page.model.all_edges().enumerate().filter(|(_, edge)| edge.from == state);
        let blocked = page.run.iter().flat_map(|run| &run.summary.model.blocked);
        Self {
            state,
            transitions: edges.map(|(at, _)| at).collect(),
            refusals: page.model.refusals(state).iter().map(|label| (state, label.as_str())).collect(),
            blocks: { blocked.filter(|one| one.state == state) }
                .flat_map(|one| one.methods.iter().map(String::as_str))
                .collect(),
        }
    }
}

impl<'p> Question<'p> {
    fn of(words: &[&str], page: &'p Page) -> Result<Self, Report> {
        if let Some((template, a, b)) = as_property(words) {
            let (a, b) = (called(page, &a)?, called(page, &b)?);
            return find_property(page, Property { template, a, b }).map(Self::Property);
        }
        let words = spelled(words, page);
        let words: &[&str] = &words.iter().map(String::as_str).collect::<Vec<_>>();
        if let [only] = words
            && let Some(known) = state(only).filter(|&known| known < page.model.len())
        {
            return Ok(Self::State(AboutState::of(known, page)));
        }
        let (from, label, to) = match words {
            [label] => (None, *label, None),
            [from, label] if state(from).is_some() => (state(from), *label, None),
            [label, to] if state(to).is_some() => (None, *label, Some(*to)),
            [from, label, to] if state(from).is_some() => (state(from), *label, Some(*to)),
            _ => return Err(no_question(words, page)),
        };
        let to = match to {
            None => None,
            Some(text) => Some(state(text).ok_or_else(|| no_question(words, page))?),
        };
        for number in [from, to].into_iter().flatten() {
            if number >= page.model.len() {
                return Err(bad_input(
                    format!("the model has no state {number}"),
                    format!(
                        "its states are 0 to {}; `adit show` draws them",
                        page.model.len().saturating_sub(1)
                    ),
                ));
            }
        }
        let label = &called(page, label)?;
        let calls = |other: &str| other == label || Label::parse(other).method() == label;
        let named = |edge: &Edge<'_, String>| calls(edge.label);
        let refused: Vec<(State, &str)> = page
            .model
            .states()
            .filter(|&state| from.is_none_or(|from| from == state) && to.is_none())
            .flat_map(|state| page.model.refusals(state).iter().map(move |refused| (state, refused.as_str())))
            .filter(|(_, refused)| calls(refused))
            .collect();
        let here = |edge: &Edge<'_, String>| named(edge) && from.is_none_or(|from| edge.from == from);
        if !refused.is_empty() && !page.model.all_edges().any(|edge| here(&edge)) {
            return Ok(Self::Refusals(refused));
        }
        if !page.model.all_edges().any(|edge| named(&edge)) {
            let gaps = page.run.iter().flat_map(|run| &run.summary.gaps.not_made.never_returned);
            let never: Vec<&NeverReturned> = gaps.filter(|one| calls(&one.method)).collect();
            if !never.is_empty() {
                return Ok(Self::NeverWorked(never));
            }
            let known = page.model.alphabet().iter().map(String::as_str);
            let help = match nearest_label(label, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its calls are {}", some_of(page.model.alphabet(), NAMES_SHOWN)),
            };
            return Err(bad_input(format!("no transition of the model has the call `{label}`"), help));
        }
        let wanted = |edge: &Edge<'_, String>| {
            named(edge) && from.is_none_or(|from| edge.from == from) && to.is_none_or(|to| edge.to == to)
        };
        let found: Vec<usize> =
            page.model.all_edges().enumerate().filter(|(_, edge)| wanted(edge)).map(|(at, _)| at).collect();
        if found.is_empty() {
            let others: Vec<String> = page
                .model
                .all_edges()
                .filter(named)
                .map(|edge| format!("{} {} {}", edge.from, edge.label, edge.to))
                .collect();
            return Err(bad_input(
                format!("the model has no transition `{}`", words.join(" ")),
                format!("its transitions with this call: {}", some_of(&others, NAMES_SHOWN)),
            ));
        }
        Ok(Self::Transitions(found))
    }
}

/// The label or method that a user means by `typed`: as it stands if the model has it, else the only overload
/// of that name.
fn called(page: &Page, typed: &str) -> Result<String, Report> {
    let refused = page.model.states().flat_map(|state| page.model.refusals(state));
    let all: BTreeSet<&str> = page.model.alphabet().iter().chain(refused).map(String::as_str).collect();
    if all.iter().any(|label| *label == typed || Label::parse(label).method() == typed) {
        return Ok(typed.to_owned());
    }
    let mut meant: BTreeSet<&str> = overloads_of(typed, all.iter().copied()).into_iter().collect();
    let methods = all.iter().map(|label| Label::parse(label));
    meant.extend(methods.filter(|label| label.name() == typed).map(Label::method));
    let meant: Vec<&str> = meant.into_iter().collect();
    match meant[..] {
        [] => Ok(typed.to_owned()),
        [only] => Ok(only.to_owned()),
        _ => Err(bad_input(
            format!("`{typed}` stands for {} calls of the model", meant.len()),
            format!("name one of them: {}", some_of(&meant, NAMES_SHOWN)),
        )),
    }
}

fn state(text: &str) -> Option<State> {
    text.parse().ok()
}

/// Removes the arrow that this command prints around a call, and replaces the names of states before and
/// after it by their numbers: `not isEmpty -pop-> 1 (isEmpty)` becomes `2 pop 1`.
fn spelled(words: &[&str], page: &Page) -> Vec<String> {
    let plain = |word: &str| {
        word.strip_prefix('-').and_then(|word| word.strip_suffix("->")).unwrap_or(word).to_owned()
    };
    let mut words: Vec<String> = words.iter().map(|&word| plain(word)).collect();
    let shown = StateNames::of(&page.model);
    let mut names: Vec<(Vec<String>, State)> = Vec::new();
    for known in page.model.states() {
        let place = (page.model.not_explored() == Some(known)).then_some(NOT_EXPLORED);
        let name = shown.name(known);
        for name in page.model.name(known).into_iter().chain([name.as_str()]).chain(place) {
            names.push((name.split_whitespace().map(str::to_owned).collect(), known));
        }
    }
    names.extend(parts_of_names(page));
    // `PAID` is a name, and so is `PAID, can ship`.
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let alone = names.iter().find(|(name, _)| *name == words && !is_call(page, &words.join(" ")));
    if let Some((_, known)) = alone {
        return vec![known.to_string()];
    }
    let has_call = |rest: &[String]| rest.iter().any(|word| state(word).is_none());
    let first = names.iter().find(|(name, _)| words.starts_with(name) && has_call(&words[name.len()..]));
    if let Some((name, known)) = first {
        words.splice(..name.len(), [known.to_string()]);
    }
    let last =
        names.iter().find(|(name, _)| words.ends_with(name) && has_call(&words[..words.len() - name.len()]));
    if let Some((name, known)) = last {
        words.splice(words.len() - name.len().., [known.to_string()]);
    }
    words
}

/// Parts of names that stand for one state only: `SHIPPED` of `CANCELLED or SHIPPED`. Whole names and calls
/// come first.
fn parts_of_names(page: &Page) -> Vec<(Vec<String>, State)> {
    let mut found: BTreeMap<&str, BTreeSet<State>> = BTreeMap::new();
    let names = || page.model.states().filter_map(|state| Some((page.model.name(state)?, state)));
    for (name, state) in names() {
        for part in name.split(", ").flat_map(|part| part.split(" or ")) {
            found.entry(part).or_default().insert(state);
        }
    }
    let is_free = |part: &str| !is_call(page, part) && names().all(|(name, _)| name != part);
    let unique = found.into_iter().filter(|(part, states)| states.len() == 1 && is_free(part));
    unique
        .flat_map(|(part, states)| {
            let words: Vec<String> = part.split_whitespace().map(str::to_owned).collect();
            states.into_iter().map(move |state| (words.clone(), state))
        })
        .filter(|(words, _)| !words.is_empty())
        .collect()
}

/// Tells whether the model has a call of this name.
fn is_call(page: &Page, typed: &str) -> bool {
    let refused = page.model.states().flat_map(|state| page.model.refusals(state));
    let mut labels = page.model.alphabet().iter().chain(refused).map(|label| Label::parse(label));
    labels.any(|label| label.to_string() == typed || label.method() == typed || label.name() == typed)
}

/// The error about words that are no question: if one of them is a call, what stands beside it should be
/// states.
fn no_question(words: &[&str], page: &Page) -> Report {
    // A name may have a call in it: `PAID, can ship`.
    let at_end = words.len().checked_sub(1).filter(|&last| is_call(page, words[last]));
    let call = at_end.or_else(|| words.iter().position(|word| is_call(page, word)));
    let sides = call.map(|at| [words[..at].join(" "), words[at + 1..].join(" ")]);
    let odd = sides.into_iter().flatten().find(|side| !side.is_empty() && state(side).is_none());
    odd.map_or_else(misunderstood, |side| states::unknown(&page.model, &side))
}

/// Parses `NF(a, b)`, or the same as three words.
fn as_property(words: &[&str]) -> Option<(Template, String, String)> {
    let text = words.join(" ");
    if let Some((name, rest)) = text.split_once('(')
        && let Some(template) = Template::from_short(name.trim())
        && let Some((a, b)) = rest.strip_suffix(')').and_then(split_pair)
    {
        return Some((template, a.trim().to_owned(), b.trim().to_owned()));
    }
    match words {
        [name, a, b] => Some((Template::from_short(name)?, (*a).to_owned(), (*b).to_owned())),
        _ => None,
    }
}

/// Splits `a, b` at the comma that is not between the parameter types of a label.
fn split_pair(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let comma = text.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })?;
    Some((&text[..comma], &text[comma + 1..]))
}

fn find_property(page: &Page, wanted: Property<String>) -> Result<&PropertyResult, Report> {
    let found = page.properties.iter().find(|one| one.property == wanted);
    found.ok_or_else(|| {
        let wanted = wanted.to_string();
        let all: Vec<String> = page.properties.iter().map(|one| one.property.to_string()).collect();
        let help = match adit_suggest::nearest(&wanted, all.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if all.is_empty() => "there is no properties.json beside the model".to_owned(),
            None => "a recorded trace violates it, or it names calls that never happened".to_owned(),
        };
        bad_input(format!("`{wanted}` was not mined"), help)
    })
}

fn misunderstood() -> Report {
    bad_input(
        "this is neither a transition nor a property",
        "write a call such as `nextToken`, a state (its number or name) and a call such as `1 nextToken`, or \
         a property such as `NF(a, b)`",
    )
}

fn transitions(page: &Page, edges: &[usize]) -> String {
    let mut text = String::new();
    let names = StateNames::of(&page.model);
    let all: Vec<Edge<'_, String>> = page.model.all_edges().collect();
    let replayed = page.evidence.traces > 0 || !page.tests.tests.is_empty();
    for (at, &number) in edges.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let edge = &all[number];
        let _ = writeln!(text, "{} -{}-> {}", names.name(edge.from), edge.label, names.name(edge.to));
        if !page.model.is_explored(edge) {
            text += "  not explored: the event was observed, but not where it leads\n";
        } else if edge.modality == Modality::Maybe {
            text += "  a guess: the event was observed, but there was no time to see where it leads\n";
        }
        if !replayed {
            text += "  no evidence: there are no traces and no tests beside the model\n";
            continue;
        }
        let taken = &page.evidence.taken[number];
        if !taken.is_possible() {
            text += "  inferred: no recorded trace and no generated test takes it\n";
            continue;
        }
        let searched = counted(taken.situations, "situation");
        if taken.traces == 0 && taken.tests == 0 && taken.situations > 0 {
            let _ = writeln!(text, "  only the search saw it, in {searched}");
        } else {
            if taken.situations > 0 {
                let _ = writeln!(text, "  the search observed it in {searched}");
            }
            let (traces, tests) = (counted(taken.traces, "trace"), counted(taken.tests, "generated test"));
            if taken.traces > 0 || taken.tests > 0 {
                let _ = writeln!(text, "  taken by {traces} and {tests}");
            }
        }
        if taken.perhaps > 0 {
            let fitting = counted(taken.perhaps, "trace");
            let more = if taken.is_certain() { " more" } else { "" };
            let _ = writeln!(text, "  {fitting}{more} may have taken it, or another transition");
        }
        for word in &taken.examples {
            let _ = writeln!(text, "    {}", page.evidence.word(word).join(" "));
        }
        if let Some(test) = example(page, taken) {
            indent(&mut text, &test.source);
        } else if let Some(test) =
            taken.perhaps_shown_by().first().and_then(|&test| page.tests.tests.get(test))
        {
            text += "  a test that may take it:\n";
            indent(&mut text, &test.source);
        }
    }
    text
}

fn state_text(page: &Page, one: &AboutState<'_>) -> String {
    let name = StateNames::of(&page.model).name(one.state);
    let mut parts = vec![transitions(page, &one.transitions), refusals(page, &one.refusals)];
    if !one.blocks.is_empty() {
        parts.push(format!("{name} blocks: {}\n", one.blocks.join(", ")));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { format!("{name}: no call is known\n") } else { parts.join("\n") }
}

fn state_json(page: &Page, one: &AboutState<'_>) -> Value {
    let mut answer = transitions_json(page, &one.transitions);
    answer["refusals"] = refusals_json(page, &one.refusals)["refusals"].take();
    answer["blocks"] = json!(one.blocks);
    answer
}

fn transitions_json(page: &Page, edges: &[usize]) -> Value {
    let all: Vec<Edge<'_, String>> = page.model.all_edges().collect();
    let one = |&number: &usize| {
        let (edge, taken) = (&all[number], &page.evidence.taken[number]);
        let shown = taken.shown_by();
        let names: Vec<&str> =
            shown.iter().filter_map(|&test| Some(page.tests.tests.get(test)?.name.as_str())).collect();
        json!({
            "from": edge.from, "event": edge.label, "to": edge.to,
            "modality": modality(edge.modality), "explored": page.model.is_explored(edge),
            "situations": taken.situations, "traces": taken.traces, "ambiguous": taken.perhaps, "tests": taken.tests,
            "examples": taken.examples.iter().map(|word| page.evidence.word(word)).collect::<Vec<_>>(),
            "shortest_tests": names,
        })
    };
    json!({"transitions": edges.iter().map(one).collect::<Vec<_>>()})
}

/// The modality of a transition as files spell it.
fn modality(modality: Modality) -> &'static str {
    match modality {
        Modality::Required => "required",
        Modality::Maybe => "maybe",
    }
}

fn refusals(page: &Page, refused: &[(State, &str)]) -> String {
    let mut text = String::new();
    let names = StateNames::of(&page.model);
    for (at, &(state, label)) in refused.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{} refuses {label}", names.name(state));
        let (times, test) = refusal(page, state, label);
        if times > 0 {
            let _ = writeln!(text, "  tried {} in this state", counted(times, "time"));
        }
        if let Some(test) = test {
            indent(&mut text, &test.source);
        }
    }
    text
}

fn never_worked(calls: &[&NeverReturned]) -> String {
    let line = |one: &&NeverReturned| format!("never succeeded: {one}\n");
    let told: String = calls.iter().map(line).collect();
    told + "  so no state can be said to refuse it; --fixtures may supply better arguments\n"
}

fn refusals_json(page: &Page, refused: &[(State, &str)]) -> Value {
    let one = |&(state, label): &(State, &str)| {
        let (times, test) = refusal(page, state, label);
        json!({"state": state, "event": label, "times": times, "test": test.map(|test| &test.name)})
    };
    json!({"refusals": refused.iter().map(one).collect::<Vec<_>>()})
}

fn refusal<'p>(page: &'p Page, state: State, label: &str) -> (u64, Option<&'p TestResult>) {
    let known = page.evidence.refused.get(&(state, label.to_owned())).copied();
    let (times, test) = known.unwrap_or_default();
    (times, test.and_then(|test| page.tests.tests.get(test)))
}

fn property(page: &Page, one: &PropertyResult) -> String {
    let mut text = format!("{}: {}\n  {}\n", one.property, one.says, story(one));
    if let Some(test) = witness(page, one) {
        indent(&mut text, &test.source);
    }
    text
}

fn property_json(page: &Page, one: &PropertyResult) -> Value {
    let Property { template, a, b } = &one.property;
    let test = witness(page, one);
    json!({
        "template": template, "a": a, "b": b, "says": one.says, "fate": one.fate.name(),
        "support": one.support, "story": story(one),
        "test": test.map(|test| json!({"name": test.name, "source": test.source})),
    })
}

/// Returns the test that refutes a property.
fn witness<'p>(page: &'p Page, one: &PropertyResult) -> Option<&'p TestResult> {
    let name = one.fate.witness()?.test.as_ref()?;
    page.tests.tests.iter().find(|test| test.name == *name)
}

fn example<'p>(page: &'p Page, taken: &Taken) -> Option<&'p TestResult> {
    page.tests.tests.get(*taken.shown_by().first()?)
}

fn indent(text: &mut String, source: &str) {
    for line in source.lines() {
        let _ = writeln!(text, "    {line}");
    }
}
