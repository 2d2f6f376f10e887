//! Abstract interpretation of a method over the origins of references.

use std::collections::BTreeSet;
use std::ops::{BitOr, BitOrAssign};

use crate::Method;
use crate::code::Code;
use crate::descriptor::{Signature, Type};
use crate::effects::{Doubt, Holder, Place, What};
use crate::flow::{Block, blocks};
use crate::instruction::{Call, Condition, Element, Instruction, Kind, Operator, StackMove};
use crate::known;
use crate::pool::{CallSiteSpec, Constant, MemberRef};
use crate::program::{MethodId, Program, Targets};

/// Possible origins of a reference. Numbers and null have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins(u8);

impl Origins {
    pub(crate) const NONE: Origins = Origins(0);
    pub(crate) const THIS: Origins = Origins(1);
    pub(crate) const INSIDE: Origins = Origins(2);
    pub(crate) const ARGUMENT: Origins = Origins(4);
    pub(crate) const ELSEWHERE: Origins = Origins(8);
    pub(crate) const FRESH: Origins = Origins(16);
    pub(crate) const ALL: Origins = Origins(31);
    const EACH: [Origins; 5] =
        [Origins::THIS, Origins::INSIDE, Origins::ARGUMENT, Origins::ELSEWHERE, Origins::FRESH];

    fn has(self, one: Origins) -> bool {
        self.0 & one.0 != 0
    }

    /// Returns the holders other than fresh objects.
    fn holders(self) -> impl Iterator<Item = Holder> {
        let named = [
            (Origins::THIS, Holder::This),
            (Origins::INSIDE, Holder::Inside),
            (Origins::ARGUMENT, Holder::Argument),
            (Origins::ELSEWHERE, Holder::Elsewhere),
        ];
        named.into_iter().filter(move |&(origin, _)| self.has(origin)).map(|(_, holder)| holder)
    }
}

impl BitOr for Origins {
    type Output = Origins;

    fn bitor(self, other: Origins) -> Origins {
        Origins(self.0 | other.0)
    }
}

impl BitOrAssign for Origins {
    fn bitor_assign(&mut self, other: Origins) {
        self.0 |= other.0;
    }
}

/// The effects of a method, as far as they are known. A summary only grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) reads: BTreeSet<Place>,
    pub(crate) writes: BTreeSet<Place>,
    pub(crate) doubts: BTreeSet<Doubt>,
    /// Possible origins of its result.
    pub(crate) returns: Origins,
    /// For each origin, the origins of what may have been stored into such an object.
    links: [Origins; 5],
}

impl Summary {
    /// Summary of a method that writes nothing and returns something of these origins.
    pub(crate) fn harmless(returns: Origins) -> Summary {
        let mut summary = Summary { returns, ..Summary::default() };
        if returns.has(Origins::FRESH) {
            // A returned fresh object may refer to anything.
            summary.link(Origins::FRESH, Origins::ALL);
        }
        summary
    }

    /// Summary of a method that may do anything.
    ///
    /// The doubt propagates to every caller, so nothing is claimed of them either. Their known writes are
    /// computed as if this method did nothing; otherwise one doubt would hide them.
    pub(crate) fn doubtful(doubt: Doubt) -> Summary {
        Summary { doubts: [doubt].into(), returns: Origins::ELSEWHERE, ..Summary::default() }
    }

    /// Records that something of `from` may have been stored into something of `into`.
    pub(crate) fn link(&mut self, into: Origins, from: Origins) {
        for (link, origin) in self.links.iter_mut().zip(Origins::EACH) {
            if into.has(origin) {
                *link |= from;
            }
        }
    }

    /// Returns the origins of what the fields of such an object may refer to.
    fn load(&self, from: Origins) -> Origins {
        let mut found = Origins(from.0 & (Origins::INSIDE | Origins::ARGUMENT | Origins::ELSEWHERE).0);
        if from.has(Origins::THIS) {
            found |= Origins::INSIDE;
        }
        if from.has(Origins::FRESH) {
            let [others @ .., fresh] = &self.links;
            found |= Origins::FRESH | *fresh;
            // Once something fresh is stored into an object of another origin, whatever is stored into
            // objects of that origin may be stored into it.
            if others.iter().any(|link| link.has(Origins::FRESH)) {
                for link in others {
                    found |= *link;
                }
            }
        }
        found
    }

