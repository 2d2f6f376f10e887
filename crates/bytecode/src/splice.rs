//! Makes calls in a class go through a hook, by changing as few bytes of its file as possible.
//!
//! A call is three bytes, and so is a call of a static method of the same class: the call site is overwritten in place and
//! the rest is done by a *trampoline*, a small method that is appended to the class. No offset moves, so that no table of
//! the class, of frames, of lines or of handlers, needs to change, and none is decoded and encoded again. (`invokeinterface`
//! has five bytes; the last two become `nop`.)
//!
//! ```java
//! private static int adit$0(List receiver, Object first) {   // in place of receiver.indexOf(first)
//!     if (Hook.on == 0) return receiver.indexOf(first);
//!     return (Integer) Hook.call(id, receiver, new Object[] { first });
//! }
//! ```
//!
//! Whatever is doubtful is left as it is, and the result says why.

use std::collections::BTreeMap;
use std::sync::Arc;

use miette::Diagnostic;
use thiserror::Error;

use crate::class::{attributes, check_header};
use crate::cursor::{Cursor, Fault};
use crate::descriptor::{Signature, Type};
use crate::growth::{Full, Growth};
use crate::instruction::{self, Call, Instruction};
use crate::pool::{Entry, MemberRef, Pool};
use crate::trampoline::{self, Invoke};
use crate::version::STATIC_IN_INTERFACES;
use crate::{ClassError, Flags};

/// The class that rerouted calls ask: a static `int`, zero while calls should go straight on, and a static method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The class, in internal form. It must be visible from every class that is spliced.
    pub class: String,
    /// The static `int`.
    pub flag: String,
    /// The static method: it takes the number of the call site, the receiver (or null) and the arguments in an array,
    /// all objects, and gives the result as an object, or null if there is none. The call itself is left to it: while
    /// the flag is not zero, nothing else makes it. A result of the wrong class, null for a number, or a class that the
    /// spliced class may not name, ends in an exception at the call site.
    pub method: String,
}

impl Hook {
    /// The descriptor of the method.
    pub const DESCRIPTOR: &'static str = "(ILjava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";

    /// A class file with the flag and, as a native method, the method.
    pub fn class_file(&self) -> Vec<u8> {
        trampoline::hook_class(self)
    }
}

/// A call, as it stands in a class.
#[derive(Debug)]
pub struct CallSite<'a> {
    /// The method that the call stands in.
    pub caller: &'a str,
    /// The descriptor of that method.
    pub caller_descriptor: &'a str,
    /// Where in that method's code.
    pub offset: u32,
    /// How the method is called.
    pub call: Call,
    /// What is called, before anything is looked up.
    pub target: &'a MemberRef,
}

/// What the caller of [`reroute`] decides.
pub trait Choice {
    /// The number that the hook is told for this call; nothing to leave the call as it is.
    fn number(&mut self, site: &CallSite<'_>) -> Option<i32>;

    /// Whether the method may be `protected` and inherited from another package.
    ///
    /// A class may call such a method only on itself, which a trampoline, whose parameter is of the class that the call
    /// names, cannot show to the verifier. Asked only where it matters. When in doubt, say yes: the call stays as it is.
    fn may_be_protected(&mut self, target: &MemberRef) -> bool;

    /// Whether the class of this name, in internal form, can be loaded where the spliced class will be used.
    ///
    /// A class can live with calls that mention absent classes as long as they are not made. But reflection looks at the
    /// types of all methods, trampolines too, and would fail. When in doubt, say no: the call stays as it is.
    fn is_loadable(&mut self, class: &str) -> bool;
}

/// A class with its calls rerouted.
#[derive(Clone, Debug)]
pub struct Spliced {
    /// The new class file; the old one if nothing was rerouted.
    pub bytes: Vec<u8>,
    /// How many call sites were rerouted.
    pub rerouted: usize,
    /// How many methods were appended.
    pub trampolines: usize,
    /// Calls that were chosen and yet left as they were.
    pub left: Vec<Left>,
}

/// A call that was chosen and yet left as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The method that the call stands in.
    pub caller: Arc<str>,
    /// Where in that method's code.
    pub offset: u32,
    /// What is called.
    pub target: MemberRef,
    /// Why it was left.
    pub why: WhyLeft,
}

