//! Counts which sides of branches are taken: a probe is spliced into each side of each conditional jump and switch, and into
//! each method that has none.
//!
//! ```java
//! if (size == 0) throw new EmptyException();      // is left as it is, but for the two sides:
//! Hits.hits[4] = 1;                                 // on the way on, put behind the jump
//! Hits.hits[3] = 1; goto target;                    // on the way of the jump, put behind the method, to which it now leads
//! ```
//! What is put behind a jump moves the code after it, so offsets are mapped wherever a method has them. A probe behind the method
//! repeats the frame of the place that it goes on to, so that no type has to be inferred.
//!
//! Initializers of classes have no probes: they run once in a process, at a moment that depends on what ran before. A method that
//! would grow beyond what jumps can reach is left as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::class::check_header;
use crate::dependence::dependences;
use crate::flow::{Block, blocks};
use crate::growth::{Full, Growth};
use crate::relocate::{Probed as ProbedBody, relocate};
use crate::splice::SpliceError;
use crate::trampoline::{push_int, with_index};
use crate::wrap::{Layout, natives};
use crate::{Class, ClassError, ClassPath, Code, Flags, Instruction, Method};

/// The class that holds what was passed: a static array of bytes, which must be long enough for all probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// The class, in internal form. It must be visible from every class with probes.
    pub class: String,
}

impl Hits {
    /// The name of the static array.
    pub const FIELD: &'static str = "hits";
    /// Its type.
    pub const DESCRIPTOR: &'static str = "[B";

    /// The class file.
    pub fn class_file(&self) -> Vec<u8> {
        natives(&self.class, "java/lang/Object", &[], &[(0x0009, Self::FIELD, Self::DESCRIPTOR)], &[])
    }
}

/// A place that a run passes or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The class, in internal form.
    pub class: Arc<str>,
    /// The method.
    pub method: Arc<str>,
    /// The descriptor of the method.
    pub descriptor: Arc<str>,
    /// The line of the branch, or of the beginning of the method.
    pub line: Option<u16>,
    /// Which side it is.
    pub side: Side,
    /// The numbers of the probes of the same branch, this one among them.
    pub branch: Range<usize>,
    /// The probes one of which must be passed before this one can be; none if the method need only be entered.
    pub opened_by: Vec<usize>,
}

/// A side of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The beginning of a method that has no branch.
    Entry,
    /// The condition of the jump does not hold.
    On,
    /// The condition of the jump holds.
    Jump,
    /// One of the places that a switch leads to, by their order in the code.
    Arm(usize),
}

/// A class with probes.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The new class file; the old one if it has no probe.
    pub bytes: Vec<u8>,
    /// The probes, in the order of their numbers.
    pub probes: Vec<Probe>,
    /// Methods that were left as they were, because they are too large or too old.
    pub left: usize,
}

/// A class and those nested in it, with probes.
#[derive(Clone, Debug, Default)]
pub struct ProbedClasses {
    /// The classes that have probes.
    pub classes: Vec<Replaced>,
    /// All probes; their numbers are their places.
    pub probes: Vec<Probe>,
}

/// A class file, and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The class, in internal form.
    pub name: String,
    /// The class file as it was.
    pub old: Vec<u8>,
    /// The class file with probes.
    pub new: Vec<u8>,
}

/// Puts probes into a class, named with dots or in internal form, and into the classes nested in it.
///
/// A nested class that cannot be read or changed is left as it is.
pub fn probe_classes(path: &ClassPath, class: &str, hits: &Hits) -> Result<ProbedClasses, SpliceError> {
    let outer = path.class(class).map_err(SpliceError::Class)?.name.to_string();
    let inside = format!("{outer}$");
    let nested: Vec<String> = path.names().into_iter().filter(|name| name.starts_with(&inside)).collect();
    let mut found = ProbedClasses::default();
    for name in std::iter::once(&outer).chain(&nested) {
        let probed = path.find(name).map_err(SpliceError::from).and_then(|file| match file {
            Some((bytes, file)) => Ok((probe(&bytes, &file, hits, found.probes.len())?, bytes)),
            None => Err(SpliceError::Class(ClassError::Truncated {
                file: name.clone(),
                length: 0,
                what: "the class",
            })),
        });
        match probed {
            Ok((probed, old)) if !probed.probes.is_empty() => {
                found.classes.push(Replaced { name: name.clone(), old, new: probed.bytes });
                found.probes.extend(probed.probes);
            }
            Ok(_) => {}
            Err(error) if *name == outer => return Err(error),
            Err(_) => {}
        }
    }
    Ok(found)
}

