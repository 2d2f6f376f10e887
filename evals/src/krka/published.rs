//! The classes of the paper whose traces are published, with the numbers that it prints.

/// Precision and recall in percent, as printed.
pub(super) type Printed = Option<(u8, u8)>;

/// A class of the paper whose traces are published.
pub(super) struct Class {
    pub(super) name: &'static str,
    /// The class in the traces.
    pub(super) traced: &'static str,
    /// The lines of the truth are those of the traces. The tokenizer was recorded in another version.
    pub(super) lines: bool,
    /// The file of the truth, if it is published.
    pub(super) truth: Option<&'static str>,
    /// The file of the truth as it should be, where the class contradicts the published one.
    pub(super) corrected: Option<&'static str>,
    /// Figure 13: precision and recall in its order of columns.
    pub(super) figure_13: [Printed; 7],
    /// Figure 14: optimistic TEMI, pessimistic TEMI and CONTRACTOR++ with 10 % and with 20 % of the clauses
    /// removed.
    pub(super) figure_14: [[Printed; 3]; 2],
    /// Figure 15: CONTRACTOR++ without filters, and without method distinction.
    pub(super) figure_15: [Printed; 2],
}

pub(super) const COLUMNS: [&str; 7] =
    ["1-tail", "2-tail", "SEKT 1", "SEKT 2", "TEMI optimistic", "TEMI pessimistic", "CONTRACTOR++"];

const fn p(precision: u8, recall: u8) -> Printed {
    Some((precision, recall))
}

pub(super) const CLASSES: [Class; 7] = [
    Class {
        name: "StackAr",
        traced: "DataStructures.StackAr",
        lines: true,
        truth: Some("stackar.txt"),
        corrected: Some("krka-stackar.txt"),
        figure_13: [p(64, 30), p(83, 30), p(97, 30), p(97, 30), p(99, 94), p(100, 71), p(99, 94)],
        figure_14: [[p(67, 96), p(100, 71), p(70, 95)], [p(66, 96), p(100, 80), p(61, 97)]],
        figure_15: [p(99, 94), p(77, 100)],
    },
    Class {
        name: "NumberFormatStringTokenizer",
        traced: "org.apache.xalan.templates.ElemNumber$NumberFormatStringTokenizer",
        lines: true,
        truth: Some("numberformatstringtokenizer.txt"),
        corrected: None,
        figure_13: [p(100, 21), p(100, 21), p(100, 21), p(100, 21), p(96, 57), p(96, 44), p(96, 57)],
        figure_14: [[p(90, 59), p(96, 44), p(86, 60)], [p(86, 60), p(96, 44), p(82, 69)]],
        figure_15: [p(98, 40), p(78, 66)],
    },
    Class {
        name: "StringTokenizer",
        traced: "duy.java.util.DuyStringTokenizer",
        lines: false,
        truth: Some("stringtokenizer.txt"),
        corrected: Some("krka-stringtokenizer.txt"),
        figure_13: [p(100, 52), p(100, 51), p(100, 51), p(100, 50), p(100, 51), p(100, 50), p(93, 52)],
        figure_14: [[p(90, 77), p(100, 50), p(92, 69)], [p(82, 79), p(100, 50), p(91, 72)]],
        figure_15: [p(91, 77), p(47, 77)],
    },
    Class {
        name: "Signature",
        traced: "java.security.Signature",
        lines: true,
        truth: Some("signature.txt"),
        corrected: None,
        figure_13: [p(100, 61), p(100, 61), p(100, 61), p(100, 61), p(100, 88), p(100, 88), p(100, 88)],
        figure_14: [[p(96, 90), p(100, 88), p(96, 88)], [p(92, 91), p(100, 88), p(88, 77)]],
        figure_15: [p(100, 78), None],
    },
    Class {
        name: "ToHTMLStream",
        traced: "org.apache.xml.serializer.ToHTMLStream",
        lines: true,
        truth: Some("tohtmlstream.txt"),
        corrected: None,
        figure_13: [p(100, 26), p(100, 26), p(100, 26), p(100, 26), p(100, 100), p(100, 100), p(100, 100)],
        figure_14: [[p(100, 100), p(100, 100), p(100, 100)], [p(100, 100), p(100, 100), p(100, 100)]],
        figure_15: [p(100, 100), None],
    },
    Class {
        name: "SMTPProtocol",
        traced: "org.columba.ristretto.smtp.SMTPProtocol",
        lines: true,
        truth: Some("smtpprotocol.txt"),
        corrected: None,
        figure_13: [p(100, 20), p(100, 20), p(100, 20), p(100, 20), p(96, 77), p(100, 66), p(88, 78)],
        figure_14: [[p(96, 77), p(100, 66), p(86, 74)], [p(94, 78), p(100, 66), p(80, 62)]],
        figure_15: [p(100, 24), None],
    },
    Class {
        name: "SftpConnection",
        traced: "net.sf.jftp.net.wrappers.SftpConnection",
        lines: true,
        truth: None,
        corrected: None,
        figure_13: [p(61, 31), p(96, 29), p(100, 30), p(100, 29), p(97, 48), p(100, 33), None],
        figure_14: [[None; 3]; 2],
        figure_15: [None; 2],
    },
];
