//! The index page over a folder of campaigns, such as `adit-out`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use adit_picture::escaped;
use miette::Report;

use super::NAME;
use super::html::STYLE;
use crate::errors::bad_input;
use crate::models::MODEL;
use crate::output::counted;
use crate::results::every_class::{EveryClass, Outcome};
use crate::results::{self, Run};

/// Name of the page in its folder.
pub(crate) const INDEX: &str = "index.html";

/// Returns the folders of models below a folder that is none itself, sorted by name; nothing if it is one.
pub(crate) fn campaigns_below(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_dir() || folder.join(MODEL).exists() || folder.join(adit_store::DATABASE).exists() {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.join(MODEL).exists()).collect();
    found.sort();
    found
}

/// Returns the page with a link to the report of each campaign.
pub(crate) fn index(folder: &Path, campaigns: &[PathBuf]) -> Result<String, Report> {
    let every: Option<EveryClass> = results::read(folder).unwrap_or_default();
    let models: Vec<Entry> = campaigns.iter().map(|campaign| Entry::of(campaign)).collect();
    if models.is_empty() && every.is_none() {
        return Err(bad_input(
            format!("{} holds no folder with a {MODEL}", folder.display()),
            "name a folder that `adit mine` wrote, or the folder of such folders",
        ));
    }
    let source = every.as_ref().map_or(folder, |every| Path::new(&every.source));
    let name =
        source.file_name().map_or_else(|| source.display().to_string(), |name| name.to_string_lossy().into());
    let title = format!("Models of {}", escaped(&name));
    let (without_order, with_order): (Vec<&Entry>, Vec<&Entry>) =
        models.iter().partition(|entry| entry.no_protocol);
    let mut sections = vec![
        ("Protocol", "Classes with a protocol", with_order.len(), protocols(&with_order)),
        (
            "Any order",
            "Classes whose calls are possible in any order",
            without_order.len(),
            list(&without_order),
        ),
    ];
    if let Some(every) = &every {
        let lacking = every.classes.len() - every.models();
        sections.push(("No model", "Classes without a model", lacking, without_model(every)));
    }
    sections.retain(|(_, _, count, _)| *count > 0);
    let id = |name: &str| name.to_lowercase().replace(' ', "-");
    let links: String = sections
        .iter()
        .map(|(name, _, count, _)| format!("<a href=\"#{}\">{name} ({count})</a>\n", id(name)))
        .collect();
    let content: String = sections
        .iter()
        .map(|(name, heading, count, text)| {
            format!("<section id=\"{}\">\n<h2>{heading} ({count})</h2>\n{text}</section>\n", id(name))
        })
        .collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{}{INDEX_STYLE}</style>\n</head>\n<body>\n<header><div><h1>{title}</h1><p>{}</p></div>\n\
         <nav aria-label=\"Sections\">\n{links}</nav></header>\n<main class=\"index\">\n{content}</main>\n\
         <footer>Made by adit. Links lead to the pages in these folders.</footer>\n</body>\n</html>\n",
        STYLE.concat(),
        about(campaigns.len(), every.as_ref()),
    ))
}

/// What this page has beyond a report.
const INDEX_STYLE: &str = include_str!("assets/index.css");

/// A class with a model.
struct Entry {
    class: String,
    /// Address of its page.
    page: String,
    no_protocol: bool,
    run: Option<Run>,
}

impl Entry {
    fn of(campaign: &Path) -> Self {
        let name = campaign.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // One that cannot be read must not hide the others.
        let run: Option<Run> = results::read(campaign).unwrap_or_default();
        let page = if campaign.join(NAME).exists() { NAME } else { MODEL };
        Self {
            page: format!("{}/{page}", address(&name)),
            no_protocol: run.as_ref().is_some_and(|run| run.summary.model.no_protocol),
            class: run.as_ref().map_or(name, |run| run.summary.class.clone()),
            run,
        }
    }

    fn link(&self) -> String {
        format!("<a href=\"{}\">{}</a>", self.page, escaped(without_package(&self.class)))
    }
}

