//! Reading an alphabet file.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::ops::Range;
use std::time::Duration;

use regex::Regex;
use toml::de::DeTable;

use super::fields::{AlphabetError, Fields, File, Read, bytes_of, meant};
use super::{
    Alphabet, AnswerClass, AnswerRules, Capture, CodePattern, Framing, LabelKind, LocalAction, MutationRight,
    Pool, Role, SessionRules, TemplatePart, Transfer, Tuples, WireLabel, WireTemplate,
};

/// Version of the format that this reader knows.
const VERSION: u64 = 1;

/// Fields that the session fills in by itself.
const BUILT_IN: [&str; 4] = ["listen_pair", "listen_port", "host", "port"];

const RIGHTS: [(&str, MutationRight); 3] = [
    ("never", MutationRight::Never),
    ("dictionary", MutationRight::Dictionary),
    ("bytes", MutationRight::Bytes),
];

/// Reads an alphabet file in TOML. `name` is what errors call the file.
///
/// ```
/// let file = br#"
/// version = 1
/// protocol = "echo"
/// [answers]
/// framing = "line"
/// [answers.classes]
/// ok = "OK"
/// [pools.word]
/// valid = "hello"
/// [[label]]
/// name = "SAY"
/// send = "SAY {word}\n"
/// "#;
/// let alphabet = adit_fuzz::alphabet::read("echo.toml", file).expect("well formed");
/// assert_eq!(alphabet.labels[0].name, "SAY");
/// ```
pub fn read(name: &str, bytes: &[u8]) -> Result<Alphabet, AlphabetError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = error.valid_up_to();
            let file = File { name, text: &text };
            return Err(file.error(at..at, "this is not UTF-8 text", "save the file as UTF-8"));
        }
    };
    let file = File { name, text: text.strip_prefix('\u{feff}').unwrap_or(text) };
    let table = DeTable::parse(file.text).map_err(|error| {
        let help = "an alphabet is written in TOML: `[[label]]`, then lines such as `name = \"USER\"`";
        file.error(error.span().unwrap_or(0..0), error.message(), help)
    })?;
    let known = [
        "version",
        "protocol",
        "session",
        "answers",
        "pools",
        "tuples",
        "capture",
        "counters",
        "label",
        "silent_events",
    ];
    let top = Fields::new(&file, "an alphabet file", table.get_ref(), 0..0, &known)?;
    if let Some(version) = top.number("version", 0..=u64::MAX)?
        && version != VERSION
    {
        let message = format!("this alphabet has version {version}, and adit knows version {VERSION}");
        return Err(top.error("version", &message, "use the adit that it was written for"));
    }
    let pools = pools(&top)?;
    let mut alphabet = Alphabet {
        protocol: top.text("protocol")?.unwrap_or_else(|| "server".to_owned()),
        session: session(&top)?,
        answers: answers(&top)?,
        tuples: tuples(&top, &pools)?,
        pools,
        captures: captures(&top)?,
        counters: counters(&top)?,
        labels: Vec::new(),
        silent_events: top.texts("silent_events")?,
    };
    labels(&top, &mut alphabet)?;
    Ok(alphabet)
}

fn session(top: &Fields<'_, '_>) -> Read<SessionRules> {
    let empty = DeTable::new();
    let (table, span) = top.table("session")?.unwrap_or((&empty, 0..0));
    let known = [
        "transport",
        "host",
        "port",
        "banner",
        "start_limit",
        "answer_limit",
        "reset",
        "start_state",
        "files",
    ];
    let fields = Fields::new(top.file, "the session", table, span, &known)?;
    fields.choice("transport", &[("tcp", ())])?;
    let host = match fields.text("host")? {
        None => IpAddr::from([127, 0, 0, 1]),
        Some(text) if text == "localhost" => IpAddr::from([127, 0, 0, 1]),
        Some(text) => match text.parse::<IpAddr>() {
            Ok(address) if address.is_loopback() => address,
            _ => {
                let message = format!("`{text}` is not an address of this machine");
                let help =
                    "adit sends to loopback only: write `127.0.0.1` or `::1`, and start the server here";
                return Err(fields.error("host", &message, help));
            }
        },
    };
    let mut files = BTreeMap::new();
    if let Some((table, _)) = fields.table("files")? {
        for (path, value) in table {
            let relative = std::path::Path::new(path.get_ref().as_ref());
            let inside = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            if !inside {
                let message = format!("`{}` is not a path inside the session's folder", path.get_ref());
                let help = "write a relative path without `..`";
                return Err(top.file.error(path.span(), &message, help));
            }
            files.insert(path.get_ref().to_string(), bytes_of(top.file, value)?);
        }
    }
    Ok(SessionRules {
        host,
        port: fields.number("port", 1..=65535)?.map(|port| port as u16),
        banner: fields.flag("banner")?.unwrap_or(true),
        start_limit: fields.time("start_limit")?.unwrap_or(Duration::from_secs(5)),
        answer_limit: fields.time("answer_limit")?.unwrap_or(Duration::from_secs(1)),
        reset: fields.text("reset")?,
        start_state: fields.text("start_state")?,
        files,
    })
}

