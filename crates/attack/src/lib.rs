//! What a class can be asked, scripts that ask it, and what the answers refute.
//!
//! [`Api`] says what can be called on a class, [`Supply`] where the values come from that the calls need, and a
//! [`Generator`] makes random scripts of both; [`edit`] changes scripts, [`java`] writes them as Java. [`purity`] and
//! [`effects`] learn from runs what single methods do. [`prepare`] is the way in.
//!
//! Nothing here runs a script. A [`Subject`](adit_trace::Subject) does, and where one is needed it is handed in.

mod api;
pub mod edit;
pub mod effects;
mod error;
mod generate;
pub mod java;
mod makers;
mod prepare;
pub mod purity;
mod supply;
mod values;
mod vary;

pub use api::{Api, ApiOptions, Operation};
pub use error::ApiError;
pub use generate::{Generator, GeneratorOptions};
pub use prepare::{prepare, prepare_in, worth_reading};
pub use supply::{Recipe, Supply};
