//! Rewrites the body of a method with inserted instructions, so that all its offsets are mapped (JVMS 4.7.3).

use std::collections::BTreeMap;

use crate::class::attributes;
use crate::cursor::{Cursor, Fault};
use crate::emit::op;
use crate::frames::{self, Frame, Held};
use crate::growth::{Full, Growth};
use crate::layout::{ClassLayout, MethodLayout};
use crate::probe::Plan;
use crate::version::STACK_MAP_FRAMES;
use crate::{Code, Flags, Instruction, Signature};

/// A body and the probes to insert.
pub(crate) struct ProbedBody<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) code: &'a Code,
    /// The whole attribute, including its name and length.
    pub(crate) attribute: &'a [u8],
    /// Offsets with lines that replace those of the body.
    pub(crate) lines: Option<Vec<(u32, u16)>>,
}

/// Number of stack slots that the instructions of a probe take.
const PROBE_STACK: u16 = 3;

const WHAT: &str = "the body of a method";

/// Returns the attribute with the new body, or `None` if the method would be too large. `hit` returns the
/// instructions of a probe.
pub(crate) fn relocate(
    layout: &ClassLayout<'_>,
    place: &MethodLayout<'_>,
    parts: &ProbedBody<'_>,
    growth: &mut Growth,
    hit: impl Fn(&mut Growth, usize) -> Result<Vec<u8>, Full>,
) -> Result<Option<Result<Vec<u8>, Full>>, Fault> {
    let tables = Tables::read(layout, place, parts, growth)?;
    Ok(match tables {
        Ok(Some(tables)) => body(parts, &tables, growth, hit).transpose(),
        Ok(None) => None,
        Err(full) => Some(Err(full)),
    })
}

/// The parts of a body that name offsets.
struct Tables {
    name: u16,
    max_stack: u16,
    max_locals: u16,
    /// Start, end, target, and the constant of the caught class.
    handlers: Vec<(u32, u32, u32, u16)>,
    /// The constant of the attribute's name, and the frames.
    frames: Option<(u16, Vec<Frame>)>,
    /// The constant of the attribute's name, and offsets with lines.
    lines: Vec<(u16, Vec<(u32, u16)>)>,
    /// The constant of the attribute's name, and the variables.
    variables: Vec<(u16, Vec<Variable>)>,
}

/// Offset, length, and the name, descriptor and slot of a variable.
type Variable = (u32, u32, [u16; 3]);

impl Tables {
    /// Reads the tables. Returns `None` if a jump target lacks the frame that the verifier requires.
    fn read(
        layout: &ClassLayout<'_>,
        place: &MethodLayout<'_>,
        parts: &ProbedBody<'_>,
        growth: &mut Growth,
    ) -> Result<Result<Option<Tables>, Full>, Fault> {
        let mut cursor = Cursor::new(parts.attribute);
        let name = cursor.u16(WHAT)?;
        cursor.take(4, WHAT)?;
        let (max_stack, max_locals) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
        let length = cursor.u32(WHAT)?;
        cursor.take(length as usize, WHAT)?;
        let mut tables = Tables {
            name,
            max_stack,
            max_locals,
            handlers: Vec::new(),
            frames: None,
            lines: Vec::new(),
            variables: Vec::new(),
        };
        for _ in 0..cursor.u16(WHAT)? {
            let mut offset = || Ok(u32::from(cursor.u16(WHAT)?));
            let (start, end, target) = (offset()?, offset()?, offset()?);
            tables.handlers.push((start, end, target, cursor.u16(WHAT)?));
        }
        let first = match first(layout, place, growth) {
            Ok(first) => first,
            Err(full) => return Ok(Err(full)),
        };
        // All other attributes, such as annotations of types, have no effect when the class runs.
        attributes(&mut cursor, &layout.pool, |name, mut part| {
            // The name and the length stand before the contents.
            let at = part.at() - 6;
            let constant = u16::from_be_bytes([parts.attribute[at], parts.attribute[at + 1]]);
            match name {
                "StackMapTable" => tables.frames = Some((constant, frames::read(part, &first)?)),
                "LineNumberTable" => {
                    let count = part.u16(WHAT)?;
                    let lines = (0..count)
                        .map(|_| Ok((u32::from(part.u16(WHAT)?), part.u16(WHAT)?)))
                        .collect::<Result<_, _>>()?;
                    tables.lines.push((constant, lines));
                }
                "LocalVariableTable" | "LocalVariableTypeTable" => {
                    let count = part.u16(WHAT)?;
                    let one = |_| -> Result<Variable, Fault> {
                        let (start, length) = (u32::from(part.u16(WHAT)?), u32::from(part.u16(WHAT)?));
                        Ok((start, length, [part.u16(WHAT)?, part.u16(WHAT)?, part.u16(WHAT)?]))
                    };
                    tables.variables.push((constant, (0..count).map(one).collect::<Result<_, _>>()?));
                }
                _ => {}
            }
            Ok(())
        })?;
        if let Some(lines) = &parts.lines {
            let name = match tables.lines.first() {
                Some(&(name, _)) => name,
                None => match growth.text("LineNumberTable") {
                    Ok(name) => name,
                    Err(full) => return Ok(Err(full)),
                },
            };
            tables.lines = vec![(name, lines.clone())];
        }
        // Where the verifier reads frames, every jump target has one.
        let known = |target: u32| match &tables.frames {
            Some((_, frames)) => frame_at(frames, target).is_some(),
            None => layout.major < STACK_MAP_FRAMES || parts.plan.appended.is_empty(),
        };
        let sound = parts.plan.appended.keys().all(|&(_, target)| known(target));
        Ok(Ok(sound.then_some(tables)))
    }
}

