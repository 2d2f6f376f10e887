//! The calls that a class offers: ways to make its objects, and the methods of its objects.
//!
//! Paper: none; what Java calls public and callable.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use adit_bytecode::overloads::{self, Overloads};
use adit_bytecode::{Class, ClassError, Flags, Method, Program, Signature, Type};
use adit_trace::{CallKind, Callable, EventNames, ValueKind, Vocabulary};

use crate::ApiError;
use crate::event_names::event_names;
use crate::factories::factories;
use crate::makers::{self, cost_of_calling, is_open};

/// The calls that a class offers.
#[derive(Clone, Debug)]
pub struct Api {
    /// The class, with dots.
    pub class: Arc<str>,
    /// The ways to get an object: constructors, factories and fixtures. Never empty.
    pub starts: Vec<Operation>,
    /// The methods of its objects, inherited ones included, in the order of the class file.
    pub methods: Vec<Operation>,
    /// The methods that `--only` leaves out and that need no arguments: they can still be asked.
    pub left_out: Vec<Operation>,
    /// The starts and methods that are not called because there are no values for their parameters, with the
    /// reason.
    pub skipped: Vec<(Callable, Lack)>,
    /// The signatures of all starts and methods, also of those that the user leaves out:
    /// `nextToken(java.lang.String)`.
    pub offered: BTreeSet<String>,
    /// The classes, with dots, whose public static methods without parameters give values.
    pub fixtures: Vec<String>,
    /// Non-public members are called as well.
    pub non_public: bool,
    /// The naming of methods that share a name.
    pub overloads: Overloads,
    /// The names of events.
    pub names: EventNames,
}

/// A type of which there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack(pub Type);

/// The reason in words.
impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "adit found no way to construct a {}", self.0)
    }
}

/// Something that can be called, with the types it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The call without its types.
    pub callable: Arc<Callable>,
    /// The type of the receiver; nothing for constructors, static methods and fields.
    pub receiver: Option<Type>,
    /// The types of the parameters, erased.
    pub parameters: Vec<Type>,
    /// The type of the result: the class for a constructor, nothing for `void`.
    pub result: Option<Type>,
    /// Java may write the last parameter as several arguments.
    pub varargs: bool,
}

/// Options that decide what is called.
#[derive(Clone, Debug)]
pub struct ApiOptions {
    /// Also call non-public members; private ones are never called.
    pub non_public: bool,
    /// Also call `equals`, `hashCode` and `toString`, where the class has its own.
    pub object_methods: bool,
    /// The only methods to call, by name or, to choose among several, as `remove(int)`; all if nothing is
    /// said. Constructors and factories are not concerned.
    pub only: Option<BTreeSet<String>>,
    /// The names of methods not to call.
    pub without: BTreeSet<String>,
    /// The classes, with dots, whose public static methods without parameters give values.
    pub fixtures: Vec<String>,
    /// The naming of methods that share a name.
    pub overloads: Overloads,
}

impl Api {
    /// Finds the class that a person means by `class`, with dots and nested classes with `.` or `$`, and its
    /// calls.
    ///
    /// The result may have parameters without values; [`prepare`](crate::prepare) removes such calls.
    pub fn of(program: &Program<'_>, class: &str, options: &ApiOptions) -> Result<Api, ApiError> {
        let class = find(program, class)?;
        let name = class.dotted_name();
        if class.flags.has(Flags::ANNOTATION) {
            return Err(ApiError::Annotation { class: name });
        }
        if class.flags.has(Flags::ENUM) {
            return Err(ApiError::Enum { class: name });
        }
        if !options.non_public && !is_public(program, class) {
            return Err(ApiError::NotPublic { class: name });
        }
        let starts = starts(program, class, options)?;
        let all = methods(program, class, options);
        let offered = starts
            .iter()
            .chain(&all)
            .map(|operation| overloads::signature(&operation.callable.name, &operation.parameters));
        let offered = offered.collect();
        let methods = chosen(class, all.clone(), options)?;
        let is_unwanted = |one: &Operation| options.without.iter().any(|name| is_meant(one, name));
        let left_out = all
            .into_iter()
            .filter(|one| one.parameters.is_empty() && !methods.contains(one) && !is_unwanted(one));
        let left_out = left_out.collect();
        if methods.is_empty() {
            return Err(ApiError::NoMethod { class: name });
        }
        Ok(Api {
            class: name.into(),
            overloads: options.overloads,
            names: event_names(options.overloads, &methods),
            starts,
            methods,
            skipped: Vec::new(),
            left_out,
            offered,
            fixtures: options.fixtures.clone(),
            non_public: options.non_public,
        })
    }

