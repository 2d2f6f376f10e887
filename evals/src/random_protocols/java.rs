//! Writes the description of a class as Java.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::argument::{ENUM, MODES};
use super::protocol::{
    Argument, Body, Cell, Change, Constructor, CounterStorage, Method, Protocol, Returns, Setting, Storage,
};

/// Package of all generated classes.
pub(crate) const PACKAGE: &str = "protocols";

/// Names of states, where they have names.
const PHASES: [&str; 12] = [
    "IDLE", "READY", "OPEN", "ACTIVE", "PAUSED", "WAITING", "LOCKED", "FAILED", "DONE", "DRAINING", "BROKEN",
    "CLOSED",
];

/// Names of the booleans that store a state, lowest bit first.
const BITS: [&str; 4] = ["ready", "active", "locked", "failed"];

/// Returns the source of a class.
pub(crate) fn source(protocol: &Protocol) -> String {
    let name = &protocol.name;
    let mut out = format!(
        "package {PACKAGE};\n\n\
         import java.util.ArrayList;\nimport java.util.List;\nimport java.util.Objects;\n\n\
         public class {name} {{\n"
    );
    out += &types(protocol);
    out += &fields(protocol);
    for constructor in &protocol.constructors {
        out += &constructor_source(protocol, constructor);
    }
    for method in &protocol.methods {
        out += &method_source(protocol, method);
    }
    out + "}\n"
}

/// Nested types that the class needs.
fn types(protocol: &Protocol) -> String {
    let mut out = String::new();
    if matches!(protocol.storage, Storage::Enum | Storage::Split(_)) {
        _ = writeln!(out, "    public enum Phase {{ {} }}\n", PHASES[..phases(protocol)].join(", "));
    }
    let arguments = protocol.methods.iter().map(|method| &method.argument);
    let mut arguments = arguments.chain(protocol.constructors.iter().map(|one| &one.argument));
    if arguments.any(|argument| argument.as_ref().is_some_and(|argument| argument.java_type == ENUM)) {
        _ = writeln!(out, "    public enum {ENUM} {{ {} }}\n", MODES.join(", "));
    }
    if protocol.own_exception {
        out += "    public static class RefusedException extends Exception {\n        \
                RefusedException(String message) {\n            super(message);\n        }\n    }\n\n";
    }
    if has_core(protocol) {
        out += "    private static final class Core {\n        final Inner inner = new Inner();\n    }\n\n    \
                private static final class Inner {\n        int value;\n        int count;\n    }\n\n";
    }
    out
}

fn fields(protocol: &Protocol) -> String {
    let mut fields: Vec<String> = match protocol.storage {
        Storage::Int => vec!["private int state;".to_owned()],
        Storage::Enum => vec!["private Phase phase;".to_owned()],
        Storage::Text => vec!["private String phase;".to_owned()],
        Storage::Booleans => {
            BITS[..bits(protocol)].iter().map(|bit| format!("private boolean {bit};")).collect()
        }
        Storage::Collection => vec!["private final List<Integer> steps = new ArrayList<>();".to_owned()],
        Storage::Hidden => Vec::new(),
        Storage::Split(_) => vec!["private Phase phase;".to_owned()],
    };
    match protocol.counter.map(|counter| counter.storage) {
        Some(CounterStorage::Int) => fields.push("private int count;".to_owned()),
        Some(CounterStorage::Collection) => {
            fields.push("private final List<Object> contents = new ArrayList<>();".to_owned());
        }
        Some(CounterStorage::Hidden) | None => {}
    }
    if has_core(protocol) {
        fields.push("private final Core core = new Core();".to_owned());
    }
    for method in &protocol.methods {
        match method.body {
            Body::Setting(Setting::SetTitle) => fields.push("private String title;".to_owned()),
            Body::Setting(Setting::SetLimit) => fields.push("private int limit;".to_owned()),
            Body::Setting(Setting::SetVerbose) => fields.push("private boolean verbose;".to_owned()),
            _ => {}
        }
    }
    fields.iter().map(|field| format!("    {field}\n")).collect()
}

