//! Runs methods abstractly and notes the calls that an object's typestate refuses.
//!
//! Paper: [fink08], verification in stages; [tautoko], section 4.4.2, a verifier that follows calls to a
//! limited depth.
//! Deviation: there are two stages. The first ignores numbers and flags; only a method in which it finds
//! something is run again with them, which rules out paths that cannot happen. Where paths meet, situations
//! stay apart up to a limit, and are then joined so that less is known: a limit never creates a finding. An
//! object of which nothing is known may be in any state; unknown code brings every object that it can reach
//! there. The papers report whenever some state refuses; here all possible states of the object have to, and
//! calls that only some refuse are a grade of their own.
//! A method that needs too many steps is run again with fewer situations told apart.
//! Cost: instructions times situations per method, bounded by [`crate::limits::EFFORTS`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{Class, Code, Method, Signature, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::Body;
use crate::library::Library;
use crate::limits::{Effort, SUMMARIES};
use crate::outlook::Outlook;
use crate::world::{PathEvent, Value, World};
use crate::{Stopped, Verifier};

/// A place in the code: a class, the index of its method, and the index of an instruction.
pub(crate) type Place = (Arc<str>, usize, usize);

/// A call that some object refused.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) model: u16,
    pub(crate) state: String,
    pub(crate) call: String,
    pub(crate) exception: String,
    pub(crate) from_creation: bool,
    /// The object is of exactly the class with the typestate.
    pub(crate) exact: bool,
    /// The object does not contain enough, which it was not asked before.
    pub(crate) lacks_content: bool,
    pub(crate) at: PathEvent,
    pub(crate) path: Vec<PathEvent>,
}

/// The outcome of a call in all situations that reach it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    /// Some situation allows the call, or does not know.
    pub(crate) allowed: bool,
    pub(crate) refused: Option<Refused>,
    /// The call is refused in some of the states that the object may be in, and nothing has told which.
    pub(crate) unchecked: Option<Refused>,
}

impl Site {
    /// Returns true if there may be something to report.
    pub(crate) fn is_suspect(&self) -> bool {
        self.refused.is_some() || self.unchecked.is_some()
    }
}

/// The situations in which a method ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exits {
    /// With the result on the stack.
    pub(crate) returned: Vec<World>,
    pub(crate) threw: Vec<World>,
}

/// Results that later analyses of the same thread use again.
#[derive(Default)]
pub struct Memory {
    bodies: FxHashMap<(Arc<str>, usize), Option<Arc<Body>>>,
    pub(crate) summaries: FxHashMap<(Arc<str>, usize, bool, World), Arc<Summary>>,
    signatures: FxHashMap<Arc<str>, Arc<Slots>>,
    pub(crate) outlooks: FxHashMap<Arc<str>, Arc<Outlook>>,
}

/// The effect of a method that refuses nothing.
pub(crate) struct Summary {
    pub(crate) exits: Exits,
    pub(crate) used: Vec<Arc<str>>,
}

/// A method's parameters and result as places on the stack.
pub(crate) struct Slots {
    pub(crate) parameters: Vec<u8>,
    /// Places of the result.
    pub(crate) result: u8,
    pub(crate) result_type: Option<Type>,
}

impl Memory {
    pub(crate) fn body(&mut self, class: &Arc<str>, at: usize, code: &Code) -> Option<Arc<Body>> {
        if self.bodies.len() > SUMMARIES {
            self.bodies.clear();
        }
        let known = self.bodies.entry((class.clone(), at));
        known.or_insert_with(|| Body::new(code).map(Arc::new)).clone()
    }

    pub(crate) fn slots(&mut self, descriptor: &Arc<str>) -> Arc<Slots> {
        if let Some(known) = self.signatures.get(descriptor) {
            return known.clone();
        }
        let signature = Signature::parse(descriptor);
        let slots = Arc::new(Slots {
            parameters: signature
                .iter()
                .flat_map(|signature| &signature.parameters)
                .map(|parameter| parameter.slots() as u8)
                .collect(),
            result: signature
                .as_ref()
                .and_then(|signature| signature.result.as_ref())
                .map_or(0, |result| result.slots() as u8),
            result_type: signature.and_then(|signature| signature.result),
        });
        if self.signatures.len() > SUMMARIES {
            self.signatures.clear();
        }
        self.signatures.insert(descriptor.clone(), slots.clone());
        slots
    }
}

/// The analysis of one method and the methods that it calls.
pub(crate) struct Analysis<'a> {
    pub(crate) verifier: &'a Verifier,
    pub(crate) library: &'a Library,
    pub(crate) memory: &'a mut Memory,
    /// Numbers and flags are followed.
    pub(crate) precise: bool,
    pub(crate) effort: Effort,
    /// Steps that are left.
    pub(crate) steps: usize,
    /// Calls of typestates, by the calls that led there.
    pub(crate) sites: BTreeMap<Vec<Place>, Site>,
    /// Classes that were consulted.
    pub(crate) used: BTreeSet<Arc<str>>,
    /// A call was not followed because of its depth, so that the result holds for this depth only.
    pub(crate) cut: bool,
}

