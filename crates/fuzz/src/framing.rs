//! Cutting answers out of a stream of bytes.

use crate::alphabet::Framing;

/// Longest answer that is waited for.
const LONGEST_ANSWER: usize = 1 << 20;

/// State of an answer that is being received.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// More bytes are needed.
    Incomplete,
    /// The first bytes of the stream, this many, are an answer with this code.
    Complete(usize, String),
    /// The bytes are no answer of the protocol.
    Malformed,
}

/// Looks for an answer at the start of `bytes`.
pub(crate) fn cut(framing: Framing, bytes: &[u8]) -> Cut {
    if bytes.len() > LONGEST_ANSWER {
        return Cut::Malformed;
    }
    match framing {
        Framing::Line => match line_end(bytes, 0) {
            Some(end) => Cut::Complete(end, first_word(&bytes[..end])),
            None => Cut::Incomplete,
        },
        Framing::CodeLines => code_lines(bytes),
        Framing::Headers => headers(bytes),
    }
}

fn code_lines(bytes: &[u8]) -> Cut {
    let Some(mut end) = line_end(bytes, 0) else { return Cut::Incomplete };
    let Some(code) = bytes.get(..3).filter(|code| code.iter().all(u8::is_ascii_digit)) else {
        return Cut::Malformed;
    };
    let text = String::from_utf8_lossy(code).into_owned();
    if bytes[3] != b'-' {
        return Cut::Complete(end, text);
    }
    loop {
        let start = end;
        let Some(next) = line_end(bytes, start) else { return Cut::Incomplete };
        end = next;
        let line = &bytes[start..end];
        if line.starts_with(code) && line.get(3).is_some_and(|&byte| byte != b'-') {
            return Cut::Complete(end, text);
        }
    }
}

/// Length of the frames of media at the beginning, which RTSP sends between answers (RFC 2326, section
/// 10.12): a dollar sign, a channel, a length of two bytes, and the data. A frame that is not complete does
/// not count.
pub(crate) fn media(framing: Framing, bytes: &[u8]) -> usize {
    let mut at = 0;
    while framing == Framing::Headers
        && let Some([b'$', _, high, low]) = bytes.get(at..at + 4)
        && let end = at + 4 + usize::from(u16::from_be_bytes([*high, *low]))
        && end <= bytes.len()
    {
        at = end;
    }
    at
}

fn headers(bytes: &[u8]) -> Cut {
    if bytes.first() == Some(&b'$') {
        return Cut::Incomplete;
    }
    let Some(first) = line_end(bytes, 0) else { return Cut::Incomplete };
    let status = String::from_utf8_lossy(&bytes[..first]).into_owned();
    let Some(code) = status.split_whitespace().nth(1).filter(|_| status.contains('/')) else {
        return Cut::Malformed;
    };
    let mut end = first;
    let mut body = 0;
    loop {
        let Some(next) = line_end(bytes, end) else { return Cut::Incomplete };
        let line = String::from_utf8_lossy(&bytes[end..next]).into_owned();
        end = next;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            match value.trim().parse::<usize>() {
                Ok(length) if length <= LONGEST_ANSWER => body = length,
                _ => return Cut::Malformed,
            }
        }
    }
    if bytes.len() < end + body { Cut::Incomplete } else { Cut::Complete(end + body, code.to_owned()) }
}

/// The place after the line that is a single dot, if there is one at or after `start`, where a line begins.
pub(crate) fn dot_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let end = line_end(bytes, at)?;
        if bytes[at..end].trim_ascii_end() == b"." {
            return Some(end);
        }
        at = end;
    }
}

/// The place after the line that begins at `start`.
fn line_end(bytes: &[u8], start: usize) -> Option<usize> {
    bytes[start..].iter().position(|&byte| byte == b'\n').map(|at| start + at + 1)
}

fn first_word(line: &[u8]) -> String {
    String::from_utf8_lossy(line).split_whitespace().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(framing: Framing, bytes: &str, expected: Cut) {
        assert_eq!(cut(framing, bytes.as_bytes()), expected, "{bytes:?}");
    }

    #[test]
    fn several_lines_end_with_the_code_and_a_space() {
        let answer = "211-Features:\r\n SIZE\r\n211-still\r\n211 End\r\n";
        check(Framing::CodeLines, answer, Cut::Complete(answer.len(), "211".to_owned()));
        check(Framing::CodeLines, "211-Features:\r\n SIZE\r\n", Cut::Incomplete);
        check(Framing::CodeLines, "220 hi\r\n331 x\r\n", Cut::Complete(8, "220".to_owned()));
        check(Framing::CodeLines, "22", Cut::Incomplete);
        check(Framing::CodeLines, "hello\r\n", Cut::Malformed);
        check(Framing::CodeLines, "22\n", Cut::Malformed);
        check(Framing::CodeLines, "220\n", Cut::Complete(4, "220".to_owned()));
    }

    #[test]
    fn a_text_ends_with_a_line_that_is_a_dot() {
        assert_eq!(dot_end(b"+OK\r\n1 2\r\n.\r\nrest", 5), Some(13));
        assert_eq!(dot_end(b"+OK\r\n..\r\n.x\r\n.", 5), None);
        assert_eq!(dot_end(b"+OK\r\n", 5), None);
    }

    #[test]
    fn headers_have_a_body() {
        let answer = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 3\r\n\r\nabc";
        check(Framing::Headers, answer, Cut::Complete(answer.len(), "200".to_owned()));
        check(Framing::Headers, &answer[..answer.len() - 1], Cut::Incomplete);
        check(Framing::Headers, "RTSP/1.0 454 No\r\n\r\nrest", Cut::Complete(19, "454".to_owned()));
        check(Framing::Headers, "nonsense\r\n\r\n", Cut::Malformed);
    }

    #[test]
    fn media_between_answers_is_told_from_them() {
        let frame = b"$\x00\x00\x03abc";
        let mut bytes = [&frame[..], frame, b"RTSP/1.0 200 OK\r\n\r\n"].concat();
        assert_eq!(media(Framing::Headers, &bytes), 14);
        assert_eq!(cut(Framing::Headers, &bytes[14..]), Cut::Complete(19, "200".to_owned()));
        bytes.truncate(12);
        assert_eq!(media(Framing::Headers, &bytes), 7);
        assert_eq!(cut(Framing::Headers, &bytes[7..]), Cut::Incomplete);
        assert_eq!(media(Framing::CodeLines, frame), 0);
    }

    #[test]
    fn a_line_begins_with_its_code() {
        check(Framing::Line, "+OK ready\r\n+OK", Cut::Complete(11, "+OK".to_owned()));
    }
}
