//! Reasons for which an execution has no answer.

use std::fmt;
use std::sync::Arc;

/// The reason for which an execution could not be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// An instruction that is not supported, by its name.
    Instruction(Arc<str>),
    /// A native method without a model.
    Native(Arc<str>),
    /// A class that is not on the class path, or cannot be read.
    MissingClass(Arc<str>),
    /// A field or method that its class does not have.
    MissingMember(Arc<str>),
    /// The code does not verify: what it does is undefined.
    Unverified(Arc<str>),
    /// One call took more instructions than the limit.
    StepLimit,
    /// More calls were inside one another than the limit.
    DepthLimit,
    /// The component allocated more than the limit.
    HeapLimit,
    /// A path has more undecided branches than the limit.
    BranchLimit,
    /// There are more paths than the limit.
    PathLimit,
    /// The course depends on something that is not represented, such as a floating-point number made of a
    /// parameter.
    Opaque(Arc<str>),
    /// A method or field of an object that the component did not allocate.
    Outside(Arc<str>),
    /// The initializer of a class ended with an exception.
    Initializer(Arc<str>),
    /// The budget ended before the path was explored.
    Budget,
    /// The state has more shapes than the limit.
    ShapeLimit,
    /// The solver gave no answer.
    Solver(Arc<str>),
}

/// Part of a sentence: “unknown, because it …”.
impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Instruction(name) => write!(f, "executes `{name}`, which is not supported"),
            Unknown::Native(method) => write!(f, "calls `{method}`, which is native"),
            Unknown::MissingClass(class) => write!(f, "needs `{class}`, which is not on the class path"),
            Unknown::MissingMember(member) => write!(f, "uses `{member}`, which does not exist"),
            Unknown::Unverified(method) => write!(f, "calls `{method}`, whose code does not verify"),
            Unknown::StepLimit => f.write_str("executes more instructions than the limit"),
            Unknown::DepthLimit => f.write_str("calls deeper than the limit"),
            Unknown::HeapLimit => f.write_str("allocates more than the limit"),
            Unknown::BranchLimit => f.write_str("has more undecided branches on one path than the limit"),
            Unknown::PathLimit => f.write_str("has more paths than the limit"),
            Unknown::Opaque(what) => write!(f, "depends on {what}"),
            Unknown::Outside(what) => write!(f, "uses {what} of an object from outside"),
            Unknown::Initializer(class) => write!(f, "needs `{class}`, whose initializer throws"),
            Unknown::Budget => f.write_str("has paths for which there was no time"),
            Unknown::ShapeLimit => f.write_str("gives the object more shapes than the limit"),
            Unknown::Solver(reason) => write!(f, "asks the solver in vain: {reason}"),
        }
    }
}
