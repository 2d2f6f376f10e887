//! Draws the description of a class from a seed.
//!
//! Control states form a random tree of calls, so that each can be reached, and random calls are added to it.
//! A drawn class is dropped and drawn anew if its minimal automaton has fewer than 2 or more than 12 states,
//! or if one of its methods never returns.

use std::collections::BTreeSet;

use adit_trace::Label;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::argument;
use super::kind::Kind;
use super::protocol::{
    Argument, Body, Cell, Change, Constructor, Counter, CounterStorage, Method, Overloads, Protocol, Returns,
    Setting, Storage, ZONES,
};

/// Control states of a class, and states of its minimal automaton, the one before construction aside.
const STATES: std::ops::RangeInclusive<usize> = 2..=12;

/// Determinizing a drawn class must not take more states than this, else it is drawn anew.
const LIMIT: usize = 4096;

/// Counts up to which the automaton of a counting class is built, to say how many states it is worth: the
/// same class with room for three.
pub(crate) const ROOM: u32 = 3;

/// Names of methods that change the state.
const VERBS: [&str; 20] = [
    "open", "start", "load", "send", "flush", "commit", "begin", "finish", "pause", "resume", "attach",
    "detach", "connect", "arm", "fire", "prepare", "approve", "submit", "cancel", "close",
];

/// Names of boolean observers.
const QUESTIONS: [&str; 5] = ["isReady", "isActive", "hasFailed", "isOpen", "canProceed"];

/// Draws the class of a seed from these kinds.
pub(crate) fn draw(seed: u64, allowed: &BTreeSet<Kind>) -> Protocol {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let storages: Vec<Kind> = Kind::STORAGE.into_iter().filter(|kind| allowed.contains(kind)).collect();
    let mut kinds: BTreeSet<Kind> =
        allowed.iter().filter(|kind| rng.random_range(0..100) < kind.percent()).copied().collect();
    kinds.insert(pick(&mut rng, &storages).copied().unwrap_or(Kind::IntState));
    loop {
        let protocol = draw_once(format!("P{seed}"), &kinds, &mut rng);
        if is_fit(&protocol) {
            return protocol;
        }
    }
}

/// Tells whether the class has the size that was asked for and no method that is never of use.
fn is_fit(protocol: &Protocol) -> bool {
    let most = if protocol.counts() { ROOM } else { u32::MAX };
    let truth = protocol.truth(Overloads::Apart, most);
    let Ok(minimal) = truth.minimize(LIMIT) else { return false };
    let called: BTreeSet<&str> = truth.alphabet().iter().map(|label| Label::parse(label).method()).collect();
    // A counting class is a small automaton times its count.
    let most = if protocol.counts() { 2 * STATES.end() } else { *STATES.end() };
    (*STATES.start()..=most).contains(&(minimal.len() - 1))
        && protocol.methods.iter().all(|method| {
            let label = protocol.label(method, None, Overloads::Apart);
            called.contains(label.as_str())
        })
}

fn draw_once(name: String, kinds: &BTreeSet<Kind>, rng: &mut ChaCha8Rng) -> Protocol {
    let has = |kind: Kind| kinds.contains(&kind);
    let states = if has(Kind::Counting) { rng.random_range(1..=4) } else { rng.random_range(STATES) };
    let storage = storage(kinds, states, rng);
    let counter = has(Kind::Counting).then(|| counter(kinds, rng));
    let mut drawing = Drawing { states, zones: if counter.is_some() { ZONES } else { 1 }, kinds, rng };
    let mut methods = drawing.changing_methods();
    if counter.is_some() {
        drawing.guard_by_count(&mut methods);
        methods.extend(drawing.counting_methods());
    }
    if has(Kind::Observers) {
        methods.extend(drawing.observers(storage));
    }
    methods.extend(settings(kinds));
    let constructors = drawing.constructors();
    Protocol {
        name,
        kinds: kinds.clone(),
        states,
        storage,
        counter,
        own_exception: has(Kind::OwnException),
        constructors,
        methods,
    }
}