    /// Returns these origins and those of everything reachable from them.
    fn reach(&self, from: Origins) -> Origins {
        let mut found = from;
        loop {
            let more = found | self.load(found);
            if more == found {
                return found;
            }
            found = more;
        }
    }

    fn touch(places: &mut BTreeSet<Place>, of: Origins, what: &What) {
        for holder in of.holders() {
            places.insert(Place { holder, what: what.clone() });
        }
    }

    /// Adds the effects of a callee, given the origins of its receiver and its arguments. Returns the origins
    /// of its result.
    fn apply(&mut self, callee: &Summary, receiver: Origins, arguments: Origins) -> Origins {
        let seen_from_here = |own: &Summary, origins: Origins| {
            let mut found = Origins(origins.0 & (Origins::ELSEWHERE | Origins::FRESH).0);
            if origins.has(Origins::THIS) {
                found |= receiver;
            }
            if origins.has(Origins::INSIDE) {
                found |= own.reach(own.load(receiver));
            }
            if origins.has(Origins::ARGUMENT) {
                found |= own.reach(arguments);
            }
            found
        };
        for (origin, &from) in Origins::EACH.into_iter().zip(&callee.links) {
            let (into, from) = (seen_from_here(self, origin), seen_from_here(self, from));
            self.link(into, from);
        }
        for (theirs, is_write) in [(&callee.reads, false), (&callee.writes, true)] {
            for place in theirs {
                let origins = match place.holder {
                    Holder::This => Origins::THIS,
                    Holder::Inside => Origins::INSIDE,
                    Holder::Argument => Origins::ARGUMENT,
                    Holder::Elsewhere => Origins::ELSEWHERE,
                    Holder::Static => Origins::NONE,
                };
                let here = seen_from_here(self, origins);
                let ours = if is_write { &mut self.writes } else { &mut self.reads };
                if place.holder == Holder::Static {
                    ours.insert(place.clone());
                } else {
                    Summary::touch(ours, here, &place.what);
                }
            }
        }
        self.doubts.extend(callee.doubts.iter().cloned());
        seen_from_here(self, callee.returns)
    }
}

/// The interpretation's view of the whole analysis.
pub(crate) trait Callees {
    /// Returns the current summary of a method.
    fn summary(&mut self, method: &MethodId) -> Summary;
    /// Returns true if the method and all that override it are assumed to write nothing.
    fn is_assumed_pure(&self, method: &MethodId) -> bool;
    /// Notes a call and the origins of its receiver.
    fn called(&mut self, _call: Call, _member: &MemberRef, _receiver: Origins) {}
}

/// Interprets a method until its summary, which starts as `known`, no longer grows.
pub(crate) fn interpret(
    program: &Program<'_>,
    id: &MethodId,
    method: &Method,
    known: Summary,
    most_targets: usize,
    callees: &mut impl Callees,
) -> Summary {
    let Some(code) = &method.code else { return known };
    let blocks = blocks(code);
    let mut run = Interpretation { program, id, most_targets, callees, summary: known };
    loop {
        let before = run.summary.clone();
        let sound = blocks.as_ref().is_some_and(|blocks| run.walk(method, code, blocks).is_some());
        if !sound {
            run.summary.doubts.insert(Doubt::Odd(id.clone()));
            run.summary.returns |= Origins::ELSEWHERE;
        }
        if !sound || run.summary == before {
            return run.summary;
        }
    }
}

/// Number of slots that one walk over a method may copy. A real method needs a thousandth; a hostile one,
/// with as many jumps and variables as fit into a class file, would otherwise take hours and all memory.
const MOST_SLOTS: usize = 1 << 26;

struct Interpretation<'a, 'p, C> {
    program: &'a Program<'p>,
    id: &'a MethodId,
    most_targets: usize,
    callees: &'a mut C,
    summary: Summary,
}

/// Origins of the stack and the local variables, by slot. A `long` takes two.
#[derive(Clone, PartialEq)]
struct State {
    stack: Vec<Origins>,
    locals: Vec<Origins>,
}

impl State {
    fn pop(&mut self) -> Option<Origins> {
        self.stack.pop()
    }

    fn drop(&mut self, slots: usize) -> Option<()> {
        self.stack.truncate(self.stack.len().checked_sub(slots)?);
        Some(())
    }

    fn push(&mut self, origins: Origins, slots: usize) {
        self.stack.extend(std::iter::repeat_n(origins, slots));
    }

    fn push_typed(&mut self, origins: Origins, of: &Type) {
        let origins = if of.is_reference() { origins } else { Origins::NONE };
        self.push(origins, of.slots());
    }

