//! A closed set of classes: its type hierarchy, and the methods that a call may reach.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::instruction::Call;
use crate::pool::MemberRef;
use crate::{Class, ClassError, ClassPath, Flags, Method};

/// A method of a class, by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId {
    /// Internal name of the class that declares the method.
    pub class: Arc<str>,
    /// Name of the method.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
}

impl MethodId {
    /// Creates the identity of the method of this class with this name and descriptor.
    pub fn new(class: &str, name: &str, descriptor: &str) -> MethodId {
        MethodId { class: class.into(), name: name.into(), descriptor: descriptor.into() }
    }
}

/// As in `java.util.HashSet.add(Ljava/lang/Object;)Z`.
impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.class.replace('/', "."), self.name, self.descriptor)
    }
}

/// Classes of a class path, under the assumption that there are no others.
///
/// Bodies of methods are read on demand; everything else is read at once.
pub struct Program<'p> {
    path: &'p ClassPath,
    /// Without the bodies of methods.
    outlines: BTreeMap<Arc<str>, Class>,
    /// Direct subclasses, implementers and subinterfaces of each class.
    below: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    whole: RefCell<BTreeMap<Arc<str>, Option<Arc<Class>>>>,
    /// Errors of the classes that cannot be read. They count as absent.
    pub unreadable: Vec<ClassError>,
}

/// Possible targets of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// One of these methods, and nothing else that the program has.
    Known(BTreeSet<MethodId>),
    /// Unknown: the class or the method is not part of the program.
    Unresolved,
    /// A lambda, which has no class to look up, or one of these methods.
    Lambda(BTreeSet<MethodId>),
}

impl<'p> Program<'p> {
    /// Creates the program of these classes of the class path, given by their internal names.
    pub fn new<'n>(path: &'p ClassPath, names: impl IntoIterator<Item = &'n str>) -> Program<'p> {
        let mut program = Program {
            path,
            outlines: BTreeMap::new(),
            below: BTreeMap::new(),
            whole: RefCell::default(),
            unreadable: Vec::new(),
        };
        for name in names {
            let found = path
                .find(name)
                .and_then(|found| found.map(|(bytes, file)| Class::parse_outline(&bytes, &file)).transpose());
            match found {
                Ok(Some(class)) => program.add(class),
                Ok(None) => {}
                Err(error) => program.unreadable.push(error),
            }
        }
        program
    }

    fn add(&mut self, class: Class) {
        for above in class.superclass.iter().chain(&class.interfaces) {
            self.below.entry(above.clone()).or_default().insert(class.name.clone());
        }
        self.outlines.insert(class.name.clone(), class);
    }

    /// Returns a class of the program, without the bodies of its methods.
    pub fn outline(&self, name: &str) -> Option<&Class> {
        self.outlines.get(name)
    }

