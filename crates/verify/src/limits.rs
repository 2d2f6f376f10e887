//! Every limit of the verifier, with its reason. A method beyond a limit is reported as not analyzed; no
//! limit turns into a finding.

/// Largest number of states of a typestate: sets of states are bits of a `u128`.
pub const MOST_STATES: usize = 128;

/// The effort for one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Situations ([`crate::world::World`]) that a block is entered with before they are joined into one.
    pub(crate) worlds: usize,
    /// Calls are followed this deep into methods of the program.
    pub(crate) depth: usize,
    /// Abstract instructions, followed calls included.
    pub(crate) steps: usize,
}

/// A method is analyzed with the first effort, and with the next one if its steps run out: less is told
/// apart, so that fewer steps do. Helpers that open, use and close an object are rarely nested deeper than
/// four calls, and most blocks have fewer than ten situations. A method that exhausts all three is given up.
pub(crate) const EFFORTS: [Effort; 3] = [
    Effort { worlds: 24, depth: DEPTH, steps: 20_000 },
    Effort { worlds: 3, depth: 2, steps: 15_000 },
    Effort { worlds: 1, depth: 1, steps: 15_000 },
];

/// Calls of methods of its own class through which a method may mention a class with a typestate.
pub(crate) const DEPTH: usize = 4;

/// Instructions of a method that is followed into. Longer ones are called as if their code were unknown.
pub(crate) const INLINED_LENGTH: usize = 1_500;

/// Instructions of a method that is analyzed at all. The class file format allows 65,535 bytes.
pub(crate) const LENGTH: usize = 40_000;

/// Objects that a situation distinguishes. Beyond it the situation forgets its heap.
pub(crate) const OBJECTS: usize = 48;

/// Summaries of called methods that are kept. They are forgotten together when there are more.
pub(crate) const SUMMARIES: usize = 20_000;

/// Events of a path that a finding shows at most: the first and the last ones.
pub(crate) const PATH: usize = 24;