    /// The calls that are events of objects of the class.
    pub fn vocabulary(&self) -> Vocabulary {
        let callables = |all: &[Operation]| all.iter().map(|one| one.callable.clone()).collect();
        Vocabulary {
            class: self.class.clone(),
            starts: callables(&self.starts),
            methods: callables(&self.methods),
            names: self.names.clone(),
        }
    }

    /// Names all events anew. Overloads that are not called do not count.
    pub fn name_events(&mut self, overloads: Overloads) {
        self.overloads = overloads;
        self.names = event_names(overloads, &self.methods);
    }

    /// The class in internal form.
    pub fn internal_name(&self) -> String {
        self.class.replace('.', "/")
    }

    /// All types that calling needs values of: those of parameters, and of the receivers of starts.
    pub(crate) fn needs(&self) -> BTreeSet<Type> {
        let receivers = self.starts.iter().filter_map(|start| start.receiver.clone());
        let all = self.starts.iter().chain(&self.methods);
        receivers.chain(all.flat_map(|operation| operation.parameters.iter().cloned())).collect()
    }
}

impl Operation {
    /// A method or constructor of `class`, called as a member of the class `through`.
    pub(crate) fn of_method(class: &Class, method: &Method, through: &str) -> Operation {
        let signature = method.signature();
        let kind = match (method.is_constructor(), method.is_static()) {
            (true, _) => CallKind::Constructor,
            (_, true) => CallKind::Function,
            _ => CallKind::Method,
        };
        // A static method of an interface belongs to it alone and is not inherited.
        let through = if kind == CallKind::Method { through } else { &class.name };
        let itself = || Type::Class(through.into());
        Operation {
            callable: Arc::new(callable(kind, through, &method.name, &method.descriptor)),
            receiver: (kind == CallKind::Method).then(itself),
            parameters: signature.parameters,
            result: if method.is_constructor() { Some(itself()) } else { signature.result },
            varargs: method.flags.has(Flags::VARARGS),
        }
    }

    /// A static field.
    pub(crate) fn of_field(class: &Class, name: &str, descriptor: &str) -> Operation {
        Operation {
            callable: Arc::new(callable(CallKind::Constant, &class.name, name, descriptor)),
            receiver: None,
            parameters: Vec::new(),
            result: Type::parse(descriptor),
            varargs: false,
        }
    }
}

/// The callable for a member of a class file: the class by its internal name, the member by its name and
/// descriptor.
///
/// The signature of a Java callable is its descriptor.
pub fn callable(kind: CallKind, class: &str, name: &str, descriptor: &str) -> Callable {
    let owner = class.replace('/', ".");
    let name = match kind {
        CallKind::Constructor => owner.rsplit(['.', '$']).next().unwrap_or(&owner).to_owned(),
        CallKind::Function | CallKind::Method | CallKind::Constant => name.to_owned(),
    };
    let (parameters, result) = match kind {
        CallKind::Constant => (Vec::new(), Type::parse(descriptor)),
        _ => Signature::parse(descriptor).map_or((Vec::new(), None), |read| (read.parameters, read.result)),
    };
    let answer = match kind {
        CallKind::Constructor => ValueKind::Object,
        _ => result.as_ref().map_or(ValueKind::Nothing, value_kind),
    };
    Callable {
        parameters: parameters.iter().map(value_kind).collect(),
        answer,
        signature: descriptor.to_owned(),
        ..Callable::new(kind, owner, name)
    }
}

/// The name that class files have for a callable.
pub(crate) fn member_name(callable: &Callable) -> &str {
    if callable.kind == CallKind::Constructor { "<init>" } else { &callable.name }
}

pub(crate) fn value_kind(of: &Type) -> ValueKind {
    match of {
        Type::Boolean => ValueKind::Bool,
        Type::Float | Type::Double => ValueKind::Float,
        Type::Class(name) if &**name == "java/lang/String" => ValueKind::Text,
        Type::Class(_) | Type::Array(_) => ValueKind::Object,
        _ => ValueKind::Int,
    }
}

