//! `adit mine --all`: every public class of a jar or folder, each in a process and a folder of its own.
//!
//! A class under attack may exhaust memory or the disk; a process of its own takes nothing else with it. What
//! became of a class is stored in its folder as soon as it is known, so a run that was killed goes on with
//! the classes that have nothing there. The class that was being mined when it happened has a campaign, which
//! its process continues. Several machines can mine different classes, and their folders be put together.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use adit_bytecode::{Class, ClassPath, Flags};
use adit_suggest::nearest;
use miette::Report;
use serde_json::{Value, json};

use super::super::requests::{cores, folder_name};
use super::NO_TIME;
use crate::budget::Budget;
use crate::errors::{Ending, bad_input};
use crate::flags::{MineFlags, mine as defaults};
use crate::input::missing;
use crate::interrupt;
use crate::output::{Target, counted, create_folder, model_size, print, print_json};
use crate::report;
use crate::report::index::{INDEX, campaigns_below, index};
use crate::results;
use crate::results::every_class::{ClassOutcome, EveryClass, Outcome};
use crate::stderr::tell;

/// Exit code of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A class to mine.
struct Task {
    /// Name with dots, and `$` before a nested name.
    class: String,
    made_from: String,
    /// The outcome, if the class file alone tells it.
    known: Option<Outcome>,
}

