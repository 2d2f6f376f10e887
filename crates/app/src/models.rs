//! Reading and writing models as the flags say.

use std::path::{Path, PathBuf};

use adit_automata::Fsa;
use adit_automata::format::{Call, CallEnd, Format, Spelling};
use adit_trace::Label;
use miette::Report;

use crate::errors::bad_input;
use crate::input::{Source, open, read_whole};
use crate::output::{Target, without_gz, write_failed};
use crate::shell;
use crate::stderr::tell;

/// The meaning of labels in files of models: calls of methods, with the marks that other tools add.
pub(crate) const SPELLING: Spelling = Spelling {
    from_word: |word| Label::parse_recorded(word).to_string(),
    from_identifier: |word| Label::parse_identifier(word).to_string(),
    call: |label| {
        let label = Label::parse(label);
        let end = match (label.answer(), label.threw()) {
            (Some(answer), _) => CallEnd::Returned(answer),
            (None, Some(class)) => CallEnd::Threw(class),
            (None, None) => CallEnd::Any,
        };
        Some(Call { method: label.name(), parameters: label.parameters(), end })
    },
};

/// Name of the model in a folder that `adit mine` wrote.
pub(crate) const MODEL: &str = "model.json";

/// Name of the finer model in such a folder; there is none if the search made none.
pub(crate) const DETAIL: &str = "model_detail.json";

/// Reads a model in the given format, or the one of its extension or content.
pub(crate) fn read(path: &Path, from: Option<&str>) -> Result<Fsa<String>, Report> {
    let given = from.map(Format::from_name).transpose()?;
    Ok(read_titled(open(&file_of(path)?)?, given, UnknownFormat::NameIt)?.0)
}

/// The file of a model: the path itself, or the model of a folder that `adit mine` wrote.
pub(crate) fn file_of(path: &Path) -> Result<PathBuf, Report> {
    let file = path.join(MODEL);
    match path.is_dir() {
        false => Ok(path.to_owned()),
        true if file.exists() => Ok(file),
        true => Err(bad_input(
            format!("{} is a directory without a {MODEL}", path.display()),
            "name a model file, or a folder that `adit mine` wrote",
        )),
    }
}

/// Advice about a file whose format is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownFormat {
    /// The command has a flag for it.
    NameIt,
    /// It has none.
    ConvertIt,
}

/// Limit on the states of a deterministic model: far above real models, and still only some hundred
/// megabytes.
pub(crate) const STATES: usize = 1_000_000;

/// Reads a model from a stream, and its title if adit wrote it with one.
pub(crate) fn read_titled(
    source: Source,
    format: Option<Format>,
    unknown: UnknownFormat,
) -> Result<(Fsa<String>, Option<String>), Report> {
    let (name, bytes) = read_whole(source)?;
    let format = format.or_else(|| Format::from_extension(without_gz(&name)));
    let blank = bytes.iter().all(u8::is_ascii_whitespace);
    if format.is_none() && !blank && std::str::from_utf8(&bytes).is_ok() && Format::sniff(&bytes).is_none() {
        let names: Vec<&str> = Format::names().collect();
        let names = names.join(", ");
        let help = match unknown {
            UnknownFormat::NameIt => format!("name the format with --from: {names}"),
            UnknownFormat::ConvertIt => format!(
                "convert it first: `adit convert {} model.json --from FORMAT`, where FORMAT is one of {names}",
                shell::quoted(&name)
            ),
        };
        return Err(bad_input(format!("{name}: not a known model format"), help));
    }
    let model = SPELLING.read(&bytes, &name, format)?;
    let json = format.or_else(|| Format::sniff(&bytes)) == Some(Format::Json);
    let title = json
        .then(|| {
            serde_json::from_slice::<serde_json::Value>(&bytes).ok()?["title"].as_str().map(str::to_owned)
        })
        .flatten();
    Ok((model, title))
}

/// Reads a model in adit's own format.
pub(crate) fn from_bytes(bytes: &[u8], name: &str) -> Result<Fsa<String>, Report> {
    Ok(SPELLING.read(bytes, name, Some(Format::Json))?)
}

/// Output format: the one given, else the one of the file extension, else JSON.
pub(crate) fn format_of(target: &Target, to: Option<&str>) -> Result<Format, Report> {
    if let Some(name) = to {
        return Ok(Format::from_name(name)?);
    }
    let Some(name) = target.name() else { return Ok(Format::Json) };
    Format::from_extension(&name).ok_or_else(|| {
        if [".svg", ".png"].iter().any(|picture| name.to_ascii_lowercase().ends_with(picture)) {
            return bad_input(
                format!("{name} would be a picture, and this command writes models"),
                format!(
                    "write the model to a file such as model.json, then draw it: `adit convert model.json {}`",
                    shell::quoted(&name)
                ),
            );
        }
        let known: Vec<String> =
            Format::ALL.iter().map(|format| format!(".{}", format.extensions()[0])).collect();
        bad_input(
            format!("{name}: not the extension of a model format"),
            format!("name the format with --to, or use one of {}", known.join(", ")),
        )
    })
}

/// Writes a model; reports and returns what the format cannot hold.
pub(crate) fn write(
    model: &Fsa<String>,
    target: &Target,
    format: Format,
    title: &str,
    quiet: bool,
) -> Result<Vec<String>, Report> {
    let written = SPELLING.write(model, format, title)?;
    target.write(|out| out.write_all(written.text.as_bytes()).map_err(write_failed))?;
    if !quiet {
        for lost in &written.lost {
            tell(&format!("note: {lost}"));
        }
    }
    Ok(written.lost)
}

/// Title of a model from a file: the file name without folders and extensions.
pub(crate) fn title_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.split('.').next() {
        Some(stem) if !stem.is_empty() && stem != "-" => stem.to_owned(),
        _ => "model".to_owned(),
    }
}