fn find<'a>(program: &'a Program<'_>, name: &str) -> Result<&'a Class, ApiError> {
    if name.ends_with(']') || name.starts_with('[') {
        return Err(ApiError::Array { class: name.to_owned() });
    }
    let read = program.path().class(name)?;
    program.outline(&read.name).ok_or_else(|| {
        let (name, near, sources) =
            (read.dotted_name(), Vec::new(), vec!["the part of it that was read".into()]);
        ApiError::Class(ClassError::UnknownClass { name, near, sources })
    })
}

/// Tells whether code anywhere may name the class: it and all classes around it are public.
pub(crate) fn is_public(program: &Program<'_>, class: &Class) -> bool {
    let mut next = Some(class);
    // A damaged class may lie in itself.
    for _ in 0..16 {
        let Some(class) = next else { return true };
        let Some(nesting) = &class.nesting else { return class.flags.has(Flags::PUBLIC) };
        if !nesting.flags.has(Flags::PUBLIC) || nesting.name.is_none() {
            return false;
        }
        next = nesting.outer.as_ref().and_then(|outer| program.outline(outer));
    }
    false
}

/// Tells whether a member may be called: never when it is private or made by the compiler.
pub(crate) fn is_callable(flags: Flags, non_public: bool) -> bool {
    let allowed = if non_public { !flags.has(Flags::PRIVATE) } else { flags.has(Flags::PUBLIC) };
    allowed && !flags.has(Flags::SYNTHETIC)
}

/// So many ways to get an object are enough; an interface such as `Collection` has hundreds.
const MOST_STARTS: usize = 24;

/// So many of them are methods of other objects, where there are others: what a factory gives often works
/// where what a constructor gives is an empty shell.
const MOST_METHODS: usize = 6;

fn starts(program: &Program<'_>, class: &Class, options: &ApiOptions) -> Result<Vec<Operation>, ApiError> {
    let mut found = fixtures(program, &class.name, &options.fixtures)?;
    let mut tried = Vec::new();
    // Who gives objects of an interface means these, and none that any other class may have.
    let is_given = !found.is_empty() && class.flags.has(Flags::ABSTRACT);
    if !is_given {
        found.extend(own_starts(program, class, &class.name, options.non_public));
    }
    if found.is_empty() || class.flags.has(Flags::ABSTRACT) && !is_given {
        tried.push(match (class.is_interface(), class.flags.has(Flags::ABSTRACT)) {
            (true, _) => "it is an interface".to_owned(),
            (_, true) => "it is abstract".to_owned(),
            _ => {
                format!("it has no {}constructor and no such static method that returns it", public(options))
            }
        });
        let elsewhere = elsewhere(program, class, options);
        found.extend(elsewhere.into_iter().take(MOST_STARTS));
    }
    if found.is_empty() {
        found.extend(own_constants(class, options.non_public));
    }
    let below = program.subtypes(&class.name);
    if found.is_empty() {
        let others = below.iter().filter_map(|name| program.outline(name));
        let classes = others.chain(around(program, class)).filter(|other| is_public(program, other));
        let under_other_names = [class].into_iter().chain(classes);
        found = under_other_names
            .flat_map(|class_or_below| factories(program, class_or_below, &class.name, options.non_public))
            .take(MOST_STARTS)
            .collect();
    }
    if found.is_empty() {
        tried.push(match below.len() {
            0 => "it has no subclasses".to_owned(),
            1 => "its only subclass cannot be constructed".to_owned(),
            number => format!("none of its {number} subclasses can be constructed"),
        });
        tried.push("no method elsewhere returns it".to_owned());
        // An interface has no constructors.
        let non_public = options.non_public || class.is_interface();
        return Err(ApiError::NoStart { class: class.dotted_name(), tried, non_public });
    }
    Ok(found)
}

/// The classes in which a class is nested, from the nearest on.
fn around<'a>(program: &'a Program<'_>, class: &'a Class) -> impl Iterator<Item = &'a Class> {
    let outer = |class: &&'a Class| program.outline(class.nesting.as_ref()?.outer.as_ref()?);
    // A damaged class may lie in itself.
    std::iter::successors(outer(&class), outer).take(16)
}

fn public(options: &ApiOptions) -> &'static str {
    if options.non_public { "" } else { "public " }
}

