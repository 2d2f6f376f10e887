//! A worker and nothing else: what tests and benchmarks start in place of the whole `adit`.

use std::process::ExitCode;

fn main() -> ExitCode {
    adit_jvm::worker::main(std::env::args_os().skip(1))
}
