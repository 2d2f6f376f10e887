//! Reproduces the papers' tables through adit's public API. Nothing depends on it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "tables are what this program is for")]

mod campaign;
mod classes;
mod data;
mod defects;
mod dice;
mod dice_miner;
mod examples;
mod krka;
mod learn;
mod left_behind;
mod log_scale;
mod mined_model;
mod models;
mod published;
mod random_protocols;
mod rows;
mod scale;
mod speed;
mod subjects;
mod tautoko;
mod temari;
mod verify_jars;
mod xpsyco;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};
use miette::{IntoDiagnostic, Result};

use crate::campaign::Campaign;
use crate::data::Data;
use crate::dice_miner::Protocol;

/// Reproduces the papers' tables.
#[derive(Parser)]
#[command(version)]
enum Table {
    /// DICE-Miner and k-tail on DSM's and DICE's traces, beside DICE's Tables 1 and 4.
    #[command(after_help = "Example: cargo run --release -p evals -- dice-miner --data DATA")]
    DiceMiner {
        /// The folder that holds `dice/` and `dsm/`.
        #[arg(long)]
        data: PathBuf,
        /// Number of times to draw walks.
        #[arg(long, default_value_t = 20)]
        seeds: u64,
        /// Number of walks to draw from each automaton.
        #[arg(long, default_value_t = 1000)]
        walks: usize,
        /// Largest length of words to count for the exact measure.
        #[arg(long, default_value_t = 10)]
        exact_length: usize,
        /// File for the raw rows.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// k-tail, SEKT, TEMI and CONTRACTOR++ on the published traces, beside Krka's Figure 13.
    #[command(after_help = "Example: cargo run --release -p evals -- krka --data DATA")]
    Krka(krka::Flags),
    /// Every miner on the same recorded runs of the eleven classes.
    #[command(after_help = "Example: cargo run --release -p evals -- miners --data DATA --classes stackar")]
    Miners(dice::miners::Flags),
    /// The built `adit` on the eleven classes, beside DICE's tables. Takes the budget for each class, seed
    /// and setting.
    #[command(
        after_help = "Example: cargo run --release -p evals -- dice --data DATA --seeds 3 --classes stackar,hashset"
    )]
    Dice {
        /// The folder that holds `dice/`.
        #[arg(long)]
        data: PathBuf,
        /// Table of the paper; 1 is 2 and 4 as well.
        #[arg(long, value_enum, default_value = "1")]
        table: dice::Which,
        #[command(flatten)]
        program: Program,
        /// The folder with our Java sources.
        #[arg(long, default_value = "subjects")]
        subjects: PathBuf,
        /// Number of models to mine of each class.
        #[arg(long, default_value_t = 20)]
        seeds: u64,
        /// Budget of `adit mine` for a model.
        #[arg(long, default_value = "10s")]
        budget: String,
        /// Number of walks to draw from each automaton.
        #[arg(long, default_value_t = 1000)]
        walks: usize,
        /// Number of seeds whose model is also measured against the class itself [default: all].
        #[arg(long)]
        validated: Option<u64>,
        /// Only these columns of the table, such as `explore`.
        #[arg(long, value_delimiter = ',')]
        ways: Vec<String>,
        /// Only these classes, named as the data files are.
        #[arg(long, value_delimiter = ',')]
        classes: Vec<String>,
        /// File for the raw rows.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// Number of properties that the paper's pipeline refutes over time, as a picture.
    #[command(after_help = "Example: cargo run --release -p evals -- over-time --out refuted.svg")]
    OverTime {
        #[command(flatten)]
        calls: Calls,
        /// The folder with our Java sources.
        #[arg(long, default_value = "subjects")]
        subjects: PathBuf,
        /// The SVG file.
        #[arg(long)]
        out: PathBuf,
    },
    /// Ten classes outside the benchmark: mined, validated, drawn.
    #[command(after_help = "Example: cargo run --release -p evals -- examples --out docs/examples")]
    Examples {
        #[command(flatten)]
        calls: Calls,
        /// The folder for the page and its pictures.
        #[arg(long)]
        out: PathBuf,
    },
    /// Speed of mining properties and inferring models, as ratios to baselines measured in the same run.
    #[command(after_help = "Example: cargo run --release -p evals -- speed --data DATA")]
    Speed {
        /// The folder that holds `dsm/`.
        #[arg(long)]
        data: PathBuf,
        /// Length of the synthetic log.
        #[arg(long, default_value_t = 100_000_000)]
        events: u64,
    },
    /// A campaign of a million traces: seconds and memory of every command on it, and what keeping costs.
    #[command(after_help = "Example: cargo run --release -p evals -- campaign-scale")]
    CampaignScale {
        #[command(flatten)]
        program: Program,
        /// Number of distinct traces.
        #[arg(long, default_value_t = 1_000_000)]
        traces: usize,
        /// Seed of the random numbers.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds for each way of mining whose cost of storing the campaign is measured; 0 skips that.
        #[arg(long, default_value_t = 5)]
        seconds: u64,
    },
    /// A log of a hundred million events: the same answer from CSV, Parquet and merged parts; seconds and
    /// memory.
    #[command(after_help = "Example: cargo run --release -p evals -- log-scale --data DATA")]
    LogScale(log_scale::Flags),
    /// Many generated scripts over many classes of the JDK: what becomes of them, and whether anything is
    /// left behind.
    #[command(after_help = "Example: cargo run --release -p evals -- campaign --scripts 200000")]
    Campaign {
        /// Number of scripts, over all classes.
        #[arg(long, default_value_t = 200_000)]
        scripts: u64,
        /// Number of further scripts with `-Xcheck:jni`.
        #[arg(long, default_value_t = 20_000)]
        checked: u64,
        /// The classes, if not those chosen here.
        #[arg(long, value_delimiter = ',')]
        classes: Vec<String>,
        /// Seed of the random numbers.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Random protocol classes whose language is known: how many of their models are exactly right.
    #[command(
        after_help = "Example: cargo run --release -p evals -- random-protocols --seeds 0..20 --json rows.json"
    )]
    RandomProtocols(random_protocols::Flags),
    /// Protocol classes of the JDK and of Debian's jars: mined with all methods, then validated.
    #[command(
        after_help = "Example: cargo run --release -p evals -- classes --only java.util.Scanner --json rows.json"
    )]
    Classes(classes::Flags),
    /// Interfaces with guards of the seven components, beside Tables 1 and 2 of the X-PSYCO paper.
    #[command(
        after_help = "Example: cargo run --release -p evals -- xpsyco --seconds 60 --components Stream,CEV"
    )]
    Xpsyco(xpsyco::Flags),
    /// Random Mealy machines, learned by adit's learners and by AALpy's.
    #[command(
        after_help = "Example: cargo run --release -p evals -- learn --machines 1 --python venv/bin/python"
    )]
    Learn(learn::Flags),
    /// The typestates that adit ships: mined, validated, written to `models/`.
    #[command(after_help = "Example: cargo run --release -p evals -- models --only java.util.Iterator")]
    Models(models::Flags),
    /// Seeded defects in clients, found with models of several kinds, beside Tables 5 and 6 of the TAUTOKO
    /// paper.
    #[command(
        after_help = "Example: cargo run --release -p evals -- defects --only Archiver --json rows.json"
    )]
    Defects(defects::Flags),
    /// `adit verify` with the shipped models over real jars, as a ratio to parsing them in the same run.
    #[command(after_help = "Example: cargo run --release -p evals -- verify-jars /usr/share/java/ant.jar")]
    VerifyJars(verify_jars::Flags),
    /// Typestates of six classes, enriched by mutants of their tests, beside Tables 2 and 3 of the TAUTOKO
    /// paper.
    #[command(after_help = "Example: cargo run --release -p evals -- tautoko --only LoginModule")]
    Tautoko(tautoko::Flags),
    /// Constraints of models, answered beside SPIN, as in the TEMARI paper.
    #[command(after_help = "Example: cargo run --release -p evals -- temari")]
    Temari(temari::Flags),
}

