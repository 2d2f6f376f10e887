//! Times as far as ordering needs them.

/// A time as a number that orders it among the times of the same log: nanoseconds since 1970, or since
/// midnight when there is no date, or simply the number that stands there.
///
/// Read are numbers and ISO 8601 with its usual relaxations: `2024-05-31T23:59:58.123+02:00`, a space for the
/// `T`, a slash or dot for the hyphen, a comma for the decimal point, no seconds, no zone, no date.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    // A fraction makes sense only if it counts, so numbers with a point are taken as seconds.
    if let Ok(number) = text.parse::<f64>() {
        let nanos = number * 1e9;
        return (nanos.is_finite() && nanos.abs() < 9e18).then_some(nanos as i64);
    }
    let (date, clock) = match text.split_once(['T', 't', ' ']) {
        Some((date, clock)) => (Some(date), clock),
        None if text.contains(':') => (None, text),
        None => (Some(text), ""),
    };
    let days = date.map_or(Some(0), days)?;
    let nanos = if clock.is_empty() { 0 } else { nanos_of_day(clock.trim())? };
    days.checked_mul(86_400_000_000_000)?.checked_add(nanos)
}

/// Days since 1970 of `year-month-day`.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split(['-', '/', '.']);
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // The year is taken to begin in March, which puts the leap day at its end.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468,
    )
}

/// Nanoseconds of `hour:minute[:second[.fraction]][zone]` in universal time.
fn nanos_of_day(clock: &str) -> Option<i64> {
    let zone = clock.find(['Z', 'z', '+', '-']);
    let (clock, zone) = zone.map_or((clock, ""), |at| clock.split_at(at));
    let mut parts = clock.trim().split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let (second, nanos) = match parts.next() {
        Some(seconds) => {
            let (whole, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
            let kept = fraction.get(..fraction.len().min(9))?;
            (number(whole, 2)?, number(kept, 9)? * 10_i64.pow(9 - kept.len() as u32))
        }
        None => (0, 0),
    };
    if parts.next().is_some() || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match zone {
        "" | "Z" | "z" => 0,
        _ => {
            let (sign, digits) = zone.split_at(1);
            let digits: String = digits.chars().filter(|&digit| digit != ':').collect();
            let minutes = match digits.len() {
                2 => number(&digits, 2)? * 60,
                4 => number(&digits[..2], 2)? * 60 + number(&digits[2..], 2)?,
                _ => return None,
            };
            if sign == "-" { -minutes } else { minutes }
        }
    };
    Some((((hour * 60 + minute - offset) * 60) + second) * 1_000_000_000 + nanos)
}

/// A number of at most `digits` digits and nothing else.
fn number(text: &str, digits: usize) -> Option<i64> {
    let fits = !text.is_empty() && text.len() <= digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        let seconds = |text| parse(text).map(|nanos| nanos as f64 / 1e9);
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(seconds("2024-02-29T12:30:15.5+02:00"), Some(1_709_202_615.5));
        assert_eq!(seconds("2024/02/29 10:30:15,500"), Some(1_709_202_615.5));
        assert_eq!(seconds("1969-12-31 23:59:59Z"), Some(-1.0));
        assert_eq!(seconds("2000-03-01"), Some(951_868_800.0));
        assert_eq!(seconds("01:02"), Some(3720.0));
        assert_eq!(parse("17"), Some(17));
        assert_eq!(parse("1.5"), Some(1_500_000_000));
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "12:61",
            "1e999",
            "2024-02",
            "2024-02-29T1:2:3:4",
            "NaN",
            "1:2+é",
            "-:",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
