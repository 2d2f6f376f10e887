//! `adit fuzz --replay`: the messages of a finding once more, with what the server answers.

use std::fmt::Write as _;
use std::path::Path;

use adit_fuzz::alphabet::Alphabet;
use adit_fuzz::campaign::end_of_session;
use adit_fuzz::findings::{FindingKind, sights};
use adit_fuzz::guide::{Guide, Judgment};
use adit_fuzz::runner::Pace;
use adit_fuzz::script::{Message, shortened};
use adit_fuzz::session::SessionRun;
use miette::Report;
use serde_json::{Value, json};

use super::sandbox::Sandboxed;
use super::script_file;
use crate::errors::{Ending, bad_input};
use crate::flags::FuzzFlags;
use crate::models;
use crate::output::{print, print_json};
use crate::servers;

pub(super) fn run(flags: &FuzzFlags, file: &Path) -> Result<Ending, Report> {
    let content = script_file::read(file)?;
    // The campaign's folder has the alphabet and the model, beside the folder of findings.
    let campaign = file.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let beside = campaign.join("alphabet.toml").display().to_string();
    let (alphabet, _) = servers::alphabet(flags.alphabet.as_deref().unwrap_or(&beside))?;
    let model = match &flags.model {
        Some(path) => Some(path.clone()),
        None => Some(campaign.join("model.json")).filter(|path| path.exists()),
    };
    let model = model.map(|path| models::read(&path, flags.from.as_deref())).transpose()?;
    let guide = super::guide(model.as_ref(), &alphabet)?;
    let words = if flags.server.is_empty() { &content.server } else { &flags.server };
    let command = servers::command(words, !flags.no_edges);
    let script = &content.finding.script;
    if let Some(unknown) = script.iter().find(|message| alphabet.label(&message.label).is_none()) {
        return Err(bad_input(
            format!("{}: the alphabet has no label `{}`", file.display(), unknown.label),
            "name the alphabet of the campaign with --alphabet",
        ));
    }
    let named = flags.alphabet.as_deref().unwrap_or(&beside);
    let sandbox = Sandboxed::new(named, &command, flags.unsafe_no_sandbox)?;
    let run = sandbox.runner(&command, &alphabet).run(script, &Pace::of(1))?;
    let key = &content.finding.key;
    let reproduced = match key.kind {
        FindingKind::RefutedTransition => refuses(&run, script, &guide, &alphabet),
        _ => sights(&run, script, &guide, &alphabet).iter().any(|sight| sight.key == *key),
    };
    let end = end_of_session(&run.end, script);
    if flags.json {
        let exchanges = run.exchanges.iter().map(|exchange| {
            json!({
                "label": alphabet.labels[exchange.label].name,
                "sent": shortened(&exchange.sent),
                "answer": shortened(&exchange.answer),
                "code": exchange.code,
                "class": exchange.class.name(),
            })
        });
        print_json(&json!({
            "kind": key.kind.name(),
            "label": key.label,
            "detail": key.detail,
            "exchanges": exchanges.collect::<Vec<Value>>(),
            "end": end,
            "reproduced": reproduced,
        }))?;
    } else {
        let mut text = format!("{} at {}: {}\n", key.kind.name(), key.label, key.detail);
        for exchange in &run.exchanges {
            let _ = writeln!(text, "  > {}", shortened(exchange.sent.trim_ascii_end()));
            if !exchange.answer.is_empty() {
                let _ = writeln!(text, "  < {}", shortened(exchange.answer.trim_ascii_end()));
            }
        }
        let verdict = if reproduced { "reproduced" } else { "not reproduced" };
        let _ = writeln!(text, "{end}\n{verdict}");
        print(&text)?;
    }
    Ok(if reproduced { Ending::Found } else { Ending::Clean })
}

/// Tells whether the server refuses the last message where the model has it.
fn refuses(run: &SessionRun, script: &[Message], guide: &Guide, alphabet: &Alphabet) -> bool {
    let mut place = guide.start();
    let mut last = Judgment::NoOpinion;
    for exchange in run.exchanges.iter().filter(|exchange| exchange.message.is_some()) {
        (place, last) = guide.step(&place, exchange, alphabet);
    }
    run.exchanges.iter().filter_map(|exchange| exchange.message).max() == Some(script.len() - 1)
        && last == Judgment::Refused
}