/// The program to measure.
#[derive(Args)]
struct Program {
    /// The program to measure [default: `adit` beside this program].
    #[arg(long)]
    adit: Option<PathBuf>,
}

impl Program {
    fn path(&self) -> Result<PathBuf> {
        match &self.adit {
            Some(adit) => Ok(adit.clone()),
            None => Ok(std::env::current_exe().into_diagnostic()?.with_file_name("adit")),
        }
    }
}

/// Calls of the program, the same for every class.
#[derive(Args)]
struct Calls {
    #[command(flatten)]
    program: Program,
    /// Budget of each command for a class.
    #[arg(long, default_value = "10s")]
    budget: String,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> Result<ExitCode> {
    // A worker must have one thread when it enters its sandbox, so this comes before anything else.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == campaign::WORKER) {
        return Ok(adit_jvm::worker::main(arguments));
    }
    match Table::parse() {
        Table::DiceMiner { data, seeds, walks, exact_length, json } => {
            dice_miner::run(&Data(data), Protocol { seeds, walks, exact_length }, json.as_deref())?;
        }
        Table::OverTime { calls: Calls { program, budget, seed }, subjects, out } => {
            let work = tempfile::tempdir().into_diagnostic()?;
            let adit =
                dice::Adit { program: program.path()?, subjects, work: work.path().to_owned(), budget };
            dice::over_time::run(&adit, seed, &out)?;
        }
        Table::Examples { calls: Calls { program, budget, seed }, out } => {
            examples::run(&program.path()?, &budget, seed, &out)?;
        }
        Table::Speed { data, events } => speed::run(&Data(data), events)?,
        Table::CampaignScale { program, traces, seed, seconds } => {
            scale::run(&scale::Scale { adit: program.path()?, traces, seed, seconds })?;
        }
        Table::LogScale(flags) => log_scale::run(&flags)?,
        Table::Krka(flags) => krka::run(&flags)?,
        Table::Miners(flags) => dice::miners::run(&flags)?,
        Table::Classes(flags) => classes::run(&flags)?,
        Table::Xpsyco(flags) => xpsyco::run(&flags)?,
        Table::Learn(flags) => learn::run(&flags)?,
        Table::Models(flags) => models::run(flags)?,
        Table::Defects(flags) => defects::run(&flags)?,
        Table::VerifyJars(flags) => verify_jars::run(&flags)?,
        Table::Tautoko(flags) => tautoko::run(&flags)?,
        Table::Temari(flags) => temari::run(&flags)?,
        Table::RandomProtocols(flags) => random_protocols::run(&flags)?,
        Table::Campaign { scripts, checked, classes, seed } => {
            return campaign::run(&Campaign { scripts, checked, classes, seed });
        }
        Table::Dice {
            data,
            table: which,
            program,
            subjects,
            seeds,
            budget,
            walks,
            validated,
            ways,
            classes,
            json,
        } => {
            let (validated, adit) = (validated.unwrap_or(seeds), program.path()?);
            let plan =
                dice::Plan { which, seeds, validated, walks, budget, adit, subjects, classes, ways, json };
            dice::run(&Data(data), &plan)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