    /// The class path from which the program was read.
    pub fn path(&self) -> &'p ClassPath {
        self.path
    }

    /// All classes of the program in the order of their names, without the bodies of their methods.
    pub fn outlines(&self) -> impl Iterator<Item = &Class> {
        self.outlines.values()
    }

    /// The class, its superclasses from the nearest on, and then all interfaces above them, as far as the
    /// program has them.
    pub fn supertypes(&self, name: &str) -> Vec<&Class> {
        let mut found: Vec<&Class> = self.ancestors(name).collect();
        let interfaces = self.interfaces(name);
        found.extend(interfaces.into_iter().filter(|above| &*above.name != name));
        found
    }

    /// Returns true if the class `below` is a subtype of `above`. A class outside the program is a subtype of
    /// itself and `Object` only.
    pub fn is_subtype(&self, below: &str, above: &str) -> bool {
        below == above
            || above == "java/lang/Object"
            || self.supertypes(below).iter().any(|class| {
                *class.name == *above
                    || class.superclass.iter().chain(&class.interfaces).any(|direct| **direct == *above)
            })
    }

    /// Returns the method that a lambda would implement, if the interface has exactly one to implement.
    pub fn functional_method(&self, interface: &str) -> Option<&Method> {
        let class = self.outlines.get(interface).filter(|class| class.is_interface())?;
        let mut open = self.interfaces(&class.name).into_iter().flat_map(|above| {
            let is_open = |method: &&Method| method.flags.has(Flags::ABSTRACT) && !self.object_has(method);
            above.methods.iter().filter(is_open)
        });
        let first = open.next()?;
        self.is_functional(class, &first.name).then_some(first)
    }

    /// Returns the methods that a class below this one must implement, with the classes that declare them.
    pub fn open_methods(&self, name: &str) -> Vec<(&Class, &Method)> {
        let (mut seen, mut open) = (BTreeSet::new(), Vec::new());
        let counts = |method: &&Method| {
            !method.is_static() && !method.flags.has(Flags::PRIVATE) && !method.name.starts_with('<')
        };
        for class in self.ancestors(name).filter(|class| !class.is_interface()) {
            for method in class.methods.iter().filter(counts) {
                if seen.insert((&*method.name, &*method.descriptor)) && method.flags.has(Flags::ABSTRACT) {
                    open.push((class, method));
                }
            }
        }
        let interfaces = self.interfaces(name);
        for &declared in &interfaces {
            for method in declared.methods.iter().filter(|one| one.flags.has(Flags::ABSTRACT)) {
                let has_body = |below: &&Class| {
                    let found = below.method(&method.name, &method.descriptor);
                    found.is_some_and(|found| !found.flags.has(Flags::ABSTRACT))
                        && self.is_subtype(&below.name, &declared.name)
                };
                let key = (&*method.name, &*method.descriptor);
                if !seen.contains(&key) && !interfaces.iter().any(has_body) {
                    seen.insert(key);
                    open.push((declared, method));
                }
            }
        }
        open
    }

    /// Returns a complete class of the program, or `None` if it is not part of the program or not readable.
    pub fn class(&self, name: &str) -> Option<Arc<Class>> {
        let outline = self.outlines.get(name)?;
        if let Some(known) = self.whole.borrow().get(name) {
            return known.clone();
        }
        let class = self.path.read(name).ok().flatten().map(Arc::new);
        self.whole.borrow_mut().insert(outline.name.clone(), class.clone());
        class
    }

    /// Returns all proper subtypes of this class or interface.
    pub fn subtypes(&self, name: &str) -> BTreeSet<Arc<str>> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = vec![name];
        while let Some(above) = open.pop() {
            for below in self.below.get(above).into_iter().flatten() {
                // A damaged class may be its own ancestor, so what was seen is not visited again.
                if found.insert(below.clone()) {
                    open.push(below);
                }
            }
        }
        found
    }

    /// The class and then its superclasses, as far as the program has them.
    fn ancestors<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Class> + use<'a, 'p> {
        let mut seen = BTreeSet::new();
        let mut next = self.outlines.get(name);
        std::iter::from_fn(move || {
            let class = next?;
            next = class.superclass.as_ref().and_then(|above| self.outlines.get(above));
            seen.insert(&class.name).then_some(class)
        })
    }

    /// All interfaces of a class and of its superclasses, however far above; of an interface, itself as well.
    fn interfaces(&self, name: &str) -> Vec<&Class> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Arc<str>> = Vec::new();
        for class in self.ancestors(name) {
            if class.is_interface() && seen.insert(&*class.name) {
                found.push(class);
            }
            open.extend(&class.interfaces);
        }
        while let Some(name) = open.pop() {
            if let Some(class) = self.outlines.get(name)
                && seen.insert(&*class.name)
            {
                found.push(class);
                open.extend(&class.interfaces);
            }
        }
        found
    }

    /// Returns true if the program has the class and all its supertypes, without which a JVM cannot load it.
    pub fn is_loadable(&self, class: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![class];
        while let Some(name) = open.pop() {
            let Some(class) = self.outlines.get(name) else { return false };
            if seen.insert(name) {
                open.extend(class.superclass.iter().chain(&class.interfaces).map(|above| &**above));
            }
        }
        true
    }

    /// Resolves a method reference: in the class, its superclasses, or an interface (JVMS 5.4.3.3 and
    /// 5.4.3.4).
    pub fn resolve(&self, class: &str, name: &str, descriptor: &str) -> Option<(&Class, &Method)> {
        // An array has the methods of Object.
        let class = if class.starts_with('[') { "java/lang/Object" } else { class };
        let own = |class: &'_ Class| {
            class.methods.iter().position(|m| &*m.name == name && &*m.descriptor == descriptor)
        };
        let above = self.ancestors(class).find_map(|class| own(class).map(|at| (class, &class.methods[at])));
        above.or_else(|| {
            let all = self.interfaces(class);
            let mut found = all
                .iter()
                .filter_map(|class| own(class).map(|at| (*class, &class.methods[at])))
                .collect::<Vec<_>>();
            // One with a body is preferred; which of several does not matter for what the reference means.
            found.sort_by_key(|(_, method)| method.flags.has(Flags::ABSTRACT));
            found.into_iter().next()
        })
    }

    /// Returns the internal name of the class that declares the referenced field.
    pub fn declaring(&self, field: &MemberRef) -> Option<&Arc<str>> {
        let has = |class: &&Class| {
            class.fields.iter().any(|own| own.name == field.name && own.descriptor == field.descriptor)
        };
        let above = self.ancestors(&field.class).find(has);
        above.or_else(|| self.interfaces(&field.class).into_iter().find(has)).map(|class| &class.name)
    }

    /// Returns the methods that may run when the method is called on an object of exactly this class (JVMS
    /// 5.4.6).
    fn selected(&self, class: &str, name: &str, descriptor: &str) -> Vec<MethodId> {
        let id = |class: &Class| MethodId::new(&class.name, name, descriptor);
        for class in self.ancestors(class).filter(|class| !class.is_interface()) {
            if let Some(method) = class.method(name, descriptor)
                && !method.flags.has(Flags::PRIVATE)
                && !method.is_static()
            {
                let is_abstract = method.flags.has(Flags::ABSTRACT);
                return if is_abstract { Vec::new() } else { vec![id(class)] };
            }
        }
        // The most specific default wins; taking all of them errs on the safe side.
        let is_default = |class: &&Class| {
            class
                .method(name, descriptor)
                .is_some_and(|method| !method.flags.has(Flags::ABSTRACT) && !method.is_static())
        };
        self.interfaces(class).into_iter().filter(is_default).map(id).collect()
    }

    /// Returns the possible targets of a call in a method of the class `caller`.
    pub fn targets(&self, caller: &str, call: Call, member: &MemberRef) -> Targets {
        let (name, descriptor) = (&*member.name, &*member.descriptor);
        let Some((owner, method)) = self.resolve(&member.class, name, descriptor) else {
            return Targets::Unresolved;
        };
        let itself = MethodId::new(&owner.name, name, descriptor);
        if call == Call::Static {
            return Targets::Known([itself].into());
        }
        if call == Call::Special {
            // A call to `super` begins at the superclass of the caller, whichever ancestor the reference
            // names.
            let superclass = self.outlines.get(caller).and_then(|class| class.superclass.as_deref());
            let from_super = superclass
                .filter(|_| name != "<init>" && !method.flags.has(Flags::PRIVATE) && !owner.is_interface())
                .and_then(|above| self.resolve(above, name, descriptor))
                .map(|(class, _)| MethodId::new(&class.name, name, descriptor));
            return Targets::Known([itself].into_iter().chain(from_super).collect());
        }
        let closed = method.flags.has(Flags::PRIVATE)
            || method.flags.has(Flags::FINAL)
            || member.class.starts_with('[');
        if closed || owner.flags.has(Flags::FINAL) {
            return Targets::Known([itself].into());
        }
        let mut found = BTreeSet::new();
        let mut may_be_lambda = false;
        let receivers = self.subtypes(&member.class).into_iter().chain([member.class.clone()]);
        for receiver in receivers {
            let Some(class) = self.outlines.get(&receiver) else { continue };
            if class.is_interface() {
                // Whatever a lambda's class does not have itself it has from Object.
                found.extend(self.selected("java/lang/Object", name, descriptor));
                may_be_lambda |= self.is_functional(class, name);
            } else if !class.flags.has(Flags::ABSTRACT) {
                found.extend(self.selected(&receiver, name, descriptor));
            }
        }
        if may_be_lambda { Targets::Lambda(found) } else { Targets::Known(found) }
    }

    /// Returns true if a lambda may implement the interface, and thereby this method.
    fn is_functional(&self, interface: &Class, name: &str) -> bool {
        let mut names = BTreeSet::new();
        for above in self.interfaces(&interface.name) {
            let open = above.methods.iter().filter(|method| method.flags.has(Flags::ABSTRACT));
            // What Object has anyway does not count, such as `equals` in Comparator.
            names.extend(open.filter(|method| !self.object_has(method)).map(|method| &*method.name));
        }
        // Generic interfaces restate their method with other descriptors, so that names decide.
        names.len() == 1 && names.contains(name)
    }

    fn object_has(&self, method: &Method) -> bool {
        let object = self.outlines.get("java/lang/Object");
        object.is_some_and(|object| object.method(&method.name, &method.descriptor).is_some())
    }
}
