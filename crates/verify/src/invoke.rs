//! Calls: events of followed objects, methods of the program that are run in place, and unknown code.

use std::sync::Arc;

use adit_bytecode::{Call, CallSiteSpec, Code, Handler, Instruction, MemberRef, StackMove, Type};

use crate::Stopped;
use crate::analysis::{Analysis, End, Exits, Frame, Place, Refused, Site, Slots, Summary};
use crate::harmless::{self, Effect};
use crate::limits::{INLINED_LENGTH, SUMMARIES};
use crate::steps::{is_caught, pop, unknown};
use crate::typestate::{ReceiverScope, Typestate, alternatives, simple_name};
use crate::world::{FieldKey, Id, Object, Track, Value, World};

/// The situations after a call returned, and the ends of the block by exceptions.
type Ends<'e> = &'e mut Vec<(End, World)>;

impl Analysis<'_> {
    #[expect(clippy::too_many_arguments, reason = "a call, its situation, and where it leads")]
    pub(crate) fn invoke(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        call: Call,
        member: &MemberRef,
        mut world: World,
        next: &mut Vec<World>,
        ends: Ends<'_>,
    ) -> Result<(), Stopped> {
        let slots = self.memory.slots(&member.descriptor);
        let mut arguments = Vec::with_capacity(slots.parameters.len());
        for &width in slots.parameters.iter().rev() {
            pop(&mut world, usize::from(width) - 1);
            arguments.push(world.pop());
        }
        arguments.reverse();
        let receiver = if call == Call::Static { None } else { Some(world.pop()) };
        if receiver == Some(Value::Null) {
            self.thrown(frame, at, world, ends);
            return Ok(());
        }
        if let Some(Value::Ref(id)) = receiver {
            if call != Call::Special || &*member.name == "<init>" {
                self.attach(&mut world, id, member);
            }
            if world.object(id).track.is_some() && (call != Call::Special || &*member.name == "<init>") {
                let from = next.len();
                for world in self.told_apart(world, id, member) {
                    self.event(frame, at, id, member, &arguments, &slots, world, next, ends);
                }
                self.note_collections(frame, at, member, receiver, next, from);
                return Ok(());
            }
        }
        if receiver.is_some() && self.precise && self.verifier.names.contains(&member.name) {
            // Nothing is known of this object, so that the call may be right here.
            self.site(frame, at).allowed = true;
        }
        if let Some(compared) = self.compared(frame, at, member, receiver, &arguments, &world) {
            self.may_throw(frame, at, &world, ends);
            next.extend(compared);
            return Ok(());
        }
        if let Some(results) = self.follow(frame, at, call, member, receiver, &arguments, &slots, &world)? {
            next.extend(results.returned);
            for world in results.threw {
                self.thrown(frame, at, world, ends);
            }
            return Ok(());
        }
        let from = next.len();
        self.unknown_call(frame, at, member, receiver, &arguments, &slots, world, next, ends);
        self.note_collections(frame, at, member, receiver, next, from);
        Ok(())
    }

    /// Begins to follow an object that is used through a class with a typestate.
    fn attach(&self, world: &mut World, id: Id, member: &MemberRef) {
        let object = world.object(id);
        if object.track.is_some() {
            return;
        }
        if &*member.name == "<init>" {
            // A constructor of the class itself, and not that of a superclass, brings the object to life.
            if object.class.as_ref() == Some(&member.class)
                && let Some(model) = self.verifier.model_of(&member.class)
            {
                let typestate = self.verifier.typestate(model);
                if typestate.scope == ReceiverScope::Exact {
                    let created = typestate.created;
                    world.object_mut(id).track = Some(Track {
                        model,
                        states: created,
                        lost: false,
                        from_creation: true,
                        vague: false,
                        pending: None,
                    });
                }
            }
            return;
        }
        // An object of a class of the program has its own protocol.
        if object.class.is_some() {
            return;
        }
        let Some(model) = self.verifier.model_of(&member.class) else { return };
        let typestate = self.verifier.typestate(model);
        if typestate.call(&member.name, &member.descriptor).is_some() {
            let object = world.object_mut(id);
            object.track = Some(Track {
                model,
                states: typestate.all,
                lost: false,
                from_creation: false,
                vague: true,
                pending: None,
            });
        }
    }

    /// The situation before a call, one for each boolean that the last call returned if a variable or the
    /// stack still holds it: code that keeps an answer tests it later, so that both answers are possible. An
    /// answer that nobody keeps is not told apart; then the client has other reasons to know it.
    fn told_apart(&self, world: World, id: Id, member: &MemberRef) -> Vec<World> {
        let is_held = || world.holds(Value::Answer(id));
        let Some(track) = &world.object(id).track else { return vec![world] };
        if track.pending.is_none() || !is_held() {
            return vec![world];
        }
        let typestate = self.verifier.typestate(track.model);
        let Some(call) = typestate.call(&member.name, &member.descriptor) else { return vec![world] };
        let both = [false, true].map(|answer| {
            let mut world = world.clone();
            self.settle(&mut world, id, answer);
            world
        });
        let refuses = |world: &World| {
            world.object(id).track.as_ref().is_some_and(|track| {
                let answer = typestate.answer(track.states, call);
                !track.lost && !answer.unknown && answer.refused == track.states
            })
        };
        // Without flags the answer is forgotten here, so that only a refusal is worth telling apart.
        if !self.precise && refuses(&both[0]) == refuses(&both[1]) {
            return vec![world];
        }
        both.into()
    }

    /// A call on an object that is followed.
    #[expect(clippy::too_many_arguments, reason = "a call, its situation, and where it leads")]
    fn event(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        id: Id,
        member: &MemberRef,
        arguments: &[Value],
        slots: &Slots,
        mut world: World,
        next: &mut Vec<World>,
        ends: Ends<'_>,
    ) {
        world.object_mut(id).nonnull = true;
        // What is passed to the call may be used by it, now and later.
        for &argument in arguments {
            self.expose(&mut world, argument);
        }
        self.disturb_states(&mut world, id);
        world.replace(Value::Answer(id), Value::Unknown);
        let Some(track) = world.object(id).track.clone() else { return };
        let typestate = self.verifier.typestate(track.model);
        if &*member.name == "<init>" {
            let event = frame.event(at, format!("new {}", typestate.simple_class()), true);
            let object = world.object_mut(id);
            object.history = object.history.and(event);
            self.may_throw(frame, at, &world, ends);
            next.push(world);
            return;
        }
        if self.is_outdated(frame, at, id, member, &world, ends) {
            return;
        }
        let mut track = Track { pending: None, ..track };
        let call = typestate.call(&member.name, &member.descriptor);
        let (Some(call), false) = (call, track.lost) else {
            if call.is_some() {
                self.site(frame, at).allowed = true;
            }
            let fluent = call.is_some_and(|call| typestate.calls[call].fluent);
            if call.is_none() && !track.lost && !is_question(member, slots) {
                // Of other methods the model says nothing: afterwards the object may be in any state.
                let is_unasked = world.object(id).class.is_some() && track.states == typestate.all;
                let vague = track.vague || !is_unasked;
                track = Track { states: typestate.all, from_creation: false, vague, ..track };
                world.object_mut(id).history = crate::world::History::default();
            }
            world.object_mut(id).track = Some(track);
            self.may_throw(frame, at, &world, ends);
            self.result(frame, at, id, member, slots, fluent, None, &mut world);
            next.push(world);
            return;
        };
        let spec = &typestate.calls[call];
        let answer = typestate.answer(track.states, call);
        if answer.refused == track.states && !answer.unknown {
            let exception = answer.exception.unwrap_or_default();
            if !self.is_expected(frame, at, member, &exception, &spec.declares) {
                let refused = refusal(frame, at, &world, id, &track, typestate, call, exception);
                self.site(frame, at).refused.get_or_insert(refused);
            }
            // A refused call throws and leaves the object as it was.
            self.thrown(frame, at, world, ends);
            return;
        }
        if self.verifier.reports_unchecked
            && answer.refused != 0
            && !track.vague
            && let Some(exception) = answer.exception.clone()
            && !self.is_expected(frame, at, member, &exception, &spec.declares)
        {
            let refusing = Track { states: answer.refused, ..track.clone() };
            let refused = refusal(frame, at, &world, id, &refusing, typestate, call, exception);
            self.site(frame, at).unchecked.get_or_insert(refused);
        }
        self.site(frame, at).allowed = true;
        let before = track.states;
        // A call that no state refuses and that changes none tells nothing.
        track.vague &= answer.refused == 0 && !typestate.tells(before, call);
        let is_boolean = slots.result_type == Some(Type::Boolean) && (answer.on_true | answer.on_false) != 0;
        let mut after = answer.returned;
        if is_boolean {
            after |= answer.on_true | answer.on_false;
            // A search may have missed the other answer. Unless a branch tells which it was, a call that
            // changes the object may have brought it anywhere.
            if (answer.on_true == 0 || answer.on_false == 0) && after & !before != 0 {
                after = typestate.all;
            }
            let plain = answer.returned;
            track.pending = Some((answer.on_false | plain, answer.on_true | plain));
        }
        let is_known = is_boolean
            && (answer.on_true == 0 || answer.on_false == 0)
            && self.precise
            && !answer.unknown
            && typestate.is_answered_by_state(call);
        if asks_number(frame, at, slots) && !typestate.tells(typestate.all, call) {
            // The code may compare the number, and the model does not say which states it stands for.
            after = typestate.answer(typestate.all, call).returned;
            track.vague = true;
        }
        track.lost = answer.unknown;
        track.states = after;
        if answer.unknown {
            track.pending = None;
        }
        let decisive = after != before;
        let event = frame.event(at, spec.label.clone(), decisive);
        let pending = track.pending.is_some();
        // A call that throws for another reason leaves the object in a state that nobody knows.
        if is_caught(frame, at) {
            let mut threw = world.clone();
            if let Some(track) = &mut threw.object_mut(id).track {
                track.states = typestate.all;
                track.vague = true;
                track.pending = None;
            }
            self.thrown(frame, at, threw, ends);
        }
        let fluent = spec.fluent;
        let object = world.object_mut(id);
        object.history = object.history.and(event);
        object.track = Some(track);
        self.result(frame, at, id, member, slots, fluent, pending.then_some(id), &mut world);
        if is_known {
            self.settle(&mut world, id, answer.on_true != 0);
        }
        next.push(world);
    }

    /// Pushes the result of a call on a followed object.
    #[expect(clippy::too_many_arguments, reason = "a call, its situation, and its result")]
    fn result(
        &self,
        frame: &Frame<'_>,
        at: usize,
        id: Id,
        member: &MemberRef,
        slots: &Slots,
        fluent: bool,
        pending: Option<Id>,
        world: &mut World,
    ) {
        match &slots.result_type {
            None => {}
            Some(Type::Boolean) => world.push(pending.map_or(Value::Unknown, Value::Answer)),
            Some(_) if fluent => world.push(Value::Ref(id)),
            Some(Type::Class(class)) => {
                if let Some(made) = self.created(frame, at, member, slots, world) {
                    world.push(Value::Ref(made));
                    return;
                }
                // A method may return its receiver: a call on the result is then a call on it, too.
                let model = world.object(id).track.as_ref().map(|track| track.model);
                if model.is_some_and(|model| *class == self.verifier.typestate(model).class) {
                    world.share(Value::Ref(id));
                }
                unknown(world, 1);
            }
            Some(_) => unknown(world, usize::from(slots.result)),
        }
    }

    /// The record of the call at an instruction.
    pub(crate) fn site(&mut self, frame: &Frame<'_>, at: usize) -> &mut Site {
        let mut chain = frame.chain.to_vec();
        chain.push((frame.class.name.clone(), frame.at, at));
        self.sites.entry(chain).or_default()
    }

    /// Returns true if the code around the call catches just this exception, though nothing forces it to, or
    /// if it implements the same method by passing the call on: then its author reckons with it.
    pub(crate) fn is_expected(
        &self,
        frame: &Frame<'_>,
        at: usize,
        member: &MemberRef,
        exception: &str,
        declares: &[String],
    ) -> bool {
        let own = &frame.class.methods[frame.at];
        if own.name == member.name && own.descriptor == member.descriptor {
            return true;
        }
        let offset = frame.code.instructions[at].0;
        let covers = |handler: &&Handler| (handler.start..handler.end).contains(&offset);
        frame.code.handlers.iter().filter(covers).any(|handler| {
            let caught = handler.catches.as_deref().map(simple_name);
            if caught.is_some_and(|caught| CATCH_ALL.contains(&caught)) && is_empty(frame.code, handler) {
                return true;
            }
            alternatives(exception).map(simple_name).any(|exception| {
                // A handler that is needed anyway says nothing, unless it does nothing.
                let is_declared = declares.iter().any(|declared| declared == exception);
                caught == Some(exception) && (!is_declared || is_empty(frame.code, handler))
            })
        })
    }

    /// Runs a method of the program in place of its call, if it can be told which one it is and if it
    /// matters.
    #[expect(clippy::too_many_arguments, reason = "a call, and its situation")]
    fn follow(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        call: Call,
        member: &MemberRef,
        receiver: Option<Value>,
        arguments: &[Value],
        slots: &Slots,
        world: &World,
    ) -> Result<Option<Exits>, Stopped> {
        let exact = match receiver {
            Some(Value::Ref(id)) => world.object(id).class.clone(),
            _ => None,
        };
        // Most calls leave the program, and need no more thought.
        let Some((class, index)) = self.library.target(call, member, exact.as_ref(), &mut self.used) else {
            return Ok(None);
        };
        let method = &class.methods[index];
        let Some(code) = &method.code else { return Ok(None) };
        let verifier = self.verifier;
        let outlook = verifier.outlook(self.memory, self.library, &class).methods[index];
        if outlook.always_throws {
            let mut world = world.clone();
            receiver.iter().chain(arguments).for_each(|&value| world.share(value));
            self.disturb(&mut world);
            return Ok(Some(Exits { returned: Vec::new(), threw: vec![world] }));
        }
        let held = receiver.iter().chain(arguments);
        if !self.is_informative(world, held) {
            let matters = outlook.shares || self.has_shared_knowledge(world);
            if !(outlook.mentions && matters) {
                return Ok(None);
            }
        }
        let place: Place = (frame.class.name.clone(), frame.at, at);
        let runs = frame.class.name == class.name && frame.at == index;
        let calls = |(name, method, _): &Place| *name == class.name && *method == index;
        if frame.chain.len() >= self.effort.depth || runs || frame.chain.iter().any(calls) {
            self.cut = true;
            return Ok(None);
        }
        if code.instructions.len() > INLINED_LENGTH {
            return Ok(None);
        }
        let mut locals: Vec<Value> = receiver.into_iter().collect();
        for (value, &width) in arguments.iter().zip(&slots.parameters) {
            locals.push(*value);
            locals.extend((1..width).map(|_| Value::Unknown));
        }
        let mut entry = World {
            locals,
            stack: Vec::new(),
            pins: pins(world),
            heap: world.heap.clone(),
            objects: world.objects.clone(),
        };
        if let Some(Value::Ref(id)) = receiver {
            entry.object_mut(id).nonnull = true;
        }
        entry.normalize();
        let key = (class.name.clone(), index, self.precise, entry);
        if let Some(known) = self.memory.summaries.get(&key).cloned() {
            self.used.extend(known.used.iter().cloned());
            let shown = crate::analysis::shown_method(method);
            return Ok(Some(self.returned(frame, at, &known.exits, world, Some(&shown))));
        }
        let mut chain = frame.chain.to_vec();
        chain.push(place);
        let was_cut = std::mem::replace(&mut self.cut, false);
        let used = std::mem::take(&mut self.used);
        let exits = self.run(&class, index, &chain, key.3.clone());
        let inner = std::mem::replace(&mut self.used, used);
        let cut = std::mem::replace(&mut self.cut, was_cut);
        self.cut |= cut;
        let exits = exits?;
        let results = self.returned(frame, at, &exits, world, None);
        let refuses = |(place, site): (&Vec<Place>, &Site)| place.starts_with(&chain) && site.is_suspect();
        if !cut
            && !self.sites.range(chain.clone()..).take_while(|(key, _)| key.starts_with(&chain)).any(refuses)
        {
            if self.memory.summaries.len() >= SUMMARIES {
                self.memory.summaries.clear();
            }
            let summary = Summary { exits, used: inner.iter().cloned().collect() };
            self.memory.summaries.insert(key, Arc::new(summary));
        }
        self.used.extend(inner);
        Ok(Some(results))
    }

    /// The caller's situations after a call was run in place. `summarized` is the method, if its effect was
    /// known from before, with another history.
    fn returned(
        &self,
        frame: &Frame<'_>,
        at: usize,
        exits: &Exits,
        world: &World,
        summarized: Option<&str>,
    ) -> Exits {
        let old_pins = pins(world);
        let back = |exit: &World| {
            let became = |value: Value| {
                let pinned = old_pins.iter().position(|&pin| pin == value);
                pinned.map_or(value, |at| exit.pins[at])
            };
            let list = |values: &[Value]| values.iter().map(|&value| became(value)).collect::<Vec<Value>>();
            let mut after = World {
                locals: list(&world.locals),
                stack: list(&world.stack),
                pins: list(&world.pins),
                heap: exit.heap.clone(),
                objects: exit.objects.clone(),
            };
            if let Some(method) = summarized {
                for (pin, value) in old_pins.iter().zip(&exit.pins) {
                    if let (Value::Ref(old), Value::Ref(new)) = (pin, value) {
                        let object = after.object_mut(*new);
                        let before = world.object(*old);
                        object.history = before.history.clone();
                        if object.track != before.track {
                            let event = frame.event(at, format!("inside {method}"), true);
                            object.history = object.history.and(event);
                        }
                    }
                }
            }
            after.stack.extend(&exit.stack);
            after
        };
        let threw = exits.threw.iter().map(back).collect();
        Exits { returned: exits.returned.iter().map(back).collect(), threw }
    }

    /// Returns true if something worth following is reachable from the values.
    fn is_informative<'v>(&self, world: &World, values: impl Iterator<Item = &'v Value>) -> bool {
        let mut seen = vec![false; world.objects.len()];
        let mut open: Vec<Id> =
            values.filter_map(|value| if let Value::Ref(id) = value { Some(*id) } else { None }).collect();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[usize::from(id)], true) {
                continue;
            }
            if crate::comodification::is_iterated(world, id) {
                return true;
            }
            let track = world.object(id).track.as_ref();
            if track
                .is_some_and(|track| !track.lost && track.states != self.verifier.typestate(track.model).all)
            {
                return true;
            }
            for ((base, _), value) in &world.heap {
                if let (true, Value::Ref(id)) = (*base == id, value) {
                    open.push(*id);
                }
            }
        }
        false
    }

    /// Returns true if the state of an object is known that unknown code could change.
    fn has_shared_knowledge(&self, world: &World) -> bool {
        world.objects.iter().any(|object| {
            let known =
                |track: &Track| !track.lost && track.states != self.verifier.typestate(track.model).all;
            !object.fresh && object.track.as_ref().is_some_and(known)
        })
    }

    /// Unknown code ran.
    fn disturb(&self, world: &mut World) {
        let outlooks = &self.memory.outlooks;
        let is_final = |key: &FieldKey| {
            outlooks.get(&key.class).is_some_and(|outlook| outlook.final_fields.contains_key(&key.name))
        };
        world.disturb(|model| self.verifier.typestate(model).all, is_final, None);
    }

    /// A call of code that is not known, or not worth running.
    #[expect(clippy::too_many_arguments, reason = "a call, its situation, and where it leads")]
    fn unknown_call(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        member: &MemberRef,
        receiver: Option<Value>,
        arguments: &[Value],
        slots: &Slots,
        mut world: World,
        next: &mut Vec<World>,
        ends: Ends<'_>,
    ) {
        match harmless::effect(&member.class, &member.name) {
            Effect::Nothing => {}
            Effect::Stores => arguments.iter().for_each(|&argument| world.share(argument)),
            Effect::Unknown => {
                for &value in receiver.iter().chain(arguments) {
                    world.share(value);
                }
                self.disturb(&mut world);
            }
        }
        if ends_program(member) {
            return;
        }
        if let Some(Value::Ref(id)) = receiver {
            world.object_mut(id).nonnull = true;
        }
        self.may_throw(frame, at, &world, ends);
        let result = self.created(frame, at, member, slots, &mut world);
        match result {
            Some(id) => world.push(Value::Ref(id)),
            None if &*member.name == "requireNonNull" => {
                world.push(arguments.first().copied().unwrap_or(Value::Unknown));
            }
            None => unknown(&mut world, usize::from(slots.result)),
        }
        next.push(world);
    }

    /// The new object that a method of the Java library returns, if it has a typestate.
    fn created(
        &self,
        frame: &Frame<'_>,
        at: usize,
        member: &MemberRef,
        slots: &Slots,
        world: &mut World,
    ) -> Option<Id> {
        let Some(Type::Class(class)) = &slots.result_type else { return None };
        let model = self.verifier.model_of(class)?;
        let typestate = self.verifier.typestate(model);
        if !typestate.creates(member) {
            return None;
        }
        let mut object = Object { fresh: true, nonnull: true, ..Object::unknown() };
        object.track = Some(Track {
            model,
            states: typestate.created,
            lost: false,
            from_creation: true,
            vague: false,
            pending: None,
        });
        object.history = object.history.and(frame.event(at, member.name.to_string(), true));
        Some(world.add(object))
    }

    pub(crate) fn invoke_dynamic(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        site: &CallSiteSpec,
        mut world: World,
        next: &mut Vec<World>,
        ends: Ends<'_>,
    ) {
        let slots = self.memory.slots(&site.descriptor);
        let joins_texts = &*site.bootstrap.class == "java/lang/invoke/StringConcatFactory";
        for &width in slots.parameters.iter().rev() {
            pop(&mut world, usize::from(width) - 1);
            let captured = world.pop();
            if !joins_texts {
                // A lambda may run at any time from now on.
                self.expose(&mut world, captured);
            }
        }
        self.may_throw(frame, at, &world, ends);
        unknown(&mut world, usize::from(slots.result));
        next.push(world);
    }

    /// Unknown code got the value: its object may be in any state.
    fn expose(&self, world: &mut World, value: Value) {
        let Value::Ref(id) = value else { return };
        world.share(value);
        let mut replaced = false;
        if let Some(track) = &mut world.object_mut(id).track
            && !track.lost
        {
            track.states = self.verifier.typestate(track.model).all;
            track.from_creation = false;
            track.vague = true;
            track.pending = None;
            replaced = true;
        }
        if replaced {
            world.object_mut(id).history = crate::world::History::default();
            world.replace(Value::Answer(id), Value::Unknown);
        }
    }

    /// A call on an object may change others that it may be, or that it uses.
    fn disturb_states(&self, world: &mut World, id: Id) {
        let heap = std::mem::take(&mut world.heap);
        let verifier = self.verifier;
        world.disturb(|model| verifier.typestate(model).all, |_| true, Some(id));
        world.heap = heap;
    }
}

