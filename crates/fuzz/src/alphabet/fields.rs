//! Tables of a TOML file, read field by field, with errors that say where and what would help.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use adit_suggest::nearest;
use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An error in an alphabet file.
#[derive(Debug, Error, Diagnostic)]
#[error("{}:{line}:{column}: {message}", file.name())]
#[diagnostic(code(fuzz::alphabet))]
pub struct AlphabetError {
    /// The problem.
    pub message: String,
    /// Advice that would fix it.
    #[help]
    pub help: String,
    /// The line of the first wrong character, from 1.
    pub line: usize,
    /// Its column, counted in characters from 1.
    pub column: usize,
    /// The file. Shared, because an error should be small to pass on.
    #[source_code]
    pub file: Arc<NamedSource<String>>,
    /// The wrong part, in bytes.
    #[label("here")]
    pub span: SourceSpan,
}

pub(super) type Read<T> = Result<T, AlphabetError>;
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// A file that is being read; it makes the errors.
#[derive(Clone, Copy)]
pub(super) struct File<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
}

impl File<'_> {
    pub(super) fn error(&self, span: Range<usize>, message: &str, help: &str) -> AlphabetError {
        // Spans of the parser begin at characters; this is for those that do not.
        let before = self.text.get(..span.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        AlphabetError {
            message: message.to_owned(),
            help: help.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            file: Arc::new(NamedSource::new(self.name, self.text.to_owned())),
            span: span.into(),
        }
    }

    pub(super) fn line_of(&self, span: &Range<usize>) -> usize {
        self.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
    }
}

/// Help for a name that is none of the known ones.
pub(super) fn meant<'c>(name: &str, known: impl IntoIterator<Item = &'c str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let mut known: Vec<&str> = known.into_iter().collect();
            known.truncate(24);
            format!("known here: {}", known.join(", "))
        }
    }
}

/// A table of the file, all of whose fields are known.
#[derive(Clone)]
pub(super) struct Fields<'f, 't> {
    pub(super) file: &'f File<'t>,
    table: &'f DeTable<'t>,
    pub(super) span: Range<usize>,
    what: &'f str,
}

impl<'f, 't> Fields<'f, 't> {
    /// Opens a table that may have the fields `known` and no others.
    pub(super) fn new(
        file: &'f File<'t>,
        what: &'f str,
        table: &'f DeTable<'t>,
        span: Range<usize>,
        known: &[&str],
    ) -> Read<Self> {
        for key in table.keys() {
            if !known.contains(&key.get_ref().as_ref()) {
                let message = format!("{what} has no field `{}`", key.get_ref());
                return Err(file.error(key.span(), &message, &meant(key.get_ref(), known.iter().copied())));
            }
        }
        Ok(Self { file, table, span, what })
    }

    pub(super) fn get(&self, field: &str) -> Option<&'f Value<'t>> {
        self.table.get(field)
    }

    pub(super) fn span_of(&self, field: &str) -> Range<usize> {
        self.get(field).map_or(self.span.clone(), Spanned::span)
    }

    /// Returns an error about a field, or about the whole table if it lacks the field.
    pub(super) fn error(&self, field: &str, message: &str, help: &str) -> AlphabetError {
        self.file.error(self.span_of(field), message, help)
    }

    fn wrong_type(&self, field: &str, value: &Value<'t>, expected: &str, help: &str) -> AlphabetError {
        let message =
            format!("`{field}` should be {expected}, and this is of type {}", value.get_ref().type_str());
        self.file.error(value.span(), &message, help)
    }

    pub(super) fn text(&self, field: &str) -> Read<Option<String>> {
        self.get(field).map(|value| self.text_of(field, value)).transpose()
    }

    pub(super) fn required(&self, field: &str, example: &str) -> Read<String> {
        self.text(field)?.ok_or_else(|| {
            let message = format!("{} has no `{field}`", self.what);
            self.file.error(
                self.span.clone(),
                &message,
                &format!("add a line such as `{field} = \"{example}\"`"),
            )
        })
    }

    fn text_of(&self, field: &str, value: &Value<'t>) -> Read<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.wrong_type(field, value, "text", "put it in quotes"))
    }

    /// A text, or several in a list.
    pub(super) fn texts(&self, field: &str) -> Read<Vec<String>> {
        let Some(value) = self.get(field) else { return Ok(Vec::new()) };
        match value.get_ref().as_array() {
            Some(values) => values.iter().map(|value| self.text_of(field, value)).collect(),
            None => Ok(vec![self.text_of(field, value)?]),
        }
    }

