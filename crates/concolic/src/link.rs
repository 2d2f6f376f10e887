//! Classes as the interpreter needs them: read once, on demand, with numbers in place of names.

use std::sync::Arc;

use adit_bytecode::{Class, ClassPath, Flags, MemberRef, Method, Signature, Type};
use rustc_hash::FxHashMap;

use crate::Unknown;
use crate::compile::{self, Body};
use crate::models::{self, Model};

/// Number of a class in a [`Linker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub(crate) u32);

/// Number of a method in a [`Linker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodNumber(pub(crate) u32);

/// Number of a name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Selector(pub(crate) u32);

/// Number of a type: a class by its internal name, or an array by its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeNumber(pub(crate) u32);

/// A class with the places of its fields.
pub(crate) struct LinkedClass {
    pub(crate) class: Arc<Class>,
    pub(crate) superclass: Option<ClassId>,
    pub(crate) kind: TypeNumber,
    /// All instance fields in order, those of superclasses first.
    pub(crate) fields: Vec<Slot>,
    /// Number of the first static field among all static fields.
    pub(crate) first_static: u32,
    pub(crate) initializer: Option<MethodNumber>,
}

/// A field with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Internal name of the class that declares it.
    pub class: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub kind: Type,
}

/// A method that was called, or may be.
pub(crate) struct LinkedMethod {
    pub(crate) class: ClassId,
    /// Index among the methods of the class.
    pub(crate) index: usize,
    /// Slots of the parameters, the receiver included.
    pub(crate) slots: usize,
    pub(crate) model: Option<Model>,
    pub(crate) body: Option<Result<Arc<Body>, Unknown>>,
}

/// Classes and methods of a class path, linked on demand.
pub struct Linker<'p> {
    path: &'p ClassPath,
    pub(crate) classes: Vec<LinkedClass>,
    by_name: FxHashMap<Arc<str>, Result<ClassId, Unknown>>,
    pub(crate) methods: Vec<LinkedMethod>,
    method_numbers: FxHashMap<(ClassId, u32), MethodNumber>,
    selectors: FxHashMap<(Arc<str>, Arc<str>), Selector>,
    pub(crate) selector_names: Vec<(Arc<str>, Arc<str>)>,
    dispatch: FxHashMap<(ClassId, Selector), Result<MethodNumber, Unknown>>,
    types: FxHashMap<Arc<str>, TypeNumber>,
    pub(crate) type_names: Vec<Arc<str>>,
    subtypes: FxHashMap<(TypeNumber, TypeNumber), Result<bool, Unknown>>,
    literal_numbers: FxHashMap<Arc<str>, u32>,
    /// The texts of string constants.
    pub(crate) literals: Vec<Arc<str>>,
    /// Static fields of all classes, by number.
    pub(crate) statics: Vec<Slot>,
}

