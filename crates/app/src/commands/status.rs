//! `adit status`: prints the state of a campaign.

use std::fs;
use std::path::{Path, PathBuf};

use adit_automata::format;
use adit_store::{Campaign, Counts, DATABASE, Held, Round};
use miette::Report;
use serde_json::{Value, json};

use crate::errors::Ending;
use crate::flags::StatusFlags;
use crate::input::missing;
use crate::output::{counted, model_size, print, print_json};
use crate::pace;
use crate::progress::rounded;
use crate::results::run::share_of_walks;
use crate::results::validation::Share;
use crate::results::{self, Run};

pub(super) fn run(flags: &StatusFlags) -> Result<Ending, Report> {
    let folder = match flags.folder.parent() {
        _ if !flags.folder.exists() => return Err(missing(&flags.folder)),
        // A model's file stands for its folder.
        Some(folder) if flags.folder.is_file() => folder,
        _ => &flags.folder,
    };
    if !folder.join(DATABASE).exists() {
        let inside = campaigns_in(folder);
        if !inside.is_empty() {
            return list(flags, &inside);
        }
    }
    // Before the campaign is read, so that a round that ends meanwhile shows as running and not as killed.
    let writer = Held::by_another(folder);
    let status = Status::read(folder, writer)?;
    if flags.json {
        print_json(&status.json())?;
    } else {
        print(&status.words())?;
    }
    Ok(Ending::Clean)
}

/// The folders of campaigns in a folder, such as `adit-out`, in order.
fn campaigns_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(DATABASE).exists())
        .collect();
    found.sort();
    found
}

/// Prints a line about each campaign.
fn list(flags: &StatusFlags, folders: &[PathBuf]) -> Result<Ending, Report> {
    let mut all = Vec::new();
    for folder in folders {
        let writer = Held::by_another(folder);
        all.push((folder.display().to_string(), Status::read(folder, writer)?));
    }
    if flags.json {
        let row = |(folder, status): &(String, Status)| {
            let mut row = status.json();
            row["folder"] = folder.as_str().into();
            row
        };
        print_json(&json!({"campaigns": all.iter().map(row).collect::<Vec<_>>()}))?;
        return Ok(Ending::Clean);
    }
    let mut text = String::new();
    for (folder, status) in &all {
        let rounds = counted(status.rounds.len(), "round");
        let running = if status.writer.is_some() { ", running" } else { "" };
        let model = status.model.as_ref().map_or_else(
            || "no model yet".to_owned(),
            |model| model_size(model.states, model.transitions, model.not_explored),
        );
        text += &format!("{folder}: {}, {rounds}{running}; {model}\n", status.about.class);
    }
    print(&text)?;
    Ok(Ending::Clean)
}

struct Status {
    about: adit_store::About,
    counts: Counts,
    objects: u64,
    rounds: Vec<Round>,
    model: Option<Model>,
    /// Present if a process is writing the campaign, with its id if known.
    writer: Option<Option<u32>>,
}

struct Model {
    states: usize,
    transitions: usize,
    not_explored: usize,
    complete: bool,
    realized: Option<f64>,
    /// The walks behind the share, if the last round counted them.
    walks: Option<Share>,
    why: String,
}

impl Status {
    fn read(folder: &Path, writer: Option<Option<u32>>) -> Result<Self, Report> {
        let campaign = &Campaign::read(folder)?;
        // One that cannot be read, or of another version, is no reason to say nothing about the campaign.
        let run: Option<Run> = results::read(folder).unwrap_or_default();
        let model = match campaign.models()?.pop() {
            None => None,
            Some(stored) => {
                let model =
                    format::read(stored.json.as_bytes(), "the stored model", Some(format::Format::Json))?;
                let run = run.filter(|run| run.summary.round == stored.round.0);
                Some(Model {
                    states: model.explored_states().count(),
                    transitions: model.transitions(),
                    not_explored: model.unexplored_transitions(),
                    complete: stored.complete,
                    realized: stored.realized,
                    walks: run.and_then(|run| run.summary.model.walks),
                    why: stored.why,
                })
            }
        };
        Ok(Self {
            about: campaign.about()?,
            counts: campaign.counts()?,
            objects: campaign.objects()?,
            rounds: campaign.rounds()?,
            model,
            writer,
        })
    }

