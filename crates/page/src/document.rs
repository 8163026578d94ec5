//! The HTML of a page: head, policy, sections, data, script.
//!
//! Invariant: every text that a caller gives is escaped here. The page refers to nothing outside it, except by links
//! that a reader follows.

use std::fmt::Write as _;

use names::json;
use names::markup::quoted as escaped;
use serde::Serialize;

use super::GENERATOR;
use super::base64::base64;
use super::modules::{UPLOT_LICENCE, script, style};
use super::sha256::sha256;

/// A page that is being written.
#[derive(Debug)]
pub(super) struct Document {
    title: String,
    navigation: String,
    body: String,
}

impl Document {
    /// Begins a page. `leads` are its first sentences, a paragraph each.
    pub(super) fn new(title: &str, subtitle: &str, leads: &[String]) -> Self {
        let mut body =
            format!("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", escaped(title), escaped(subtitle));
        for lead in leads {
            let _ = writeln!(body, "<p class=\"lead\">{}</p>", with_code(lead));
        }
        Self { title: title.to_owned(), navigation: String::new(), body }
    }

    /// Adds a section with a heading and sentences. The script puts its figure or tables into the element `figure-ID`.
    pub(super) fn section(&mut self, id: &str, heading: &str, sentences: &[String]) {
        let _ = write!(self.navigation, "<a href=\"#{id}\">{}</a> ", escaped(heading));
        let _ = writeln!(
            self.body,
            "<section id=\"{id}\" aria-labelledby=\"heading-{id}\">\n<h2 id=\"heading-{id}\">{}</h2>",
            escaped(heading)
        );
        for sentence in sentences {
            let _ = writeln!(self.body, "<p>{}</p>", with_code(sentence));
        }
        let _ = writeln!(self.body, "<div id=\"figure-{id}\"></div>\n</section>");
    }

    /// Adds a section with terms and their values, and long texts below them that open on demand.
    pub(super) fn terms(
        &mut self,
        id: &str,
        heading: &str,
        terms: &[(&str, String)],
        texts: &[(String, &str)],
    ) {
        let _ = write!(self.navigation, "<a href=\"#{id}\">{}</a> ", escaped(heading));
        let _ = writeln!(
            self.body,
            "<section id=\"{id}\" aria-labelledby=\"heading-{id}\">\n<h2 id=\"heading-{id}\">{}</h2>\n<dl>",
            escaped(heading)
        );
        for (term, value) in terms {
            let _ = writeln!(self.body, "<dt>{}</dt><dd>{}</dd>", escaped(term), escaped(value));
        }
        self.body += "</dl>\n";
        for (summary, text) in texts {
            let _ = writeln!(
                self.body,
                "<details><summary>{}</summary><pre tabindex=\"0\">{}</pre></details>",
                escaped(summary),
                escaped(text)
            );
        }
        self.body += "</section>\n";
    }

    /// Returns the page with the data of its script.
    ///
    /// # Panics
    /// Never: data are plain.
    pub(super) fn finish(mut self, data: &impl Serialize) -> String {
        let licence = [("Licence of uPlot, which draws the curves".to_owned(), UPLOT_LICENCE)];
        let here = [("Page", "It needs no network and no other file.".to_owned())];
        self.terms("page", "About this page", &here, &licence);
        let (style, script) = (style(), script());
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
            hash(&script),
            hash(&style)
        );
        // `<` has no meaning in JSON but within strings, where the escape stands for it.
        let data =
            json::escaped(serde_json::to_string(data).expect("data are plain")).replace('<', "\\u003c");
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             {GENERATOR}\n\
             <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the results</a>\n\
             <header><nav aria-label=\"Sections\">{}</nav><div id=\"controls\"></div></header>\n\
             <main id=\"main\">\n<noscript><p class=\"warning\">Figures and tables need JavaScript; text and parameters \
             are here without it.</p></noscript>\n{}</main>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            escaped(&self.title),
            self.navigation.trim_end(),
            self.body
        )
    }
}

/// Returns the source expression of a text in a policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text)))
}

/// Returns a text as HTML, with the parts between backquotes as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(text); // A backquote has no partner.
    }
    let part = |(place, part): (usize, &&str)| match place % 2 {
        1 => format!("<code>{}</code>", escaped(part)),
        _ => escaped(part),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backquotes_in_pairs_are_code() {
        assert_eq!(with_code("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(with_code("a `<b> c"), "a `&lt;b&gt; c");
    }

    #[test]
    fn names_are_text_in_html_and_json() {
        let name = "<script>alert(1)</script><!-- \"'&";
        let mut document = Document::new(name, name, &[name.to_owned()]);
        document.section("a", name, &[name.to_owned()]);
        document.terms("b", name, &[("term", name.to_owned())], &[(name.to_owned(), name)]);
        let page = document.finish(&[name]);
        assert_eq!(page.matches("<script").count(), 2, "data and script");
        assert!(!page.contains("alert(1)<") && !page.contains("<!--"));
        let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let read: Vec<String> =
            serde_json::from_str(data.expect("the page has data")).expect("data are JSON");
        assert_eq!(read, [name]);
    }
}
