//! Elements of an SVG file.
//!
//! Invariant: numbers have at most one decimal, text is escaped, and every group that is opened is closed.
//!
//! The crates that draw charts as SVG (`plotters`) have no clip paths, no dashes and neither `<title>` nor `<desc>`.

use std::fmt::Write as _;

use names::markup::content as escaped;

/// A rectangle, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// The pen of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub colour: &'static str,
    /// Width, in pixels.
    pub width: f64,
    /// Lengths of dashes and gaps, in pixels; empty for a solid line.
    pub dash: &'static str,
}

/// The place of text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Letters {
    /// Size, in pixels.
    pub size: f64,
    pub colour: &'static str,
    pub bold: bool,
}

#[derive(Debug)]
pub(crate) struct SvgFile {
    text: String,
    clips: usize,
}

impl SvgFile {
    /// Begins a white picture.
    pub(crate) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut text = String::new();
        let (width, height) = (number(width), number(height));
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" role=\"img\">"
        );
        let _ = writeln!(text, "<title>{}</title>", escaped(title));
        let _ = writeln!(text, "<desc>{}</desc>", escaped(description));
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
        Self { text, clips: 0 }
    }

    pub(crate) fn rectangle(&mut self, area: Area, fill: &str) {
        let _ = writeln!(self.text, "<rect {} fill=\"{fill}\"/>", place(area));
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.curve(&[from, to], stroke);
    }

    /// Draws straight lines from point to point.
    pub(crate) fn curve(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let (path, pen) = (path(points), pen(stroke));
        let _ = writeln!(self.text, "<path d=\"{path}\" fill=\"none\" {pen}/>");
    }

    /// Fills the polygon of these corners, so densely (0 to 1).
    pub(crate) fn polygon(&mut self, corners: &[(f64, f64)], fill: &str, opacity: f64) {
        let path = path(corners);
        let _ = writeln!(self.text, "<path d=\"{path}Z\" fill=\"{fill}\" fill-opacity=\"{opacity}\"/>");
    }

    /// Fills all rectangles as a single shape.
    pub(crate) fn rectangles(&mut self, areas: &[Area], fill: &str) {
        let mut path = String::new();
        for area in areas {
            let (left, top) = (number(area.left), number(area.top));
            let (right, bottom) = (number(area.right), number(area.bottom));
            let _ = write!(path, "M{left} {top}H{right}V{bottom}H{left}Z");
        }
        let _ = writeln!(self.text, "<path d=\"{path}\" fill=\"{fill}\"/>");
    }

    pub(crate) fn dot(&mut self, at: (f64, f64), radius: f64, fill: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let _ =
            writeln!(self.text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\"/>", number(radius));
    }

    /// Draws a dot with a text as its tooltip.
    pub(crate) fn named_dot(&mut self, at: (f64, f64), radius: f64, fill: &str, stroke: Stroke, name: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{fill}\" {}><title>{}</title></circle>",
            number(radius),
            pen(stroke),
            escaped(name)
        );
    }

    /// Draws a polygon with a text as its tooltip.
    pub(crate) fn named_polygon(&mut self, corners: &[(f64, f64)], fill: &str, stroke: Stroke, name: &str) {
        let (path, pen, name) = (path(corners), pen(stroke), escaped(name));
        let _ = writeln!(self.text, "<path d=\"{path}Z\" fill=\"{fill}\" {pen}><title>{name}</title></path>");
    }

    /// Writes a text. Its baseline begins, is centred or ends at a point.
    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, letters: Letters, text: &str) {
        self.write(at, anchor, letters, text, "");
    }

    /// Writes a text that runs upwards, centred at a point.
    pub(crate) fn upward_text(&mut self, at: (f64, f64), letters: Letters, text: &str) {
        let turn = format!(" transform=\"rotate(-90 {} {})\"", number(at.0), number(at.1));
        self.write(at, Anchor::Middle, letters, text, &turn);
    }

    fn write(&mut self, at: (f64, f64), anchor: Anchor, letters: Letters, text: &str, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if letters.bold { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            self.text,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{anchor}{weight}{more}>{}</text>",
            number(at.0),
            number(at.1),
            number(letters.size),
            letters.colour,
            escaped(text)
        );
    }

    /// Draws nothing outside of an area, until [`SvgFile::unclip`].
    pub(crate) fn clip(&mut self, area: Area) {
        self.clips += 1;
        let id = self.clips;
        let _ = write!(self.text, "<clipPath id=\"plot{id}\">");
        let _ = writeln!(self.text, "<rect {}/></clipPath>", place(area));
        let _ = writeln!(self.text, "<g clip-path=\"url(#plot{id})\">");
    }

    pub(crate) fn unclip(&mut self) {
        self.text.push_str("</g>\n");
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn place(area: Area) -> String {
    let [x, y, width, height] = [area.left, area.top, area.width(), area.height()].map(number);
    format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"")
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (place, (x, y)) in points.iter().enumerate() {
        let command = if place == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{} {}", number(*x), number(*y));
    }
    path
}

fn pen(stroke: Stroke) -> String {
    let dash =
        if stroke.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", stroke.dash) };
    format!("stroke=\"{}\" stroke-width=\"{}\"{dash}", stroke.colour, number(stroke.width))
}

/// Returns a length in pixels with at most one decimal.
fn number(pixels: f64) -> String {
    // Adding zero turns -0 into 0.
    let tenths = (pixels * 10.0).round() + 0.0;
    format!("{}", tenths / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_one_decimal() {
        assert_eq!([1.0, -0.04, 2.25, 1e5 / 3.0].map(number), ["1", "0", "2.3", "33333.3"]);
    }

    #[test]
    fn text_is_escaped_and_groups_are_closed() {
        let mut file = SvgFile::new(10.0, 20.0, "a < b", "c & d");
        let area = Area { left: 0.0, top: 0.0, right: 5.0, bottom: 5.0 };
        file.clip(area);
        let letters = Letters { size: 12.0, colour: "#000000", bold: false };
        file.text((1.0, 2.0), Anchor::End, letters, "x > y");
        file.unclip();
        let drawn = file.finish();
        for part in ["<title>a &lt; b</title>", "<desc>c &amp; d</desc>", ">x &gt; y</text>"] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
        assert_eq!(drawn.matches("<g ").count(), drawn.matches("</g>").count());
    }
}
