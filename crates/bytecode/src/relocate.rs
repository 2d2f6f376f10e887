//! The body of a method with more instructions in it: everything that names an offset names the new one (JVMS 4.7.3).

use std::collections::BTreeMap;

use crate::class::attributes;
use crate::cursor::{Cursor, Fault};
use crate::frames::{self, Frame, Held};
use crate::growth::{Full, Growth};
use crate::probe::Plan;
use crate::wrap::{Layout, Place};
use crate::{Code, Flags, Instruction, Signature};

/// What a body is made of.
pub(crate) struct Probed<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) code: &'a Code,
    /// The whole attribute, its name and its length among it.
    pub(crate) attribute: &'a [u8],
}

/// The first version whose verifier reads frames.
const FRAMES: u16 = 50;

/// What notes a probe takes so many slots of the stack.
const MARK: u16 = 3;

const WHAT: &str = "the body of a method";

/// The attribute with the new body; nothing if the method cannot be so large. `mark` gives the instructions of a probe.
pub(crate) fn relocate(
    layout: &Layout<'_>,
    place: &Place,
    parts: &Probed<'_>,
    growth: &mut Growth,
    mark: impl Fn(&mut Growth, usize) -> Result<Vec<u8>, Full>,
) -> Result<Option<Result<Vec<u8>, Full>>, Fault> {
    let tables = Tables::read(layout, place, parts, growth)?;
    Ok(match tables {
        Ok(Some(tables)) => body(parts, &tables, growth, mark).transpose(),
        Ok(None) => None,
        Err(full) => Some(Err(full)),
    })
}

/// The parts of a body that name offsets.
struct Tables {
    name: u16,
    max_stack: u16,
    max_locals: u16,
    /// Start, end, target, and the constant of the class that is caught.
    handlers: Vec<(u32, u32, u32, u16)>,
    /// The constant of the attribute's name, and the frames.
    frames: Option<(u16, Vec<Frame>)>,
    /// The constant of the attribute's name, and offsets with lines.
    lines: Vec<(u16, Vec<(u32, u16)>)>,
    /// The constant of the attribute's name, and offset, length, and what else there is to a variable.
    variables: Vec<(u16, Vec<Variable>)>,
}

type Variable = (u32, u32, [u16; 3]);

impl Tables {
    /// Nothing if the verifier's frames are not as they should be.
    fn read(
        layout: &Layout<'_>,
        place: &Place,
        parts: &Probed<'_>,
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
        // Whatever else there is, annotations of types among it, is for nobody who runs the class.
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
        // Where the verifier wants frames, every jump has one to lead to.
        let known = |target: u32| match &tables.frames {
            Some((_, frames)) => frame_at(frames, target).is_some(),
            None => layout.major < FRAMES || parts.plan.behind.is_empty(),
        };
        let sound = parts.plan.behind.keys().all(|&(_, target)| known(target));
        Ok(Ok(sound.then_some(tables)))
    }
}

fn first(layout: &Layout<'_>, place: &Place, growth: &mut Growth) -> Result<Vec<Held>, Full> {
    let signature = Signature::parse(&place.descriptor).ok_or(Full)?;
    let receiver = if place.flags.has(Flags::STATIC) {
        None
    } else if &*place.name == "<init>" && &*layout.name != "java/lang/Object" {
        Some(Held::UNMADE)
    } else {
        Some(Held::Object(growth.class(&layout.name)?))
    };
    frames::first(receiver, &signature, growth)
}

/// Where instructions are now.
struct Map<'a> {
    code: &'a Code,
    /// For each instruction, where what was put before it begins, and where it begins itself.
    places: Vec<(u32, u32)>,
    /// Where the old instructions end.
    end: u32,
}

impl Map<'_> {
    /// Where those go who jump to an old offset.
    fn jump(&self, offset: u32) -> Option<u32> {
        self.code.index_at(offset).map(|index| self.places[index].1)
    }

    /// Where a stretch of code begins or ends that began or ended at an old offset.
    fn bound(&self, offset: u32) -> Option<u32> {
        if offset == self.code.length {
            return Some(self.end);
        }
        self.code.index_at(offset).map(|index| self.places[index].0)
    }
}

