//! The interface as one HTML page: the automaton with its guards, the contract, and what is proved.
//!
//! Every text of the class is escaped, and the page loads nothing and runs no script.

use std::fmt::Write as _;

use adit_learn::WordOutcome;
use adit_learn::certificate::{Certificate, Status};
use adit_learn::description::Description;
use adit_picture::{Choice, STYLE_SHEET, Style, draw, escaped};

/// Style of the page beside that of the picture.
const STYLE: &str = include_str!("page.css");

/// Most obligations that are listed one by one; the certificate has all of them.
const MOST_LISTED: usize = 40;

/// The parts of a page.
pub(super) struct Page<'a> {
    pub(super) verdict: &'a str,
    pub(super) description: &'a Description,
    pub(super) certificate: Option<&'a Certificate>,
    /// A condition on fields that the proof takes for granted.
    pub(super) assumption: Option<&'a str>,
    pub(super) notes: &'a [String],
}

impl Page<'_> {
    /// The page as HTML.
    pub(super) fn html(&self) -> String {
        let Self { verdict, description, .. } = self;
        let class = escaped(&description.class);
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
             'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>Interface of {class}</title>\n<style>\n{STYLE_SHEET}{STYLE}</style>\n</head>\n<body>\n\
             <header>\n<h1>Interface of {class}</h1>\n<p>{}</p>\n</header>\n<main>\n",
            code(verdict)
        );
        if !self.notes.is_empty() {
            text += "<section><h2>Limits of this answer</h2>\n<ul>\n";
            self.notes.iter().for_each(|note| _ = writeln!(text, "<li>{}</li>", code(note)));
            text += "</ul></section>\n";
        }
        text += &self.automaton();
        text += "<section><h2>Contract</h2>\n";
        if let Some(caveat) = description.caveat() {
            let _ = writeln!(text, "<p>{}</p>", code(&caveat));
        }
        text += "<ul>\n";
        for (_, sentence) in description.contract() {
            let _ = writeln!(text, "<li>{}</li>", code(&sentence));
        }
        text += "</ul></section>\n";
        text += &self.transitions();
        text += &self.proof();
        text + "</main>\n<footer>Made by adit. This file is self-contained and loads nothing.</footer>\n\
                </body>\n</html>\n"
    }

    fn automaton(&self) -> String {
        let model = self.description.to_model();
        let choice = Choice { pure: true, failures: false };
        let picture = draw(&model, &Default::default(), choice);
        let title = format!("the interface of {}", self.description.class);
        format!(
            "<section id=\"model\"><h2>Automaton</h2>\n<p>An arrow is a legal call, with the condition on its \
             arguments in brackets.</p>\n<figure>{}</figure></section>\n",
            picture.svg(&title, Style::Alone)
        )
    }

    fn transitions(&self) -> String {
        let description = self.description;
        let mut text = String::from(
            "<section><h2>Transitions</h2>\n<table>\n<thead><tr><th>from</th><th>call</th><th>guard</th>\
             <th>to</th></tr></thead>\n<tbody>\n",
        );
        for step in &description.moves {
            let outcome = description.states[step.to].outcome;
            let why: Vec<String> = step.why.iter().map(|why| escaped(why)).collect();
            let (class, to) = match outcome {
                WordOutcome::Ok => ("ok", escaped(&description.name(step.to))),
                WordOutcome::Error => ("error", format!("refused: {}", why.join(", "))),
                WordOutcome::Unknown => ("unknown", format!("unknown: {}", why.join(", "))),
            };
            let _ = writeln!(
                text,
                "<tr class=\"{class}\"><td>{}</td><td><code>{}</code></td><td><code>{}</code></td><td>{to}</td></tr>",
                escaped(&description.name(step.from)),
                escaped(&description.methods[step.method].as_call()),
                escaped(&step.guard)
            );
        }
        text + "</tbody></table></section>\n"
    }

    fn proof(&self) -> String {
        let mut text = String::from("<section><h2>Proof</h2>\n");
        let Some(certificate) = self.certificate else {
            return text + "<p>Nothing is proved beyond the depth that was explored.</p></section>\n";
        };
        let (all, discharged) = (certificate.obligations.len(), certificate.discharged());
        let _ = writeln!(
            text,
            "<p>{discharged} of {all} obligations are discharged. They say that summaries and guards cover \
             all values, that guards exclude each other, and that every call keeps the invariants of states \
             and ends as the automaton says. <code>certificate.smt2</code> has all of them; a solver confirms \
             it by answering <code>unsat</code> {all} times: <code>z3 certificate.smt2</code>.</p>"
        );
        if let Some(assumption) = self.assumption {
            let _ = writeln!(text, "<p>Assumed before every call: <code>{}</code>.</p>", escaped(assumption));
        }
        let open = certificate.obligations.iter().filter(|one| one.status != Status::Discharged);
        let open: Vec<String> = open
            .take(MOST_LISTED)
            .map(|one| {
                let why = match &one.status {
                    Status::Unknown(reason) => format!("no answer: {reason}"),
                    Status::Failed(_) => "does not hold for the invariants that were found".to_owned(),
                    Status::Open | Status::Discharged => "not checked".to_owned(),
                };
                format!("<li>{}: {}</li>\n", code(&one.says), escaped(&why))
            })
            .collect();
        if !open.is_empty() {
            let _ = write!(text, "<p>Not discharged:</p>\n<ul>\n{}</ul>\n", open.concat());
        }
        text + "</section>\n"
    }
}

/// A sentence with its backquoted parts as code.
fn code(sentence: &str) -> String {
    let part = |(at, part): (usize, &str)| {
        let part = escaped(part);
        if at % 2 == 1 { format!("<code>{part}</code>") } else { part }
    };
    sentence.split('`').enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use adit_learn::Role;
    use adit_learn::description::{DescribedMethod, DescribedState, Move};
    use adit_smt::Arena;

    use super::*;

    #[test]
    fn texts_of_the_class_are_escaped() {
        let condition = Arena::new().bool(true);
        let nasty = "<script>alert(1)</script>";
        let state = |outcome| DescribedState { outcome, condition: Some(nasty.to_owned()) };
        let step = |to, guard: &str| Move {
            from: 0,
            method: 0,
            guard: guard.to_owned(),
            condition,
            to,
            why: BTreeSet::from([nasty.to_owned()]),
        };
        let description = Description {
            class: nasty.to_owned(),
            states: vec![state(WordOutcome::Ok), state(WordOutcome::Error)],
            moves: vec![step(0, nasty), step(1, "x > 0")],
            methods: vec![DescribedMethod {
                name: nasty.to_owned(),
                parameters: vec![nasty.to_owned()],
                role: Role::Static,
            }],
        };
        let notes = [nasty.to_owned()];
        let page = Page {
            verdict: nasty,
            description: &description,
            certificate: None,
            assumption: Some(nasty),
            notes: &notes,
        };
        let html = page.html();
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("refused: "), "{html}");
    }
}