/// The fixtures that give objects of the class.
pub(crate) fn fixtures(
    program: &Program<'_>,
    class: &str,
    fixtures: &[String],
) -> Result<Vec<Operation>, ApiError> {
    let mut found = Vec::new();
    for name in fixtures {
        // A fixture may lie outside the program, whose names were listed before it was compiled.
        let fixture = program.path().class(name)?;
        for method in &fixture.methods {
            let gives =
                |result: &Type| matches!(result, Type::Class(name) if program.is_subtype(name, class));
            let fits = method.signature().result.as_ref().is_some_and(gives);
            if fits && is_fixture(method) {
                found.push(Operation::of_method(&fixture, method, &fixture.name));
            }
        }
    }
    Ok(found)
}

/// Tells whether a method of a class of fixtures gives a value.
pub(crate) fn is_fixture(method: &Method) -> bool {
    method.is_static() && is_callable(method.flags, false) && method.descriptor.starts_with("()")
}

/// The constructors of `class` and its static methods that give what is below `wanted`.
fn own_starts(program: &Program<'_>, class: &Class, wanted: &str, non_public: bool) -> Vec<Operation> {
    let is_start = |method: &&Method| {
        let fits = match method.signature().result {
            _ if method.is_constructor() => !class.flags.has(Flags::ABSTRACT),
            Some(Type::Class(result)) => method.is_static() && program.is_subtype(&result, wanted),
            _ => false,
        };
        fits && is_callable(method.flags, non_public)
    };
    let found = class.methods.iter().filter(is_start);
    found.map(|method| Operation::of_method(class, method, &class.name)).collect()
}

/// The static fields of the class that hold its only objects. Scripts share them, so that they are taken only
/// where nothing else makes an object.
fn own_constants(class: &Class, non_public: bool) -> impl Iterator<Item = Operation> {
    let descriptor = format!("L{};", class.name);
    let fields = class.fields.iter().filter(move |field| {
        field.flags.has(Flags::STATIC | Flags::FINAL)
            && is_callable(field.flags, non_public)
            && *field.descriptor == *descriptor
    });
    fields.map(|field| Operation::of_field(class, &field.name, &field.descriptor))
}

/// The starts that other classes give, the simplest first: constructors of subclasses, static methods
/// anywhere, and some methods of other objects.
fn elsewhere(program: &Program<'_>, class: &Class, options: &ApiOptions) -> Vec<Operation> {
    let wanted = &*class.name;
    let below = program.subtypes(wanted);
    let mut found: Vec<(u32, Operation)> = Vec::new();
    let mut methods: Vec<(u32, Operation)> = Vec::new();
    for other in program.outlines().filter(|other| *other.name != *wanted) {
        let near = makers::package(&other.name) == makers::package(wanted);
        if !(is_open(&other.name) || near) || !(is_public(program, other) || (options.non_public && near)) {
            continue;
        }
        let gives = |result: &str| result == wanted || below.contains(result);
        for method in other.methods.iter().filter(|method| is_callable(method.flags, false)) {
            let result = method.descriptor.split_once(")L").map(|(_, name)| name.trim_end_matches(';'));
            let fits = if method.is_constructor() {
                below.contains(&other.name) && !other.flags.has(Flags::ABSTRACT)
            } else {
                result.is_some_and(gives)
            };
            if !fits {
                continue;
            }
            let operation = Operation::of_method(other, method, &other.name);
            let cost = cost_of_calling(other, method, wanted);
            // What an object below the class gives from itself needs such an object first.
            if operation.receiver.is_none() {
                found.push((cost, operation));
            } else if !gives(&other.name) {
                methods.push((cost, operation));
            }
        }
    }
    // The order of the outlines decides among equals, so that the result is always the same.
    found.sort_by_key(|(cost, _)| *cost);
    methods.sort_by_key(|(cost, _)| *cost);
    found.truncate(MOST_STARTS.saturating_sub(methods.len().min(MOST_METHODS)));
    found.into_iter().chain(methods).map(|(_, operation)| operation).collect()
}

