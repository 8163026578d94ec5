//! HTML that is escaped by its type.
//!
//! Invariant: [`Html`] holds markup of this program and text of others. Markup comes from literals alone, and text only
//! through [`Html::text`], which escapes it and shows characters that would act on a page.
//!
//! | piece | made of |
//! |---|---|
//! | [`Html::fixed`] | markup that is known when the program is built |
//! | [`Html::text`], [`Html::with_code`] | any text |
//! | [`Html::element`] | a known name, any values of attributes, and a piece |
//! | [`Html::data`] | values as JSON, for an element `script` |

use names::{json, markup};
use serde::Serialize;

/// A piece of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn fixed(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    pub(super) fn text(text: &str) -> Self {
        Self(markup::quoted(text))
    }

    /// Returns a text with its parts between backquotes as code.
    pub(super) fn with_code(text: &str) -> Self {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return Self::text(text); // A backquote has no partner.
        }
        let part = |(place, part): (usize, &&str)| match place % 2 {
            1 => Self::element("code", &[], Self::text(part)),
            _ => Self::text(part),
        };
        parts.iter().enumerate().map(part).collect()
    }

    /// Returns an element with its end.
    pub(super) fn element(
        name: &'static str,
        attributes: &[(&'static str, &str)],
        contents: impl Into<Self>,
    ) -> Self {
        let attributes: String =
            attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", markup::quoted(value))).collect();
        Self(format!("<{name}{attributes}>{}</{name}>", contents.into().0))
    }

    /// Returns values as JSON that cannot end its element: `<` stands in strings alone, where an escape means the same.
    ///
    /// # Panics
    /// Never: the values are plain data.
    pub(super) fn data(values: &impl Serialize) -> Self {
        let text = json::escaped(serde_json::to_string(values).expect("data are plain"));
        Self(text.replace('<', "\\u003c"))
    }

    /// Returns this piece with another behind it.
    pub(super) fn and(mut self, next: impl Into<Self>) -> Self {
        self.0 += &next.into().0;
        self
    }

    /// Adds a piece and the end of a line.
    pub(super) fn push_line(&mut self, next: impl Into<Self>) {
        self.0 += &next.into().0;
        self.0.push('\n');
    }

    /// Returns this piece without blanks at its end.
    pub(super) fn trimmed(mut self) -> Self {
        self.0.truncate(self.0.trim_end().len());
        self
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// A literal is markup.
impl From<&'static str> for Html {
    fn from(markup: &'static str) -> Self {
        Self::fixed(markup)
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Self>>(pieces: T) -> Self {
        pieces.into_iter().fold(Self::default(), Self::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backquotes_in_pairs_are_code() {
        let with_code = |text| Html::with_code(text).into_string();
        assert_eq!(with_code("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(with_code("a `<b> c"), "a `&lt;b&gt; c");
    }

    #[test]
    fn texts_and_attributes_hold_no_markup() {
        let hostile = "\"><script>'&\u{202e}";
        let element = Html::element("p", &[("id", hostile)], Html::text(hostile)).and("<br>").into_string();
        let shown = "&quot;&gt;&lt;script&gt;&#39;&amp;&lt;U+202E&gt;";
        assert_eq!(element, format!("<p id=\"{shown}\">{shown}</p><br>"));
        assert_eq!(Html::data(&["</script>"]).into_string(), "[\"\\u003c/script>\"]");
    }
}
