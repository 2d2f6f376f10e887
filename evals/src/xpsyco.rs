//! Interfaces of the seven components, beside Tables 1 and 2 of the X-PSYCO paper, and proved for every
//! depth.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use adit_concolic::{InterpreterLimits, summarize};
use adit_jvm::find::{Places, USUAL, find};
use adit_learn::regions::Regions;
use adit_learn::symbolic::Analysis;
use adit_learn::x_psyco::{Execution, Matching, Options, x_psyco};
use adit_smt::{COMMANDS, Frugal, Patience, Process};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;

/// Time for the solver to answer one question.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sequences in memory: about a gigabyte.
const MOST_SEQUENCES: usize = 20_000_000;

#[derive(Args)]
pub(crate) struct Flags {
    /// The folder with our Java sources.
    #[arg(long, default_value = "subjects")]
    subjects: PathBuf,
    /// Seconds for each component and mode; the paper used an hour.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Only these components, such as `Stream,CEV`.
    #[arg(long, value_delimiter = ',')]
    components: Vec<String>,
    /// Only these modes: baseline, por, matching, both, psyco, proof.
    #[arg(long, value_delimiter = ',')]
    modes: Vec<String>,
    /// File for the raw rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A row of the paper's tables.
struct Published {
    class: &'static str,
    methods: usize,
    /// `k_min`, `k_max`, symbols and states in the four modes of Table 1; a star marks a complete
    /// exploration.
    modes: [(&'static str, usize, usize); 4],
    /// The same for Table 2.
    psyco: (&'static str, usize, usize),
}

/// Tables 1 and 2.
const PUBLISHED: [Published; 7] = [
    Published {
        class: "AltBit",
        methods: 3,
        modes: [("4/291", 6, 6), ("4/298", 6, 6), ("4/296", 6, 6), ("4/293", 6, 6)],
        psyco: ("4/35", 6, 6),
    },
    Published {
        class: "Stream",
        methods: 5,
        modes: [("1/11", 6, 4), ("1/24", 6, 4), ("1/12", 6, 4), ("1/54", 6, 4)],
        psyco: ("2/8", 6, 4),
    },
    Published {
        class: "Signature",
        methods: 6,
        modes: [("1/10", 6, 5), ("1/11", 6, 5), ("1/2*", 6, 5), ("1/2*", 6, 5)],
        psyco: ("2/7", 6, 5),
    },
    Published {
        class: "IntMath",
        methods: 8,
        modes: [("1/8", 9, 3), ("1/16", 9, 3), ("1/1*", 9, 3), ("1/1*", 9, 3)],
        psyco: ("1/1", 9, 3),
    },
    Published {
        class: "AccMeter",
        methods: 9,
        modes: [("2/6", 12, 8), ("2/7", 12, 8), ("2/6", 12, 8), ("2/7", 12, 8)],
        psyco: ("2/5", 12, 8),
    },
    Published {
        class: "CEV",
        methods: 19,
        modes: [("4/4", 25, 15), ("4/5", 25, 15), ("5/15", 27, 34), ("5/16", 27, 34)],
        psyco: ("3/3", 24, 9),
    },
    Published {
        class: "Socket",
        methods: 51,
        modes: [("2/3", 60, 42), ("2/4", 60, 42), ("2/4", 60, 42), ("2/4", 60, 42)],
        psyco: ("2/2", 60, 42),
    },
];

/// A way to learn.
struct Mode {
    name: &'static str,
    partial_order: bool,
    matching: Matching,
    execution: Execution,
    proof: bool,
}

const MODES: [Mode; 6] = [
    Mode {
        name: "baseline",
        partial_order: false,
        matching: Matching::Off,
        execution: Execution::Hybrid,
        proof: false,
    },
    Mode {
        name: "por",
        partial_order: true,
        matching: Matching::Off,
        execution: Execution::Hybrid,
        proof: false,
    },
    Mode {
        name: "matching",
        partial_order: false,
        matching: Matching::Concrete,
        execution: Execution::Hybrid,
        proof: false,
    },
    Mode {
        name: "both",
        partial_order: true,
        matching: Matching::Concrete,
        execution: Execution::Hybrid,
        proof: false,
    },
    Mode {
        name: "psyco",
        partial_order: false,
        matching: Matching::Off,
        execution: Execution::Symbolic,
        proof: false,
    },
    Mode {
        name: "proof",
        partial_order: true,
        matching: Matching::Symbolic,
        execution: Execution::Hybrid,
        proof: true,
    },
];

/// A measurement.
#[derive(Serialize)]
struct Row {
    class: &'static str,
    mode: &'static str,
    methods: usize,
    symbols: usize,
    states: usize,
    k_min: usize,
    k_max: usize,
    complete: bool,
    stop: String,
    obligations: usize,
    discharged: usize,
    seconds: f64,
    calls: u64,
    sequences: u64,
    questions: u64,
    solver_calls: u64,
}

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let places = Places {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        path: std::env::var_os("PATH"),
        usual: USUAL.map(PathBuf::from).to_vec(),
    };
    let jdk = find(&places)?;
    let classes = tempfile::tempdir().into_diagnostic()?;
    let sources: Vec<PathBuf> =
        PUBLISHED.iter().map(|row| flags.subjects.join(format!("interfaces/{}.java", row.class))).collect();
    compile(&jdk.home, &sources, classes.path())?;
    let path = adit_jvm::classes::open(Some(&jdk), &[classes.path().to_owned()])
        .map_err(|error| miette!("{error}"))?;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let program = COMMANDS
        .iter()
        .flat_map(|name| std::env::split_paths(&folders).map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| miette!("there is no solver; install z3 or cvc5"))?;
    let mut rows: Vec<Row> = Vec::new();
    for published in &PUBLISHED {
        if !flags.components.is_empty() && !flags.components.iter().any(|name| name == published.class) {
            continue;
        }
        for mode in &MODES {
            if !flags.modes.is_empty() && !flags.modes.iter().any(|name| name == mode.name) {
                continue;
            }
            let start = Instant::now();
            let mut solver = Frugal::new(Regions::new(Process::new(program.clone(), Patience(PATIENCE))));
            let component =
                summarize(&path, published.class, InterpreterLimits::USUAL, &mut solver, &mut || true)
                    .map_err(|error| miette!("{}: {error}", published.class))?;
            let methods = component.methods.len();
            let mut analysis = Analysis::new(component.slice(), &mut solver);
            let options = Options {
                partial_order: mode.partial_order,
                matching: mode.matching,
                execution: mode.execution,
                depth: mode.proof.then_some(2),
                symbols: 400,
                nodes: MOST_SEQUENCES,
                certify: mode.proof,
            };
            let budget = Duration::from_secs(flags.seconds);
            let interface = x_psyco(&mut analysis, options, &mut || start.elapsed() < budget);
            let work = analysis.work;
            let certificate = interface.certificate.as_ref();
            let row = Row {
                class: published.class,
                mode: mode.name,
                methods,
                symbols: interface.symbols.len(),
                states: interface.lts.len(),
                k_min: interface.k_min,
                k_max: interface.k_max,
                complete: interface.complete,
                stop: format!("{:?}", interface.stop),
                obligations: certificate.map_or(0, |certificate| certificate.obligations.len()),
                discharged: certificate.map_or(0, |certificate| certificate.discharged()),
                seconds: start.elapsed().as_secs_f64(),
                calls: work.calls,
                sequences: work.sequences,
                questions: work.questions,
                solver_calls: solver.counters().solver_calls,
            };
            println!("{}", line(&row, published));
            rows.push(row);
        }
    }
    println!("\n{}", summary(&rows));
    if let Some(file) = &flags.json {
        let text = serde_json::to_string_pretty(&rows).into_diagnostic()?;
        std::fs::write(file, text).into_diagnostic()?;
    }
    Ok(())
}

/// A measurement beside the paper's.
fn line(row: &Row, published: &Published) -> String {
    let theirs = MODES[..4]
        .iter()
        .position(|mode| mode.name == row.mode)
        .map(|at| published.modes[at])
        .or((row.mode == "psyco").then_some(published.psyco));
    let mut text = format!(
        "{:<10} {:<9} |M| {:>2} ({:>2})  k {:>8}  |αM| {:>2}  |Q| {:>2}",
        row.class,
        row.mode,
        row.methods,
        published.methods,
        format!("{}/{}{}", row.k_min, row.k_max, if row.complete { "*" } else { "" }),
        row.symbols,
        row.states
    );
    if let Some((depth, symbols, states)) = theirs {
        let _ = write!(text, "   paper: k {depth:>6}  |αM| {symbols:>2}  |Q| {states:>2}");
    }
    if row.obligations > 0 {
        let _ = write!(text, "   {} of {} obligations discharged", row.discharged, row.obligations);
    }
    let _ = write!(
        text,
        "   {:.1} s, {} ({:.2} M calls/s, {} solver calls)",
        row.seconds,
        row.stop,
        row.calls as f64 / row.seconds / 1e6,
        row.solver_calls
    );
    text
}

/// Hybrid against all-symbolic: sequences of paths per second in the same run.
fn summary(rows: &[Row]) -> String {
    let mut text = String::from("Sequences per second, hybrid (baseline) against all-symbolic (PSYCO):\n");
    for baseline in rows.iter().filter(|row| row.mode == "baseline") {
        let Some(psyco) = rows.iter().find(|row| row.mode == "psyco" && row.class == baseline.class) else {
            continue;
        };
        let rate = |row: &Row| row.sequences as f64 / row.seconds;
        let _ = writeln!(
            text,
            "{:<10} {:>12.0} / {:>9.0} = {:.1}",
            baseline.class,
            rate(baseline),
            rate(psyco),
            rate(baseline) / rate(psyco)
        );
    }
    text
}

fn compile(jdk: &Path, sources: &[PathBuf], into: &Path) -> Result<()> {
    let output = Command::new(jdk.join("bin/javac"))
        .args(["-g", "-d"])
        .arg(into)
        .args(sources)
        .output()
        .into_diagnostic()?;
    if !output.status.success() {
        return Err(miette!("javac failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}
