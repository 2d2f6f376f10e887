//! A page from the folder that `adit mine` wrote, or from a model alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use adit_automata::Fsa;
use adit_logic::{Property, Template, sentence};
use adit_trace::read::Problem;
use adit_trace::{Alphabet, Labels, pure_by_name, read};
use miette::Report;
use serde_json::Value;

use super::evidence::Replay;
use super::page::{Claim, Fate, Page, SearchPoint, Test};
use crate::errors::bad_input;
use crate::input::{open, read_whole};
use crate::models;

/// The names of what a folder holds. Only the model must be there.
pub(super) const MODEL: &str = "model.json";
const TRACES: [&str; 2] = ["traces.jsonl", "traces.jsonl.gz"];
const CLAIMS: &str = "properties.json";
pub(super) const TESTS: &str = "tests.json";
const SEARCH: &str = "search.json";
const RUN: &str = "run.json";
const VALIDATED: &str = "validate.json";

/// A model and the labels of its calls without side effects, from a folder or a file; what else is there is not read.
pub(crate) fn load_model(path: &Path) -> Result<(Fsa<String>, BTreeSet<String>), Report> {
    let place = Place::of(path)?;
    let (model, _) = models::read_titled(open(&place.model)?, None)?;
    let claimed = place.folder.map(|folder| json(&folder.join(CLAIMS))).transpose()?.flatten();
    let pure = pure(claimed.as_ref(), &model);
    Ok((model, pure))
}

/// The page of a folder, or of a model and what lies beside it when it is the one of such a folder.
pub(crate) fn load(path: &Path) -> Result<Page, Report> {
    let place = Place::of(path)?;
    let (model, title) = models::read_titled(open(&place.model)?, None)?;
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| models::title_of(path));
    let Some(folder) = place.folder else {
        let pure = pure(None, &model);
        let evidence = Replay::new(&model).finish();
        return Ok(Page {
            title,
            model,
            pure,
            claims: Vec::new(),
            tests: Vec::new(),
            evidence,
            search: Vec::new(),
            run: None,
            validated: None,
        });
    };
    let folder = folder.as_path();
    let claimed = json(&folder.join(CLAIMS))?;
    let pure = pure(claimed.as_ref(), &model);
    let tests = tests(folder)?;
    let mut replay = Replay::new(&model);
    for (number, test) in tests.iter().enumerate() {
        replay.test(number, &test.words);
    }
    if let Some(traces) = TRACES.iter().map(|name| folder.join(name)).find(|path| path.exists()) {
        let source = open(&traces)?;
        let options = read::Options::new(Labels::Exception);
        let format = Some(read::Format::Jsonl);
        let mut alphabet = Alphabet::new();
        match read::words(source.bytes, &source.name, format, &options, &mut alphabet, &mut replay) {
            // A search that kept no test leaves no trace, and its model has a page nonetheless.
            Err(error) if matches!(error.problem(), Problem::NoTraces { .. }) => {}
            read => drop(read?),
        }
    }
    let evidence = replay.finish();
    let claims = claimed.map_or_else(Vec::new, |claimed| {
        let all = claimed["properties"].as_array().cloned().unwrap_or_default();
        // The campaign knows more words than traces were written; without one, these are all there are.
        let support = |one: &Claim| one.support.max(evidence.support(&one.a));
        all.iter().filter_map(claim).map(|one| Claim { support: support(&one), ..one }).collect()
    });
    let search = json(&folder.join(SEARCH))?.map_or_else(Vec::new, |search| {
        search["points"].as_array().map(|points| points.iter().map(point).collect()).unwrap_or_default()
    });
    Ok(Page {
        title,
        pure,
        claims,
        tests,
        evidence,
        search,
        run: json(&folder.join(RUN))?,
        validated: json(&folder.join(VALIDATED))?,
        model,
    })
}

/// Where a model is, and the folder with what else is known about it.
struct Place {
    model: PathBuf,
    folder: Option<PathBuf>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Report> {
        if path.is_dir() {
            let model = path.join(MODEL);
            if !model.exists() {
                return Err(bad_input(
                    format!("{} holds no {MODEL}", path.display()),
                    "name the folder that `adit mine -o` wrote, or a model's file",
                ));
            }
            return Ok(Self { model, folder: Some(path.to_owned()) });
        }
        // A model of this name that has claims or traces beside it is the one of such a folder.
        let folder = path.parent().filter(|folder| {
            let with_more = TRACES.iter().chain([&CLAIMS]).any(|name| folder.join(name).exists());
            path.file_name().is_some_and(|name| name == MODEL) && with_more
        });
        Ok(Self { model: path.to_owned(), folder: folder.map(Path::to_owned) })
    }
}

/// The labels of calls without side effects: those that were found out, else those that are named so.
fn pure(claimed: Option<&Value>, model: &Fsa<String>) -> BTreeSet<String> {
    match claimed.and_then(|claimed| claimed["pure"].as_array()) {
        Some(labels) => labels.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => model.alphabet().iter().filter(|label| pure_by_name(label)).cloned().collect(),
    }
}

