//! Alphabet refinement: a symbol is split when calls within its guard end differently.
//!
//! Paper: `xpsyco`, Algorithms 3, 4 and 5, and section 4.1 on mixed parameters.
//! Deviation: before a split, the symbolic sequence is checked for mixed parameters, because a split by the
//! concrete values of other calls would never end. Where they decide, the method's outcome becomes unknown.
//! Cost: one symbolic execution of the rest of the counterexample; a solver call for each of its paths.

use std::collections::BTreeSet;

use adit_smt::{Arena, Expr, Node, Var};

use crate::component::{Component, End, Path};
use crate::lstar::Answer;
use crate::lts::{Lts, Symbol, WordOutcome};
use crate::symbolic::{ConcreteCall, Guarded, SymbolicCall};
use crate::x_psyco::{Session, Stop, Verdict};

impl Session<'_, '_> {
    /// Algorithm 3: the counterexample goes to the learner if representatives show it too; otherwise the
    /// first call that its representative does not represent is found, and its symbol is split.
    pub(crate) fn analyze_counterexample(&mut self, hypothesis: &Lts, calls: &[ConcreteCall]) -> Answer {
        let Some(word) = self.word(calls) else { return self.give_up() };
        let representatives = self.representatives(&word);
        let (usual, _) = self.analysis.execute(&representatives);
        if usual != hypothesis.judge(&word) {
            return Answer::Counterexample(word);
        }
        // The outcomes of all calls and of all representatives differ, so they differ at some position.
        let hybrid = |position: usize| [&representatives[..position], &calls[position..]].concat();
        let position = (0..calls.len()).find(|&position| {
            self.analysis.execute(&hybrid(position)).0 != self.analysis.execute(&hybrid(position + 1)).0
        });
        let Some(position) = position else { return self.give_up() };
        let (with, without) = (hybrid(position), hybrid(position + 1));
        if let Some((method, atoms, reason)) = self.mixed_parameters(&word, position, [&with, &without]) {
            self.mixed.insert(reason.clone());
            let mut component = std::mem::replace(&mut self.analysis.component, Component::nothing());
            component.blur(method, &atoms, &reason);
            self.analysis.replace(component);
            self.verdict = Verdict::Mixed;
            return Answer::Ended;
        }
        let symbol = word[position];
        let Guarded { method, guard, .. } = self.symbols[symbol];
        self.pool[method].insert(calls[position].arguments.clone());
        // Algorithm 4, line 3.
        let old = self.symbols.remove(symbol);
        let before = self.symbols.len();
        self.partition(&representatives[..position], method, guard, &calls[position + 1..]);
        if self.symbols.len() < before + 2 {
            self.symbols.truncate(before);
            self.symbols.insert(symbol, old);
            return self.give_up();
        }
        // Symbols of one method stay neighbors, which keeps the order of the alphabet readable.
        let fresh = self.symbols.split_off(before);
        self.symbols.splice(symbol..symbol, fresh);
        if self.symbols.len() > self.options.symbols {
            self.verdict = Verdict::Stopped(Stop::Symbols);
            return Answer::Ended;
        }
        self.verdict = Verdict::Refined;
        Answer::Ended
    }

    /// Ends learning where a question without an answer decides.
    fn give_up(&mut self) -> Answer {
        self.verdict = Verdict::Stopped(Stop::Doubt);
        self.analysis.doubts.insert("a counterexample could not be turned into a guard".to_owned());
        Answer::Ended
    }

    /// The symbols of concrete calls.
    fn word(&self, calls: &[ConcreteCall]) -> Option<Vec<Symbol>> {
        calls
            .iter()
            .map(|call| {
                (0..self.symbols.len()).find(|&symbol| {
                    let guarded = &self.symbols[symbol];
                    guarded.method == call.method
                        && self.analysis.admits(call.method, guarded.guard, &call.arguments)
                })
            })
            .collect()
    }

