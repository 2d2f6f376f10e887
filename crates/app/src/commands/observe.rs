//! `adit observe`: runs a Java class and records one trace per object.

use std::path::PathBuf;
use std::time::Duration;

use adit_bytecode::overloads::Overloads;
use adit_trace::{FORMATS, Format, Label, Stop};
use miette::Report;
use serde_json::{Value, json};

use super::requests::{call_request, subject_request};
use super::traces;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::{ObserveFlags, observe as defaults};
use crate::java::recording::Recording;
use crate::output::{Target, counted, print_json};
use crate::request::{CallSource, GeneratedCalls, ObserveRequest, Program, ProgramRequest};
use crate::stderr::tell;

mod generated;
pub(super) mod program;

pub(super) fn run(flags: &ObserveFlags, quiet: bool) -> Result<Ending, Report> {
    let target = Target::new(flags.output.as_deref());
    target.check()?;
    if flags.json && target == Target::Stdout {
        return Err(bad_input(
            "the traces and the summary cannot both go to standard output",
            "name a file for the traces with -o",
        ));
    }
    let format = format(flags, &target)?;
    let request = request(flags)?;
    let observed = match &request.source {
        CallSource::Generated(calls) => generated::observe(&request, calls, quiet)?,
        CallSource::Program(program) => program::observe(&request, program, quiet)?,
    };
    if observed.recording.objects() == 0 {
        for line in &observed.remarks {
            tell(line);
        }
        return Err(no_answer(
            format!("no object of {} was seen: {} created none", observed.class, observed.work),
            observed.hint,
        ));
    }
    let lost = observed.recording.write(&target, format, &observed.class)?;
    if !quiet {
        let place = flags.output.as_ref().map_or(format.name().to_owned(), |path| path.display().to_string());
        for lost in lost {
            tell(&format!("note: {place} cannot hold {lost}"));
        }
        tell(&observed.headline());
        for line in &observed.remarks {
            tell(line);
        }
    }
    if flags.json {
        print_json(&observed.as_json())?;
    }
    if let Some(failure) = observed.failure {
        return Err(failure);
    }
    Ok(Ending::Clean)
}

/// The work that the flags ask for.
fn request(flags: &ObserveFlags) -> Result<ObserveRequest, Report> {
    let ObserveFlags { generate, program: typed, .. } = flags;
    let program = match &typed.main {
        Some(class) => Some(Program::Main { class: class.clone(), arguments: typed.arguments.clone() }),
        None if typed.tests.is_empty() => None,
        None => Some(Program::Tests(typed.tests.clone())),
    };
    if flags.adapter.adapter.is_some() && program.is_some() {
        return Err(bad_input(
            "--tests and --main have no effect with --adapter",
            "remove them; adit generates all calls of an adapter",
        ));
    }
    let source = match program {
        None => CallSource::Generated(GeneratedCalls {
            calls: call_request(generate, defaults::GENERATION),
            budget: generate.budget.unwrap_or(defaults::DEFAULT_BUDGET),
            states: flags.states,
        }),
        Some(program) => {
            refuse_idle_flags(flags)?;
            CallSource::Program(ProgramRequest {
                program,
                overloads: generate.labels.unwrap_or(Overloads::Apart),
                directory: typed.directory.clone().unwrap_or_else(|| PathBuf::from(".")),
                writable: typed.writable.clone(),
                time_limit: typed.time_limit,
                compare: typed.compare,
                states: flags.states,
            })
        }
    };
    Ok(ObserveRequest {
        class: subject_request(&flags.class, &flags.adapter, generate)?,
        source,
        max_events: flags.max_events,
    })
}

/// Rejects flags about generated calls, which have no effect on tests and programs.
fn refuse_idle_flags(flags: &ObserveFlags) -> Result<(), Report> {
    let idle = [
        (!flags.generate.fixtures.is_empty(), "--fixtures"),
        (flags.generate.only.is_some(), "--only"),
        (!flags.generate.without.is_empty(), "--without"),
        (flags.generate.fresh_statics, "--fresh-statics"),
    ];
    match idle.into_iter().find(|(given, _)| *given) {
        Some((_, flag)) => Err(bad_input(
            format!("{flag} has no effect with --tests or --main"),
            "remove it, or remove --tests and --main to generate calls",
        )),
        None => Ok(()),
    }
}

/// Output format: the one given, the one of the file extension, else JSON lines, which hold everything.
fn format(flags: &ObserveFlags, target: &Target) -> Result<Format, Report> {
    let typed = traces::format(flags.to.as_deref())?;
    let format = match (typed, target.name()) {
        (Some(format), _) => format,
        (None, None) => Format::Jsonl,
        (None, Some(name)) => Format::from_extension(&name).ok_or_else(|| {
            let names: Vec<&str> =
                FORMATS.iter().filter(|spec| spec.is_writable()).map(|spec| spec.name).collect();
            bad_input(
                format!("{name}: not the extension of a trace format"),
                format!("name the format with --to: {}", names.join(", ")),
            )
        })?,
    };
    if !format.spec().is_writable() {
        let what = format!("`{}` is for reading only", format.name());
        return Err(bad_input(what, "write jsonl, which holds everything"));
    }
    Ok(format)
}

/// A recording, with remarks about it.
struct Observed {
    /// The class, with dots.
    class: String,
    recording: Recording,
    /// Description of what ran: `1000 tests`.
    work: String,
    elapsed: Duration,
    /// Reason why it ended.
    stop: Stop,
    /// Remarks for people, of one or more lines each.
    remarks: Vec<String>,
    /// Hint if nothing was recorded.
    hint: String,
    /// Error to end with, after everything is written.
    failure: Option<Report>,
    /// Further fields for tools.
    details: Vec<(&'static str, Value)>,
}

impl Observed {
    fn headline(&self) -> String {
        let words = self.recording.words();
        format!(
            "{} in {:.1} s: {}, {} of {}, {}",
            self.work,
            self.elapsed.as_secs_f64(),
            counted(self.recording.objects(), "object"),
            counted(self.recording.events(), "event"),
            counted(words.alphabet.len(), "kind"),
            counted(words.words.len(), "distinct sequence"),
        )
    }

    fn as_json(&self) -> Value {
        // As in `adit mine`, calls that threw are no part of the alphabet.
        let labels = self.recording.words().alphabet.names();
        let (mut refused, mut alphabet): (Vec<&str>, Vec<&str>) =
            labels.partition(|label| Label::parse(label).threw().is_some());
        alphabet.sort_unstable();
        refused.sort_unstable();
        let mut value = json!({
            "class": self.class,
            "objects": self.recording.objects(),
            "events": self.recording.events(),
            "traces": self.recording.different(),
            "words": self.recording.words().words.len(),
            "alphabet": alphabet,
            "refused": refused,
            "seconds": self.elapsed.as_secs_f64(),
            "stop": self.stop.name(),
        });
        for (name, detail) in self.details.iter().filter(|(_, detail)| !detail.is_null()) {
            value[name] = detail.clone();
        }
        value
    }
}
