//! Numbers as the papers print them, in percent, to stand beside ours.

/// Precision, recall and F as printed.
#[derive(Clone, Copy)]
pub(crate) struct Printed(pub(crate) f64, pub(crate) f64, pub(crate) f64);

/// What the DICE paper prints about one class.
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
