//! The control-flow graph of a method.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::code::Code;
use crate::instruction::Instruction;

/// A basic block: instructions that are entered only at the first and left only at the last, exceptions
/// aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Offset of its first instruction.
    pub start: u32,
    /// Its instructions, as indices into [`Code::instructions`].
    pub instructions: Range<usize>,
    /// Possible successors: first the following block, if execution may fall through, then jump targets.
    pub next: Vec<usize>,
    /// Blocks of the exception handlers, in the order in which they are tried.
    pub handlers: Vec<usize>,
}

/// Returns the blocks of a method in the order of their offsets. The method begins with the first.
///
/// The end of an old subroutine (`ret`) may lead behind every call of a subroutine.
///
/// Returns `None` if the method has so many handlers that the graph would not fit into memory; no compiler
/// produces that.
pub fn blocks(code: &Code) -> Option<Vec<Block>> {
    let count = code.instructions.len();
    let mut starts: BTreeSet<usize> = BTreeSet::from([0]);
    let mut behind_subroutines = BTreeSet::new();
    for (index, (_, instruction)) in code.instructions.iter().enumerate() {
        let targets = instruction.targets();
        if !targets.is_empty() || !instruction.falls_through() {
            starts.insert(index + 1);
        }
        starts.extend(targets.into_iter().filter_map(|target| code.index_at(target)));
        if matches!(instruction, Instruction::Jsr(_)) {
            behind_subroutines.insert(index + 1);
        }
    }
    // A block lies in a handler's range completely or not at all.
    for handler in &code.handlers {
        starts
            .extend([handler.start, handler.end, handler.target].iter().filter_map(|&at| code.index_at(at)));
    }
    starts.retain(|&start| start < count);
    if starts.len() * code.handlers.len() > MOST_HANDLED {
        return None;
    }
    let number: BTreeMap<usize, usize> =
        starts.iter().enumerate().map(|(number, &start)| (start, number)).collect();
    let starts: Vec<usize> = starts.into_iter().collect();
    let at = |target: u32| code.index_at(target).and_then(|index| number.get(&index).copied());
    let ends = starts.iter().skip(1).copied().chain([count]);
    let blocks = starts
        .iter()
        .zip(ends)
        .filter(|&(&start, end)| start < end)
        .map(|(&start, end)| {
            let (first, last) = (code.instructions[start].0, &code.instructions[end - 1].1);
            let behind = if last.falls_through() { number.get(&end).copied() } else { None };
            let mut next: Vec<usize> = behind.into_iter().collect();
            let jumps = match last {
                Instruction::Ret(_) => {
                    behind_subroutines.iter().filter_map(|index| number.get(index).copied()).collect()
                }
                last => last.targets().into_iter().filter_map(at).collect::<BTreeSet<usize>>(),
            };
            next.extend(jumps.into_iter().filter(|&to| Some(to) != behind));
            let mut handlers = Vec::new();
            for handler in
                code.handlers.iter().filter(|handler| (handler.start..handler.end).contains(&first))
            {
                handlers.extend(at(handler.target).filter(|target| !handlers.contains(target)));
            }
            Block { start: first, instructions: start..end, next, handlers }
        })
        .collect();
    Some(blocks)
}

/// A method has at most 65,535 bytes and as many handlers; the largest real ones stay below a hundredth of
/// this.
const MOST_HANDLED: usize = 1 << 25;