    pub(super) fn flag(&self, field: &str) -> Read<Option<bool>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let flag = value.get_ref().as_bool();
        flag.map(Some)
            .ok_or_else(|| self.wrong_type(field, value, "`true` or `false`", "write it without quotes"))
    }

    pub(super) fn number(&self, field: &str, range: std::ops::RangeInclusive<u64>) -> Read<Option<u64>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let number = value.get_ref().as_integer().and_then(|number| {
            u64::from_str_radix(number.as_str(), number.radix()).ok().filter(|number| range.contains(number))
        });
        number.map(Some).ok_or_else(|| {
            let message = format!("`{field}` should be a number from {} to {}", range.start(), range.end());
            self.file.error(value.span(), &message, "write it without quotes")
        })
    }

    /// A time such as `500ms` or `2s`.
    pub(super) fn time(&self, field: &str) -> Read<Option<Duration>> {
        let Some(text) = self.text(field)? else { return Ok(None) };
        let (number, factor) = match text.strip_suffix("ms") {
            Some(number) => (number, 0.001),
            None => (text.strip_suffix('s').unwrap_or(""), 1.0),
        };
        match number.trim().parse::<f64>().map(|number| number * factor) {
            Ok(seconds) if (0.001..=600.0).contains(&seconds) => Ok(Some(Duration::from_secs_f64(seconds))),
            _ => Err(self.error(
                field,
                &format!("`{text}` is not a time limit"),
                "write a time from 1ms to 600s, such as `500ms` or `2s`",
            )),
        }
    }

    /// One of `choices`.
    pub(super) fn choice<T: Copy>(&self, field: &str, choices: &[(&str, T)]) -> Read<Option<T>> {
        let Some(text) = self.text(field)? else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                let message = format!("`{text}` is no value of `{field}`");
                Err(self.error(field, &message, &meant(&text, names)))
            }
        }
    }

    /// The table in a field.
    pub(super) fn table(&self, field: &str) -> Read<Option<(&'f DeTable<'t>, Range<usize>)>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some((table, value.span()))),
            None => {
                Err(self.wrong_type(field, value, "a table", &format!("write `[{field}]` and its fields")))
            }
        }
    }

    /// The tables of a list.
    pub(super) fn tables(&self, field: &str) -> Read<Vec<(&'f DeTable<'t>, Range<usize>)>> {
        let Some(value) = self.get(field) else { return Ok(Vec::new()) };
        let help = format!("write `[[{field}]]` with two brackets");
        let Some(values) = value.get_ref().as_array() else {
            return Err(self.wrong_type(field, value, "a list of tables", &help));
        };
        let one = |value: &'f Value<'t>| match value.get_ref().as_table() {
            Some(table) => Ok((table, value.span())),
            None => Err(self.wrong_type(field, value, "a list of tables", &help)),
        };
        values.iter().map(one).collect()
    }

    /// Values of arguments: texts, `{ repeat = "A", times = 600 }` or `{ hex = "ff 00" }`.
    pub(super) fn values(&self, field: &str) -> Read<Vec<Vec<u8>>> {
        let Some(value) = self.get(field) else { return Ok(Vec::new()) };
        match value.get_ref().as_array() {
            Some(values) => values.iter().map(|value| bytes_of(self.file, value)).collect(),
            None => Ok(vec![bytes_of(self.file, value)?]),
        }
    }
}

/// Longest value that `repeat` makes.
const LONGEST_VALUE: u64 = 1 << 20;

/// Reads one value of an argument.
pub(super) fn bytes_of<'t>(file: &File<'t>, value: &Value<'t>) -> Read<Vec<u8>> {
    if let Some(text) = value.get_ref().as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    let Some(table) = value.get_ref().as_table() else {
        let message = format!("a value should be text, and this is of type {}", value.get_ref().type_str());
        return Err(file.error(value.span(), &message, "put it in quotes"));
    };
    let fields = Fields::new(file, "a value", table, value.span(), &["repeat", "times", "hex"])?;
    if let Some(hex) = fields.text("hex")? {
        let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let pairs = digits.chunks(2).map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .filter(|pair| pair.len() == 2)
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        });
        let bytes: Option<Vec<u8>> = pairs.collect();
        return bytes.ok_or_else(|| {
            fields.error("hex", "this is not hexadecimal", "write two digits for each byte, such as `ff 00`")
        });
    }
    let unit = fields.required("repeat", "A")?;
    let times = fields.number("times", 1..=LONGEST_VALUE)?.unwrap_or(1);
    if unit.len() as u64 * times > LONGEST_VALUE {
        return Err(fields.error("times", "this value is longer than a megabyte", "repeat it less often"));
    }
    Ok(unit.repeat(times as usize).into_bytes())
}