/// Mines all classes.
pub(super) fn run(flags: &MineFlags, quiet: bool) -> Result<Ending, Report> {
    let source = PathBuf::from(&flags.class.class);
    let folder = flags.output.clone().unwrap_or_else(|| default_folder(&source));
    let tasks = tasks(flags, &source)?;
    if flags.fresh && folder.join(<EveryClass as results::ResultFile>::NAME).exists() {
        return Err(bad_input(
            format!(
                "{} holds an earlier run, and --fresh does not apply to a folder of campaigns",
                folder.display()
            ),
            "name another folder with -o, or remove this one",
        ));
    }
    check_names(&flags.only_class, &tasks)?;
    let mut done =
        EveryClass { source: flags.class.class.clone(), all: tasks.len(), ..EveryClass::default() };
    let mut left: VecDeque<&Task> = VecDeque::new();
    for task in &tasks {
        // One that cannot be read is written again.
        let earlier: Option<ClassOutcome> =
            results::read(&folder.join(folder_name(&task.class))).ok().flatten();
        match (earlier, &task.known) {
            // A class that has changed since, or was mined in another way, is not done.
            (Some(earlier), _) if earlier.made_from == task.made_from => {
                done.classes.insert(task.class.clone(), earlier);
            }
            (_, Some(outcome)) => {
                done.classes.insert(task.class.clone(), task.ended(outcome.clone(), Duration::ZERO));
            }
            (_, None) => left.push_back(task),
        }
    }
    if flags.list {
        let names: Vec<&str> = left.iter().map(|task| task.class.as_str()).collect();
        match flags.json {
            true => print_json(&json!({ "source": done.source, "all": done.all, "left": names }))?,
            false => print(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?,
        }
        return Ok(Ending::Clean);
    }
    if !flags.only_class.is_empty() {
        left.retain(|task| flags.only_class.iter().any(|name| is_named(task, name)));
    }
    create_folder(&folder)?;
    if !quiet {
        let known = done.classes.len();
        let before = if known > 0 { format!(", {known} of them known already") } else { String::new() };
        tell(&format!("{}: {}{before}", source.display(), counted(tasks.len(), "public class")));
        if let Some(most) = longest(flags, left.len()) {
            tell(&format!("mining {} takes about {most}", counted(left.len(), "class")));
        }
    }
    results::write(&folder, &done)?;
    let listening = interrupt::Listening::new();
    interrupt::farewell("interrupted; the same command goes on with the classes that are left".to_owned());
    mine_all(flags, &source, &folder, left, &mut done, quiet)?;
    let campaigns = campaigns_below(&folder);
    let page = folder.join(INDEX);
    report::put(&Target::File(page.clone()), &index(&folder, &campaigns)?)?;
    if flags.json {
        let answer = as_json(&done, &page);
        print_json(&answer)?;
    } else {
        print(&in_words(&done, &page))?;
    }
    if listening.interrupted() && !quiet {
        tell(&format!("{} left; the same command goes on", counted(done.all - done.classes.len(), "class")));
    }
    Ok(Ending::Clean)
}

/// The time that mining so many classes takes if each needs its whole budget.
fn longest(flags: &MineFlags, classes: usize) -> Option<String> {
    let Budget::Time(each) = budget(flags) else { return None };
    let seconds = each.as_secs_f64() * classes.div_ceil(cores()) as f64;
    match seconds {
        ..60.0 => None,
        60.0..7200.0 => Some(format!("{:.0} min", seconds / 60.0)),
        _ => Some(format!("{:.1} h", seconds / 3600.0)),
    }
}

/// Tells whether a user may mean this class, whose nested name may be written with a dot.
fn is_named(task: &Task, name: &str) -> bool {
    task.class == name || task.class.replace('$', ".") == name
}

/// Fails if a name is none of the classes.
fn check_names(names: &[String], tasks: &[Task]) -> Result<(), Report> {
    let unknown = |name: &&String| !tasks.iter().any(|task| is_named(task, name));
    let Some(name) = names.iter().find(unknown) else { return Ok(()) };
    let help = match nearest(name, tasks.iter().map(|task| task.class.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`adit mine --all JAR --list` lists the classes".to_owned(),
    };
    Err(bad_input(format!("--only-class: no public class `{name}`"), help))
}

impl Task {
    fn ended(&self, outcome: Outcome, time: Duration) -> ClassOutcome {
        // Milliseconds are enough, and short.
        let seconds = (time.as_secs_f64() * 1000.0).round() / 1000.0;
        let (made_from, folder) = (self.made_from.clone(), folder_name(&self.class));
        ClassOutcome { made_from, folder, outcome, seconds }
    }
}

fn default_folder(source: &Path) -> PathBuf {
    let name = source.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Path::new("adit-out").join(name.unwrap_or_else(|| "all".to_owned()))
}

/// The public classes of a jar or a folder, in order.
fn tasks(flags: &MineFlags, source: &Path) -> Result<Vec<Task>, Report> {
    if !source.exists() {
        return Err(missing(source));
    }
    let classes = adit_jvm::classes::open(None, &[source.to_owned()])?;
    let mut tasks = Vec::new();
    for name in classes.names() {
        let Some((bytes, _)) = classes.find(&name)? else { continue };
        if name.ends_with("module-info") || name.ends_with("package-info") {
            continue;
        }
        let made_from = digest(&[&bytes, how(flags).as_bytes()]);
        let class = name.replace('/', ".");
        match Class::parse_outline(&bytes, &name) {
            Ok(outline) if is_public(&outline, &classes) || flags.class.non_public => {
                tasks.push(Task { class, made_from, known: known_before(&outline) });
            }
            Ok(_) => {}
            Err(error) => {
                let why = format!("its class file cannot be read: {error}");
                tasks.push(Task { class, made_from, known: Some(Outcome::None { why, help: None }) });
            }
        }
    }
    if tasks.is_empty() {
        return Err(bad_input(
            format!("no public class in {}", source.display()),
            "name a jar, or an output folder of the compiler such as target/classes",
        ));
    }
    Ok(tasks)
}

/// Tells whether other packages may name the class. A nested class is as public as those around it.
fn is_public(class: &Class, classes: &ClassPath) -> bool {
    let Some(nesting) = &class.nesting else { return class.flags.has(Flags::PUBLIC) };
    let Some(outer) = &nesting.outer else { return false };
    let outer = classes.read(outer).ok().flatten();
    nesting.flags.has(Flags::PUBLIC) && outer.is_none_or(|outer| is_public(&outer, classes))
}

/// The outcome for a class that has nothing to run.
fn known_before(class: &Class) -> Option<Outcome> {
    let none = |why: &str| Some(Outcome::None { why: why.to_owned(), help: None });
    if class.flags.has(Flags::ANNOTATION) {
        return none("an annotation: it has nothing to call");
    }
    let callable = |method: &&adit_bytecode::Method| {
        method.flags.has(Flags::PUBLIC) && !method.flags.has(Flags::STATIC) && &*method.name != "<init>"
    };
    let plain = class.superclass.as_deref() == Some("java/lang/Object") && class.interfaces.is_empty();
    if plain && !class.methods.iter().any(|method| callable(&method)) {
        return none("it has no public instance methods: constants or static functions only");
    }
    None
}

/// Everything typed that decides what is found.
fn how(flags: &MineFlags) -> String {
    // By name and size: other machines have the same jars elsewhere.
    let named = |path: PathBuf| {
        let size = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        (path.file_name().map(|name| name.to_string_lossy().into_owned()), size)
    };
    let class_path: Vec<_> =
        flags.class.classpath.iter().flat_map(std::env::split_paths).map(named).collect();
    format!("{:?} {:?} {:?}", arguments(flags, budget(flags)), class_path, env!("CARGO_PKG_VERSION"))
}

/// The budget of a class.
fn budget(flags: &MineFlags) -> Budget {
    flags.generate.budget.unwrap_or(defaults::DEFAULT_BUDGET)
}

/// The flags of the process that mines one class, except where the class is.
fn arguments(flags: &MineFlags, budget: Budget) -> Vec<String> {
    let mut arguments: Vec<String> = vec!["--budget".into(), budget.to_string()];
    for (name, value) in [
        ("--seed", flags.generate.seed.to_string()),
        ("--calls", flags.generate.calls.to_string()),
        ("--workers", flags.generate.workers.unwrap_or(1).to_string()),
        ("--miner", flags.mining.miner.name.to_owned()),
    ] {
        arguments.extend([name.to_owned(), value]);
    }
    for fixture in &flags.generate.fixtures {
        arguments.extend(["--fixtures".to_owned(), fixture.display().to_string()]);
    }
    for (name, on) in [
        ("--non-public", flags.class.non_public),
        ("--unsafe-no-sandbox", flags.class.unsafe_no_sandbox),
        ("--object-methods", flags.generate.object_methods),
        ("--coarse", flags.mining.coarse),
    ] {
        arguments.extend(on.then(|| name.to_owned()));
    }
    arguments
}

/// Mines the classes that are left, as many at a time as there are cores.
fn mine_all(
    flags: &MineFlags,
    source: &Path,
    folder: &Path,
    left: VecDeque<&Task>,
    done: &mut EveryClass,
    quiet: bool,
) -> Result<(), Report> {
    let program = std::env::current_exe().map_err(|error| {
        bad_input(format!("cannot find the program itself: {error}"), "start adit by its full path")
    })?;
    let threads = cores().min(left.len());
    let (left, done) = (Mutex::new(left), Mutex::new(done));
    let failed: Mutex<Option<Report>> = Mutex::new(None);
    let work = || {
        while !interrupt::interrupted() && lock(&failed).is_none() {
            let Some(task) = lock(&left).pop_front() else { return };
            let start = Instant::now();
            match mine_patiently(flags, source, folder, &program, task) {
                Ok(None) => return,
                Ok(Some(outcome)) => {
                    let mut done = lock(&done);
                    let line = shown(&outcome);
                    let ended = task.ended(outcome, start.elapsed());
                    let own = folder.join(&ended.folder);
                    let written = create_folder(&own).and_then(|()| results::write(&own, &ended));
                    done.classes.insert(task.class.clone(), ended);
                    if !quiet {
                        tell(&format!("[{}/{}] {}: {line}", done.classes.len(), done.all, task.class));
                    }
                    if let Err(report) = written.and_then(|()| results::write(folder, &**done)) {
                        *lock(&failed) = Some(report);
                    }
                }
                Err(report) => *lock(&failed) = Some(report),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Factor of the budget for a class that the first one was too short for: a jar has classes that take longer
/// to read than others to explore, and the machine may be busy.
const PATIENCE: u32 = 4;

/// Mines one class, and once more with a larger budget if there was no time to explore it. Returns nothing if
/// it was interrupted.
fn mine_patiently(
    flags: &MineFlags,
    source: &Path,
    folder: &Path,
    program: &Path,
    task: &Task,
) -> Result<Option<Outcome>, Report> {
    let first = mine_one(flags, budget(flags), source, folder, program, task)?;
    match (&first, budget(flags)) {
        (Some(Outcome::None { why, .. }), Budget::Time(time)) if why.ends_with(NO_TIME) => {
            mine_one(flags, Budget::Time(time * PATIENCE), source, folder, program, task)
        }
        _ => Ok(first),
    }
}

/// Mines one class in a process of its own. Returns nothing if it was interrupted.
fn mine_one(
    flags: &MineFlags,
    budget: Budget,
    source: &Path,
    folder: &Path,
    program: &Path,
    task: &Task,
) -> Result<Option<Outcome>, Report> {
    let own = folder.join(folder_name(&task.class));
    let mut command = Command::new(program);
    command.args(["mine", &task.class, "--json", "--quiet", "-o"]).arg(&own).arg("-c").arg(source);
    for entry in &flags.class.classpath {
        command.arg("-c").arg(entry);
    }
    if let Some(jdk) = &flags.class.jdk {
        command.arg("--jdk").arg(jdk);
    }
    command.args(arguments(flags, budget)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = |command: &mut Command| {
        command.output().map_err(|error| {
            bad_input(format!("cannot start `adit mine`: {error}"), "start adit by its full path")
        })
    };
    let mut output = run(&mut command)?;
    // A run that was killed leaves its last processes behind, which finish within their budget.
    for _ in 0..WAITS {
        if output.status.success() || !is_in_use(&output) || interrupt::interrupted() {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
        output = run(&mut command)?;
    }
    // A campaign of other flags, or of a class that has changed since, is moved aside and not continued.
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("--fresh") {
        output = run(command.arg("--fresh"))?;
    }
    if output.status.code() == Some(INTERRUPTED) || interrupt::interrupted() {
        return Ok(None);
    }
    Ok(Some(outcome(&output)))
}

/// Seconds to wait for a process of an earlier run.
const WAITS: usize = 120;

fn is_in_use(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("is in use by")
}

/// Returns the outcome of a class from the output of its process.
fn outcome(output: &Output) -> Outcome {
    let summary: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    if let (true, Some(summary)) = (output.status.success(), summary) {
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let fates = &summary["properties"];
        return Outcome::Model {
            states: number(&summary["states"]),
            transitions: number(&summary["transitions"]),
            properties: number(&fates["survived"]) + number(&fates["not_attacked"]),
            no_protocol: summary["no_protocol"].as_bool().unwrap_or(false),
        };
    }
    let (why, help) = message(&String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        _ if !why.is_empty() => Outcome::None { why, help },
        Some(code) => {
            Outcome::None { why: format!("its process ended with exit code {code} and said nothing"), help }
        }
        None => Outcome::None { why: "its process was killed".to_owned(), help },
    }
}

/// The first error in what a process printed, in one line, and its advice.
fn message(text: &str) -> (String, Option<String>) {
    let (mut why, mut help) = (Vec::new(), Vec::new());
    let mut in_help = false;
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "×│╰─▶├·".contains(c)).trim_end();
        let mut plain = line;
        for prefix in ["error:", "Error:", "no answer:"] {
            plain = plain.strip_prefix(prefix).unwrap_or(plain).trim();
        }
        if let Some(advice) = plain.strip_prefix("help:") {
            in_help = true;
            help.push(advice.trim());
        } else if !plain.is_empty() {
            if in_help { help.push(plain) } else { why.push(plain) }
        }
    }
    (why.join(" "), Some(help.join(" ")).filter(|help| !help.is_empty()))
}

/// An outcome in a few words.
pub(crate) fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Model { no_protocol: true, .. } => "the order of calls does not matter".to_owned(),
        Outcome::Model { states, transitions, .. } => model_size(*states, *transitions, 0),
        Outcome::None { why, .. } => why.clone(),
    }
}

fn as_json(done: &EveryClass, page: &Path) -> Value {
    let classes = done.classes.iter().map(|(class, ended)| {
        let mut row = json!({
            "class": class, "folder": ended.folder, "states": null, "transitions": null, "properties": null,
            "no_protocol": null, "why": null, "help": null, "seconds": ended.seconds,
        });
        match &ended.outcome {
            Outcome::Model { states, transitions, properties, no_protocol } => {
                row["states"] = json!(states);
                row["transitions"] = json!(transitions);
                row["properties"] = json!(properties);
                row["no_protocol"] = json!(no_protocol);
            }
            Outcome::None { why, help } => {
                row["why"] = json!(why);
                row["help"] = json!(help);
            }
        }
        row
    });
    let classes: Vec<Value> = classes.collect();
    json!({ "source": done.source, "all": done.all, "models": done.models(), "page": page, "classes": classes })
}

fn in_words(done: &EveryClass, page: &Path) -> String {
    let with_order = done
        .classes
        .values()
        .filter(|class| matches!(class.outcome, Outcome::Model { no_protocol: false, .. }));
    let mut text = format!(
        "{} of {}: {} with a protocol, {} in which the order of calls does not matter, {} without a model\n",
        done.classes.len(),
        counted(done.all, "public class"),
        with_order.clone().count(),
        done.models() - with_order.count(),
        done.classes.len() - done.models(),
    );
    let _ = writeln!(text, "page: {}", page.display());
    text
}

/// Digest of several parts (64-bit FNV-1a), to notice changes; nobody attacks it.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.iter().chain(&[0xff])) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_and_its_advice_another() {
        let text = "error: no answer: adit could not construct an object of a.B in 12 tests: new B(C) threw\n  NullPointerException 3 times\n  help: supply an object\n  with --fixtures\n";
        let (why, help) = message(text);
        assert_eq!(
            why,
            "adit could not construct an object of a.B in 12 tests: new B(C) threw NullPointerException 3 times"
        );
        assert_eq!(help.as_deref(), Some("supply an object with --fixtures"));
        assert_eq!(message(""), (String::new(), None));
    }

    #[test]
    fn digests_tell_parts_apart() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"ab", b"c"]));
    }
}
