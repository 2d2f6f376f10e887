//! Reading traces as the flags of a command say: files, format and labels.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use adit_automata::format::Format as ModelFormat;
use adit_logic::nearest_label;
use adit_mine::Purity;
use adit_trace::read::{self, Fields, Options, Pattern, ReadError, Summary, Understood};
use adit_trace::{Alphabet, CallSink, EventSink, Format, Label, Labels, WordSink, Words, deal};
use miette::Report;

use super::requests::method_names;
use super::tables;
use crate::errors::{Ending, bad_input};
use crate::flags::{LabelChoice, PurityFlags, ReadFlags, TraceFlags};
use crate::input::{Bytes, Source, open};
use crate::output::{print, without_gz};
use crate::progress::{Progress, Watched};
use crate::stderr::tell;

/// Reads all traces of all files, equal ones once.
pub(crate) fn words(flags: &TraceFlags, quiet: bool) -> Result<Words, Report> {
    let mut words = Words::new();
    feed(flags, quiet, &mut words)?;
    Ok(words)
}

/// Passes all traces of all files to `sink`, one file after the other.
pub(crate) fn feed(flags: &TraceFlags, quiet: bool, sink: &mut impl WordSink) -> Result<(), Report> {
    let mut alphabet = Alphabet::new();
    let others = feed_tables(flags, quiet, &mut alphabet, sink)?;
    each_file(flags, &others, quiet, |bytes, name, format, options| {
        read::words(bytes, name, format, options, &mut alphabet, sink)
    })
}

/// Passes all traces of all files to several sinks, each on its own thread.
pub(crate) fn feed_parallel<S: WordSink + Send>(
    flags: &TraceFlags,
    quiet: bool,
    sinks: impl IntoIterator<Item = S>,
) -> Result<Vec<S>, Report> {
    let mut workers: Vec<(S, Alphabet)> = sinks.into_iter().map(|sink| (sink, Alphabet::new())).collect();
    let others = match tables::divide(&flags.traces, flags.from.as_deref())? {
        (tables, others) if tables.is_empty() => others,
        // The calling thread reads, and the others count.
        _ => deal(&mut workers, |sink| feed_tables(flags, quiet, &mut Alphabet::new(), sink))?,
    };
    each_file(flags, &others, quiet, |bytes, name, format, options| {
        read::parallel(bytes, name, format, options, &mut workers)
    })?;
    Ok(workers.into_iter().map(|(sink, _)| sink).collect())
}

/// Passes all traces of the tables among the files to `sink`, and returns the other files.
fn feed_tables(
    flags: &TraceFlags,
    quiet: bool,
    alphabet: &mut Alphabet,
    sink: &mut dyn WordSink,
) -> Result<Vec<PathBuf>, Report> {
    let (tables, others) = tables::divide(&flags.traces, flags.from.as_deref())?;
    #[cfg(feature = "parquet")]
    if !tables.is_empty() {
        tables::feed(&tables, flags, quiet, alphabet, sink)?;
    }
    #[cfg(not(feature = "parquet"))]
    let (_, _, _, _) = (tables, quiet, alphabet, sink);
    Ok(others)
}

/// Passes all calls of all files to `sink`, with the states around them.
pub(crate) fn calls(
    flags: &TraceFlags,
    class: Option<&str>,
    elements: bool,
    quiet: bool,
    sink: &mut impl CallSink,
) -> Result<(), Report> {
    tables::refuse(&flags.traces, flags.from.as_deref(), "states of objects")?;
    each_file(flags, &flags.traces, quiet, |bytes, name, format, options| {
        let options = Options { class: class.map(str::to_owned), elements, ..options.clone() };
        read::calls(bytes, name, format, &options, sink)
    })
}

/// Passes all traces of all files to `sink` as events with their states; of one class, if it is given.
pub(crate) fn events(
    flags: &TraceFlags,
    class: Option<&str>,
    quiet: bool,
    sink: &mut impl EventSink,
) -> Result<(), Report> {
    tables::refuse(&flags.traces, flags.from.as_deref(), "states of objects")?;
    each_file(flags, &flags.traces, quiet, |bytes, name, format, options| {
        let options = Options { class: class.map(str::to_owned), ..options.clone() };
        read::events(bytes, name, format, &options, sink)
    })
}

