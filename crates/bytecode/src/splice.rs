//! Makes calls in a class go through a hook, by changing as few bytes of its file as possible.
//!
//! A call is three bytes, and so is a call of a static method of the same class: the call site is overwritten
//! in place, and a *trampoline*, a small method appended to the class, does the rest. No offset moves, so no
//! table of frames, lines or handlers has to be decoded and encoded again. (`invokeinterface` has five bytes;
//! the last two become `nop`.)
//!
//! ```java
//! private static int adit$0(List receiver, Object first) {   // in place of receiver.indexOf(first)
//!     if (Hook.on == 0) return receiver.indexOf(first);
//!     return (Integer) Hook.call(id, receiver, new Object[] { first });
//! }
//! ```
//!
//! Calls that cannot be rerouted safely stay as they are, and the result says why.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::RewriteError;
use crate::class::check_header;
use crate::cursor::Fault;
use crate::descriptor::{Signature, Type};
use crate::emit::{bodiless_class, op};
use crate::growth::{Full, Growth};
use crate::instruction::{self, Call, Instruction};
use crate::layout::{ADDED, ClassLayout, MethodLayout};
use crate::pool::MemberRef;
use crate::trampoline::{self, Invoke};
use crate::version::STATIC_IN_INTERFACES;

/// The class that rerouted calls go to: a static `int`, zero while calls should be made directly, and a
/// static method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Internal name of the class. It must be visible from every spliced class.
    pub class: String,
    /// Name of the static `int`.
    pub flag: String,
    /// Name of the static method. It takes the number of the call site, the receiver (or null) and an array
    /// of the arguments, all as objects, and returns the result as an object, or null if there is none. While
    /// the flag is not zero, the method is responsible for making the call. A result of the wrong class, null
    /// for a number, or a class that the spliced class cannot access, ends in an exception at the call site.
    pub method: String,
}

impl Hook {
    /// Descriptor of the method.
    pub const DESCRIPTOR: &'static str = "(ILjava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";

    /// A class file with the flag, and the method as a native method.
    pub fn class_file(&self) -> Vec<u8> {
        let flag = (0x0009, self.flag.as_str(), "I");
        let method = (0x0109, self.method.as_str(), Self::DESCRIPTOR);
        bodiless_class(&self.class, "java/lang/Object", &[], &[flag], &[method])
    }
}

/// A call in a class.
#[derive(Debug)]
pub struct CallSite<'a> {
    /// Name of the method that contains the call.
    pub caller: &'a str,
    /// Descriptor of that method.
    pub caller_descriptor: &'a str,
    /// Offset in that method's code.
    pub offset: u32,
    /// Kind of call.
    pub call: Call,
    /// The called method as the class names it, before resolution.
    pub target: &'a MemberRef,
}

/// The decisions that [`reroute`] leaves to its caller.
pub trait Choice {
    /// Returns the number that the hook is given for this call, or `None` to leave the call as it is.
    fn number(&mut self, site: &CallSite<'_>) -> Option<i32>;

    /// Returns true if the method may be `protected` and inherited from another package.
    ///
    /// A class may call such a method only on itself. The parameter of a trampoline has the class that the
    /// call names, so the verifier would reject it. Asked only where it matters. If in doubt, return true:
    /// the call stays as it is.
    fn may_be_protected(&mut self, target: &MemberRef) -> bool;

    /// Returns true if the class with this internal name can be loaded where the spliced class will be used.
    ///
    /// A class may contain calls that mention absent classes as long as it never makes them. But reflection
    /// resolves the types of all methods, including trampolines, and would fail. If in doubt, return false:
    /// the call stays as it is.
    fn is_loadable(&mut self, class: &str) -> bool;
}

/// A class with rerouted calls.
#[derive(Clone, Debug)]
pub struct Spliced {
    /// The new class file; the old one if no call was rerouted.
    pub bytes: Vec<u8>,
    /// Number of rerouted call sites.
    pub rerouted: usize,
    /// Number of appended methods.
    pub trampolines: usize,
    /// Calls that were chosen but cannot be rerouted.
    pub skipped: Vec<SkippedCall>,
}

/// A call that was chosen but cannot be rerouted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedCall {
    /// Name of the method that contains the call.
    pub caller: Arc<str>,
    /// Offset in that method's code.
    pub offset: u32,
    /// The called method.
    pub target: MemberRef,
    /// The reason.
    pub why: WhyNotRerouted,
}

