//! References: null, identity, and what an object is when an instruction uses it.

use adit_bytecode::Relation;

use crate::Unknown;
use crate::domain::{Domain, Word};
use crate::link::{ClassId, Selector};
use crate::machine::{Execution, NULL_POINTER, OUT_OF_BOUNDS, Trap};
use crate::state::{IDENTITY, Object, ObjectKind};

impl<D: Domain> Execution<'_, '_, D> {
    /// JVMS §6.5.if_acmp<cond>. Objects from outside are the same if their identities are, and one whose
    /// identity is zero is null. They may be objects that the component allocated if the types allow it;
    /// that is unknown.
    #[inline]
    pub(crate) fn is_same(&mut self, a: Word<D::Shadow>, b: Word<D::Shadow>) -> Result<bool, Unknown> {
        match (self.identity(a), self.identity(b)) {
            (None, None) => Ok(a.bits == b.bits),
            (Some(a), Some(b)) => self.test(Relation::Eq, a, b),
            (Some(identity), None) => self.is_same_outside(a, identity, b),
            (None, Some(identity)) => self.is_same_outside(b, identity, a),
        }
    }

    fn is_same_outside(
        &mut self,
        outside: Word<D::Shadow>,
        identity: Word<D::Shadow>,
        own: Word<D::Shadow>,
    ) -> Result<bool, Unknown> {
        let declared = match self.state.object(outside.bits).map(|object| object.kind) {
            Some(ObjectKind::Outside(kind)) => kind,
            _ => return Ok(false),
        };
        match self.state.object(own.bits) {
            None => self.test(Relation::Eq, identity, Word::plain(0)),
            Some(Object { kind: ObjectKind::Literal(_) | ObjectKind::Text, .. }) => {
                Err(Unknown::Opaque("the identity of a string".into()))
            }
            Some(object) => {
                let ObjectKind::Instance(class) = object.kind else { return Ok(false) };
                if self.linker.enum_constants(declared)?.is_some() {
                    // An enum constant from outside is known by its place among the constants.
                    let place = self.linker.ordinal_slot(class).map(|slot| self.state.slots(object)[slot]);
                    let Some(place) = place else { return Ok(false) };
                    return self.test(Relation::Eq, identity, Word::plain(place.bits + 1));
                }
                let own_kind = self.linker.at(class).kind;
                if self.linker.is_subtype(own_kind, declared)? {
                    return Err(Unknown::Opaque("the identity of an object from outside".into()));
                }
                Ok(false)
            }
        }
    }

    /// The identity of an object from outside; `None` for null and all other objects.
    #[inline]
    fn identity(&self, word: Word<D::Shadow>) -> Option<Word<D::Shadow>> {
        match self.state.object(word.bits) {
            Some(object) if matches!(object.kind, ObjectKind::Outside(_)) => {
                Some(self.state.slots(object)[IDENTITY])
            }
            _ => None,
        }
    }

    /// Throws if the reference is null.
    #[inline]
    pub(crate) fn non_null(&mut self, word: Word<D::Shadow>) -> Result<Object, Trap> {
        match self.state.object(word.bits) {
            Some(object) => {
                if matches!(object.kind, ObjectKind::Outside(_)) && self.is_same(word, Word::plain(0))? {
                    return Err(NULL_POINTER);
                }
                Ok(object)
            }
            None if word.bits == 0 => Err(NULL_POINTER),
            None => Err(self.odd("a number as a reference")),
        }
    }

    #[inline]
    pub(crate) fn instance(&mut self, word: Word<D::Shadow>) -> Result<Object, Trap> {
        let object = self.non_null(word)?;
        match object.kind {
            ObjectKind::Instance(_) => Ok(object),
            ObjectKind::Outside(_) => Err(Unknown::Outside("a field".into()).into()),
            _ => Err(Unknown::Opaque("the fields of a string or class".into()).into()),
        }
    }

    pub(crate) fn odd(&self, what: &str) -> Trap {
        Trap::Unknown(Unknown::Unverified(what.into()))
    }

    pub(crate) fn class_of(&mut self, object: Object, selector: Selector) -> Result<ClassId, Trap> {
        match object.kind {
            ObjectKind::Instance(class) => Ok(class),
            ObjectKind::Array(_) => Ok(self.linker.class("java/lang/Object")?),
            ObjectKind::Literal(_) | ObjectKind::Text => Ok(self.linker.class("java/lang/String")?),
            ObjectKind::Mirror(_) => Ok(self.linker.class("java/lang/Class")?),
            ObjectKind::Outside(kind) if &*self.linker.name_of_type(kind) == "java/lang/String" => {
                Ok(self.linker.class("java/lang/String")?)
            }
            ObjectKind::Outside(kind) => {
                let name = &self.linker.selector_names[selector.0 as usize].0;
                let class = self.linker.name_of_type(kind).replace('/', ".");
                Err(Unknown::Outside(format!("`{class}.{name}`").into()).into())
            }
        }
    }

    /// Bounds check of an array access.
    pub(crate) fn within(&mut self, index: Word<D::Shadow>, length: Word<D::Shadow>) -> Result<(), Trap> {
        if self.test(Relation::Lt, index, Word::plain(0))? || self.test(Relation::Ge, index, length)? {
            return Err(OUT_OF_BOUNDS);
        }
        Ok(())
    }
}
