//! Class files: read, analyze, splice.
//!
//! A [`ClassPath`] of folders, jars and a JDK's own modules gives a [`Class`], read completely and without a JVM. A
//! [`Program`] is a closed set of classes, in which [`calls`] are followed; [`effects`] says what a method may read and
//! write, [`purity`] whether it only looks, [`Constants`] which values are worth trying on it. [`splice`] makes the calls
//! of a class go through a hook, [`wrap`] puts a witness around its methods, [`probe`] notes which branches are taken.
//!
//! Nothing is opened here: the caller hands in readers and bytes.
//!
//! ```
//! use adit_bytecode::splice::Hook;
//! use adit_bytecode::{ClassPath, Folder};
//!
//! let hook = Hook { class: "adit/Hook".into(), flag: "on".into(), method: "call".into() };
//! let files = [("adit/Hook.class".to_owned(), hook.class_file())].into();
//! let path = ClassPath::new(vec![Box::new(Folder::in_memory("memory", files))]);
//! assert_eq!(path.class("adit.Hook")?.methods[0].signature().parameters.len(), 3);
//! assert!(path.class("adit.Hok").is_err_and(|error| error.to_string().contains("no class adit.Hok")));
//! # Ok::<(), adit_bytecode::ClassError>(())
//! ```

mod abstraction;
pub mod calls;
mod class;
mod code;
mod constants;
mod cursor;
pub mod dependence;
mod descriptor;
pub mod effects;
mod error;
pub mod flow;
mod frames;
mod growth;
mod instruction;
mod known;
mod modules;
mod pool;
pub mod probe;
mod program;
pub mod purity;
mod references;
mod relocate;
mod source;
pub mod splice;
mod trampoline;
pub mod version;
pub mod wrap;

pub use class::{Class, Field, Flags, Method, Nesting};
pub use code::{Code, Handler, Variable};
pub use constants::Constants;
pub use descriptor::{Signature, Type};
pub use error::ClassError;
pub use instruction::{Call, Condition, Element, Instruction, Kind, Operator, Relation, StackMove};
pub use modules::Modules;
pub use pool::{CallSiteSpec, Constant, MemberRef};
pub use program::{MethodId, Program, Targets};
pub use references::{class_references, refers_to};
pub use source::{ClassPath, ClassSource, Folder, Jar};
