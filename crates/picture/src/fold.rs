//! Folding: several states in one box when a model is too large to draw.
//!
//! Tried in this order until the boxes fit: chains of states without a choice become one box, states of the
//! same name become one, strongly connected states become one. If nothing helps, the states nearest to the
//! start are drawn and all others share a box. The page says which of these was done.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use adit_automata::{Fsa, State};

/// Assignment of states to boxes.
pub(crate) struct Folding {
    /// The box of each state; none for hidden ones.
    pub(crate) of: Vec<Option<usize>>,
    /// The states of each box, in order.
    pub(crate) boxes: Vec<Vec<State>>,
    /// Box of all states that are too far from the start. Arrows from it are not drawn: they would lead
    /// everywhere.
    pub(crate) rest: Option<usize>,
    /// A sentence for each kind of folding; empty if every state has its own box.
    pub(crate) says: Vec<String>,
}

impl Folding {
    /// Puts the states of `model`, other than `hidden` ones, into at most `most` boxes.
    pub(crate) fn new(model: &Fsa<String>, hidden: &BTreeSet<State>, most: usize) -> Self {
        let shown: Vec<State> = model.states().filter(|state| !hidden.contains(state)).collect();
        let mut class: Vec<usize> = model.states().collect();
        let mut says = Vec::new();
        let mut far = None;
        if shown.len() > most {
            let all = shown.len();
            for (what, classes) in [
                ("states in a row without a choice", rows(model, &class)),
                ("states of the same name", names(model, &rows(model, &class))),
                ("states that can all reach each other", knots(model)),
            ] {
                let count = shown.iter().map(|&state| classes[state]).collect::<BTreeSet<_>>().len();
                // A handful of boxes for hundreds of states would say nothing.
                if count <= most && count >= most / 10 {
                    class = classes;
                    says.push(format!("{what} share a box, because {all} states do not fit on a page; {count} boxes are drawn"));
                    break;
                }
            }
            if says.is_empty() {
                let near = nearest(model, hidden, most - 1);
                let other = shown.iter().copied().find(|state| !near.contains(state));
                for state in model.states().filter(|state| !near.contains(state)) {
                    class[state] = other.unwrap_or(state);
                }
                far = other;
                says.push(format!(
                    "only the {} of {all} states nearest to the start are drawn; the others share one box, whose outgoing arrows are not drawn",
                    most - 1
                ));
            }
        }
        let mut boxes: Vec<Vec<State>> = Vec::new();
        let mut number: BTreeMap<usize, usize> = BTreeMap::new();
        let mut of = vec![None; model.len()];
        for state in shown {
            let fresh = boxes.len();
            let at = *number.entry(class[state]).or_insert(fresh);
            if at == fresh {
                boxes.push(Vec::new());
            }
            boxes[at].push(state);
            of[state] = Some(at);
        }
        let rest = far.and_then(|state| of[state]);
        Self { of, boxes, rest, says }
    }
}

/// Joins a state with its only predecessor if that has no other successor.
fn rows(model: &Fsa<String>, class: &[usize]) -> Vec<usize> {
    let mut before: Vec<BTreeSet<State>> = vec![BTreeSet::new(); model.len()];
    let mut after = before.clone();
    for edge in model.all_edges().filter(|edge| edge.from != edge.to) {
        after[edge.from].insert(edge.to);
        before[edge.to].insert(edge.from);
    }
    let mut class = class.to_vec();
    let in_row = |state: State| {
        before[state].len() == 1 && after[state].len() <= 1 && !model.initial().contains(&state)
    };
    // From the first state of each row on, so that one pass is enough.
    for start in model.states().filter(|&state| in_row(state)) {
        let lone = before[start].first().is_none_or(|&other| !in_row(other));
        let mut at = start;
        while lone && let Some(&next) = after[at].first() {
            if !in_row(next) || next == start {
                break;
            }
            class[next] = class[start];
            at = next;
        }
    }
    class
}

/// Joins classes that have a state of the same name.
fn names(model: &Fsa<String>, class: &[usize]) -> Vec<usize> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut class = class.to_vec();
    for state in model.states() {
        if let Some(name) = model.name(state).filter(|name| !name.is_empty()) {
            class[state] = *first.entry(name).or_insert(class[state]);
        }
    }
    class
}

