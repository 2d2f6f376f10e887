//! `adit convert`: a model or traces in another format.

use std::io::{self, IsTerminal};
use std::path::Path;

use adit_automata::Fsa;
use adit_automata::format::Format as ModelFormat;
use adit_picture::{Choice, Style, draw};
use adit_suggest::nearest;
use adit_trace::write::Writer;
use adit_trace::{Format as TraceFormat, Labels, pure_by_name, read};
use miette::Report;
use serde_json::json;

use super::requests::reduce;
use super::{tables, traces};
use crate::errors::{Ending, bad_input};
use crate::flags::ConvertFlags;
#[cfg(feature = "parquet")]
use crate::flags::{LabelChoice, TraceFlags};
use crate::input::{Source, open};
use crate::models::{self, UnknownFormat};
use crate::output::{Target, finish_traces, print_json, without_gz};
use crate::progress::Progress;
use crate::report;
use crate::stderr::tell;

pub(super) fn run(flags: &ConvertFlags, quiet: bool) -> Result<Ending, Report> {
    let target = Target::new(Some(flags.output()));
    target.check()?;
    if flags.json && target == Target::Stdout {
        return Err(bad_input(
            "the output and the summary cannot both go to standard output",
            "name a file with -o, or leave out --json",
        ));
    }
    let kind = tables::kind_of_output(flags.output(), flags.to.as_deref());
    match (&target, kind) {
        (Target::File(path), Some(kind)) => return to_table(flags, path, kind, quiet),
        (Target::Stdout, Some(_)) => {
            return Err(bad_input(
                "a table cannot be written to standard output",
                "name a file, such as log.parquet or log.arrow",
            ));
        }
        (_, None) => {}
    }
    if tables::is_input(&flags.input, flags.from.as_deref()) {
        return from_table(flags, &target, quiet);
    }
    let mut source = open(&models::file_of(&flags.input)?)?;
    let lost = match (kind_of_input(flags, &mut source)?, kind_of_output(flags, &target)?) {
        (Kind::Model(from), None | Some(Kind::Model(_))) => {
            let to = models::format_of(&target, flags.to.as_deref())?;
            let (model, title) = read_model(flags, source, from)?;
            models::write(&model, &target, to, &title, quiet)?
        }
        (Kind::Model(from), Some(Kind::Picture(paint))) => {
            let (model, title) = read_model(flags, source, from)?;
            draw_model(&model, &title, paint, &target, quiet)?
        }
        (Kind::Picture(_), _) => {
            return Err(bad_input(
                format!("{} is a picture, not a model", source.name),
                "convert the model it was drawn from",
            ));
        }
        (Kind::Traces(_), _) if flags.reduction.determinize || flags.reduction.minimize => {
            return Err(bad_input(
                format!("{} holds traces, which have no states to merge", source.name),
                "--determinize and --minimize are for models",
            ));
        }
        (Kind::Traces(from), None) => {
            convert_traces(flags, source, from, TraceFormat::Jsonl, &target, quiet)?
        }
        (Kind::Traces(from), Some(Kind::Traces(Some(to)))) => {
            convert_traces(flags, source, from, to, &target, quiet)?
        }
        (Kind::Traces(_), Some(Kind::Picture(_))) => {
            let [input, output] = [&flags.input, flags.output()].map(|path| path.display());
            return Err(bad_input(
                format!("{} holds traces, and only models can be drawn", source.name),
                format!(
                    "infer one first: adit infer {input} -o model.json && adit convert model.json {output}"
                ),
            ));
        }
        (Kind::Traces(_), Some(_)) => {
            return Err(bad_input(
                format!("{} holds traces, but the output is a model format", source.name),
                format!("infer one: adit infer {} -o {}", flags.input.display(), flags.output().display()),
            ));
        }
        (Kind::Model(_), Some(Kind::Traces(_))) => {
            return Err(bad_input(
                format!("{} is a model, but the output is a trace format", source.name),
                format!(
                    "name a model format with --to: {}",
                    ModelFormat::names().collect::<Vec<_>>().join(", ")
                ),
            ));
        }
    };
    if flags.json {
        print_json(&json!({ "written": flags.output(), "lost": lost }))?;
    }
    Ok(Ending::Clean)
}