fn constructor_source(protocol: &Protocol, constructor: &Constructor) -> String {
    let parameter = constructor.argument.as_ref().map_or_else(String::new, parameter);
    let mut out = format!("\n    public {}({parameter}) {{\n", protocol.name);
    out += &by_values(constructor.argument.as_ref(), |values| match constructor.starts[values] {
        Some(state) => go(protocol, state),
        None => bad_value(constructor.argument.as_ref()),
    });
    out + "    }\n"
}

fn method_source(protocol: &Protocol, method: &Method) -> String {
    let returned = match (&method.body, method.returns) {
        (Body::Setting(Setting::GetTitle), _) => "String",
        (_, Returns::Nothing) => "void",
        (_, Returns::Answer) => "boolean",
        (_, Returns::Number) => "int",
        (_, Returns::Phase) => "Phase",
    };
    let mut parameters: Vec<String> = method.argument.iter().map(parameter).collect();
    parameters.extend(method.note.then(|| "String note".to_owned()));
    let refuses =
        |table: &Vec<Vec<Vec<Cell>>>| table.iter().flatten().flatten().any(|cell| *cell == Cell::Refused);
    let throws = match &method.body {
        Body::Table(table) if protocol.own_exception && refuses(table) => " throws RefusedException",
        _ => "",
    };
    let mut out = format!("\n    public {returned} {}({}){throws} {{\n", method.name, parameters.join(", "));
    out += &match &method.body {
        Body::Setting(setting) => format!("        {}\n", setting_source(*setting)),
        Body::Table(table) => {
            by_values(method.argument.as_ref(), |values| dispatch(protocol, method, table, values))
        }
    };
    out + "    }\n"
}

fn setting_source(setting: Setting) -> &'static str {
    match setting {
        Setting::SetTitle => "this.title = title;",
        Setting::GetTitle => "return title;",
        Setting::SetLimit => "this.limit = limit;",
        Setting::GetLimit => "return limit;",
        Setting::SetVerbose => "verbose = on;",
        Setting::IsVerbose => "return verbose;",
    }
}

/// Tells the classes of values apart, and does for each what `act` says.
fn by_values(argument: Option<&Argument>, act: impl Fn(usize) -> Vec<String>) -> String {
    let Some(argument) = argument else { return indented(&act(0), 2) };
    let mut out = String::new();
    if argument.nullable {
        _ = writeln!(out, "        Objects.requireNonNull({0}, \"{0}\");", argument.name);
    }
    if argument.classes.len() == 1 {
        return out + &indented(&act(0), 2);
    }
    for (values, class) in argument.classes.iter().enumerate() {
        out += &match values {
            0 => format!("        if ({}) {{\n", class.condition),
            _ if class.condition.is_empty() => "        } else {\n".to_owned(),
            _ => format!("        }} else if ({}) {{\n", class.condition),
        };
        out += &indented(&act(values), 3);
    }
    out + "        }\n"
}

/// Statements of a call with values of one class, by state. Every path returns or throws.
fn dispatch(protocol: &Protocol, method: &Method, table: &[Vec<Vec<Cell>>], values: usize) -> Vec<String> {
    // States that do the same are told apart once; staying is the same in all states.
    let mut groups: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (state, zones) in table.iter().enumerate() {
        let cells: Vec<Cell> = zones.iter().map(|cells| cells[values]).collect();
        groups.entry(zone_source(protocol, method, state, &cells)).or_default().push(state);
    }
    // What is left when all other states are told apart: the refusal, if there is one.
    let refusal = vec![refusal(protocol, method)];
    let rest = if groups.contains_key(&refusal) {
        refusal
    } else {
        groups.keys().next().expect("there are states").clone()
    };
    groups.remove(&rest);
    let mut lines = Vec::new();
    for (acts, states) in groups {
        let conditions: Vec<String> = states.iter().map(|&state| is(protocol, state)).collect();
        lines.push(format!("if ({}) {{", conditions.join(" || ")));
        lines.extend(acts.iter().map(|act| format!("    {act}")));
        lines.push("}".to_owned());
    }
    lines.extend(rest);
    lines
}

