//! L#: states are nodes of the tree of observations that some observed word tells apart.
//!
//! Paper: `vaandrager22`, the rules of section 3 with their names, and its processing of counterexamples.
//! Deviation: every rule asks for a set of words at a time. The paper's prototype runs adaptive sequences,
//! whose next input depends on the last output; a set needs its words in advance, so a new transition is
//! asked together with one fixed word, the *probe*, which grows until it tells apart the states of the basis
//! with some room for states that are still unknown. So most transitions are identified by one word.
//! Cost: `O(k · n² + n · log m)` words for `n` states, `k` inputs and counterexamples of length `m`; close to
//! `k · n` where one probe tells most states apart. At most `n` conjectures.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lstar::NO_COUNTEREXAMPLE;
use super::observation_tree::{Node, ObservationTree, ROOT};
use super::teacher::Contradiction;
use super::{
    Ended, Equivalence, InputWord, LearnedMealy, Mealy, MealyTeacher, OutputSymbol, refine_until_equivalent,
};
use crate::lts::Symbol;

/// Longest probe. It tells apart 2^24 states if each output halves them; longer ones only cost symbols.
const LONGEST_PROBE: usize = 24;

/// Pairs of candidates whose witnesses are compared before one is chosen.
const WITNESSES: usize = 8;

/// Learns the machine of `teacher` over the inputs `0..inputs`, until `equivalence` finds no difference.
pub fn lsharp(
    inputs: usize,
    teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    equivalence: &mut dyn Equivalence,
) -> LearnedMealy {
    let mut learner = Learner::new(inputs);
    refine_until_equivalent(&mut learner, Learner::conjecture, Learner::refine, teacher, equivalence)
}

/// A node that is one input away from the basis, and not in it.
struct Frontier {
    node: Node,
    /// States of the basis that the node may be, in order. One: it is identified. None: it is isolated.
    candidates: Vec<u32>,
    /// Something was observed below the node since its candidates were checked.
    changed: bool,
    /// The check of all candidates after which they were last compared.
    checked: u32,
    /// Digests of its answers to the probe, as far as it was asked.
    digests: Digests,
}

/// Digests of a node's answers to the probe at each length that the probe had, as far as they were observed.
/// Different digests mean different answers, which spares nearly all comparisons of subtrees, also between
/// nodes that were asked for probes of different lengths.
#[derive(Clone, Default)]
struct Digests {
    all: Vec<u64>,
    /// The last of all, beside their number: most comparisons need no more.
    last: u64,
}

/// Place of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Basis(u32),
    Frontier(u32),
    Below,
}

struct Learner {
    inputs: usize,
    tree: ObservationTree,
    /// Nodes that are pairwise apart: the states.
    basis: Vec<Node>,
    frontier: Vec<Frontier>,
    /// Places of nodes; nodes beyond its end are below the frontier.
    places: Vec<Place>,
    /// The word that is asked after new transitions.
    probe: InputWord,
    /// Lengths that the probe had.
    lengths: Vec<usize>,
    /// Digests of the states' answers to the probe.
    digests: Vec<Digests>,
    /// Tells for each state whether all its transitions are known to the basis or the frontier.
    complete: Vec<bool>,
    /// Number of lengths that all digests are about.
    digested: usize,
    /// Number of states when the length of the probe was last considered.
    weighed: usize,
    /// Number of checks of all candidates.
    checks: u32,
    /// For each state, the number of checks when something was last observed below its node.
    observed: Vec<u32>,
}

impl Learner {
    fn new(inputs: usize) -> Self {
        Self {
            inputs,
            tree: ObservationTree::new(inputs),
            basis: vec![ROOT],
            frontier: Vec::new(),
            places: vec![Place::Basis(0)],
            probe: Vec::new(),
            lengths: Vec::new(),
            digests: vec![Digests::default()],
            complete: vec![false],
            digested: 0,
            weighed: 0,
            checks: 0,
            observed: vec![0],
        }
    }

    fn place(&self, node: Node) -> Place {
        self.places.get(node as usize).copied().unwrap_or(Place::Below)
    }

    fn put(&mut self, node: Node, place: Place) {
        let least = node as usize + 1;
        if self.places.len() < least {
            self.places.resize(least.max(self.tree.len()), Place::Below);
        }
        self.places[node as usize] = place;
    }

