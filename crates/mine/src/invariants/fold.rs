//! A tally as plain data, to be written to a file and merged later.

use std::collections::BTreeMap;
use std::sync::Arc;

use adit_logic::contract::{Constant, Moment, Part, Variable, VariablePlace};
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::slice::Slice;
use super::stats::{Together, Values};
use super::{CallKey, InvariantMiner, PointTally, Scope};

/// The version of the format.
const VERSION: u32 = 1;

/// The name of the format.
const FORMAT: &str = "adit-invariants-fold";

/// A tally as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fold {
    format: String,
    version: u32,
    scope: Scope,
    points: Vec<FoldedPoint>,
}

/// A fold that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("this is no fold of `adit invariants`: {what}")]
#[diagnostic(code(mine::fold), help("make it again with `adit invariants TRACES --partial -o FOLD`"))]
pub struct UnreadableFold {
    /// The problem.
    pub what: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FoldedPoint {
    class: String,
    call: CallKey,
    calls: u64,
    created: u64,
    entry: FoldedSlice,
    exit: FoldedSlice,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FoldedSlice {
    samples: u64,
    variables: Vec<FoldedVariable>,
    together: Vec<FoldedPair>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FoldedVariable {
    name: String,
    values: FoldedValues,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FoldedValues {
    samples: u64,
    nulls: u64,
    bools: u64,
    ints: u64,
    floats: u64,
    texts: u64,
    objects: u64,
    each: Vec<(String, u64)>,
    many: bool,
    lowest: Vec<(i64, u64)>,
    highest: Vec<(i64, u64)>,
    zeros: u64,
}

/// The fields of [`Together`] in order.
type FoldedPair = (u64, i64, i64, u64, u64, u64, u64);

impl InvariantMiner {
    /// The tally as plain data.
    pub fn to_fold(&self) -> Fold {
        let points = self.classes.iter().flat_map(|(class, points)| {
            points.iter().map(|(call, point)| FoldedPoint {
                class: class.clone(),
                call: call.clone(),
                calls: point.calls,
                created: point.created,
                entry: FoldedSlice::of(&point.entry),
                exit: FoldedSlice::of(&point.exit),
            })
        });
        Fold { format: FORMAT.to_owned(), version: VERSION, scope: self.scope, points: points.collect() }
    }

    /// The tally that a fold was made from.
    pub fn from_fold(fold: &Fold) -> Result<Self, UnreadableFold> {
        let wrong = |what: String| UnreadableFold { what };
        if fold.format != FORMAT {
            return Err(wrong(format!("its format is `{}`", fold.format)));
        }
        if fold.version != VERSION {
            return Err(wrong(format!("its version is {}, and this is version {VERSION}", fold.version)));
        }
        let mut miner = Self::new(fold.scope);
        for point in &fold.points {
            let damaged = || wrong(format!("the counts of `{}` do not fit together", point.call.method));
            let (entry, exit) = (point.entry.slice(), point.exit.slice());
            let (entry, exit) = (entry.ok_or_else(damaged)?, exit.ok_or_else(damaged)?);
            let class = miner.classes.entry(point.class.clone()).or_default();
            let tally = PointTally { calls: point.calls, created: point.created, entry, exit };
            if class.insert(point.call.clone(), tally).is_some() {
                return Err(wrong(format!("`{}` is there twice", point.call.method)));
            }
        }
        Ok(miner)
    }
}

impl FoldedSlice {
    fn of(slice: &Slice) -> Self {
        // In the order of their names, so that equal counts are equal bytes.
        let slice = &slice.sorted();
        let variables = slice.variables.iter().zip(&slice.values).map(|(variable, values)| FoldedVariable {
            name: variable_name(variable),
            values: FoldedValues {
                samples: values.samples,
                nulls: values.nulls,
                bools: values.bools,
                ints: values.ints,
                floats: values.floats,
                texts: values.texts,
                objects: values.objects,
                each: values.each.iter().map(|(value, &times)| (constant_name(value), times)).collect(),
                many: values.many,
                lowest: values.lowest.clone(),
                highest: values.highest.clone(),
                zeros: values.zeros,
            },
        });
        let together = slice.together.iter().map(|together| {
            let &Together { ints, lowest, highest, zeros, others, same, unlike } = together;
            (ints, lowest, highest, zeros, others, same, unlike)
        });
        Self { samples: slice.samples, variables: variables.collect(), together: together.collect() }
    }

    fn slice(&self) -> Option<Slice> {
        let mut variables = Vec::new();
        let mut values = Vec::new();
        for FoldedVariable { name, values: folded } in &self.variables {
            variables.push(variable_of(name)?);
            let each = folded.each.iter().map(|(value, times)| Some((constant_of(value)?, *times)));
            let each: BTreeMap<Constant, u64> = each.collect::<Option<_>>()?;
            let few = |ends: &[(i64, u64)]| ends.len() <= 3;
            if each.len() > super::stats::MOST_VALUES || !few(&folded.lowest) || !few(&folded.highest) {
                return None;
            }
            values.push(Values {
                samples: folded.samples,
                nulls: folded.nulls,
                bools: folded.bools,
                ints: folded.ints,
                floats: folded.floats,
                texts: folded.texts,
                objects: folded.objects,
                each,
                many: folded.many,
                lowest: folded.lowest.clone(),
                highest: folded.highest.clone(),
                zeros: folded.zeros,
            });
        }
        let together = self.together.iter().map(|&(ints, lowest, highest, zeros, others, same, unlike)| {
            Together { ints, lowest, highest, zeros, others, same, unlike }
        });
        Slice::from_parts(self.samples, variables, values, together.collect())
    }
}

/// A variable as a text: moment, place, part and name, separated by blanks. The name may have blanks too.
fn variable_name(variable: &Variable) -> String {
    let moment = if variable.moment == Moment::Before { "before" } else { "now" };
    let part = match variable.part {
        Part::Whole => "whole",
        Part::Length => "length",
        Part::Size => "size",
        Part::Elements => "elements",
    };
    let (place, name) = match &variable.place {
        VariablePlace::Field(path) => ("field", &**path),
        VariablePlace::Parameter(name) => ("parameter", &**name),
        VariablePlace::Return => ("return", ""),
    };
    format!("{moment} {place} {part} {name}")
}

fn variable_of(text: &str) -> Option<Variable> {
    let mut words = text.splitn(4, ' ');
    let (moment, place, part, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some(Variable {
        moment: match moment {
            "before" => Moment::Before,
            "now" => Moment::Now,
            _ => return None,
        },
        place: match place {
            "field" => VariablePlace::Field(name.into()),
            "parameter" => VariablePlace::Parameter(name.into()),
            "return" => VariablePlace::Return,
            _ => return None,
        },
        part: match part {
            "whole" => Part::Whole,
            "length" => Part::Length,
            "size" => Part::Size,
            "elements" => Part::Elements,
            _ => return None,
        },
    })
}

/// A value as a text: a letter for its type, a colon, the value. Floating-point numbers are their bits, so
/// that none is lost.
fn constant_name(value: &Constant) -> String {
    match value {
        Constant::Null => "n:".to_owned(),
        Constant::Bool(value) => format!("b:{value}"),
        Constant::Int(value) => format!("i:{value}"),
        Constant::Float(value) => format!("f:{:016x}", value.to_bits()),
        Constant::Text(value) => format!("t:{value}"),
        Constant::Object(None) => "u:".to_owned(),
        Constant::Object(Some(identity)) => format!("o:{identity}"),
    }
}

fn constant_of(text: &str) -> Option<Constant> {
    let (kind, value) = text.split_once(':')?;
    Some(match kind {
        "n" => Constant::Null,
        "b" => Constant::Bool(value.parse().ok()?),
        "i" => Constant::Int(value.parse().ok()?),
        "f" => Constant::Float(f64::from_bits(u64::from_str_radix(value, 16).ok()?)),
        "t" => Constant::Text(value.into()),
        "u" => Constant::Object(None),
        "o" => Constant::Object(Some(Arc::from(value))),
        _ => return None,
    })
}
