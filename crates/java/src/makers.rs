//! Everything on the class path that gives an object, and the cheapest way to each type.
//!
//! Constructors, static methods, methods and constants are rules: from values of these types follows a value
//! of that type. The cheapest derivation of every type is found by settling types in the order of their
//! costs, as Dijkstra's algorithm settles nodes; a rule counts when all its parameters are settled. Cycles
//! need no care, because a rule always costs more than what it needs.
//!
//! Paper: none; this is Knuth's generalization of Dijkstra's algorithm to grammars, from textbooks.
//! Cost: one pass over the outlines of all classes, then `O(r log r)` for `r` rules.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use adit_bytecode::{Class, Field, Flags, Method, Program, Type};
use rustc_hash::FxHashMap;

use crate::api::{is_callable, is_fixture, is_public};
use crate::{Api, Operation};

/// A type, by its place in [`Makers`].
pub(crate) type Id = usize;

/// The cost of an array beyond its element.
const ARRAY: u32 = 3;

/// The highest cost that is worth paying: it takes half a dozen calls.
const DEAREST: u32 = 250;

/// Everything that gives an object.
pub(crate) struct Makers<'a> {
    program: &'a Program<'a>,
    ids: FxHashMap<Name<'a>, Id>,
    makers: Vec<Maker<'a>>,
    /// For each type, the makers that give exactly it.
    giving: Vec<Vec<usize>>,
    /// For each type, what the cheapest way costs, and the maker it ends with.
    settled: Vec<Option<(u32, Option<usize>)>>,
}

/// A type as a descriptor names it: a class by its name, everything else by its descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name<'a> {
    Class(&'a str),
    Other(&'a str),
}

/// Something that gives an object.
pub(crate) struct Maker<'a> {
    pub(crate) class: &'a Class,
    pub(crate) member: Member<'a>,
    /// The types it needs, that of the receiver first.
    pub(crate) needs: Vec<Id>,
    gives: Id,
    /// The cost of the call, without its arguments.
    own: u32,
}

#[derive(Clone, Copy)]
pub(crate) enum Member<'a> {
    Method(&'a Method),
    Field(&'a Field),
}

impl Maker<'_> {
    pub(crate) fn operation(&self) -> Operation {
        match self.member {
            Member::Method(method) => Operation::of_method(self.class, method, &self.class.name),
            Member::Field(field) => Operation::of_field(self.class, &field.name, &field.descriptor),
        }
    }

    /// Tells whether it declares an exception, as calls that need a file, a socket or a provider do.
    fn may_fail(&self) -> bool {
        matches!(self.member, Member::Method(method) if !method.exceptions.is_empty())
    }

    /// Tells whether the constant is one of the class itself or was meant for just this class; others are
    /// coincidences.
    fn is_meant_for(&self, wanted: &str) -> bool {
        let Member::Field(field) = self.member else { return true };
        let of = |class: &str| matches!(name(&field.descriptor).0, Name::Class(given) if given == class);
        of(wanted) || of(&self.class.name)
    }

    /// Among makers of equal costs, the one that a reader would expect: from the outer packages, with a short
    /// name.
    fn fame(&self) -> (usize, usize, &str, &str, &str) {
        let (name, descriptor) = match self.member {
            Member::Method(method) => (&*method.name, &*method.descriptor),
            Member::Field(field) => (&*field.name, &*field.descriptor),
        };
        let class = &*self.class.name;
        (class.matches(['/', '$']).count(), class.len(), class, name, descriptor)
    }
}