/// Statements of a call in one state, by zones of the counter.
fn zone_source(protocol: &Protocol, method: &Method, state: usize, cells: &[Cell]) -> Vec<String> {
    let acts: Vec<Vec<String>> = cells.iter().map(|cell| act(protocol, method, state, *cell)).collect();
    let counter = match protocol.counter {
        Some(counter) if acts.iter().any(|act| *act != acts[0]) => counter,
        _ => return acts[0].clone(),
    };
    let mut lines = vec![format!("if ({} == 0) {{", count(protocol))];
    let block = |act: &[String]| act.iter().map(|line| format!("    {line}")).collect::<Vec<_>>();
    lines.extend(block(&acts[0]));
    if let Some(capacity) = counter.capacity.filter(|_| acts[2] != acts[1]) {
        lines.push(format!("}} else if ({} == {capacity}) {{", count(protocol)));
        lines.extend(block(&acts[2]));
    }
    lines.push("} else {".to_owned());
    lines.extend(block(&acts[1]));
    lines.push("}".to_owned());
    lines
}

fn act(protocol: &Protocol, method: &Method, state: usize, cell: Cell) -> Vec<String> {
    match cell {
        Cell::Refused => vec![refusal(protocol, method)],
        Cell::BadValue => bad_value(method.argument.as_ref()),
        Cell::Returns { to, change, answer } => {
            let mut lines = change_source(protocol, change);
            if to != state {
                lines.extend(go(protocol, to));
            }
            lines.push(match method.returns {
                Returns::Nothing => "return;".to_owned(),
                Returns::Answer => format!("return {answer};"),
                Returns::Number => format!("return {};", number(protocol)),
                Returns::Phase => "return phase;".to_owned(),
            });
            lines
        }
    }
}

fn refusal(protocol: &Protocol, method: &Method) -> String {
    let class = if protocol.own_exception { "RefusedException" } else { "IllegalStateException" };
    format!("throw new {class}(\"{} is not possible now\");", method.name)
}

fn bad_value(argument: Option<&Argument>) -> Vec<String> {
    let name = argument.map_or("value", |argument| argument.name);
    vec![format!("throw new IllegalArgumentException(\"bad {name}\");")]
}

/// Condition that the object is in a state.
fn is(protocol: &Protocol, state: usize) -> String {
    match protocol.storage {
        Storage::Int => format!("state == {state}"),
        Storage::Enum => format!("phase == Phase.{}", PHASES[state]),
        Storage::Text => format!("phase.equals(\"{}\")", PHASES[state].to_lowercase()),
        Storage::Booleans => {
            let bits = (0..bits(protocol)).map(|bit| {
                let name = BITS[bit];
                if state >> bit & 1 == 1 { name.to_owned() } else { format!("!{name}") }
            });
            let bits: Vec<String> = bits.collect();
            if bits.len() == 1 { bits[0].clone() } else { format!("({})", bits.join(" && ")) }
        }
        Storage::Collection => format!("steps.size() == {state}"),
        Storage::Hidden => format!("core.inner.value == {state}"),
        Storage::Split(part) => {
            format!("(phase == Phase.{} && core.inner.value == {})", PHASES[state / part], state % part)
        }
    }
}

