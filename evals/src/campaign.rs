//! A campaign: many generated scripts over many classes of the JDK, and whether anything of it is left
//! behind.
//!
//! It asks of the host what no single test can: that it survives whatever fifty classes do when they are
//! called at random, that no worker hangs, and that processes, descriptors and folders are all gone when it
//! is over. A second pass, with HotSpot's own check of every call through JNI, looks for mistakes that happen
//! to do no harm.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use adit_bytecode::Program;
use adit_bytecode::overloads::Overloads;
use adit_java::{ApiOptions, Generator, GeneratorOptions, prepare_in, source, worth_reading};
use adit_jvm::find::{Places, USUAL, find};
use adit_jvm::{Host, HostOptions, Jdk, classes};
use adit_trace::{Author, End, Run, Script, StepResult, Subject};
use miette::{IntoDiagnostic, Result, WrapErr, bail};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::left_behind::Belongings;
use crate::subjects::JDK_CLASSES;

/// First argument of a worker, not meant for users.
pub(crate) const WORKER: &str = "--adit-worker";

/// Size of a campaign, and its classes.
pub(crate) struct Campaign {
    /// Number of scripts, over all classes.
    pub(crate) scripts: u64,
    /// Number of scripts in the pass with `-Xcheck:jni`.
    pub(crate) checked: u64,
    /// The classes; those of [`JDK_CLASSES`] if none are named.
    pub(crate) classes: Vec<String>,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
}

/// Number of methods that a script calls.
const CALLS: usize = 10;

/// The time for one script. Waiting is what many of these classes are for, and each wait costs this long.
const SCRIPT: Duration = Duration::from_millis(150);

/// The same with `-Xcheck:jni`, which makes everything slower.
const SCRIPT_CHECKED: Duration = Duration::from_millis(600);

/// After so many scripts that hung, a class has shown what it can do.
const HANGS: u64 = 100;

/// A worker is replaced after so many scripts, so that replacing is part of what is tried.
const RECYCLE: u64 = 1500;

/// Number of scripts that are made before the generator learns from their runs.
const ROUNDS: std::ops::RangeInclusive<usize> = 8..=1000;

/// A round that is faster than this is followed by a larger one, and one that takes four times as long by a
/// smaller one.
const ROUND: Duration = Duration::from_millis(300);

/// Number of scripts to show that killed their worker.
const DEATHS_SHOWN: usize = 10;

/// Runs the campaign and prints what came of it. Anything that went wrong shows in the exit code.
pub(crate) fn run(campaign: &Campaign) -> Result<ExitCode> {
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let jdk = find(&places)?;
    let names: Vec<&str> = if campaign.classes.is_empty() {
        JDK_CLASSES.to_vec()
    } else {
        campaign.classes.iter().map(String::as_str).collect()
    };
    let path = classes::open(Some(&jdk), &[])?;
    let open = worth_reading(&path.names());
    if let Some(unknown) = names.iter().find(|name| !open.contains(&name.replace('.', "/"))) {
        bail!("{unknown} is no class of the JDK in {}", jdk.home.display());
    }
    let program = Program::new(&path, open.iter().map(String::as_str));
    let folder = tempfile::Builder::new().prefix("adit-campaign-").tempdir().into_diagnostic()?;
    let boxes = folder.path().join("boxes");
    fs::create_dir(&boxes).into_diagnostic()?;
    let mut stage = Stage { jdk, program, boxes, said: folder.path().join("said"), seed: campaign.seed };
    println!("JDK {}, seed {}, {} classes\n", stage.jdk.version, campaign.seed, names.len());
    let before = Belongings::count(&stage.boxes)?;
    let plain = stage.pass(&names, campaign.scripts, Check::Off)?;
    let after_plain = Belongings::count(&stage.boxes)?;
    plain.print("Generated scripts");
    println!("\nLeft behind: {}.\n", after_plain.beyond(&before));
    let checked = stage.pass(&names, campaign.checked, Check::On)?;
    let after_checked = Belongings::count(&stage.boxes)?;
    checked.print("With -Xcheck:jni");
    println!("\nLeft behind: {}.", after_checked.beyond(&before));
    let clean = plain.troubles.is_empty() && checked.troubles.is_empty();
    let nothing_left = after_plain == before && after_checked == before;
    println!("\n{}", if clean && nothing_left { "All is well." } else { "NOT well; see above." });
    Ok(if clean && nothing_left { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// HotSpot's check of each call through JNI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Off,
    On,
}

/// Parts shared by all classes.
struct Stage<'p> {
    jdk: Jdk,
    program: Program<'p>,
    boxes: PathBuf,
    /// The file for what workers print while their calls are checked.
    said: PathBuf,
    seed: u64,
}

/// Results for all classes.
#[derive(Default)]
struct Pass {
    rows: Vec<Row>,
    /// Scripts that killed their worker, as Java.
    deaths: Vec<String>,
    deaths_in_all: u64,
    troubles: Vec<String>,
}

/// Results for one class.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    class: String,
    scripts: u64,
    seconds: f64,
    calls: u64,
    threw: u64,
    skipped: u64,
    unresolved: u64,
    timed_out: u64,
    died: u64,
    oversized: u64,
    /// It hung so often that it was left.
    left: bool,
}

