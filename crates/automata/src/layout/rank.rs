//! Assignment of boxes to layers: most links point to a later one, and few are long.
//!
//! Boxes are first put in a row in the order in which they are met from the roots, then each is moved to
//! where the fewest links point backwards, as long as that is fewer than before and it stays behind the box
//! from which it was met: a state stands behind one that leads to it, however many returns that makes. The
//! row decides which links count as backwards; a box stands one layer behind the last that points to it, and
//! moves on within its freedom when that shortens links.

use std::collections::VecDeque;

use super::Link;

/// The rank of each box. Boxes that are linked, other than to themselves, have different ranks; a root that
/// is first in `roots` has the least rank of all. Where there is a choice, at most `most` boxes have the same
/// rank.
pub(super) fn ranks(boxes: usize, links: &[Link], roots: &[usize], most: usize) -> Vec<usize> {
    let links: Vec<(usize, usize)> =
        links.iter().map(|link| (link.from, link.to)).filter(|(from, to)| from != to).collect();
    let (mut row, met_from) = met(boxes, &links, roots);
    sift(&mut row, &met_from, &links, roots);
    let mut place = vec![0; boxes];
    for (at, &number) in row.iter().enumerate() {
        place[number] = at;
    }
    // From here on every link points forwards.
    let mut before = vec![Vec::new(); boxes];
    let mut after = vec![Vec::new(); boxes];
    for &(from, to) in &links {
        let (low, high) = if place[from] < place[to] { (from, to) } else { (to, from) };
        before[high].push(low);
        after[low].push(high);
    }
    let mut rank = vec![0; boxes];
    let mut members = vec![0; 2 * boxes + 1];
    for &number in &row {
        // What is linked to nothing before it still does not stand beside the root, unless nothing leads
        // anywhere.
        let least = usize::from(!roots.contains(&number) && boxes > 1 && !roots.is_empty());
        let wanted = before[number].iter().map(|&other| rank[other] + 1).max().unwrap_or(least).max(least);
        // Roots stand where they must; others give way to those that came before them.
        let full = |rank: &usize| members[*rank] >= most && !roots.contains(&number);
        rank[number] = (wanted..2 * boxes).find(|rank| !full(rank)).unwrap_or(wanted);
        members[rank[number]] += 1;
    }
    if most >= boxes {
        shorten(&mut rank, &row, &before, &after, roots);
    }
    rank
}

/// The boxes in the order in which a search in breadth meets them, and for each the one from which it was
/// met. The roots come first, what is not reached from them last.
fn met(boxes: usize, links: &[(usize, usize)], roots: &[usize]) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut next = vec![Vec::new(); boxes];
    for &(from, to) in links {
        next[from].push(to);
    }
    let mut row = Vec::with_capacity(boxes);
    let mut seen = vec![false; boxes];
    let mut met_from = vec![None; boxes];
    let mut queue: VecDeque<(usize, Option<usize>)> = roots.iter().map(|&root| (root, None)).collect();
    for start in 0..=boxes {
        while let Some((number, from)) = queue.pop_front() {
            if !std::mem::replace(&mut seen[number], true) {
                row.push(number);
                met_from[number] = from;
                queue.extend(next[number].iter().map(|&to| (to, Some(number))));
            }
        }
        if start < boxes {
            queue.push_back((start, None));
        }
    }
    (row, met_from)
}

