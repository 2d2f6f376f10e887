//! Reading a file of templates, with errors that say where and what would help.

use std::ops::Range;
use std::sync::Arc;

use adit_suggest::nearest;
use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{FormulaTemplate, PURE, default_sentence};
use crate::Formula;

/// An error in a file of templates.
#[derive(Debug, Error, Diagnostic)]
#[error("{}:{line}:{column}: {message}", file.name())]
#[diagnostic(code(logic::templates))]
pub struct TemplateError {
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

/// The fields of a template.
const FIELDS: [&str; 8] =
    ["name", "placeholders", "formula", "sentence", "sentence_same", "source", "printed", "note"];

/// Reads a file of templates in TOML. `name` is what errors call the file.
///
/// ```
/// let file = b"
/// [[template]]
/// name = 'answered'
/// placeholders = ['request']
/// formula = 'G(request -> X(!request W reply))'
/// sentence = 'between two `{request}` there is a `reply`'
/// ";
/// let templates = adit_logic::templates::read("mine.toml", file).expect("well formed");
/// assert_eq!(templates[0].sentence(&["get"]).expect("one event"), "between two `get` there is a `reply`");
/// ```
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<FormulaTemplate>, TemplateError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = error.valid_up_to();
            let file = File { name, text: &text };
            return Err(file.error(at..at, "this is not UTF-8 text", "save the file as UTF-8"));
        }
    };
    // Without the mark that some editors put at the beginning of a file.
    let file = File { name, text: text.strip_prefix('\u{feff}').unwrap_or(text) };
    file.templates()
}

/// A file that is being read; it makes the errors.
struct File<'t> {
    name: &'t str,
    text: &'t str,
}

type Table<'t> = DeTable<'t>;
type Value<'t> = Spanned<DeValue<'t>>;