/// Exceptions whose handlers catch nearly everything.
const CATCH_ALL: [&str; 3] = ["Exception", "RuntimeException", "Throwable"];

/// Returns true if a handler ignores its exception: it stores or drops it, and goes on elsewhere.
fn is_empty(code: &Code, handler: &Handler) -> bool {
    let Some(first) = code.index_at(handler.target) else { return false };
    let at = |index: usize| code.instructions.get(index);
    if !matches!(at(first), Some((_, Instruction::Store(..) | Instruction::Stack(StackMove::Pop)))) {
        return false;
    }
    match (first.checked_sub(1).and_then(at), at(first + 1)) {
        (_, Some((_, Instruction::Goto(_) | Instruction::Return(None)))) => true,
        // The code before the handler jumps to where the handler ends.
        (Some((_, Instruction::Goto(behind))), Some((offset, _))) => behind == offset,
        _ => false,
    }
}

/// Returns true if the method asks for a yes or no, by its name: it changes nothing.
fn is_question(member: &MemberRef, slots: &Slots) -> bool {
    harmless::is_object_method(&member.name)
        || (slots.result_type == Some(Type::Boolean)
            && slots.parameters.is_empty()
            && (member.name.starts_with("is") || member.name.starts_with("has")))
}

/// Returns true if the call gives a number that the code may compare: it does not drop the number, nor pass
/// it on at once.
fn asks_number(frame: &Frame<'_>, at: usize, slots: &Slots) -> bool {
    let is_passed_on = matches!(
        frame.code.instructions.get(at + 1),
        Some((_, Instruction::Stack(StackMove::Pop | StackMove::Pop2) | Instruction::Invoke(..)))
    );
    !is_passed_on && matches!(slots.result_type, Some(Type::Int | Type::Long | Type::Short))
}

