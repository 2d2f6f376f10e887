//! The call graph of a program.

use std::collections::{BTreeMap, BTreeSet};

use crate::instruction::{Call, Instruction};
use crate::pool::MemberRef;
use crate::program::{MethodId, Program, Targets};

/// The calls that some methods may make, directly or through others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// For each analyzed method, the methods that its calls may reach.
    ///
    /// The body of a lambda counts as called where the lambda is created, because its later callers are
    /// unknown.
    pub callees: BTreeMap<MethodId, BTreeSet<MethodId>>,
    /// For each analyzed method, its calls with unknown targets: methods outside the program, or lambdas
    /// created elsewhere.
    pub unknown: BTreeMap<MethodId, BTreeSet<MemberRef>>,
    /// Methods that are reached but were not analyzed because of the limit.
    pub beyond: BTreeSet<MethodId>,
}

/// Returns the call graph of everything that `roots` may reach, of at most `most` methods.
pub fn call_graph(program: &Program<'_>, roots: &[MethodId], most: usize) -> CallGraph {
    call_graph_of(program, roots, most, &|_, _| true)
}

/// Returns the call graph of the calls that `counts`.
pub(crate) fn call_graph_of(
    program: &Program<'_>,
    roots: &[MethodId],
    most: usize,
    counts: &dyn Fn(Call, &MemberRef) -> bool,
) -> CallGraph {
    let mut graph = CallGraph::default();
    let mut open: BTreeSet<MethodId> = roots.iter().cloned().collect();
    while let Some(id) = open.pop_first() {
        if graph.callees.contains_key(&id) {
            continue;
        }
        if graph.callees.len() >= most {
            graph.beyond.insert(id);
            continue;
        }
        let (callees, unknown) = callees(program, &id, counts);
        open.extend(callees.iter().filter(|callee| !graph.callees.contains_key(callee)).cloned());
        graph.callees.insert(id.clone(), callees);
        if !unknown.is_empty() {
            graph.unknown.insert(id, unknown);
        }
    }
    graph
}

/// Returns the methods that the calls of one method may reach, and its calls with unknown targets.
fn callees(
    program: &Program<'_>,
    id: &MethodId,
    counts: &dyn Fn(Call, &MemberRef) -> bool,
) -> (BTreeSet<MethodId>, BTreeSet<MemberRef>) {
    let (mut found, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    let class = program.class(&id.class);
    let method = class.as_ref().and_then(|class| class.method(&id.name, &id.descriptor));
    let Some(code) = method.and_then(|method| method.code.as_ref()) else { return (found, unknown) };
    let mut add = |call: Call, member: &MemberRef| match program.targets(&id.class, call, member) {
        Targets::Known(targets) => found.extend(targets),
        Targets::Lambda(targets) => {
            found.extend(targets);
            unknown.insert(member.clone());
        }
        Targets::Unresolved => drop(unknown.insert(member.clone())),
    };
    for (_, instruction) in &code.instructions {
        match instruction {
            Instruction::Invoke(call, member) if counts(*call, member) => add(*call, member),
            Instruction::InvokeDynamic(site) => {
                for handle in site.handles.iter().filter(|handle| handle.descriptor.starts_with('(')) {
                    // A handle may refer to an overridden method as well as to a static one.
                    let resolved = program.resolve(&handle.class, &handle.name, &handle.descriptor);
                    let call = match resolved {
                        Some((_, method)) if method.is_static() => Call::Static,
                        Some((_, method)) if method.is_constructor() => Call::Special,
                        _ => Call::Virtual,
                    };
                    add(call, handle);
                }
            }
            _ => {}
        }
    }
    (found, unknown)
}