/// Joins states that can reach each other: strongly connected components, named by their least state.
///
/// Tarjan's algorithm with an explicit stack, because a model can be deeper than a thread's stack.
fn knots(model: &Fsa<String>) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let count = model.len();
    let (mut index, mut low, mut class) = (vec![UNSEEN; count], vec![UNSEEN; count], vec![UNSEEN; count]);
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in model.states() {
        if index[root] != UNSEEN {
            continue;
        }
        let mut visits = vec![(root, 0)];
        while let Some(&mut (state, ref mut step)) = visits.last_mut() {
            if *step == 0 {
                (index[state], low[state]) = (next, next);
                next += 1;
                stack.push(state);
            }
            if let Some(edge) = model.steps(state).get(*step) {
                *step += 1;
                let to = edge.to as State;
                if index[to] == UNSEEN {
                    visits.push((to, 0));
                } else if class[to] == UNSEEN {
                    low[state] = low[state].min(index[to]);
                }
                continue;
            }
            visits.pop();
            if let Some(&(parent, _)) = visits.last() {
                low[parent] = low[parent].min(low[state]);
            }
            if low[state] == index[state] {
                let from = stack.iter().rposition(|&member| member == state).unwrap_or(0);
                let members = stack.split_off(from);
                let least = members.iter().copied().min().unwrap_or(state);
                members.into_iter().for_each(|member| class[member] = least);
            }
        }
    }
    class
}

/// Returns the first `most` states of a breadth-first search.
fn nearest(model: &Fsa<String>, hidden: &BTreeSet<State>, most: usize) -> BTreeSet<State> {
    let mut near = BTreeSet::new();
    let mut queue: VecDeque<State> = model.initial().iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        if near.len() == most {
            break;
        }
        if !hidden.contains(&state) && near.insert(state) {
            queue.extend(model.steps(state).iter().map(|step| step.to as State));
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    fn model(states: usize, edges: impl IntoIterator<Item = (State, State)>) -> Builder<String> {
        let mut builder = Builder::new();
        for _ in 0..states {
            builder.state(true);
        }
        builder.initial(0);
        for (from, to) in edges {
            builder.edge(from, "a".to_owned(), to);
        }
        builder
    }

    fn fold(model: &Fsa<String>, most: usize) -> (Vec<Vec<State>>, String) {
        let folding = Folding::new(model, &BTreeSet::new(), most);
        (folding.boxes, folding.says.join("; "))
    }

    #[test]
    fn a_small_model_is_left_alone() {
        let (boxes, says) = fold(&model(3, [(0, 1), (1, 2)]).build(), 3);
        assert_eq!(boxes, [vec![0], vec![1], vec![2]]);
        assert_eq!(says, "");
    }

    #[test]
    fn a_row_becomes_one_box() {
        // 0 → 1 → 2 → 3 → 4 and a way from 0 to 5.
        let (boxes, says) = fold(&model(6, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5)]).build(), 4);
        assert_eq!(boxes, [vec![0], vec![1, 2, 3, 4], vec![5]]);
        assert!(says.contains("in a row") && says.contains("6 states") && says.contains("3 boxes"), "{says}");
    }

    #[test]
    fn equal_names_become_one_box() {
        let all = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
        let mut builder = model(5, all);
        for state in 1..5 {
            builder.name(state, if state % 2 == 0 { "even" } else { "odd" }.to_owned());
        }
        assert_eq!(fold(&builder.build(), 4).0, [vec![0], vec![1, 3], vec![2, 4]]);
    }

    #[test]
    fn knots_become_one_box() {
        // Two cliques of three, one after the other.
        let clique =
            |first: State| (first..first + 3).flat_map(move |a| (first..first + 3).map(move |b| (a, b)));
        let (boxes, says) = fold(&model(6, clique(0).chain(clique(3)).chain([(2, 3)])).build(), 4);
        assert_eq!(boxes, [vec![0, 1, 2], vec![3, 4, 5]]);
        assert!(says.contains("reach each other"), "{says}");
    }

    #[test]
    fn what_cannot_be_folded_is_cut_off_and_said() {
        let all = (0..50).flat_map(|from| (0..50).map(move |to| (from, to)));
        let fsa = model(50, all).build();
        let (boxes, says) = fold(&fsa, 20);
        assert_eq!(boxes.len(), 20);
        assert_eq!(boxes.iter().map(Vec::len).max(), Some(31));
        assert!(says.contains("19 of 50 states nearest"), "{says}");
        let folding = Folding::new(&fsa, &BTreeSet::new(), 20);
        assert_eq!(folding.rest.map(|rest| folding.boxes[rest].len()), Some(31));
    }

    #[test]
    fn knots_agree_with_reaching() {
        // A path with a back edge, a loop, and a state on its own.
        let fsa = model(6, [(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (3, 4)]).build();
        let reaches = |from: State| {
            let mut seen = BTreeSet::from([from]);
            let mut todo = vec![from];
            while let Some(state) = todo.pop() {
                todo.extend(
                    fsa.steps(state).iter().map(|step| step.to as State).filter(|&to| seen.insert(to)),
                );
            }
            seen
        };
        let class = knots(&fsa);
        for one in fsa.states() {
            for other in fsa.states() {
                let same = reaches(one).contains(&other) && reaches(other).contains(&one);
                assert_eq!(class[one] == class[other], same, "{one} {other} {class:?}");
            }
        }
    }
}