fn first(layout: &ClassLayout<'_>, place: &MethodLayout<'_>, growth: &mut Growth) -> Result<Vec<Held>, Full> {
    let signature = Signature::parse(&place.descriptor).ok_or(Full)?;
    let receiver = if place.flags.has(Flags::STATIC) {
        None
    } else if &*place.name == "<init>" && &*layout.name != "java/lang/Object" {
        Some(Held::UNINITIALIZED)
    } else {
        Some(Held::Object(growth.class(&layout.name)?))
    };
    frames::first(receiver, &signature, growth)
}

/// New offsets of the instructions.
struct OffsetMap<'a> {
    code: &'a Code,
    /// For each instruction, the offset of the probe inserted before it, and its own.
    places: Vec<(u32, u32)>,
    /// End of the old instructions.
    end: u32,
}

impl OffsetMap<'_> {
    /// New target of a jump to an old offset.
    fn jump(&self, offset: u32) -> Option<u32> {
        self.code.index_at(offset).map(|index| self.places[index].1)
    }

    /// New begin or end of a range that began or ended at an old offset.
    fn bound(&self, offset: u32) -> Option<u32> {
        if offset == self.code.length {
            return Some(self.end);
        }
        self.code.index_at(offset).map(|index| self.places[index].0)
    }
}

/// Returns the attribute, or `None` if an offset or a distance became too large.
fn body(
    parts: &ProbedBody<'_>,
    tables: &Tables,
    growth: &mut Growth,
    hit: impl Fn(&mut Growth, usize) -> Result<Vec<u8>, Full>,
) -> Result<Option<Vec<u8>>, Full> {
    let ProbedBody { plan, code, .. } = *parts;
    // The code follows the name and length of the attribute, the two sizes, and its own length.
    let old = &parts.attribute[14..14 + code.length as usize];
    let mut places = Vec::with_capacity(code.instructions.len());
    let mut at = 0_u32;
    for (index, (offset, instruction)) in code.instructions.iter().enumerate() {
        let start = at;
        if let Some(&probe) = plan.before.get(&index) {
            at += hit(growth, probe)?.len() as u32;
        }
        places.push((start, at));
        let end = code.instructions.get(index + 1).map_or(code.length, |&(next, _)| next);
        let length = end - offset;
        at += match instruction {
            Instruction::Switch { .. } => length - padding(*offset) + padding(at),
            _ => length,
        };
    }
    let map = OffsetMap { code, places, end: at };
    // Appended to the method: a probe, and a jump of five bytes, which reaches any offset.
    let mut appended = Vec::with_capacity(plan.appended.len());
    for (&(_, target), &probe) in &plan.appended {
        let record = hit(growth, probe)?;
        appended.push((at, target, record));
        at += appended.last().map_or(0, |(_, _, record)| record.len() as u32) + 5;
    }
    if at > u32::from(u16::MAX) {
        return Ok(None);
    }
    let stubs: BTreeMap<(usize, u32), u32> =
        plan.appended.keys().copied().zip(appended.iter().map(|&(here, _, _)| here)).collect();
    let mut new = Vec::with_capacity(at as usize);
    for (index, (offset, instruction)) in code.instructions.iter().enumerate() {
        if let Some(&probe) = plan.before.get(&index) {
            new.extend(hit(growth, probe)?);
        }
        let here = map.places[index].1;
        let end = code.instructions.get(index + 1).map_or(code.length, |&(next, _)| next);
        let bytes = &old[*offset as usize..end as usize];
        // A branch leads to its probe; other jumps keep their targets.
        let lead = |target: u32| stubs.get(&(index, target)).copied().or_else(|| map.jump(target));
        if !put(&mut new, instruction, bytes, *offset, here, lead) {
            return Ok(None);
        }
    }
    for (here, target, record) in &appended {
        new.extend(record);
        let jump = here + record.len() as u32;
        let Some(to) = map.jump(*target) else { return Ok(None) };
        new.push(op::GOTO_W);
        new.extend((to.cast_signed() - jump.cast_signed()).to_be_bytes());
    }
    let Some(max_stack) = tables.max_stack.checked_add(PROBE_STACK) else { return Ok(None) };
    Ok(assemble(tables, max_stack, &new, &map, &appended))
}

/// Number of padding bytes between a switch at this offset and its table.
fn padding(offset: u32) -> u32 {
    (3 - offset % 4) % 4
}

