//! Colours, dashes, and estimated widths of text.
//!
//! Invariant: widths of text are estimates on the long side, since no font is read.

use super::svg::{Letters, Stroke};

/// Colours that can be distinguished under every common form of colour blindness (Okabe and Ito 2008). Black is left
/// out, and so is yellow, which is too light for a line on white.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/// Dashes and gaps, which tell lines apart without colours. Lines that coincide show through the gaps of those above.
const DASHES: [&str; 6] = ["", "8 4", "2 3", "9 3 2 3", "16 5", "9 3 2 3 2 3"];
/// Dashes of levels to compare lines with.
const LEVELS: [&str; 3] = ["7 4", "2 3", "10 3 2 3"];

pub(crate) const BLACK: &str = "#000000";
pub(crate) const GREY: &str = "#5c5c5c";
pub(crate) const FAINT: &str = "#e1e1e1";
/// Colour of shaded times.
pub(crate) const SHADE: &str = "#eeeeee";
/// Classes of a heat map, from low to high. Their brightness falls, so that they keep their order in print.
pub(crate) const HEAT: [&str; 6] = ["#f0f0f0", "#fddaa5", "#fdae61", "#e8743b", "#b2182b", "#4d0013"];

/// Returns the pen of a line by its place among the lines of a figure.
pub(crate) fn stroke(place: usize) -> Stroke {
    // Beyond the palette, each colour gets the next dash.
    let dash = DASHES[(place + place / COLOURS.len()) % DASHES.len()];
    Stroke { colour: COLOURS[place % COLOURS.len()], width: 1.8, dash }
}

/// Returns the pen of a level to compare lines with.
pub(crate) fn level(place: usize) -> Stroke {
    Stroke { colour: BLACK, width: 1.0, dash: LEVELS[place % LEVELS.len()] }
}

/// Returns a thin solid pen.
pub(crate) const fn hairline(colour: &'static str) -> Stroke {
    Stroke { colour, width: 1.0, dash: "" }
}

/// Returns black letters of a size in pixels.
pub(crate) const fn letters(size: f64) -> Letters {
    Letters { size, colour: BLACK, bold: false }
}

/// Returns the estimated width of a text, in pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let share = |letter: char| match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '(' | ')'
        | '[' | ']' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
        'A'..='Z' => 0.74,
        _ => 0.63,
    };
    text.chars().map(share).sum::<f64>() * size
}

/// Width of bold text over the width of other text.
pub(crate) const BOLD: f64 = 1.15;

/// Breaks a text into lines of at most `room` pixels, between words, or within a word that is longer than a line.
pub(crate) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + width(" ", size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
        while let Some(long) = lines.pop_if(|line| width(line, size) > room && line.chars().nth(1).is_some())
        {
            let (fits, rest) = split(&long, size, room);
            lines.extend([fits, rest]);
        }
    }
    lines
}

/// Splits a word in two, the first as long as fits, neither empty.
fn split(word: &str, size: f64, room: f64) -> (String, String) {
    let ends = word.char_indices().map(|(end, _)| end).skip(1);
    let fitting = ends.take_while(|end| width(&word[..*end], size) <= room).last();
    let first = word.chars().next().map_or(0, char::len_utf8);
    let (fits, rest) = word.split_at(fitting.unwrap_or(first));
    (fits.to_owned(), rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_palette_differ_in_colour_and_dash_and_further_ones_in_one_of_both() {
        let strokes: Vec<_> = (0..36).map(|place| (stroke(place).colour, stroke(place).dash)).collect();
        for (place, one) in strokes.iter().enumerate() {
            assert!(!strokes[..place].contains(one), "{place}");
            if place < COLOURS.len() {
                assert!(strokes[..place].iter().all(|other| other.0 != one.0 && other.1 != one.1));
            }
        }
    }

    #[test]
    fn text_is_broken_between_words_and_within_long_ones() {
        let lines = wrapped("a few words and onewordthatislongerthanaline", 10.0, 80.0);
        assert!(lines.len() > 3 && lines.iter().all(|line| width(line, 10.0) <= 80.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), "afewwordsandonewordthatislongerthanaline");
        assert_eq!(wrapped("", 10.0, 80.0), [""; 0]);
        assert_eq!(wrapped("ab", 10.0, 1.0), ["a", "b"]);
    }
}