    /// Algorithm 4 from line 4 on, and Algorithm 5: a symbol for each outcome that a call of `method` within
    /// `guard` can have, between the concrete calls `before` and `after`.
    pub(crate) fn partition(
        &mut self,
        before: &[ConcreteCall],
        method: usize,
        guard: Expr,
        after: &[ConcreteCall],
    ) {
        let Some(store) = self.store_after(before) else { return };
        let known = self.symbols.len();
        let mut regions: [Vec<Expr>; 3] = Default::default();
        let arguments = self.analysis.parameters(method);
        for path in 0..self.analysis.component.methods[method].paths.len() {
            let (condition, next) = self.analysis.follow(&store, method, path, &arguments);
            let end = self.analysis.component.methods[method].paths[path].end.outcome();
            self.finish(condition, guard, &next, end, after, &mut regions);
        }
        for region in regions {
            let any = self.analysis.component.arena.or(&region);
            let strengthened = self.analysis.component.arena.and(&[guard, any]);
            if self.analysis.component.arena.as_bool(strengthened) == Some(false) {
                continue;
            }
            let pooled = self.pool[method]
                .iter()
                .find(|known| self.analysis.admits(method, strengthened, known))
                .cloned();
            let representative = match pooled {
                Some(arguments) => arguments,
                None => match self.analysis.arguments(method, strengthened) {
                    Some(arguments) => arguments,
                    None => continue,
                },
            };
            self.pool[method].insert(representative.clone());
            self.symbols.push(Guarded { method, guard: strengthened, representative });
        }
        if self.symbols.len() == known {
            // The solver answered nothing, which is on record. The method still belongs to the alphabet.
            let representative = vec![0; self.analysis.component.methods[method].parameters.len()];
            self.symbols.push(Guarded { method, guard, representative });
        }
    }

    /// Runs the concrete calls `after` from a store over the parameters of one call, and collects under which
    /// conditions each outcome is reached.
    fn finish(
        &mut self,
        condition: Expr,
        guard: Expr,
        store: &[Expr],
        end: WordOutcome,
        after: &[ConcreteCall],
        regions: &mut [Vec<Expr>; 3],
    ) {
        if self.analysis.component.arena.as_bool(condition) == Some(false) {
            return;
        }
        let (WordOutcome::Ok, [first, rest @ ..]) = (end, after) else {
            regions[end as usize].push(condition);
            return;
        };
        // Without this question, every path of every later call would be followed.
        if self.analysis.refuted(&[guard, condition]) {
            return;
        }
        let arguments = self.analysis.constants(first);
        for path in 0..self.analysis.component.methods[first.method].paths.len() {
            let (more, next) = self.analysis.follow(store, first.method, path, &arguments);
            let both = self.analysis.component.arena.and(&[condition, more]);
            let end = self.analysis.component.methods[first.method].paths[path].end.outcome();
            self.finish(both, guard, &next, end, rest, regions);
        }
    }

    /// The values of fields after concrete calls, if all succeed.
    pub(crate) fn store_after(&mut self, calls: &[ConcreteCall]) -> Option<Vec<Expr>> {
        let (outcome, paths) = self.analysis.execute(calls);
        if outcome != WordOutcome::Ok {
            return None;
        }
        let mut store = self.analysis.initial_store();
        for (call, path) in calls.iter().zip(paths) {
            let arguments = self.analysis.constants(call);
            store = self.analysis.follow(&store, call.method, path, &arguments).1;
        }
        Some(store)
    }

    /// The atoms in which two runs differ first, if one of them relates the parameters of the call at
    /// `position` to those of another call: the method that has them, and the reason for readers.
    fn mixed_parameters(
        &mut self,
        word: &[Symbol],
        position: usize,
        runs: [&[ConcreteCall]; 2],
    ) -> Option<(usize, BTreeSet<Expr>, String)> {
        let paths = runs.map(|run| self.analysis.execute(run).1);
        let parting = (0..word.len()).find(|&at| paths[0].get(at) != paths[1].get(at))?;
        let calls: Vec<SymbolicCall> = (0..=parting)
            .map_while(|at| {
                let Guarded { method, guard, .. } = self.symbols[word[at]];
                Some(SymbolicCall { method, guard, path: *paths[0].get(at)? })
            })
            .collect();
        let sequence = self.analysis.sequence(&calls);
        let at = calls.len() - 1;
        let method = calls[at].method;
        let owner = |var: Var| sequence.parameters.iter().position(|parameters| parameters.contains(&var));
        let arguments: Vec<Expr> =
            sequence.parameters[at].iter().map(|&var| self.analysis.component.arena.var_expr(var)).collect();
        let by = self.analysis.substitution(&sequence.stores[at], method, &arguments);
        // The condition of the last path is what the two runs disagree about.
        let agreed = sequence.constraints.len() - 1;
        let pinned = self.analysis.pinned(&sequence.constraints[..agreed]);
        let mut mixed = BTreeSet::new();
        let mut others = BTreeSet::new();
        let component = &self.analysis.component;
        let paths = component.methods[method].paths.iter();
        let candidates: BTreeSet<Expr> =
            paths.flat_map(|path| atoms(&component.arena, path.condition)).collect();
        for atom in candidates {
            let arena = &mut self.analysis.component.arena;
            let folded = arena.substitute(atom, &by);
            let folded = arena.substitute(folded, &pinned);
            let owners: BTreeSet<usize> =
                arena.variables(folded).iter().filter_map(|&var| owner(var)).collect();
            if owners.len() > 1 && owners.contains(&position) {
                others.extend(owners.into_iter().filter(|&owner| owner != at));
                mixed.insert(atom);
            }
        }
        let names: BTreeSet<String> = others
            .iter()
            .map(|&other| format!("`{}`", self.analysis.component.methods[calls[other].method].name))
            .collect();
        let reason = format!(
            "the outcome of `{}` depends on how its arguments or state relate to arguments of an earlier {}",
            self.analysis.component.methods[method].name,
            names.into_iter().collect::<Vec<_>>().join(" and ")
        );
        (!mixed.is_empty()).then_some((method, mixed, reason))
    }
}