/// Writes traces as a table.
fn to_table(flags: &ConvertFlags, path: &Path, kind: tables::Kind, quiet: bool) -> Result<Ending, Report> {
    tables::need(path)?;
    no_reduction(flags)?;
    #[cfg(feature = "parquet")]
    tables::write(path, kind, |writer| traces::feed(&trace_flags(flags), quiet, writer))?;
    #[cfg(not(feature = "parquet"))]
    let _ = kind;
    let lost = "names of traces, packages of exceptions, arguments, states and results that are not boolean";
    if !quiet {
        tell(&format!("note: {} cannot hold {lost}", path.display()));
    }
    if flags.json {
        print_json(&json!({ "written": flags.output(), "lost": [lost] }))?;
    }
    Ok(Ending::Clean)
}

/// Writes the traces of a table in another format.
fn from_table(flags: &ConvertFlags, target: &Target, quiet: bool) -> Result<Ending, Report> {
    tables::need(&flags.input)?;
    no_reduction(flags)?;
    let to = match kind_of_output(flags, target)? {
        None => TraceFormat::Jsonl,
        Some(Kind::Traces(Some(to))) => to,
        Some(_) => {
            return Err(bad_input(
                format!("{} holds traces, but the output is a model", flags.input.display()),
                format!("infer one: adit infer {} -o model.json", flags.input.display()),
            ));
        }
    };
    let mut lost = Vec::new();
    #[cfg(feature = "parquet")]
    target.write(|out| {
        let mut writer = Writer::new(out, to, false)?;
        traces::feed(&trace_flags(flags), quiet, &mut tables::AsEvents::new(&mut writer))?;
        lost = finish_traces(writer)?;
        Ok(())
    })?;
    lost.push("names of traces, times and other columns of a table".to_owned());
    for lost in lost.iter().filter(|_| !quiet) {
        tell(&format!("note: {} cannot hold {lost}", display_name(flags.output(), to)));
    }
    if flags.json {
        print_json(&json!({ "written": flags.output(), "lost": lost }))?;
    }
    Ok(Ending::Clean)
}

fn no_reduction(flags: &ConvertFlags) -> Result<(), Report> {
    if !flags.reduction.determinize && !flags.reduction.minimize {
        return Ok(());
    }
    Err(bad_input(
        "a table holds traces, which have no states to merge",
        "leave out --determinize and --minimize",
    ))
}

#[cfg(feature = "parquet")]
fn trace_flags(flags: &ConvertFlags) -> TraceFlags {
    TraceFlags {
        traces: vec![flags.input.clone()],
        from: flags.from.clone(),
        read: flags.read.clone(),
        dry_run: false,
        labels: LabelChoice::Exception,
    }
}

/// Content of a file, and its format if known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Model(Option<ModelFormat>),
    Traces(Option<TraceFormat>),
    /// A picture, which can only be written.
    Picture(Paint),
}

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Svg,
    Png,
}

impl Paint {
    const NAMES: [(&str, Self); 2] = [("svg", Self::Svg), ("png", Self::Png)];

    fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, paint)| paint)
    }
}

impl Kind {
    /// Returns the content that a format name stands for.
    fn named(name: &str) -> Result<Self, Report> {
        if let Some(paint) = Paint::named(name) {
            return Ok(Self::Picture(paint));
        }
        if let Ok(format) = ModelFormat::from_name(name) {
            return Ok(Self::Model(Some(format)));
        }
        if let Ok(format) = TraceFormat::from_name(name) {
            return Ok(Self::Traces(Some(format)));
        }
        let models: Vec<&str> = ModelFormat::names().collect();
        let tables = tables::Kind::NAMES.map(|(name, _)| name);
        let traces: Vec<&str> = TraceFormat::all().map(TraceFormat::name).chain(tables).collect();
        let pictures = Paint::NAMES.map(|(name, _)| name);
        let near = nearest(name, models.iter().chain(&traces).copied().chain(pictures))
            .map(|near| format!("did you mean `{near}`? "));
        Err(bad_input(
            format!("unknown format `{name}`"),
            format!(
                "{}Models: {}. Traces: {}. Pictures of models: {}",
                near.unwrap_or_default(),
                models.join(", "),
                traces.join(", "),
                pictures.join(", ")
            ),
        ))
    }

    /// Guesses the content from a file name.
    fn of_name(name: &str) -> Option<Self> {
        let name = without_gz(name);
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        if let Some(paint) = extension.and_then(Paint::named) {
            return Some(Self::Picture(paint));
        }
        ModelFormat::from_extension(name)
            .map(|format| Self::Model(Some(format)))
            .or_else(|| TraceFormat::from_extension(name).map(|format| Self::Traces(Some(format))))
    }
}