fn storage(kinds: &BTreeSet<Kind>, states: usize, rng: &mut ChaCha8Rng) -> Storage {
    match kinds.iter().find(|kind| Kind::STORAGE.contains(kind)) {
        Some(Kind::EnumState) => Storage::Enum,
        Some(Kind::TextState) => Storage::Text,
        Some(Kind::BooleanState) => Storage::Booleans,
        Some(Kind::CollectionState) => Storage::Collection,
        Some(Kind::HiddenState) => Storage::Hidden,
        Some(Kind::SplitState) => Storage::Split(rng.random_range(2..=states.clamp(2, 4))),
        _ => Storage::Int,
    }
}

fn counter(kinds: &BTreeSet<Kind>, rng: &mut ChaCha8Rng) -> Counter {
    let storages = if kinds.contains(&Kind::HiddenState) {
        [CounterStorage::Hidden; 2]
    } else {
        [CounterStorage::Int, CounterStorage::Collection]
    };
    let capacity = match rng.random_range(0..4) {
        0 | 1 => None,
        2 => Some(rng.random_range(2..=3)),
        _ => Some(rng.random_range(5..=12)),
    };
    Counter { storage: storages[rng.random_range(0..2)], capacity }
}

/// A class that is being drawn.
struct Drawing<'a> {
    states: usize,
    zones: usize,
    kinds: &'a BTreeSet<Kind>,
    rng: &'a mut ChaCha8Rng,
}

