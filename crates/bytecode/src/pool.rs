//! The constant pool of a class file, and its own dialect of UTF-8 (JVMS 4.4).

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cursor::{Cursor, Fault};
use crate::descriptor::{Signature, Type};

/// A method or a field as an instruction names it, before resolution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberRef {
    /// Internal name of the class or interface where resolution begins; an array descriptor for
    /// `int[].clone()`.
    pub class: Arc<str>,
    /// Name of the member.
    pub name: Arc<str>,
    /// Descriptor of the member.
    pub descriptor: Arc<str>,
    /// True if the class file says that `class` is an interface.
    pub in_interface: bool,
}

/// A value in a class file.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `null`.
    Null,
    /// An `int`, or a type that is one on the stack.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A string.
    String(Arc<str>),
    /// A string with lone surrogates, which Java allows and Rust does not, as UTF-16.
    HalfString(Arc<[u16]>),
    /// A class, in internal form; an array descriptor for an array.
    Class(Arc<str>),
    /// A method descriptor as a value.
    MethodType(Arc<str>),
    /// A method or field as a value.
    MethodHandle(MemberRef),
    /// A value that a bootstrap method computes on first use.
    Dynamic {
        /// Name passed to the bootstrap method.
        name: Arc<str>,
        /// The type of the value.
        descriptor: Arc<str>,
    },
}

/// An `invokedynamic` call site: the method that links it, and the methods that it may lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSiteSpec {
    /// Name passed to the bootstrap method.
    pub name: Arc<str>,
    /// Descriptor of the call.
    pub descriptor: Arc<str>,
    /// The method that links the call site.
    pub bootstrap: MemberRef,
    /// The methods among the bootstrap method's arguments, such as the body of a lambda.
    pub handles: Arc<[MemberRef]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Entry {
    /// Entry zero, and the second half of a `long` or `double`.
    Absent,
    Text {
        start: usize,
        length: usize,
    },
    Int(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    Class(u16),
    String(u16),
    Field(u16, u16),
    Method(u16, u16),
    InterfaceMethod(u16, u16),
    NameAndType(u16, u16),
    MethodHandle(u16),
    MethodType(u16),
    Dynamic(u16, u16),
    InvokeDynamic(u16, u16),
    Module,
    Package,
}

/// A bootstrap method, and the methods among its arguments.
pub(crate) struct Bootstrap {
    method: MemberRef,
    handles: Arc<[MemberRef]>,
}

pub(crate) struct Pool<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    /// Offset of each entry, for errors.
    starts: Vec<usize>,
    /// Names are shared between the many places that mention them, and decoded only when mentioned.
    texts: Vec<OnceCell<Arc<str>>>,
    /// Values derived from entries. Each is built once, however many instructions use it: otherwise a small
    /// hostile file could fill the memory with copies of one long text.
    derived: RefCell<BTreeMap<(Derived, u16), Constant>>,
}

/// A value derived from an entry, besides its text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Derived {
    Constant,
    ArrayOf,
    FieldDescriptor,
    MethodDescriptor,
}

