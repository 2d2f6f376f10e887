//! Alphabet files: the shipped ones, and the messages for wrong ones.

use adit_fuzz::alphabet::{Framing, Transfer, read};
use expect_test::{Expect, expect};

use crate::{ftp, root};

#[test]
fn the_shipped_alphabets_are_well_formed() {
    for (name, labels) in [("ftp", 40), ("smtp", 15), ("rtsp", 11), ("pop3", 21)] {
        let file = root().join("adapters/alphabets").join(name).with_extension("toml");
        let alphabet = read(name, &std::fs::read(file).unwrap()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((alphabet.protocol.as_str(), alphabet.labels.len()), (name, labels));
    }
    let ftp = ftp();
    assert_eq!(ftp.answers.framing, Framing::CodeLines);
    let list = &ftp.labels[ftp.label("LIST").unwrap()];
    assert_eq!(list.transfer, Some(Transfer::Down));
    let needs: Vec<&str> = list.needs.iter().map(|&need| ftp.labels[need].name.as_str()).collect();
    assert_eq!(needs, ["PASV", "EPSV", "PORT"]);
    assert_eq!(ftp.label_of_event("changeWorkingDirectory"), ftp.label("CWD"));
    assert!(ftp.labels[ftp.label("SITE").unwrap()].unseen);
}

/// Compares the message that a user sees for an error in `file`.
fn check(file: &str, expected: Expect) {
    let error = read("a.toml", file.as_bytes()).expect_err("the file is wrong");
    expected.assert_eq(&format!("{error}\nhelp: {}\n", error.help));
}

/// A file with one pool and one label, and `more` at its end.
fn with(more: &str) -> String {
    format!(
        "[pools.user]\nvalid = 'alice'\n[[label]]\nname = 'USER'\nsend = \"USER {{user}}\\r\\n\"\n{more}\n"
    )
}

#[test]
fn typos_have_a_line_and_a_hint() {
    check(
        &with("forbiden = true"),
        expect![[r#"
            a.toml:6:1: a label has no field `forbiden`
            help: did you mean `forbidden`?
        "#]],
    );
    check(
        "[sesion]\nport = 21\n",
        expect![[r#"
            a.toml:1:2: an alphabet file has no field `sesion`
            help: did you mean `session`?
        "#]],
    );
    check(
        "[pools.user]\nvalid = 'x'\n[[label]]\nname = 'USER'\nsend = 'USER {usr}'\n",
        expect![[r#"
            a.toml:5:8: `{usr}` is no pool, variable or counter of this alphabet
            help: did you mean `user`?
        "#]],
    );
    check(
        &with("needs = 'PASW'\n[[label]]\nname = 'PASV'\nsend = 'PASV'"),
        expect![[r#"
            a.toml:6:9: there is no other label `PASW` to send before
            help: did you mean `PASV`?
        "#]],
    );
    check(
        "[answers]\nframing = 'code-line'\n",
        expect![[r#"
            a.toml:2:11: `code-line` is no value of `framing`
            help: did you mean `code-lines`?
        "#]],
    );
    check(
        "[[label]\nname = 'x'\n",
        expect![[r#"
            a.toml:1:9: unclosed array table, expected `]`
            help: an alphabet is written in TOML: `[[label]]`, then lines such as `name = "USER"`
        "#]],
    );
}

#[test]
fn only_this_machine_is_spoken_to() {
    for host in ["10.0.0.1", "example.com", "0.0.0.0"] {
        let file = format!("[session]\nhost = '{host}'\n{}", with(""));
        let error = read("a.toml", file.as_bytes()).unwrap_err();
        assert_eq!(
            (error.line, error.message.contains("not an address of this machine")),
            (2, true),
            "{error}"
        );
    }
    for host in ["127.0.0.1", "::1", "localhost", "127.9.9.9"] {
        let file = format!("[session]\nhost = '{host}'\n{}", with(""));
        assert!(read("a.toml", file.as_bytes()).unwrap().session.host.is_loopback());
    }
}

#[test]
fn what_is_missing_or_doubled_is_named() {
    check(
        "protocol = 'x'\n",
        expect![[r#"
            a.toml:1:1: there is no label in this file
            help: a label begins with a line `[[label]]`
        "#]],
    );
    check(
        "[[label]]\nname = 'NOOP'\n",
        expect![[r#"
            a.toml:1:1: a label has no `send`
            help: add a line such as `send = "USER {user}\r\n"`
        "#]],
    );
    check(
        &with("[[label]]\nname = 'LOGIN'\nevents = ['USER']\nsend = 'x'"),
        expect![[r#"
            a.toml:7:8: two labels stand for `USER`
            help: every name and every event belongs to one label
        "#]],
    );
    check(
        "[pools.user]\nwrong = 'x'\n",
        expect![[r#"
            a.toml:1:8: the pool `user` has no valid value
            help: add a line such as `valid = ["one"]`; sessions that should work need one
        "#]],
    );
    check(
        "[pools.u]\nvalid = 'x'\n[[tuples]]\npools = ['u', 'p']\nrows = [['a', 'b']]\n",
        expect![[r#"
            a.toml:4:9: there is no pool `p`
            help: known here: u
        "#]],
    );
    check(
        "[pools.u]\nvalid = 'x'\n[[tuples]]\npools = ['u']\nrows = [['a', 'b']]\n",
        expect![[r#"
            a.toml:5:9: this row has 2 values, and there are 1 pools
            help: write one value for each pool
        "#]],
    );
    check(
        "[session]\nanswer_limit = '5 minutes'\n",
        expect![[r#"
            a.toml:2:16: `5 minutes` is not a time limit
            help: write a time from 1ms to 600s, such as `500ms` or `2s`
        "#]],
    );
    check(
        "[session.files]\n'../x' = 'y'\n",
        expect![[r#"
            a.toml:2:1: `../x` is not a path inside the session's folder
            help: write a relative path without `..`
        "#]],
    );
    check(
        &with("data = 'connect:port'"),
        expect![[r#"
            a.toml:6:8: no capture sets `port`, where the port should be
            help: write `connect:NAME` with the name of a capture; known here: 
        "#]],
    );
    check(
        "[[capture]]\nname = 'x'\npattern = '('\n",
        expect![[r#"
            a.toml:3:11: this pattern cannot be used: unclosed group
            help: see docs.rs/regex for the syntax
        "#]],
    );
}