impl Stage<'_> {
    /// Runs so many scripts over the classes. What a class does not use of its share falls to those after it.
    fn pass(&mut self, classes: &[&str], scripts: u64, check: Check) -> Result<Pass> {
        let mut pass = Pass::default();
        let mut left = scripts;
        for (at, class) in classes.iter().enumerate() {
            let share = left.div_ceil((classes.len() - at) as u64);
            let mut row = Row { class: (*class).to_owned(), ..Row::default() };
            if let Err(error) = self.class(&mut row, share, check, &mut pass) {
                pass.troubles.push(format!("{class} could not be run: {error:?}"));
            }
            eprintln!("{class}: {} scripts in {:.1} s", row.scripts, row.seconds);
            left -= row.scripts;
            if check == Check::On {
                self.listen(class, row.scripts, &mut pass.troubles)?;
            }
            pass.rows.push(row);
        }
        if left > 0 {
            pass.troubles.push(format!("{left} scripts of {scripts} were not run"));
        }
        Ok(pass)
    }

    fn class(&self, row: &mut Row, scripts: u64, check: Check, pass: &mut Pass) -> Result<()> {
        let options = ApiOptions {
            non_public: false,
            object_methods: true,
            only: None,
            without: BTreeSet::new(),
            fixtures: Vec::new(),
            overloads: Overloads::Merged,
        };
        let (api, supply) = prepare_in(&self.program, &row.class, &options)?;
        let habits = GeneratorOptions { reuse: 0.5, second_object: 0.2, longest: 400 };
        let mut generator = Generator::new(&api, supply, habits);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let begin = Instant::now();
        let mut host = Host::new(self.host(check)?)?;
        let mut round = *ROUNDS.start();
        while row.scripts < scripts && !row.left {
            let size = usize::try_from(scripts - row.scripts).unwrap_or(usize::MAX).min(round);
            let batch: Vec<Script> = (0..size).map(|_| generator.script(&mut rng, CALLS)).collect();
            let before = Instant::now();
            let runs = host.run(&batch)?;
            if runs.len() != batch.len() {
                bail!("{} scripts have {} runs", batch.len(), runs.len());
            }
            for (script, run) in batch.iter().zip(&runs) {
                generator.observe(script, run);
                row.add(run);
                if let End::Died { how } = &run.end {
                    pass.deaths_in_all += 1;
                    if pass.deaths.len() < DEATHS_SHOWN {
                        let lines = source::body(script, None, generator.facts()).lines;
                        pass.deaths.push(format!("{how}:\n    {}", lines.join("\n    ")));
                    }
                }
            }
            row.left = row.timed_out >= HANGS;
            let taken = before.elapsed();
            if taken < ROUND {
                round = (round * 2).min(*ROUNDS.end());
            } else if taken > ROUND * 4 {
                round = (round / 2).max(*ROUNDS.start());
            }
        }
        drop(host);
        row.seconds = begin.elapsed().as_secs_f64();
        Ok(())
    }

    fn host(&self, check: Check) -> Result<HostOptions> {
        let program = std::env::current_exe().into_diagnostic().wrap_err("where is this program?")?;
        let mut options = HostOptions::new(program, vec![WORKER.into()], self.jdk.clone());
        options.boxes.clone_from(&self.boxes);
        options.workers = 2;
        options.snapshots = true;
        options.limits.batch = 100;
        options.limits.recycle_after = RECYCLE;
        options.limits.script = SCRIPT;
        if check == Check::On {
            options.limits.script = SCRIPT_CHECKED;
            // The list of flags shows that the check was on.
            options.machine_flags = vec!["-Xcheck:jni".to_owned(), "-XX:+PrintFlagsFinal".to_owned()];
            let wrapped = format!("exec \"$0\" \"$@\" >>'{}' 2>&1", self.said.display());
            let program = std::mem::replace(&mut options.program, "/bin/sh".into());
            options.arguments.splice(0..0, ["-c".into(), wrapped.into(), program.into()]);
        }
        Ok(options)
    }

    /// Looks for complaints in what workers printed.
    fn listen(&self, class: &str, scripts: u64, troubles: &mut Vec<String>) -> Result<()> {
        let complaints = complaints(&self.said).into_diagnostic().wrap_err("what workers printed")?;
        match complaints {
            None if scripts > 0 => troubles.push(format!("{class}: calls were not checked")),
            None => {}
            Some(lines) => troubles.extend(lines.iter().map(|line| format!("{class}: {line}"))),
        }
        if self.said.exists() {
            fs::remove_file(&self.said).into_diagnostic()?;
        }
        Ok(())
    }
}

