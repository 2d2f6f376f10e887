//! Branch probes: records which sides of branches are taken.
//!
//! A probe is inserted into each side of each conditional jump and switch, and into each method that has
//! none.
//!
//! ```java
//! if (size == 0) throw new EmptyException();      // unchanged except for its two sides:
//! Hits.hits[4] = 1;                                 // the side that falls through: inserted behind the jump
//! Hits.hits[3] = 1; goto target;                    // the side that jumps: appended, the jump leads here
//! ```
//! An inserted probe moves the code behind it, so all offsets in the method are mapped. An appended probe
//! repeats the stack map frame of the jump's target, so no type has to be inferred.
//!
//! Class initializers have no probes: they run once in a process, at a time that depends on what ran before.
//! A method that would grow beyond the range of its jumps is skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::class::check_header;
use crate::dependence::dependences;
use crate::emit::{bodiless_class, op, push_int, with_index};
use crate::flow::{Block, blocks};
use crate::growth::{Full, Growth};
use crate::layout::ClassLayout;
use crate::relocate::{ProbedBody, relocate};
use crate::{Class, ClassError, ClassPath, Code, Flags, Instruction, Method, RewriteError};

/// The class with the recorded hits: a static array of bytes, which must be long enough for all probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// Internal name of the class. It must be visible from every class with probes.
    pub class: String,
}

impl Hits {
    /// Name of the static array.
    pub const FIELD: &'static str = "hits";
    /// Descriptor of its type.
    pub const DESCRIPTOR: &'static str = "[B";

    /// The class file.
    pub fn class_file(&self) -> Vec<u8> {
        bodiless_class(&self.class, "java/lang/Object", &[], &[(0x0009, Self::FIELD, Self::DESCRIPTOR)], &[])
    }
}

/// One side of a branch, or the beginning of a method without branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Internal name of the class.
    pub class: Arc<str>,
    /// Name of the method.
    pub method: Arc<str>,
    /// Descriptor of the method.
    pub descriptor: Arc<str>,
    /// Source line of the branch, or of the beginning of the method.
    pub line: Option<u16>,
    /// The side of the branch.
    pub side: Side,
    /// Numbers of the probes of the same branch, including this one.
    pub branch: Range<usize>,
    /// Probes one of which must be hit before this one can be; empty if entering the method suffices.
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
    /// One of the targets of a switch, by their order in the code.
    Arm(usize),
}

/// A class with probes.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The new class file; the old one if it has no probes.
    pub bytes: Vec<u8>,
    /// The probes, in the order of their numbers.
    pub probes: Vec<Probe>,
    /// Number of methods without probes because they are too large or too old.
    pub skipped: usize,
}

/// A class and those nested in it, with probes.
#[derive(Clone, Debug, Default)]
pub struct ProbedClasses {
    /// The classes that have probes.
    pub classes: Vec<Replaced>,
    /// All probes, indexed by their numbers.
    pub probes: Vec<Probe>,
}

/// A class file and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Internal name of the class.
    pub name: String,
    /// The original class file.
    pub old: Vec<u8>,
    /// The class file with probes.
    pub new: Vec<u8>,
}

