//! The methods to record: those of the class under test, in whichever class their bodies are.
//!
//! A body may stand in the class itself, in a class or interface above it, or in a class below it that
//! overrides the method. All three are wrapped; the witness checks the receiver. The plan is made by the
//! coordinator, which reads class files without a machine, and sent to the worker.

use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::overloads::{self, Overload};
use adit_bytecode::wrap::{self, WhyNotWrapped, Witness};
use adit_bytecode::{Class, ClassError, ClassPath, Flags, Instruction, Program, Type};

use crate::wire::{Garbled, Put, Take};

/// The class of the witness. It lies in a package that every class loader leaves to the machine, so that all
/// classes see it, those of the JDK included.
pub(crate) const WITNESS: &str = "java/lang/AditWitness";

/// The methods and constructors of one or several classes to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The classes under test; several only while objects are watched.
    pub(crate) targets: Vec<Target>,
    /// The methods whose calls are events, with the numbers of their places.
    pub(crate) methods: Vec<Method>,
    /// For each method, the targets for whose objects it is an event.
    pub(crate) owners: Vec<TargetSet>,
    /// True to record arguments, and the fields of the object before and after each call.
    pub(crate) states: bool,
    /// True if calls may be left out, delayed and added.
    pub(crate) intervenes: bool,
    /// True to record the place of each call, and the stack of each that throws.
    pub(crate) places: bool,
}

/// A set of targets, one bit each.
pub(crate) type TargetSet = u64;

/// A class whose objects are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its name, in internal form.
    pub(crate) class: String,
    /// True if it is a class of the JDK, which then uses it internally as well.
    pub(crate) of_jdk: bool,
    /// Calls count only on objects of exactly this class, and not on those of classes below it.
    pub(crate) exact: bool,
    /// The classes whose methods are wrapped.
    pub(crate) holders: BTreeSet<String>,
}

/// Names of the events of a plan, which only the coordinator needs: that of constructors first, then those of
/// the methods in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventName {
    pub(crate) method: String,
    /// The names of the parameters; empty if there are none, or if the compiler did not keep them.
    pub(crate) parameters: Vec<String>,
}

/// A method whose calls are events.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// A static method that gives the class.
    pub(crate) is_factory: bool,
}

/// The parts of a method that its events are named by.
struct NamedBy {
    /// The parameters; of a bridge, those of the method that it leads to.
    parameters: Vec<Type>,
    is_public: bool,
    /// The names of its parameters, if all are known.
    names: Vec<String>,
}

impl NamedBy {
    fn new(holder: &Class, method: &adit_bytecode::Method) -> Self {
        let parameters = method.signature().parameters;
        let leads_to = |other: &&adit_bytecode::Method| {
            other.name == method.name
                && !other.flags.has(Flags::BRIDGE)
                && other.signature().parameters.len() == parameters.len()
        };
        let is_bridge = method.flags.has(Flags::BRIDGE);
        let target = holder.methods.iter().filter(|_| is_bridge).find(leads_to);
        let parameters = target.map_or(parameters.clone(), |target| target.signature().parameters);
        let names = parameter_names(target.unwrap_or(method));
        Self { parameters, is_public: method.flags.has(Flags::PUBLIC), names }
    }
}

/// The naming of recorded events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventNaming {
    /// By the method's name alone.
    Name,
    /// With parameter types where a method has several overloads that can be called.
    Overload {
        /// Methods that are not public count as overloads.
        non_public: bool,
    },
    /// With the whole names of all parameter types, always, so that the caller can tell every method.
    Signature,
}

impl EventNaming {
    fn names(self, methods: &BTreeMap<Method, NamedBy>) -> Vec<String> {
        match self {
            Self::Name => methods.keys().map(|method| method.name.clone()).collect(),
            Self::Signature => {
                let signature =
                    |(method, by): (&Method, &NamedBy)| overloads::signature(&method.name, &by.parameters);
                methods.iter().map(signature).collect()
            }
            Self::Overload { non_public } => {
                let overloads: Vec<Overload<'_>> = methods
                    .iter()
                    .filter(|(method, _)| !method.is_factory)
                    .map(|(method, by)| Overload {
                        name: &method.name,
                        parameters: &by.parameters,
                        counts: non_public || by.is_public,
                    })
                    .collect();
                let mut named = overloads::names(&overloads).into_iter();
                // Factories begin an object as constructors do, however they are called.
                let name = |method: &Method| match method.is_factory {
                    true => method.name.clone(),
                    false => named.next().expect("every method but the factories was named"),
                };
                methods.keys().map(name).collect()
            }
        }
    }
}

/// A class as it is to be loaded, and what could not be done.
pub(crate) struct Changed {
    pub(crate) bytes: Vec<u8>,
    /// Constructors by descriptor, with the places where they return.
    pub(crate) constructors: BTreeMap<String, Vec<u32>>,
    pub(crate) left: Vec<String>,
}