    /// Describes the end of a round.
    fn ending(&self, round: &Round) -> String {
        let last = self.rounds.last().is_some_and(|last| last.id == round.id);
        match (&round.end, self.writer) {
            (Some(end), _) => format!("stopped: {}", pace::in_words(end.stop)),
            (None, Some(Some(pid))) if last => format!("running, process {pid}"),
            (None, Some(None)) if last => "running".to_owned(),
            (None, _) => "killed; its findings are kept".to_owned(),
        }
    }

    fn words(&self) -> String {
        let Counts { tests, words, properties, .. } = self.counts;
        let mut text = format!(
            "campaign of {}, started {} with adit {} and seed {}\n",
            self.about.class,
            date(self.about.created),
            self.about.tool,
            self.about.seed
        );
        for round in &self.rounds {
            text += &format!(
                "  round {}, {}: {} in {:.1} s; {}\n",
                round.id.0,
                date(round.begun.started),
                counted(round.tests, "test"),
                round.seconds,
                self.ending(round)
            );
        }
        text += &format!(
            "{} stored; {}, seen {}\n",
            counted(tests, "test"),
            counted(words, "distinct word"),
            counted(self.objects, "time")
        );
        text += &format!("{properties}\n");
        match &self.model {
            None if self.rounds.iter().any(|round| round.end.is_some()) => {
                text += "no model yet: no round got that far; run the same command again to continue\n";
            }
            None => text += "no model yet: no round has ended\n",
            Some(Model { states, transitions, not_explored, complete, realized, walks, why }) => {
                let share = walks.map(Share::of_walks).or(realized.map(share_of_walks));
                let share = share.map(|share| format!("; {share}"));
                let cut = if *complete { "" } else { ", incomplete" };
                text += &format!(
                    "model: {}{}{cut}; {why}\n",
                    model_size(*states, *transitions, *not_explored),
                    share.unwrap_or_default()
                );
            }
        }
        text
    }

    fn json(&self) -> Value {
        let rounds: Vec<Value> = self
            .rounds
            .iter()
            .map(|round| {
                json!({
                    "round": round.id.0,
                    "started": date(round.begun.started),
                    "ended": round.end.as_ref().map(|end| date(end.ended)),
                    "stop": round.end.as_ref().map(|end| end.stop.name()),
                    "tests": round.tests,
                    "seconds": rounded(round.seconds),
                    "seed": round.begun.seed,
                    "effort": round.begun.effort,
                    "adit": round.begun.tool,
                })
            })
            .collect();
        let model = self.model.as_ref().map(|model| {
            json!({
                "states": model.states,
                "transitions": model.transitions,
                "not_explored": model.not_explored,
                "complete": model.complete,
                "realized": model.realized,
                "walks": model.walks,
                "origin": model.why,
            })
        });
        json!({
            "class": self.about.class,
            "created": date(self.about.created),
            "adit": self.about.tool,
            "seed": self.about.seed,
            "parameters": self.about.parameters,
            "running": self.writer.is_some(),
            "rounds": rounds,
            "tests": self.rounds.iter().map(|round| round.tests).sum::<u64>(),
            "tests_stored": self.counts.tests,
            "words": self.counts.words,
            "traces": self.objects,
            "properties": self.counts.properties,
            "model": model,
        })
    }
}

/// Formats a time in seconds since 1970 as `2026-11-16T02:17:29Z`.
fn date(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years that begin in March have their leap day at the end. A cycle of 400 years has 146097 days.
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (cycle * 400 + year + month / 10, (month + 2) % 12 + 1);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn moments_have_dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(951_868_799), "2000-02-29T23:59:59Z");
        assert_eq!(date(1_763_259_449), "2025-11-16T02:17:29Z");
        assert_eq!(date(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(date(-1), "1969-12-31T23:59:59Z");
    }
}
