//! Coordinates of the members of a layer, whose order is given: links run as straight as the gaps allow.
//!
//! Each member wants to be where its neighbors are on average, a piece of a long link much more than a box. A
//! layer's best answer with all gaps kept is a weighted isotonic regression, which pooling adjacent violators
//! finds exactly; going through the layers again and again settles all of them.

use super::Layers;
use super::route::Ports;

/// Sweeps through all layers. The last ones move nothing that can be seen.
const SWEEPS: usize = 240;

/// So many moves of a member are made in a fraction of a second; a picture with more members gets fewer
/// sweeps.
const MOVES: usize = 4_000_000;

/// Two members that are joined: one wants to be so far from where the other is.
#[derive(Clone, Copy)]
struct Joint {
    to: usize,
    shift: f64,
    pull: f64,
}

/// The place of each item's center across the flow; the least border is at zero.
pub(super) fn place(layers: &Layers, ports: &[Ports], gap: f64) -> Vec<f64> {
    let joints = joints(layers, ports);
    let mut at = vec![0.0; layers.items.len()];
    for layer in &layers.layers {
        let mut next = 0.0;
        for &item in layer {
            at[item] = next + layers.items[item].size.height / 2.0;
            next += layers.items[item].size.height + gap;
        }
    }
    for sweep in 0..(MOVES / layers.items.len().max(1)).clamp(SWEEPS / 8, SWEEPS) {
        let count = layers.layers.len();
        for step in 0..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(layers, &joints, &layers.layers[layer], gap, &mut at);
        }
    }
    let borders = layers.items.iter().zip(&at).map(|(item, at)| at - item.size.height / 2.0);
    let least = borders.fold(f64::INFINITY, f64::min);
    at.iter_mut().for_each(|at| *at -= least);
    at
}

/// Moves the members of one layer to where they want to be, as far as their gaps allow.
fn settle(layers: &Layers, joints: &[Vec<Joint>], members: &[usize], gap: f64, at: &mut [f64]) {
    // With the room that the earlier members need taken away, keeping the gaps means keeping the order.
    let mut room = 0.0;
    let mut rooms = Vec::with_capacity(members.len());
    let mut blocks: Vec<Block> = Vec::new();
    let mut last: Option<usize> = None;
    for &item in members {
        if let Some(last) = last {
            room += (layers.items[last].size.height + layers.items[item].size.height) / 2.0 + gap;
        }
        last = Some(item);
        rooms.push(room);
        let (mut sum, mut weight) = (0.0, 0.0);
        for joint in &joints[item] {
            sum += joint.pull * (at[joint.to] + joint.shift);
            weight += joint.pull;
        }
        if weight == 0.0 {
            // What is joined to nothing stays where it is, without resisting.
            (sum, weight) = (0.01 * at[item], 0.01);
        }
        let mut block = Block { sum: sum - weight * room, weight, count: 1 };
        while let Some(before) = blocks.pop_if(|before| before.mean() > block.mean()) {
            block.sum += before.sum;
            block.weight += before.weight;
            block.count += before.count;
        }
        blocks.push(block);
    }
    let places = blocks.iter().flat_map(|block| std::iter::repeat_n(block.mean(), block.count));
    for ((&item, room), place) in members.iter().zip(rooms).zip(places) {
        at[item] = place + room;
    }
}

/// The joints of each member. A link meets a box at its port, not in its middle.
fn joints(layers: &Layers, ports: &[Ports]) -> Vec<Vec<Joint>> {
    let mut joints = vec![Vec::new(); layers.items.len()];
    for (chain, ports) in layers.chains.iter().zip(ports) {
        for (at, pair) in chain.windows(2).enumerate() {
            let (low, high) = (pair[0], pair[1]);
            let pull = pull(layers.items[low].is_box, layers.items[high].is_box);
            let leaves = if at == 0 { ports.leaves } else { 0.0 };
            let arrives = if at + 2 == chain.len() { ports.arrives } else { 0.0 };
            joints[low].push(Joint { to: high, shift: arrives - leaves, pull });
            joints[high].push(Joint { to: low, shift: leaves - arrives, pull });
        }
    }
    joints
}

/// Members that stand shoulder to shoulder.
struct Block {
    sum: f64,
    weight: f64,
    count: usize,
}

impl Block {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// The weight of keeping a joint between two members straight. A bend in the middle of a long link is the
/// ugliest, and with less of a difference a link that must climb would do so in as many steps as it crosses
/// layers.
fn pull(is_box: bool, other_is_box: bool) -> f64 {
    match (is_box, other_is_box) {
        (true, true) => 1.0,
        (true, false) | (false, true) => 2.0,
        (false, false) => 40.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Link, Size, rank};

    #[test]
    fn a_long_link_is_straight_and_its_neighbor_makes_room() {
        let size = Size { width: 10.0, height: 10.0 };
        let links: Vec<Link> = [(0, 1), (1, 2), (2, 3), (0, 3)]
            .iter()
            .map(|&(from, to)| Link { from, to, label: Size::default() })
            .collect();
        let layers = Layers::new(&[size; 4], &links, &rank::ranks(4, &links, &[0], usize::MAX));
        let at = place(&layers, &crate::layout::route::ports(&layers), 5.0);
        let long = &layers.chains[3];
        let bends = long[1..long.len() - 1].windows(2).map(|pair| (at[pair[0]] - at[pair[1]]).abs());
        assert!(bends.fold(0.0, f64::max) < 1.0, "{at:?}");
        for layer in &layers.layers {
            for pair in layer.windows(2) {
                let room =
                    (layers.items[pair[0]].size.height + layers.items[pair[1]].size.height) / 2.0 + 5.0;
                assert!(at[pair[1]] - at[pair[0]] > room - 1e-9);
            }
        }
    }
}