impl Plan {
    /// Reads the class, those above it, and all classes of the program below it. `own` are the names, in
    /// internal form, of the classes that do not come with the JDK. The names of the methods' events come
    /// second.
    pub(crate) fn make(
        path: &ClassPath,
        class: &str,
        own: &BTreeSet<String>,
        program: &Program<'_>,
        naming: EventNaming,
        states: bool,
    ) -> Result<(Plan, Vec<EventName>), ClassError> {
        let under = path.class(class)?;
        let mut holders = BTreeSet::new();
        let mut methods = BTreeMap::new();
        let mut open = vec![under.name.to_string()];
        while let Some(name) = open.pop() {
            // What `Object` has is no part of what the class offers, unless the class has its own.
            if &*name == "java/lang/Object" || holders.contains(&name) {
                continue;
            }
            // A missing class above will be told by the machine, in its own words.
            let Some(holder) = path.read(&name)? else { continue };
            for method in &holder.methods {
                if let Some(event) = event(&holder, method, &under) {
                    methods.entry(event).or_insert_with(|| NamedBy::new(&holder, method));
                }
            }
            open.extend(holder.superclass.iter().chain(&holder.interfaces).map(ToString::to_string));
            holders.insert(name);
        }
        holders.extend(program.subtypes(&under.name).iter().map(ToString::to_string));
        let of_jdk = !own.contains(&*under.name);
        let mut names = naming.names(&methods);
        let mut parameters: Vec<Vec<String>> = methods.values().map(|by| by.names.clone()).collect();
        let methods: Vec<Method> = methods.into_keys().collect();
        let target = Target { class: under.name.to_string(), of_jdk, exact: false, holders };
        let owners = vec![1; methods.len()];
        let plan = Plan { targets: vec![target], methods, owners, states, intervenes: false, places: false };
        // Constructors are one event, and so they have names for their parameters only if there is one.
        let mut constructors = under.methods.iter().filter(|method| method.is_constructor());
        let only = constructors.next().filter(|_| constructors.next().is_none());
        names.insert(0, plan.simple_name().to_owned());
        parameters.insert(0, only.map(parameter_names).unwrap_or_default());
        let named = |(method, parameters)| EventName { method, parameters };
        Ok((plan, names.into_iter().zip(parameters).map(named).collect()))
    }

    /// Joins plans of one class each, for watching their objects. The classes are numbered in this order.
    pub(crate) fn join(plans: Vec<Plan>) -> Plan {
        let mut owners: BTreeMap<Method, TargetSet> = BTreeMap::new();
        let mut targets = Vec::new();
        for (number, plan) in plans.into_iter().enumerate() {
            for method in plan.methods {
                *owners.entry(method).or_default() |= 1 << number;
            }
            targets.extend(plan.targets);
        }
        let (methods, owners) = owners.into_iter().unzip();
        Plan { targets, methods, owners, states: false, intervenes: false, places: true }
    }

    /// The class under test, if there is only one.
    pub(crate) fn class(&self) -> &str {
        self.targets.first().map_or("", |target| &target.class)
    }

    /// Name of the constructor's events, if there is only one class.
    pub(crate) fn simple_name(&self) -> &str {
        self.class().rsplit(['/', '$']).next().unwrap_or_default()
    }

    /// The targets of a set.
    pub(crate) fn members(&self, set: TargetSet) -> impl Iterator<Item = &Target> {
        self.targets.iter().enumerate().filter(move |(number, _)| set & (1 << number) != 0).map(|(_, of)| of)
    }

    /// Wraps the methods of a class that is being loaded; nothing if it is none of the holders.
    pub(crate) fn change(&self, name: &str, bytes: &[u8]) -> Option<Changed> {
        if !self.targets.iter().any(|target| target.holders.contains(name)) {
            return None;
        }
        let witness =
            Witness { class: WITNESS.to_owned(), arguments: self.states, intervenes: self.intervenes };
        let dotted = name.replace('/', ".");
        let unchanged = |why: String| Changed {
            bytes: bytes.to_vec(),
            constructors: BTreeMap::new(),
            left: vec![format!("{dotted}: {why}")],
        };
        let class = match Class::parse(bytes, name) {
            Ok(class) => class,
            Err(error) => return Some(unchanged(error.to_string())),
        };
        let mut left = Vec::new();
        let wrapped = wrap::wrap(bytes, name, &witness, &mut |method, descriptor, flags| {
            let number = self.number(method, descriptor, flags)?;
            if let Some(why) = class.method(method, descriptor).and_then(peculiar) {
                left.push(format!("{dotted}.{method}{descriptor}: {why}"));
                return None;
            }
            Some(number)
        });
        let wrapped = match wrapped {
            Ok(wrapped) => wrapped,
            Err(error) => return Some(unchanged(error.to_string())),
        };
        // Calls of abstract methods are recorded in the classes that implement them.
        for method in wrapped.skipped.iter().filter(|method| method.why == WhyNotWrapped::Native) {
            left.push(format!("{dotted}.{}{}: it is native", method.name, method.descriptor));
        }
        let mut constructors = BTreeMap::new();
        if self.targets.iter().any(|target| target.class == name) {
            for method in class.methods.iter().filter(|method| method.is_constructor()) {
                let Some(code) = &method.code else { continue };
                let returns = |(at, instruction): &(u32, Instruction)| {
                    matches!(instruction, Instruction::Return(None)).then_some(*at)
                };
                let returns = code.instructions.iter().filter_map(returns).collect();
                constructors.insert(method.descriptor.to_string(), returns);
            }
        }
        Some(Changed { bytes: wrapped.bytes, constructors, left })
    }

