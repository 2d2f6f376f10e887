//! Branches as goals of a search: each side of each branch of the class is to be taken by some test.
//!
//! Paper: `dynamosa`; [dice, section 3.3] keeps this kind of goal beside its own. A side of a branch becomes a target when a side
//! of another on which it is control dependent has been taken. A test is the further from it the more of the branches on the way
//! to it were not even reached (the approach level).
//! Deviation: how far the operands of the last branch are from the other outcome (the branch distance) is not measured: it counts
//! as one half. Of the ways that lead to a side, the nearest one that was reached counts.
//! Cost: a look-up for each branch on the way.

use std::collections::BTreeSet;

use adit_bytecode::probe::Probe;
use adit_trace::Passed;

use crate::dynamosa::Goal;

/// The sides of branches of a class.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    /// What opens each.
    opened_by: Vec<Vec<usize>>,
    /// For each, the probes whose passing shows how near a run came: those of its own branch, those of the branches on which that
    /// depends, and so on.
    ladders: Vec<Vec<Vec<usize>>>,
}

impl Branches {
    /// The branches that these probes watch, which are numbered by their places.
    pub fn new(probes: &[Probe]) -> Self {
        let ladder = |probe: &Probe| {
            let mut seen: BTreeSet<usize> = probe.branch.clone().collect();
            let mut ladder = vec![probe.branch.clone().collect::<Vec<usize>>()];
            loop {
                let last = ladder.last().map_or(&[][..], Vec::as_slice);
                let above = last.iter().filter_map(|&at| probes.get(at)).flat_map(|probe| &probe.opened_by);
                let branches = above.filter_map(|&at| probes.get(at)).flat_map(|probe| probe.branch.clone());
                let next: BTreeSet<usize> = branches.filter(|at| !seen.contains(at)).collect();
                if next.is_empty() {
                    return ladder;
                }
                seen.extend(&next);
                ladder.push(next.into_iter().collect());
            }
        };
        Self {
            opened_by: probes.iter().map(|probe| probe.opened_by.clone()).collect(),
            ladders: probes.iter().map(ladder).collect(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ladders.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ladders.is_empty()
    }

    /// The goals, the first of which has this number.
    pub fn goals(&self, first: usize) -> Vec<Goal> {
        let goal = |opened_by: &Vec<usize>| Goal {
            opened_by: opened_by.iter().map(|opens| first + opens).collect(),
            ..Goal::default()
        };
        self.opened_by.iter().map(goal).collect()
    }

    /// How far a run that passed these probes is from taking a side: zero when it did, less than one in any case.
    pub fn cost(&self, side: usize, passed: &Passed) -> f64 {
        if passed.has(side) {
            return 0.0;
        }
        let ladder = &self.ladders[side];
        let reached = ladder.iter().position(|probes| probes.iter().any(|&probe| passed.has(probe)));
        let away = reached.unwrap_or(ladder.len()) as f64 + 0.5;
        away / (away + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use adit_bytecode::probe::Side;
    use expect_test::expect;

    use super::*;

    fn probe(branch: Range<usize>, opened_by: &[usize]) -> Probe {
        Probe {
            class: "a/B".into(),
            method: "m".into(),
            descriptor: "()V".into(),
            line: None,
            side: Side::On,
            branch,
            opened_by: opened_by.to_vec(),
        }
    }

    /// `if (0|1) { while (2|3) { if (4|5) … } }`, where the loop comes back after 5.
    fn nested() -> Vec<Probe> {
        let mut probes = vec![probe(0..2, &[]), probe(0..2, &[])];
        probes.extend([probe(2..4, &[0, 5]), probe(2..4, &[0, 5])]);
        probes.extend([probe(4..6, &[2]), probe(4..6, &[2])]);
        probes
    }

    fn passed(probes: &[usize]) -> Passed {
        let mut bits = [0_u8];
        probes.iter().for_each(|probe| bits[0] |= 1 << probe);
        Passed(bits.into())
    }

    #[test]
    fn a_run_is_the_nearer_the_more_branches_it_reached() {
        let branches = Branches::new(&nested());
        let told: String = [&[][..], &[1], &[0, 3], &[0, 2, 4], &[0, 2, 5]]
            .iter()
            .map(|run| {
                let costs: Vec<String> =
                    (0..6).map(|side| format!("{:.2}", branches.cost(side, &passed(run)))).collect();
                format!("{run:?}: {}\n", costs.join(" "))
            })
            .collect();
        expect![[r#"
            []: 0.60 0.60 0.71 0.71 0.78 0.78
            [1]: 0.33 0.00 0.60 0.60 0.71 0.71
            [0, 3]: 0.00 0.33 0.33 0.00 0.60 0.60
            [0, 2, 4]: 0.00 0.33 0.00 0.33 0.00 0.33
            [0, 2, 5]: 0.00 0.33 0.00 0.33 0.33 0.00
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn a_side_is_opened_by_any_way_to_it() {
        let goals = Branches::new(&nested()).goals(10);
        let told: Vec<&[usize]> = goals.iter().map(|goal| goal.opened_by.as_slice()).collect();
        assert_eq!(told, [&[][..], &[], &[10, 15], &[10, 15], &[12], &[12]]);
        assert!(goals.iter().all(|goal| goal.needs.is_empty() && !goal.counterexample));
    }
}