/// Reads one file after the other, with a progress bar and remarks about what was changed or skipped.
fn each_file(
    flags: &TraceFlags,
    files: &[PathBuf],
    quiet: bool,
    mut read: impl FnMut(Watched<Bytes>, &str, Option<Format>, &Options) -> Result<Summary, ReadError>,
) -> Result<(), Report> {
    if files.is_empty() {
        return Ok(());
    }
    let format = format(flags.from.as_deref())?;
    let options = options(&flags.read, flags.labels.into())?;
    let mut sources = open_all(files)?;
    if format.is_none() && options.pattern.is_none() {
        for source in &mut sources {
            look_at(source, quiet)?;
        }
    }
    let progress = Progress::new(sources.iter().map(|source| source.size).sum(), quiet);
    for source in sources {
        let summary = read(progress.watch(source.bytes), &source.name, format, &options);
        if summary.is_err() {
            progress.finish();
        }
        remark(&source.name, &summary?, &options, quiet);
    }
    progress.finish();
    Ok(())
}

/// Rejects files that are recognized as something other than traces, and reports a guessed format.
fn look_at(source: &mut Source, quiet: bool) -> Result<(), Report> {
    let name = without_gz(&source.name).to_owned();
    let known = Format::from_extension(&name).is_some();
    let head = if known { Vec::new() } else { source.peek()? };
    let model = ModelFormat::from_extension(&name).filter(|_| !known).or_else(|| model_in(&head));
    if let Some(model) = model {
        return Err(bad_input(
            format!("{name} is a model ({model}), but this command reads traces"),
            "use `adit check`, `adit compare` or `adit convert` for models; if it holds traces, name their format with --from",
        ));
    }
    if !known
        && Format::sniff(&head) == Format::Lines
        && let Some(pattern) = log_pattern(&head)
    {
        return Err(bad_input(
            format!("{name} looks like a log: its lines begin with a time"),
            format!(
                "say which part of a line is the event, for example --regex '{pattern}', and add (?<trace>…) for \
                 what belongs together; --dry-run shows how lines are read; --from reads it as it is"
            ),
        ));
    }
    if !known && !quiet && !head.is_empty() {
        let guess = Format::sniff(&head).name();
        tell(&format!(
            "{name}: read as {guess}, judging by its content; use --from for another format, --regex for any log"
        ));
    }
    Ok(())
}

/// Returns the model format of a file with this beginning, if there is no doubt.
pub(crate) fn model_in(head: &[u8]) -> Option<ModelFormat> {
    // JSON lines begin with a brace too.
    let ours = || head.windows(10).any(|window| window == b"adit-model");
    ModelFormat::sniff(head).filter(|format| *format != ModelFormat::Json || ours())
}

/// Fails if purity flags are combined with a formula, whose meaning does not depend on them.
pub(crate) fn refuse_purity(flags: &PurityFlags) -> Result<(), Report> {
    if flags.pure.is_none() && !flags.no_purity {
        return Ok(());
    }
    Err(bad_input("--pure and --no-purity have no effect on a formula", "remove them"))
}

/// Prints how the first lines of each file are understood.
pub(crate) fn dry_run(flags: &TraceFlags) -> Result<Ending, Report> {
    /// As much as fits on a screen.
    const LINES: usize = 20;
    let mut text = String::new();
    let (tables, others) = tables::divide(&flags.traces, flags.from.as_deref())?;
    #[cfg(feature = "parquet")]
    if !tables.is_empty() {
        text += &tables::dry_run(&tables, flags, LINES)?;
    }
    #[cfg(not(feature = "parquet"))]
    drop(tables);
    if others.is_empty() {
        print(&text)?;
        return Ok(Ending::Clean);
    }
    let format = format(flags.from.as_deref())?;
    let options = options(&flags.read, flags.labels.into())?;
    for source in open_all(&others)? {
        let run = read::dry_run(source.bytes, &source.name, format, &options, LINES)?;
        let _ = writeln!(text, "{} read as {}:", source.name, run.format.name());
        for Understood { line, found, label } in run.understood {
            let place = line.as_ref().map(|(number, _)| format!("line {number}: ")).unwrap_or_default();
            let found: Vec<String> = found.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let _ = match label {
                Ok(label) => writeln!(text, "  {place}event {label} ({})", found.join(", ")),
                Err(problem) => {
                    let shown = line.map(|(_, text)| format!("\n    {text}")).unwrap_or_default();
                    writeln!(text, "  {place}{problem}{shown}")
                }
            };
        }
    }
    print(&text)?;
    Ok(Ending::Clean)
}

/// Opens all files before reading any, so a mistyped name is found at once.
fn open_all(files: &[PathBuf]) -> Result<Vec<Source>, Report> {
    files.iter().map(|path| open(&file_of(path))).collect()
}

/// The file of traces: the path itself, or the traces of a folder that `adit mine` wrote.
fn file_of(path: &Path) -> PathBuf {
    let file = path.join("traces.jsonl");
    if path.is_dir() && file.exists() { file } else { path.to_owned() }
}