    fn number(&self, name: &str, descriptor: &str, flags: Flags) -> Option<i32> {
        let found = self
            .methods
            .binary_search_by(|method| (&*method.name, &*method.descriptor).cmp(&(name, descriptor)));
        let number = found.ok()?;
        let fits = !flags.has(Flags::PRIVATE) && flags.has(Flags::STATIC) == self.methods[number].is_factory;
        i32::try_from(number).ok().filter(|_| fits)
    }

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.number(self.targets.len() as u64);
        for Target { class, of_jdk, exact, holders } in &self.targets {
            bytes.text(class);
            bytes.byte(u8::from(*of_jdk));
            bytes.byte(u8::from(*exact));
            bytes.number(holders.len() as u64);
            holders.iter().for_each(|holder| bytes.text(holder));
        }
        bytes.number(self.methods.len() as u64);
        for (Method { name, descriptor, is_factory }, owners) in self.methods.iter().zip(&self.owners) {
            bytes.text(name);
            bytes.text(descriptor);
            bytes.byte(u8::from(*is_factory));
            bytes.number(*owners);
        }
        for flag in [self.states, self.intervenes, self.places] {
            bytes.byte(u8::from(flag));
        }
    }

    pub(crate) fn take(take: &mut Take<'_>) -> Result<Plan, Garbled> {
        let mut targets = Vec::new();
        for _ in 0..take.count()? {
            let class = take.text()?.to_owned();
            let of_jdk = take.byte()? != 0;
            let exact = take.byte()? != 0;
            let holders =
                (0..take.count()?).map(|_| Ok(take.text()?.to_owned())).collect::<Result<_, _>>()?;
            targets.push(Target { class, of_jdk, exact, holders });
        }
        let (mut methods, mut owners) = (Vec::new(), Vec::new());
        for _ in 0..take.count()? {
            methods.push(Method {
                name: take.text()?.to_owned(),
                descriptor: take.text()?.to_owned(),
                is_factory: take.byte()? != 0,
            });
            owners.push(take.number()?);
        }
        let mut flag = || Ok(take.byte()? != 0);
        let (states, intervenes, places) = (flag()?, flag()?, flag()?);
        Ok(Plan { targets, methods, owners, states, intervenes, places })
    }
}

impl Target {
    /// Returns true if a class, named with dots, is the class under test or nested in it.
    pub(crate) fn is_inside(&self, name: &str) -> bool {
        let mut name = name.chars().map(|c| if c == '.' { '/' } else { c });
        let begins = self.class.chars().all(|c| name.next() == Some(c));
        begins && matches!(name.next(), None | Some('$'))
    }
}

/// The event that calls of a method are, if they are one: what can be called from outside on an object of the
/// class, and static methods of the class that give such an object.
fn event(holder: &Class, method: &adit_bytecode::Method, under: &Class) -> Option<Method> {
    let internal = method.flags.has(Flags::PRIVATE) || method.name.starts_with('<');
    // Accessors that a compiler made up are called from inside only. Bridges are called from outside.
    let made_up = method.flags.has(Flags::SYNTHETIC) && !method.flags.has(Flags::BRIDGE);
    let gives_class = || matches!(method.signature().result, Some(Type::Class(name)) if name == under.name);
    let is_factory = method.is_static();
    let wanted = !is_factory || holder.name == under.name && gives_class();
    (wanted && !internal && !made_up).then(|| Method {
        name: method.name.to_string(),
        descriptor: method.descriptor.to_string(),
        is_factory,
    })
}

/// The names of a method's parameters, if the compiler kept all of them.
fn parameter_names(method: &adit_bytecode::Method) -> Vec<String> {
    let names: Option<Vec<String>> =
        method.parameters.iter().map(|name| Some(name.as_ref()?.to_string())).collect();
    names.filter(|names| names.len() == method.signature().parameters.len()).unwrap_or_default()
}