/// Why a call cannot be rerouted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyLeft {
    /// Constructors, private methods called the old way and calls to `super` mean something else elsewhere.
    Special,
    /// The method takes its meaning from the call itself: method handles.
    MethodHandle,
    /// The method looks at who called it, and would see the trampoline.
    LooksAtCaller,
    /// The verifier lets a class call it only on itself.
    MayBeProtected,
    /// It mentions a class that cannot be loaded.
    MissingClass,
    /// Its names or its arguments are such that no method like it can be written.
    Odd,
}

/// Why a class was not spliced at all. It can be used as it is.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum SpliceError {
    /// The class cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Class(#[from] ClassError),
    /// Interfaces could not have static methods before Java 8.
    #[error("{file} is an interface from before Java 8, to which no method can be added")]
    #[diagnostic(
        code(bytecode::old_interface),
        help("its calls are not seen; compile it for Java 8 or later")
    )]
    OldInterface {
        /// What the class is called.
        file: String,
    },
    /// The machinery of method handles counts its own frames.
    #[error("{file} belongs to java.lang.invoke, which does not bear changes")]
    #[diagnostic(
        code(bytecode::invoke_package),
        help("its calls are not seen; nothing can be done about it")
    )]
    InvokePackage {
        /// What the class is called.
        file: String,
    },
    /// The class has a member with the name of a trampoline, so it was probably spliced before.
    #[error("{file} was spliced before: it already has a method `{}0`", trampoline::PREFIX)]
    #[diagnostic(code(bytecode::spliced_before), help("splice the original class instead"))]
    SplicedBefore {
        /// What the class is called.
        file: String,
    },
    /// A class file holds no more than 65,535 constants and methods.
    #[error("{file} is so large that nothing can be added to it")]
    #[diagnostic(code(bytecode::class_full), help("choose fewer of its calls"))]
    ClassFull {
        /// What the class is called.
        file: String,
    },
}

/// Reroutes the calls of a class that `choice` gives a number; `file` is what errors call the class.
///
/// Calls in all methods are offered, in the order of the class file, constructors and initializers among them.
pub fn reroute(
    bytes: &[u8],
    file: &str,
    hook: &Hook,
    choice: &mut impl Choice,
) -> Result<Spliced, SpliceError> {
    check_header(bytes, file)?;
    let layout = Layout::read(bytes).map_err(|fault| fault.named(file, bytes.len()))?;
    let file_name = || file.to_owned();
    if layout.name.starts_with("java/lang/invoke/") {
        return Err(SpliceError::InvokePackage { file: file_name() });
    }
    if layout.is_interface && layout.major < STATIC_IN_INTERFACES {
        return Err(SpliceError::OldInterface { file: file_name() });
    }
    if layout.methods.iter().any(|method| method.name.starts_with(trampoline::PREFIX)) {
        return Err(SpliceError::SplicedBefore { file: file_name() });
    }
    let chosen = choose(&layout, choice).map_err(|fault| fault.named(file, bytes.len()))?;
    match splice(bytes, &layout, hook, chosen) {
        Ok(spliced) => Ok(spliced),
        Err(Full) => Err(SpliceError::ClassFull { file: file_name() }),
    }
}

/// The calls to reroute, each by where it stands in the file, and those that were left.
struct Chosen {
    sites: Vec<(usize, Invoke)>,
    left: Vec<Left>,
}