/// Reason for not rerouting a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyNotRerouted {
    /// Constructor calls, old-style calls of private methods and calls of `super` have another meaning
    /// elsewhere.
    Special,
    /// A method handle takes its signature from the call site.
    MethodHandle,
    /// The method inspects its caller, which would be the trampoline.
    InspectsCaller,
    /// The verifier lets a class call it only on itself.
    MayBeProtected,
    /// It mentions a class that cannot be loaded.
    MissingClass,
    /// No trampoline can be written for its names or arguments.
    Unwritable,
}

/// Reroutes the calls of a class for which `choice` returns a number. `file` names the class in errors.
///
/// `choice` is asked about the calls in all methods, constructors and initializers included, in the order of
/// the file.
pub fn reroute(
    bytes: &[u8],
    file: &str,
    hook: &Hook,
    choice: &mut impl Choice,
) -> Result<Spliced, RewriteError> {
    check_header(bytes, file)?;
    let layout = ClassLayout::read(bytes).map_err(|fault| fault.named(file, bytes.len()))?;
    let file_name = || file.to_owned();
    if layout.name.starts_with("java/lang/invoke/") {
        return Err(RewriteError::InvokePackage { file: file_name() });
    }
    if layout.is_interface && layout.major < STATIC_IN_INTERFACES {
        return Err(RewriteError::OldInterface { file: file_name() });
    }
    if layout.is_rewritten() {
        return Err(RewriteError::AlreadyRewritten { file: file_name() });
    }
    let chosen = choose(&layout, choice).map_err(|fault| fault.named(file, bytes.len()))?;
    splice(bytes, &layout, hook, chosen).map_err(|Full| RewriteError::ClassFull { file: file_name() })
}

/// The calls to reroute, each with its offset in the file, and those that cannot be.
struct ChosenCalls {
    sites: Vec<(usize, Invoke)>,
    skipped: Vec<SkippedCall>,
}

fn choose(layout: &ClassLayout<'_>, choice: &mut impl Choice) -> Result<ChosenCalls, Fault> {
    let mut chosen = ChosenCalls { sites: Vec::new(), skipped: Vec::new() };
    for method in &layout.methods {
        choose_in(layout, method, choice, &mut chosen)?;
    }
    Ok(chosen)
}