/// Moves boxes other than roots to where the fewest of their links point backwards.
fn sift(row: &mut Vec<usize>, met_from: &[Option<usize>], links: &[(usize, usize)], roots: &[usize]) {
    /// Most models settle in two.
    const ROUNDS: usize = 8;
    let boxes = row.len();
    let (mut into, mut out) = (vec![vec![0i32; boxes]; boxes], vec![vec![0i32; boxes]; boxes]);
    for &(from, to) in links {
        out[from][to] += 1;
        into[to][from] += 1;
    }
    for _ in 0..ROUNDS {
        let mut better = false;
        for number in 0..boxes {
            let Some(at) = row.iter().position(|&other| other == number) else { continue };
            if roots.contains(&number) {
                continue;
            }
            row.remove(at);
            // Behind all roots; costs are relative to standing there.
            let first = roots.len().min(row.len());
            let mut cost = 0;
            let mut costs = vec![(first, 0)];
            for (gap, &other) in row.iter().enumerate().skip(first) {
                // Passing `other` turns links to it backwards, and links from it forwards.
                cost += out[number][other] - into[number][other];
                costs.push((gap + 1, cost));
            }
            // Behind the box from which it was met, before those that were met from it.
            let place = |wanted: &dyn Fn(usize) -> bool| row.iter().position(|&other| wanted(other));
            let low = place(&|other| met_from[number] == Some(other)).map_or(first, |at| at + 1);
            let high = place(&|other| met_from[other] == Some(number)).unwrap_or(row.len());
            costs.retain(|(gap, _)| (low..=high).contains(gap));
            let here = costs.iter().find(|(gap, _)| *gap == at).map_or(i32::MAX, |(_, cost)| *cost);
            let best = costs.iter().map(|(_, cost)| *cost).min().unwrap_or(i32::MAX);
            // Of equally good places the nearest, so that nothing moves without a reason.
            let to = costs
                .iter()
                .filter(|(_, cost)| *cost == best)
                .map(|(gap, _)| *gap)
                .min_by_key(|gap| gap.abs_diff(at))
                .unwrap_or(at);
            better |= best < here;
            row.insert(if best < here { to } else { at }, number);
        }
        if !better {
            return;
        }
    }
}

/// Moves boxes within their freedom to where their links are shortest.
fn shorten(rank: &mut [usize], row: &[usize], before: &[Vec<usize>], after: &[Vec<usize>], roots: &[usize]) {
    for _ in 0..row.len() {
        let mut moved = false;
        for &number in row.iter().rev() {
            if roots.contains(&number) {
                continue;
            }
            let Some(last) = after[number].iter().map(|&other| rank[other] - 1).min() else { continue };
            // With as many links before as after, where it stands makes no difference to the length.
            if after[number].len() > before[number].len() && last > rank[number] {
                rank[number] = last;
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Size;

    fn of(text: &str, boxes: usize, roots: &[usize]) -> Vec<usize> {
        let links: Vec<Link> = text
            .split_whitespace()
            .map(|pair| pair.split_once('>').unwrap())
            .map(|(from, to)| Link {
                from: from.parse().unwrap(),
                to: to.parse().unwrap(),
                label: Size::default(),
            })
            .collect();
        ranks(boxes, &links, roots, usize::MAX)
    }

    #[test]
    fn a_shortcut_does_not_bring_the_end_forward() {
        // Opened and closed in one go, or opened, read and closed.
        assert_eq!(of("0>1 0>3 1>2 2>3", 4, &[0]), [0, 1, 2, 3]);
    }

    #[test]
    fn returns_point_backwards() {
        assert_eq!(of("0>1 1>2 2>1 2>0", 3, &[0]), [0, 1, 2]);
    }

    #[test]
    fn nothing_stands_before_all_that_lead_to_it() {
        // A stack: empty (1), some (2), full (3). More links return to empty than leave it, and still it
        // comes first.
        assert_eq!(of("0>1 1>2 2>1 2>3 3>2 3>1", 4, &[0]), [0, 1, 2, 3]);
    }

    #[test]
    fn several_roots_come_first() {
        assert_eq!(of("0>2 2>1 1>2", 3, &[0, 1])[..2], [0, 0]);
    }

    #[test]
    fn what_leads_to_the_end_stands_near_it() {
        // Box 3 is reached from nowhere; only its link to box 2 pulls.
        assert_eq!(of("0>1 1>2 3>2", 4, &[0]), [0, 1, 2, 1]);
    }

    proptest! {
        /// Links join different ranks, no rank is empty, and the root is alone at the front.
        #[test]
        fn ranks_are_sound(boxes in 1usize..12, most in 1usize..6, pairs in prop::collection::vec((0usize..12, 0usize..12), 0..40)) {
            let links: Vec<Link> = pairs
                .into_iter()
                .map(|(from, to)| Link { from: from % boxes, to: to % boxes, label: Size::default() })
                .collect();
            let rank = ranks(boxes, &links, &[0], most);
            for link in links.iter().filter(|link| link.from != link.to) {
                prop_assert_ne!(rank[link.from], rank[link.to]);
            }
            prop_assert_eq!(rank.iter().filter(|&&rank| rank == 0).count(), 1);
            prop_assert_eq!(rank[0], 0);
            for one in 0..boxes {
                prop_assert!(rank.iter().filter(|&&rank| rank == one).count() <= most);
            }
        }
    }
}
