//! A method, prepared for being run abstractly: its blocks, and which variables are still needed.

use adit_bytecode::flow::{self, Block};
use adit_bytecode::{Code, Instruction};

/// A method's control flow.
pub(crate) struct Body {
    pub(crate) blocks: Vec<Block>,
    /// The block that begins at an instruction, by the instruction's index.
    starts: Vec<u32>,
    /// For each block, the variables that are read before they are written; `None` if there are too many.
    live: Option<Vec<Vec<u64>>>,
}

/// Blocks times words of variables beyond which liveness is not computed.
const LIVENESS: usize = 1 << 18;

impl Body {
    /// Prepares a method. Returns `None` if it has absurdly many handlers.
    pub(crate) fn new(code: &Code) -> Option<Body> {
        let blocks = flow::blocks(code)?;
        let mut starts = vec![u32::MAX; code.instructions.len()];
        for (at, block) in blocks.iter().enumerate() {
            starts[block.instructions.start] = at as u32;
        }
        let live = live_variables(code, &blocks);
        Some(Body { blocks, starts, live })
    }

    /// The block that begins at an instruction.
    pub(crate) fn block_at(&self, instruction: usize) -> Option<usize> {
        self.starts.get(instruction).filter(|&&block| block != u32::MAX).map(|&block| block as usize)
    }

    /// Returns true if the variable may still be read when the block is entered.
    pub(crate) fn is_live(&self, block: usize, variable: usize) -> bool {
        match &self.live {
            Some(live) => live[block].get(variable / 64).is_some_and(|word| word >> (variable % 64) & 1 == 1),
            None => true,
        }
    }
}

fn live_variables(code: &Code, blocks: &[Block]) -> Option<Vec<Vec<u64>>> {
    let words = usize::from(code.max_locals).div_ceil(64).max(1);
    if words * blocks.len() > LIVENESS {
        return None;
    }
    let mut live = vec![vec![0u64; words]; blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in blocks.iter().enumerate().rev() {
            let mut now = vec![0u64; words];
            for &next in &block.next {
                now.iter_mut().zip(&live[next]).for_each(|(word, more)| *word |= more);
            }
            let mut caught = vec![0u64; words];
            for &handler in &block.handlers {
                caught.iter_mut().zip(&live[handler]).for_each(|(word, more)| *word |= more);
            }
            let mut set = |slot: u16, on: bool| {
                if let Some(word) = now.get_mut(usize::from(slot) / 64) {
                    let bit = 1u64 << (slot % 64);
                    *word = if on { *word | bit } else { *word & !bit };
                }
            };
            for (_, instruction) in code.instructions[block.instructions.clone()].iter().rev() {
                match instruction {
                    Instruction::Store(_, slot) => set(*slot, false),
                    Instruction::Load(_, slot) | Instruction::Increment(slot, _) | Instruction::Ret(slot) => {
                        set(*slot, true);
                    }
                    _ => {}
                }
            }
            // An exception may leave the block before any of its writes.
            now.iter_mut().zip(&caught).for_each(|(word, more)| *word |= more);
            if now != live[at] {
                live[at] = now;
                changed = true;
            }
        }
    }
    Some(live)
}
