//! A page from the folder that `adit mine` wrote, with its campaign, or from a model alone.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use adit_automata::{Fsa, format};
use adit_logic::{Property, Template, sentence};
use adit_store::{Campaign, Counts, DATABASE, Known};
use adit_trace::read::Problem;
use adit_trace::{Alphabet, Format, Labels, WordSink, pure_by_name, read};
use miette::Report;
use serde_json::Value;

use super::evidence::Replay;
use super::page::{Claim, Fate, Page, Test};
use super::test_name;
use crate::errors::bad_input;
use crate::input::{open, read_whole};
use crate::models;
use crate::timeline::Course;
use crate::witnesses::Witnesses;

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
    let mut place = Place::of(path)?;
    let (model, _) = place.model()?;
    let claimed = place.folder.map(|folder| json(&folder.join(CLAIMS))).transpose()?.flatten();
    let pure = pure(claimed.as_ref(), &model);
    Ok((model, pure))
}

/// The page of a folder, or of a model and what lies beside it when it is the one of such a folder.
pub(crate) fn load(path: &Path) -> Result<Page, Report> {
    let mut place = Place::of(path)?;
    let (model, title) = place.model()?;
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| models::title_of(path));
    let Some(folder) = place.folder.take() else {
        return Ok(Page { pure: pure(None, &model), ..Page::of(title, model) });
    };
    let folder = folder.as_path();
    let claimed = json(&folder.join(CLAIMS))?;
    let pure = pure(claimed.as_ref(), &model);
    let (tests, witnesses) = tests(folder)?;
    let mut replay = Replay::new(&model);
    for (number, test) in tests.iter().enumerate() {
        replay.test(number, &test.words);
    }
    // The campaign has all words. The file has those of the tests that were kept, with more about each event than is needed here.
    let campaign = place.campaign.as_ref();
    match campaign.map(Campaign::counts).transpose()?.filter(|counts| counts.words > 0).and(campaign) {
        Some(campaign) => replay_campaign(campaign, &mut replay)?,
        None => replay_file(folder, &mut replay)?,
    }
    let mut evidence = replay.finish();
    let places: HashMap<&str, usize> =
        tests.iter().enumerate().map(|(at, test)| (test.name.as_str(), at)).collect();
    evidence.learn(&model, &witnesses, |test| places.get(&*test_name(test)).copied());
    let claims: Vec<Claim> = match (&claimed, campaign) {
        (Some(claimed), _) => {
            claimed["properties"].as_array().into_iter().flatten().filter_map(claim).collect()
        }
        (None, Some(campaign)) => campaign.claims()?.into_iter().map(stored_claim).collect(),
        (None, None) => Vec::new(),
    };
    // The campaign knows more words than traces were written; without one, these are all there are.
    let support = |one: &Claim| one.support.max(evidence.support(&one.a));
    let claims = claims.into_iter().map(|one| Claim { support: support(&one), ..one }).collect();
    let course = match campaign {
        Some(campaign) => Course::of(campaign)?,
        None => json(&folder.join(SEARCH))?.map_or_else(Course::default, |search| Course::from_json(&search)),
    };
    Ok(Page {
        title,
        pure,
        claims,
        tests,
        evidence,
        course,
        run: json(&folder.join(RUN))?,
        validated: json(&folder.join(VALIDATED))?,
        model,
        notes: place.notes,
    })
}

/// Where a model is, and the folder with what else is known about it.
struct Place {
    /// What was named.
    path: PathBuf,
    /// The model's file, if there is one.
    file: Option<PathBuf>,
    folder: Option<PathBuf>,
    /// The campaign of the folder, if it has one that can be read.
    campaign: Option<Campaign>,
    /// What could not be read.
    notes: Vec<String>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Report> {
        let folder = if path.is_dir() {
            Some(path)
        } else {
            // A model of this name that has claims, traces or a campaign beside it is the one of such a folder.
            path.parent().filter(|folder| {
                let with_more =
                    TRACES.iter().chain([&CLAIMS, &DATABASE]).any(|name| folder.join(name).exists());
                path.file_name().is_some_and(|name| name == MODEL) && with_more
            })
        };
        let file = if path.is_dir() { path.join(MODEL) } else { path.to_owned() };
        // What is not there is told of when it is opened, with the near miss.
        let file = Some(file).filter(|file| !path.is_dir() || file.exists());
        let mut place = Self {
            path: path.to_owned(),
            file,
            folder: folder.map(Path::to_owned),
            campaign: None,
            notes: Vec::new(),
        };
        let Some(folder) = folder else { return Ok(place) };
        if !folder.join(DATABASE).exists() {
            if place.file.is_none() {
                return Err(bad_input(
                    format!("{} holds no {MODEL} and no campaign", path.display()),
                    "name the folder that `adit mine -o` wrote, or a model's file",
                ));
            }
            return Ok(place);
        }
        match Campaign::read(folder) {
            Ok(campaign) => place.campaign = Some(campaign),
            // Without it there is nothing at all.
            Err(error) if place.file.is_none() => return Err(error.into()),
            Err(error) => {
                place.notes.push(format!(
                    "{error}: the page is made from the files beside it, without what only the campaign knows"
                ));
            }
        }
        Ok(place)
    }

