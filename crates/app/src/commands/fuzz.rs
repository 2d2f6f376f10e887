//! `adit fuzz`: drives a server through its model and reports crashes, hangs and contradictions.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adit_automata::Fsa;
use adit_automata::format::Format;
use adit_fuzz::alphabet::Alphabet;
use adit_fuzz::campaign::{self, Campaign, CampaignRules};
use adit_fuzz::findings::{FindingKey, ServerFinding};
use adit_fuzz::generate::ScriptLimits;
use adit_fuzz::guide::{Guide, ModelGuide};
use adit_fuzz::server::ServerCommand;
use miette::Report;
use serde_json::{Value, json};

use crate::budget::Budget;
use crate::errors::{Ending, bad_input};
use crate::flags::FuzzFlags;
use crate::interrupt::Listening;
use crate::models::{self, SPELLING};
use crate::output::{counted, create_folder, print, print_json};
use crate::progress::Counting;
use crate::servers;
use crate::shell;
use crate::stderr::tell;

mod replay;
mod sandbox;
mod script_file;

/// Interval at which the campaign is saved.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Longest time to make the scripts of all findings small.
const MINIMIZE_TIME: Duration = Duration::from_secs(30);

/// Sessions in a row that cannot be started, after which a campaign ends.
const MOST_FAILURES: u32 = 5;

pub(super) fn run(flags: &FuzzFlags, quiet: bool) -> Result<Ending, Report> {
    if let Some(file) = &flags.replay {
        return replay::run(flags, file);
    }
    let named = flags.alphabet.as_deref().unwrap_or_default();
    let (alphabet, text) = servers::alphabet(named)?;
    let model = flags.model.as_deref().map(|path| models::read(path, flags.from.as_deref())).transpose()?;
    let guide = guide(model.as_ref(), &alphabet)?;
    let command = servers::command(&flags.server, !flags.no_edges);
    let folder = folder(flags, &alphabet);
    let model_text = model.as_ref().map(model_text).transpose()?;
    let subject = subject(&text, model_text.as_deref());
    let rules = CampaignRules {
        seed: flags.seed,
        limits: ScriptLimits { way: flags.way, tried: flags.tries },
        confirmations: flags.confirmations,
        only_seen: flags.only_seen,
    };
    let sandbox = sandbox::Sandboxed::new(named, &command, flags.unsafe_no_sandbox)?;
    let runner = sandbox.runner(&command, &alphabet);
    let mut campaign = Campaign::new(&alphabet, &guide, &*runner, rules);
    if flags.fresh {
        forget(&folder)?;
    }
    let continued = campaign::load(&mut campaign, &folder, &subject)?;
    if continued && !quiet {
        let before = counted(campaign.sessions(), "session");
        tell(&format!("continues the campaign in {} after {before}", folder.display()));
    }
    if command.edges && !quiet {
        tell("the server is instrumented: afl-showmap reports the edges of each session");
    }
    let listening = Listening::new();
    let start = Instant::now();
    let before = campaign.sessions();
    let stop = fuzz(&mut campaign, flags, &folder, &subject, &listening, quiet)?;
    let seconds = start.elapsed().as_secs_f64();
    for key in campaign.judge_transitions(seconds) {
        announce(&key, quiet);
    }
    let until = Instant::now() + MINIMIZE_TIME;
    let stopped = || listening.interrupted() || Instant::now() > until;
    // A server that no longer starts leaves the scripts as long as they are.
    if flags.minimize > 0 {
        let _ = campaign.minimize(flags.minimize, stopped);
    }
    campaign::save(&campaign, &folder, &subject, seconds)?;
    write(&folder.join("alphabet.toml"), &text)?;
    if let Some(text) = &model_text {
        write(&folder.join("model.json"), text)?;
    }
    let files = script_file::write_all(&folder, &campaign, &flags.server)?;
    let edges = command.edges.then(|| campaign.coverage().edges());
    let summary = Summary { campaign: &campaign, alphabet: &alphabet, files, edges, seconds, before, stop };
    if flags.json {
        print_json(&summary.json(&folder))?;
    } else {
        print(&summary.text(&command))?;
    }
    if let (Some(unasked), false) = (campaign.unasked(), quiet) {
        tell(&format!("note: the server answers without being asked: {unasked}"));
    }
    if let (Some(late), false) = (late(&campaign, &alphabet), quiet) {
        tell(&late);
    }
    Ok(if campaign.findings().is_empty() { Ending::Clean } else { Ending::Found })
}