/// Returns true if the method ends the program, or fails a test.
fn ends_program(member: &MemberRef) -> bool {
    match &*member.name {
        "exit" | "halt" => matches!(&*member.class, "java/lang/System" | "java/lang/Runtime"),
        "fail" => matches!(
            &*member.class,
            "junit/framework/Assert"
                | "junit/framework/TestCase"
                | "org/junit/Assert"
                | "org/junit/jupiter/api/Assertions"
        ),
        _ => false,
    }
}

/// Exceptions that say that there is not enough in an object.
const LACKS_CONTENT: [&str; 4] =
    ["BufferOverflowException", "BufferUnderflowException", "EmptyStackException", "NoSuchElementException"];

/// The record of a refused call.
#[expect(clippy::too_many_arguments, reason = "a call, its object, and the answer")]
fn refusal(
    frame: &Frame<'_>,
    at: usize,
    world: &World,
    id: Id,
    track: &Track,
    typestate: &Typestate,
    call: usize,
    exception: String,
) -> Refused {
    let label = &typestate.calls[call].label;
    let object = world.object(id);
    let path = object.history.events();
    let decisive = path.iter().rev().find(|event| event.decisive);
    let asked = decisive.is_some_and(|event| event.event.contains(':'));
    Refused {
        exact: track.from_creation || object.class.as_deref() == Some(&*typestate.class),
        lacks_content: !asked && alternatives(&exception).any(|one| LACKS_CONTENT.contains(&one)),
        model: track.model,
        state: typestate.state_names(track.states),
        call: label.clone(),
        exception,
        from_creation: track.from_creation,
        at: frame.event(at, label.clone(), true),
        path,
    }
}

/// Every object of a situation, and every answer that is still open, in a fixed order.
fn pins(world: &World) -> Vec<Value> {
    let mut pins: Vec<Value> = (0..world.objects.len()).map(|id| Value::Ref(id as Id)).collect();
    let mut answers: Vec<Value> = world
        .locals
        .iter()
        .chain(&world.stack)
        .chain(&world.pins)
        .filter(|value| matches!(value, Value::Answer(_)))
        .copied()
        .collect();
    answers.sort_unstable();
    answers.dedup();
    pins.extend(answers);
    pins
}