/// Returns a pattern for a log whose lines begin with a time, if a file looks like one. Read as words, every
/// time would be an event.
fn log_pattern(head: &[u8]) -> Option<String> {
    const ENOUGH: usize = 3;
    const LEVELS: [&str; 7] = ["TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL"];
    let text = String::from_utf8_lossy(head);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    let timed = lines.iter().filter(|line| begins_with_time(line)).count();
    if timed < ENOUGH || timed * 10 < lines.len() * 8 {
        return None;
    }
    // Times, levels and what stands in brackets come before the event.
    let before = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.starts_with(|c: char| c.is_ascii_digit() || "[(<".contains(c)) || LEVELS.contains(&bare)
    };
    let skipped = lines[0].split_whitespace().take_while(before).count();
    Some(format!(r"^(?:\S+ +){{{skipped}}}(?<event>\S+)"))
}

/// Returns true for a line that begins with a date or a time of day: `2026-11-16`, `[08:15:03.250]`.
fn begins_with_time(line: &str) -> bool {
    let word = line.trim_start_matches(['[', '(', '<', ' ']);
    let digits = word.chars().take_while(char::is_ascii_digit).count();
    let mut rest = word[digits..].chars();
    (1..=4).contains(&digits)
        && matches!(rest.next(), Some('-' | '/' | ':'))
        && matches!(rest.next(), Some(c) if c.is_ascii_alphanumeric())
}

/// Returns the trace format with this name.
pub(crate) fn format(name: Option<&str>) -> Result<Option<Format>, Report> {
    Ok(name.map(Format::from_name).transpose()?)
}

/// Returns the reading options that the flags ask for.
pub(crate) fn options(flags: &ReadFlags, labels: Labels) -> Result<Options, Report> {
    let mut options = Options::new(labels);
    options.pattern = flags.regex.as_deref().map(Pattern::new).transpose()?;
    options.skip_unmatched = flags.skip_unmatched;
    options.fields =
        Fields { trace: flags.case.clone(), event: flags.activity.clone(), time: flags.time.clone() };
    options.delimiter = flags.delimiter;
    options.sort_by_time = flags.sort_by_time;
    options.keep_partial = flags.keep_partial;
    options.max_line = flags.max_line;
    Ok(options)
}

/// Reports what reading changed or skipped.
pub(crate) fn remark(name: &str, summary: &Summary, options: &Options, quiet: bool) {
    if quiet {
        return;
    }
    let remarks = [
        (summary.skipped, "lines did not match the pattern and were skipped"),
        (summary.negative, "traces are marked as impossible and were skipped"),
        (summary.partial, "traces were cut off; their beginnings were kept"),
        (summary.mismatched, "records do not match their declarations and were left out"),
        (summary.without_begin, "calls end without a beginning and were left out"),
        (summary.without_end, "calls never end and were taken to throw something"),
        (
            summary.out_of_order,
            if options.sort_by_time {
                "events were out of order and have been sorted by time"
            } else {
                "events are out of order; --sort-by-time sorts them"
            },
        ),
    ];
    for (count, what) in remarks.into_iter().filter(|(count, _)| *count > 0) {
        tell(&format!("{name}: {count} {what}"));
    }
}

/// Returns the events without side effects that the flags name.
pub(crate) fn purity(flags: &PurityFlags) -> Purity {
    match &flags.pure {
        Some(typed) => Purity::given(method_names(typed).iter().map(String::as_str)),
        None if flags.no_purity => Purity::Unknown,
        None => Purity::ByName,
    }
}

/// Fails if a name given as pure matches no event, which is a typo.
pub(crate) fn check_purity<'a>(
    flags: &PurityFlags,
    labels: impl IntoIterator<Item = &'a str>,
) -> Result<(), Report> {
    let Some(typed) = &flags.pure else { return Ok(()) };
    let spellings = |label| {
        let parts = Label::parse(label);
        [label, parts.method(), parts.name()]
    };
    let known: BTreeSet<&str> = labels.into_iter().flat_map(spellings).collect();
    let names = method_names(typed);
    let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) else { return Ok(()) };
    let help = match nearest_label(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name methods or events of the traces, separated by commas".to_owned(),
    };
    Err(bad_input(format!("--pure: unknown event `{name}`"), help))
}

impl From<LabelChoice> for Labels {
    fn from(choice: LabelChoice) -> Self {
        match choice {
            LabelChoice::Method => Self::Method,
            LabelChoice::Outcome => Self::Outcome,
            LabelChoice::Exception => Self::Exception,
            LabelChoice::Line => Self::Line,
        }
    }
}