/// Runs sessions until the budget is used up. Returns the reason for stopping.
fn fuzz(
    campaign: &mut Campaign<'_>,
    flags: &FuzzFlags,
    folder: &Path,
    subject: &str,
    listening: &Listening,
    quiet: bool,
) -> Result<&'static str, Report> {
    let start = Instant::now();
    let mut saved = start;
    let mut failures = 0;
    let mut progress = Counting::new(quiet);
    let mut sessions: u64 = 0;
    let stop = loop {
        let spent = start.elapsed();
        match flags.budget {
            _ if listening.interrupted() => break "interrupted",
            Budget::Tests(most) if sessions >= most => break "budget",
            Budget::Time(most) if spent >= most => break "budget",
            _ if flags.until.is_some_and(|enough| campaign.findings().len() >= enough) => break "findings",
            _ => {}
        }
        match campaign.step(spent.as_secs_f64()) {
            Ok(new) => {
                failures = 0;
                sessions += 1;
                // What was announced must survive whatever happens next.
                if !new.is_empty() {
                    campaign::save(campaign, folder, subject, start.elapsed().as_secs_f64())?;
                    saved = Instant::now();
                }
                new.iter().for_each(|key| announce(key, quiet));
            }
            // Without one session there is nothing to keep, and the command is probably wrong.
            Err(error) if sessions == 0 => {
                progress.finish();
                return Err(error.into());
            }
            Err(error) => {
                failures += 1;
                if failures >= MOST_FAILURES {
                    tell(&format!("warning: the server no longer starts: {error}"));
                    break "server";
                }
            }
        }
        if saved.elapsed() >= SAVE_EVERY {
            campaign::save(campaign, folder, subject, start.elapsed().as_secs_f64())?;
            saved = Instant::now();
        }
        progress.show(|| status(campaign, sessions, start.elapsed()));
    };
    progress.finish();
    Ok(stop)
}

/// Note about answers that came after the limit.
fn late(campaign: &Campaign<'_>, alphabet: &Alphabet) -> Option<String> {
    let labels: Vec<&str> = campaign.late().keys().map(String::as_str).collect();
    let limit = alphabet.session.answer_limit.as_millis();
    let all = counted(campaign.late().values().sum::<u64>(), "answer");
    (!labels.is_empty()).then(|| {
        format!(
            "note: {all} came after the limit of {limit} ms ({}): the machine is busy, or `answer_limit` in the \
             alphabet file is too low",
            labels.join(", ")
        )
    })
}

fn status(campaign: &Campaign<'_>, sessions: u64, spent: Duration) -> String {
    let rate = sessions as f64 / spent.as_secs_f64().max(0.001);
    let states = match campaign.states() {
        (reached, Some(all)) => format!("{reached} of {all} states"),
        (reached, None) => counted(reached, "code"),
    };
    format!(
        "{}, {rate:.0} a second; {states}, {}, corpus {}; {}",
        counted(campaign.sessions(), "session"),
        counted(campaign.coverage().triples(), "triple"),
        campaign.corpus().len(),
        counted(campaign.findings().len(), "finding"),
    )
}

fn announce(key: &FindingKey, quiet: bool) {
    if !quiet {
        tell(&format!("found: {} at {}: {}", key.kind.name(), key.label, key.detail));
    }
}

fn guide(model: Option<&Fsa<String>>, alphabet: &Alphabet) -> Result<Guide, Report> {
    Ok(match model {
        Some(model) => Guide::Model(ModelGuide::new(model, alphabet)?),
        None => Guide::Codes,
    })
}

fn folder(flags: &FuzzFlags, alphabet: &Alphabet) -> PathBuf {
    let arm = if flags.without_model { "fuzz-without-model" } else { "fuzz" };
    let usual = || Path::new("adit-out").join(format!("{}-{arm}", alphabet.protocol));
    flags.output.clone().unwrap_or_else(usual)
}

