//! The abstraction: situations that enable the same events, and are on the same side of every split, are one
//! state.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Modality, State};
use adit_trace::Letter;

use super::exploration::{EnabledSetId, Exploration, ProbedSituation, SituationId, Successor, SuccessorId};
use super::graph::Graph;
use crate::EventReader;
use crate::probe::StateHash;
use crate::validate::with_labels;

/// A class of situations: all that enable one set, or those of another class on one side of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClassId(usize);

/// Division of a class: its situations that can go by the event to a situation of class `to`, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Split {
    /// Class that is divided.
    pub(super) of: ClassId,
    pub(super) letter: Letter,
    pub(super) to: ClassId,
}

/// Splits that the model has, and splits that were tried in vain.
///
/// Each split is by classes that existed before it, so that what is behind several calls can tell two
/// situations apart: one split for each call.
#[derive(Default)]
pub(super) struct Splits {
    /// In the order in which they were made.
    made: Vec<Split>,
    /// Splits that were tried in vain after these others.
    useless: BTreeSet<(Vec<Split>, Split)>,
}

impl Splits {
    pub(super) fn all(&self) -> &[Split] {
        &self.made
    }

    /// Tells whether the split was tried before.
    pub(super) fn is_known(&self, split: &Split) -> bool {
        self.made.contains(split) || self.useless.contains(&(self.made.clone(), *split))
    }

    pub(super) fn make(&mut self, split: Split) {
        self.made.push(split);
    }

    pub(super) fn make_all(&mut self, splits: &[Split]) {
        self.made.extend(splits);
    }

    /// Undoes all splits but the first so many.
    pub(super) fn undo_after(&mut self, count: usize) {
        self.made.truncate(count);
    }

    /// Remembers that a split that was undone makes too few walks realizable.
    pub(super) fn is_useless(&mut self, split: Split) {
        self.useless.insert((self.made.clone(), split));
    }
}

/// The classes of all situations: those of the enabled sets, divided by the splits.
pub(super) struct Classes {
    /// The class of each situation; nothing while it is unknown on which side of a split it is.
    of: Vec<Option<ClassId>>,
    /// Successors that decide on which side of a split their situation is, and that were not probed.
    pub(super) undecided: Vec<SuccessorId>,
    /// The set that the situations of each class enable.
    enabled: BTreeMap<ClassId, EnabledSetId>,
    /// Situations of one class can do the same, now and after any calls.
    pub(super) are_exact: bool,
}

impl Classes {
    pub(super) fn of(&self, SituationId(number): SituationId) -> Option<ClassId> {
        self.of[number]
    }
}

/// A model, and the evidence that it was made of.
pub(super) struct DraftModel {
    pub(super) fsa: Fsa<String>,
    /// The states after the first, which is that before there is an object.
    pub(super) states: Vec<ClassId>,
    pub(super) classes: Classes,
    pub(super) transitions: BTreeMap<Transition, Evidence>,
}

/// Transition of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transition {
    pub(super) from: State,
    pub(super) letter: Letter,
    pub(super) to: State,
}

/// Observations of a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The successor with the shortest script.
    pub(super) shortest: SuccessorId,
    /// Number of situations in which it was observed.
    pub(super) situations: u64,
    /// In one of them it was observed where it leads. Otherwise, what is behind it only agrees in the fields
    /// that seem to matter with something that was probed.
    pub(super) is_firm: bool,
}

/// States up to which a model is as fine as the class itself.
const EXACT_STATES: usize = 30;

/// Number of kinds of new objects, of those that enable the same events, from which on they are taken for a
/// sample. A class may well begin in one of two states that look alike at first.
const SAMPLED: usize = 3;

/// First letter of labels that stand for events that are possible, wherever they lead.
const MARK: char = '?';

/// The state of a draft before there is an object.
const NO_OBJECT: State = 0;

impl DraftModel {
    /// The class of a state; nothing for the one before there is an object.
    pub(super) fn class(&self, state: State) -> Option<ClassId> {
        self.states.get(state.checked_sub(NO_OBJECT + 1)?).copied()
    }

    /// The transitions between states with an object, by their classes.
    pub(super) fn transitions_by_class(&self) -> BTreeSet<(ClassId, Letter, ClassId)> {
        let by_class = |one: &Transition| Some((self.class(one.from)?, one.letter, self.class(one.to)?));
        self.transitions.keys().filter_map(by_class).collect()
    }

