//! State that two methods share: do they touch a common place that one of them writes?
//!
//! The answer over-approximates, like the [effects](crate::effects) it is made of. Two methods without shared
//! state can change places in any program; two methods with shared state perhaps cannot. Effects that cannot
//! be seen in bytecode (native methods, files, sockets, the clock) count as shared.
//!
//! Paper: [temari, section VI-B] proposes a static check of shared state and tries a purity analysis.
//! Cost: that of the effects; each method is analyzed once.

use std::collections::BTreeSet;
use std::fmt;

use crate::abstraction::{self, Callees, Origins, Summary};
use crate::calls::call_graph_of;
use crate::effects::{Doubt, Effects, Place};
use crate::instruction::Call;
use crate::pool::MemberRef;
use crate::program::{MethodId, Program, Targets};

/// Answer about two methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They touch no common place that one of them writes.
    Apart,
    /// They touch this place, which at least one of them writes.
    Shared(Place),
    /// One of them does something that bytecode does not show.
    Doubtful(Doubt),
    /// One of them has no code here.
    Missing(MethodId),
}

/// Part of a sentence about two methods.
impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Apart => write!(f, "share no state that one of them changes"),
            Self::Shared(place) => write!(f, "share {place}"),
            Self::Doubtful(doubt) => write!(f, "may share state: one of them {doubt}"),
            Self::Missing(method) => write!(f, "may share state: {method} has no code on the class path"),
        }
    }
}

/// Tells what two methods with these effects share. A place that both touch is a better answer than a doubt.
pub fn sharing_of(one: &Effects, other: &Effects) -> Sharing {
    let common = |writes: &BTreeSet<Place>, touched: &BTreeSet<Place>| {
        let overlaps = |place: &&Place| touched.iter().any(|known| place.what.overlaps(&known.what));
        // The fields of the object itself tell a reader most.
        writes.iter().find(overlaps).cloned()
    };
    let shared = common(&one.writes, &other.reads)
        .or_else(|| common(&other.writes, &one.reads))
        .or_else(|| common(&one.writes, &other.writes));
    match (shared, one.doubts.iter().chain(&other.doubts).next()) {
        (Some(place), _) => Sharing::Shared(place),
        (None, Some(doubt)) => Sharing::Doubtful(doubt.clone()),
        (None, None) => Sharing::Apart,
    }
}

/// Tells whether `caller` may call one of `callees` itself, directly or through others; `None` if more
/// methods are reached than `most`. Where the first method of a pair calls the second, exchanging them breaks
/// nothing and shows nothing: the paper calls such pairs “no break, pass”.
///
/// A virtual call of a method of `Object` does not count. Every text that is put together calls `toString` on
/// something, and so every method would seem to call every `toString`.
pub fn calls(program: &Program<'_>, caller: &MethodId, callees: &[MethodId], most: usize) -> Option<bool> {
    let counts =
        |call: Call, member: &MemberRef| call != Call::Virtual || &*member.class != "java/lang/Object";
    let graph = call_graph_of(program, std::slice::from_ref(caller), most, &counts);
    if graph.callees.values().any(|reached| callees.iter().any(|callee| reached.contains(callee))) {
        return Some(true);
    }
    graph.beyond.is_empty().then_some(false)
}

/// Tells whether `caller`, a method of objects of `class`, calls one of `callees` on its own object, directly
/// or through other methods of the object; at most `most` of them are read. Unlike [`calls`], this tells
/// objects apart: a stream that writes to another stream does not call its own `write`. Calls through an
/// object to which `this` was handed are not seen.
pub fn calls_on_itself(
    program: &Program<'_>,
    class: &str,
    caller: &MethodId,
    callees: &[MethodId],
    most: usize,
) -> bool {
    let (mut open, mut read) = (vec![caller.clone()], BTreeSet::new());
    while let Some(next) = open.pop() {
        if read.len() >= most || !read.insert(next.clone()) {
            continue;
        }
        let found = program.class(&next.class);
        let Some(method) = found.as_ref().and_then(|found| found.method(&next.name, &next.descriptor)) else {
            continue;
        };
        let mut own = OwnCalls::default();
        abstraction::interpret(program, &next, method, Summary::default(), 1, &mut own);
        for (call, member) in own.0 {
            // A virtual call on this object leads to what its class has.
            let target = match call {
                Call::Special => match program.targets(&next.class, call, &member) {
                    Targets::Known(targets) => targets.into_iter().next(),
                    Targets::Lambda(_) | Targets::Unresolved => None,
                },
                _ => program
                    .resolve(class, &member.name, &member.descriptor)
                    .map(|(owner, _)| MethodId::new(&owner.name, &member.name, &member.descriptor)),
            };
            match target {
                Some(target) if callees.contains(&target) => return true,
                target => open.extend(target),
            }
        }
    }
    false
}

/// The calls of one method on its own object.
#[derive(Default)]
struct OwnCalls(BTreeSet<(Call, MemberRef)>);

impl Callees for OwnCalls {
    fn summary(&mut self, _: &MethodId) -> Summary {
        Summary::harmless(Origins::ELSEWHERE)
    }

    fn is_assumed_pure(&self, _: &MethodId) -> bool {
        false
    }

    fn called(&mut self, call: Call, member: &MemberRef, receiver: Origins) {
        if receiver == Origins::THIS {
            self.0.insert((call, member.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::{Holder, What};

    fn effects(reads: &[&str], writes: &[&str], doubts: &[Doubt]) -> Effects {
        let places = |names: &[&str]| {
            let field = |name: &&str| What::Field { class: "a/Box".into(), name: (*name).into() };
            names.iter().map(|name| Place { holder: Holder::This, what: field(name) }).collect()
        };
        let doubts = doubts.iter().cloned().collect();
        Effects { reads: places(reads), writes: places(writes), doubts }
    }

    fn check(one: &Effects, other: &Effects, expected: &str) {
        assert_eq!(sharing_of(one, other).to_string(), expected);
        let shares = sharing_of(one, other) != Sharing::Apart;
        assert_eq!(shares, !one.independent(other), "the definition of independence agrees");
    }

    #[test]
    fn a_common_place_needs_a_writer() {
        let (set, get) = (effects(&[], &["value"], &[]), effects(&["value"], &[], &[]));
        let other = effects(&["name"], &["name"], &[]);
        let native = effects(&[], &[], &[Doubt::TooLarge]);
        check(&set, &get, "share this a.Box.value");
        check(&get, &set, "share this a.Box.value");
        check(&set, &set, "share this a.Box.value");
        check(&get, &get, "share no state that one of them changes");
        check(&other, &set, "share no state that one of them changes");
        check(&native, &get, "may share state: one of them reaches more methods than the limit");
    }
}
