//! Collections that change while they are iterated: a rule over two objects, a collection and its iterator.
//!
//! The iterators of most collections of `java.util` throw `ConcurrentModificationException` from the first
//! `next` after the collection changed in another way than through the iterator. A situation remembers the
//! collection of an iterator, and the iterator whose collection has changed, as two fields that no class has.
//! They are joined, renumbered and forgotten like any other field, and forgetting one loses a finding and
//! never makes one. `hasNext` does not throw: a loop that removes the last element but one ends in silence,
//! and only the path on which `hasNext` returned true goes on to `next`.

use std::sync::Arc;

use adit_bytecode::MemberRef;

use crate::analysis::{Analysis, End, Frame, Refused};
use crate::world::{FieldKey, Id, Object, Value, World};

/// The field of an iterator or a view that holds its collection.
const COLLECTION: &str = "<collection>";

/// The field of an iterator that is set when its collection has changed.
const CHANGED: &str = "<changed>";

/// The exception.
const EXCEPTION: &str = "ConcurrentModificationException";

/// Collections whose iterators notice every change.
const FAIL_FAST: [&str; 14] = [
    "java/util/ArrayList",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/Hashtable",
    "java/util/IdentityHashMap",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/LinkedList",
    "java/util/PriorityQueue",
    "java/util/Stack",
    "java/util/TreeMap",
    "java/util/TreeSet",
    "java/util/Vector",
    "java/util/WeakHashMap",
];

/// Interfaces behind which such a collection usually is. Behind `Queue` and `Deque` are often others.
const INTERFACES: [&str; 7] = [
    "java/util/Collection",
    "java/util/List",
    "java/util/Map",
    "java/util/NavigableMap",
    "java/util/Set",
    "java/util/SortedMap",
    "java/util/SortedSet",
];

/// Lists, to which `add` always adds.
const LISTS: [&str; 5] =
    ["java/util/ArrayList", "java/util/LinkedList", "java/util/List", "java/util/Stack", "java/util/Vector"];

/// The package of collections whose iterators allow changes.
pub(crate) const CONCURRENT: &str = "java/util/concurrent/";

/// The effect of a call on the elements of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It adds or removes an element, or throws.
    Always,
    /// It may.
    Sometimes,
}

/// The effect of a method of a collection. A replaced value of a map or list is no change.
fn change(member: &MemberRef) -> Option<Change> {
    let takes_object = member.descriptor.starts_with("(Ljava/lang/Object;)");
    Some(match &*member.name {
        "add" if takes_object && !LISTS.contains(&&*member.class) => Change::Sometimes,
        "remove" if takes_object => Change::Sometimes,
        "add" | "addElement" | "addFirst" | "addLast" | "clear" | "insertElementAt" | "offerFirst"
        | "offerLast" | "pop" | "push" | "remove" | "removeAllElements" | "removeElementAt"
        | "removeFirst" | "removeLast" => Change::Always,
        "addAll" | "offer" | "poll" | "pollFirst" | "pollFirstEntry" | "pollLast" | "pollLastEntry"
        | "removeAll" | "removeElement" | "removeIf" | "retainAll" => Change::Sometimes,
        _ => return None,
    })
}

/// The link from an iterator or view to its collection. A collection that is known only through an interface
/// may be one that can be changed while it is iterated.
fn link(is_known: bool) -> FieldKey {
    FieldKey { name: COLLECTION.into(), class: if is_known { "known" } else { "assumed" }.into() }
}

fn changed() -> FieldKey {
    FieldKey { name: CHANGED.into(), class: "".into() }
}

/// The collection of an iterator or view, and whether its class is known.
fn collection_of(world: &World, id: Id) -> Option<(Id, bool)> {
    [true, false].into_iter().find_map(|is_known| match world.field(id, &link(is_known)) {
        Some(Value::Ref(collection)) => Some((collection, is_known)),
        _ => None,
    })
}

/// Returns true if an iterator of the collection is known.
pub(crate) fn is_iterated(world: &World, collection: Id) -> bool {
    world.heap.iter().any(|((_, key), value)| &*key.name == COLLECTION && *value == Value::Ref(collection))
}

/// The collection behind the receiver of a call, itself or that of a view, if its iterators notice changes.
fn root(world: &World, id: Id, class: &str) -> Option<(Id, bool)> {
    if let Some(found) = collection_of(world, id) {
        return Some(found);
    }
    match &world.object(id).class {
        Some(exact) => FAIL_FAST.contains(&&**exact).then_some((id, true)),
        None if FAIL_FAST.contains(&class) => Some((id, true)),
        None => INTERFACES.contains(&class).then_some((id, false)),
    }
}