fn choose(layout: &Layout<'_>, choice: &mut impl Choice) -> Result<Chosen, Fault> {
    let mut chosen = Chosen { sites: Vec::new(), left: Vec::new() };
    for method in &layout.methods {
        let Some(mut code) = method.code else { continue };
        let base = code.at();
        while !code.is_done() {
            let at = code.at();
            let mut peek = code;
            let opcode = peek.u8("an instruction")?;
            // The bootstrap methods are of no interest here, so dynamic calls are stepped over without them.
            if opcode == 0xba {
                code.take(5, "an instruction")?;
                continue;
            }
            let Instruction::Invoke(call, target) = instruction::read(&mut code, base, &layout.pool, &[])?
            else {
                continue;
            };
            let offset = (at - base) as u32;
            let site = CallSite {
                caller: &method.name,
                caller_descriptor: &method.descriptor,
                offset,
                call,
                target: &target,
            };
            let Some(number) = choice.number(&site) else { continue };
            let signature = Signature::parse(&target.descriptor)
                .ok_or(Fault::Wrong(at, "a call whose descriptor cannot be understood"))?;
            if let Some(why) = why_left(layout, call, &target, &signature, choice) {
                chosen.left.push(Left { caller: method.name.clone(), offset, target, why });
                continue;
            }
            let index = peek.u16("an instruction")?;
            let count = if call == Call::Interface { peek.u8("an instruction")? } else { 0 };
            let invoke = Invoke { call, index, count, number, class: target.class.clone(), signature };
            if is_odd(&layout.name) || is_odd(&target.descriptor) || !invoke.can_be_written() {
                let why = WhyLeft::Odd;
                chosen.left.push(Left { caller: method.name.clone(), offset, target, why });
                continue;
            }
            chosen.sites.push((at, invoke));
        }
    }
    Ok(chosen)
}

fn why_left(
    layout: &Layout<'_>,
    call: Call,
    target: &MemberRef,
    signature: &Signature,
    choice: &mut impl Choice,
) -> Option<WhyLeft> {
    if call == Call::Special || target.name.starts_with('<') {
        return Some(WhyLeft::Special);
    }
    if target.class.starts_with("java/lang/invoke/") {
        return Some(WhyLeft::MethodHandle);
    }
    if &*target.name == "getCallerClass" {
        return Some(WhyLeft::LooksAtCaller);
    }
    // An interface has no protected methods, and arrays are cloned by a rule of their own.
    if call == Call::Virtual && target.class != layout.name && !target.class.starts_with('[') {
        let object = &*target.class == "java/lang/Object";
        let protected = if object {
            matches!(&*target.name, "clone" | "finalize")
        } else {
            choice.may_be_protected(target)
        };
        if protected {
            return Some(WhyLeft::MayBeProtected);
        }
    }
    let receiver = (call != Call::Static).then_some(&*target.class);
    let mentioned = signature.parameters.iter().chain(&signature.result).filter_map(class_in);
    let is_missing = |class: &str| class != &*layout.name && !choice.is_loadable(class);
    receiver
        .filter(|class| !class.starts_with('['))
        .into_iter()
        .chain(mentioned)
        .any(is_missing)
        .then_some(WhyLeft::MissingClass)
}

/// Whether a name may have half a character in it, which is read as an escape and cannot be written back.
fn is_odd(name: &str) -> bool {
    name.contains('\\')
}

/// The class that a type mentions, also as what an array holds.
fn class_in(mentioning: &Type) -> Option<&str> {
    let mut inner = mentioning;
    while let Type::Array(element) = inner {
        inner = element;
    }
    match inner {
        Type::Class(name) => Some(name),
        _ => None,
    }
}