/// Inserts probes into a class, named with dots or in internal form, and into its nested classes.
///
/// A nested class that cannot be read or changed is skipped.
pub fn probe_classes(path: &ClassPath, class: &str, hits: &Hits) -> Result<ProbedClasses, RewriteError> {
    let outer = path.class(class).map_err(RewriteError::Class)?.name.to_string();
    let inside = format!("{outer}$");
    let nested: Vec<String> = path.names().into_iter().filter(|name| name.starts_with(&inside)).collect();
    let mut found = ProbedClasses::default();
    for name in std::iter::once(&outer).chain(&nested) {
        let probed = path.find(name).map_err(RewriteError::from).and_then(|file| match file {
            Some((bytes, file)) => Ok((probe(&bytes, &file, hits, found.probes.len())?, bytes)),
            None => Err(RewriteError::Class(ClassError::Truncated {
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

/// Inserts probes into a class. `file` names it in errors; `first` is the number of the first probe.
pub fn probe(bytes: &[u8], file: &str, hits: &Hits, first: usize) -> Result<Probed, RewriteError> {
    check_header(bytes, file)?;
    let class = Class::parse(bytes, file)?;
    let layout =
        ClassLayout::read(bytes).map_err(|fault| RewriteError::Class(fault.named(file, bytes.len())))?;
    let full = |Full| RewriteError::ClassFull { file: file.to_owned() };
    let mut growth = Growth::new(layout.pool.len());
    let field = growth.field(&hits.class, Hits::FIELD, Hits::DESCRIPTOR).map_err(full)?;
    let mut probed = Probed { bytes: Vec::new(), probes: Vec::new(), skipped: 0 };
    let mut methods = Vec::new();
    for (place, method) in layout.methods.iter().zip(&class.methods) {
        let whole = &bytes[place.whole.clone()];
        let (Some(attribute), Some(code)) = (place.code.clone(), &method.code) else {
            methods.extend_from_slice(whole);
            continue;
        };
        let number = first + probed.probes.len();
        let plan = if has_no_probes(method) { None } else { plan(&class, method, code, number) };
        let body = match &plan {
            None => Ok(None),
            Some(plan) => {
                let hit = |growth: &mut Growth, probe: usize| record_hit(growth, field, number + probe);
                let parts = ProbedBody { plan, code, attribute: &bytes[attribute.clone()], lines: None };
                relocate(&layout, place, &parts, &mut growth, hit)
                    .map_err(|fault| RewriteError::Class(fault.named(file, bytes.len())))?
                    .transpose()
            }
        };
        match (plan, body) {
            (Some(plan), Ok(Some(body))) => {
                probed.probes.extend(plan.probes);
                methods.extend_from_slice(&bytes[place.whole.start..attribute.start]);
                methods.extend_from_slice(&body);
                methods.extend_from_slice(&bytes[attribute.end..place.whole.end]);
            }
            (_, Ok(_)) => {
                probed.skipped += usize::from(!has_no_probes(method));
                methods.extend_from_slice(whole);
            }
            (_, Err(error)) => return Err(full(error)),
        }
    }
    if probed.probes.is_empty() {
        probed.bytes = bytes.to_vec();
        return Ok(probed);
    }
    probed.bytes = layout.rebuild(&growth, layout.methods.len(), &methods).map_err(full)?;
    Ok(probed)
}

/// Returns true for class initializers, which run at an unspecified time, and for bridges, which only call
/// another method.
fn has_no_probes(method: &Method) -> bool {
    &*method.name == "<clinit>" || method.flags.has(Flags::BRIDGE | Flags::SYNTHETIC)
}

/// Returns the instructions that record a hit of the probe with this number. They take three slots of the
/// stack.
fn record_hit(growth: &mut Growth, field: u16, number: usize) -> Result<Vec<u8>, Full> {
    let mut code = Vec::new();
    with_index(&mut code, op::GETSTATIC, field);
    push_int(&mut code, growth, i32::try_from(number).map_err(|_| Full)?)?;
    code.extend([op::ICONST_1, op::BASTORE]);
    Ok(code)
}

/// Positions of the probes of a method, which are numbered from zero here.
pub(crate) struct Plan {
    pub(crate) probes: Vec<Probe>,
    /// Probes inserted before an instruction, reached only from the preceding one.
    pub(crate) before: BTreeMap<usize, usize>,
    /// Probes appended to the method, by the index of the jump and the offset of its target.
    pub(crate) appended: BTreeMap<(usize, u32), usize>,
}

/// Every block may depend on every other one. The largest hand-written methods have some hundreds.
const MOST_BLOCKS: usize = 2000;

/// Plans the probes of a method. Returns `None` if it is too old, too large or too strange to find its
/// branches.
fn plan(class: &Class, method: &Method, code: &Code, first: usize) -> Option<Plan> {
    let is_old = |instruction: &Instruction| matches!(instruction, Instruction::Jsr(_) | Instruction::Ret(_));
    if code.instructions.iter().any(|(_, instruction)| is_old(instruction)) {
        return None;
    }
    let blocks = blocks(code).filter(|blocks| blocks.len() <= MOST_BLOCKS)?;
    let mut plan = Plan { probes: Vec::new(), before: BTreeMap::new(), appended: BTreeMap::new() };
    let new = |side: Side, offset: u32, branch: Range<usize>| Probe {
        class: class.name.clone(),
        method: method.name.clone(),
        descriptor: method.descriptor.clone(),
        line: code.line_at(offset),
        side,
        branch: first + branch.start..first + branch.end,
        opened_by: Vec::new(),
    };
    // The edge of the control-flow graph that each probe stands for.
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let last = block.instructions.end - 1;
        let (offset, instruction) = &code.instructions[last];
        let at = plan.probes.len();
        let to = |offset: u32| block_at(&blocks, offset);
        match instruction {
            Instruction::Branch(_, target) => {
                plan.before.insert(last + 1, at);
                plan.appended.insert((last, *target), at + 1);
                for side in [Side::On, Side::Jump] {
                    plan.probes.push(new(side, *offset, at..at + 2));
                }
                let following = code.instructions.get(last + 1).map_or(*target, |&(offset, _)| offset);
                edges.extend([(number, to(following)?), (number, to(*target)?)]);
            }
            Instruction::Switch { .. } => {
                let arms: BTreeSet<u32> = instruction.targets().into_iter().collect();
                for (arm, &target) in arms.iter().enumerate() {
                    plan.appended.insert((last, target), at + arm);
                    plan.probes.push(new(Side::Arm(arm), *offset, at..at + arms.len()));
                    edges.push((number, to(target)?));
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
    for (number, edge) in edges.iter().enumerate() {
        numbers.entry(*edge).or_default().push(first + number);
    }
    for (probe, &(block, _)) in plan.probes.iter_mut().zip(&edges) {
        if !decided[block].always {
            let opening = decided[block].edges.iter().filter_map(|edge| numbers.get(edge)).flatten();
            probe.opened_by = opening.copied().collect();
            probe.opened_by.sort_unstable();
        }
    }
    Some(plan)
}

fn block_at(blocks: &[Block], offset: u32) -> Option<usize> {
    blocks.binary_search_by_key(&offset, |block| block.start).ok()
}