    /// The states that enable this set.
    pub(super) fn enabling(&self, enabled: EnabledSetId) -> impl Iterator<Item = State> {
        let states = (NO_OBJECT + 1..).zip(&self.states);
        states
            .filter(move |(_, class)| self.classes.enabled.get(class) == Some(&enabled))
            .map(|(number, _)| number)
    }
}

/// States and transitions of a draft while it is made.
struct Drafting {
    builder: Builder<String>,
    states: Vec<ClassId>,
    numbers: BTreeMap<ClassId, State>,
    transitions: BTreeMap<Transition, Evidence>,
}

impl Drafting {
    fn new() -> Self {
        let mut builder = Builder::new();
        let initial = builder.state(false);
        builder.initial(initial);
        Self { builder, states: Vec::new(), numbers: BTreeMap::new(), transitions: BTreeMap::new() }
    }

    /// The number of a state, which is added if it is new.
    fn number(&mut self, class: ClassId) -> State {
        if let Some(&number) = self.numbers.get(&class) {
            return number;
        }
        let number = self.builder.state(true);
        self.states.push(class);
        self.numbers.insert(class, number);
        number
    }
}

impl Exploration {
    /// The classes of situations that no sequence of calls tells apart, if everything behind every situation
    /// was probed and there are not too many.
    fn exact_classes(&self) -> Option<Classes> {
        if !self.is_told_by_fields() || self.options.splitting.gain > 1.0 {
            return None;
        }
        let graph = self.graph();
        if !graph.is_complete() {
            return None;
        }
        let labels: Vec<usize> = self.probed_situations().map(|(_, one)| one.enabled.number()).collect();
        let blocks = graph.blocks(&labels);
        if self.is_sampled(&graph, &labels, &blocks) {
            return None;
        }
        let enabled: BTreeMap<ClassId, EnabledSetId> =
            self.probed_situations().map(|(id, one)| (ClassId(blocks[id.0]), one.enabled)).collect();
        (enabled.len() <= EXACT_STATES).then(|| Classes {
            of: blocks.iter().map(|&block| Some(ClassId(block))).collect(),
            undecided: Vec::new(),
            enabled,
            are_exact: true,
        })
    }

    /// Tells whether the blocks depend on the values that happened to be passed when objects were created:
    /// some objects enable the same events when they are new, and differ in how often they can do so. A
    /// tokenizer has as many states as the longest text has words, and nothing limits the text but us.
    fn is_sampled(&self, graph: &Graph, labels: &[usize], blocks: &[usize]) -> bool {
        let mut kinds: BTreeMap<EnabledSetId, BTreeMap<usize, SituationId>> = BTreeMap::new();
        for (_, creation) in self.successors().filter(|(id, _)| id.from.is_none()) {
            if let Some(id) = self.behind(creation) {
                kinds.entry(self.situation(id).enabled).or_default().entry(blocks[id.0]).or_insert(id);
            }
        }
        kinds.values().any(|kinds| {
            // What one new object is, another one becomes, and nothing but the count of calls shows it.
            let becomes = |id: SituationId| {
                let blocks = graph.alike_behind(id, labels, blocks);
                kinds.iter().any(|(block, &other)| other != id && blocks.contains(block))
            };
            kinds.len() >= SAMPLED || kinds.len() > 1 && kinds.values().any(|&id| becomes(id))
        })
    }

    /// Divides the situations into classes.
    pub(super) fn classes(&self) -> Classes {
        self.exact_classes().unwrap_or_else(|| self.coarse_classes(self.splits.all()))
    }

    /// The classes of situations that enable the same events, divided by splits.
    pub(super) fn coarse_classes(&self, splits: &[Split]) -> Classes {
        let class = |(id, situation): (SituationId, &ProbedSituation)| {
            self.is_known(id).then(|| self.absorbing(situation.enabled).class())
        };
        let mut of: Vec<Option<ClassId>> = self.probed_situations().map(class).collect();
        let mut enabled: BTreeMap<ClassId, EnabledSetId> = self
            .probed_situations()
            .map(|(_, one)| self.absorbing(one.enabled))
            .map(|set| (set.class(), set))
            .collect();
        let mut undecided = Vec::new();
        for (number, split) in splits.iter().enumerate() {
            let Some(&set) = enabled.get(&split.of) else { continue };
            let [takes, lacks] = sides(number);
            enabled.extend([(takes, set), (lacks, set)]);
            let before = of.clone();
            let only = self.only_class_of_each_set(&before);
            for (id, _) in self.probed_situations().filter(|(id, _)| before[id.0] == Some(split.of)) {
                let mut open = Vec::new();
                let mut can_take = false;
                for (successor, one) in self.successors_of(id).filter(|(_, one)| one.letter == split.letter) {
                    let at_a_glance = || Some(only.get(&self.situation(one.like?).enabled).copied());
                    match self.behind(one).map(|behind| before[behind.0]).or_else(at_a_glance) {
                        Some(Some(class)) => can_take |= class == split.to,
                        Some(None) if self.behind(one).is_some() => open.push(None),
                        Some(None) | None => open.push(Some(successor)),
                    }
                }
                of[id.0] = match (can_take, open.is_empty()) {
                    (true, _) => Some(takes),
                    (false, true) => Some(lacks),
                    (false, false) => None,
                };
                if of[id.0].is_none() {
                    undecided.extend(open.into_iter().flatten());
                }
            }
        }
        Classes { of, undecided, enabled, are_exact: false }
    }