/// The attribute; nothing if an offset or a distance has become too large.
fn body(
    parts: &Probed<'_>,
    tables: &Tables,
    growth: &mut Growth,
    mark: impl Fn(&mut Growth, usize) -> Result<Vec<u8>, Full>,
) -> Result<Option<Vec<u8>>, Full> {
    let Probed { plan, code, .. } = *parts;
    // Name and length of the attribute, the two sizes, and the length of the code stand before it.
    let old = &parts.attribute[14..14 + code.length as usize];
    let mut places = Vec::with_capacity(code.instructions.len());
    let mut at = 0_u32;
    for (index, (offset, instruction)) in code.instructions.iter().enumerate() {
        let start = at;
        if let Some(&probe) = plan.before.get(&index) {
            at += mark(growth, probe)?.len() as u32;
        }
        places.push((start, at));
        let end = code.instructions.get(index + 1).map_or(code.length, |&(next, _)| next);
        let length = end - offset;
        at += match instruction {
            Instruction::Switch { .. } => length - padding(*offset) + padding(at),
            _ => length,
        };
    }
    let map = Map { code, places, end: at };
    // Behind the method: a probe, and a jump of five bytes that reaches everything.
    let mut behind = Vec::with_capacity(plan.behind.len());
    for (&(_, target), &probe) in &plan.behind {
        let marks = mark(growth, probe)?;
        behind.push((at, target, marks));
        at += behind.last().map_or(0, |(_, _, marks)| marks.len() as u32) + 5;
    }
    if at > u32::from(u16::MAX) {
        return Ok(None);
    }
    let stubs: BTreeMap<(usize, u32), u32> =
        plan.behind.keys().copied().zip(behind.iter().map(|&(here, _, _)| here)).collect();
    let mut new = Vec::with_capacity(at as usize);
    for (index, (offset, instruction)) in code.instructions.iter().enumerate() {
        if let Some(&probe) = plan.before.get(&index) {
            new.extend(mark(growth, probe)?);
        }
        let here = map.places[index].1;
        let end = code.instructions.get(index + 1).map_or(code.length, |&(next, _)| next);
        let bytes = &old[*offset as usize..end as usize];
        // A branch goes by way of its probe; other jumps go on to where they went.
        let lead = |target: u32| stubs.get(&(index, target)).copied().or_else(|| map.jump(target));
        if !put(&mut new, instruction, bytes, *offset, here, lead) {
            return Ok(None);
        }
    }
    for (here, target, marks) in &behind {
        new.extend(marks);
        let jump = here + marks.len() as u32;
        let Some(to) = map.jump(*target) else { return Ok(None) };
        new.push(0xc8);
        new.extend((to.cast_signed() - jump.cast_signed()).to_be_bytes());
    }
    let Some(max_stack) = tables.max_stack.checked_add(MARK) else { return Ok(None) };
    Ok(assemble(tables, max_stack, &new, &map, &behind))
}

/// How many bytes stand between a switch at this offset and its table.
fn padding(offset: u32) -> u32 {
    (3 - offset % 4) % 4
}

/// Writes one instruction, which was at `offset` and is now `here`; whether its jumps reach.
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
            // goto_w
            if bytes[0] == 0xc8 {
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
            let is_table = bytes[0] == 0xaa;
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

/// Puts the attribute together; nothing if a table names an offset where no instruction begins.
fn assemble(
    tables: &Tables,
    max_stack: u16,
    code: &[u8],
    map: &Map<'_>,
    behind: &[(u32, u32, Vec<u8>)],
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
        parts.push((*name, frames::write(&moved(frames, map, behind)?).ok()?));
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

/// The frames where they are now, and again for each probe behind the method.
fn moved(frames: &[Frame], map: &Map<'_>, behind: &[(u32, u32, Vec<u8>)]) -> Option<Vec<Frame>> {
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
    for (here, target, _) in behind {
        let like = frame_at(frames, *target)?;
        all.push(move_to(like, *here)?);
    }
    Some(all)
}