/// Statements that bring the object into a state.
fn go(protocol: &Protocol, state: usize) -> Vec<String> {
    match protocol.storage {
        Storage::Int => vec![format!("state = {state};")],
        Storage::Enum => vec![format!("phase = Phase.{};", PHASES[state])],
        Storage::Text => vec![format!("phase = \"{}\";", PHASES[state].to_lowercase())],
        Storage::Booleans => {
            (0..bits(protocol)).map(|bit| format!("{} = {};", BITS[bit], state >> bit & 1 == 1)).collect()
        }
        Storage::Collection => vec![
            "steps.clear();".to_owned(),
            format!("while (steps.size() < {state}) {{"),
            "    steps.add(steps.size());".to_owned(),
            "}".to_owned(),
        ],
        Storage::Hidden => vec![format!("core.inner.value = {state};")],
        Storage::Split(part) => {
            vec![
                format!("phase = Phase.{};", PHASES[state / part]),
                format!("core.inner.value = {};", state % part),
            ]
        }
    }
}

/// The count, as an expression.
fn count(protocol: &Protocol) -> &'static str {
    match protocol.counter.map(|counter| counter.storage) {
        Some(CounterStorage::Collection) => "contents.size()",
        Some(CounterStorage::Hidden) => "core.inner.count",
        Some(CounterStorage::Int) | None => "count",
    }
}

fn change_source(protocol: &Protocol, change: Change) -> Vec<String> {
    let listed = protocol.counter.is_some_and(|counter| counter.storage == CounterStorage::Collection);
    let count = count(protocol);
    let line = match (change, listed) {
        (Change::Keep, _) => return Vec::new(),
        (Change::Up, true) => "contents.add(new Object());".to_owned(),
        (Change::Down, true) => "contents.remove(contents.size() - 1);".to_owned(),
        (Change::Clear, true) => "contents.clear();".to_owned(),
        (Change::Up, false) => format!("{count}++;"),
        (Change::Down, false) => format!("{count}--;"),
        (Change::Clear, false) => format!("{count} = 0;"),
    };
    vec![line]
}

/// A number that depends on the state.
fn number(protocol: &Protocol) -> String {
    if protocol.counter.is_some() {
        return count(protocol).to_owned();
    }
    match protocol.storage {
        Storage::Int => "state % 2".to_owned(),
        Storage::Enum | Storage::Split(_) => "phase.ordinal()".to_owned(),
        Storage::Text => "phase.length()".to_owned(),
        Storage::Booleans => format!("{} ? 1 : 0", BITS[0]),
        Storage::Collection => "steps.size()".to_owned(),
        Storage::Hidden => "core.inner.value / 2".to_owned(),
    }
}

fn parameter(argument: &Argument) -> String {
    format!("{} {}", argument.java_type, argument.name)
}

/// Number of constants of the enum that stores the state.
fn phases(protocol: &Protocol) -> usize {
    match protocol.storage {
        Storage::Split(part) => protocol.states.div_ceil(part),
        _ => protocol.states,
    }
}

/// Number of booleans that store the state.
fn bits(protocol: &Protocol) -> usize {
    (protocol.states.next_power_of_two().trailing_zeros() as usize).max(1)
}

fn has_core(protocol: &Protocol) -> bool {
    matches!(protocol.storage, Storage::Hidden | Storage::Split(_))
        || protocol.counter.is_some_and(|counter| counter.storage == CounterStorage::Hidden)
}

