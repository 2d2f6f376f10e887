//! Class files: reading, analysis and rewriting.
//!
//! | to | use |
//! |---|---|
//! | read classes without a JVM | [`ClassPath`] of folders, jars and a JDK's own modules, [`Class`] |
//! | analyze a closed set of classes | [`Program`], [`calls`], [`effects`] |
//! | analyze a method | [`flow`], [`dependence`], [`Constants`] |
//! | find the arguments that other code passes | [`Callers`], [`call_sites`] |
//! | write a class that implements an interface | [`Stub`] |
//! | send calls through a hook | [`splice`] |
//! | put a witness around methods | [`wrap`] |
//! | record branch coverage | [`probe`] |
//!
//! This crate opens no files: the caller passes in readers and bytes.
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
mod call_sites;
mod callers;
pub mod calls;
mod class;
mod code;
mod constants;
mod cursor;
pub mod dependence;
mod descriptor;
pub mod effects;
pub mod emit;
mod error;
pub mod flow;
mod frames;
mod generic;
mod growth;
mod instruction;
mod known;
mod layout;
mod modules;
pub mod mutate;
pub mod overloads;
mod pool;
pub mod probe;
mod program;
mod references;
mod relocate;
pub mod sharing;
mod source;
pub mod splice;
mod stub;
mod trampoline;
pub mod version;
pub mod wrap;

pub use call_sites::{Passed, call_sites};
pub use callers::{CallerCache, Callers, NoCache};
pub use class::{Class, Field, Flags, Method, Nesting};
pub use code::{Code, Handler, Variable};
pub use constants::Constants;
pub use descriptor::{Signature, Type};
pub use error::{ClassError, RewriteError};
pub use generic::{GenericType, generic_method, method_variables, type_variables};
pub use instruction::{Call, Condition, Element, Instruction, Kind, Operator, Relation, StackMove};
pub use modules::Modules;
pub use pool::{CallSiteSpec, Constant, MemberRef};
pub use program::{MethodId, Program, Targets};
pub use references::{mentions_any, reachable_classes, refers_to};
pub use source::{ClassPath, ClassSource, Folder, Jar, Stamped};
pub use stub::{Stub, StubMethod};