impl<'p> Linker<'p> {
    /// Creates a linker that has read nothing yet.
    pub fn new(path: &'p ClassPath) -> Linker<'p> {
        Linker {
            path,
            classes: Vec::new(),
            by_name: FxHashMap::default(),
            methods: Vec::new(),
            method_numbers: FxHashMap::default(),
            selectors: FxHashMap::default(),
            selector_names: Vec::new(),
            dispatch: FxHashMap::default(),
            types: FxHashMap::default(),
            type_names: Vec::new(),
            subtypes: FxHashMap::default(),
            literal_numbers: FxHashMap::default(),
            literals: Vec::new(),
            statics: Vec::new(),
        }
    }

    /// Links a class and everything above it (JVMS §5.3).
    pub fn class(&mut self, name: &str) -> Result<ClassId, Unknown> {
        if let Some(known) = self.by_name.get(name) {
            return known.clone();
        }
        let missing = || Unknown::MissingClass(name.replace('/', ".").into());
        // A damaged class may be its own ancestor; while it is being linked, it counts as missing.
        self.by_name.insert(name.into(), Err(missing()));
        let class = match self.path.read(name) {
            Ok(Some(class)) => Arc::new(class),
            Ok(None) | Err(_) => return Err(missing()),
        };
        let superclass = class.superclass.as_ref().map(|above| self.class(above)).transpose()?;
        let mut fields = superclass.map_or(Vec::new(), |above| self.at(above).fields.clone());
        let first_static = self.statics.len() as u32;
        for field in &class.fields {
            let slot = Slot { class: class.name.clone(), name: field.name.clone(), kind: field.field_type() };
            let is_static = field.flags.has(Flags::STATIC);
            if is_static { &mut self.statics } else { &mut fields }.push(slot);
        }
        let id = ClassId(self.classes.len() as u32);
        let kind = self.kind(&class.name);
        self.classes.push(LinkedClass {
            class: class.clone(),
            superclass,
            kind,
            fields,
            first_static,
            initializer: None,
        });
        self.by_name.insert(name.into(), Ok(id));
        let initializer = class.methods.iter().position(|method| &*method.name == "<clinit>");
        if let Some(index) = initializer.filter(|_| !self.is_platform_exception(id)) {
            self.classes[id.0 as usize].initializer = Some(self.method_number(id, index));
        }
        Ok(id)
    }

    pub(crate) fn at(&self, class: ClassId) -> &LinkedClass {
        &self.classes[class.0 as usize]
    }

    /// The class and the declaration of a method.
    pub(crate) fn declaration(&self, method: MethodNumber) -> (&Arc<Class>, &Method) {
        let linked = &self.methods[method.0 as usize];
        let class = &self.at(linked.class).class;
        (class, &class.methods[linked.index])
    }

    /// Name of a class with dots, as Java prints it.
    pub fn class_name(&self, class: ClassId) -> String {
        self.at(class).class.dotted_name()
    }

    /// Name of a method for messages.
    pub(crate) fn name_of(&self, method: MethodNumber) -> Arc<str> {
        let (class, method) = self.declaration(method);
        format!("{}.{}", class.dotted_name(), method.name).into()
    }

    /// Returns the number of a method that the class itself declares.
    pub(crate) fn method_number(&mut self, class: ClassId, index: usize) -> MethodNumber {
        if let Some(&number) = self.method_numbers.get(&(class, index as u32)) {
            return number;
        }
        let declared = self.at(class).class.clone();
        let method = &declared.methods[index];
        let slots = method.signature().slots() + usize::from(!method.is_static());
        let number = MethodNumber(self.methods.len() as u32);
        let of_exception = self.is_platform_exception(class);
        let model = models::model(&declared.name, method, of_exception);
        self.methods.push(LinkedMethod { class, index, slots, model, body: None });
        self.method_numbers.insert((class, index as u32), number);
        number
    }

    /// Returns the number of the method with this name and descriptor that the class itself declares.
    pub fn own_method(&mut self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodNumber> {
        let declared = self.at(class).class.clone();
        let found =
            declared.methods.iter().position(|one| &*one.name == name && &*one.descriptor == descriptor)?;
        Some(self.method_number(class, found))
    }

    /// Returns the compiled body of a method.
    pub(crate) fn body(&mut self, method: MethodNumber) -> Result<Arc<Body>, Unknown> {
        if let Some(known) = &self.methods[method.0 as usize].body {
            return known.clone();
        }
        let body = compile::compile(self, method).map(Arc::new);
        self.methods[method.0 as usize].body = Some(body.clone());
        body
    }

    /// Resolves a method reference in the class, its superclasses, or its interfaces (JVMS §5.4.3.3).
    pub(crate) fn resolve(&mut self, member: &MemberRef) -> Result<MethodNumber, Unknown> {
        let start = if member.class.starts_with('[') { "java/lang/Object" } else { &*member.class };
        let start = self.class(start)?;
        self.find_method(start, &member.name, &member.descriptor, |_| true)?
            .ok_or_else(|| Unknown::MissingMember(dotted(member)))
    }

    /// Selects the method that a call on an object of this class runs (JVMS §5.4.6).
    pub(crate) fn select(&mut self, class: ClassId, selector: Selector) -> Result<MethodNumber, Unknown> {
        if let Some(known) = self.dispatch.get(&(class, selector)) {
            return known.clone();
        }
        let (name, descriptor) = self.selector_names[selector.0 as usize].clone();
        let is_candidate = |method: &Method| !method.is_static();
        let found = self.find_method(class, &name, &descriptor, is_candidate).and_then(|found| {
            found.ok_or_else(|| {
                Unknown::MissingMember(format!("{}.{name}", self.at(class).class.dotted_name()).into())
            })
        });
        self.dispatch.insert((class, selector), found.clone());
        found
    }

    /// Finds a method in superclasses first, then the most specific default among the interfaces.
    fn find_method(
        &mut self,
        start: ClassId,
        name: &str,
        descriptor: &str,
        counts: impl Fn(&Method) -> bool,
    ) -> Result<Option<MethodNumber>, Unknown> {
        let own = |class: &Class| {
            class
                .methods
                .iter()
                .position(|one| &*one.name == name && &*one.descriptor == descriptor && counts(one))
        };
        let mut interfaces = Vec::new();
        let mut next = Some(start);
        while let Some(class) = next {
            let linked = self.at(class).class.clone();
            if let Some(index) = own(&linked) {
                return Ok(Some(self.method_number(class, index)));
            }
            interfaces.extend(linked.interfaces.iter().cloned());
            next = self.at(class).superclass;
        }
        // Breadth first: a subinterface comes before what it extends, so its default wins.
        let (mut at, mut fallback) = (0, None);
        while at < interfaces.len() {
            let id = self.class(&interfaces[at])?;
            let linked = self.at(id).class.clone();
            if let Some(index) = own(&linked) {
                let number = self.method_number(id, index);
                if !linked.methods[index].flags.has(Flags::ABSTRACT) {
                    return Ok(Some(number));
                }
                fallback = fallback.or(Some(number));
            }
            for above in &linked.interfaces {
                if !interfaces.contains(above) {
                    interfaces.push(above.clone());
                }
            }
            at += 1;
        }
        Ok(fallback)
    }

    /// Resolves a field reference: the declaring class and the slot among instance or static fields (JVMS
    /// §5.4.3.2).
    pub(crate) fn field(&mut self, member: &MemberRef, is_static: bool) -> Result<(ClassId, u32), Unknown> {
        let missing = || Unknown::MissingMember(dotted(member));
        let mut open = vec![self.class(&member.class)?];
        while let Some(id) = open.pop() {
            let class = self.at(id).class.clone();
            let own = class.fields.iter().filter(|field| field.flags.has(Flags::STATIC) == is_static);
            let found = own
                .enumerate()
                .find(|(_, one)| one.name == member.name && one.descriptor == member.descriptor);
            if let Some((index, _)) = found {
                let linked = self.at(id);
                let above = linked.superclass.map_or(0, |above| self.at(above).fields.len());
                let first = if is_static { linked.first_static as usize } else { above };
                return Ok((id, (first + index) as u32));
            }
            open.extend(self.at(id).superclass);
            for interface in &class.interfaces {
                open.push(self.class(interface)?);
            }
        }
        Err(missing())
    }

    pub(crate) fn selector(&mut self, name: &Arc<str>, descriptor: &Arc<str>) -> Selector {
        let key = (name.clone(), descriptor.clone());
        if let Some(&known) = self.selectors.get(&key) {
            return known;
        }
        let number = Selector(self.selector_names.len() as u32);
        self.selector_names.push(key.clone());
        self.selectors.insert(key, number);
        number
    }

    /// Returns the number of a type: an internal class name or an array descriptor.
    pub fn kind(&mut self, name: &str) -> TypeNumber {
        if let Some(&known) = self.types.get(name) {
            return known;
        }
        let number = TypeNumber(self.type_names.len() as u32);
        let name: Arc<str> = name.into();
        self.type_names.push(name.clone());
        self.types.insert(name, number);
        number
    }

    pub(crate) fn literal(&mut self, text: &Arc<str>) -> u32 {
        if let Some(&known) = self.literal_numbers.get(text) {
            return known;
        }
        let number = self.literals.len() as u32;
        self.literals.push(text.clone());
        self.literal_numbers.insert(text.clone(), number);
        number
    }

    /// Returns true if an object of the type `below` is one of `above` (JVMS §6.5.instanceof).
    pub(crate) fn is_subtype(&mut self, below: TypeNumber, above: TypeNumber) -> Result<bool, Unknown> {
        if below == above {
            return Ok(true);
        }
        if let Some(known) = self.subtypes.get(&(below, above)) {
            return known.clone();
        }
        let (low, high) = (self.name_of_type(below), self.name_of_type(above));
        let answer = self.check_subtype(&low, &high);
        self.subtypes.insert((below, above), answer.clone());
        answer
    }

    pub(crate) fn name_of_type(&self, kind: TypeNumber) -> Arc<str> {
        self.type_names[kind.0 as usize].clone()
    }

    fn check_subtype(&mut self, low: &str, high: &str) -> Result<bool, Unknown> {
        if high == "java/lang/Object" {
            return Ok(true);
        }
        if let Some(element) = low.strip_prefix('[') {
            let Some(wanted) = high.strip_prefix('[') else {
                return Ok(high == "java/lang/Cloneable" || high == "java/io/Serializable");
            };
            // Arrays of references are as their elements are; arrays of numbers are only the same.
            return match (element_class(element), element_class(wanted)) {
                (Some(below), Some(above)) => {
                    let (below, above) = (self.kind(&below), self.kind(&above));
                    self.is_subtype(below, above)
                }
                _ => Ok(element == wanted),
            };
        }
        if high.starts_with('[') {
            return Ok(false);
        }
        let mut open: Vec<Arc<str>> = vec![low.into()];
        let mut at = 0;
        while at < open.len() {
            if &*open[at] == high {
                return Ok(true);
            }
            let id = self.class(&open[at].clone())?;
            let class = self.at(id).class.clone();
            for above in class.superclass.iter().chain(&class.interfaces) {
                if !open.contains(above) {
                    open.push(above.clone());
                }
            }
            at += 1;
        }
        Ok(false)
    }

    /// Number of the constants of an enum; `None` for any other type.
    pub(crate) fn enum_constants(&mut self, kind: TypeNumber) -> Result<Option<i64>, Unknown> {
        let name = self.name_of_type(kind);
        if name.starts_with('[') {
            return Ok(None);
        }
        let id = self.class(&name)?;
        let class = &self.at(id).class;
        if class.superclass.as_deref() != Some("java/lang/Enum") {
            return Ok(None);
        }
        Ok(Some(class.fields.iter().filter(|field| field.flags.has(Flags::ENUM)).count() as i64))
    }

    /// The place of the number of an enum constant among its fields.
    pub(crate) fn ordinal_slot(&self, class: ClassId) -> Option<usize> {
        let is_ordinal = |slot: &Slot| &*slot.class == "java/lang/Enum" && &*slot.name == "ordinal";
        self.at(class).fields.iter().position(is_ordinal)
    }

    /// Returns true if a call asks an enum constant for its number.
    pub(crate) fn is_ordinal(&mut self, kind: TypeNumber, selector: Selector) -> Result<bool, Unknown> {
        let (name, descriptor) = &self.selector_names[selector.0 as usize];
        Ok(&**name == "ordinal" && &**descriptor == "()I" && self.enum_constants(kind)?.is_some())
    }

    /// Returns true for exceptions of the platform, whose constructors do nothing that a component can
    /// notice.
    fn is_platform_exception(&self, class: ClassId) -> bool {
        let is_platform = |name: &str| name.starts_with("java/") || name.starts_with("javax/");
        let mut next = Some(class).filter(|&class| is_platform(&self.at(class).class.name));
        while let Some(id) = next {
            if &*self.at(id).class.name == "java/lang/Throwable" {
                return true;
            }
            next = self.at(id).superclass;
        }
        false
    }
}

/// The class or array that an element descriptor names; `None` for numbers.
fn element_class(descriptor: &str) -> Option<String> {
    match descriptor.strip_prefix('L') {
        Some(name) => Some(name.trim_end_matches(';').to_owned()),
        None => descriptor.starts_with('[').then(|| descriptor.to_owned()),
    }
}

fn dotted(member: &MemberRef) -> Arc<str> {
    format!("{}.{}", member.class.replace('/', "."), member.name).into()
}

/// Number of result slots of a descriptor.
pub(crate) fn result_slots(signature: &Signature) -> u8 {
    signature.result.as_ref().map_or(0, |kind| kind.slots() as u8)
}
