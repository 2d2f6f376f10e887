//! The contract of a class in English, and as Javadoc text to paste.

use std::fmt::Write as _;

use adit_learn::WordOutcome;
use adit_learn::description::Description;

/// The contract as a Markdown page.
pub(super) fn markdown(verdict: &str, description: &Description, notes: &[String]) -> String {
    let mut text = format!("# Interface of {}\n\n{verdict}.\n\n", description.class);
    for note in notes {
        let _ = writeln!(text, "- {note}");
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    text += "## When methods may be called\n\n";
    if let Some(caveat) = description.caveat() {
        let _ = writeln!(text, "{caveat}\n");
    }
    for (_, sentence) in description.contract() {
        let _ = writeln!(text, "- {sentence}");
    }
    text += "\n## Transitions\n\n| from | call | guard | to |\n|---|---|---|---|\n";
    for step in &description.moves {
        let cell = |text: &str| text.replace('|', "\\|");
        let to = match description.states[step.to].outcome {
            WordOutcome::Ok => description.name(step.to),
            _ => {
                let why: Vec<&str> = step.why.iter().map(String::as_str).collect();
                format!("{}: {}", description.name(step.to), why.join(", "))
            }
        };
        let _ = writeln!(
            text,
            "| {} | `{}` | `{}` | {} |",
            cell(&description.name(step.from)),
            description.methods[step.method].as_call(),
            cell(&step.guard),
            cell(&to)
        );
    }
    text += "\n## Javadoc\n";
    for (method, sentence) in description.contract() {
        let sentence = javadoc(&sentence);
        let _ = write!(
            text,
            "\n`{}`:\n\n```java\n/**\n * {sentence}\n */\n```\n",
            description.methods[method].name
        );
    }
    text
}

/// A sentence with code in Javadoc's own form. What could end a comment or a tag is written as an entity.
fn javadoc(sentence: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for part in sentence.split('`') {
        let part = part.replace("*/", "*&#47;");
        if inside {
            let _ = write!(text, "{{@code {part}}}");
        } else {
            text += &part;
        }
        inside = !inside;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_becomes_a_javadoc_tag() {
        assert_eq!(
            javadoc("`write()` may be called only after `connect(a)` with `a != 0`."),
            "{@code write()} may be called only after {@code connect(a)} with {@code a != 0}."
        );
    }
}