fn choose_in(
    layout: &ClassLayout<'_>,
    method: &MethodLayout<'_>,
    choice: &mut impl Choice,
    chosen: &mut ChosenCalls,
) -> Result<(), Fault> {
    let Some(mut code) = method.instructions else { return Ok(()) };
    let base = code.at();
    while !code.is_done() {
        let at = code.at();
        let mut peek = code;
        let opcode = peek.u8("an instruction")?;
        // Dynamic calls cannot be decoded without the bootstrap methods, which are of no interest here.
        if opcode == op::INVOKEDYNAMIC {
            code.take(5, "an instruction")?;
            continue;
        }
        let Instruction::Invoke(call, target) = instruction::read(&mut code, base, &layout.pool, &[])? else {
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
        let index = peek.u16("an instruction")?;
        let count = if call == Call::Interface { peek.u8("an instruction")? } else { 0 };
        let invoke = Invoke { call, index, count, number, class: target.class.clone(), signature };
        match why_not(layout, &target, &invoke, choice) {
            Some(why) => {
                chosen.skipped.push(SkippedCall { caller: method.name.clone(), offset, target, why });
            }
            None => chosen.sites.push((at, invoke)),
        }
    }
    Ok(())
}

/// Returns the reason for which a call cannot be rerouted, if there is one.
fn why_not(
    layout: &ClassLayout<'_>,
    target: &MemberRef,
    invoke: &Invoke,
    choice: &mut impl Choice,
) -> Option<WhyNotRerouted> {
    let call = invoke.call;
    if call == Call::Special || target.name.starts_with('<') {
        return Some(WhyNotRerouted::Special);
    }
    if target.class.starts_with("java/lang/invoke/") {
        return Some(WhyNotRerouted::MethodHandle);
    }
    if &*target.name == "getCallerClass" {
        return Some(WhyNotRerouted::InspectsCaller);
    }
    // An interface has no protected methods, and the verifier treats `clone` of arrays as public.
    if call == Call::Virtual && target.class != layout.name && !target.class.starts_with('[') {
        let object = &*target.class == "java/lang/Object";
        let protected = if object {
            matches!(&*target.name, "clone" | "finalize")
        } else {
            choice.may_be_protected(target)
        };
        if protected {
            return Some(WhyNotRerouted::MayBeProtected);
        }
    }
    let receiver = (call != Call::Static).then_some(&*target.class);
    let mentioned = invoke.signature.parameters.iter().chain(&invoke.signature.result).filter_map(class_in);
    let is_missing = |class: &str| class != &*layout.name && !choice.is_loadable(class);
    if receiver.filter(|class| !class.starts_with('[')).into_iter().chain(mentioned).any(is_missing) {
        return Some(WhyNotRerouted::MissingClass);
    }
    let is_writable =
        !has_lone_surrogate(&layout.name) && !has_lone_surrogate(&target.descriptor) && invoke.is_writable();
    (!is_writable).then_some(WhyNotRerouted::Unwritable)
}

/// Returns true if a name may contain a lone surrogate, which is read as an escape and cannot be written
/// back.
fn has_lone_surrogate(name: &str) -> bool {
    name.contains('\\')
}

/// The class that a type mentions, directly or as the element of an array.
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

fn splice(bytes: &[u8], layout: &ClassLayout<'_>, hook: &Hook, chosen: ChosenCalls) -> Result<Spliced, Full> {
    let ChosenCalls { sites, skipped } = chosen;
    if sites.is_empty() {
        return Ok(Spliced { bytes: bytes.to_vec(), rerouted: 0, trampolines: 0, skipped });
    }
    let mut growth = Growth::new(layout.pool.len());
    let methods_start = layout.all_methods().start;
    let mut methods = bytes[layout.all_methods()].to_vec();
    let mut known: BTreeMap<(u16, u8, i32), u16> = BTreeMap::new();
    let mut appended = Vec::new();
    for (at, invoke) in &sites {
        // Different kinds of calls have different constants, but a malformed class may use one for both.
        let key = (invoke.index, invoke.call as u8, invoke.number);
        let index = match known.get(&key) {
            Some(&index) => index,
            None => {
                let name = format!("{ADDED}{}", known.len());
                let descriptor =
                    trampoline::append(&mut appended, &mut growth, hook, invoke, &name, layout.major)?;
                let index = growth.method(&layout.name, &name, &descriptor, layout.is_interface)?;
                known.insert(key, index);
                index
            }
        };
        let [high, low] = index.to_be_bytes();
        let at = at - methods_start;
        methods[at..at + 3].copy_from_slice(&[op::INVOKESTATIC, high, low]);
        if invoke.call == Call::Interface {
            methods[at + 3..at + 5].fill(0);
        }
    }
    methods.extend_from_slice(&appended);
    let bytes = layout.rebuild(&growth, layout.methods.len() + known.len(), &methods)?;
    Ok(Spliced { bytes, rerouted: sites.len(), trampolines: known.len(), skipped })
}
