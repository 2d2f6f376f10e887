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
//! | `classes` | opening a class path for those who read classes without a machine |
//! | `host`, `process`, `boxes` | the coordinator: batches, the watchdog, replacing workers; one worker process; its folder |
//! | `worker`, `play` | the worker: its loop; running a script |
//! | `resolve`, `known` | finding methods and types; the machine's own classes |
//! | `argument`, `function` | making arguments; classes for functions |
//! | `fields`, `sizes` | looking into objects; how large collections are |
//! | `descriptors`, `fresh` | what a script left open; static state that begins anew |
//! | `vm` | creating HotSpot and calling through its function table |
//! | `agent`, `watch`, `probes` | the tool interface of the machine; which fields a call touches; which branches a script takes |
//! | `record` | the calls of a class while its tests, or an application, run |
//! | `sandbox` | what a worker can no longer do, and what the kernel could not promise |
//! | `message`, `scripts`, `wire`, `shared` | what the two sides say to each other, as bytes |
//! | `doctor` | what was found on this machine |
//!
//! Workers need Linux. Decision record 0005 says why HotSpot is hosted this way.
#![expect(unsafe_code, reason = "the virtual machine and the sandbox are reached through C interfaces only")]

mod agent;
mod argument;
mod boxes;
pub mod classes;
mod descriptors;
pub mod doctor;
mod error;
mod fields;
pub mod find;
mod fresh;
mod function;
mod host;
mod known;
mod message;
mod play;
mod probes;
mod process;
pub mod record;
mod resolve;
mod sandbox;
mod scripts;
mod shared;
mod sizes;
mod stillness;
pub mod vm;
mod watch;
mod wire;
pub mod worker;

pub use classes::ClassesError;
pub use error::HostError;
pub use find::{Jdk, JdkError};
pub use host::{Host, HostOptions, Limits, Profile};
pub use probes::hits;
pub use sandbox::{Protection, Sandbox};