    /// Joins the state of another path. Returns true if this changed, or `None` if the stacks do not match.
    fn join(&mut self, other: &State) -> Option<bool> {
        if self.stack.len() != other.stack.len() {
            return None;
        }
        let before = self.clone();
        for (mine, theirs) in self.stack.iter_mut().zip(&other.stack) {
            *mine |= *theirs;
        }
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *mine |= *theirs;
        }
        Some(*self != before)
    }
}

impl<C: Callees> Interpretation<'_, '_, C> {
    /// Visits every block until the states are stable. Returns `None` if the code cannot be followed.
    fn walk(&mut self, method: &Method, code: &Code, blocks: &[Block]) -> Option<()> {
        let mut entry =
            State { stack: Vec::new(), locals: vec![Origins::NONE; usize::from(code.max_locals)] };
        let mut slot = 0;
        if !method.is_static() {
            *entry.locals.get_mut(0)? = Origins::THIS;
            slot = 1;
        }
        for parameter in method.signature().parameters {
            if parameter.is_reference() {
                *entry.locals.get_mut(slot)? = Origins::ARGUMENT;
            }
            slot += parameter.slots();
        }
        let mut states: Vec<Option<State>> = vec![None; blocks.len()];
        let mut open = BTreeSet::from([0]);
        let mut left = MOST_SLOTS;
        *states.first_mut()? = Some(entry);
        while let Some(number) = open.pop_first() {
            let block = &blocks[number];
            let mut state = states[number].clone()?;
            let ways = 2 + block.next.len() + block.handlers.len();
            left = left.checked_sub(ways * (state.stack.len() + state.locals.len() + 1))?;
            let mut caught = State { stack: vec![Origins::ALL], locals: state.locals.clone() };
            for (_, instruction) in &code.instructions[block.instructions.clone()] {
                self.step(&mut state, instruction)?;
                if state.stack.len() > usize::from(code.max_stack) {
                    return None;
                }
                if matches!(instruction, Instruction::Store(..)) {
                    for (mine, theirs) in caught.locals.iter_mut().zip(&state.locals) {
                        *mine |= *theirs;
                    }
                }
            }
            let next = block.next.iter().map(|&to| (to, &state));
            for (to, from) in next.chain(block.handlers.iter().map(|&to| (to, &caught))) {
                let changed = match &mut states[to] {
                    Some(known) => known.join(from)?,
                    unknown => {
                        *unknown = Some(from.clone());
                        true
                    }
                };
                if changed {
                    open.insert(to);
                }
            }
        }
        Some(())
    }

    fn step(&mut self, state: &mut State, instruction: &Instruction) -> Option<()> {
        match instruction {
            Instruction::Nop
            | Instruction::Increment(..)
            | Instruction::Goto(_)
            | Instruction::CheckCast(_) => {}
            Instruction::Push(constant) => self.push(state, constant)?,
            Instruction::Load(Kind::Reference, slot) => {
                let origins = *state.locals.get(usize::from(*slot))?;
                state.push(origins, 1);
            }
            Instruction::Load(kind, _) => state.push(Origins::NONE, kind.slots()),
            Instruction::Store(kind, slot) => {
                let origins = state.pop()?;
                state.drop(kind.slots() - 1)?;
                for slot in usize::from(*slot)..usize::from(*slot) + kind.slots() {
                    *state.locals.get_mut(slot)? = origins;
                }
            }
            Instruction::ArrayLoad(element) => self.load_element(state, *element)?,
            Instruction::ArrayStore(element) => self.store_element(state, *element)?,
            Instruction::GetField(field) => self.get_field(state, field)?,
            Instruction::PutField(field) => self.put_field(state, field)?,
            Instruction::GetStatic(field) => {
                let place = Place { holder: Holder::Static, what: self.what(field) };
                self.summary.reads.insert(place);
                state.push_typed(Origins::ELSEWHERE, &Type::parse(&field.descriptor)?);
            }
            Instruction::PutStatic(field) => {
                let value = state.pop()?;
                state.drop(Type::parse(&field.descriptor)?.slots() - 1)?;
                let place = Place { holder: Holder::Static, what: self.what(field) };
                self.summary.writes.insert(place);
                self.summary.link(Origins::ELSEWHERE, value);
            }
            Instruction::Stack(how) => shuffle(&mut state.stack, *how)?,
            Instruction::Arithmetic(_, Operator::Neg) => {}
            // The distance of a shift is an `int`, even for a `long`.
            Instruction::Arithmetic(_, Operator::Shl | Operator::Shr | Operator::Ushr) => state.drop(1)?,
            Instruction::Arithmetic(kind, _) => state.drop(kind.slots())?,
            Instruction::Convert(from, to) => {
                state.drop(from.slots())?;
                state.push(Origins::NONE, to.kind().slots());
            }
            Instruction::Compare(kind, _) => {
                state.drop(2 * kind.slots())?;
                state.push(Origins::NONE, 1);
            }
            Instruction::Branch(Condition::Zero(_) | Condition::Null(_), _)
            | Instruction::Switch { .. }
            | Instruction::MonitorEnter
            | Instruction::MonitorExit
            | Instruction::Throw => state.drop(1)?,
            Instruction::Branch(Condition::Ints(_) | Condition::References(_), _) => state.drop(2)?,
            Instruction::Jsr(_) | Instruction::Ret(_) => return None,
            Instruction::Return(kind) => {
                if *kind == Some(Kind::Reference) {
                    self.summary.returns |= state.pop()?;
                }
            }
            Instruction::Invoke(call, member) => self.invoke(state, *call, member)?,
            Instruction::InvokeDynamic(site) => self.invoke_dynamic(state, site)?,
            Instruction::New(_) => state.push(Origins::FRESH, 1),
            Instruction::NewArray(_, lengths) => {
                state.drop(usize::from(*lengths))?;
                state.push(Origins::FRESH, 1);
            }
            Instruction::ArrayLength | Instruction::InstanceOf(_) => {
                state.drop(1)?;
                state.push(Origins::NONE, 1);
            }
        }
        Some(())
    }

