//! Branches as goals of a search: each side of each branch of the class is to be taken by some test.
//!
//! Paper: `dynamosa`; [dice, section 3.3] keeps this kind of goal beside its own. A side of a branch becomes
//! a target when a side of another on which it is control dependent has been taken. A test is the further
//! from it the more of the branches on the way to it were not even reached (the approach level).
//! Deviation: how far the operands of the last branch are from the other outcome (the branch distance) is not
//! measured: it counts as one half. Of the ways that lead to a side, the nearest one that was reached counts.
//! Cost: a look-up for each branch on the way.

use std::collections::BTreeSet;
use std::ops::Range;

use adit_trace::Passed;

use crate::dynamosa::Goal;

/// One side of a branch in the code of the subject. The probe with the same number tells whether a run took
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchSide {
    /// All sides of its branch.
    pub branch: Range<usize>,
    /// The sides of other branches one of which a run must take to come to this branch; none if every run
    /// does.
    pub opened_by: Vec<usize>,
}

/// The sides of all branches of a subject.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    /// For each side, those that open it.
    opened_by: Vec<Vec<usize>>,
    /// For each side, the sides that show how near a run came: those of its own branch, those of the branches
    /// on which that one depends, and so on.
    ladders: Vec<Vec<Vec<usize>>>,
}

impl Branches {
    /// Numbers the sides by their places.
    pub fn new(sides: &[BranchSide]) -> Self {
        let ladder = |side: &BranchSide| {
            let mut seen: BTreeSet<usize> = side.branch.clone().collect();
            let mut ladder = vec![side.branch.clone().collect::<Vec<usize>>()];
            loop {
                let last = ladder.last().map_or(&[][..], Vec::as_slice);
                let above = last.iter().filter_map(|&at| sides.get(at)).flat_map(|side| &side.opened_by);
                let branches = above.filter_map(|&at| sides.get(at)).flat_map(|side| side.branch.clone());
                let next: BTreeSet<usize> = branches.filter(|at| !seen.contains(at)).collect();
                if next.is_empty() {
                    return ladder;
                }
                seen.extend(&next);
                ladder.push(next.into_iter().collect());
            }
        };
        Self {
            opened_by: sides.iter().map(|side| side.opened_by.clone()).collect(),
            ladders: sides.iter().map(ladder).collect(),
        }
    }

    /// The number of sides.
    pub fn len(&self) -> usize {
        self.ladders.len()
    }

    /// Tells whether there are no sides.
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

    /// The distance of a run that passed these probes from taking a side: zero if it took it, less than one
    /// in any case.
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
    use expect_test::expect;

    use super::*;

    fn side(branch: Range<usize>, opened_by: &[usize]) -> BranchSide {
        BranchSide { branch, opened_by: opened_by.to_vec() }
    }

    /// `if (0|1) { while (2|3) { if (4|5) … } }`, where the loop comes back after 5.
    fn nested() -> Vec<BranchSide> {
        let mut sides = vec![side(0..2, &[]), side(0..2, &[])];
        sides.extend([side(2..4, &[0, 5]), side(2..4, &[0, 5])]);
        sides.extend([side(4..6, &[2]), side(4..6, &[2])]);
        sides
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