fn answers(top: &Fields<'_, '_>) -> Read<AnswerRules> {
    let empty = DeTable::new();
    let (table, span) = top.table("answers")?.unwrap_or((&empty, 0..0));
    let known = ["framing", "classes", "ends", "error_keeps_state"];
    let fields = Fields::new(top.file, "`answers`", table, span, &known)?;
    let framings =
        [("code-lines", Framing::CodeLines), ("headers", Framing::Headers), ("line", Framing::Line)];
    let framing = fields.choice("framing", &framings)?.unwrap_or(Framing::CodeLines);
    let mut classes = Vec::new();
    match fields.table("classes")? {
        Some((table, span)) => {
            let names = AnswerClass::IN_FILES.map(AnswerClass::name);
            let of_class = Fields::new(top.file, "`answers.classes`", table, span, &names)?;
            for class in AnswerClass::IN_FILES {
                classes.push((class, patterns(of_class.texts(class.name())?)));
            }
        }
        None => {
            let usual = [
                (AnswerClass::Preliminary, vec!["1xx"]),
                (AnswerClass::Ok, vec!["2xx"]),
                (AnswerClass::More, vec!["3xx"]),
                (AnswerClass::Error, vec!["4xx", "5xx"]),
            ];
            classes.extend(usual.map(|(class, codes)| {
                (class, codes.into_iter().map(|code| CodePattern(code.to_owned())).collect())
            }));
        }
    }
    Ok(AnswerRules {
        framing,
        classes,
        ends: patterns(fields.texts("ends")?),
        error_keeps_state: fields.flag("error_keeps_state")?.unwrap_or(true),
    })
}

fn patterns(codes: Vec<String>) -> Vec<CodePattern> {
    codes.into_iter().map(CodePattern).collect()
}

fn pools(top: &Fields<'_, '_>) -> Read<BTreeMap<String, Pool>> {
    let mut pools = BTreeMap::new();
    let Some((table, _)) = top.table("pools")? else { return Ok(pools) };
    for (name, value) in table {
        let Some(of_pool) = value.get_ref().as_table() else {
            let help = format!("write `[pools.{}]`, then `valid = [\"…\"]`", name.get_ref());
            return Err(top.file.error(value.span(), "a pool should be a table", &help));
        };
        let known = ["valid", "wrong", "boundary", "dictionary", "mutate"];
        let what = format!("the pool `{}`", name.get_ref());
        let fields = Fields::new(top.file, &what, of_pool, name.span(), &known)?;
        let mut values = Vec::new();
        for role in Role::ALL {
            values.extend(fields.values(role.name())?.into_iter().map(|value| (role, value)));
        }
        if values.first().is_none_or(|(role, _)| *role != Role::Valid) {
            let help = "add a line such as `valid = [\"one\"]`; sessions that should work need one";
            return Err(top.file.error(name.span(), &format!("{what} has no valid value"), help));
        }
        let mutate = fields.choice("mutate", &RIGHTS)?.unwrap_or(MutationRight::Bytes);
        pools.insert(name.get_ref().to_string(), Pool { values, mutate });
    }
    Ok(pools)
}

fn tuples(top: &Fields<'_, '_>, pools: &BTreeMap<String, Pool>) -> Read<Vec<Tuples>> {
    let mut all: Vec<Tuples> = Vec::new();
    for (table, span) in top.tables("tuples")? {
        let fields = Fields::new(top.file, "`tuples`", table, span, &["pools", "rows"])?;
        let names = fields.texts("pools")?;
        for name in &names {
            if !pools.contains_key(name) {
                let message = format!("there is no pool `{name}`");
                return Err(fields.error("pools", &message, &meant(name, pools.keys().map(String::as_str))));
            }
            if all.iter().any(|other| other.pools.contains(name)) {
                let message = format!("the pool `{name}` is in two tuples");
                return Err(fields.error("pools", &message, "join them to one"));
            }
        }
        let mut rows = Vec::new();
        let listed = fields.get("rows").and_then(|rows| rows.get_ref().as_array());
        for row in listed.into_iter().flatten() {
            let values = row.get_ref().as_array();
            let values = values.into_iter().flatten().map(|value| bytes_of(top.file, value));
            let values = values.collect::<Read<Vec<_>>>()?;
            if values.len() != names.len() {
                let message =
                    format!("this row has {} values, and there are {} pools", values.len(), names.len());
                return Err(top.file.error(row.span(), &message, "write one value for each pool"));
            }
            rows.push(values);
        }
        if rows.is_empty() {
            let help = "write `rows = [[\"alice\", \"secret\"]]`";
            return Err(fields.error("rows", "these tuples have no rows", help));
        }
        all.push(Tuples { pools: names, rows });
    }
    Ok(all)
}