    fn push(&mut self, state: &mut State, constant: &Constant) -> Option<()> {
        match constant {
            Constant::Null | Constant::Int(_) | Constant::Float(_) => state.push(Origins::NONE, 1),
            Constant::Long(_) | Constant::Double(_) => state.push(Origins::NONE, 2),
            Constant::Dynamic { descriptor, .. } => {
                self.summary.doubts.insert(Doubt::Odd(self.id.clone()));
                state.push_typed(Origins::ELSEWHERE, &Type::parse(descriptor)?);
            }
            Constant::String(_)
            | Constant::HalfString(_)
            | Constant::Class(_)
            | Constant::MethodType(_)
            | Constant::MethodHandle(_) => state.push(Origins::ELSEWHERE, 1),
        }
        Some(())
    }

    fn load_element(&mut self, state: &mut State, element: Element) -> Option<()> {
        state.drop(1)?;
        let array = state.pop()?;
        Summary::touch(&mut self.summary.reads, array, &What::Elements);
        let is_reference = element == Element::Reference;
        let loaded = if is_reference { self.summary.load(array) } else { Origins::NONE };
        state.push(loaded, element.kind().slots());
        Some(())
    }

    fn store_element(&mut self, state: &mut State, element: Element) -> Option<()> {
        let value = state.pop()?;
        state.drop(element.kind().slots())?;
        let array = state.pop()?;
        Summary::touch(&mut self.summary.writes, array, &What::Elements);
        self.summary.link(array, value);
        Some(())
    }

    fn get_field(&mut self, state: &mut State, field: &MemberRef) -> Option<()> {
        let (object, what) = (state.pop()?, self.what(field));
        Summary::touch(&mut self.summary.reads, object, &what);
        state.push_typed(self.summary.load(object), &Type::parse(&field.descriptor)?);
        Some(())
    }

    fn put_field(&mut self, state: &mut State, field: &MemberRef) -> Option<()> {
        let value = state.pop()?;
        state.drop(Type::parse(&field.descriptor)?.slots() - 1)?;
        let object = state.pop()?;
        let what = self.what(field);
        if !matches!(&what, What::Field { class, name } if known::is_cache(class, name)) {
            Summary::touch(&mut self.summary.writes, object, &what);
        }
        self.summary.link(object, value);
        Some(())
    }

    fn what(&self, field: &MemberRef) -> What {
        let class = self.program.declaring(field).unwrap_or(&field.class).clone();
        What::Field { class, name: field.name.clone() }
    }

