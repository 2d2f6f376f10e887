//! Every limit of the verifier, with its reason. A method beyond a limit is reported as not analyzed; no
//! limit turns into a finding.

/// Largest number of states of a typestate: sets of states are bits of a `u128`.
pub const MOST_STATES: usize = 128;

/// Calls are followed this deep into methods of the program. Helpers that open, use and close an object are
/// rarely nested deeper, and every level multiplies the work.
pub(crate) const DEPTH: usize = 4;

/// Instructions of a method that is followed into. Longer ones are called as if their code were unknown.
pub(crate) const INLINED_LENGTH: usize = 1_500;

/// Situations ([`crate::world::World`]) that a block is entered with before they are joined into one. Most
/// blocks have fewer than ten.
pub(crate) const WORLDS: usize = 24;

/// Abstract instructions for one method, followed calls included. With 400,000, a few methods of real jars
/// took most of the time of a run, and were given up in the end.
pub(crate) const STEPS: usize = 40_000;

/// Instructions of a method that is analyzed at all. The class file format allows 65,535 bytes.
pub(crate) const LENGTH: usize = 40_000;

/// Objects that a situation distinguishes. Beyond it the situation forgets its heap.
pub(crate) const OBJECTS: usize = 48;

/// Summaries of called methods that are kept. They are forgotten together when there are more.
pub(crate) const SUMMARIES: usize = 20_000;

/// Events of a path that a finding shows at most: the first and the last ones.
pub(crate) const PATH: usize = 24;