/// A method being run.
pub(crate) struct Frame<'a> {
    pub(crate) class: &'a Arc<Class>,
    pub(crate) at: usize,
    pub(crate) code: &'a Code,
    pub(crate) body: Arc<Body>,
    /// The calls that led here.
    pub(crate) chain: &'a [Place],
    /// As `next(String)`.
    pub(crate) shown: Arc<str>,
}

impl Frame<'_> {
    /// The place of an instruction, and an event there.
    pub(crate) fn event(&self, instruction: usize, event: String, decisive: bool) -> PathEvent {
        PathEvent {
            class: self.class.dotted_name().into(),
            method: self.shown.clone(),
            file: self.class.source_file.clone(),
            line: self.code.line_at(self.code.instructions[instruction].0),
            event,
            decisive,
        }
    }
}

/// Situations that wait, by block.
struct Schedule {
    /// Situations of a block that are told apart.
    worlds: usize,
    waiting: BTreeMap<usize, Vec<World>>,
    seen: Vec<FxHashSet<World>>,
    joined: Vec<Option<World>>,
}

impl Schedule {
    /// Enters a block with a situation, unless the same one was there before.
    fn enter(&mut self, block: usize, world: World) {
        if let Some(joined) = &self.joined[block] {
            let wider = joined.join(&world);
            if wider != *joined {
                self.joined[block] = Some(wider.clone());
                self.waiting.insert(block, vec![wider]);
            }
            return;
        }
        if !self.seen[block].insert(world.clone()) {
            return;
        }
        if self.seen[block].len() <= self.worlds {
            self.waiting.entry(block).or_default().push(world);
            return;
        }
        let mut worlds: Vec<World> = std::mem::take(&mut self.seen[block]).into_iter().collect();
        // The order of a hash set must not show.
        worlds.sort_unstable();
        let mut worlds = worlds.into_iter();
        let Some(first) = worlds.next() else { return };
        let wider = worlds.fold(first, |wider, world| wider.join(&world));
        self.joined[block] = Some(wider.clone());
        self.waiting.insert(block, vec![wider]);
    }

    fn next(&mut self) -> Option<(usize, World)> {
        let mut first = self.waiting.first_entry()?;
        let block = *first.key();
        let world = first.get_mut().pop();
        if first.get().is_empty() {
            first.remove();
        }
        Some((block, world?))
    }
}

impl Analysis<'_> {
    /// Runs a method from this situation.
    pub(crate) fn run(
        &mut self,
        class: &Arc<Class>,
        at: usize,
        chain: &[Place],
        entry: World,
    ) -> Result<Exits, Stopped> {
        let method = &class.methods[at];
        let Some(code) = &method.code else { return Ok(Exits::default()) };
        let body = self.memory.body(&class.name, at, code).ok_or(Stopped::TooLarge)?;
        let shown = shown_method(method).into();
        let verifier = self.verifier;
        verifier.outlook(self.memory, self.library, class);
        let frame = Frame { class, at, code, body: body.clone(), chain, shown };
        let blocks = body.blocks.len();
        let mut schedule = Schedule {
            worlds: self.effort.worlds,
            waiting: BTreeMap::new(),
            seen: vec![FxHashSet::default(); blocks],
            joined: vec![None; blocks],
        };
        let mut exits = Exits::default();
        if blocks == 0 {
            return Ok(exits);
        }
        let mut entry = entry;
        entry.locals.resize(usize::from(code.max_locals).max(entry.locals.len()), Value::Unknown);
        schedule.enter(0, tidy(&body, 0, entry));
        while let Some((block, world)) = schedule.next() {
            let mut ends = Vec::new();
            self.run_block(&frame, block, world, &mut ends)?;
            for (end, mut world) in ends {
                match end {
                    End::Enter(next) => schedule.enter(next, tidy(&body, next, world)),
                    End::Returned | End::Threw => {
                        world.locals.clear();
                        if end == End::Threw {
                            world.stack.clear();
                        }
                        world.normalize();
                        let list = if end == End::Threw { &mut exits.threw } else { &mut exits.returned };
                        add_exit(list, world);
                    }
                }
            }
        }
        Ok(exits)
    }
}

/// Situations in which a method may end before they are joined into one.
const EXITS: usize = 6;

fn add_exit(list: &mut Vec<World>, world: World) {
    if list.contains(&world) {
        return;
    }
    list.push(world);
    if list.len() > EXITS {
        let mut worlds = std::mem::take(list).into_iter();
        if let Some(first) = worlds.next() {
            list.push(worlds.fold(first, |wider, world| wider.join(&world)));
        }
    }
}

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Execution goes on with this block.
    Enter(usize),
    Returned,
    Threw,
}

/// Forgets variables that are not read again, so that situations that differ only there are the same.
fn tidy(body: &Body, block: usize, mut world: World) -> World {
    for (variable, value) in world.locals.iter_mut().enumerate() {
        if !body.is_live(block, variable) {
            *value = Value::Unknown;
        }
    }
    world.normalize();
    world
}

/// A method as people write it: `next(String)`.
pub(crate) fn shown_method(method: &Method) -> String {
    let types = method.signature().parameters;
    let names: Vec<String> = types.iter().map(crate::typestate::type_name).collect();
    format!("{}({})", method.name, names.join(", "))
}