impl Drawing<'_> {
    /// Methods that move between control states: first a tree that reaches all of them, then more.
    fn changing_methods(&mut self) -> Vec<Method> {
        let count = (2 + self.rng.random_range(0..=2) + self.states / 3).min(8);
        let mut names = VERBS.to_vec();
        let mut methods: Vec<Method> = (0..count)
            .map(|_| {
                let name = names.remove(self.rng.random_range(0..names.len())).to_owned();
                let argument = self.argument();
                let note = argument.is_some() && self.chance(15);
                let answers = self.kinds.contains(&Kind::Answers) && self.chance(50);
                let returns = if answers { Returns::Answer } else { Returns::Nothing };
                self.method(name, argument, note, returns)
            })
            .collect();
        if self.kinds.contains(&Kind::Overloads) {
            self.overload(&mut methods);
        }
        let bad: Vec<Option<usize>> = methods
            .iter()
            .map(|method| {
                let some = method.classes() > 1 && self.chance(50);
                some.then(|| self.rng.random_range(0..method.classes()))
            })
            .collect();
        let last_is_final = self.states > 2 && self.chance(30);
        for to in 1..self.states {
            // Some draws of a cell that is taken already are to be expected.
            for _ in 0..100 {
                let last = to - 1;
                let from = if self.chance(60) { last } else { self.rng.random_range(0..to) };
                let at = self.rng.random_range(0..methods.len());
                let values = self.rng.random_range(0..methods[at].classes());
                if bad[at] != Some(values) && cell(&methods[at], from, values) == Cell::Refused {
                    let answer = self.rng.random();
                    set(&mut methods[at], from, values, Cell::Returns { to, change: Change::Keep, answer });
                    break;
                }
            }
        }
        let open = if last_is_final { self.states - 1 } else { self.states };
        for (method, bad) in methods.iter_mut().zip(&bad) {
            for from in 0..open {
                for values in 0..method.classes() {
                    if cell(method, from, values) == Cell::Refused && self.chance(25) {
                        let to = if self.chance(50) { from } else { self.rng.random_range(0..self.states) };
                        let answer = self.rng.random();
                        set(method, from, values, Cell::Returns { to, change: Change::Keep, answer });
                    }
                }
            }
            for (from, values) in
                bad.iter().flat_map(|&values| (0..self.states).map(move |from| (from, values)))
            {
                set(method, from, values, Cell::BadValue);
            }
        }
        methods
    }

    /// Gives the second method the name of the first. Labels name parameter types, so these differ.
    fn overload(&mut self, methods: &mut [Method]) {
        let plain = |argument: Option<Argument>| argument.filter(|one| one.java_type != argument::ENUM);
        let first = plain(methods[0].argument.take());
        let second = match &first {
            None => Some(argument::int(self.rng)),
            Some(_) if self.chance(60) => None,
            Some(first) if first.java_type == "int" => Some(argument::text(self.rng)),
            Some(_) => Some(argument::int(self.rng)),
        };
        let name = methods[0].name.clone();
        let returns = methods[0].returns;
        methods[0] = self.method(name.clone(), first, false, returns);
        methods[1] = self.method(name, second, false, returns);
    }

    /// Makes some moves between states possible only while the counter is at zero.
    fn guard_by_count(&mut self, methods: &mut [Method]) {
        for method in methods {
            let Body::Table(table) = &mut method.body else { continue };
            for zones in table {
                if self.rng.random_range(0..100) < 25 {
                    for cells in &mut zones[1..] {
                        cells.iter_mut().filter(|cell| **cell != Cell::BadValue).for_each(|cell| {
                            *cell = Cell::Refused;
                        });
                    }
                }
            }
        }
    }

    /// Methods that count up and down, and say whether anything is left.
    fn counting_methods(&mut self) -> Vec<Method> {
        let names =
            [("push", "pop", "isEmpty"), ("acquire", "release", "isIdle"), ("enter", "leave", "isVacant")];
        let (up, down, question) = names[self.rng.random_range(0..names.len())];
        let softly = self.kinds.contains(&Kind::Answers) && self.chance(50);
        let returns = if softly { Returns::Answer } else { Returns::Nothing };
        // Where counting is refused altogether; somewhere it is not.
        let somewhere = self.rng.random_range(0..self.states);
        let refuses: Vec<bool> =
            (0..self.states).map(|state| state != somewhere && self.chance(35)).collect();
        let kept = |to: usize, answer: bool| Cell::Returns { to, change: Change::Keep, answer };
        let changed = |to: usize, change: Change| Cell::Returns { to, change, answer: true };
        let short = |to: usize| if softly { kept(to, false) } else { Cell::Refused };
        let argument = if self.chance(50) { self.argument() } else { None };
        let mut methods = Vec::new();
        let mut add = |method: Method, act: &dyn Fn(usize, usize) -> Cell| {
            let mut method = method;
            let classes = method.classes();
            let table = (0..self.states).map(|state| {
                (0..self.zones)
                    .map(|zone| vec![if refuses[state] { Cell::Refused } else { act(state, zone) }; classes])
                    .collect()
            });
            method.body = Body::Table(table.collect());
            methods.push(method);
        };
        let plain = |name: &str, argument: Option<Argument>, returns: Returns| Method {
            name: name.to_owned(),
            argument,
            note: false,
            returns,
            body: Body::Table(Vec::new()),
        };
        add(plain(up, argument, returns), &|state, zone| {
            if zone == 2 { short(state) } else { changed(state, Change::Up) }
        });
        add(plain(down, None, returns), &|state, zone| {
            if zone == 0 { short(state) } else { changed(state, Change::Down) }
        });
        let (clears, asks, sizes) =
            (self.rng.random_bool(0.4), self.rng.random_bool(0.7), self.rng.random_bool(0.5));
        if clears {
            add(plain("clear", None, Returns::Nothing), &|state, _| changed(state, Change::Clear));
        }
        // Observers of the count answer in every state.
        let mut observe = |name: &str, returns: Returns| {
            let mut method = plain(name, None, returns);
            let table = (0..self.states)
                .map(|state| (0..self.zones).map(|zone| vec![kept(state, zone == 0)]).collect())
                .collect();
            method.body = Body::Table(table);
            methods.push(method);
        };
        if asks {
            observe(question, Returns::Answer);
        }
        if sizes {
            observe("size", Returns::Number);
        }
        methods
    }

    /// Calls that change nothing.
    fn observers(&mut self, storage: Storage) -> Vec<Method> {
        let mut methods = Vec::new();
        let mut names = QUESTIONS.to_vec();
        for _ in 0..self.rng.random_range(1..=2) {
            let name = names.remove(self.rng.random_range(0..names.len())).to_owned();
            let mut method = self.method(name, None, false, Returns::Answer);
            let refusing = self.chance(20);
            for state in 0..self.states {
                if !(refusing && self.chance(30)) {
                    let answer = self.chance(40);
                    set(&mut method, state, 0, Cell::Returns { to: state, change: Change::Keep, answer });
                }
            }
            methods.push(method);
        }
        let phases = matches!(storage, Storage::Enum | Storage::Split(_));
        for (name, returns, wanted) in [
            ("getPhase", Returns::Phase, phases && self.rng.random_bool(0.6)),
            ("getLevel", Returns::Number, self.rng.random_bool(0.3)),
        ] {
            if wanted {
                let mut method = self.method(name.to_owned(), None, false, returns);
                for state in 0..self.states {
                    let cell = Cell::Returns { to: state, change: Change::Keep, answer: true };
                    set(&mut method, state, 0, cell);
                }
                methods.push(method);
            }
        }
        methods
    }

    fn constructors(&mut self) -> Vec<Constructor> {
        let plain = Constructor { argument: None, starts: vec![Some(0)] };
        if !self.kinds.contains(&Kind::Constructors) {
            return vec![plain];
        }
        let argument = self.argument().unwrap_or_else(|| argument::int(self.rng));
        let starts = (0..argument.classes.len())
            .map(|values| match (values, self.rng.random_range(0..3)) {
                // At least one class of values is accepted.
                (0, _) | (_, 0) => Some(0),
                (_, 1) => Some(self.rng.random_range(0..self.states)),
                _ => None,
            })
            .collect();
        let constructor = Constructor { argument: Some(argument), starts };
        if self.chance(40) { vec![plain, constructor] } else { vec![constructor] }
    }

    /// A method that refuses everything so far.
    fn method(&mut self, name: String, argument: Option<Argument>, note: bool, returns: Returns) -> Method {
        let classes = argument.as_ref().map_or(1, |argument| argument.classes.len());
        let table = vec![vec![vec![Cell::Refused; classes]; self.zones]; self.states];
        Method { name, argument, note, returns, body: Body::Table(table) }
    }

    /// An argument of one of the kinds, or none.
    fn argument(&mut self) -> Option<Argument> {
        let kinds: Vec<Kind> = Kind::ARGUMENTS.into_iter().filter(|kind| self.kinds.contains(kind)).collect();
        if kinds.is_empty() || self.chance(40) {
            return None;
        }
        Some(match kinds[self.rng.random_range(0..kinds.len())] {
            Kind::IntArguments => argument::int(self.rng),
            Kind::EnumArguments => argument::choice(),
            Kind::TextArguments => argument::text(self.rng),
            _ => argument::items(self.rng),
        })
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
}

