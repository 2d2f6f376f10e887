//! One truth: the model of a folder, its properties and its figures agree, wherever they are told.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use adit_automata::{Fsa, format};
use adit_logic::{Checker, Fate, Language, Limit, Property, Template, Verdict};
use serde_json::Value;

use super::adit;

/// Steps that a check may need. Every property of a model in an example is decided within it.
const CHECKING: Limit = Limit(50_000_000);

/// Asserts that nothing in a folder contradicts anything else in it.
#[track_caller]
pub(crate) fn assert_agrees(folder: &Path) {
    let disagreements = disagreements(folder);
    assert!(disagreements.is_empty(), "{}:\n{}", folder.display(), disagreements.join("\n"));
}

/// Everything in a folder that contradicts something else in it.
pub(crate) fn disagreements(folder: &Path) -> Vec<String> {
    let bytes = fs::read(folder.join("model.json")).expect("the folder has a model");
    let model =
        format::read(&bytes, "model.json", Some(format::Format::Json)).expect("the model is readable");
    let read = |name: &str| -> Option<Value> {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        Some(serde_json::from_str(&text).expect("a result is JSON"))
    };
    let mut found = Vec::new();
    let properties = read("properties.json").expect("the folder has properties");
    found.extend(violated(&model, &properties));
    let Some(run) = read("run.json") else { return found };
    let mut same = |what: &str, one: &Value, other: Value| {
        if *one != other {
            found.push(format!("{what}: {one} and {other}"));
        }
    };
    same("states", &run["states"], model.explored_states().count().into());
    same("transitions", &run["transitions"], model.transitions().into());
    same("not explored", &run["not_explored"], model.unexplored_transitions().into());
    let fates = |wanted: &str| {
        let all = properties["properties"].as_array().into_iter().flatten();
        all.filter(|property| property["fate"] == wanted).count()
    };
    for fate in ["survived", "refuted", "not_attacked"] {
        same(fate, &run["properties"][fate], fates(fate).into());
    }
    let size = size(&model);
    // What the page says first, and what its cards say.
    let page = folder.join("agreement.html");
    let report = adit(&["report", &folder.display().to_string(), "-o", &page.display().to_string()]);
    assert_eq!(report.code, 0, "{}", report.err);
    let html = fs::read_to_string(&page).expect("the page was written");
    fs::remove_file(&page).expect("the page can be removed");
    if !html.contains(&format!("<p>{}", size)) && !html.contains(&format!("; {size}")) {
        found.push(format!("the page does not say {size}"));
    }
    let data = html.split_once("id=\"data\">").expect("the page has data").1;
    let data = data.split_once("</script>").expect("the data ends").0;
    let data: Value = serde_json::from_str(data).expect("the data is JSON");
    let facts = data["facts"].as_array().expect("the page has facts");
    let fact = |name: &str| {
        let fact = facts.iter().find(|fact| fact["name"] == name);
        fact.map(|fact| fact["value"].as_str().unwrap_or_default().to_owned())
    };
    let validated = read("validate.json");
    let walks = validated.as_ref().map_or(&run["walks"], |validated| &validated["walks"]);
    if walks["of"].as_u64().is_some_and(|of| of > 0) {
        let told = format!("{} of {}", walks["good"], walks["of"]);
        if fact("Precision: walks reproduced").as_ref() != Some(&told) {
            found.push(format!("walks: {told}, and the page has {:?}", fact("Precision: walks reproduced")));
        }
    }
    let unexplored = model.unexplored_transitions();
    let told = fact("Not explored").unwrap_or_else(|| "0".to_owned());
    if told != unexplored.to_string() {
        found.push(format!("not explored: {unexplored}, and the page has {told}"));
    }
    found
}

/// Properties that hold by the file and are violated by the model.
fn violated(model: &Fsa<String>, properties: &Value) -> Vec<String> {
    let texts = |list: &Value| -> BTreeSet<String> {
        list.as_array().into_iter().flatten().filter_map(|one| Some(one.as_str()?.to_owned())).collect()
    };
    let pure = texts(&properties["pure"]);
    let mut checker = Checker::new(model, Language::PrefixClosed, CHECKING);
    let mut found = Vec::new();
    for one in properties["properties"].as_array().into_iter().flatten() {
        let text = |name: &str| one[name].as_str().expect("a property has labels").to_owned();
        let template = Template::from_short(&text("template")).expect("the template is known");
        let property = Property { template, a: text("a"), b: text("b") };
        if one["fate"] == Fate::<()>::Refuted(()).name() {
            continue;
        }
        if let Verdict::Fails { counterexample } = checker.check_property(&property, &pure) {
            found.push(format!("{property} and the model's word {}", counterexample.join(" ")));
        }
    }
    found
}

/// The size of a model in the words of every output.
fn size(model: &Fsa<String>) -> String {
    let counted = |count: usize, noun: &str| {
        if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
    };
    let apart = match model.unexplored_transitions() {
        0 => String::new(),
        unexplored => format!(", {unexplored} of them not explored"),
    };
    let states = counted(model.explored_states().count(), "state");
    format!("{states}, {}{apart}", counted(model.transitions(), "transition"))
}
