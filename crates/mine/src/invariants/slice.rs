//! The samples at one moment of one kind of call: every variable by itself, and every two together.

use adit_logic::contract::{Moment, Part, Type, Variable, VariablePlace, is_identity, split_field};
use adit_trace::{Event, Outcome, State, Value};
use rustc_hash::FxHashMap;

use super::Scope;
use super::stats::{Seen, Together, Values};
use crate::MineError;

/// The most variables of a slice. Their pairs take about eight megabytes.
const MOST_VARIABLES: usize = 512;

/// The most names of fields that are remembered, those that the filters leave out included.
const MOST_NAMES: usize = 1 << 16;

/// Counts of samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Slice {
    pub(super) samples: u64,
    pub(super) variables: Vec<Variable>,
    pub(super) values: Vec<Values>,
    /// The second of two variables before the first: those of variable 1, those of variable 2, and so on.
    pub(super) together: Vec<Together>,
    index: FxHashMap<Variable, usize>,
    /// The places of the names that were seen in samples, so that a name is parsed once.
    names: [FxHashMap<Box<str>, Places>; 4],
}

/// The variables that a name in a sample stands for: its own, and the reference that it is a part of.
#[derive(Clone, Copy, Debug)]
struct Places {
    own: Option<usize>,
    holder: Option<usize>,
    size: bool,
}

/// The kinds of names in a sample.
#[derive(Clone, Copy)]
enum Names {
    Now = 0,
    Before = 1,
    Parameters = 2,
    Return = 3,
}

/// The values of one sample, by variable.
#[derive(Default)]
pub(super) struct Sample<'a>(Vec<Option<Seen<'a>>>);

impl Slice {
    /// Adds a sample at the beginning of a call.
    pub(super) fn add_entry(
        &mut self,
        before: Option<&State>,
        event: &Event,
        scope: &Scope,
    ) -> Result<(), MineError> {
        let mut sample = Sample::default();
        self.fields(&mut sample, before, Names::Now, scope)?;
        self.parameters(&mut sample, event, scope)?;
        self.add(&sample);
        Ok(())
    }

    /// Adds a sample at the end of a call.
    pub(super) fn add_exit(
        &mut self,
        before: Option<&State>,
        event: &Event,
        scope: &Scope,
    ) -> Result<(), MineError> {
        let mut sample = Sample::default();
        self.fields(&mut sample, event.state.as_ref(), Names::Now, scope)?;
        self.fields(&mut sample, before, Names::Before, scope)?;
        self.parameters(&mut sample, event, scope)?;
        if let Outcome::Returned(result) = &event.outcome {
            self.put(&mut sample, Names::Return, "", result, scope)?;
        }
        self.add(&sample);
        Ok(())
    }

