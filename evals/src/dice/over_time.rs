//! Number of refuted properties over time: one line for each class, as an SVG file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::Value;

use super::drive::{Adit, DRIVEN};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 45.0;

/// A class, and its points: seconds, and the number of properties refuted by then.
struct Line {
    class: &'static str,
    points: Vec<(f64, f64)>,
    all: f64,
}

/// Mines every class once with the paper's pipeline and draws what it refuted when.
pub(crate) fn run(adit: &Adit, seed: u64, out: &Path) -> Result<()> {
    let mut lines = Vec::new();
    for driven in DRIVEN {
        eprintln!("{}", driven.file);
        let mined = adit.mine(driven, &["--miner", "dice"], seed)?;
        let path = mined.folder().join("search.json");
        let text =
            fs::read(&path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
        let said: Value = serde_json::from_slice(&text).into_diagnostic()?;
        let points = said["points"].as_array().into_iter().flatten();
        let points: Vec<(f64, f64)> = points
            .filter_map(|point| Some((point["seconds"].as_f64()?, point["refuted"].as_f64()?)))
            .collect();
        let all = points.last().map_or(0.0, |point| point.1);
        println!("{}: {} refuted, the last after {:.1} s", driven.file, all, last_change(&points));
        lines.push(Line { class: driven.file, points, all });
    }
    fs::write(out, drawn(&lines))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", out.display()))
}

/// Time at which the number last changed.
fn last_change(points: &[(f64, f64)]) -> f64 {
    let end = points.last().map_or(0.0, |point| point.1);
    points.iter().find(|point| point.1 >= end).map_or(0.0, |point| point.0)
}

fn drawn(lines: &[Line]) -> String {
    let longest = lines.iter().flat_map(|line| &line.points).map(|point| point.0).fold(1.0, f64::max);
    let most = lines.iter().map(|line| line.all).fold(1.0, f64::max);
    let x = |seconds: f64| LEFT + seconds / longest * (WIDTH - LEFT - RIGHT);
    let y = |count: f64| HEIGHT - BOTTOM - count / most * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    for tick in 0..=4 {
        let (count, seconds) = (most * f64::from(tick) / 4.0, longest * f64::from(tick) / 4.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{count:.0}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{seconds:.1} s</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(count) + 4.0,
            x(seconds),
            HEIGHT - BOTTOM + 18.0,
            y = y(count),
        );
    }
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{:.1}\">properties refuted over time</text>", HEIGHT - 8.0);
    // Names stand at the right, moved apart where lines end close together.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&one, &other| lines[other].all.total_cmp(&lines[one].all));
    let mut lowest = TOP;
    for (place, index) in order.into_iter().enumerate() {
        let line = &lines[index];
        let dashes = ["none", "6 3", "2 3"][place % 3];
        let color = ["#1b6ca8", "#b3471d", "#2f7d32", "#6a3d9a"][place % 4];
        let mut path = String::new();
        let mut before: Option<f64> = None;
        for &(seconds, count) in &line.points {
            match before {
                None => write!(path, "M{:.1} {:.1}", x(seconds), y(count)),
                Some(_) => write!(path, " H{:.1} V{:.1}", x(seconds), y(count)),
            }
            .expect("a text takes everything");
            before = Some(count);
        }
        let label = (y(line.all) + 4.0).max(lowest);
        lowest = label + 14.0;
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{:.1}\" y=\"{label:.1}\" fill=\"{color}\">{} ({:.0})</text>",
            WIDTH - RIGHT + 8.0,
            line.class,
            line.all,
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_class_and_no_name_over_another() {
        let line = |class, all| Line { class, points: vec![(0.1, 0.0), (0.5, all)], all };
        let svg = drawn(&[line("one", 4.0), line("two", 4.0), line("three", 0.0)]);
        assert_eq!(svg.matches("<path").count(), 3);
        let heights: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("<path"))
            .map(|line| line.rsplit("y=\"").next().unwrap())
            .collect();
        assert_eq!(heights.iter().collect::<std::collections::BTreeSet<_>>().len(), 3, "{svg}");
    }

    #[test]
    fn the_last_counterexample_is_the_first_point_with_all() {
        assert!((last_change(&[(0.1, 0.0), (0.5, 3.0), (0.9, 3.0)]) - 0.5).abs() < 1e-9);
        assert!(last_change(&[]).abs() < 1e-9);
    }
}
