//! Numbers as the papers print them, in percent, to stand beside ours.

/// Precision, recall and F as printed.
#[derive(Clone, Copy)]
pub(crate) struct Printed(pub(crate) f64, pub(crate) f64, pub(crate) f64);

/// Numbers that the DICE paper prints about one class.
pub(crate) struct Published {
    /// Table 1, DICE: its own tests and miner.
    pub(crate) dice: Printed,
    /// Table 1, DSM: random tests and a neural miner.
    pub(crate) dsm: Printed,
    /// Table 4, DSM on DICE-Tester's traces.
    pub(crate) dsm_on_dice: Printed,
}

/// The row of `class`, named as the data files are.
pub(crate) fn published(class: &str) -> Option<Published> {
    let (dice, dsm, dsm_on_dice) = match class {
        "arraylist" => ([31.4, 27.3, 29.2], [44.5, 16.3, 23.9], [60.4, 16.5, 25.9]),
        "hashmap" => ([100.0, 94.1, 97.0], [100.0, 55.2, 71.1], [30.8, 86.0, 45.3]),
        "hashset" => ([87.4, 100.0, 93.3], [74.0, 62.4, 67.7], [50.9, 52.7, 51.8]),
        "hashtable" => ([84.0, 100.0, 92.5], [100.0, 66.6, 79.9], [93.3, 70.2, 80.1]),
        "linkedlist" => ([100.0, 100.0, 100.0], [100.0, 23.7, 38.4], [100.0, 16.5, 25.9]),
        "numberformatstringtokenizer" => ([87.2, 89.2, 88.2], [54.1, 70.2, 61.1], [57.3, 81.9, 67.4]),
        "signature" => ([100.0, 100.0, 100.0], [100.0, 91.2, 95.4], [100.0, 100.0, 100.0]),
        "socket" => ([87.3, 67.3, 76.0], [58.4, 62.6, 60.4], [40.7, 63.9, 49.8]),
        "stackar" => ([86.8, 93.9, 89.8], [61.6, 97.1, 75.4], [47.2, 100.0, 64.1]),
        "stringtokenizer" => ([100.0, 100.0, 100.0], [93.6, 100.0, 96.7], [75.3, 100.0, 85.9]),
        "zipoutputstream" => ([100.0, 100.0, 100.0], [80.6, 100.0, 89.3], [79.8, 75.4, 77.5]),
        _ => return None,
    };
    let printed = |[precision, recall, f]: [f64; 3]| Printed(precision, recall, f);
    Some(Published { dice: printed(dice), dsm: printed(dsm), dsm_on_dice: printed(dsm_on_dice) })
}

/// Numbers that the DICE paper prints about one class in its other tables.
pub(crate) struct Varied {
    /// Table 2; Tautoko has no model of one class.
    pub(crate) tautoko: Option<Printed>,
    /// Table 3, EvoSuite's tests with DICE's miner.
    pub(crate) evosuite: Printed,
    /// Table 6, the population replaced after 50 generations without a counterexample.
    pub(crate) reset_50: Printed,
    /// Table 6, after 150.
    pub(crate) reset_150: Printed,
    /// Table 8, half of the initial tests.
    pub(crate) initial_half: Printed,
    /// Table 8, a quarter of them.
    pub(crate) initial_quarter: Printed,
    /// Table 7, F of the miner with constraint A only, B only, and neither.
    pub(crate) constraints: [f64; 3],
}

/// The row of `class` in those tables, named as the data files are.
pub(crate) fn varied(class: &str) -> Option<Varied> {
    const ALL: [f64; 3] = [100.0, 100.0, 100.0];
    let rows: [Option<[f64; 3]>; 6] = match class {
        "arraylist" => [
            None,
            Some([74.7, 17.0, 27.6]),
            Some([72.6, 15.7, 25.8]),
            Some([78.0, 16.1, 26.6]),
            Some([31.9, 21.1, 25.4]),
            Some([28.6, 25.3, 26.8]),
        ],
        "hashmap" => [
            [56.7, 25.4, 35.1],
            [100.0, 94.1, 97.0],
            [100.0, 94.1, 97.0],
            ALL,
            [100.0, 94.1, 97.0],
            [100.0, 83.1, 90.8],
        ]
        .map(Some),
        "hashset" => [
            [100.0, 13.6, 23.9],
            [84.5, 65.2, 74.3],
            [77.9, 18.3, 30.0],
            [95.9, 80.7, 87.6],
            [92.4, 100.0, 96.0],
            [94.1, 100.0, 97.0],
        ]
        .map(Some),
        "hashtable" => [
            [38.8, 23.3, 29.1],
            [91.0, 93.1, 92.0],
            [98.2, 100.0, 99.1],
            [96.6, 100.0, 98.3],
            [98.0, 100.0, 99.0],
            [96.3, 100.0, 98.1],
        ]
        .map(Some),
        "linkedlist" => {
            [[100.0, 20.9, 34.6], [100.0, 89.9, 94.7], [5.9, 44.4, 10.4], ALL, ALL, ALL].map(Some)
        }
        "numberformatstringtokenizer" => [
            ALL,
            [87.2, 89.2, 88.2],
            [87.7, 86.4, 87.0],
            [86.6, 85.6, 86.1],
            [92.1, 89.4, 90.7],
            [92.9, 87.9, 90.3],
        ]
        .map(Some),
        "signature" => [[100.0, 23.8, 38.4], ALL, ALL, ALL, ALL, ALL].map(Some),
        "socket" => [
            [84.1, 24.4, 37.7],
            [86.4, 67.5, 75.8],
            [53.4, 66.0, 59.0],
            [80.5, 66.0, 72.5],
            [84.8, 62.5, 72.0],
            [88.3, 61.7, 72.6],
        ]
        .map(Some),
        "stackar" => [
            [100.0, 87.0, 92.8],
            [68.9, 84.7, 76.0],
            [41.7, 88.2, 56.6],
            [83.2, 84.7, 84.0],
            [76.4, 81.9, 79.0],
            [73.9, 84.7, 78.9],
        ]
        .map(Some),
        "stringtokenizer" => [ALL; 6].map(Some),
        "zipoutputstream" => {
            [[100.0, 25.0, 40.5], ALL, [28.6, 100.0, 44.4], [72.7, 100.0, 84.2], ALL, ALL].map(Some)
        }
        _ => return None,
    };
    let [tautoko, evosuite, reset_50, reset_150, initial_half, initial_quarter] =
        rows.map(|row| row.map(|[precision, recall, f]| Printed(precision, recall, f)));
    // F with constraint A only, with B only, with neither.
    let constraints = match class {
        "arraylist" => [28.6, 30.4, 31.3],
        "hashmap" => [97.0, 97.8, 97.8],
        "hashset" => [88.5, 91.8, 92.3],
        "hashtable" => [86.3, 84.9, 87.7],
        "linkedlist" => [100.0, 70.8, 70.8],
        "numberformatstringtokenizer" => [72.7, 81.8, 81.8],
        "signature" | "stringtokenizer" | "zipoutputstream" => [100.0; 3],
        "socket" => [63.5, 67.9, 67.8],
        "stackar" => [71.9, 65.2, 74.5],
        _ => return None,
    };
    Some(Varied {
        constraints,
        tautoko,
        evosuite: evosuite?,
        reset_50: reset_50?,
        reset_150: reset_150?,
        initial_half: initial_half?,
        initial_quarter: initial_quarter?,
    })
}