/// Decides what to read: by flag, by file name, or by content.
fn kind_of_input(flags: &ConvertFlags, source: &mut Source) -> Result<Kind, Report> {
    if let Some(name) = &flags.from {
        return Kind::named(name);
    }
    if flags.read.regex.is_some() {
        return Ok(Kind::Traces(None));
    }
    if let Some(kind) = Kind::of_name(&source.name) {
        return Ok(kind);
    }
    let head = source.peek()?;
    Ok(traces::model_in(&head).map_or(Kind::Traces(None), |format| Kind::Model(Some(format))))
}

/// Decides what to write, by flag or file name.
fn kind_of_output(flags: &ConvertFlags, target: &Target) -> Result<Option<Kind>, Report> {
    if let Some(name) = &flags.to {
        return Kind::named(name).map(Some);
    }
    let Some(name) = target.name() else { return Ok(None) };
    Kind::of_name(&name).map(Some).ok_or_else(|| {
        bad_input(
            format!("{name}: unknown extension"),
            "name the format with --to; `adit convert --help` lists them",
        )
    })
}

/// Reads the model to convert, reduced as asked for, and its title.
fn read_model(
    flags: &ConvertFlags,
    source: Source,
    from: Option<ModelFormat>,
) -> Result<(Fsa<String>, String), Report> {
    let (model, title) = models::read_titled(source, from, UnknownFormat::NameIt)?;
    let model = reduce(model, &flags.reduction)?;
    Ok((model, title.unwrap_or_else(|| models::title_of(&flags.input))))
}

/// Draws a model and reports what was folded.
fn draw_model(
    model: &Fsa<String>,
    title: &str,
    paint: Paint,
    target: &Target,
    quiet: bool,
) -> Result<Vec<String>, Report> {
    let pure = model.alphabet().iter().filter(|label| pure_by_name(label)).cloned().collect();
    let picture = draw(model, &pure, Choice { pure: true, failures: false });
    let mut notes = picture.folded.clone();
    match paint {
        Paint::Svg => report::put(target, &picture.svg(title, Style::Alone))?,
        Paint::Png => {
            if *target == Target::Stdout && io::stdout().is_terminal() {
                return Err(bad_input(
                    "a terminal cannot show PNG",
                    "name a file, such as model.png; `adit show` draws here",
                ));
            }
            let painted = picture.png().map_err(|why| {
                bad_input(
                    format!("cannot draw the picture: {why}"),
                    "SVG has no such limit: write to a file that ends in .svg",
                )
            })?;
            report::put(target, &painted.bytes)?;
            if !painted.lacking.is_empty() {
                notes.push(format!(
                    "the PNG font lacks {}; PNG shows frames instead, SVG shows the characters",
                    painted.lacking.iter().take(10).collect::<String>()
                ));
            }
        }
    }
    for note in notes.iter().filter(|_| !quiet) {
        tell(&format!("note: {note}"));
    }
    Ok(notes)
}

/// Streams traces from one format to another, so a log of any size can be converted.
fn convert_traces(
    flags: &ConvertFlags,
    source: Source,
    from: Option<TraceFormat>,
    to: TraceFormat,
    target: &Target,
    quiet: bool,
) -> Result<Vec<String>, Report> {
    let options = traces::options(&flags.read, Labels::Exception)?;
    let progress = Progress::new(source.size, quiet);
    let mut lost = Vec::new();
    let mut summary = None;
    target.write(|out| {
        let mut writer = Writer::new(out, to, false)?;
        summary =
            Some(read::events(progress.watch(source.bytes), &source.name, from, &options, &mut writer)?);
        lost = finish_traces(writer)?;
        Ok(())
    })?;
    progress.finish();
    if let Some(summary) = summary {
        traces::remark(&source.name, &summary, &options, quiet);
        if summary.format.spec().timed && !quiet {
            tell(
                "note: the output keeps names, events, outcomes, arguments and states of traces, but not times and other columns",
            );
        }
    }
    for lost in lost.iter().filter(|_| !quiet) {
        tell(&format!("note: {} cannot hold {lost}", display_name(flags.output(), to)));
    }
    Ok(lost)
}

fn display_name(output: &Path, format: TraceFormat) -> String {
    if output == Path::new("-") { format.name().to_owned() } else { output.display().to_string() }
}