fn captures(top: &Fields<'_, '_>) -> Read<Vec<Capture>> {
    let mut all = Vec::new();
    for (table, span) in top.tables("capture")? {
        let fields =
            Fields::new(top.file, "a capture", table, span, &["name", "codes", "pattern", "default"])?;
        let written = fields.required("pattern", "Session: ([0-9A-Za-z]+)")?;
        let pattern = Regex::new(&written).map_err(|error| {
            let reason = error.to_string().lines().last().unwrap_or_default().replace("error: ", "");
            fields.error(
                "pattern",
                &format!("this pattern cannot be used: {reason}"),
                "see docs.rs/regex for the syntax",
            )
        })?;
        if pattern.captures_len() < 2 {
            let help = "put parentheses around the part that should be kept";
            return Err(fields.error("pattern", "this pattern has no group", help));
        }
        all.push(Capture {
            name: fields.required("name", "session")?,
            codes: patterns(fields.texts("codes")?),
            pattern,
            default: fields.text("default")?.unwrap_or_default(),
        });
    }
    Ok(all)
}

fn counters(top: &Fields<'_, '_>) -> Read<BTreeMap<String, u64>> {
    let mut all = BTreeMap::new();
    let Some((table, span)) = top.table("counters")? else { return Ok(all) };
    let names: Vec<&str> = table.keys().map(|key| key.get_ref().as_ref()).collect();
    let fields = Fields::new(top.file, "`counters`", table, span, &names)?;
    for name in names {
        let first = fields.number(name, 0..=u64::from(u32::MAX))?.unwrap_or(1);
        all.insert(name.to_owned(), first);
    }
    Ok(all)
}