/// A JSON file, if it is there.
fn json(path: &Path) -> Result<Option<Value>, Report> {
    if !path.exists() {
        return Ok(None);
    }
    let (name, bytes) = read_whole(open(path)?)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        bad_input(
            format!(
                "{name}:{}:{}: this is not the JSON that adit writes: {error}",
                error.line(),
                error.column()
            ),
            "was the file changed or cut off? without it the page is made from what else is there",
        )
    })
}

/// A claim of `properties.json`; nothing when it lacks what a claim needs.
fn claim(value: &Value) -> Option<Claim> {
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    let (template, a, b) = (text("template")?, text("a")?, text("b")?);
    let fate = match value["fate"].as_str() {
        Some("falsified") => {
            Fate::Falsified { test: text("test"), after: value["found_after_tests"].as_u64() }
        }
        Some("surviving") => Fate::Surviving {
            attacked: value["attacked"].as_u64(),
            abandoned: value["abandoned"].as_bool().unwrap_or(false),
        },
        _ => Fate::NotAttacked,
    };
    let says = text("says").or_else(|| {
        let template = Template::from_short(&template)?;
        Some(sentence(&Property { template, a: a.clone(), b: b.clone() }))
    });
    let says = says.unwrap_or_else(|| format!("{template}({a}, {b})"));
    Some(Claim { says, template, a, b, fate, support: value["support"].as_u64().unwrap_or(0) })
}

fn point(value: &Value) -> SearchPoint {
    SearchPoint {
        phase: value["phase"].as_str().unwrap_or_default().to_owned(),
        seconds: value["seconds"].as_f64().filter(|seconds| seconds.is_finite()).unwrap_or(0.0),
        tests: value["tests"].as_u64().unwrap_or(0),
        states: value["states"].as_u64(),
        refuted: value["refuted"].as_u64(),
        open: value["open"].as_u64(),
        covered: value["covered"].as_u64(),
    }
}

/// The tests in the Java files of a folder, with what happens in each as far as `tests.json` tells.
fn tests(folder: &Path) -> Result<Vec<Test>, Report> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("tests"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    files.sort();
    let mut tests = Vec::new();
    for file in files {
        let (_, bytes) = read_whole(open(&file)?)?;
        tests.extend(methods(&String::from_utf8_lossy(&bytes)));
    }
    let told = json(&folder.join(TESTS))?.unwrap_or_default();
    for one in told["tests"].as_array().into_iter().flatten() {
        let words = one["words"].as_array().into_iter().flatten().map(|word| {
            word.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        });
        if let Some(test) = tests.iter_mut().find(|test| one["name"].as_str() == Some(&test.name)) {
            test.words = words.collect();
        }
    }
    Ok(tests)
}

/// The test methods of a Java file that adit wrote, without the indentation that they have in their class.
fn methods(source: &str) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    let mut open = false;
    for line in source.lines() {
        if line.trim() == "@Test" {
            open = true;
            tests.push(Test::default());
        }
        let Some(test) = tests.last_mut().filter(|_| open) else { continue };
        test.source += line.strip_prefix("    ").unwrap_or(line);
        test.source.push('\n');
        if test.name.is_empty()
            && let Some((_, rest)) = line.split_once("void ")
            && let Some((name, _)) = rest.split_once('(')
        {
            name.trim().clone_into(&mut test.name);
        }
        // The brace that closes a method stands where its annotation does.
        open = line != "    }";
    }
    tests.retain(|test| !test.name.is_empty());
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_falls_into_its_tests() {
        let source = "import a.B;\n\nclass ATest {\n    @Test\n    void script0() throws Throwable {\n        if (x) {\n        }\n        a.b();\n    }\n\n    @Test\n    void script1() {\n    }\n}\n";
        let tests = methods(source);
        assert_eq!(tests.len(), 2);
        assert_eq!(tests[0].name, "script0");
        assert_eq!(
            tests[0].source,
            "@Test\nvoid script0() throws Throwable {\n    if (x) {\n    }\n    a.b();\n}\n"
        );
        assert_eq!(tests[1].source, "@Test\nvoid script1() {\n}\n");
        assert_eq!(methods("no tests here\n@Test"), []);
    }

    #[test]
    fn claims_tell_their_fate() {
        let one = |text: &str| claim(&serde_json::from_str(text).unwrap()).map(|claim| claim.story());
        assert_eq!(
            one(
                r#"{"template":"NF","a":"x","b":"y","fate":"falsified","test":"script3","found_after_tests":12}"#
            ),
            Some("contradicted by script3, after 12 tests".to_owned())
        );
        assert_eq!(
            one(r#"{"template":"NF","a":"x","b":"y","fate":"surviving","attacked":7,"abandoned":true}"#),
            Some("survived 7 rounds of attack, then the search gave it up; no recorded trace puts it to the test".to_owned())
        );
        assert_eq!(one(r#"{"template":"NF","a":3}"#), None);
        let says =
            claim(&serde_json::from_str(r#"{"template":"NF","a":"x","b":"y"}"#).unwrap()).unwrap().says;
        assert!(says.contains("`x`") && says.contains("`y`"), "{says}");
    }
}
