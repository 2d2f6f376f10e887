//! Java classes under control: HotSpot in worker processes that cannot hurt the user.
//!
//! Code under attack exits, hangs, exhausts memory and deletes files. So it runs in a worker, which is the same binary
//! started again ([`worker::main`]), shut into a sandbox before the virtual machine is created. The [`Host`] in the
//! coordinator sends scripts, watches the clock, replaces workers that die or hang, names the script that did it, and
//! keeps the results of all others. It is the [`Subject`](adit_trace::Subject) that every algorithm knows.
//!
//! | file | what it tells |
//! |---|---|
//! | `find` | where the JDK is, and whether it is one that can be hosted |
//! | `host`, `process` | the coordinator: batches, the watchdog, replacing workers; one worker process |
//! | `worker`, `play`, `resolve`, `fields` | the worker: its loop; running a script; finding methods; looking into objects |
//! | `vm` | creating HotSpot and calling through its function table |
//! | `sandbox` | what a worker can no longer do, and what the kernel could not promise |
//! | `message`, `wire`, `shared` | what the two sides say to each other, as bytes |
//! | `doctor` | what was found on this machine |
//!
//! Workers need Linux. Decision record 0005 says why HotSpot is hosted this way.
#![expect(unsafe_code, reason = "the virtual machine and the sandbox are reached through C interfaces only")]

pub mod doctor;
mod error;
mod fields;
pub mod find;
mod host;
mod message;
mod play;
mod process;
mod resolve;
mod sandbox;
mod shared;
pub mod vm;
mod wire;
pub mod worker;

pub use error::HostError;
pub use find::{Jdk, JdkError};
pub use host::{Host, HostOptions, Limits};
pub use sandbox::{Protection, Sandbox};