fn labels(top: &Fields<'_, '_>, alphabet: &mut Alphabet) -> Read<()> {
    let listed = top.tables("label")?;
    if listed.is_empty() {
        let help = "a label begins with a line `[[label]]`";
        return Err(top.file.error(0..0, "there is no label in this file", help));
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut needs: Vec<(Range<usize>, Vec<String>)> = Vec::new();
    for (table, span) in listed {
        let known = [
            "name",
            "events",
            "kind",
            "send",
            "action",
            "needs",
            "data",
            "payload",
            "answers",
            "settle",
            "until_dot",
            "ends",
            "error_keeps_state",
            "mutate",
            "mutate_wire",
            "forbidden",
            "unseen",
        ];
        let fields = Fields::new(top.file, "a label", table, span.clone(), &known)?;
        let name = fields.required("name", "USER")?;
        for own in std::iter::once(&name).chain(&fields.texts("events")?) {
            if !names.insert(own.clone()) {
                let message = format!("two labels stand for `{own}`");
                return Err(fields.error(
                    "name",
                    &message,
                    "every name and every event belongs to one label",
                ));
            }
        }
        needs.push((fields.span_of("needs"), fields.texts("needs")?));
        let label = label(&fields, name, alphabet)?;
        alphabet.labels.push(label);
    }
    for (at, (span, needed)) in needs.into_iter().enumerate() {
        for name in needed {
            let found = alphabet.label(&name).filter(|&found| found != at);
            let Some(found) = found else {
                let message = format!("there is no other label `{name}` to send before");
                let known = alphabet.labels.iter().map(|label| label.name.as_str());
                return Err(top.file.error(span, &message, &meant(&name, known)));
            };
            alphabet.labels[at].needs.push(found);
        }
    }
    Ok(())
}

fn label(fields: &Fields<'_, '_>, name: String, alphabet: &Alphabet) -> Read<WireLabel> {
    let is_local = fields.choice("kind", &[("request", false), ("local", true)])?.unwrap_or(false);
    let kind = if is_local {
        let actions = [("close", LocalAction::Close), ("reconnect", LocalAction::Reconnect)];
        LabelKind::Local(fields.choice("action", &actions)?.ok_or_else(|| {
            let help = "add `action = \"close\"` or `action = \"reconnect\"`";
            fields.error("action", "a local label needs an action", help)
        })?)
    } else {
        LabelKind::Request(template(fields, alphabet)?)
    };
    let mut mutate = BTreeMap::new();
    if let Some((table, span)) = fields.table("mutate")? {
        let own: Vec<&str> = match &kind {
            LabelKind::Request(template) => template.holes().map(|hole| hole.name.as_str()).collect(),
            LabelKind::Local(_) => Vec::new(),
        };
        let of_fields = Fields::new(fields.file, "`mutate`", table, span, &own)?;
        for field in own {
            if let Some(right) = of_fields.choice(field, &RIGHTS)? {
                mutate.insert(field.to_owned(), right);
            }
        }
    }
    Ok(WireLabel {
        name,
        events: fields.texts("events")?,
        kind,
        needs: Vec::new(),
        transfer: transfer(fields, alphabet)?,
        answers: fields.number("answers", 0..=8)?.unwrap_or(1) as u32,
        settle: fields.time("settle")?,
        until_dot: fields.flag("until_dot")?.unwrap_or(false),
        ends: fields.flag("ends")?.unwrap_or(false),
        error_keeps_state: fields.flag("error_keeps_state")?,
        mutate,
        mutate_wire: fields.flag("mutate_wire")?.unwrap_or(false),
        forbidden: fields.flag("forbidden")?.unwrap_or(false),
        unseen: fields.flag("unseen")?.unwrap_or(false),
        line: fields.file.line_of(&fields.span_of("name")),
    })
}

/// The message of a label; every field is a pool, a variable, a counter or built in.
fn template(fields: &Fields<'_, '_>, alphabet: &Alphabet) -> Read<WireTemplate> {
    let text = fields.required("send", "USER {user}\\r\\n")?;
    let mut template = WireTemplate::parse(&text)
        .map_err(|message| fields.error("send", &message, "write `{{` for a brace that is no field"))?;
    for part in &mut template.0 {
        let TemplatePart::Field(hole) = part else { continue };
        let pool = hole.pool.clone().unwrap_or_default();
        if alphabet.pools.contains_key(&pool) {
            continue;
        }
        let variables = alphabet.captures.iter().map(|capture| capture.name.as_str());
        let others: Vec<&str> =
            variables.chain(alphabet.counters.keys().map(String::as_str)).chain(BUILT_IN).collect();
        if pool == hole.name && others.contains(&pool.as_str()) {
            hole.pool = None;
            continue;
        }
        let known: Vec<&str> = alphabet.pools.keys().map(String::as_str).chain(others).collect();
        let message = format!("`{{{pool}}}` is no pool, variable or counter of this alphabet");
        return Err(fields.error("send", &message, &meant(&pool, known)));
    }
    Ok(template)
}

fn transfer(fields: &Fields<'_, '_>, alphabet: &Alphabet) -> Read<Option<Transfer>> {
    #[derive(Clone, Copy)]
    enum Kind {
        Connect,
        Listen,
        Down,
        Up,
    }
    let (payload, data) = (fields.text("payload")?, fields.text("data")?);
    let Some(data) = data else { return Ok(None) };
    // `connect:data_port` names the variable with the port.
    let (word, variable) = data.split_once(':').unwrap_or((&data, ""));
    let kinds =
        [("connect", Kind::Connect), ("listen", Kind::Listen), ("down", Kind::Down), ("up", Kind::Up)];
    let Some((_, kind)) = kinds.iter().find(|(name, _)| *name == word) else {
        let message = format!("`{word}` is no value of `data`");
        return Err(fields.error("data", &message, &meant(word, kinds.map(|(name, _)| name))));
    };
    Ok(Some(match kind {
        Kind::Listen => Transfer::Listen,
        Kind::Down => Transfer::Down,
        Kind::Connect => {
            let known = alphabet.captures.iter().map(|capture| capture.name.as_str());
            if !known.clone().any(|name| name == variable) {
                let message = format!("no capture sets `{variable}`, where the port should be");
                let help =
                    format!("write `connect:NAME` with the name of a capture; {}", meant(variable, known));
                return Err(fields.error("data", &message, &help));
            }
            Transfer::Connect(variable.to_owned())
        }
        Kind::Up => {
            let payload = payload.unwrap_or_default();
            if !alphabet.pools.contains_key(&payload) {
                let message = format!("there is no pool `{payload}` with bytes to send");
                let help = format!(
                    "name one with `payload`; {}",
                    meant(&payload, alphabet.pools.keys().map(String::as_str))
                );
                let field = if fields.get("payload").is_some() { "payload" } else { "data" };
                return Err(fields.error(field, &message, &help));
            }
            Transfer::Up(payload)
        }
    }))
}