fn indented(lines: &[String], levels: usize) -> String {
    lines.iter().map(|line| format!("{}{line}\n", "    ".repeat(levels))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::super::compile::{compile, jdk};
    use super::super::draw::draw;
    use super::super::kind::Kind;
    use super::super::protocol::Outcome;
    use super::*;

    /// A random script as Java, and what the description says that it prints.
    fn script(protocol: &Protocol, number: usize, rng: &mut ChaCha8Rng) -> (String, String) {
        let name = &protocol.name;
        let which = rng.random_range(0..protocol.constructors.len());
        let constructor = &protocol.constructors[which];
        let (values, value) = value(constructor.argument.as_ref(), rng);
        let mut java = format!(
            "    static void script{number}() {{\n        {name} it;\n        try {{ it = new {name}({value}); }} \
             catch (Exception e) {{ System.out.println(\"{name} !\"); return; }}\n        \
             System.out.print(\"{name}\");\n"
        );
        let Some(mut at) = values.and_then(|values| protocol.constructed(which, values)) else {
            return (java + "        System.out.println();\n    }\n", format!("{name} !"));
        };
        let mut expected = name.clone();
        for _ in 0..12 {
            let method = &protocol.methods[rng.random_range(0..protocol.methods.len())];
            let (values, value) = self::value(method.argument.as_ref(), rng);
            let mut arguments = vec![value];
            arguments.extend(method.note.then(|| "null".to_owned()));
            let call = format!("it.{}({})", method.name, arguments.join(", "));
            java += &match method.returns {
                Returns::Answer => format!("        try {{ System.out.print(\" \" + {call}); }}"),
                _ => format!("        try {{ {call}; System.out.print(\" ok\"); }}"),
            };
            java += " catch (Exception e) { System.out.print(\" !\"); }\n";
            let outcome = values.map_or(Outcome::Threw, |values| protocol.call(at, method, values));
            expected += &match outcome {
                Outcome::Threw => " !".to_owned(),
                Outcome::Returned { answer, to } => {
                    at = to;
                    answer.map_or(" ok".to_owned(), |answer| format!(" {answer}"))
                }
            };
        }
        (java + "        System.out.println();\n    }\n", expected)
    }

    /// A value and its class; `null` is in none.
    fn value(argument: Option<&Argument>, rng: &mut ChaCha8Rng) -> (Option<usize>, String) {
        let Some(argument) = argument else { return (Some(0), String::new()) };
        if argument.nullable && rng.random_range(0..10) == 0 {
            return (None, format!("({}) null", argument.java_type));
        }
        let values = rng.random_range(0..argument.classes.len());
        let samples = &argument.classes[values].samples;
        (Some(values), samples[rng.random_range(0..samples.len())].clone())
    }

    #[test]
    fn java_does_what_the_description_says() {
        const CLASSES: u64 = 40;
        const SCRIPTS: usize = 40;
        let jdk = match jdk() {
            Ok(jdk) => jdk,
            Err(problem) => return eprintln!("NOT RUN: a JDK is needed: {problem}"),
        };
        let work = tempfile::tempdir().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut expected = Vec::new();
        let mut sources = Vec::new();
        let mut driver = format!(
            "package {PACKAGE};\npublic class Driver {{\n    public static void main(String[] none) {{\n"
        );
        for seed in 0..CLASSES {
            let protocol = draw(seed, &Kind::all());
            sources.push((protocol.name.clone(), source(&protocol)));
            let mut java = format!(
                "package {PACKAGE};\n\nimport java.util.List;\nimport {PACKAGE}.{}.*;\n\nclass Drive{seed} {{\n",
                protocol.name
            );
            for number in 0..SCRIPTS {
                let (script, says) = script(&protocol, number, &mut rng);
                java += &script;
                expected.push(says);
                driver += &format!("        Drive{seed}.script{number}();\n");
            }
            sources.push((format!("Drive{seed}"), java + "}\n"));
        }
        sources.push(("Driver".to_owned(), driver + "    }\n}\n"));
        let classes = compile(&jdk, &sources, work.path()).unwrap();
        let output = Command::new(jdk.join("bin/java"))
            .arg("-cp")
            .arg(&classes)
            .arg(format!("{PACKAGE}.Driver"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        for (said, expected) in said.lines().zip(&expected) {
            if said != expected {
                let class = said.split(' ').next().unwrap();
                let file = work.path().join(format!("src/{PACKAGE}/{class}.java"));
                panic!("{said}\n{expected}\n{}", fs::read_to_string(file).unwrap());
            }
        }
        assert_eq!(said.lines().count(), expected.len());
    }
}
