//! One graph, its algebra and its formats. Generic in the label: nothing here knows what a method is.
//!
//! [`Fsa`] is the one graph type: nondeterministic automata, deterministic ones, prefix trees and modal
//! transition systems are all an `Fsa`; what differs is how they are made and which operation is asked of
//! them.

pub mod compare;
mod count;
mod determinize;
pub mod format;
mod graph;
mod languages;
pub mod layout;
mod merge;
mod minimize;
mod not_explored;
mod prefix_tree;
mod product;
mod reader;
mod simulation;
#[cfg(test)]
mod testing;
mod walk;

pub use determinize::TooLarge;
pub use graph::{Builder, Edge, Fsa, Modality, State, Step};
pub use merge::merge_while;
pub use not_explored::NOT_EXPLORED;
pub use reader::{Follower, Reader, Traversed};