fn package_of(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

fn without_package(class: &str) -> &str {
    class.rsplit_once('.').map_or(class, |(_, name)| name)
}

/// Groups of one package each, in order.
fn by_package<T>(all: &[T], class: impl Fn(&T) -> &str) -> Vec<(String, Vec<&T>)> {
    let mut groups: BTreeMap<String, Vec<&T>> = BTreeMap::new();
    for one in all {
        groups.entry(package_of(class(one)).to_owned()).or_default().push(one);
    }
    groups.into_iter().collect()
}

/// The table of models.
fn protocols(entries: &[&Entry]) -> String {
    const HEADINGS: [&str; 7] =
        ["Class", "States", "Transitions", "Not explored", "Properties", "Walks reproduced", "Findings"];
    let number = |number: usize| if number == 0 { String::new() } else { number.to_string() };
    let mut rows = String::new();
    for (package, entries) in by_package(entries, |entry| &entry.class) {
        rows += &format!(
            "<tr><th class=\"package\" scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
            HEADINGS.len(),
            escaped(&package)
        );
        for entry in entries {
            let cells = entry.run.as_ref().map(|Run { summary, .. }| {
                let (model, fates) = (&summary.model, &summary.properties);
                let walks = model.walks.map(|walks| format!("{} of {}", walks.good, walks.of));
                [
                    model.states.to_string(),
                    model.transitions.to_string(),
                    number(model.not_explored),
                    number((fates.survived + fates.not_attacked) as usize),
                    walks.unwrap_or_default(),
                    number(summary.findings.len()),
                ]
            });
            let cells: String = cells
                .unwrap_or_default()
                .iter()
                .map(|cell| format!("<td class=\"number\">{}</td>", escaped(cell)))
                .collect();
            rows += &format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", entry.link());
        }
    }
    let headings = HEADINGS.iter().enumerate().map(|(place, heading)| {
        let class = if place > 0 { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}>{heading}</th>")
    });
    let headings: String = headings.collect();
    format!("<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n")
}

/// Links to pages that have little to say.
fn list(entries: &[&Entry]) -> String {
    let mut text = String::new();
    for (package, entries) in by_package(entries, |entry| &entry.class) {
        let items: String = entries.iter().map(|entry| format!("<li>{}</li>\n", entry.link())).collect();
        text += &format!("<h3 class=\"package\">{}</h3>\n<ul>\n{items}</ul>\n", escaped(&package));
    }
    text
}

/// The line below the title.
fn about(models: usize, every: Option<&EveryClass>) -> String {
    let Some(every) = every else { return counted(models, "model") };
    let (done, all) = (every.classes.len(), every.all);
    let left = if done < all { format!(", {} not mined yet", all - done) } else { String::new() };
    format!(
        "{}: {} and {} without{left}",
        counted(all, "public class"),
        counted(every.models(), "model"),
        done - every.models(),
    )
}

/// A class without a model, what is special about its reason, and advice.
type Unmodeled<'a> = (&'a str, String, Option<String>);

/// The classes without a model, those with the same reason together, and the most frequent reason first.
fn without_model(every: &EveryClass) -> String {
    let mut reasons: BTreeMap<String, Vec<Unmodeled<'_>>> = BTreeMap::new();
    for (class, outcome) in &every.classes {
        if let Outcome::None { why, help } = &outcome.outcome {
            let (reason, detail) = reason_and_detail(class, why);
            let help =
                help.as_ref().map(|help| help.replace(class, "…").replace(&class.replace('$', "."), "…"));
            reasons.entry(reason).or_default().push((class, detail, help));
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, classes)| std::cmp::Reverse(classes.len()));
    let mut text = String::new();
    for (reason, classes) in &reasons {
        // What is the same for all belongs to the reason.
        let same = classes.iter().all(|(_, detail, _)| *detail == classes[0].1);
        let reason = match same && !classes[0].1.is_empty() {
            true => format!("{reason}: {}", classes[0].1),
            false => reason.clone(),
        };
        text += &format!("<h3>{} ({})</h3>\n", escaped(&capitalized(&reason)), classes.len());
        // Advice that is the same for all stands once.
        let help = classes[0]
            .2
            .as_ref()
            .filter(|help| classes.iter().all(|(_, _, other)| other.as_ref() == Some(*help)));
        text += &help.map(|help| format!("<p class=\"dim\">{}</p>\n", escaped(help))).unwrap_or_default();
        for (package, classes) in by_package(classes, |(class, _, _)| class) {
            let package = escaped(&package).to_string();
            if same {
                let items = classes
                    .iter()
                    .map(|(class, _, _)| format!("<li>{}</li>\n", escaped(without_package(class))));
                text += &format!("<h4>{package}</h4>\n<ul>\n{}</ul>\n", items.collect::<String>());
                continue;
            }
            let rows = classes.iter().map(|(class, detail, _)| {
                let name = escaped(without_package(class));
                format!("<tr><th scope=\"row\">{name}</th><td>{}</td></tr>\n", escaped(detail))
            });
            text += &format!(
                "<h4>{package}</h4>\n<table>\n<tbody>\n{}</tbody>\n</table>\n",
                rows.collect::<String>()
            );
        }
    }
    text
}

/// Divides why a class has no model into the reason, which other classes may share, and what concerns this
/// class alone.
fn reason_and_detail(class: &str, why: &str) -> (String, String) {
    // The name of the class would make every reason another one.
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let why = why.replace(class, "the class").replace(&class.replace('$', "."), "the class");
    let why = why.replace(&format!("new {simple}("), "new …(");
    let (reason, detail) = why.split_once(": ").unwrap_or((&why, ""));
    // Nor does the number of attempts make another reason.
    let words: Vec<&str> = reason.split(' ').collect();
    match words.iter().position(|word| word.starts_with(|first: char| first.is_ascii_digit())) {
        Some(at) if at > 0 && words[at - 1] == "in" => {
            let attempts = words[at - 1..].join(" ");
            (words[..at - 1].join(" "), format!("{detail} ({attempts})"))
        }
        _ => (reason.to_owned(), detail.to_owned()),
    }
}

/// A text as a heading. The name of the program begins with a small letter everywhere.
fn capitalized(text: &str) -> String {
    if text.starts_with("adit ") {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A folder name as part of an address.
fn address(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_addresses() {
        assert_eq!(address("java.util.Map$Entry"), "java.util.Map%24Entry");
        assert_eq!(address("a b\"<"), "a%20b%22%3C");
    }
}
