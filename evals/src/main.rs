//! Reproduces the papers' tables through adit's public API. Nothing depends on it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "tables are what this program is for")]

mod data;
mod dice_miner;
mod published;
mod speed;
mod subjects;

use std::path::PathBuf;

use clap::Parser;
use miette::Result;

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
        /// How many times to draw walks.
        #[arg(long, default_value_t = 20)]
        seeds: u64,
        /// How many walks to draw from each automaton.
        #[arg(long, default_value_t = 1000)]
        walks: usize,
        /// Up to which length to count words for the exact measure.
        #[arg(long, default_value_t = 10)]
        exact_length: usize,
        /// Where to write the raw rows.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// How fast properties are mined and models inferred, as ratios to baselines measured in the same run.
    #[command(after_help = "Example: cargo run --release -p evals -- speed --data DATA")]
    Speed {
        /// The folder that holds `dsm/`.
        #[arg(long)]
        data: PathBuf,
        /// How long the synthetic log is.
        #[arg(long, default_value_t = 100_000_000)]
        events: u64,
    },
}

fn main() -> Result<()> {
    match Table::parse() {
        Table::DiceMiner { data, seeds, walks, exact_length, json } => {
            dice_miner::run(&Data(data), Protocol { seeds, walks, exact_length }, json.as_deref())
        }
        Table::Speed { data, events } => speed::run(&Data(data), events),
    }
}