/// The lines in which the check complains, each with the one after it, which says where; nothing if it was
/// not on.
fn complaints(said: &Path) -> std::io::Result<Option<Vec<String>>> {
    if !said.exists() {
        return Ok(None);
    }
    let mut reader = BufReader::new(fs::File::open(said)?);
    let (mut line, mut on, mut found) = (Vec::new(), false, BTreeSet::new());
    let mut last: Option<String> = None;
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        line.clear();
        if let Some(complaint) = last.take() {
            found.insert(format!("{complaint} | {text}"));
        }
        on |= text.contains(" CheckJNICalls ") && text.contains("= true");
        if text.contains("WARNING") || text.contains("FATAL") {
            last = Some(text);
        }
    }
    found.extend(last);
    Ok(on.then(|| found.into_iter().collect()))
}

impl Row {
    fn add(&mut self, run: &Run) {
        self.scripts += 1;
        for step in &run.steps {
            match &step.result {
                StepResult::Returned(_) | StepResult::Object { .. } => self.calls += 1,
                StepResult::Threw { .. } => {
                    self.calls += 1;
                    self.threw += 1;
                }
                StepResult::Unresolved { .. } => self.unresolved += 1,
                StepResult::Skipped(_) => self.skipped += 1,
            }
        }
        match &run.end {
            End::TimedOut | End::Looped => self.timed_out += 1,
            End::Died { .. } => self.died += 1,
            End::Oversized => self.oversized += 1,
            _ => {}
        }
    }

    fn join(mut self, other: &Row) -> Row {
        self.scripts += other.scripts;
        self.seconds += other.seconds;
        self.calls += other.calls;
        self.threw += other.threw;
        self.skipped += other.skipped;
        self.unresolved += other.unresolved;
        self.timed_out += other.timed_out;
        self.died += other.died;
        self.oversized += other.oversized;
        self
    }

    fn line(&self) -> String {
        format!(
            "| {}{} | {} | {:.0} | {} | {} | {} | {} | {} | {} | {} |",
            self.class,
            if self.left { " (left)" } else { "" },
            self.scripts,
            self.scripts as f64 / self.seconds.max(0.001),
            self.calls,
            self.threw,
            self.skipped,
            self.unresolved,
            self.timed_out,
            self.died,
            self.oversized,
        )
    }
}

impl Pass {
    fn print(&self, title: &str) {
        println!("## {title}\n");
        println!(
            "| class | scripts | scripts/s | calls | threw | skipped | unresolved | timed out | died | oversized |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for row in &self.rows {
            println!("{}", row.line());
        }
        let all = self.rows.iter().fold(Row { class: "**all**".to_owned(), ..Row::default() }, Row::join);
        println!("{}", all.line());
        if self.deaths_in_all > 0 {
            println!("\n{} scripts killed their worker, the first of them:\n", self.deaths_in_all);
            self.deaths.iter().for_each(|death| println!("- {death}"));
        }
        for trouble in &self.troubles {
            println!("\nTROUBLE: {trouble}");
        }
    }
}
