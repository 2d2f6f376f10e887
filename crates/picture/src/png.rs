//! A picture as PNG, for chats, slides and issue trackers that do not show SVG.

use std::collections::BTreeSet;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::letters;
use super::{DrawnCall, Picture, Style};

/// Pixels per unit of the picture, for high-resolution screens and zooming in.
const SCALE: f32 = 2.0;

/// Maximum number of pixels; larger pictures are rendered with lower resolution. 100 million take 400 MB of
/// memory.
const MOST_PIXELS: f32 = 100_000_000.0;

/// A rendered picture.
pub struct Painted {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Characters that appear as an empty frame because the font lacks them.
    pub lacking: BTreeSet<char>,
}

impl Picture {
    /// Renders the picture as PNG.
    pub fn png(&self, title: &str) -> Result<Painted, String> {
        let svg = self.svg(title, Style::Shapes);
        let tree = Tree::from_str(&svg, &Options::default()).map_err(|error| error.to_string())?;
        let (width, height) = (tree.size().width(), tree.size().height());
        let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
        let pixels = |length: f32| ((length * scale) as u32).max(1);
        let mut paper = Pixmap::new(pixels(width), pixels(height)).ok_or("it is too large")?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut paper.as_mut());
        let bytes = paper.encode_png().map_err(|error| error.to_string())?;
        let lacking = self.signs().filter(|&sign| !letters::has(sign)).collect();
        Ok(Painted { bytes, lacking })
    }

    /// Returns all characters in the picture.
    fn signs(&self) -> impl Iterator<Item = char> {
        fn shown(lines: &[Vec<DrawnCall>]) -> impl Iterator<Item = &str> {
            lines.iter().flatten().map(|call| call.shown.as_str())
        }
        let boxes = self.boxes.iter().flat_map(|one| {
            let said = one.title.iter().chain(&one.heard).map(String::as_str);
            said.chain(shown(&one.stays)).chain(shown(&one.refuses))
        });
        let notes = self.notes.iter().flat_map(|note| shown(&note.calls).chain(Some(note.target.as_str())));
        let arrows = self.arrows.iter().flat_map(|arrow| shown(&arrow.calls));
        boxes.chain(notes).chain(arrows).flat_map(str::chars)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use adit_automata::Builder;

    use crate::{Choice, draw};

    #[test]
    fn the_picture_is_painted_twice_as_large_and_has_ink() {
        let mut builder = Builder::new();
        builder.state(true);
        builder.state(true);
        builder.initial(0);
        builder.edge(0, "push".to_owned(), 1);
        builder.edge(1, "名:TRUE".to_owned(), 1);
        let picture = draw(&builder.build(), &BTreeSet::new(), Choice { pure: true, failures: false });
        let painted = picture.png("a").expect("a small picture");
        let pixels = resvg::tiny_skia::Pixmap::decode_png(&painted.bytes).expect("what was written is read");
        let svg = picture.svg("a", super::Style::Alone);
        assert!(svg.contains(&format!("width=\"{}\"", pixels.width() / 2)), "{svg}");
        let ink = |wanted: [u8; 3]| {
            pixels.pixels().iter().filter(|p| [p.red(), p.green(), p.blue()] == wanted).count()
        };
        assert!(ink([0x1b, 0x1f, 0x24]) > 200, "letters");
        assert!(ink([0xff, 0xff, 0xff]) > 5_000, "paper");
        assert!(ink([0x05, 0x50, 0xae]) > 100, "the frame of the initial state");
        assert_eq!(painted.lacking, BTreeSet::from(['名']));
    }
}