    fn invoke(&mut self, state: &mut State, call: Call, member: &MemberRef) -> Option<()> {
        let signature = Signature::parse(&member.descriptor)?;
        let arguments = pop_arguments(state, &signature)?.into_iter().fold(Origins::NONE, BitOr::bitor);
        let receiver = if call == Call::Static { Origins::NONE } else { state.pop()? };
        let result = self.call(call, member, receiver, arguments);
        if let Some(of) = &signature.result {
            state.push_typed(result, of);
        }
        Some(())
    }

    fn call(&mut self, call: Call, member: &MemberRef, receiver: Origins, arguments: Origins) -> Origins {
        self.callees.called(call, member, receiver);
        if let Some((class, _)) = self.program.resolve(&member.class, &member.name, &member.descriptor)
            && self.callees.is_assumed_pure(&MethodId::new(&class.name, &member.name, &member.descriptor))
        {
            return self.summary.apply(&Summary::harmless(Origins::ALL), receiver, arguments);
        }
        let doubt = match self.program.targets(&self.id.class, call, member) {
            Targets::Known(targets) if targets.is_empty() => Doubt::Unresolved(member.clone()),
            Targets::Known(targets) if targets.len() > self.most_targets => {
                Doubt::ManyTargets(member.clone(), targets.len())
            }
            Targets::Known(targets) => {
                let mut result = Origins::NONE;
                for target in &targets {
                    let callee = self.callees.summary(target);
                    result |= self.summary.apply(&callee, receiver, arguments);
                }
                return result;
            }
            Targets::Unresolved => Doubt::Unresolved(member.clone()),
            Targets::Lambda(_) => Doubt::Lambda(member.clone()),
        };
        self.summary.doubts.insert(doubt);
        Origins::ELSEWHERE
    }

    fn invoke_dynamic(&mut self, state: &mut State, site: &CallSiteSpec) -> Option<()> {
        let signature = Signature::parse(&site.descriptor)?;
        let arguments = pop_arguments(state, &signature)?;
        let result = match &*site.bootstrap.class {
            // A lambda is made, which holds what it captures; its body runs when it is called.
            "java/lang/invoke/LambdaMetafactory" => {
                for captured in arguments {
                    self.summary.link(Origins::FRESH, captured);
                }
                Origins::FRESH
            }
            "java/lang/invoke/StringConcatFactory" => {
                for (argument, of) in arguments.into_iter().zip(&signature.parameters) {
                    let class = match of {
                        Type::Class(class) => class.clone(),
                        Type::Array(_) => "java/lang/Object".into(),
                        _ => continue,
                    };
                    let to_string = MemberRef {
                        class,
                        name: "toString".into(),
                        descriptor: "()Ljava/lang/String;".into(),
                        in_interface: false,
                    };
                    self.call(Call::Virtual, &to_string, argument, Origins::NONE);
                }
                Origins::FRESH
            }
            _ => {
                self.summary.doubts.insert(Doubt::Dynamic(site.bootstrap.clone()));
                Origins::ELSEWHERE
            }
        };
        if let Some(of) = &signature.result {
            state.push_typed(result, of);
        }
        Some(())
    }
}

/// Pops the arguments and returns their origins in order. Numbers have none.
fn pop_arguments(state: &mut State, signature: &Signature) -> Option<Vec<Origins>> {
    let mut arguments = Vec::new();
    for parameter in signature.parameters.iter().rev() {
        arguments.push(state.pop()?);
        state.drop(parameter.slots() - 1)?;
    }
    arguments.reverse();
    Some(arguments)
}

/// Moves slots on the stack. Slots move regardless of their types, so `long` and `double` need no special
/// cases.
fn shuffle(stack: &mut Vec<Origins>, how: StackMove) -> Option<()> {
    // Number of slots copied from the top, and number of slots below which they are inserted.
    let (copied, below) = match how {
        StackMove::Pop => return stack.pop().map(|_| ()),
        StackMove::Pop2 => return stack.pop().and(stack.pop()).map(|_| ()),
        StackMove::Swap => {
            let top = stack.len();
            stack.swap(top.checked_sub(1)?, top.checked_sub(2)?);
            return Some(());
        }
        StackMove::Dup => (1, 0),
        StackMove::DupX1 => (1, 1),
        StackMove::DupX2 => (1, 2),
        StackMove::Dup2 => (2, 0),
        StackMove::Dup2X1 => (2, 1),
        StackMove::Dup2X2 => (2, 2),
    };
    let from = stack.len().checked_sub(copied)?;
    let to = from.checked_sub(below)?;
    let copies: Vec<Origins> = stack[from..].to_vec();
    stack.splice(to..to, copies);
    Some(())
}
