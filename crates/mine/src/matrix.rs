//! A number for every ordered pair of letters, most of them zero once there are many letters.
//!
//! Paper: `dice`, section 3.2; the store behind its counts.
//! Cost: an access is one load for up to [`DENSE_LETTERS`] letters and one hash look-up beyond.

use adit_trace::Letter;
use rustc_hash::FxHashMap;

/// Up to this many letters every pair has a cell: four matrices of them take 32 MB. Twice as many letters
/// would take four times that, and logs with so many labels rarely use most of the pairs.
pub(crate) const DENSE_LETTERS: usize = 1024;

/// Counts by row and column.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// A cell for each pair; rows are `stride` long.
    Dense { stride: usize, cells: Vec<u64> },
    /// Only the pairs with a count above zero.
    Sparse(FxHashMap<(Letter, Letter), u64>),
}

impl Matrix {
    pub(crate) fn new() -> Self {
        Self::Dense { stride: 0, cells: Vec::new() }
    }

    /// Makes room for letters below `letters`.
    pub(crate) fn grow(&mut self, letters: usize) {
        let Self::Dense { stride, cells } = self else { return };
        if letters <= *stride {
            return;
        }
        if letters > DENSE_LETTERS {
            *self = Self::Sparse(self.entries().map(|(row, column, n)| ((row, column), n)).collect());
            return;
        }
        // Doubling keeps the copying linear when letters come one by one.
        let wider = letters.next_power_of_two().max(8);
        let mut grown = vec![0; wider * wider];
        if *stride > 0 {
            for (old, new) in cells.chunks_exact(*stride).zip(grown.chunks_exact_mut(wider)) {
                new[..*stride].copy_from_slice(old);
            }
        }
        (*stride, *cells) = (wider, grown);
    }

    /// Adds `n`, which the caller knows not to overflow.
    #[inline]
    pub(crate) fn add(&mut self, row: Letter, column: Letter, n: u64) {
        match self {
            Self::Dense { stride, cells } => cells[row as usize * *stride + column as usize] += n,
            Self::Sparse(_) if n == 0 => {}
            Self::Sparse(map) => *map.entry((row, column)).or_insert(0) += n,
        }
    }

    /// Adds to the cells of `row` what `n` makes of the `amounts`, which are given for all letters and are
    /// nothing (so that `n` makes zero of them) except in the given columns.
    #[inline]
    pub(crate) fn add_row<T: Copy>(
        &mut self,
        row: Letter,
        columns: &[Letter],
        amounts: &[T],
        n: impl Fn(T) -> u64,
    ) {
        match self {
            Self::Dense { stride, cells } => {
                let cells = &mut cells[row as usize * *stride..][..*stride];
                // Going through a whole row in order is faster than picking out more than a few of its cells.
                if columns.len() * 4 > amounts.len() {
                    for (cell, &amount) in cells.iter_mut().zip(amounts) {
                        *cell += n(amount);
                    }
                } else {
                    for &column in columns {
                        cells[column as usize] += n(amounts[column as usize]);
                    }
                }
            }
            Self::Sparse(_) => {
                columns.iter().for_each(|&column| self.add(row, column, n(amounts[column as usize])))
            }
        }
    }

    /// Replaces the cells of `row` in the given columns. A count never shrinks here, so no zero need be
    /// stored.
    pub(crate) fn set_row(&mut self, row: Letter, columns: &[Letter], n: impl Fn(Letter) -> u64) {
        match self {
            Self::Dense { stride, cells } => {
                let cells = &mut cells[row as usize * *stride..][..*stride];
                for &column in columns {
                    cells[column as usize] = n(column);
                }
            }
            Self::Sparse(map) => {
                let counts = columns.iter().map(|&column| ((row, column), n(column)));
                map.extend(counts.filter(|&(_, n)| n > 0));
            }
        }
    }

    pub(crate) fn get(&self, row: Letter, column: Letter) -> u64 {
        match self {
            Self::Dense { stride, cells } => cells[row as usize * *stride + column as usize],
            Self::Sparse(map) => map.get(&(row, column)).copied().unwrap_or(0),
        }
    }

    /// The cells above zero, in an order that callers must not show.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Letter, Letter, u64)> {
        let (dense, sparse) = match self {
            Self::Dense { stride, cells } => {
                let cell =
                    move |(at, &n): (usize, &u64)| ((at / *stride) as Letter, (at % *stride) as Letter, n);
                (Some(cells.iter().enumerate().filter(|(_, n)| **n > 0).map(cell)), None)
            }
            Self::Sparse(map) => (None, Some(map.iter().map(|(&(row, column), &n)| (row, column, n)))),
        };
        dense.into_iter().flatten().chain(sparse.into_iter().flatten())
    }

    /// The number of pairs that are stored one by one; a dense matrix has a fixed size and stores none.
    pub(crate) fn stored_pairs(&self) -> usize {
        match self {
            Self::Dense { .. } => 0,
            Self::Sparse(map) => map.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Growing step by step, through the change to a sparse store, loses and invents nothing.
        #[test]
        fn behaves_like_a_map(
            adds in prop::collection::vec((0..40u32, 0..40u32, 0..9u64), 0..60),
            late in prop::collection::vec((0..2000u32, 0..2000u32, 0..9u64), 0..20),
        ) {
            let mut matrix = Matrix::new();
            let mut twin = BTreeMap::new();
            for (row, column, n) in adds.into_iter().chain(late) {
                matrix.grow(row.max(column) as usize + 1);
                matrix.add(row, column, n);
                *twin.entry((row, column)).or_insert(0) += n;
            }
            for (&(row, column), &n) in &twin {
                prop_assert_eq!(matrix.get(row, column), n);
            }
            twin.retain(|_, n| *n > 0);
            let entries: BTreeMap<_, _> = matrix.entries().map(|(row, column, n)| ((row, column), n)).collect();
            prop_assert_eq!(entries, twin);
        }
    }
}
