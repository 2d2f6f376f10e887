//! The order of the members of a layer, chosen such that few links cross.
//!
//! Layer after layer, forwards and backwards in turn, members are sorted by the median of where their
//! neighbors stand, and then neighbors in a layer are exchanged as long as that removes crossings. The best
//! order of all rounds is kept.

use super::Layers;

/// Rounds after which nothing better has ever been seen on real models.
const ROUNDS: usize = 16;

/// Rounds without a better order before it is left at that.
const PATIENCE: usize = 4;

/// Beyond this many members, exchanging neighbors takes longer than anybody waits.
const MANY: usize = 20_000;

pub(super) fn order(layers: &mut Layers) {
    let mut position = layers.positions();
    let mut best = (crossings(layers, &position), layers.layers.clone());
    let mut idle = 0;
    for round in 0..ROUNDS {
        if best.0 == 0 || idle == PATIENCE {
            break;
        }
        let forwards = round % 2 == 0;
        let count = layers.layers.len();
        for step in 1..count {
            let layer = if forwards { step } else { count - 1 - step };
            by_median(layers, &mut position, layer, forwards, round % 4 >= 2);
        }
        if layers.items.len() < MANY {
            exchange(layers, &mut position);
        }
        let now = crossings(layers, &position);
        idle += 1;
        if now < best.0 {
            best = (now, layers.layers.clone());
            idle = 0;
        }
    }
    layers.layers = best.1;
}

/// Sorts a layer by where the neighbors of its members stand. Members without neighbors keep their places.
fn by_median(layers: &mut Layers, position: &mut [usize], layer: usize, forwards: bool, flip: bool) {
    let side = if forwards { &layers.before } else { &layers.after };
    let members = &mut layers.layers[layer];
    let mut keyed: Vec<(f64, usize)> = Vec::new();
    for &item in members.iter() {
        if let Some(median) = median(&side[item], position) {
            keyed.push((median, item));
        }
    }
    if flip {
        // Equal medians are turned around every other time, which finds orders that a stable sort never
        // tries.
        keyed.reverse();
    }
    keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut sorted = keyed.into_iter().map(|(_, item)| item);
    for at in members.iter_mut() {
        if !side[*at].is_empty()
            && let Some(item) = sorted.next()
        {
            *at = item;
        }
    }
    for (at, &item) in members.iter().enumerate() {
        position[item] = at;
    }
}

/// The middle of the neighbors' positions; of two, nearer to the side where the others crowd.
fn median(neighbors: &[usize], position: &[usize]) -> Option<f64> {
    let mut at: Vec<f64> = neighbors.iter().map(|&item| position[item] as f64).collect();
    at.sort_by(f64::total_cmp);
    let middle = at.len() / 2;
    Some(match at.as_slice() {
        [] => return None,
        [one, other] => (one + other) / 2.0,
        many if many.len() % 2 == 1 => many[middle],
        many => {
            let left = many[middle - 1] - many[0];
            let right = many[many.len() - 1] - many[middle];
            if left + right == 0.0 {
                (many[middle - 1] + many[middle]) / 2.0
            } else {
                (many[middle - 1] * right + many[middle] * left) / (left + right)
            }
        }
    })
}

/// Exchanges neighbors while that removes crossings.
fn exchange(layers: &mut Layers, position: &mut [usize]) {
    /// Each pass removes at least one crossing, so that this only bounds the time.
    const PASSES: usize = 10;
    for _ in 0..PASSES {
        let mut better = false;
        for layer in &mut layers.layers {
            for at in 1..layer.len() {
                let (left, right) = (layer[at - 1], layer[at]);
                let (mut now, mut then) = (0, 0);
                for side in [&layers.before, &layers.after] {
                    now += inversions(&side[left], &side[right], position);
                    then += inversions(&side[right], &side[left], position);
                }
                if then < now {
                    layer.swap(at - 1, at);
                    position.swap(left, right);
                    better = true;
                }
            }
        }
        if !better {
            return;
        }
    }
}

/// Counts the links of `left` that cross links of `right` when it stands before it.
fn inversions(left: &[usize], right: &[usize], position: &[usize]) -> usize {
    let crossed = |&one: &usize| right.iter().filter(|&&other| position[other] < position[one]).count();
    left.iter().map(crossed).sum()
}

/// Counts the pairs of links that cross.
fn crossings(layers: &Layers, position: &[usize]) -> usize {
    let mut total = 0;
    for layer in &layers.layers {
        // The ends of all links in the order of their starts; a pair crosses when its ends are out of order.
        let mut ends: Vec<usize> = Vec::new();
        for &item in layer {
            let from = ends.len();
            ends.extend(layers.after[item].iter().map(|&to| position[to]));
            ends[from..].sort_unstable();
        }
        total += count_inversions(&mut ends);
    }
    total
}

/// Counts the pairs of numbers that are out of order, while sorting them.
fn count_inversions(numbers: &mut [usize]) -> usize {
    if numbers.len() < 2 {
        return 0;
    }
    let (left, right) = numbers.split_at_mut(numbers.len() / 2);
    let mut count = count_inversions(left) + count_inversions(right);
    let (left, right) = (left.to_vec(), right.to_vec());
    let (mut l, mut r) = (0, 0);
    for place in numbers {
        if r == right.len() || (l < left.len() && left[l] <= right[r]) {
            *place = left[l];
            l += 1;
        } else {
            *place = right[r];
            count += left.len() - l;
            r += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::{Link, Size, rank};

    fn layers(boxes: usize, pairs: &[(usize, usize)]) -> Layers {
        let links: Vec<Link> = pairs
            .iter()
            .map(|&(from, to)| Link { from: from % boxes, to: to % boxes, label: Size::default() })
            .collect();
        Layers::new(&vec![Size::default(); boxes], &links, &rank::ranks(boxes, &links, &[0], usize::MAX))
    }

    /// Every pair of links between the same two layers, looked at.
    fn naive(layers: &Layers) -> usize {
        let position = layers.positions();
        let mut all = Vec::new();
        for chain in &layers.chains {
            for pair in chain.windows(2) {
                all.push((layers.items[pair[0]].layer, position[pair[0]], position[pair[1]]));
            }
        }
        let mut count = 0;
        for (at, one) in all.iter().enumerate() {
            for other in &all[..at] {
                let apart = (one.1 < other.1 && one.2 > other.2) || (one.1 > other.1 && one.2 < other.2);
                count += usize::from(one.0 == other.0 && apart);
            }
        }
        count
    }

    #[test]
    fn a_tangle_is_undone() {
        // 0 leads to 1 and 2; 1 to 4 and 2 to 3, which stand the other way round at first.
        let mut tangled = layers(5, &[(0, 1), (0, 2), (1, 4), (2, 3)]);
        order(&mut tangled);
        assert_eq!(naive(&tangled), 0);
    }

    proptest! {
        #[test]
        fn crossings_are_counted_right_and_never_become_more(
            boxes in 1usize..10,
            pairs in prop::collection::vec((0usize..10, 0usize..10), 0..30),
        ) {
            let mut some = layers(boxes, &pairs);
            let before = naive(&some);
            prop_assert_eq!(crossings(&some, &some.positions()), before);
            order(&mut some);
            prop_assert!(naive(&some) <= before);
        }
    }
}