    /// Asks until every transition of the basis is identified, and no observation contradicts the machine.
    fn conjecture(&mut self, teacher: &mut dyn MealyTeacher<Output = OutputSymbol>) -> Result<Mealy, Ended> {
        loop {
            self.sort_frontier();
            let mut words = self.extensions();
            if words.is_empty() {
                words = self.separations();
            }
            if !words.is_empty() {
                self.ask(&words, teacher)?;
                continue;
            }
            let machine = self.machine();
            match self.contradiction(&machine) {
                None => return Ok(machine),
                Some(word) => self.refine(&machine, word, teacher)?,
            }
        }
    }

    /// Runs `words` and adds the observations.
    fn ask(
        &mut self,
        words: &[InputWord],
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<(), Ended> {
        for (word, outputs) in words.iter().zip(teacher.ask(words)?) {
            if let Err(length) = self.tree.insert(word, &outputs) {
                let word = word[..length].to_vec();
                let first = self.tree.answer(&word).expect("the tree has what contradicts");
                return Err(Ended::Flaky(Contradiction { word, first, second: outputs[..length].to_vec() }));
            }
            self.touch(word);
        }
        Ok(())
    }

    /// Has the candidates of the node of the frontier on the way of `word` checked again, and notes that
    /// there is more below the states on the way.
    fn touch(&mut self, word: &[Symbol]) {
        let mut node = ROOT;
        self.observed[0] = self.checks + 1;
        for &input in word {
            let Some(child) = self.tree.child(node, input) else { return };
            match self.place(child) {
                Place::Basis(state) => {
                    node = child;
                    self.observed[state as usize] = self.checks + 1;
                }
                Place::Frontier(at) => return self.frontier[at as usize].changed = true,
                Place::Below => return,
            }
        }
    }

    /// Rule 1: isolated nodes of the frontier become states. Afterwards the frontier has all observed
    /// transitions of the basis, with the candidates that are left.
    fn sort_frontier(&mut self) {
        self.update_digests();
        for state in 0..self.basis.len() {
            self.extend_frontier(state);
        }
        self.checks += 1;
        let Self { tree, basis, frontier, checks, observed, .. } = self;
        for Frontier { node, candidates, changed, checked, .. } in frontier.iter_mut() {
            // A node with one candidate may also be apart from it by something that was observed below the
            // candidate. The machine then contradicts that observation, which is found later and is cheaper.
            if *changed || candidates.len() > 1 {
                // What was not apart before can only be so now by something new below one of the two.
                candidates.retain(|&state| {
                    let is_new = *changed || observed[state as usize] > *checked;
                    !(is_new && tree.apart(*node, basis[state as usize]))
                });
                *changed = false;
                *checked = *checks;
            }
        }
        let mut isolated: Vec<u32> =
            (0..self.frontier.len() as u32).filter(|&at| self.is_isolated(at)).collect();
        if isolated.is_empty() {
            return;
        }
        isolated.reverse();
        while let Some(at) = isolated.pop() {
            if !self.is_isolated(at) {
                continue;
            }
            let node = self.frontier[at as usize].node;
            let state = self.basis.len() as u32;
            self.basis.push(node);
            self.complete.push(false);
            let own = self.frontier[at as usize].digests.clone();
            self.observed.push(self.checks);
            self.put(node, Place::Basis(state));
            let Self { tree, frontier, places, .. } = self;
            for Frontier { node: other, candidates, digests, .. } in frontier.iter_mut() {
                if differ(&own, digests) {
                    continue;
                }
                let waits = matches!(places[*other as usize], Place::Frontier(_));
                if waits && !tree.apart(*other, node) {
                    candidates.push(state);
                }
            }
            self.digests.push(own);
            let known = self.frontier.len() as u32;
            self.extend_frontier(state as usize);
            isolated.extend((known..self.frontier.len() as u32).rev().filter(|&at| self.is_isolated(at)));
        }
        let Self { frontier, places, .. } = self;
        frontier.retain(|Frontier { node, .. }| matches!(places[*node as usize], Place::Frontier(_)));
        for (at, Frontier { node, .. }) in frontier.iter().enumerate() {
            places[*node as usize] = Place::Frontier(at as u32);
        }
    }

    /// Takes note of answers to the probe that came since the last time.
    fn update_digests(&mut self) {
        let Self { tree, basis, frontier, probe, lengths, digests, digested, .. } = self;
        let grown = *digested != lengths.len();
        *digested = lengths.len();
        for (&node, digests) in basis.iter().zip(digests) {
            digest(tree, node, probe, lengths, digests);
        }
        for Frontier { node, changed, digests, .. } in frontier {
            if grown || *changed {
                digest(tree, *node, probe, lengths, digests);
            }
        }
    }

    fn is_isolated(&self, at: u32) -> bool {
        let Frontier { node, candidates, .. } = &self.frontier[at as usize];
        candidates.is_empty() && matches!(self.place(*node), Place::Frontier(_))
    }

    /// Adds the observed transitions of a state to the frontier, with every state that they may lead to.
    fn extend_frontier(&mut self, state: usize) {
        if self.complete[state] {
            return;
        }
        self.complete[state] = true;
        for input in 0..self.inputs {
            let Some(node) = self.tree.child(self.basis[state], input) else {
                self.complete[state] = false;
                continue;
            };
            if self.place(node) == Place::Below {
                let mut digests = Digests::default();
                digest(&self.tree, node, &self.probe, &self.lengths, &mut digests);
                let candidates = (0..self.basis.len() as u32)
                    .filter(|&state| !differ(&digests, &self.digests[state as usize]))
                    .filter(|&state| !self.tree.apart(node, self.basis[state as usize]))
                    .collect();
                self.put(node, Place::Frontier(self.frontier.len() as u32));
                self.frontier.push(Frontier {
                    node,
                    candidates,
                    changed: false,
                    checked: self.checks,
                    digests,
                });
            }
        }
    }

    /// Rule 2: words for transitions of the basis that were not observed.
    fn extensions(&mut self) -> Vec<InputWord> {
        let missing: Vec<(Node, Symbol)> = (self.basis.iter().zip(&self.complete))
            .filter(|&(_, &complete)| !complete)
            .flat_map(|(&node, _)| (0..self.inputs).map(move |input| (node, input)))
            .filter(|&(node, input)| self.tree.child(node, input).is_none())
            .collect();
        if missing.is_empty() {
            return Vec::new();
        }
        self.grow_probe();
        let word = |(node, input): (Node, Symbol)| {
            let mut word = self.tree.access(node);
            word.push(input);
            word.extend(&self.probe);
            word
        };
        missing.into_iter().map(word).collect()
    }

    /// Rule 3: words that tell apart candidates of nodes that have several.
    fn separations(&mut self) -> Vec<InputWord> {
        let mut words = Vec::new();
        let mut asked = FxHashSet::default();
        // States that were found on the way to something else have not been asked for the probe. Without it
        // they are candidates for nearly every node.
        for (&node, digests) in self.basis.iter().zip(&self.digests) {
            if digests.all.len() < self.lengths.len() {
                let mut word = self.tree.access(node);
                word.extend(&self.probe);
                words.push(word);
            }
        }
        if !words.is_empty() {
            return words;
        }
        let mut witnesses = FxHashMap::default();
        for Frontier { node, candidates, .. } in self.frontier.iter().filter(|open| open.candidates.len() > 1)
        {
            let suffix = self.separation(candidates, &mut witnesses);
            for node in [*node].into_iter().chain(candidates.iter().map(|&state| self.basis[state as usize]))
            {
                if self.tree.walk(node, &suffix).is_none() {
                    let mut word = self.tree.access(node);
                    word.extend(&suffix);
                    if asked.insert(word.clone()) {
                        words.push(word);
                    }
                }
            }
        }
        words
    }

    /// A word that was observed to tell two of `candidates` apart: of a few and the probe, the one that tells
    /// most apart.
    fn separation(&self, candidates: &[u32], witnesses: &mut FxHashMap<(u32, u32), InputWord>) -> InputWord {
        let [first, others @ ..] = candidates else { unreachable!("there are several candidates") };
        let others = &others[..others.len().min(WITNESSES)];
        for other in others {
            witnesses.entry((*first, *other)).or_insert_with(|| {
                let [one, other] = [first, other].map(|state| self.basis[*state as usize]);
                self.tree.witness(one, other).expect("states of the basis are apart")
            });
        }
        let mut answers = Vec::with_capacity(candidates.len());
        let mut parts = |word: &InputWord| {
            answers.clear();
            let nodes = candidates.iter().map(|&state| self.basis[state as usize]);
            answers.extend(nodes.filter_map(|node| self.tree.digest_after(node, word)));
            answers.sort_unstable();
            answers.dedup();
            answers.len()
        };
        let known = others.iter().map(|other| &witnesses[&(*first, *other)]);
        let mut best: Option<(&InputWord, usize)> = None;
        for word in known.chain([&self.probe]) {
            let is_longer = best.is_some_and(|(other, parts)| {
                // It tells all apart, so a longer one is not better.
                parts == candidates.len() && other.len() <= word.len()
            });
            if is_longer {
                continue;
            }
            let parts = parts(word);
            let is_better = |(other, least): (&InputWord, usize)| {
                parts > least || parts == least && word.len() <= other.len()
            };
            if best.is_none_or(is_better) {
                best = Some((word, parts));
            }
        }
        best.expect("the probe is a word").0.clone()
    }

    /// Appends inputs to the probe until it is long enough that a node of an unknown state is unlikely to
    /// answer like a known one; each is the one that tells most states of the basis apart, as far as is
    /// known.
    fn grow_probe(&mut self) {
        // The length grows with the logarithm of the basis, so a few more states change nothing.
        if self.basis.len() < 2 || 8 * self.basis.len() < 9 * self.weighed {
            return;
        }
        self.weighed = self.basis.len();
        // The chance that two transitions have the same output, and the length after which the product of as
        // many is below one in the number of transitions.
        let mut frequency = FxHashMap::<OutputSymbol, f64>::default();
        let mut all = 0.0;
        for &node in &self.basis {
            for child in (0..self.inputs).filter_map(|input| self.tree.child(node, input)) {
                *frequency.entry(self.tree.output(child)).or_default() += 1.0;
                all += 1.0;
            }
        }
        // The order of a hash map must not show in a sum of floating-point numbers.
        let mut counts: Vec<f64> = frequency.into_values().collect();
        counts.sort_unstable_by(f64::total_cmp);
        let same: f64 = counts.iter().map(|count| (count / all) * (count / all)).sum();
        let transitions = (self.basis.len() * self.inputs) as f64;
        let enough = if same < 1.0 { (transitions.ln() / -same.ln()).ceil() as usize } else { 1 };
        let enough = enough.clamp(1, LONGEST_PROBE);
        if self.probe.len() >= enough {
            return;
        }
        let mut walkers: Vec<Walker> = (0..self.basis.len() as u32)
            .map(|state| Walker { state: Some(state), node: Some(self.basis[state as usize]), group: 0 })
            .collect();
        for at in 0..enough {
            if at == self.probe.len() {
                // Among inputs that tell equally many apart, those that the probe has not used come first.
                let best = (0..self.inputs).max_by_key(|&input| {
                    let used = self.probe.iter().filter(|&&other| other == input).count();
                    (self.split(&walkers, input), std::cmp::Reverse((used, input)))
                });
                self.probe.push(best.expect("there is an input"));
            }
            self.advance(&mut walkers, self.probe[at]);
        }
        self.lengths.push(enough);
    }

    /// Number of groups into which `input` parts the walkers.
    fn split(&self, walkers: &[Walker], input: Symbol) -> usize {
        let mut parts: Vec<(u32, Option<OutputSymbol>)> =
            walkers.iter().map(|walker| (walker.group, self.predict(walker, input).0)).collect();
        parts.sort_unstable();
        parts.dedup();
        parts.len()
    }

    /// Moves all walkers by `input`.
    fn advance(&self, walkers: &mut [Walker], input: Symbol) {
        let mut groups = FxHashMap::default();
        for walker in walkers {
            let (output, node, state) = self.predict(walker, input);
            let fresh = groups.len() as u32;
            let group = *groups.entry((walker.group, output)).or_insert(fresh);
            *walker = Walker { state, node, group };
        }
    }

    /// Output of `input`, and what is reached: as observed, else as the state that the node is taken for.
    fn predict(&self, walker: &Walker, input: Symbol) -> (Option<OutputSymbol>, Option<Node>, Option<u32>) {
        let observed = walker.node.and_then(|node| self.tree.child(node, input));
        let taken = walker.state.and_then(|state| self.tree.child(self.basis[state as usize], input));
        let state = taken.and_then(|node| match self.place(node) {
            Place::Basis(state) => Some(state),
            Place::Frontier(at) => self.frontier[at as usize].candidates.first().copied(),
            Place::Below => None,
        });
        (observed.or(taken).map(|node| self.tree.output(node)), observed, state)
    }

    /// The machine of a complete basis and an identified frontier.
    fn machine(&self) -> Mealy {
        let rows = self.basis.iter().map(|&node| {
            let step = |input| {
                let child = self.tree.child(node, input).expect("the basis is complete");
                let to = match self.place(child) {
                    Place::Basis(state) => state,
                    Place::Frontier(at) => self.frontier[at as usize].candidates[0],
                    Place::Below => unreachable!("children of the basis are in the frontier"),
                };
                (self.tree.output(child), to as usize)
            };
            (0..self.inputs).map(step).collect()
        });
        Mealy::new(self.inputs, rows.collect())
    }

    /// A word that was observed with other outputs than `machine` has.
    fn contradiction(&self, machine: &Mealy) -> Option<InputWord> {
        let mut states = vec![0; self.tree.len()];
        // A node comes after its parent.
        for node in 1..self.tree.len() {
            let (parent, input) = self.tree.origin(node as Node);
            let (output, to) = machine.step(states[parent as usize], input);
            if output != self.tree.output(node as Node) {
                return Some(self.tree.access(node as Node));
            }
            states[node] = to;
        }
        None
    }

    /// Rule 4: moves the difference between observations and `machine` up to the frontier, where it takes
    /// away a candidate.
    fn refine(
        &mut self,
        machine: &Mealy,
        mut word: InputWord,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<(), Ended> {
        self.ask(std::slice::from_ref(&word), teacher)?;
        loop {
            // The shortest prefix that is apart from the state to which the machine leads it.
            let mut node = ROOT;
            let mut state = 0;
            let mut beyond_basis = 0;
            let mut end = None;
            for (at, &input) in word.iter().enumerate() {
                if self.tree.apart(node, self.basis[state]) {
                    end = Some(at);
                    break;
                }
                if matches!(self.place(node), Place::Basis(_)) {
                    beyond_basis = at + 1;
                }
                node = self.tree.child(node, input).expect("the word was observed");
                state = machine.step(state, input).1;
            }
            let end = match end {
                Some(end) => end,
                None if self.tree.apart(node, self.basis[state]) => word.len(),
                None => return Err(Ended::Failed(NO_COUNTEREXAMPLE.to_owned())),
            };
            if end <= beyond_basis {
                self.touch(&word);
                return Ok(());
            }
            let witness = self.tree.witness(node, self.basis[state]).expect("the nodes are apart");
            let middle = beyond_basis.midpoint(end);
            let from = machine.run(0, &word[..middle]);
            let mut shorter = self.tree.access(self.basis[from]);
            shorter.extend(&word[middle..end]);
            let asked = [&shorter[..], &witness].concat();
            self.ask(std::slice::from_ref(&asked), teacher)?;
            let reached = self.tree.walk(ROOT, &shorter).expect("the word was asked");
            if self.tree.apart(reached, self.basis[state]) {
                word = shorter;
            } else {
                word.truncate(middle);
            }
        }
    }
}

/// A state of the basis on its way along the probe.
struct Walker {
    /// State that it is taken for, while that is known.
    state: Option<u32>,
    /// Node that it has reached, while that was observed.
    node: Option<Node>,
    /// Number of its group; those of one group have had the same outputs.
    group: u32,
}

/// Adds the digests of a node's answers that came since the last time.
fn digest(tree: &ObservationTree, node: Node, probe: &[Symbol], lengths: &[usize], digests: &mut Digests) {
    for &length in &lengths[digests.all.len()..] {
        let Some(digest) = tree.digest_after(node, &probe[..length]) else { return };
        digests.all.push(digest);
        digests.last = digest;
    }
}

/// True if the digests show different answers, at the greatest length that both are known of.
fn differ(one: &Digests, other: &Digests) -> bool {
    let (length, others) = (one.all.len(), other.all.len());
    if length == others {
        return one.last != other.last;
    }
    let common = length.min(others);
    common > 0 && one.all[common - 1] != other.all[common - 1]
}
