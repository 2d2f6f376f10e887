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
use crate::output::{counted, model_size};
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
    let mut rows = String::new();
    for campaign in campaigns {
        let name = campaign.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // One that cannot be read must not hide the others.
        let run: Option<Run> = results::read(campaign).unwrap_or_default();
        let page = if campaign.join(NAME).exists() { NAME } else { MODEL };
        let cells = match &run {
            None => ["a model alone".to_owned(), String::new(), String::new(), String::new()],
            Some(Run { summary, .. }) => {
                let model = &summary.model;
                let size = match model.no_protocol {
                    true => "no protocol".to_owned(),
                    false => model_size(model.states, model.transitions, model.not_explored),
                };
                let findings = match summary.findings.len() {
                    0 => String::new(),
                    count => counted(count, "finding"),
                };
                let fates = &summary.properties;
                let held = (fates.survived + fates.not_attacked).to_string();
                [size, held, model.reproduced().unwrap_or_default(), findings]
            }
        };
        let class = run.as_ref().map_or(name.as_str(), |run| run.summary.class.as_str());
        rows += &format!(
            "<tr><th scope=\"row\"><a href=\"{}/{page}\">{}</a></th>{}</tr>\n",
            address(&name),
            escaped(class),
            cells.map(|cell| format!("<td>{}</td>", escaped(&cell))).concat(),
        );
    }
    if rows.is_empty() && every.is_none() {
        return Err(bad_input(
            format!("{} holds no folder with a {MODEL}", folder.display()),
            "name a folder that `adit mine` wrote, or the folder of such folders",
        ));
    }
    let title = format!("Models in {}", escaped(&folder.display().to_string()));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<header><div><h1>{title}</h1><p>{}</p></div></header>\n<main>\n\
         <section>\n<table>\n<thead><tr><th scope=\"col\">Class</th><th scope=\"col\">Model</th>\
         <th scope=\"col\">Properties</th><th scope=\"col\">Reproduced</th><th scope=\"col\">Findings</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table>\n</section>\n{}</main>\n<footer>Made by adit. Links lead to the pages in these folders.</footer>\n\
         </body>\n</html>\n",
        STYLE.concat(),
        about(campaigns.len(), every.as_ref()),
        every.as_ref().map(without_model).unwrap_or_default(),
    ))
}

/// The line below the title.
fn about(models: usize, every: Option<&EveryClass>) -> String {
    let Some(every) = every else { return counted(models, "model") };
    let (done, all) = (every.classes.len(), every.all);
    let left = if done < all { format!(", {} not mined yet", all - done) } else { String::new() };
    format!(
        "{} of {} in {}: {} without a model{left}",
        counted(models, "model"),
        counted(all, "public class"),
        escaped(&every.source),
        done - every.models(),
    )
}

/// The classes without a model, those with the same reason together, and the most frequent reason first.
fn without_model(every: &EveryClass) -> String {
    let mut reasons: BTreeMap<(String, Option<&str>), Vec<&str>> = BTreeMap::new();
    for (class, outcome) in &every.classes {
        if let Outcome::None { why, help } = &outcome.outcome {
            // The name of the class would make every reason another one.
            let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
            let why = why.replace(class, "the class").replace(&class.replace('$', "."), "the class");
            let why = why.replace(&format!("new {simple}("), "new …(");
            reasons.entry((why, help.as_deref())).or_default().push(class);
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, classes)| std::cmp::Reverse(classes.len()));
    let rows = reasons.iter().map(|((why, _), classes)| {
        let names: Vec<String> = classes.iter().map(|class| escaped(class).to_string()).collect();
        format!("<tr><td>{}</td><td>{}</td></tr>\n", names.join("<br>"), escaped(why))
    });
    format!(
        "<section>\n<h2>Classes without a model</h2>\n<table>\n<thead><tr><th scope=\"col\">Class</th>\
         <th scope=\"col\">Reason</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</section>\n",
        rows.collect::<String>(),
    )
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