    /// Drafts the model whose states are these classes of situations.
    pub(super) fn new_draft(&self, reader: &EventReader, classes: Classes) -> DraftModel {
        let state = |situation: SituationId| classes.of(situation);
        let (pure, followed) = (self.harmless(), self.followed());
        let probed: BTreeSet<StateHash> = self.probed_situations().map(|(_, one)| one.state).collect();
        let mut drafting = Drafting::new();
        for (id, successor) in self.successors() {
            let letter = successor.letter;
            let from = match id.from {
                None => NO_OBJECT,
                Some(from) => match state(from) {
                    Some(state) => drafting.number(state),
                    None => continue,
                },
            };
            let stays = |situation: SituationId| {
                let enabled = self.situation(situation).enabled;
                let doubtful = self.prior.doubtful.contains(&letter);
                pure.contains(&letter) && (!doubtful || followed.contains(&(enabled, letter)))
            };
            let (to, is_firm) = if !classes.are_exact && id.from.is_some_and(stays) {
                (from, true)
            } else {
                match self.behind(successor).and_then(state) {
                    Some(state) => {
                        let is_firm = successor.probed.is_some() || probed.contains(&successor.state);
                        (drafting.number(state), is_firm)
                    }
                    None => continue,
                }
            };
            self.add_evidence(&mut drafting, Transition { from, letter, to }, id, is_firm);
        }
        self.add_glances(&mut drafting, &classes);
        let Drafting { mut builder, states, transitions, .. } = drafting;
        for &Transition { from, letter, to } in transitions.keys() {
            builder.edge(from, reader.alphabet().name(letter).to_owned(), to);
        }
        DraftModel { fsa: builder.build(), states, classes, transitions }
    }

    /// Adds a successor that shows a transition.
    fn add_evidence(&self, drafting: &mut Drafting, transition: Transition, id: SuccessorId, is_firm: bool) {
        let new = Evidence { shortest: id, situations: 0, is_firm };
        let evidence = drafting.transitions.entry(transition).or_insert(new);
        evidence.situations += 1;
        // A witness is to show what is known best.
        if is_firm && !evidence.is_firm {
            (evidence.shortest, evidence.is_firm) = (id, true);
        } else if is_firm == evidence.is_firm
            && self.successor(id).length() < self.successor(evidence.shortest).length()
        {
            evidence.shortest = id;
        }
    }

    /// Adds transitions that only glances show: those of events of which nothing better is known in a state.
    /// A glance tells what is enabled, so it says nothing where states differ in what comes later.
    fn add_glances(&self, drafting: &mut Drafting, classes: &Classes) {
        let only = self.only_classes(classes);
        let known: BTreeSet<(State, Letter)> =
            drafting.transitions.keys().map(|transition| (transition.from, transition.letter)).collect();
        for (id, successor) in self.successors() {
            let class = id.from.and_then(|from| classes.of(from));
            let from = class.and_then(|class| drafting.numbers.get(&class).copied());
            let like = successor.like.and_then(|like| only.get(&self.situation(like).enabled));
            let to = like.and_then(|class| drafting.numbers.get(class).copied());
            if let Some((from, to)) = from.zip(to)
                && !known.contains(&(from, successor.letter))
            {
                self.add_evidence(drafting, Transition { from, letter: successor.letter, to }, id, true);
            }
        }
    }