impl<'a> Makers<'a> {
    /// Reads what gives objects, and finds the cheapest way to every type. `plain` says of which types there
    /// are values anyway, and what these cost.
    pub(crate) fn new(
        program: &'a Program<'a>,
        api: &Api,
        fixtures: &'a [Class],
        plain: impl Fn(&Type) -> Option<u32>,
    ) -> Makers<'a> {
        let mut makers = Makers {
            program,
            ids: FxHashMap::default(),
            makers: Vec::new(),
            giving: Vec::new(),
            settled: Vec::new(),
        };
        let tested = api.internal_name();
        for class in fixtures {
            for method in class.methods.iter().filter(|method| is_fixture(method)) {
                makers.add_method(class, method, 1, true);
            }
        }
        for class in program.outlines() {
            // Where the class under test lives, one may do what it may do.
            let inside = api.non_public && package(&class.name) == package(&tested);
            if (is_public(program, class) || inside) && (is_open(&class.name) || *class.name == *tested) {
                makers.add_class(class, inside);
            }
        }
        makers.settle(plain);
        makers
    }

    fn add_class(&mut self, class: &'a Class, inside: bool) {
        for field in
            class.fields.iter().filter(|field| is_constant(field) && is_callable(field.flags, inside))
        {
            let gives = self.id(name(&field.descriptor).0);
            let own = 4 + cost_of_class(class);
            let member = Member::Field(field);
            self.add(Maker { class, member, needs: Vec::new(), gives, own });
        }
        for method in class.methods.iter().filter(|method| is_callable(method.flags, inside)) {
            let abstract_maker = method.is_constructor() && class.flags.has(Flags::ABSTRACT);
            if !abstract_maker && !is_shuffled(class, method) {
                let own = cost_of_calling(class, method, &class.name);
                self.add_method(class, method, own, false);
            }
        }
    }

    fn add_method(&mut self, class: &'a Class, method: &'a Method, own: u32, is_fixture: bool) {
        let Some((mut parameters, result)) =
            method.descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        else {
            return;
        };
        let gives = match result.as_bytes().first() {
            _ if method.is_constructor() => Name::Class(&class.name),
            Some(b'L') => name(result).0,
            _ if is_fixture && result != "V" => name(result).0,
            _ => return,
        };
        let mut needs = Vec::new();
        if !method.is_static() && !method.is_constructor() {
            needs.push(self.id(Name::Class(&class.name)));
        }
        while !parameters.is_empty() {
            let (first, rest) = name(parameters);
            needs.push(self.id(first));
            parameters = rest;
        }
        let gives = self.id(gives);
        // What needs its own kind is no way to get the first.
        if !needs.contains(&gives) {
            self.add(Maker { class, member: Member::Method(method), needs, gives, own });
        }
    }

    fn add(&mut self, maker: Maker<'a>) {
        self.giving[maker.gives].push(self.makers.len());
        self.makers.push(maker);
    }

    fn id(&mut self, name: Name<'a>) -> Id {
        let fresh = self.settled.len();
        let id = *self.ids.entry(name).or_insert(fresh);
        if id == fresh {
            self.giving.push(Vec::new());
            self.settled.push(None);
        }
        id
    }

    /// For each element of an array that is needed, the array. The elements become types to settle.
    fn arrays(&mut self) -> FxHashMap<Id, Id> {
        let mut open: Vec<(Name<'a>, Id)> = self.ids.iter().map(|(&name, &id)| (name, id)).collect();
        open.sort_by_key(|&(_, id)| id);
        let mut arrays = FxHashMap::default();
        while let Some((array, id)) = open.pop() {
            if let Some(inner) = element(array) {
                let inner_id = self.id(inner);
                arrays.insert(inner_id, id);
                open.push((inner, inner_id));
            }
        }
        arrays
    }

    fn settle(&mut self, plain: impl Fn(&Type) -> Option<u32>) {
        let arrays = self.arrays();
        let mut queue = BinaryHeap::new();
        let mut names: Vec<(Id, Name<'a>)> = self.ids.iter().map(|(&name, &id)| (id, name)).collect();
        names.sort_by_key(|&(id, _)| id);
        for &(id, name) in &names {
            if let Some(cost) = type_of(name).as_ref().and_then(&plain) {
                queue.push(Reverse((cost, id, None)));
            }
        }
        let mut names: Vec<Name<'a>> = names.into_iter().map(|(_, name)| name).collect();
        // For each maker, how many of its needs are open, and what it costs with those that are not.
        let mut open: Vec<(usize, u32)> = Vec::with_capacity(self.makers.len());
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        for (at, maker) in self.makers.iter().enumerate() {
            open.push((maker.needs.len(), maker.own));
            maker.needs.iter().for_each(|&need| waiting[need].push(at));
            if maker.needs.is_empty() {
                queue.push(Reverse((maker.own, maker.gives, Some(at))));
            }
        }
        while let Some(Reverse((cost, id, by))) = queue.pop() {
            if self.settled[id].is_some() {
                continue;
            }
            self.settled[id] = Some((cost, by));
            for &maker in waiting.get(id).into_iter().flatten() {
                let (count, sum) = &mut open[maker];
                *count -= 1;
                *sum += cost;
                if *count == 0 && *sum <= DEAREST {
                    queue.push(Reverse((*sum, self.makers[maker].gives, Some(maker))));
                }
            }
            if let Some(&array) = arrays.get(&id) {
                queue.push(Reverse((cost + ARRAY, array, None)));
            }
            let (Name::Class(name), Some(_)) = (names[id], by) else { continue };
            let Some(class) = self.program.outline(name) else { continue };
            for above in class.superclass.iter().chain(&class.interfaces) {
                let above = self.id(Name::Class(above));
                if above == names.len() {
                    names.push(Name::Class(class_name(class, above, &self.ids)));
                }
                queue.push(Reverse((cost + 1, above, by)));
            }
        }
    }

    /// The ways to get an object of the class or of one below it, the cheapest first, with their costs. What
    /// declares exceptions is among them only if there is nothing else.
    pub(crate) fn candidates(&self, wanted: &str) -> Vec<(u32, usize)> {
        let below = self.program.subtypes(wanted);
        let mut found: Vec<(u32, usize)> = std::iter::once(wanted)
            .chain(below.iter().map(|name| &**name))
            .filter_map(|name| self.ids.get(&Name::Class(name)))
            .flat_map(|&id| &self.giving[id])
            .filter_map(|&at| {
                let maker = &self.makers[at];
                let needs = maker.needs.iter().map(|&need| Some(self.settled[need]?.0));
                let cost = needs.sum::<Option<u32>>()? + maker.own;
                // What lies beside the wanted class was made for it.
                let far = if package(&maker.class.name) == package(wanted) { 0 } else { 6 };
                Some((cost + far, at))
            })
            .filter(|&(cost, at)| cost <= DEAREST && self.makers[at].is_meant_for(wanted))
            .collect();
        if found.iter().any(|&(_, at)| !self.makers[at].may_fail()) {
            found.retain(|&(_, at)| !self.makers[at].may_fail());
        }
        found.sort_by_key(|&(cost, at)| (cost, self.makers[at].fame()));
        found
    }

    pub(crate) fn maker(&self, at: usize) -> &Maker<'a> {
        &self.makers[at]
    }

    /// The maker at the end of the cheapest way to a type; nothing if there are plain values, or no way.
    pub(crate) fn best(&self, wanted: &Type) -> Option<usize> {
        let Type::Class(name) = wanted else { return None };
        self.settled[*self.ids.get(&Name::Class(name))?]?.1
    }
}

