//! The platform's raw memory access (`jdk.internal.misc.Unsafe`), with which atomic classes and locks read
//! and write fields.
//!
//! An offset is the place of a word in its object, for fields and for elements of arrays. Only accesses of
//! the type that the field or element has are followed. There is one thread, so all orders of memory are the
//! same, and a comparison with exchange succeeds if and only if the values are equal.

use adit_bytecode::{Kind, Relation, Type};

use crate::Unknown;
use crate::domain::{Domain, Word};
use crate::machine::{Execution, Trap};
use crate::models::{Access, RawAccess};
use crate::state::{IDENTITY, OUTSIDE_WORDS, Object, ObjectKind};

impl<D: Domain> Execution<'_, '_, D> {
    /// An access to a word by its object and offset, whose arguments are on the stack.
    pub(crate) fn raw_access(&mut self, RawAccess { access, kind }: RawAccess) -> Result<(), Trap> {
        let values = match access {
            Access::Get => 0,
            Access::Put => 1,
            Access::CompareAndSet | Access::CompareAndExchange => 2,
        };
        let mut values: Vec<Word<D::Shadow>> = (0..values).map(|_| self.pop_kind(kind.kind())).collect();
        values.reverse();
        let (offset, base) = (self.pop_wide(), self.pop());
        self.pop();
        let (object, slot) = self.raw_word(base, offset, kind)?;
        let old = self.state.slots(object)[slot];
        match (access, &values[..]) {
            (Access::Get, _) => self.push_kind(kind.kind(), old),
            (Access::Put, &[value]) => self.state.slots_mut(object)[slot] = value,
            (_, &[expected, value]) => {
                let same = match kind.kind() {
                    Kind::Reference => self.is_same(old, expected)?,
                    Kind::Long => {
                        let order = self.compare_longs(old, expected);
                        self.test(Relation::Eq, order, Word::plain(0))?
                    }
                    _ => self.test(Relation::Eq, old, expected)?,
                };
                if same {
                    self.state.slots_mut(object)[slot] = value;
                }
                match access {
                    Access::CompareAndSet => self.push(Word::plain(i64::from(same))),
                    _ => self.push_kind(kind.kind(), old),
                }
            }
            _ => return Err(self.odd("raw access without values")),
        }
        Ok(())
    }

    /// The object and the place of a word, if it has the type of the access.
    fn raw_word(
        &mut self,
        base: Word<D::Shadow>,
        offset: Word<D::Shadow>,
        kind: RawKind,
    ) -> Result<(Object, usize), Trap> {
        let unknown = || Trap::Unknown(Unknown::Opaque("raw memory".into()));
        if !D::is_plain(offset.shadow) {
            return Err(unknown());
        }
        let object = self.non_null(base)?;
        let length = self.state.length(base.bits, object);
        let slot = usize::try_from(offset.bits).map_err(|_| unknown())?;
        if slot >= object.length as usize || !D::is_plain(length.shadow) {
            return Err(unknown());
        }
        let fits = match object.kind {
            ObjectKind::Instance(class) => {
                RawKind::of(&self.linker.at(class).fields[slot].kind) == Some(kind)
            }
            ObjectKind::Array(array) => {
                let name = self.linker.name_of_type(array);
                name.strip_prefix('[').and_then(Type::parse).and_then(|one| RawKind::of(&one)) == Some(kind)
            }
            _ => false,
        };
        if fits { Ok((object, slot)) } else { Err(unknown()) }
    }

    /// `Unsafe.objectFieldOffset1(Class, String)`: the place of a field.
    pub(crate) fn field_offset(&mut self) -> Result<(), Trap> {
        let (name, class) = (self.pop(), self.pop());
        self.pop();
        let unknown = || Trap::Unknown(Unknown::Opaque("raw memory".into()));
        let (name, class) = (self.non_null(name)?, self.non_null(class)?);
        let (ObjectKind::Literal(name), ObjectKind::Mirror(class)) = (name.kind, class.kind) else {
            return Err(unknown());
        };
        let name = self.linker.literals[name as usize].clone();
        let class = self.linker.name_of_type(class);
        let id = self.linker.class(&class)?;
        let slots = &self.linker.at(id).fields;
        let place = slots.iter().position(|slot| slot.name == name && slot.class == class);
        let place = place.ok_or_else(unknown)?;
        self.push_wide(Word::plain(place as i64));
        Ok(())
    }

    /// The only thread: an object from outside that is always the same.
    pub(crate) fn current_thread(&mut self) -> i64 {
        let kind = ObjectKind::Outside(self.linker.kind("java/lang/Thread"));
        let known = (1..=self.state.object_count() as i64).find(|&number| {
            self.state.object(number).is_some_and(|object| {
                object.kind == kind && self.state.slots(object)[IDENTITY] == Word::plain(THIS_THREAD)
            })
        });
        known.unwrap_or_else(|| {
            let mut words = [Word::plain(0); OUTSIDE_WORDS];
            words[IDENTITY] = Word::plain(THIS_THREAD);
            self.state.append(kind, &words)
        })
    }
}

/// The identity of the thread that runs everything.
const THIS_THREAD: i64 = 0x5448_5244;

/// The type of a raw access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    Int,
    Long,
    Boolean,
    Reference,
}

impl RawKind {
    /// Returns the kind by its name in methods: `getIntVolatile`.
    pub(crate) fn named(name: &str) -> Option<RawKind> {
        Some(match name {
            "Int" => RawKind::Int,
            "Long" => RawKind::Long,
            "Boolean" => RawKind::Boolean,
            "Reference" => RawKind::Reference,
            _ => return None,
        })
    }

    fn of(kind: &Type) -> Option<RawKind> {
        Some(match kind {
            Type::Int => RawKind::Int,
            Type::Long => RawKind::Long,
            Type::Boolean => RawKind::Boolean,
            Type::Class(_) | Type::Array(_) => RawKind::Reference,
            _ => return None,
        })
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            RawKind::Int | RawKind::Boolean => Kind::Int,
            RawKind::Long => Kind::Long,
            RawKind::Reference => Kind::Reference,
        }
    }
}