fn splice(bytes: &[u8], layout: &Layout<'_>, hook: &Hook, chosen: Chosen) -> Result<Spliced, Full> {
    let Chosen { sites, left } = chosen;
    if sites.is_empty() {
        return Ok(Spliced { bytes: bytes.to_vec(), rerouted: 0, trampolines: 0, left });
    }
    let mut growth = Growth::new(layout.pool.len());
    let mut patched = bytes.to_vec();
    let mut known: BTreeMap<(u16, u8, i32), u16> = BTreeMap::new();
    let mut appended = Vec::new();
    for (at, invoke) in &sites {
        // Different ways of calling have different constants, except that a class may be called both ways by mistake.
        let key = (invoke.index, invoke.call as u8, invoke.number);
        let index = match known.get(&key) {
            Some(&index) => index,
            None => {
                let name = format!("{}{}", trampoline::PREFIX, known.len());
                let descriptor =
                    trampoline::append(&mut appended, &mut growth, hook, invoke, &name, layout.major)?;
                let index = growth.method(&layout.name, &name, &descriptor, layout.is_interface)?;
                known.insert(key, index);
                index
            }
        };
        let [high, low] = index.to_be_bytes();
        patched[*at..at + 3].copy_from_slice(&[0xb8, high, low]);
        if invoke.call == Call::Interface {
            patched[at + 3..at + 5].fill(0);
        }
    }
    let methods = u16::try_from(layout.methods.len() + known.len()).map_err(|_| Full)?;
    let mut out = Vec::with_capacity(bytes.len() + growth.bytes().len() + appended.len());
    out.extend_from_slice(&patched[..8]);
    out.extend_from_slice(&growth.count()?.to_be_bytes());
    out.extend_from_slice(&patched[10..layout.pool_end]);
    out.extend_from_slice(growth.bytes());
    out.extend_from_slice(&patched[layout.pool_end..layout.methods_start]);
    out.extend_from_slice(&methods.to_be_bytes());
    out.extend_from_slice(&patched[layout.methods_start + 2..layout.methods_end]);
    out.extend_from_slice(&appended);
    out.extend_from_slice(&patched[layout.methods_end..]);
    Ok(Spliced { bytes: out, rerouted: sites.len(), trampolines: known.len(), left })
}

/// Where the parts of a class file lie.
struct Layout<'a> {
    pool: Pool<'a>,
    pool_end: usize,
    major: u16,
    name: Arc<str>,
    is_interface: bool,
    /// Where the number of methods stands.
    methods_start: usize,
    methods_end: usize,
    methods: Vec<Place<'a>>,
}

/// A method and its instructions.
struct Place<'a> {
    name: Arc<str>,
    descriptor: Arc<str>,
    code: Option<Cursor<'a>>,
}

impl<'a> Layout<'a> {
    fn read(bytes: &'a [u8]) -> Result<Layout<'a>, Fault> {
        const WHAT: &str = "the class";
        let mut cursor = Cursor::new(bytes);
        cursor.take(6, WHAT)?;
        let major = cursor.u16(WHAT)?;
        let pool = Pool::read(bytes, &mut cursor)?;
        let pool_end = cursor.at();
        let flags = Flags(cursor.u16(WHAT)?);
        let name = match pool.entry(cursor.u16(WHAT)?) {
            Entry::Class(name) => pool.text(name)?,
            _ => return Err(cursor.wrong("a class without a name")),
        };
        cursor.u16(WHAT)?;
        let interfaces = cursor.u16(WHAT)?;
        cursor.take(usize::from(interfaces) * 2, WHAT)?;
        for _ in 0..cursor.u16(WHAT)? {
            cursor.take(6, WHAT)?;
            attributes(&mut cursor, &pool, |_, _| Ok(()))?;
        }
        let methods_start = cursor.at();
        let mut methods = Vec::new();
        for _ in 0..cursor.u16(WHAT)? {
            cursor.u16(WHAT)?;
            let (name, descriptor) = (pool.text(cursor.u16(WHAT)?)?, pool.text(cursor.u16(WHAT)?)?);
            let mut code = None;
            attributes(&mut cursor, &pool, |name, mut part| {
                if name == "Code" {
                    part.take(4, WHAT)?;
                    let length = part.u32(WHAT)?;
                    code = Some(part.part(length as usize, WHAT)?);
                }
                Ok(())
            })?;
            methods.push(Place { name, descriptor, code });
        }
        let methods_end = cursor.at();
        attributes(&mut cursor, &pool, |_, _| Ok(()))?;
        if !cursor.is_done() {
            return Err(cursor.wrong("something after the end of the class"));
        }
        let is_interface = flags.has(Flags::INTERFACE);
        Ok(Layout { pool, pool_end, major, name, is_interface, methods_start, methods_end, methods })
    }
}
