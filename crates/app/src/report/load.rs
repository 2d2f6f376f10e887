//! Loading a page from the folder that `adit mine` wrote, or from a model alone.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use adit_automata::{Fsa, format};
use adit_store::{Campaign, Counts, DATABASE, Held, Known};
use adit_trace::read::Problem;
use adit_trace::{Alphabet, Format, Labels, WordSink, read};
use miette::Report;

use super::evidence::Replay;
use super::page::{Page, pure_labels};
use crate::errors::bad_input;
use crate::input::open;
use crate::models::{self, DETAIL, MODEL, UnknownFormat};
use crate::output::counted;
use crate::results::{self, Properties, PropertyResult, ResultFile, Results, SearchHistory, Witness};

/// Names of the traces in a folder.
const TRACES: [&str; 2] = ["traces.jsonl", "traces.jsonl.gz"];

/// A model, and the labels of its calls without side effects.
type ModelAndPure = (Fsa<String>, BTreeSet<String>);

/// Loads a model and the labels of its calls without side effects, from a folder or a file, and nothing else.
pub(crate) fn load_model(path: &Path) -> Result<ModelAndPure, Report> {
    let mut place = Place::of(path)?;
    let (model, _) = place.model()?;
    let properties: Option<Properties> = match &place.folder {
        Some(folder) => results::read(folder)?,
        None => None,
    };
    let pure = properties.map_or_else(|| pure_labels(&model), |properties| properties.pure);
    Ok((model, pure))
}

/// Loads the finer model of a folder, or of the folder of a model, with the labels of its calls without side
/// effects; nothing if there is none.
pub(crate) fn load_detail(path: &Path) -> Result<Option<ModelAndPure>, Report> {
    let (_, pure) = load_model(path)?;
    let folder = Place::of(path)?.folder;
    let detail = folder.map(|folder| detail_of(&folder)).transpose()?.flatten();
    Ok(detail.map(|detail| (detail, pure)))
}

fn detail_of(folder: &Path) -> Result<Option<Fsa<String>>, Report> {
    let file = folder.join(DETAIL);
    if !file.exists() {
        return Ok(None);
    }
    Ok(Some(models::read_titled(open(&file)?, None, UnknownFormat::ConvertIt)?.0))
}

/// Loads the page of a folder, or of a model and what lies beside it if it is the one of such a folder.
pub(crate) fn load(path: &Path) -> Result<Page, Report> {
    let mut place = Place::of(path)?;
    let (model, title) = place.model()?;
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| models::title_of(path));
    let Place { folder, campaign, notes, .. } = place;
    let Some(folder) = folder else {
        return Page::new(title, model, None, Results::default(), |_| Ok(()));
    };
    let mut results = Results::read(&folder)?;
    if let Some(campaign) = &campaign {
        results.search = Some(SearchHistory::of(campaign)?);
        if results.properties.is_none() {
            results.properties = Some(stored_properties(campaign, &model)?);
        }
    }
    let detail = detail_of(&folder)?;
    let page = Page::new(title, model, detail, results, |replay| match &campaign {
        // The campaign has all words, the file only those of the tests that were kept.
        Some(campaign) if campaign.counts()?.words > 0 => replay_campaign(campaign, replay),
        _ => replay_file(&folder, replay),
    })?;
    Ok(Page { notes, ..page })
}

/// Returns the properties of a campaign. Their witnesses have numbers there, and no names among the files.
fn stored_properties(campaign: &Campaign, model: &Fsa<String>) -> Result<Properties, Report> {
    let one = |stored: adit_store::StoredProperty| {
        PropertyResult::new(stored.property, stored.support, stored.fate.map(|_| Witness::default()))
    };
    let properties = campaign.properties()?.into_iter().map(one).collect();
    Ok(Properties { pure: pure_labels(model), properties })
}

/// Location of a model, and of everything else known about it.
struct Place {
    /// The path that the user gave.
    path: PathBuf,
    /// The model's file, if there is one.
    file: Option<PathBuf>,
    folder: Option<PathBuf>,
    /// The campaign of the folder, if there is a readable one.
    campaign: Option<Campaign>,
    /// Warnings about what could not be read.
    notes: Vec<String>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Report> {
        let folder = if path.is_dir() {
            Some(path)
        } else {
            // A model of this name with properties, traces or a campaign beside it belongs to such a folder.
            path.parent().filter(|folder| {
                let with_more = TRACES
                    .iter()
                    .chain([&Properties::NAME, &DATABASE])
                    .any(|name| folder.join(name).exists());
                path.file_name().is_some_and(|name| name == MODEL) && with_more
            })
        };
        let file = if path.is_dir() { path.join(MODEL) } else { path.to_owned() };
        // A missing file is reported when it is opened, with a suggestion.
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
                    "name a folder that `adit mine` wrote, or a model file",
                ));
            }
            return Ok(place);
        }
        match Campaign::read(folder) {
            Ok(campaign) => place.campaign = Some(campaign),
            // Without the campaign there is no model at all.
            Err(error) if place.file.is_none() => return Err(error.into()),
            Err(error) => {
                place.notes.push(format!(
                    "{error}; the page is made from the files beside it, without the campaign"
                ));
            }
        }
        Ok(place)
    }

    /// Reads the model with its title: from the file, or else the last one of the campaign.
    fn model(&mut self) -> Result<(Fsa<String>, Option<String>), Report> {
        if let Some(file) = &self.file {
            return models::read_titled(open(file)?, None, UnknownFormat::ConvertIt);
        }
        let campaign = self.campaign.as_ref().expect("a place has a file or a campaign");
        if let Some(stored) = campaign.models()?.pop() {
            self.notes.push(format!(
                "{MODEL} is missing; this is the model of round {} from the campaign",
                stored.round.0
            ));
            let model = format::read(stored.json.as_bytes(), "the stored model", Some(format::Format::Json))?;
            let names: Option<results::Names> = results::read(&self.path)?;
            let model = names.map_or_else(|| model.clone(), |names| names.given_to(&model).0);
            return Ok((model, Some(campaign.about()?.class)));
        }
        let Counts { tests, words, .. } = campaign.counts()?;
        let (tests, words) = (counted(tests, "test"), counted(words, "word"));
        let class = campaign.about()?.class;
        let folder = self.path.display();
        if Held::by_another(&self.path).is_some() {
            return Err(bad_input(
                format!(
                    "the campaign in {folder} is still running and has no model yet ({tests}, {words} stored)"
                ),
                format!("wait until its round ends; `adit status {folder}` shows how far it is"),
            ));
        }
        Err(bad_input(
            format!(
                "the campaign in {folder} has no model: the run stopped before one was inferred ({tests}, {words} stored)"
            ),
            format!(
                "`adit mine {class} -o {folder}` with the same flags continues it; `adit status {folder}` shows what is stored"
            ),
        ))
    }
}

/// Replays every word of a campaign.
pub(super) fn replay_campaign(campaign: &Campaign, replay: &mut Replay<'_>) -> Result<(), Report> {
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
        // A search that stored no test has no traces, and its model still has a page.
        Err(error) if matches!(error.problem(), Problem::NoTraces { .. }) => {}
        read => drop(read?),
    }
    Ok(())
}