impl<'a> Pool<'a> {
    pub(crate) fn read(bytes: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Pool<'a>, Fault> {
        const WHAT: &str = "the constant pool";
        let count = usize::from(cursor.u16(WHAT)?);
        let mut entries = vec![Entry::Absent];
        let mut starts = vec![cursor.at()];
        while entries.len() < count {
            starts.push(cursor.at());
            let entry = match cursor.u8(WHAT)? {
                1 => {
                    let length = usize::from(cursor.u16(WHAT)?);
                    let start = cursor.at();
                    cursor.take(length, WHAT)?;
                    Entry::Text { start, length }
                }
                3 => Entry::Int(cursor.i32(WHAT)?),
                4 => Entry::Float(cursor.u32(WHAT)?),
                5 => Entry::Long(cursor.u64(WHAT)?.cast_signed()),
                6 => Entry::Double(cursor.u64(WHAT)?),
                7 => Entry::Class(cursor.u16(WHAT)?),
                8 => Entry::String(cursor.u16(WHAT)?),
                9 => Entry::Field(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                10 => Entry::Method(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                11 => Entry::InterfaceMethod(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                12 => Entry::NameAndType(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                15 => {
                    cursor.u8(WHAT)?;
                    Entry::MethodHandle(cursor.u16(WHAT)?)
                }
                16 => Entry::MethodType(cursor.u16(WHAT)?),
                17 => Entry::Dynamic(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                18 => Entry::InvokeDynamic(cursor.u16(WHAT)?, cursor.u16(WHAT)?),
                19 => {
                    cursor.u16(WHAT)?;
                    Entry::Module
                }
                20 => {
                    cursor.u16(WHAT)?;
                    Entry::Package
                }
                _ => {
                    let start = starts.last().copied().unwrap_or_default();
                    return Err(Fault::Wrong(start, "a constant of an unknown kind"));
                }
            };
            entries.push(entry);
            if matches!(entry, Entry::Long(_) | Entry::Double(_)) {
                entries.push(Entry::Absent);
                starts.push(cursor.at());
            }
        }
        if count == 0 || entries.len() > count {
            return Err(cursor.wrong("a constant pool whose count does not fit its contents"));
        }
        let texts = (0..entries.len()).map(|_| OnceCell::new()).collect();
        Ok(Pool { bytes, entries, starts, texts, derived: RefCell::default() })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entry(&self, index: u16) -> Entry {
        self.entries.get(usize::from(index)).copied().unwrap_or(Entry::Absent)
    }

    fn wrong(&self, index: u16, what: &'static str) -> Fault {
        Fault::Wrong(self.starts.get(usize::from(index)).copied().unwrap_or_default(), what)
    }

    /// Bytes of a text as they are in the file.
    pub(crate) fn raw_text(&self, index: u16) -> Option<&'a [u8]> {
        match self.entry(index) {
            Entry::Text { start, length } => self.bytes.get(start..start + length),
            _ => None,
        }
    }

    pub(crate) fn text(&self, index: u16) -> Result<Arc<str>, Fault> {
        let raw =
            self.raw_text(index).ok_or(self.wrong(index, "a constant that should be a text and is not"))?;
        let cell = &self.texts[usize::from(index)];
        if let Some(text) = cell.get() {
            return Ok(text.clone());
        }
        let text = match decode(raw) {
            Some(Decoded::Text(text)) => text,
            // A name with a lone surrogate is legal and never seen; the escape keeps it apart from all other
            // names.
            Some(Decoded::Halves(units)) => units.iter().map(|unit| format!("\\u{unit:04x}")).collect(),
            None => return Err(self.wrong(index, "a text that is not in Java's UTF-8")),
        };
        Ok(cell.get_or_init(|| text.into()).clone())
    }

    pub(crate) fn class(&self, index: u16) -> Result<Arc<str>, Fault> {
        match self.entry(index) {
            Entry::Class(name) => self.text(name),
            _ => Err(self.wrong(index, "a constant that should be a class and is not")),
        }
    }

    /// Returns the class at `index`, or `None` for zero.
    pub(crate) fn optional_class(&self, index: u16) -> Result<Option<Arc<str>>, Fault> {
        if index == 0 { Ok(None) } else { self.class(index).map(Some) }
    }

    fn name_and_type(&self, index: u16) -> Result<(Arc<str>, Arc<str>), Fault> {
        match self.entry(index) {
            Entry::NameAndType(name, descriptor) => Ok((self.text(name)?, self.text(descriptor)?)),
            _ => Err(self.wrong(index, "a constant that should be a name and type and is not")),
        }
    }

    pub(crate) fn member(&self, index: u16) -> Result<MemberRef, Fault> {
        let (class, name_and_type, in_interface) = match self.entry(index) {
            Entry::Field(class, member) | Entry::Method(class, member) => (class, member, false),
            Entry::InterfaceMethod(class, member) => (class, member, true),
            _ => return Err(self.wrong(index, "a constant that should be a member of a class and is not")),
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Ok(MemberRef { class: self.class(class)?, name, descriptor, in_interface })
    }

    fn handle(&self, index: u16) -> Result<MemberRef, Fault> {
        match self.entry(index) {
            Entry::MethodHandle(member) => self.member(member),
            _ => Err(self.wrong(index, "a constant that should be a method handle and is not")),
        }
    }

    pub(crate) fn constant(&self, index: u16) -> Result<Constant, Fault> {
        self.once(Derived::Constant, index, || self.make_constant(index))
    }

    fn once(
        &self,
        what: Derived,
        index: u16,
        make: impl FnOnce() -> Result<Constant, Fault>,
    ) -> Result<Constant, Fault> {
        if let Some(made) = self.derived.borrow().get(&(what, index)) {
            return Ok(made.clone());
        }
        let made = make()?;
        self.derived.borrow_mut().insert((what, index), made.clone());
        Ok(made)
    }

    /// Descriptor of an array of the class at `index`.
    pub(crate) fn array_of(&self, index: u16) -> Result<Arc<str>, Fault> {
        let made = self.once(Derived::ArrayOf, index, || {
            let element = self.class(index)?;
            let array =
                if element.starts_with('[') { format!("[{element}") } else { format!("[L{element};") };
            Ok(Constant::String(array.into()))
        })?;
        match made {
            Constant::String(array) => Ok(array),
            _ => Err(self.wrong(index, "a class that cannot be in an array")),
        }
    }

    pub(crate) fn field_descriptor(&self, index: u16) -> Result<Arc<str>, Fault> {
        let text = self.text(index)?;
        self.once(Derived::FieldDescriptor, index, || {
            let sound = Type::parse(&text).map(|_| Constant::Null);
            sound.ok_or(self.wrong(index, "the descriptor of a field that cannot be understood"))
        })?;
        Ok(text)
    }

    pub(crate) fn method_descriptor(&self, index: u16) -> Result<Arc<str>, Fault> {
        let text = self.text(index)?;
        self.once(Derived::MethodDescriptor, index, || {
            let sound = Signature::parse(&text).map(|_| Constant::Null);
            sound.ok_or(self.wrong(index, "the descriptor of a method that cannot be understood"))
        })?;
        Ok(text)
    }

    fn make_constant(&self, index: u16) -> Result<Constant, Fault> {
        Ok(match self.entry(index) {
            Entry::Int(value) => Constant::Int(value),
            Entry::Float(bits) => Constant::Float(f32::from_bits(bits)),
            Entry::Long(value) => Constant::Long(value),
            Entry::Double(bits) => Constant::Double(f64::from_bits(bits)),
            Entry::Class(name) => Constant::Class(self.text(name)?),
            Entry::String(text) => match self.raw_text(text).and_then(decode) {
                Some(Decoded::Halves(units)) => Constant::HalfString(units.into()),
                _ => Constant::String(self.text(text)?),
            },
            Entry::MethodType(descriptor) => Constant::MethodType(self.text(descriptor)?),
            Entry::MethodHandle(member) => Constant::MethodHandle(self.member(member)?),
            Entry::Dynamic(_, name_and_type) => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Constant::Dynamic { name, descriptor }
            }
            _ => return Err(self.wrong(index, "a constant that should be a value and is not")),
        })
    }

    pub(crate) fn call_site(&self, index: u16, bootstraps: &[Bootstrap]) -> Result<CallSiteSpec, Fault> {
        let Entry::InvokeDynamic(bootstrap, name_and_type) = self.entry(index) else {
            return Err(self.wrong(index, "a constant that should be a dynamic call and is not"));
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        let bootstrap = bootstraps
            .get(usize::from(bootstrap))
            .ok_or(self.wrong(index, "a dynamic call whose bootstrap method is missing"))?;
        let (method, handles) = (bootstrap.method.clone(), bootstrap.handles.clone());
        Ok(CallSiteSpec { name, descriptor, bootstrap: method, handles })
    }

    /// Reads one entry of the table of bootstrap methods.
    pub(crate) fn bootstrap(&self, cursor: &mut Cursor<'_>) -> Result<Bootstrap, Fault> {
        const WHAT: &str = "the bootstrap methods";
        let method = self.handle(cursor.u16(WHAT)?)?;
        let mut handles = Vec::new();
        for _ in 0..cursor.u16(WHAT)? {
            let argument = cursor.u16(WHAT)?;
            if matches!(self.entry(argument), Entry::MethodHandle(_)) {
                handles.push(self.handle(argument)?);
            }
        }
        Ok(Bootstrap { method, handles: handles.into() })
    }
}

#[derive(Debug, PartialEq)]
pub(crate) enum Decoded {
    Text(String),
    Halves(Vec<u16>),
}

/// Decodes Java's UTF-8, in which NUL takes two bytes and a character beyond the basic plane six (JVMS
/// 4.4.7).
pub(crate) fn decode(bytes: &[u8]) -> Option<Decoded> {
    if bytes.iter().all(|&byte| byte != 0 && byte < 0x80) {
        return String::from_utf8(bytes.to_vec()).ok().map(Decoded::Text);
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let continued = |byte: &u8| (byte & 0xc0 == 0x80).then_some(u16::from(byte & 0x3f));
        let (unit, length) = match first {
            0x01..=0x7f => (u16::from(*first), 1),
            0xc0..=0xdf => (u16::from(first & 0x1f) << 6 | continued(after.first()?)?, 2),
            0xe0..=0xef => {
                let middle = continued(after.first()?)?;
                (u16::from(first & 0x0f) << 12 | middle << 6 | continued(after.get(1)?)?, 3)
            }
            _ => return None,
        };
        units.push(unit);
        rest = &rest[length..];
    }
    Some(match String::from_utf16(&units) {
        Ok(text) => Decoded::Text(text),
        Err(_) => Decoded::Halves(units),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_has_its_own_utf8() {
        let text = |bytes: &[u8]| match decode(bytes) {
            Some(Decoded::Text(text)) => text,
            other => format!("{other:x?}"),
        };
        assert_eq!(text(b"plain"), "plain");
        assert_eq!(text(b"a\xc0\x80b"), "a\0b");
        assert_eq!(text("é€".as_bytes()), "é€");
        assert_eq!(text(b"\xed\xa0\xbd\xed\xb8\x80"), "😀");
        assert_eq!(text(b"\xed\xa0\xbdx"), "Some(Halves([d83d, 78]))");
        for wrong in [&b"a\0b"[..], b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xc3\x29"] {
            assert_eq!(text(wrong), "None");
        }
    }
}
