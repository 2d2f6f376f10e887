//! Abstract states: an object's fields, seen through predicates.
//!
//! Paper: `krka`, section 2.3 (predicates of preconditions define the abstract state) and `EvalGlobal` of
//! Figure 5.
//! Deviation: clauses of the object invariant are no predicates, because they are true in every state; the
//! paper counts them and finds that half of the combinations are impossible. Conditions on the state before a
//! call in a postcondition's implications are predicates too, as section 3.4 says (`PreState_1`, …) and the
//! set `pred` of Figure 7 leaves open. A predicate whose value a trace does not tell is unknown, a third
//! value.
//! Cost: one evaluation of every predicate for each call of a trace.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::contract::{Clause, Contract, Contracts, Moment, Type, Valuation, Variable};

/// Claims about a class: an object invariant, and a contract for each label.
#[derive(Clone, Debug)]
pub struct Claims<'a, L> {
    /// The types of the fields.
    pub fields: &'a BTreeMap<Variable, Type>,
    /// The object invariant.
    pub object: &'a [Clause],
    /// The contracts of calls, each label once.
    pub calls: Vec<(L, &'a Contract)>,
}

impl<'a> Claims<'a, String> {
    /// The claims of a file of contracts, under the labels that it uses.
    pub fn of(contracts: &'a Contracts) -> Self {
        Self {
            fields: &contracts.fields,
            object: &contracts.object,
            calls: contracts.calls.iter().map(|(label, contract)| (label.clone(), contract)).collect(),
        }
    }
}

/// An abstract state that was seen: a number for one combination of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Situation(u32);

/// A call of a trace as miners with state see it: its label, and the abstract state after it.
pub type Visit<L> = (L, Situation);

/// Predicates over fields, and every combination of their truth values that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abstraction {
    predicates: Vec<Clause>,
    seen: Vec<Vec<Option<bool>>>,
    numbers: BTreeMap<Vec<Option<bool>>, Situation>,
}

impl Abstraction {
    /// An abstraction by these predicates, each over fields at one moment.
    pub fn new(predicates: Vec<Clause>) -> Self {
        Self { predicates, ..Self::default() }
    }

    /// The abstraction by all clauses in which preconditions differ.
    pub fn of_claims<L>(claims: &Claims<'_, L>) -> Self {
        let invariant: BTreeSet<&Clause> = claims.object.iter().collect();
        let mut predicates = Vec::new();
        let mut known = BTreeSet::new();
        let mut add = |clause: Clause| {
            if !invariant.contains(&clause) && known.insert(clause.clone()) {
                predicates.push(clause);
            }
        };
        for (_, contract) in &claims.calls {
            if !contract.creates {
                contract.pre.iter().filter(|clause| is_about_fields(clause)).cloned().for_each(&mut add);
            }
            for clause in &contract.post {
                conditions_before(clause).into_iter().for_each(&mut add);
            }
        }
        Self::new(predicates)
    }

    /// The predicates, in the order of the truth values.
    pub fn predicates(&self) -> &[Clause] {
        &self.predicates
    }

    /// Returns the abstract state of an object with these values.
    pub fn observe(&mut self, values: &Valuation) -> Situation {
        let truths = self.predicates.iter().map(|predicate| predicate.holds(values)).collect();
        self.remember(truths)
    }

    /// Returns the number of a combination of truth values.
    fn remember(&mut self, truths: Vec<Option<bool>>) -> Situation {
        if let Some(&situation) = self.numbers.get(&truths) {
            return situation;
        }
        let situation = Situation(u32::try_from(self.seen.len()).expect("fewer situations than calls"));
        self.numbers.insert(truths.clone(), situation);
        self.seen.push(truths);
        situation
    }

    /// The truth value of each predicate; nothing where a value was not recorded.
    pub fn truths(&self, situation: Situation) -> &[Option<bool>] {
        &self.seen[situation.0 as usize]
    }

    /// All situations that were seen.
    pub(crate) fn situations(&self) -> impl Iterator<Item = Situation> + use<> {
        (0..self.seen.len() as u32).map(Situation)
    }
}

/// Returns true if a clause is about nothing but fields at the moment that it speaks of.
pub(crate) fn is_about_fields(clause: &Clause) -> bool {
    clause.variables().iter().all(|variable| variable.is_field() && variable.moment == Moment::Now)
}

/// Conditions on the state before a call, in a clause of its postcondition, as claims about a state.
fn conditions_before(clause: &Clause) -> Vec<Clause> {
    let sides: &[&Clause] = match clause {
        Clause::Implies(condition, _) => &[condition],
        Clause::Iff(one, another) => &[one, another],
        _ => &[],
    };
    sides
        .iter()
        .filter(|side| {
            side.variables().iter().all(|variable| variable.is_field() && variable.moment == Moment::Before)
        })
        .map(|side| side.map(&mut |variable| variable.clone().now()))
        .collect()
}

#[cfg(test)]
mod tests {
    use adit_logic::contract::{Constant, Relation};

    use super::*;

    #[test]
    fn predicates_come_from_preconditions_and_conditions_on_the_state_before() {
        let (x, y) = (Variable::field("x"), Variable::field("y"));
        let (positive, natural) =
            (Clause::bound(x.clone(), Relation::AtLeast, 1), Clause::bound(x.clone(), Relation::AtLeast, 0));
        let about_argument = Clause::NonNull(Variable::parameter("p"));
        let open = Clause::is(y.clone(), Constant::Bool(true));
        let was_open = Clause::is(y.clone().before(), Constant::Bool(true));
        let contract = Contract {
            pre: vec![natural.clone(), positive.clone(), about_argument],
            post: vec![natural.clone(), Clause::Implies(Box::new(was_open), Box::new(positive.clone()))],
            ..Contract::default()
        };
        let (fields, object) = (BTreeMap::new(), [natural]);
        let claims = Claims { fields: &fields, object: &object, calls: vec![('a', &contract)] };
        let mut abstraction = Abstraction::of_claims(&claims);
        assert_eq!(abstraction.predicates(), [positive, open]);
        let seen = Valuation::from_iter([(x, Constant::Int(3))]);
        let situation = abstraction.observe(&seen);
        assert_eq!(abstraction.truths(situation), [Some(true), None]);
        assert_eq!(abstraction.observe(&seen), situation);
    }
}