/// Puts probes into a class; `file` is what errors call it, and `first` the number of the first probe.
pub fn probe(bytes: &[u8], file: &str, hits: &Hits, first: usize) -> Result<Probed, SpliceError> {
    check_header(bytes, file)?;
    let class = Class::parse(bytes, file)?;
    let layout = Layout::read(bytes).map_err(|fault| SpliceError::Class(fault.named(file, bytes.len())))?;
    let full = |Full| SpliceError::ClassFull { file: file.to_owned() };
    let mut growth = Growth::new(layout.pool.len());
    let field = growth.field(&hits.class, Hits::FIELD, Hits::DESCRIPTOR).map_err(full)?;
    let mut probed = Probed { bytes: Vec::new(), probes: Vec::new(), left: 0 };
    let mut methods = Vec::new();
    for (place, method) in layout.methods.iter().zip(&class.methods) {
        let whole = &bytes[place.start..place.end];
        let (Some((start, end)), Some(code)) = (place.code, &method.code) else {
            methods.extend_from_slice(whole);
            continue;
        };
        let number = first + probed.probes.len();
        let plan = if is_passed_over(method) { None } else { plan(&class, method, code, number) };
        let body = match &plan {
            None => Ok(None),
            Some(plan) => {
                let mark = |growth: &mut Growth, probe: usize| mark(growth, field, number + probe);
                let parts = ProbedBody { plan, code, attribute: &bytes[start..end] };
                relocate(&layout, place, &parts, &mut growth, mark)
                    .map_err(|fault| SpliceError::Class(fault.named(file, bytes.len())))?
                    .transpose()
            }
        };
        match (plan, body) {
            (Some(plan), Ok(Some(body))) => {
                probed.probes.extend(plan.probes);
                methods.extend_from_slice(&bytes[place.start..start]);
                methods.extend_from_slice(&body);
                methods.extend_from_slice(&bytes[end..place.end]);
            }
            (_, Ok(_)) => {
                probed.left += usize::from(!is_passed_over(method));
                methods.extend_from_slice(whole);
            }
            (_, Err(error)) => return Err(full(error)),
        }
    }
    if probed.probes.is_empty() {
        probed.bytes = bytes.to_vec();
        return Ok(probed);
    }
    let count = growth.count().map_err(full)?;
    let out = &mut probed.bytes;
    out.extend_from_slice(&bytes[..8]);
    out.extend_from_slice(&count.to_be_bytes());
    out.extend_from_slice(&bytes[10..layout.pool_end]);
    out.extend_from_slice(growth.bytes());
    out.extend_from_slice(&bytes[layout.pool_end..layout.methods_start + 2]);
    out.extend_from_slice(&methods);
    out.extend_from_slice(&bytes[layout.methods_end..]);
    Ok(probed)
}

/// Initializers run at no certain moment, and a bridge only calls the method that it leads to.
fn is_passed_over(method: &Method) -> bool {
    &*method.name == "<clinit>" || method.flags.has(Flags::BRIDGE | Flags::SYNTHETIC)
}

/// The instructions that note the probe with this number. They take three slots of the stack.
fn mark(growth: &mut Growth, field: u16, number: usize) -> Result<Vec<u8>, Full> {
    let mut code = Vec::new();
    with_index(&mut code, 0xb2, field);
    push_int(&mut code, growth, i32::try_from(number).map_err(|_| Full)?)?;
    // iconst_1, bastore
    code.extend([0x04, 0x54]);
    Ok(code)
}

/// Where the probes of a method go. Probes have numbers of their own here, from zero on.
pub(crate) struct Plan {
    pub(crate) probes: Vec<Probe>,
    /// Probes that stand before an instruction, for those who come from the one before it.
    pub(crate) before: BTreeMap<usize, usize>,
    /// Probes behind the method, by the jump's instruction and the offset to which it leads.
    pub(crate) behind: BTreeMap<(usize, u32), usize>,
}

/// Every block may depend on every other one. The largest methods that people write have some hundreds.
const MOST_BLOCKS: usize = 2000;

/// The probes of a method; nothing if it is so old, so large or so strange, that its branches are not known.
fn plan(class: &Class, method: &Method, code: &Code, first: usize) -> Option<Plan> {
    let is_old = |instruction: &Instruction| matches!(instruction, Instruction::Jsr(_) | Instruction::Ret(_));
    if code.instructions.iter().any(|(_, instruction)| is_old(instruction)) {
        return None;
    }
    let blocks = blocks(code).filter(|blocks| blocks.len() <= MOST_BLOCKS)?;
    let mut plan = Plan { probes: Vec::new(), before: BTreeMap::new(), behind: BTreeMap::new() };
    let new = |side: Side, offset: u32, branch: Range<usize>| Probe {
        class: class.name.clone(),
        method: method.name.clone(),
        descriptor: method.descriptor.clone(),
        line: code.line_at(offset),
        side,
        branch: first + branch.start..first + branch.end,
        opened_by: Vec::new(),
    };
    // The block of each probe, and the way out that it stands for.
    let mut ways: Vec<(usize, usize)> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let last = block.instructions.end - 1;
        let (offset, instruction) = &code.instructions[last];
        let at = plan.probes.len();
        let to = |offset: u32| block_at(&blocks, offset);
        match instruction {
            Instruction::Branch(_, target) => {
                plan.before.insert(last + 1, at);
                plan.behind.insert((last, *target), at + 1);
                for side in [Side::On, Side::Jump] {
                    plan.probes.push(new(side, *offset, at..at + 2));
                }
                let behind = code.instructions.get(last + 1).map_or(*target, |&(offset, _)| offset);
                ways.extend([(number, to(behind)?), (number, to(*target)?)]);
            }
            Instruction::Switch { .. } => {
                let arms: BTreeSet<u32> = instruction.targets().into_iter().collect();
                for (arm, &target) in arms.iter().enumerate() {
                    plan.behind.insert((last, target), at + arm);
                    plan.probes.push(new(Side::Arm(arm), *offset, at..at + arms.len()));
                    ways.push((number, to(target)?));
                }
            }
            _ => {}
        }
    }
    if plan.probes.is_empty() {
        plan.before.insert(0, 0);
        plan.probes.push(new(Side::Entry, 0, 0..1));
        return Some(plan);
    }
    let decided = dependences(&blocks);
    let mut numbers: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (number, way) in ways.iter().enumerate() {
        numbers.entry(*way).or_default().push(first + number);
    }
    for (probe, &(block, _)) in plan.probes.iter_mut().zip(&ways) {
        if !decided[block].always {
            let opening = decided[block].ways.iter().filter_map(|way| numbers.get(way)).flatten();
            probe.opened_by = opening.copied().collect();
            probe.opened_by.sort_unstable();
        }
    }
    Some(plan)
}

fn block_at(blocks: &[Block], offset: u32) -> Option<usize> {
    blocks.binary_search_by_key(&offset, |block| block.start).ok()
}