    /// The classes, each with the events that its situations enable.
    pub(super) fn enabled_classes<'a>(
        &'a self,
        classes: &'a Classes,
    ) -> impl Iterator<Item = (&'a BTreeSet<Letter>, ClassId)> {
        let events: BTreeMap<EnabledSetId, &BTreeSet<Letter>> = self.enabled_events().collect();
        classes.enabled.iter().filter_map(move |(&class, set)| Some((*events.get(set)?, class)))
    }

    /// The class of each set whose situations are all in one.
    pub(super) fn only_classes(&self, classes: &Classes) -> BTreeMap<EnabledSetId, ClassId> {
        self.only_class_of_each_set(&classes.of)
    }

    /// The same, where situations have these classes.
    fn only_class_of_each_set(&self, of: &[Option<ClassId>]) -> BTreeMap<EnabledSetId, ClassId> {
        let mut of_set: BTreeMap<EnabledSetId, BTreeSet<ClassId>> = BTreeMap::new();
        for (id, situation) in self.probed_situations() {
            of_set.entry(situation.enabled).or_default().extend(of[id.0]);
        }
        let only = of_set.into_iter().filter(|(_, classes)| classes.len() == 1);
        only.filter_map(|(set, mut classes)| Some((set, classes.pop_first()?))).collect()
    }

    /// Pairs of a set and an event of it whose successor was probed somewhere. If the event is
    /// [`harmless`](Self::harmless), the successor enables the same set.
    fn followed(&self) -> BTreeSet<(EnabledSetId, Letter)> {
        let mut followed = BTreeSet::new();
        for (_, situation) in self.probed_situations() {
            let stays = |like: SituationId| self.situation(like).enabled == situation.enabled;
            let is_known = |one: &&Successor| self.behind(one).is_some() || one.like.is_some_and(stays);
            let known = situation.successors.iter().filter(is_known);
            followed.extend(known.map(|successor| (situation.enabled, successor.letter)));
        }
        followed
    }

    /// The states of a draft with the same language as one, and for each state of the draft the state that it
    /// became. That an event was possible is part of the language, whether it was followed or not: a state in
    /// which little was followed is not one that can do little. But a state that does nothing that another
    /// one does not do as well is no more than that, even if it is not known where all of its events lead.
    pub(super) fn simplified(
        &self,
        reader: &EventReader,
        draft: &DraftModel,
    ) -> (Fsa<String>, Vec<Option<State>>) {
        let numbers: BTreeMap<ClassId, State> = draft.states.iter().copied().zip(NO_OBJECT + 1..).collect();
        let mut marked = draft.fsa.to_builder();
        let mut marks: BTreeSet<(State, Letter)> = BTreeSet::new();
        for (id, successor) in self.successors() {
            let class = id.from.and_then(|from| draft.classes.of(from));
            let Some(&from) = class.and_then(|class| numbers.get(&class)) else { continue };
            if marks.insert((from, successor.letter)) {
                let label = reader.alphabet().name(successor.letter);
                marked.edge(from, format!("{MARK}{label}"), from);
            }
        }
        let marked = marked.build();
        let simple = marked.simplify();
        let counterparts = marked.counterparts(&simple);
        (with_labels(&simple, |label| !label.starts_with(MARK)), counterparts)
    }

    /// `model`, with a transition of modality *maybe* for each event that was possible in a state and never
    /// followed. It leads to one more state, which says that what follows is not explored. `counterparts` are
    /// the states of `model` for those of `draft`.
    pub(super) fn with_unexplored(
        &self,
        reader: &EventReader,
        draft: &DraftModel,
        counterparts: &[Option<State>],
        model: &Fsa<String>,
    ) -> Fsa<String> {
        let numbers: BTreeMap<ClassId, State> = draft.states.iter().copied().zip(NO_OBJECT + 1..).collect();
        let mut builder = model.to_builder();
        let mut unexplored: BTreeSet<(State, Letter)> = BTreeSet::new();
        for (id, successor) in self.successors() {
            let from = match id.from {
                None => Some(NO_OBJECT),
                Some(from) => draft.classes.of(from).and_then(|class| numbers.get(&class).copied()),
            };
            let Some(from) = from.and_then(|from| counterparts[from]) else { continue };
            let label = reader.alphabet().name(successor.letter);
            if !model.edges(from).any(|edge| edge.label == label) {
                unexplored.insert((from, successor.letter));
            }
        }
        if !unexplored.is_empty() {
            let place = builder.not_explored();
            for (from, letter) in unexplored {
                builder.modal_edge(from, reader.alphabet().name(letter).to_owned(), place, Modality::Maybe);
            }
        }
        builder.build()
    }
}

impl EnabledSetId {
    /// The class of all situations that enable the set.
    pub(super) fn class(self) -> ClassId {
        ClassId(2 * self.number())
    }
}

/// The two classes that the split of this number makes: of the situations that can take it, and of the
/// others.
pub(super) fn sides(split: usize) -> [ClassId; 2] {
    // Enabled sets have the even numbers.
    [ClassId(4 * split + 1), ClassId(4 * split + 3)]
}