/// The atoms of a condition: comparisons and boolean variables.
pub(crate) fn atoms(arena: &Arena, condition: Expr) -> BTreeSet<Expr> {
    let mut found = BTreeSet::new();
    let mut open = vec![condition];
    while let Some(expr) = open.pop() {
        match arena.node(expr) {
            Node::Bool(_) => {}
            Node::Not(inner) => open.push(*inner),
            Node::And(members) => open.extend(members.iter()),
            Node::Eq(left, right) if arena.sort(*left) == adit_smt::Sort::Bool => {
                open.extend([*left, *right])
            }
            _ => {
                found.insert(expr);
            }
        }
    }
    found
}

/// A condition in which an atom is taken to hold, or not to hold.
fn assumed(arena: &mut Arena, condition: Expr, atom: Expr, truth: bool) -> Expr {
    if condition == atom {
        return arena.bool(truth);
    }
    match arena.node(condition).clone() {
        Node::Not(inner) => {
            let inner = assumed(arena, inner, atom, truth);
            arena.not(inner)
        }
        Node::And(members) => {
            let members: Vec<Expr> =
                members.iter().map(|&member| assumed(arena, member, atom, truth)).collect();
            arena.and(&members)
        }
        Node::Eq(left, right) if arena.sort(left) == adit_smt::Sort::Bool => {
            let [left, right] = [left, right].map(|side| assumed(arena, side, atom, truth));
            arena.eq(left, right)
        }
        _ => condition,
    }
}

impl Component {
    /// A component without anything, to stand in while another one is changed.
    pub(crate) fn nothing() -> Self {
        let (fields, methods, texts) = (Vec::new(), Vec::new(), Vec::new());
        Self { class: String::new(), arena: Arena::new(), fields, methods, texts }
    }

    /// Makes the outcome of `method` unknown wherever one of `unclear` decides it.
    ///
    /// Of a path that mentions an unclear atom, the part stays that holds whether the atom does or not: other
    /// conditions for the same end may be joined with it. The rest mentions no unclear atom then.
    pub(crate) fn blur(&mut self, method: usize, unclear: &BTreeSet<Expr>, reason: &str) {
        let paths = std::mem::take(&mut self.methods[method].paths);
        let (dropped, mut kept): (Vec<Path>, Vec<Path>) =
            paths.into_iter().partition(|path| !atoms(&self.arena, path.condition).is_disjoint(unclear));
        debug_assert!(!dropped.is_empty(), "an unclear atom stands in some path");
        for mut path in dropped {
            for &atom in unclear {
                let either = [true, false].map(|truth| assumed(&mut self.arena, path.condition, atom, truth));
                path.condition = self.arena.and(&either);
            }
            if self.arena.as_bool(path.condition) != Some(false) {
                kept.push(path);
            }
        }
        let known: Vec<Expr> = kept.iter().map(|path| path.condition).collect();
        let known = self.arena.or(&known);
        kept.push(Path {
            condition: self.arena.not(known),
            updates: Vec::new(),
            end: End::Unknown(reason.to_owned()),
        });
        self.methods[method].paths = kept;
    }
}