impl Analysis<'_> {
    /// Notes what a call that returned means for collections and their iterators. The situations after it
    /// are those from `from` on, and have the result on the stack.
    pub(crate) fn note_collections(
        &self,
        frame: &Frame<'_>,
        at: usize,
        member: &MemberRef,
        receiver: Option<Value>,
        after: &mut Vec<World>,
        from: usize,
    ) {
        let Some(Value::Ref(id)) = receiver else { return };
        if matches!(&*member.name, "keySet" | "entrySet" | "values") {
            for world in &mut after[from..] {
                keep_concurrent(world, id, &member.class);
            }
        }
        let Some(name) = member.class.strip_prefix("java/util/").filter(|name| !name.contains('/')) else {
            return;
        };
        match &*member.name {
            "iterator" | "listIterator" | "keySet" | "entrySet" | "values" => {
                for world in &mut after[from..] {
                    relate(world, id, &member.class);
                }
                return;
            }
            _ => {}
        }
        let through_iterator = matches!(name, "Iterator" | "ListIterator");
        let how = match &*member.name {
            "remove" | "add" if through_iterator => Some(Change::Always),
            _ if through_iterator => None,
            _ => change(member),
        };
        let Some(how) = how else { return };
        let event = change_event(name, &member.name);
        for index in from..after.len() {
            let world = &mut after[index];
            let Some((collection, _)) = root(world, id, &member.class) else { continue };
            let iterators: Vec<Id> = world
                .heap
                .iter()
                .filter(|((base, key), value)| {
                    &*key.name == COLLECTION
                        && *value == Value::Ref(collection)
                        && !(through_iterator && *base == id)
                })
                .map(|((base, _), _)| *base)
                .filter(|&base| world.field(base, &changed()).is_none())
                .collect();
            if iterators.is_empty() {
                continue;
            }
            let is_boolean = member.descriptor.ends_with(")Z");
            let mut unchanged = (how == Change::Sometimes).then(|| world.clone());
            for iterator in iterators {
                world.learn(iterator, changed(), Value::Int(1));
                let event = frame.event(at, event.clone(), true);
                let object = world.object_mut(iterator);
                object.history = object.history.and(event);
            }
            // These methods return true if they have changed something.
            if let Some(unchanged) = &mut unchanged
                && is_boolean
            {
                for (world, answer) in [(&mut *world, 1), (&mut *unchanged, 0)] {
                    if let Some(top @ Value::Unknown) = world.stack.last_mut() {
                        *top = Value::Int(answer);
                    }
                }
            }
            after.extend(unchanged);
        }
    }

    /// Reports a call on an iterator whose collection has changed. Returns true if it throws for that.
    pub(crate) fn is_outdated(
        &mut self,
        frame: &Frame<'_>,
        at: usize,
        id: Id,
        member: &MemberRef,
        world: &World,
        ends: &mut Vec<(End, World)>,
    ) -> bool {
        if world.field(id, &changed()).is_none()
            || !matches!(&*member.name, "next" | "previous" | "remove" | "set" | "add")
        {
            return false;
        }
        let Some((_, is_known)) = collection_of(world, id) else { return false };
        let object = world.object(id);
        let Some(track) = &object.track else { return false };
        let mut path = object.history.events();
        // The change is the reason, and not that there is a next element.
        let changed = path.iter().rposition(|event| is_change(&event.event));
        path.iter_mut()
            .skip(changed.map_or(usize::MAX, |at| at + 1))
            .for_each(|event| event.decisive = false);
        if !self.is_expected(frame, at, member, EXCEPTION, &[]) {
            let refused = Refused {
                model: track.model,
                state: "its collection has changed".to_owned(),
                call: member.name.to_string(),
                exception: EXCEPTION.to_owned(),
                from_creation: false,
                exact: true,
                lacks_content: false,
                at: frame.event(at, member.name.to_string(), true),
                path,
            };
            let site = self.site(frame, at);
            site.refused.get_or_insert(refused);
            site.allowed |= !is_known;
        }
        self.may_throw(frame, at, world, ends);
        true
    }
}

/// Gives the view on the stack the class of its collection, if that is a concurrent one.
fn keep_concurrent(world: &mut World, id: Id, class: &Arc<str>) {
    let exact = world.objects.get(usize::from(id)).and_then(|object| object.class.as_ref());
    let class = exact.unwrap_or(class).clone();
    if class.starts_with(CONCURRENT) && world.stack.last() == Some(&Value::Unknown) {
        let view = world.add(Object { nonnull: true, class: Some(class), ..Object::unknown() });
        world.pop();
        world.push(Value::Ref(view));
    }
}

/// The event of an iterator whose collection has changed, as `List.remove`.
fn change_event(class: &str, method: &str) -> String {
    format!("{class}.{method}")
}

/// Returns true if the event is a change of the collection. Labels have dots only in parameter types.
fn is_change(event: &str) -> bool {
    event.contains('.') && !event.contains('(')
}

/// Relates the iterator or view on the stack to its collection.
fn relate(world: &mut World, id: Id, class: &str) {
    let Some((collection, is_known)) = root(world, id, class) else { return };
    let made = match world.stack.last() {
        Some(Value::Ref(made)) => *made,
        Some(Value::Unknown) => {
            let made = world.add(Object { fresh: true, nonnull: true, ..Object::unknown() });
            if let Some(top) = world.stack.last_mut() {
                *top = Value::Ref(made);
            }
            made
        }
        _ => return,
    };
    if made != id {
        world.learn(made, link(is_known), Value::Ref(collection));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str, name: &str, descriptor: &str) -> Option<Change> {
        change(&MemberRef {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            in_interface: false,
        })
    }

    #[test]
    fn a_change_is_sure_only_where_it_always_happens() {
        let (list, set) = ("java/util/List", "java/util/Set");
        assert_eq!(of(list, "add", "(Ljava/lang/Object;)Z"), Some(Change::Always));
        assert_eq!(of(set, "add", "(Ljava/lang/Object;)Z"), Some(Change::Sometimes));
        assert_eq!(of(list, "remove", "(I)Ljava/lang/Object;"), Some(Change::Always));
        assert_eq!(of(list, "remove", "(Ljava/lang/Object;)Z"), Some(Change::Sometimes));
        assert_eq!(of(list, "set", "(ILjava/lang/Object;)Ljava/lang/Object;"), None);
        // The key may be there already.
        let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        assert_eq!(of("java/util/HashMap", "put", put), None);
    }
}
