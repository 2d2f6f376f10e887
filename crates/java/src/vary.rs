//! Changing scripts at random: mutation and crossover, the moves of a genetic search.
//!
//! Both write the script anew, statement by statement. A statement whose receiver is gone is called on
//! another object of a fitting type, an argument that is gone is drawn anew, and what then still lacks
//! something is left out; so the result is valid whenever the input was.
//!
//! Paper: `dice`, section 3.2, where the moves are those of EvoSuite.
//! Deviation: a crossover calls the objects of the first script from the tail of the second, instead of
//! copying the tail's own objects, because a property is broken by what happens to one object.
//! Cost: linear in the length of the script, but for choosing among earlier values, which looks at all of
//! them.

use std::sync::Arc;

use adit_trace::edit::{named, needs, renumber, renumbered};
use adit_trace::{Argument, Callable, Script, Statement};
use rand::{Rng, RngExt};

use crate::Generator;
use crate::generate::Draft;
use crate::texts::altered;

/// Probability that another value for a text or a number is the old one, altered.
const ALTERED: f64 = 0.6;

impl Generator {
    /// The script with small changes: statements removed or changed, each with probability `1/n` in a script
    /// of `n` statements, and calls inserted, the first with probability one half.
    pub(crate) fn mutated(&self, script: &Script, rng: &mut impl Rng) -> Script {
        // Each of the three moves is tried, as in the paper with probability one third; when none changed
        // anything, again.
        for _ in 0..8 {
            let changed = self.mutate_once(script, rng);
            if changed != *script && !changed.statements.is_empty() {
                return changed;
            }
        }
        script.clone()
    }

    fn mutate_once(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let [remove, change, insert] = [(); 3].map(|()| rng.random_range(0..3) == 0);
        let each = 1.0 / script.statements.len().max(1) as f64;
        let mut rewrite = Rewrite::of(script);
        // Insertions happen before these statements, the last number meaning the end.
        let mut inserts = Vec::new();
        while insert && inserts.len() < 8 && rng.random_bool(0.5) {
            inserts.push(rng.random_range(0..=script.statements.len()));
        }
        for at in 0..=script.statements.len() {
            for _ in inserts.iter().filter(|&&place| place == at) {
                if rewrite.draft.statements.len() < self.options.longest {
                    let object = rewrite.draft.object(rng);
                    self.call(&mut rewrite.draft, object, rng);
                }
            }
            if at == script.statements.len() || remove && rng.random_bool(each) {
                continue;
            }
            if change && rng.random_bool(each) {
                self.copy_changed(&mut rewrite, at, rng);
            } else {
                self.copy(&mut rewrite, at, None, rng);
            }
        }
        if rewrite.draft.objects.is_empty() {
            return script.clone();
        }
        Script { statements: rewrite.draft.statements }
    }

    /// The same calls with one argument drawn anew or altered, sometimes with several.
    pub(crate) fn revalued(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let mut changed = script.clone();
        loop {
            let args = |at: usize| changed.statements[at].args.len();
            let places: Vec<(usize, usize)> = (0..changed.statements.len())
                .flat_map(|at| (0..args(at)).map(move |place| (at, place)))
                .collect();
            if places.is_empty() {
                return changed;
            }
            let (chosen, place) = places[rng.random_range(0..places.len())];
            let mut rewrite = Rewrite::of(&changed);
            for at in 0..changed.statements.len() {
                self.copy(&mut rewrite, at, (at == chosen).then_some(place), rng);
            }
            changed = Script { statements: rewrite.draft.statements };
            if rng.random_bool(0.5) {
                return changed;
            }
        }
    }

    /// Another value for a parameter: a text or a number that resembles the old one or others of the script,
    /// or any.
    fn other_argument(
        &self,
        rewrite: &mut Rewrite<'_>,
        (call, place): (usize, usize),
        receiver: Option<usize>,
        old: &Argument,
        rng: &mut impl Rng,
    ) -> Option<Argument> {
        match old {
            Argument::Text(text) if rng.random_bool(ALTERED) => {
                let fresh = self.texts_source.and_then(|texts| self.sources[texts].text(rng));
                let args = rewrite.script.statements.iter().flat_map(|statement| &statement.args);
                let others: Vec<&str> = args
                    .filter_map(|argument| match argument {
                        Argument::Text(text) => Some(text.as_str()),
                        _ => None,
                    })
                    .chain(fresh.as_deref())
                    .collect();
                Some(Argument::Text(altered(text, &others, rng)))
            }
            Argument::Int(number) if rng.random_bool(ALTERED) => {
                let by = if rng.random_bool(0.5) { 1 } else { -1 };
                Some(Argument::Int(number.saturating_add(by)))
            }
            _ => self.argument(&mut rewrite.draft, call, place, receiver, rng),
        }
    }