fn model_text(model: &Fsa<String>) -> Result<String, Report> {
    Ok(SPELLING.write(model, Format::Json, "model")?.text)
}

/// Digest of what makes a campaign: a campaign with another alphabet or model is another one.
fn subject(alphabet: &str, model: Option<&str>) -> String {
    let bytes = alphabet.bytes().chain([0]).chain(model.unwrap_or_default().bytes());
    // FNV-1a: it tells files apart, and protects against nothing.
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// Removes a campaign, and nothing else that may be in the folder.
fn forget(folder: &Path) -> Result<(), Report> {
    let files = ["campaign.json", "corpus.jsonl", "alphabet.toml", "model.json"];
    let findings = script_file::in_folder(folder);
    for file in files.iter().map(|name| folder.join(name)).chain(findings).filter(|file| file.exists()) {
        fs::remove_file(&file).map_err(|error| {
            bad_input(format!("{}: cannot remove: {error}", file.display()), "choose another folder with -o")
        })?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Report> {
    create_folder(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text).map_err(|error| {
        bad_input(format!("{}: cannot write: {error}", path.display()), "choose another folder with -o")
    })
}

/// The result of a campaign.
struct Summary<'a> {
    campaign: &'a Campaign<'a>,
    alphabet: &'a Alphabet,
    files: Vec<PathBuf>,
    edges: Option<usize>,
    seconds: f64,
    before: u64,
    stop: &'static str,
}

impl Summary<'_> {
    fn rate(&self) -> f64 {
        (self.campaign.sessions() - self.before) as f64 / self.seconds.max(0.001)
    }

    fn json(&self, folder: &Path) -> Value {
        let (reached, known) = self.campaign.states();
        let finding = |(finding, file): (&ServerFinding, &PathBuf)| {
            json!({
                "kind": finding.key.kind.name(),
                "label": finding.key.label,
                "detail": finding.key.detail,
                "state": finding.state,
                "session": finding.session,
                "seconds": finding.seconds,
                "times": finding.times,
                "minimized": finding.minimized,
                "messages": self.messages(finding),
                "script": file.display().to_string(),
            })
        };
        json!({
            "folder": folder.display().to_string(),
            "sessions": self.campaign.sessions(),
            "seconds": self.campaign.earlier() + self.seconds,
            "sessions_per_second": self.rate(),
            "states": {"reached": reached, "known": known},
            "triples": self.campaign.coverage().triples(),
            "edges": self.edges,
            "corpus": self.campaign.corpus().len(),
            "findings": self.campaign.findings().iter().zip(&self.files).map(finding).collect::<Vec<_>>(),
            "unasked": self.campaign.unasked(),
            "late": self.campaign.late().values().sum::<u64>(),
            "stop": self.stop,
        })
    }

    fn messages(&self, finding: &ServerFinding) -> Vec<String> {
        finding.script.iter().map(|message| message.spelled(self.alphabet)).collect()
    }

    fn text(&self, command: &ServerCommand) -> String {
        let mut text = String::new();
        for (finding, file) in self.campaign.findings().iter().zip(&self.files) {
            let FindingKey { kind, label, detail } = &finding.key;
            let _ = writeln!(
                text,
                "{} at {label}: {detail} (state {}, session {}, {:.1} s)\n  {}\n  replay: adit fuzz --replay {}",
                kind.name(),
                finding.state,
                finding.session,
                finding.seconds,
                self.messages(finding).join(" · "),
                shell::quoted(&file.display().to_string()),
            );
        }
        let states = match self.campaign.states() {
            (reached, Some(all)) => format!("{reached} of {all} states of the model"),
            (reached, None) => counted(reached, "code"),
        };
        let edges = self.edges.map(|edges| format!(", {}", counted(edges, "edge"))).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}{} of `{}` in {} ({:.0} s, {:.0} a second): {states}, {}{edges}, corpus of {}.",
            if text.is_empty() { "" } else { "\n" },
            counted(self.campaign.findings().len(), "finding"),
            command.words.join(" "),
            counted(self.campaign.sessions(), "session"),
            self.campaign.earlier() + self.seconds,
            self.rate(),
            counted(self.campaign.coverage().triples(), "triple"),
            self.campaign.corpus().len(),
        );
        text
    }
}