    /// The model with its title: the one of the file, or else the one that the campaign ended with.
    fn model(&mut self) -> Result<(Fsa<String>, Option<String>), Report> {
        if let Some(file) = &self.file {
            return models::read_titled(open(file)?, None);
        }
        let campaign = self.campaign.as_ref().expect("a place has a file or a campaign");
        if let Some(stored) = campaign.models()?.pop() {
            self.notes.push(format!(
                "{MODEL} is not there: this is the model that round {} ended with, from the campaign itself",
                stored.round.0
            ));
            let model = format::read(stored.json.as_bytes(), "the stored model", Some(format::Format::Json))?;
            return Ok((model, Some(campaign.about()?.class)));
        }
        let Counts { tests, words, .. } = campaign.counts()?;
        let class = campaign.about()?.class;
        let folder = self.path.display();
        Err(bad_input(
            format!(
                "the campaign in {folder} has no model yet (tests kept: {tests}, words: {words}): it was ended before there was one"
            ),
            format!(
                "`adit mine {class} -o {folder}` with the flags of before goes on from there; `adit status {folder}` shows what was kept"
            ),
        ))
    }
}

/// Replays every word of a campaign.
fn replay_campaign(campaign: &Campaign, replay: &mut Replay<'_>) -> Result<(), Report> {
    let alphabet = RefCell::new(Alphabet::new());
    campaign.each_word(
        0,
        |label| alphabet.borrow_mut().intern(label),
        |Known { word, count, .. }| {
            replay.part(word, &alphabet.borrow());
            replay.end(count.max(1));
        },
    )?;
    Ok(())
}

/// Replays the traces of a folder's file, if there is one.
fn replay_file(folder: &Path, replay: &mut Replay<'_>) -> Result<(), Report> {
    let Some(traces) = TRACES.iter().map(|name| folder.join(name)).find(|path| path.exists()) else {
        return Ok(());
    };
    let source = open(&traces)?;
    let options = read::Options::new(Labels::Exception);
    let format = Some(Format::Jsonl);
    let mut alphabet = Alphabet::new();
    match read::words(source.bytes, &source.name, format, &options, &mut alphabet, replay) {
        // A search that kept no test leaves no trace, and its model has a page nonetheless.
        Err(error) if matches!(error.problem(), Problem::NoTraces { .. }) => {}
        read => drop(read?),
    }
    Ok(())
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

/// A claim of a campaign. Its test has a number there, and no name among the files.
fn stored_claim(claim: adit_store::Claim) -> Claim {
    let fate = match claim.fate {
        adit_store::Fate::Open => Fate::NotAttacked,
        adit_store::Fate::Survived { abandoned } => {
            Fate::Surviving { attacked: Some(claim.attacked), abandoned }
        }
        adit_store::Fate::Refuted { .. } => Fate::Falsified { test: None, after: None },
    };
    let says = sentence(&claim.property);
    let Property { template, a, b } = claim.property;
    Claim { says, template: template.short().to_owned(), a, b, fate, support: claim.support }
}

/// The tests in the Java files of a folder, with what happens in each as far as `tests.json` tells.
fn tests(folder: &Path) -> Result<(Vec<Test>, Witnesses), Report> {
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
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, test) in tests.iter().enumerate() {
        places.entry(test.name.clone()).or_insert(at);
    }
    for one in told["tests"].as_array().into_iter().flatten() {
        let words = one["words"].as_array().into_iter().flatten().map(|word| {
            word.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        });
        if let Some(&at) = one["name"].as_str().and_then(|name| places.get(name)) {
            tests[at].words = words.collect();
        }
    }
    Ok((tests, Witnesses::from_json(&told["witnesses"])))
}

/// The test methods of a Java file that adit wrote, without the indentation that they have in their class.
fn methods(source: &str) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    let mut open = false;
    let head = source.split("    @Test\n").next().unwrap_or_default();
    for line in source.lines() {
        if line.trim() == "@Test" {
            open = true;
            tests.push(Test { head: head.to_owned(), ..Test::default() });
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
        assert_eq!(tests[1].head, "import a.B;\n\nclass ATest {\n");
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
            Some("survived 7 rounds of attack without being contradicted, then effort went elsewhere; no recorded trace puts it to the test".to_owned())
        );
        assert_eq!(one(r#"{"template":"NF","a":3}"#), None);
        let says =
            claim(&serde_json::from_str(r#"{"template":"NF","a":"x","b":"y"}"#).unwrap()).unwrap().says;
        assert!(says.contains("`x`") && says.contains("`y`"), "{says}");
    }
}
