//! Java classes under control: HotSpot in worker processes that cannot harm the user.
//!
//! Code under attack exits, hangs, exhausts memory and deletes files. So it runs in a worker: the same
//! binary, started again ([`worker::main`]), which enters a sandbox before it creates the JVM. The [`Host`]
//! in the coordinator sends scripts, watches the clock, replaces workers that die or hang, identifies the
//! script that caused it, and keeps the results of all others. It implements
//! [`Subject`](adit_trace::Subject), the only interface that algorithms know.
//!
//! | file | contents |
//! |---|---|
//! | `find` | finding a JDK that can be hosted |
//! | `classes` | opening a class path to read classes without a JVM |
//! | `host` | the coordinator: batches, the watchdog, replacing workers |
//! | `process`, `worker_folder` | one worker process; its folder |
//! | `script_limit` | the time that a script has |
//! | `static_watch` | detecting static state that leaks from script to script |
//! | `worker`, `play` | the worker: its loop; running a script |
//! | `resolve`, `known` | resolving methods and types; the JDK's own classes |
//! | `argument`, `function`, `stub` | building arguments; classes for functions and for abstract classes |
//! | `fields`, `sizes` | snapshots of objects; sizes of collections |
//! | `reach` | digests of what an object leads to |
//! | `descriptors`, `fresh` | files that a script left open; fresh static state |
//! | `threads` | waiting for threads of scripts, and ending them |
//! | `watchdog`, `stillness` | ending calls that block; detecting an idle process |
//! | `vm` | creating HotSpot and calling it through JNI |
//! | `agent` | the JVM tool interface |
//! | `watch`, `probes` | fields that a call touches; branches that a script takes |
//! | `record` | recording the calls of a class while tests, or an application, run |
//! | `sandbox` | the restrictions of a worker, and those that the kernel does not support |
//! | `launch` | the launcher of an adapter, in the same sandbox |
//! | `message`, `scripts`, `results` | the protocol between coordinator and worker |
//! | `wire`, `shared` | its form as bytes; the memory that it passes through |
//! | `doctor` | examination of this machine |
//!
//! Workers need Linux. Decision record 0005 gives the reasons for hosting HotSpot this way.
#![expect(unsafe_code, reason = "the virtual machine and the sandbox are reached through C interfaces only")]

mod agent;
mod argument;
pub mod classes;
mod descriptors;
pub mod doctor;
mod error;
mod fields;
pub mod find;
mod fresh;
mod function;
mod host;
mod iteration;
mod known;
mod lanes;
pub mod launch;
mod message;
mod play;
mod probes;
mod process;
mod reach;
pub mod record;
mod resolve;
mod results;
mod sandbox;
mod script_limit;
mod scripts;
mod shared;
mod sizes;
mod static_watch;
mod stillness;
mod stub;
mod tasks;
mod threads;
pub mod vm;
mod watch;
mod watchdog;
mod wire;
pub mod worker;
mod worker_folder;

pub use classes::ClassesError;
pub use error::HostError;
pub use find::{Jdk, JdkError};
pub use host::{Host, HostOptions, Limits, Profile};
pub use probes::hits;
pub use sandbox::{Protection, Sandbox};