/// Sets a cell in all zones.
fn set(method: &mut Method, state: usize, values: usize, cell: Cell) {
    if let Body::Table(table) = &mut method.body {
        table[state].iter_mut().for_each(|cells| cells[values] = cell);
    }
}

fn cell(method: &Method, state: usize, values: usize) -> Cell {
    match &method.body {
        Body::Table(table) => table[state][0][values],
        Body::Setting(_) => Cell::Refused,
    }
}

/// Setters and getters.
fn settings(kinds: &BTreeSet<Kind>) -> Vec<Method> {
    let mut methods = Vec::new();
    let mut add = |name: &str, argument: Option<Argument>, returns: Returns, setting: Setting| {
        let body = Body::Setting(setting);
        methods.push(Method { name: name.to_owned(), argument, note: false, returns, body });
    };
    if kinds.contains(&Kind::Settings) {
        add(
            "setTitle",
            Some(argument::any("String", "title", &["\"t\"", "null"])),
            Returns::Nothing,
            Setting::SetTitle,
        );
        add("getTitle", None, Returns::Nothing, Setting::GetTitle);
        add(
            "setLimit",
            Some(argument::any("int", "limit", &["0", "-7"])),
            Returns::Nothing,
            Setting::SetLimit,
        );
        add("getLimit", None, Returns::Number, Setting::GetLimit);
    }
    if kinds.contains(&Kind::Flag) {
        add("setVerbose", Some(argument::flag()), Returns::Nothing, Setting::SetVerbose);
        add("isVerbose", None, Returns::Answer, Setting::IsVerbose);
    }
    methods
}

fn pick<'t, T>(rng: &mut ChaCha8Rng, all: &'t [T]) -> Option<&'t T> {
    (!all.is_empty()).then(|| &all[rng.random_range(0..all.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_class_and_every_kind_occurs() {
        let mut met = BTreeSet::new();
        for seed in 0..100 {
            let protocol = draw(seed, &Kind::all());
            assert_eq!(format!("{protocol:?}"), format!("{:?}", draw(seed, &Kind::all())));
            met.extend(protocol.kinds);
        }
        assert_eq!(met, Kind::all());
    }

    #[test]
    fn only_the_kinds_that_are_asked_for_are_drawn() {
        let allowed = BTreeSet::from([Kind::HiddenState, Kind::Observers]);
        for seed in 0..20 {
            assert!(draw(seed, &allowed).kinds.is_subset(&allowed));
        }
    }
}
