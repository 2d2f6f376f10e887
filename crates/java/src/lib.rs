//! The Java side of a search: the calls that a class offers, values for their parameters, and scripts as Java
//! source.
//!
//! [`Api`] lists what can be called on a class, [`Supply`] the ways to get values for the parameters, and a
//! [`Generator`] writes random scripts from both: it is the [`Author`](adit_trace::Author) of the searches.
//! [`source`] writes scripts as JUnit tests. [`prepare`] is the way in.
//!
//! Class files are read by `bytecode`; nothing here runs a script.

mod api;
mod dear;
mod error;
mod event_names;
mod factories;
mod gaps;
mod generate;
mod given;
mod guards;
mod makers;
mod passed;
mod pool;
mod prepare;
mod proven;
mod ranges;
mod recent;
mod sites;
pub mod source;
mod statics;
mod stubs;
mod supply;
mod texts;
mod values;
mod vary;
mod weights;

pub use api::{Api, ApiOptions, Lack, Operation, callable};
pub use error::ApiError;
pub use event_names::RecordedNames;
pub use gaps::NeverReturned;
pub use generate::{Generator, GeneratorOptions};
pub use prepare::{prepare, prepare_in, prepare_with, worth_reading};
pub use sites::Sites;
pub use statics::may_keep_static_state;
pub use supply::{Recipe, Supply};
pub use texts::TextKinds;