fn methods(program: &Program<'_>, class: &Class, options: &ApiOptions) -> Vec<Operation> {
    let mut found = Vec::new();
    // Overridden methods are the same for a caller, whatever they return; so are those that a bridge leads
    // to.
    let mut seen: BTreeSet<(Arc<str>, String)> = BTreeSet::new();
    let parameters = |method: &Method| {
        method.descriptor.split_once(')').map_or(String::new(), |(parameters, _)| parameters.to_owned())
    };
    for above in program.supertypes(&class.name) {
        if &*above.name == "java/lang/Object" {
            continue;
        }
        for method in
            above.methods.iter().filter(|method| !method.is_static() && !method.name.starts_with('<'))
        {
            let key = (method.name.clone(), parameters(method));
            let counts = !is_of_object(method) || (options.object_methods && is_asked_for(&method.name));
            if counts && is_callable(method.flags, options.non_public) && seen.insert(key) {
                found.push(Operation::of_method(above, method, &class.name));
            }
        }
        // A bridge has the parameters that the class above has; what it leads to stands here under its own.
        for bridge in above.methods.iter().filter(|method| method.flags.has(Flags::BRIDGE)) {
            let count = bridge.signature().parameters.len();
            let leads_to = |method: &Method| {
                method.name == bridge.name
                    && !method.flags.has(Flags::BRIDGE)
                    && method.signature().parameters.len() == count
            };
            if above.methods.iter().any(leads_to) {
                seen.insert((bridge.name.clone(), parameters(bridge)));
            }
        }
    }
    found
}

/// Tells whether every object has the method, in its own way or not.
fn is_of_object(method: &Method) -> bool {
    matches!(
        (&*method.name, &*method.descriptor),
        ("equals", "(Ljava/lang/Object;)Z")
            | ("hashCode", "()I")
            | ("toString", "()Ljava/lang/String;")
            | ("getClass", "()Ljava/lang/Class;")
            | ("notify" | "notifyAll" | "finalize", "()V")
            | ("wait", "()V" | "(J)V" | "(JI)V")
    )
}

fn is_asked_for(name: &str) -> bool {
    matches!(name, "equals" | "hashCode" | "toString")
}

/// Tells whether a user means this operation: `remove` is all methods of that name, `remove(int)` one of
/// them.
fn is_meant(operation: &Operation, name: &str) -> bool {
    let Some((method, types)) = name.split_once('(') else { return *operation.callable.name == *name };
    let given = types.trim_end_matches(')').split(',').map(str::trim).filter(|one| !one.is_empty());
    let simple = |of: &str| of.rsplit(['.', '$']).next().unwrap_or(of).to_owned();
    *operation.callable.name == *method
        && operation.parameters.iter().map(|parameter| simple(&parameter.to_string())).eq(given.map(simple))
}

/// A method as a user chooses it among its overloads: `remove(int)`.
fn signature(operation: &Operation) -> String {
    let simple = |of: String| of.rsplit(['.', '$']).next().unwrap_or(&of).to_owned();
    let types: Vec<String> = operation.parameters.iter().map(|one| simple(one.to_string())).collect();
    format!("{}({})", operation.callable.name, types.join(","))
}

/// The methods that the user's choice leaves. A name that fits none is an error.
fn chosen(class: &Class, all: Vec<Operation>, options: &ApiOptions) -> Result<Vec<Operation>, ApiError> {
    for name in options.only.iter().flatten().chain(&options.without) {
        if !all.iter().any(|operation| is_meant(operation, name)) {
            // A name with parameters chooses among overloads, so these are listed with theirs.
            let method = name.split_once('(').map(|(method, _)| method);
            let overloads = all.iter().filter(|operation| Some(&*operation.callable.name) == method);
            let signatures: BTreeSet<String> = overloads.map(signature).collect();
            let names = || all.iter().map(|operation| operation.callable.name.clone()).collect();
            let has: BTreeSet<String> = if signatures.is_empty() { names() } else { signatures };
            let mut has: Vec<String> = has.into_iter().collect();
            has.sort_by_cached_key(|other| adit_suggest::distance(name, other));
            has.truncate(12);
            let class = class.dotted_name();
            return Err(ApiError::UnknownMethod { class, name: name.clone(), has });
        }
    }
    let wanted = |operation: &Operation| {
        let meant = |names: &BTreeSet<String>| names.iter().any(|name| is_meant(operation, name));
        options.only.as_ref().is_none_or(meant) && !meant(&options.without)
    };
    Ok(all.into_iter().filter(wanted).collect())
}