/// Reason that a method of the JDK cannot be wrapped, if any.
fn peculiar(method: &adit_bytecode::Method) -> Option<&'static str> {
    method.annotations.iter().find_map(|annotation| match annotation.rsplit('/').next()? {
        "CallerSensitive;" => Some("it inspects its caller"),
        "IntrinsicCandidate;" | "HotSpotIntrinsicCandidate;" => Some("the JVM replaces it with an intrinsic"),
        "PolymorphicSignature;" => Some("its meaning depends on the call itself"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let method = |name: &str, is_factory| Method {
            name: name.to_owned(),
            descriptor: "()V".to_owned(),
            is_factory,
        };
        let target = Target {
            class: "a/Outer$Box".to_owned(),
            of_jdk: false,
            exact: true,
            holders: ["a/Outer$Box".to_owned(), "a/Base".to_owned()].into(),
        };
        Plan {
            targets: vec![target],
            methods: vec![method("close", false), method("of", true)],
            owners: vec![1, 1],
            states: true,
            intervenes: true,
            places: true,
        }
    }

    #[test]
    fn a_plan_arrives_as_it_was_sent() {
        let mut bytes = Vec::new();
        plan().put(&mut bytes);
        assert_eq!(Plan::take(&mut Take(&bytes)), Ok(plan()));
        for cut in 0..bytes.len() {
            assert_eq!(Plan::take(&mut Take(&bytes[..cut])), Err(Garbled), "{cut}");
        }
    }

    #[test]
    fn events_of_overloads_have_their_types() {
        let method = |name: &str, descriptor: &str, is_factory| Method {
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            is_factory,
        };
        let by = |parameters: &[Type], is_public| NamedBy {
            parameters: parameters.to_vec(),
            is_public,
            names: Vec::new(),
        };
        let text = || Type::Class("java/lang/String".into());
        let methods = BTreeMap::from([
            // The bridge is named as the method that it leads to.
            (method("accept", "(Ljava/lang/Object;)V", false), by(&[text()], true)),
            (method("accept", "(Ljava/lang/String;)V", false), by(&[text()], true)),
            (method("add", "(I)V", false), by(&[Type::Int], true)),
            (method("add", "(Ljava/lang/String;)V", false), by(&[text()], false)),
            (method("of", "()La/Box;", true), by(&[], true)),
            (method("of", "(I)La/Box;", true), by(&[Type::Int], true)),
        ]);
        let names = |naming: EventNaming| naming.names(&methods);
        assert_eq!(names(EventNaming::Name), ["accept", "accept", "add", "add", "of", "of"]);
        assert_eq!(
            names(EventNaming::Overload { non_public: false }),
            ["accept", "accept", "add", "add(String)", "of", "of"]
        );
        assert_eq!(
            names(EventNaming::Overload { non_public: true }),
            ["accept", "accept", "add(int)", "add(String)", "of", "of"]
        );
        let text = "accept(java.lang.String)";
        assert_eq!(
            names(EventNaming::Signature),
            [text, text, "add(int)", "add(java.lang.String)", "of()", "of(int)"]
        );
    }

    #[test]
    fn joined_plans_know_whose_methods_are_whose() {
        let mut other = plan();
        other.targets[0].class = "a/Tray".to_owned();
        other.methods.remove(1);
        other.owners.remove(1);
        let joined = Plan::join(vec![plan(), other]);
        let classes: Vec<&str> = joined.targets.iter().map(|target| &*target.class).collect();
        assert_eq!(classes, ["a/Outer$Box", "a/Tray"]);
        let names: Vec<&str> = joined.methods.iter().map(|method| &*method.name).collect();
        assert_eq!((names, joined.owners.clone()), (vec!["close", "of"], vec![0b11, 0b01]));
        assert_eq!(joined.members(0b10).map(|target| &*target.class).collect::<Vec<_>>(), ["a/Tray"]);
    }

    #[test]
    fn what_is_nested_is_inside() {
        let inside = |name| plan().targets[0].is_inside(name);
        assert!(inside("a.Outer$Box") && inside("a.Outer$Box$1") && inside("a.Outer$Box$$Lambda/0x1"));
        assert!(!inside("a.Outer") && !inside("a.Outer$Boxes") && !inside("b.Outer$Box"));
        assert_eq!(plan().simple_name(), "Box");
    }

    #[test]
    fn methods_have_numbers_unless_they_are_private_or_of_another_kind() {
        let number = |name, flags| plan().number(name, "()V", flags);
        assert_eq!(number("close", Flags::PUBLIC), Some(0));
        assert_eq!(number("close", Flags::STATIC), None);
        assert_eq!(number("close", Flags::PRIVATE), None);
        assert_eq!(number("of", Flags::STATIC), Some(1));
        assert_eq!(number("other", Flags::PUBLIC), None);
    }
}