impl<'t> File<'t> {
    fn templates(&self) -> Result<Vec<FormulaTemplate>, TemplateError> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            self.error(
                span,
                error.message(),
                "templates are written in TOML: `[[template]]`, then lines such as `name = \"AF\"`",
            )
        })?;
        for key in table.get_ref().keys() {
            if key.get_ref() != "template" {
                let message = format!("`{}` is not known here", key.get_ref());
                return Err(self.error(key.span(), &message, "a template begins with a line `[[template]]`"));
            }
        }
        let Some(list) = table.get_ref().get("template") else {
            return Err(self.error(
                0..0,
                "there is no template in this file",
                "a template begins with a line `[[template]]`",
            ));
        };
        let Some(entries) = list.get_ref().as_array() else {
            return Err(self.error(
                list.span(),
                "`template` is not a list",
                "write `[[template]]` with two brackets",
            ));
        };
        let mut templates: Vec<FormulaTemplate> = Vec::new();
        for entry in entries {
            let Some(fields) = entry.get_ref().as_table() else {
                return Err(self.error(
                    entry.span(),
                    "this is not a template",
                    "write `[[template]]` with two brackets",
                ));
            };
            let template = self.template(entry.span(), fields)?;
            if super::find(&templates, &template.name).is_some() {
                let span = fields.get("name").map_or(entry.span(), Spanned::span);
                let message = format!("there are two templates called `{}`", template.name);
                return Err(self.error(
                    span,
                    &message,
                    "give each its own name; upper and lower case count as the same",
                ));
            }
            templates.push(template);
        }
        Ok(templates)
    }

    fn template(&self, span: Range<usize>, fields: &Table<'t>) -> Result<FormulaTemplate, TemplateError> {
        for key in fields.keys() {
            if !FIELDS.contains(&key.get_ref().as_ref()) {
                let message = format!("a template has no field `{}`", key.get_ref());
                let help = match nearest(key.get_ref(), FIELDS) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("the fields are {}", FIELDS.join(", ")),
                };
                return Err(self.error(key.span(), &message, &help));
            }
        }
        let text_of = |field: &str| fields.get(field).map(|value| self.text_of(field, value)).transpose();
        let required = |field: &str, example: &str| {
            text_of(field)?.ok_or_else(|| {
                let message = format!("this template has no {field}");
                self.error(span.clone(), &message, &format!("add a line such as `{field} = {example}`"))
            })
        };
        let name = required("name", "\"AF\"")?;
        if name.trim().is_empty() {
            let span = fields.get("name").map_or(span, Spanned::span);
            return Err(self.error(
                span,
                "the name is empty",
                "give the template a name, such as `name = \"AF\"`",
            ));
        }
        let formula_text = required("formula", "\"G(a -> X F b)\"")?;
        let formula_span = fields.get("formula").map_or(span.clone(), Spanned::span);
        let pattern = Formula::parse(&formula_text).map_err(|error| {
            // Inside quotes without escapes the formula stands in the file as it is, and the place can be
            // shown.
            let written = &self.text[formula_span.clone()];
            let wrong = error.span.offset()..error.span.offset() + error.span.len();
            let place = match written.find(formula_text.as_str()) {
                Some(at) if !formula_text.is_empty() => {
                    formula_span.start + at + wrong.start..formula_span.start + at + wrong.end
                }
                _ => formula_span.clone(),
            };
            self.error(place, &error.message, &error.help)
        })?;
        let made = FormulaTemplate::from_pattern(&name, pattern);
        let placeholders = match fields.get("placeholders") {
            Some(list) => self.placeholders(list, &made)?,
            None => made.placeholders,
        };
        for field in ["sentence", "sentence_same"] {
            if let Some(value) = fields.get(field) {
                self.check_holes(value, &placeholders)?;
            }
        }
        let sentence = text_of("sentence")?.unwrap_or_else(|| default_sentence(&name, &placeholders));
        Ok(FormulaTemplate {
            name,
            placeholders,
            pattern: made.pattern,
            sentence,
            sentence_same: text_of("sentence_same")?,
            source: text_of("source")?,
            printed: text_of("printed")?,
            note: text_of("note")?,
        })
    }

    fn text_of(&self, field: &str, value: &Value<'t>) -> Result<String, TemplateError> {
        value.get_ref().as_str().map(str::to_owned).ok_or_else(|| {
            let message =
                format!("`{field}` should be text, and this is of type {}", value.get_ref().type_str());
            self.error(value.span(), &message, "put it in quotes")
        })
    }

    fn placeholders(&self, list: &Value<'t>, made: &FormulaTemplate) -> Result<Vec<String>, TemplateError> {
        let Some(values) = list.get_ref().as_array() else {
            return Err(self.error(
                list.span(),
                "`placeholders` should be a list",
                "write it as `[\"a\", \"b\"]`",
            ));
        };
        let mut placeholders: Vec<String> = Vec::new();
        for value in values {
            let name = self.text_of("placeholders", value)?;
            if name == PURE {
                return Err(self.error(
                    value.span(),
                    "`pure` cannot be a placeholder",
                    "in a formula `pure` always stands for the events without side effects; take another name",
                ));
            }
            if placeholders.contains(&name) {
                let message = format!("the placeholder `{name}` is listed twice");
                return Err(self.error(value.span(), &message, "remove one of them"));
            }
            if !made.placeholders.contains(&name) {
                let message = format!("the formula does not mention the placeholder `{name}`");
                let help = match nearest(&name, made.placeholders.iter().map(String::as_str)) {
                    Some(meant) => format!("the formula has `{meant}`"),
                    None => format!("the formula is {}", made.pattern),
                };
                return Err(self.error(value.span(), &message, &help));
            }
            placeholders.push(name);
        }
        Ok(placeholders)
    }

    /// Every `{name}` of a sentence must be a placeholder.
    fn check_holes(&self, value: &Value<'t>, placeholders: &[String]) -> Result<(), TemplateError> {
        let sentence = self.text_of("sentence", value)?;
        let mut rest = sentence.as_str();
        while let Some(start) = rest.find('{') {
            let Some(length) = rest[start..].find('}') else {
                return Err(self.error(
                    value.span(),
                    "a `{` of this sentence is never closed",
                    "write `{a}` for an event",
                ));
            };
            let name = &rest[start + 1..start + length];
            if !placeholders.iter().any(|placeholder| placeholder == name) {
                let message = format!("`{{{name}}}` in this sentence is not a placeholder");
                let help = format!("the placeholders are: {}", placeholders.join(", "));
                return Err(self.error(value.span(), &message, &help));
            }
            rest = &rest[start + length + 1..];
        }
        Ok(())
    }

    fn error(&self, span: Range<usize>, message: &str, help: &str) -> TemplateError {
        let before = &self.text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        TemplateError {
            message: message.to_owned(),
            help: help.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            file: Arc::new(NamedSource::new(self.name, self.text.to_owned())),
            span: span.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Compares the message that a user sees for an error in `file`.
    fn check(file: &str, expected: Expect) {
        let error = read("mine.toml", file.as_bytes()).expect_err("the file is wrong");
        expected.assert_eq(&format!("{error}\nhelp: {}\n", error.help));
    }

    #[test]
    fn toml_errors_have_a_place() {
        check(
            "[[template]]\nname = \"AF",
            expect![[r#"
            mine.toml:2:11: invalid basic string, expected `"`
            help: templates are written in TOML: `[[template]]`, then lines such as `name = "AF"`
        "#]],
        );
        check(
            "[[template]]\nname = AF\n",
            expect![[r#"
            mine.toml:2:8: string values must be quoted, expected literal string
            help: templates are written in TOML: `[[template]]`, then lines such as `name = "AF"`
        "#]],
        );
        check(
            "",
            expect![[r#"
            mine.toml:1:1: there is no template in this file
            help: a template begins with a line `[[template]]`
        "#]],
        );
        check(
            "[template]\nname = 'x'\n",
            expect![[r#"
            mine.toml:1:1: `template` is not a list
            help: write `[[template]]` with two brackets
        "#]],
        );
        check(
            "template = ['x']\n",
            expect![[r#"
            mine.toml:1:13: this is not a template
            help: write `[[template]]` with two brackets
        "#]],
        );
        check(
            "[[templates]]\nname = 'x'\n",
            expect![[r#"
            mine.toml:1:3: `templates` is not known here
            help: a template begins with a line `[[template]]`
        "#]],
        );
    }

    #[test]
    fn fields_are_checked() {
        check(
            "[[template]]\nformula = 'a'\n",
            expect![[r#"
            mine.toml:1:1: this template has no name
            help: add a line such as `name = "AF"`
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\n",
            expect![[r#"
            mine.toml:1:1: this template has no formula
            help: add a line such as `formula = "G(a -> X F b)"`
        "#]],
        );
        check(
            "[[template]]\nname = ' '\nformula = 'a'\n",
            expect![[r#"
            mine.toml:2:8: the name is empty
            help: give the template a name, such as `name = "AF"`
        "#]],
        );
        check(
            "[[template]]\nname = 3\n",
            expect![[r#"
            mine.toml:2:8: `name` should be text, and this is of type integer
            help: put it in quotes
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\nformulla = 'a'\n",
            expect![[r#"
            mine.toml:3:1: a template has no field `formulla`
            help: did you mean `formula`?
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\ncolor = 'a'\n",
            expect![[r#"
            mine.toml:3:1: a template has no field `color`
            help: the fields are name, placeholders, formula, sentence, sentence_same, source, printed, note
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\nformula = 'a'\n[[template]]\nname = 'X'\nformula = 'b'\n",
            expect![[r#"
            mine.toml:5:8: there are two templates called `X`
            help: give each its own name; upper and lower case count as the same
        "#]],
        );
    }

    #[test]
    fn formula_errors_point_into_the_file() {
        check(
            "[[template]]\nname = 'x'\nformula = 'G(a -> Gf b)'\n",
            expect![[r#"
            mine.toml:3:22: an operator is missing between `Gf` and `b`
            help: operators stand alone: write `G F` for `Gf`
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\nformula = \"\"\"\nG(é ->\n  )\"\"\"\n",
            expect![[r#"
            mine.toml:5:3: `)` cannot follow `->`: a label, `(` or an operator such as `G` is expected
            help: put a formula before the `)`, or remove the parentheses
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\nformula = \"\\u0061 b\"\n",
            expect![[r#"
            mine.toml:3:11: an operator is missing between `a` and `b`
            help: put `&`, `|`, `->`, `<->`, `U`, `W`, `R` or `M` between them
        "#]],
        );
        check(
            "[[template]]\nname = 'x'\nformula = ''\n",
            expect![[r#"
            mine.toml:3:11: the formula is empty
            help: write one such as `G(open -> F close)`
        "#]],
        );
    }

    #[test]
    fn placeholders_and_sentences_are_checked() {
        let file =
            |rest: &str| format!("[[template]]\nname = 'x'\nformula = 'G(first -> F second)'\n{rest}\n");
        check(
            &file("placeholders = 'first'"),
            expect![[r#"
            mine.toml:4:16: `placeholders` should be a list
            help: write it as `["a", "b"]`
        "#]],
        );
        check(
            &file("placeholders = [1]"),
            expect![[r#"
            mine.toml:4:17: `placeholders` should be text, and this is of type integer
            help: put it in quotes
        "#]],
        );
        check(
            &file("placeholders = ['first', 'secnd']"),
            expect![[r#"
            mine.toml:4:26: the formula does not mention the placeholder `secnd`
            help: the formula has `second`
        "#]],
        );
        check(
            &file("placeholders = ['first', 'zzz']"),
            expect![[r#"
            mine.toml:4:26: the formula does not mention the placeholder `zzz`
            help: the formula is G(first -> F second)
        "#]],
        );
        check(
            &file("placeholders = ['first', 'first']"),
            expect![[r#"
            mine.toml:4:26: the placeholder `first` is listed twice
            help: remove one of them
        "#]],
        );
        check(
            &file("placeholders = ['pure']"),
            expect![[r#"
            mine.toml:4:17: `pure` cannot be a placeholder
            help: in a formula `pure` always stands for the events without side effects; take another name
        "#]],
        );
        check(
            &file("placeholders = ['first']\nsentence = 'after {first}, {second}'"),
            expect![[r#"
            mine.toml:5:12: `{second}` in this sentence is not a placeholder
            help: the placeholders are: first
        "#]],
        );
        check(
            &file("sentence = 'after {first'"),
            expect![[r#"
            mine.toml:4:12: a `{` of this sentence is never closed
            help: write `{a}` for an event
        "#]],
        );
    }

    #[test]
    fn bytes_that_are_not_text_have_a_place() {
        let error = read("mine.toml", b"[[template]]\nname = '\xff'\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 9));
    }

    #[test]
    fn constants_and_purity_are_allowed() {
        let file =
            "\u{feff}[[template]]\nname = 'x'\nplaceholders = ['a']\nformula = 'G(a -> pure U close)'\n";
        let template = read("mine.toml", file.as_bytes()).unwrap().remove(0);
        let pure = ["is".to_owned(), "has".to_owned()].into();
        assert_eq!(
            template.formula(&["open"], &pure).unwrap().to_string(),
            "G(open -> ((has | is) U close))"
        );
    }
}
