//! The parts of a class file as byte ranges, and the file put together again with more constants and other
//! methods.
//!
//! Rewriting copies whatever it does not change, byte for byte, so no table has to be decoded and encoded
//! again.

use std::ops::Range;
use std::sync::Arc;

use crate::Flags;
use crate::class::attributes;
use crate::cursor::{Cursor, Fault};
use crate::growth::{Full, Growth};
use crate::pool::{Entry, Pool};

/// Prefix of the names of methods that rewriting adds.
pub(crate) const ADDED: &str = "adit$";

/// Byte ranges of a class file.
pub(crate) struct ClassLayout<'a> {
    bytes: &'a [u8],
    pub(crate) pool: Pool<'a>,
    /// End of the constant pool.
    pool_end: usize,
    pub(crate) major: u16,
    pub(crate) name: Arc<str>,
    pub(crate) is_interface: bool,
    /// Offset of the number of methods, which the methods follow.
    methods_start: usize,
    methods_end: usize,
    pub(crate) methods: Vec<MethodLayout<'a>>,
}

/// Byte ranges of one method.
pub(crate) struct MethodLayout<'a> {
    pub(crate) flags: Flags,
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    /// Index of the descriptor's constant.
    pub(crate) descriptor_index: u16,
    /// The method with all its attributes.
    pub(crate) whole: Range<usize>,
    /// The `Code` attribute, including its name and length; `None` for an abstract or native method.
    pub(crate) code: Option<Range<usize>>,
    /// Cursor over the instructions.
    pub(crate) instructions: Option<Cursor<'a>>,
}

const WHAT: &str = "the class";

impl<'a> ClassLayout<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<ClassLayout<'a>, Fault> {
        let mut cursor = Cursor::new(bytes);
        cursor.take(6, WHAT)?;
        let major = cursor.u16(WHAT)?;
        let pool = Pool::read(bytes, &mut cursor)?;
        let pool_end = cursor.at();
        let is_interface = Flags(cursor.u16(WHAT)?).has(Flags::INTERFACE);
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
            methods.push(MethodLayout::read(&mut cursor, &pool)?);
        }
        let methods_end = cursor.at();
        attributes(&mut cursor, &pool, |_, _| Ok(()))?;
        if !cursor.is_done() {
            return Err(cursor.wrong("something after the end of the class"));
        }
        Ok(ClassLayout {
            bytes,
            pool,
            pool_end,
            major,
            name,
            is_interface,
            methods_start,
            methods_end,
            methods,
        })
    }

    /// Returns the class file with the constants of `growth` appended to its pool and `methods`, of which
    /// there are `count`, in place of its own.
    pub(crate) fn rebuild(&self, growth: &Growth, count: usize, methods: &[u8]) -> Result<Vec<u8>, Full> {
        let count = u16::try_from(count).map_err(|_| Full)?;
        let mut out = Vec::with_capacity(self.bytes.len() + growth.bytes().len() + methods.len());
        out.extend_from_slice(&self.bytes[..8]);
        out.extend_from_slice(&growth.count()?.to_be_bytes());
        out.extend_from_slice(&self.bytes[10..self.pool_end]);
        out.extend_from_slice(growth.bytes());
        out.extend_from_slice(&self.bytes[self.pool_end..self.methods_start]);
        out.extend_from_slice(&count.to_be_bytes());
        out.extend_from_slice(methods);
        out.extend_from_slice(&self.bytes[self.methods_end..]);
        Ok(out)
    }

    /// Returns true if the class has a method that rewriting added.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.methods.iter().any(|method| method.name.starts_with(ADDED))
    }

    /// Byte range of all methods, without their number.
    pub(crate) fn all_methods(&self) -> Range<usize> {
        self.methods_start + 2..self.methods_end
    }
}

impl<'a> MethodLayout<'a> {
    fn read(cursor: &mut Cursor<'a>, pool: &Pool<'a>) -> Result<MethodLayout<'a>, Fault> {
        let start = cursor.at();
        let flags = Flags(cursor.u16(WHAT)?);
        let name = pool.text(cursor.u16(WHAT)?)?;
        let descriptor_index = cursor.u16(WHAT)?;
        let descriptor = pool.method_descriptor(descriptor_index)?;
        let (mut code, mut instructions) = (None, None);
        attributes(cursor, pool, |name, mut part| {
            if name == "Code" {
                // The name and the length, six bytes, precede the contents.
                code = Some(part.at() - 6..part.at() + part.rest());
                part.take(4, WHAT)?;
                let length = part.u32(WHAT)?;
                instructions = Some(part.part(length as usize, WHAT)?);
            }
            Ok(())
        })?;
        let whole = start..cursor.at();
        Ok(MethodLayout { flags, name, descriptor, descriptor_index, whole, code, instructions })
    }
}