/// The name of the class above with this number. A class has few above it.
fn class_name<'a>(class: &'a Class, id: Id, ids: &FxHashMap<Name<'a>, Id>) -> &'a str {
    let mut above = class.superclass.iter().chain(&class.interfaces).map(|name| &**name);
    above.find(|name| ids.get(&Name::Class(name)) == Some(&id)).expect("it was just given its number")
}

fn type_of(name: Name<'_>) -> Option<Type> {
    match name {
        Name::Class(name) => Some(Type::Class(name.into())),
        Name::Other(descriptor) => Type::parse(descriptor),
    }
}

/// The type of an array's elements.
fn element(array: Name<'_>) -> Option<Name<'_>> {
    match array {
        Name::Other(descriptor) => descriptor.strip_prefix('[').map(|inner| name(inner).0),
        Name::Class(_) => None,
    }
}

/// The first type of a list of descriptors, and the rest.
fn name(descriptors: &str) -> (Name<'_>, &str) {
    let inner = descriptors.trim_start_matches('[');
    let dimensions = descriptors.len() - inner.len();
    let length = if inner.starts_with('L') { inner.find(';').map_or(inner.len(), |end| end + 1) } else { 1 };
    let (first, rest) = descriptors.split_at((dimensions + length).min(descriptors.len()));
    match first.strip_prefix('L') {
        Some(class) => (Name::Class(class.trim_end_matches(';')), rest),
        None => (Name::Other(first), rest),
    }
}

/// Tells whether a field holds an object that everyone shares.
fn is_constant(field: &Field) -> bool {
    field.flags.has(Flags::STATIC | Flags::FINAL)
        && field.descriptor.starts_with('L')
        && field.value.is_none()
}

/// The cost of calling the method to get a `wanted`, apart from the values of its parameters.
pub(crate) fn cost_of_calling(class: &Class, method: &Method, wanted: &str) -> u32 {
    // What declares an exception often needs the outer world: a file, a socket, a provider.
    let trouble = if method.exceptions.is_empty() { 0 } else { 15 };
    let deprecated = method.annotations.iter().any(|name| &**name == "Ljava/lang/Deprecated;");
    let how = match (method.is_constructor(), method.is_static()) {
        (true, _) => 10,
        (_, true) if class.name.as_ref() == wanted => 11,
        (_, true) => 13,
        // An object is needed first, and the method may be about something else altogether.
        _ => 60,
    };
    let parameters = 2 * method.descriptor.matches([';', 'I', 'J', 'Z']).count().min(20) as u32;
    how + trouble + if deprecated { 30 } else { 0 } + parameters + cost_of_class(class)
}

/// Tells whether the result of the method has an order that differs from machine to machine, so no test could
/// be repeated.
fn is_shuffled(class: &Class, method: &Method) -> bool {
    matches!(&*class.name, "java/util/Set" | "java/util/Map")
        && matches!(&*method.name, "of" | "copyOf" | "ofEntries")
}

fn cost_of_class(class: &Class) -> u32 {
    let deprecated = class.annotations.iter().any(|name| &**name == "Ljava/lang/Deprecated;");
    let from = match &*class.name {
        name if BASE.iter().any(|prefix| name.starts_with(prefix)) => 0,
        name if name.starts_with("java/") || name.starts_with("javax/") => 8,
        _ => 2,
    };
    from + if deprecated { 30 } else { 0 }
}

/// The packages that every Java has.
const BASE: [&str; 9] = [
    "java/io/",
    "java/lang/",
    "java/math/",
    "java/net/",
    "java/nio/",
    "java/security/",
    "java/text/",
    "java/time/",
    "java/util/",
];

/// Tells by its name whether a class may be used to make values.
pub(crate) fn is_open(name: &str) -> bool {
    !CLOSED.iter().chain(&RISKY).any(|prefix| name.starts_with(prefix)) && !RISKY_CLASSES.contains(&name)
}

/// The internals of a JDK, which other code cannot use.
const CLOSED: [&str; 6] = ["sun/", "jdk/", "com/sun/", "apple/", "org/jcp/", "netscape/"];

/// Tells by its name whether a class is part of a JDK.
pub(crate) fn is_of_jdk(name: &str) -> bool {
    ["java/", "javax/"].iter().chain(&CLOSED).any(|prefix| name.starts_with(prefix))
}

/// Packages that want a screen, a printer, a loudspeaker or other machines.
const RISKY: [&str; 8] = [
    "java/applet/",
    "java/awt/",
    "java/rmi/",
    "javax/management/",
    "javax/print/",
    "javax/sound/",
    "javax/swing/",
    "javax/imageio/",
];

/// Effects that no search for a value may have: programs are started, the machine is stopped, and its own
/// input and output are taken.
const RISKY_CLASSES: [&str; 8] = [
    "java/io/FileDescriptor",
    "java/lang/ModuleLayer",
    "java/lang/Process",
    "java/lang/ProcessBuilder",
    "java/lang/ProcessHandle",
    "java/lang/Runtime",
    "java/lang/Shutdown",
    "java/lang/System",
];

/// The package of a class, in internal form.
pub(crate) fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use adit_bytecode::{ClassPath, Folder};

    use super::*;
    use crate::ApiOptions;
    use adit_bytecode::overloads::Overloads;

    fn small() -> ClassPath {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes/small");
        let files: BTreeMap<String, Vec<u8>> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                (format!("small/{}", path.file_name().unwrap().display()), std::fs::read(path).unwrap())
            })
            .collect();
        ClassPath::new(vec![Box::new(Folder::in_memory("small", files))])
    }

    fn plain(wanted: &Type) -> Option<u32> {
        match wanted {
            Type::Class(name) => (&**name == "java/lang/String").then_some(2),
            Type::Array(_) => Some(30),
            _ => Some(1),
        }
    }

    /// The costs again, straight from the definition: rules are applied until nothing becomes cheaper.
    fn naive(makers: &Makers<'_>) -> BTreeMap<Id, u32> {
        let mut costs: BTreeMap<Id, u32> = BTreeMap::new();
        for (&name, &id) in &makers.ids {
            costs.extend(type_of(name).and_then(|wanted| Some((id, plain(&wanted)?))));
        }
        // What has plain values is not made, so that nothing above it is had from it; an array is nothing's
        // class.
        let fixed: BTreeSet<Id> = costs.keys().copied().collect();
        loop {
            let mut better: Vec<(Id, u32)> = Vec::new();
            for maker in &makers.makers {
                let needs: Option<u32> = maker.needs.iter().map(|need| costs.get(need).copied()).sum();
                better.extend(needs.map(|needs| (maker.gives, needs + maker.own)));
            }
            for (&name, &id) in &makers.ids {
                let inner = element(name).and_then(|inner| makers.ids.get(&inner));
                better.extend(inner.and_then(|inner| Some((id, costs.get(inner)? + ARRAY))));
            }
            for (name, id) in &makers.ids {
                let (Name::Class(name), Some(&cost)) = (name, costs.get(id).filter(|_| !fixed.contains(id)))
                else {
                    continue;
                };
                let class = makers.program.outline(name);
                for above in class.iter().flat_map(|class| class.superclass.iter().chain(&class.interfaces)) {
                    better.extend(makers.ids.get(&Name::Class(above)).map(|&above| (above, cost + 1)));
                }
            }
            better.retain(|(id, cost)| costs.get(id).is_none_or(|known| cost < known) && *cost <= DEAREST);
            if better.is_empty() {
                return costs;
            }
            for (id, cost) in better {
                let known = costs.entry(id).or_insert(cost);
                *known = (*known).min(cost);
            }
        }
    }

    #[test]
    fn settling_agrees_with_applying_rules_until_nothing_changes() {
        let path = small();
        let names = path.names();
        let program = Program::new(&path, names.iter().map(String::as_str));
        let options = ApiOptions {
            non_public: false,
            object_methods: false,
            only: None,
            without: BTreeSet::new(),
            fixtures: Vec::new(),
            overloads: Overloads::Merged,
        };
        let api = Api::of(&program, "small.Painter", &options).unwrap();
        let makers = Makers::new(&program, &api, &[], plain);
        let expected = naive(&makers);
        let found: BTreeMap<Id, u32> = makers
            .settled
            .iter()
            .enumerate()
            .filter_map(|(id, settled)| settled.map(|(cost, _)| (id, cost)))
            .collect();
        assert!(found.len() > 10);
        assert_eq!(found, expected);
    }

    #[test]
    fn names_of_types_are_found_in_descriptors() {
        let said = |descriptors| match name(descriptors) {
            (Name::Class(class), rest) => format!("class {class}, then {rest}"),
            (Name::Other(other), rest) => format!("{other}, then {rest}"),
        };
        assert_eq!(said("La/B;I"), "class a/B, then I");
        assert_eq!(said("[[La/B;J"), "[[La/B;, then J");
        assert_eq!(said("I"), "I, then ");
        // What is no descriptor comes from no class that was read, and must do no harm all the same.
        assert_eq!(said("[["), "[[, then ");
        assert_eq!(said("La/B"), "class a/B, then ");
    }

    #[test]
    fn what_is_risky_or_closed_is_not_used() {
        for closed in ["sun/misc/Unsafe", "java/lang/Runtime", "java/awt/Robot", "java/lang/System"] {
            assert!(!is_open(closed), "{closed}");
        }
        for open in ["java/lang/RuntimeException", "java/util/List", "org/sun/Shine"] {
            assert!(is_open(open), "{open}");
        }
    }
}