    fn fields<'a>(
        &mut self,
        sample: &mut Sample<'a>,
        state: Option<&'a State>,
        names: Names,
        scope: &Scope,
    ) -> Result<(), MineError> {
        state.into_iter().flatten().try_for_each(|(name, value)| self.put(sample, names, name, value, scope))
    }

    fn parameters<'a>(
        &mut self,
        sample: &mut Sample<'a>,
        event: &'a Event,
        scope: &Scope,
    ) -> Result<(), MineError> {
        event.args.iter().enumerate().try_for_each(|(number, value)| {
            self.put(sample, Names::Parameters, &event.parameter(number), value, scope)
        })
    }

    /// Puts a value into the sample.
    fn put<'a>(
        &mut self,
        sample: &mut Sample<'a>,
        names: Names,
        name: &str,
        value: &'a Value,
        scope: &Scope,
    ) -> Result<(), MineError> {
        let places = match self.names[names as usize].get(name) {
            Some(places) => *places,
            None => {
                if self.names[names as usize].len() >= MOST_NAMES {
                    return Err(MineError::TooManyVariables { limit: MOST_VARIABLES });
                }
                let places = self.places(names, name, scope)?;
                self.names[names as usize].insert(name.into(), places);
                places
            }
        };
        let Some(seen) = seen(value) else { return Ok(()) };
        if let Some(holder) = places.holder {
            let reference = if seen == Seen::Null { Seen::Null } else { Seen::Object(None) };
            sample.at(holder).get_or_insert(reference);
        }
        // There is no size of nothing.
        let makes_sense = seen != Seen::Null || places.holder.is_none();
        let fits = !places.size || matches!(seen, Seen::Int(_));
        if let Some(own) = places.own.filter(|_| makes_sense && fits) {
            *sample.at(own) = Some(seen);
        }
        Ok(())
    }

    /// The variables that a name stands for.
    fn places(&mut self, names: Names, name: &str, scope: &Scope) -> Result<Places, MineError> {
        let (path, part) = match names {
            Names::Now | Names::Before => split_field(name),
            Names::Parameters | Names::Return => (name, Part::Whole),
        };
        let place = match names {
            Names::Now | Names::Before => VariablePlace::Field(path.into()),
            Names::Parameters => VariablePlace::Parameter(path.into()),
            Names::Return => VariablePlace::Return,
        };
        let moment = if matches!(names, Names::Before) { Moment::Before } else { Moment::Now };
        let holder = Variable { place, part: Part::Whole, moment };
        if holder.depth() > scope.depth {
            return Ok(Places { own: None, holder: None, size: false });
        }
        let own = Variable { part, ..holder.clone() };
        let wanted = part != Part::Elements || scope.elements;
        Ok(Places {
            size: own.is_size(),
            own: if wanted { Some(self.place(own)?) } else { None },
            holder: if part == Part::Whole { None } else { Some(self.place(holder)?) },
        })
    }

    /// The place of a variable, which is new if it was not there.
    fn place(&mut self, variable: Variable) -> Result<usize, MineError> {
        if let Some(&place) = self.index.get(&variable) {
            return Ok(place);
        }
        let place = self.variables.len();
        if place >= MOST_VARIABLES {
            return Err(MineError::TooManyVariables { limit: MOST_VARIABLES });
        }
        self.together.extend(std::iter::repeat_n(Together::NEVER, place));
        self.index.insert(variable.clone(), place);
        self.variables.push(variable);
        self.values.push(Values::default());
        Ok(place)
    }

    fn add(&mut self, sample: &Sample<'_>) {
        self.samples += 1;
        for (place, value) in sample.0.iter().enumerate() {
            let &Some(value) = value else { continue };
            self.values[place].add(value);
            let row = &mut self.together[start(place)..start(place) + place];
            for (earlier, together) in row.iter_mut().enumerate() {
                if let Some(other) = sample.0[earlier]
                    && are_compared(&self.variables[earlier], &self.variables[place])
                {
                    together.add(other, value);
                }
            }
        }
    }

    /// The counts of two variables together, the first one first; `None` if they are not compared.
    pub(super) fn pair(&self, one: usize, another: usize) -> Option<Together> {
        if one == another || !are_compared(&self.variables[one], &self.variables[another]) {
            return None;
        }
        let (low, high) = (one.min(another), one.max(another));
        let together = self.together[start(high) + low];
        Some(if one < another { together } else { together.flipped() })
    }

    /// The values of two variables together, if the slice has both and they are compared.
    pub(super) fn pair_of(&self, one: &Variable, another: &Variable) -> Option<Together> {
        self.pair(*self.index.get(one)?, *self.index.get(another)?)
    }

    /// Adds what was counted elsewhere, of the variables that `wanted` accepts.
    pub(super) fn merge(
        &mut self,
        other: &Self,
        wanted: impl Fn(&Variable) -> bool,
    ) -> Result<(), MineError> {
        self.samples = self.samples.saturating_add(other.samples);
        let mut places = Vec::with_capacity(other.variables.len());
        for (theirs, variable) in other.variables.iter().enumerate() {
            let place = if wanted(variable) { Some(self.place(variable.clone())?) } else { None };
            places.push(place);
            let Some(place) = place else { continue };
            self.values[place].merge(&other.values[theirs]);
            for (earlier, &before) in places[..theirs].iter().enumerate() {
                let Some(before) = before else { continue };
                let together = other.together[start(theirs) + earlier];
                // The same two may stand in another order here.
                let (low, high, together) = if before < place {
                    (before, place, together)
                } else {
                    (place, before, together.flipped())
                };
                self.together[start(high) + low].merge(&together);
            }
        }
        Ok(())
    }

    /// The same counts with the variables in order.
    pub(super) fn sorted(&self) -> Self {
        let mut variables = self.variables.clone();
        variables.sort();
        let mut sorted = Self::default();
        let same = |sorted: &mut Self| -> Result<(), MineError> {
            for variable in variables {
                sorted.place(variable)?;
            }
            sorted.merge(self, |_| true)
        };
        same(&mut sorted).expect("the slice keeps within its limits already");
        sorted
    }

    /// The type of a variable, as its values show it.
    pub(super) fn kind(&self, place: usize) -> Type {
        self.values[place].kind()
    }

    /// A slice from its parts; nothing if they do not fit together.
    pub(super) fn from_parts(
        samples: u64,
        variables: Vec<Variable>,
        values: Vec<Values>,
        together: Vec<Together>,
    ) -> Option<Self> {
        let index: FxHashMap<Variable, usize> =
            variables.iter().enumerate().map(|(place, variable)| (variable.clone(), place)).collect();
        let fits = variables.len() <= MOST_VARIABLES
            && index.len() == variables.len()
            && values.len() == variables.len()
            && together.len() == start(variables.len());
        fits.then(|| Self { samples, variables, values, together, index, names: Default::default() })
    }
}

impl<'a> Sample<'a> {
    fn at(&mut self, place: usize) -> &mut Option<Seen<'a>> {
        if self.0.len() <= place {
            self.0.resize(place + 1, None);
        }
        &mut self.0[place]
    }
}

/// The place of the first pair of a variable.
fn start(place: usize) -> usize {
    place * place.saturating_sub(1) / 2
}

/// Tells whether two variables are compared. What is known of both when a call begins is a matter of its
/// precondition.
fn are_compared(one: &Variable, another: &Variable) -> bool {
    let early = |variable: &Variable| {
        variable.moment == Moment::Before || matches!(variable.place, VariablePlace::Parameter(_))
    };
    let is_before = |variable: &Variable| variable.moment == Moment::Before;
    !(early(one) && early(another) && (is_before(one) || is_before(another)))
}

fn seen(value: &Value) -> Option<Seen<'_>> {
    Some(match value {
        Value::Void => return None,
        Value::Null => Seen::Null,
        Value::Bool(value) => Seen::Bool(*value),
        Value::Int(value) => Seen::Int(*value),
        Value::Float(value) => Seen::Float(*value),
        Value::Text(text) if is_identity(text) => Seen::Object(Some(text)),
        Value::Text(text) => Seen::Text(text),
    })
}