    /// The beginning of one script and the end of another, with the end's calls made on objects of the
    /// beginning.
    pub(crate) fn crossed(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script {
        // Both are cut at the same share of their lengths, so that lengths do not drift.
        let share: f64 = rng.random();
        let cut = |script: &Script| (script.statements.len() as f64 * share) as usize;
        let mut rewrite = Rewrite::of(head);
        for at in 0..cut(head).max(1).min(head.statements.len()) {
            self.copy(&mut rewrite, at, None, rng);
        }
        let mut rewrite =
            Rewrite { script: tail, places: vec![None; tail.statements.len()], draft: rewrite.draft };
        for at in cut(tail)..tail.statements.len() {
            if rewrite.draft.statements.len() >= self.options.longest.max(head.statements.len()) {
                break;
            }
            if rewrite.places[at].is_none() {
                self.import_needs(&mut rewrite, at, rng);
                self.copy(&mut rewrite, at, None, rng);
            }
        }
        if rewrite.draft.objects.is_empty() {
            return head.clone();
        }
        Script { statements: rewrite.draft.statements }
    }

    /// The script with one more call at its end, after the statements that its arguments need.
    pub(crate) fn extended(
        &self,
        script: &Script,
        object: usize,
        method: &Arc<Callable>,
        rng: &mut impl Rng,
    ) -> Option<Script> {
        let mut draft = self.draft(&script.statements);
        let added =
            object < draft.given.len() && self.add(&mut draft, self.place(method)?, Some(object), rng);
        added.then_some(Script { statements: draft.statements })
    }

    /// Copies what a statement of the tail needs, except objects of the class: the head's take their place.
    fn import_needs(&self, rewrite: &mut Rewrite<'_>, at: usize, rng: &mut impl Rng) {
        let script = rewrite.script;
        let mut missing = Vec::new();
        needs(&script.statements[at], &mut |needed| missing.push(needed));
        // A valid script needs only what is earlier, so that this ends.
        for needed in missing.into_iter().filter(|&needed| needed < at) {
            let Some(place) = self.place(&script.statements[needed].callable) else { continue };
            let of_class = self.is_start(place) || self.is_method(place);
            let replaced = of_class && !rewrite.draft.objects.is_empty();
            if rewrite.places[needed].is_none() && !replaced {
                self.import_needs(rewrite, needed, rng);
                self.copy(rewrite, needed, None, rng);
            }
        }
    }

    /// Copies a statement, if what it needs is there or can be replaced. One of its arguments may be another.
    fn copy(&self, rewrite: &mut Rewrite<'_>, at: usize, other: Option<usize>, rng: &mut impl Rng) {
        let statement = &rewrite.script.statements[at];
        let Some(call) = self.place(&statement.callable) else {
            // Of what is unknown, only an exact copy is safe.
            let mut complete = true;
            needs(statement, &mut |needed| complete &= rewrite.place(needed).is_some());
            if complete {
                let places = &rewrite.places;
                let copy = renumbered(statement, &|old| places[old].unwrap_or(old));
                rewrite.places[at] = Some(rewrite.draft.statements.len());
                rewrite.draft.statements.push(copy);
                rewrite.draft.given.push(None);
            }
            return;
        };
        let Some(receiver) = self.receiver(rewrite, statement, call, rng) else { return };
        let parameters = &self.calls[call].parameters;
        let mut args = Vec::with_capacity(parameters.len());
        for (place, (argument, &wanted)) in statement.args.iter().zip(parameters).enumerate() {
            let new = (other == Some(place))
                .then(|| self.other_argument(rewrite, (call, place), receiver, argument, rng));
            let carried = new.flatten().or_else(|| self.carried(rewrite, argument, wanted));
            let argument = carried.or_else(|| self.argument(&mut rewrite.draft, call, place, receiver, rng));
            let Some(argument) = argument else { return };
            args.push(argument);
        }
        if args.len() == parameters.len() {
            rewrite.places[at] = Some(rewrite.draft.statements.len());
            self.push(&mut rewrite.draft, call, receiver, args);
        }
    }

    /// Copies a statement with another method, or with another argument.
    fn copy_changed(&self, rewrite: &mut Rewrite<'_>, at: usize, rng: &mut impl Rng) {
        let statement = &rewrite.script.statements[at];
        let Some(call) = self.place(&statement.callable) else { return self.copy(rewrite, at, None, rng) };
        let Some(receiver) = self.receiver(rewrite, statement, call, rng) else { return };
        let parameters = &self.calls[call].parameters;
        if parameters.is_empty() || rng.random_bool(0.3) {
            let added = if self.is_method(call) {
                self.call(&mut rewrite.draft, receiver, rng)
            } else if self.is_start(call) {
                self.start(&mut rewrite.draft, rng)
            } else {
                return self.copy(rewrite, at, None, rng);
            };
            // The call itself comes after whatever its arguments needed.
            rewrite.places[at] = rewrite.draft.statements.len().checked_sub(1).filter(|_| added);
            return;
        }
        let changed = rng.random_range(0..parameters.len());
        let mut args = Vec::with_capacity(parameters.len());
        for (place, (argument, &wanted)) in statement.args.iter().zip(parameters).enumerate() {
            let old = self.carried(rewrite, argument, wanted);
            let mut new = || self.argument(&mut rewrite.draft, call, place, receiver, rng);
            let argument = if place == changed { new().or(old) } else { old.or_else(new) };
            let Some(argument) = argument else { return };
            args.push(argument);
        }
        if args.len() == parameters.len() {
            rewrite.places[at] = Some(rewrite.draft.statements.len());
            self.push(&mut rewrite.draft, call, receiver, args);
        }
    }

    /// The receiver of a copied statement: the same, or another that fits. `None` if it needs one and there
    /// is none.
    #[expect(
        clippy::option_option,
        reason = "no receiver found, no receiver needed, and a receiver are three answers"
    )]
    fn receiver(
        &self,
        rewrite: &Rewrite<'_>,
        statement: &Statement,
        call: usize,
        rng: &mut impl Rng,
    ) -> Option<Option<usize>> {
        let Some(wanted) = self.calls[call].receiver else { return Some(None) };
        let fits = |at: &usize| rewrite.draft.given[*at].is_some_and(|given| self.fit(given, wanted));
        let same = statement.receiver.and_then(|old| rewrite.place(old)).filter(fits);
        let other = || {
            let mut all = (0..rewrite.draft.given.len()).filter(fits);
            let count = all.clone().count();
            if count == 0 { None } else { all.nth(rng.random_range(0..count)) }
        };
        same.or_else(other).map(Some)
    }

    /// An argument of the old script in the new one, if all that it needs is there and fits.
    fn carried(&self, rewrite: &Rewrite<'_>, argument: &Argument, wanted: usize) -> Option<Argument> {
        match argument {
            Argument::Earlier(old) => {
                let at = rewrite.place(*old)?;
                let fits = rewrite.draft.given[at].is_some_and(|given| self.fit(given, wanted));
                fits.then_some(Argument::Earlier(at))
            }
            Argument::Array(_) | Argument::Function(_) => {
                // The types inside are not known here, so that only what was copied as it is may be named.
                let mut complete = true;
                named(argument, &mut |old| {
                    let same = rewrite.place(old).map(|at| &rewrite.draft.statements[at].callable);
                    complete &= same
                        == rewrite.script.statements.get(old).map(|statement| &statement.callable)
                        && same.is_some();
                });
                complete.then(|| renumber(argument, &|old| rewrite.place(old).unwrap_or(old)))
            }
            other => Some(other.clone()),
        }
    }
}

/// A script that is being written anew.
struct Rewrite<'s> {
    script: &'s Script,
    /// The places of the old statements in the new script.
    places: Vec<Option<usize>>,
    draft: Draft,
}

impl<'s> Rewrite<'s> {
    fn of(script: &'s Script) -> Rewrite<'s> {
        Rewrite { script, places: vec![None; script.statements.len()], draft: Draft::default() }
    }

    fn place(&self, old: usize) -> Option<usize> {
        self.places.get(old).copied().flatten()
    }
}
