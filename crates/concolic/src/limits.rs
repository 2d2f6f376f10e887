//! Every limit of the interpreter and of the exploration, with its reason.
//!
//! A limit that is reached gives [`Unknown`](crate::Unknown), never a yes or a no.

/// Limits of one execution, and of the exploration of all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterpreterLimits {
    /// The most instructions of one call, everything that it calls included.
    pub steps: u32,
    /// The most calls inside one another, which bounds recursion.
    pub depth: usize,
    /// The most fields and array elements that a component may allocate in its life.
    pub words: usize,
    /// The most paths through one call, or through one sequence of calls.
    pub paths: usize,
    /// The most undecided branches on one path, which bounds how often a loop on a parameter is unrolled.
    pub branches: usize,
    /// The longest array whose elements are joined into one expression when the index is not known. In a
    /// longer one, every index is a path.
    pub joined_elements: u32,
    /// The largest size or index that is not known and is tried one by one, from zero on.
    pub pinned: i64,
    /// The length of an array may depend on inputs. Where states are compared by their shapes it must not,
    /// and is tried one by one.
    pub open_lengths: bool,
    /// The most shapes that the state of one component may have.
    pub shapes: usize,
    /// The most questions of one operation that the solver may leave unanswered before it is asked no more.
    pub unanswered: usize,
}

impl InterpreterLimits {
    /// The limits that suit components of ordinary size.
    pub const USUAL: InterpreterLimits = InterpreterLimits {
        // A loop over a table of a million entries ends; one that never does costs a few milliseconds.
        steps: 1_000_000,
        // HotSpot's default stack holds some ten thousand frames; nothing but recursion needs a hundred.
        depth: 200,
        // Eight bytes each: components that are worth learning have some dozens.
        words: 100_000,
        // The largest method of the literature's components has 37 paths.
        paths: 600,
        // A loop over the bits of an `int` needs 32 branches, one over those of a `long` 64.
        branches: 80,
        // Expressions grow with this, and every use of an element repeats them.
        joined_elements: 32,
        // Each is a path, and as the length of an array a shape with summaries of its own.
        pinned: 4,
        open_lengths: false,
        // A linked list has one for each length, and no end; components of the literature have one.
        shapes: 24,
        // Each costs the whole patience of the solver, and the next is probably as hard.
        unanswered: 2,
    };
}