/// Writes one instruction, which was at `offset` and is now `here`. Returns false if a jump is out of range.
fn put(
    to: &mut Vec<u8>,
    instruction: &Instruction,
    bytes: &[u8],
    offset: u32,
    here: u32,
    lead: impl Fn(u32) -> Option<u32>,
) -> bool {
    let distance = |target: u32| lead(target).map(|target| target.cast_signed() - here.cast_signed());
    match instruction {
        Instruction::Branch(_, target) | Instruction::Goto(target) => {
            let Some(distance) = distance(*target) else { return false };
            to.push(bytes[0]);
            if bytes[0] == op::GOTO_W {
                to.extend(distance.to_be_bytes());
                return true;
            }
            let Ok(short) = i16::try_from(distance) else { return false };
            to.extend(short.to_be_bytes());
            true
        }
        Instruction::Switch { default, cases } => {
            to.push(bytes[0]);
            to.extend(std::iter::repeat_n(0, padding(here) as usize));
            let Some(other) = distance(*default) else { return false };
            to.extend(other.to_be_bytes());
            // Two bounds, or a count.
            let head = 1 + padding(offset) as usize + 4;
            let is_table = bytes[0] == op::TABLESWITCH;
            to.extend_from_slice(&bytes[head..head + if is_table { 8 } else { 4 }]);
            for (key, target) in cases {
                let Some(distance) = distance(*target) else { return false };
                if !is_table {
                    to.extend(key.to_be_bytes());
                }
                to.extend(distance.to_be_bytes());
            }
            true
        }
        _ => {
            to.extend_from_slice(bytes);
            true
        }
    }
}

/// Assembles the attribute. Returns `None` if a table has an offset where no instruction begins.
fn assemble(
    tables: &Tables,
    max_stack: u16,
    code: &[u8],
    map: &OffsetMap<'_>,
    appended: &[(u32, u32, Vec<u8>)],
) -> Option<Vec<u8>> {
    let short = |to: &mut Vec<u8>, value: u32| -> Option<()> {
        to.extend(u16::try_from(value).ok()?.to_be_bytes());
        Some(())
    };
    let mut body = Vec::new();
    body.extend(max_stack.to_be_bytes());
    body.extend(tables.max_locals.to_be_bytes());
    body.extend((code.len() as u32).to_be_bytes());
    body.extend_from_slice(code);
    short(&mut body, tables.handlers.len() as u32)?;
    for &(start, end, target, class) in &tables.handlers {
        for offset in [map.bound(start)?, map.bound(end)?, map.jump(target)?, u32::from(class)] {
            short(&mut body, offset)?;
        }
    }
    let mut parts: Vec<(u16, Vec<u8>)> = Vec::new();
    if let Some((name, frames)) = &tables.frames {
        parts.push((*name, frames::write(&moved(frames, map, appended)?).ok()?));
    }
    for (name, lines) in &tables.lines {
        let mut part = Vec::new();
        short(&mut part, lines.len() as u32)?;
        for &(offset, line) in lines {
            short(&mut part, map.bound(offset)?)?;
            part.extend(line.to_be_bytes());
        }
        parts.push((*name, part));
    }
    for (name, variables) in &tables.variables {
        let mut part = Vec::new();
        short(&mut part, variables.len() as u32)?;
        for &(start, length, rest) in variables {
            let (from, to) = (map.bound(start)?, map.bound(start + length)?);
            short(&mut part, from)?;
            short(&mut part, to - from)?;
            part.extend(rest.into_iter().flat_map(u16::to_be_bytes));
        }
        parts.push((*name, part));
    }
    short(&mut body, parts.len() as u32)?;
    for (name, part) in parts {
        body.extend(name.to_be_bytes());
        body.extend((part.len() as u32).to_be_bytes());
        body.extend(part);
    }
    let mut attribute = tables.name.to_be_bytes().to_vec();
    attribute.extend((body.len() as u32).to_be_bytes());
    attribute.extend(body);
    Some(attribute)
}

fn frame_at(frames: &[Frame], offset: u32) -> Option<&Frame> {
    frames.binary_search_by_key(&offset, |frame| frame.offset).ok().map(|at| &frames[at])
}

/// Returns the frames at their new offsets, and a copy for each appended probe.
fn moved(frames: &[Frame], map: &OffsetMap<'_>, appended: &[(u32, u32, Vec<u8>)]) -> Option<Vec<Frame>> {
    let hold = |held: &Held| match held {
        Held::New(offset) => map.jump(*offset).map(Held::New),
        other => Some(*other),
    };
    let move_to = |frame: &Frame, offset: u32| -> Option<Frame> {
        Some(Frame {
            offset,
            variables: frame.variables.iter().map(hold).collect::<Option<_>>()?,
            stack: frame.stack.iter().map(hold).collect::<Option<_>>()?,
        })
    };
    let mut all: Vec<Frame> =
        frames.iter().map(|frame| move_to(frame, map.jump(frame.offset)?)).collect::<Option<_>>()?;
    for (here, target, _) in appended {
        let like = frame_at(frames, *target)?;
        all.push(move_to(like, *here)?);
    }
    Some(all)
}
