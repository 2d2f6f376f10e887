//! Stack map frames: the types of variables and stack where paths of a method meet (JVMS 4.7.4).
//!
//! They are decoded completely, so a frame can be repeated elsewhere, and written back in their longest form.

use crate::cursor::{Cursor, Fault};
use crate::growth::{Full, Growth};

/// Type of one variable or one slot of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// A number, null, nothing, or the uninitialized receiver of a constructor, by its tag.
    Plain(u8),
    /// An object of the class with this constant.
    Object(u16),
    /// The object created by the `new` at this offset, before its constructor was called.
    New(u32),
}

impl Held {
    pub(crate) const INT: Held = Held::Plain(1);
    pub(crate) const FLOAT: Held = Held::Plain(2);
    pub(crate) const DOUBLE: Held = Held::Plain(3);
    pub(crate) const LONG: Held = Held::Plain(4);
    /// The receiver of a constructor, before it calls another.
    pub(crate) const UNINITIALIZED: Held = Held::Plain(6);
}

/// Types of the variables and the stack at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) offset: u32,
    pub(crate) variables: Vec<Held>,
    pub(crate) stack: Vec<Held>,
}

const WHAT: &str = "the frames of a method";

/// Reads the contents of a `StackMapTable`. `first` has the types of the variables when the method begins.
pub(crate) fn read(mut cursor: Cursor<'_>, first: &[Held]) -> Result<Vec<Frame>, Fault> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut variables = first.to_vec();
    for _ in 0..cursor.u16(WHAT)? {
        let tag = cursor.u8(WHAT)?;
        let mut stack = Vec::new();
        let skipped = match tag {
            0..=63 => u32::from(tag),
            64..=127 => {
                stack.push(held(&mut cursor)?);
                u32::from(tag - 64)
            }
            247 => {
                let skipped = cursor.u16(WHAT)?;
                stack.push(held(&mut cursor)?);
                u32::from(skipped)
            }
            248..=251 => {
                let skipped = cursor.u16(WHAT)?;
                let left = variables.len().checked_sub(usize::from(251 - tag));
                variables.truncate(left.ok_or(cursor.wrong(WHAT))?);
                u32::from(skipped)
            }
            252..=254 => {
                let skipped = cursor.u16(WHAT)?;
                for _ in 251..tag {
                    variables.push(held(&mut cursor)?);
                }
                u32::from(skipped)
            }
            255 => {
                let skipped = cursor.u16(WHAT)?;
                let mut list = || -> Result<Vec<Held>, Fault> {
                    let count = cursor.u16(WHAT)?;
                    (0..count).map(|_| held(&mut cursor)).collect()
                };
                (variables, stack) = (list()?, list()?);
                u32::from(skipped)
            }
            _ => return Err(cursor.wrong(WHAT)),
        };
        let offset = frames.last().map_or(skipped, |last| last.offset + skipped + 1);
        frames.push(Frame { offset, variables: variables.clone(), stack });
    }
    Ok(frames)
}

fn held(cursor: &mut Cursor<'_>) -> Result<Held, Fault> {
    Ok(match cursor.u8(WHAT)? {
        tag @ 0..=6 => Held::Plain(tag),
        7 => Held::Object(cursor.u16(WHAT)?),
        8 => Held::New(u32::from(cursor.u16(WHAT)?)),
        _ => return Err(cursor.wrong(WHAT)),
    })
}

/// Returns the contents of a `StackMapTable` with these frames, whose offsets must ascend.
pub(crate) fn write(frames: &[Frame]) -> Result<Vec<u8>, Full> {
    let short = |value: usize| u16::try_from(value).map(u16::to_be_bytes).map_err(|_| Full);
    let mut bytes = short(frames.len())?.to_vec();
    let mut next = 0;
    for frame in frames {
        bytes.push(255);
        bytes.extend(short(frame.offset.checked_sub(next).ok_or(Full)? as usize)?);
        next = frame.offset + 1;
        for list in [&frame.variables, &frame.stack] {
            bytes.extend(short(list.len())?);
            for held in list {
                match held {
                    Held::Plain(tag) => bytes.push(*tag),
                    Held::Object(class) => {
                        bytes.push(7);
                        bytes.extend(class.to_be_bytes());
                    }
                    Held::New(offset) => {
                        bytes.push(8);
                        bytes.extend(short(*offset as usize)?);
                    }
                }
            }
        }
    }
    Ok(bytes)
}

/// Types of the variables when a method begins: the receiver, if there is one, and the parameters.
pub(crate) fn first(
    receiver: Option<Held>,
    signature: &crate::Signature,
    growth: &mut Growth,
) -> Result<Vec<Held>, Full> {
    use crate::Type;
    let mut variables: Vec<Held> = receiver.into_iter().collect();
    for parameter in &signature.parameters {
        variables.push(match parameter {
            Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Held::INT,
            Type::Long => Held::LONG,
            Type::Float => Held::FLOAT,
            Type::Double => Held::DOUBLE,
            Type::Class(name) => Held::Object(growth.class(name)?),
            Type::Array(_) => Held::Object(growth.class(&parameter.descriptor())?),
        });
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_is_understood() {
        // same, one on the stack, the same far away, same far away, chop, append, full.
        let bytes = [
            0, 7, 3, 65, 1, 247, 1, 0, 7, 0, 9, 251, 0, 5, 250, 0, 0, 253, 0, 2, 1, 4, 255, 0, 7, 0, 1, 6, 0,
            1, 8, 0, 40,
        ];
        let frames = read(Cursor::new(&bytes), &[Held::Object(5), Held::INT]).unwrap();
        let told: String = frames
            .iter()
            .map(|Frame { offset, variables, stack }| format!("{offset}: {variables:?} | {stack:?}\n"))
            .collect();
        expect![[r#"
            3: [Object(5), Plain(1)] | []
            5: [Object(5), Plain(1)] | [Plain(1)]
            262: [Object(5), Plain(1)] | [Object(9)]
            268: [Object(5), Plain(1)] | []
            269: [Object(5)] | []
            272: [Object(5), Plain(1), Plain(4)] | []
            280: [Plain(6)] | [New(40)]
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bytes in [&[0, 1, 128][..], &[0, 1, 248, 0, 0], &[0, 1, 64, 9], &[0, 2, 0], &[0]] {
            assert!(read(Cursor::new(bytes), &[Held::INT]).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            frames in prop::collection::btree_map(
                0_u32..60_000,
                (prop::collection::vec(any_held(), 0..5), prop::collection::vec(any_held(), 0..3)),
                0..6,
            ),
        ) {
            let frames: Vec<Frame> = frames
                .into_iter()
                .map(|(offset, (variables, stack))| Frame { offset, variables, stack })
                .collect();
            prop_assert_eq!(read(Cursor::new(&write(&frames).unwrap()), &[]).unwrap(), frames);
        }
    }

    fn any_held() -> impl Strategy<Value = Held> {
        prop_oneof![
            (0_u8..7).prop_map(Held::Plain),
            any::<u16>().prop_map(Held::Object),
            (0_u32..60_000).prop_map(Held::New),
        ]
    }
}
