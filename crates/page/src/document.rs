//! The HTML of a page: head, policy, sections, data, script.
//!
//! Invariant: every text that a caller gives becomes [`Html`] here. The page refers to nothing outside it, except by
//! links that a reader follows.

use results::verdict::Verdict;
use serde::Serialize;

use super::GENERATOR;
use super::html::Html;
use super::modules::{UPLOT_LICENCE, script, style};
use super::policy::POLICY;

/// A page that is being written.
#[derive(Debug)]
pub(super) struct Document {
    title: String,
    navigation: Html,
    body: Html,
}

impl Document {
    /// Begins a page with its answer. `leads` are further sentences, a paragraph each.
    pub(super) fn new(title: &str, subtitle: &str, verdict: Option<&Verdict>, leads: &[String]) -> Self {
        let mut body = Html::default();
        body.push_line(Html::element("h1", &[], Html::text(title)));
        body.push_line(Html::element("p", &[("class", "subtitle")], Html::text(subtitle)));
        if let Some(verdict) = verdict {
            let part = |(label, text): (&'static str, &str)| {
                let label = Html::element("dt", &[], label);
                label.and(Html::element("dd", &[], Html::with_code(text))).and("\n")
            };
            let parts: Html = verdict.parts().into_iter().map(part).collect();
            body.push_line(Html::element("dl", &[("class", "verdict")], Html::fixed("\n").and(parts)));
        }
        for lead in leads {
            body.push_line(Html::element("p", &[("class", "lead")], Html::with_code(lead)));
        }
        Self { title: title.to_owned(), navigation: Html::default(), body }
    }

    /// Adds a section with a heading and sentences. The script puts its figure or tables into the element `figure-ID`.
    pub(super) fn section(&mut self, id: &str, heading: &str, sentences: &[String]) {
        let mut contents = Html::default();
        for sentence in sentences {
            contents.push_line(Html::element("p", &[], Html::with_code(sentence)));
        }
        contents.push_line(Html::element("div", &[("id", &format!("figure-{id}"))], ""));
        self.headed(id, heading, contents);
    }

    /// Adds a section with terms and their values, and long texts below them that open on demand.
    pub(super) fn terms(
        &mut self,
        id: &str,
        heading: &str,
        terms: &[(&str, String)],
        texts: &[(String, &str)],
    ) {
        let pair = |(term, value): &(&str, String)| {
            let term = Html::element("dt", &[], Html::text(term));
            term.and(Html::element("dd", &[], Html::text(value))).and("\n")
        };
        let mut contents = Html::default();
        contents.push_line(Html::element(
            "dl",
            &[],
            Html::fixed("\n").and(terms.iter().map(pair).collect::<Html>()),
        ));
        for (summary, text) in texts {
            let summary = Html::element("summary", &[], Html::text(summary));
            let text = Html::element("pre", &[("tabindex", "0")], Html::text(text));
            contents.push_line(Html::element("details", &[], summary.and(text)));
        }
        self.headed(id, heading, contents);
    }

    /// Adds a section with its heading, and its entry in the navigation.
    fn headed(&mut self, id: &str, heading: &str, contents: Html) {
        let entry = Html::element("a", &[("href", &format!("#{id}"))], Html::text(heading));
        self.navigation = std::mem::take(&mut self.navigation).and(entry).and(" ");
        let heading_id = format!("heading-{id}");
        let heading = Html::element("h2", &[("id", &heading_id)], Html::text(heading));
        let attributes = [("id", id), ("aria-labelledby", heading_id.as_str())];
        let inside = Html::fixed("\n").and(heading).and("\n").and(contents);
        self.body.push_line(Html::element("section", &attributes, inside));
    }

    /// Returns the page with the data of its script.
    pub(super) fn finish(mut self, data: &impl Serialize) -> String {
        let licence = [("Licence of uPlot, which draws the curves".to_owned(), UPLOT_LICENCE)];
        let here = [("Page", "It needs no network and no other file.".to_owned())];
        self.terms("page", "About this page", &here, &licence);
        let page =
            head(&self.title).and("<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n");
        let page = page.and("<header><nav aria-label=\"Sections\">").and(self.navigation.trimmed());
        let page = page.and("</nav><div id=\"controls\"></div></header>\n<main id=\"main\">\n").and(
            "<noscript><p class=\"warning\">Figures and tables need JavaScript; text and parameters are here without \
             it.</p></noscript>\n",
        );
        // The data are nearly all of the page, so they are written behind the rest, and not into an element first.
        let page = page.and(self.body).and("</main>\n<script type=\"application/json\" id=\"data\">");
        let page = page.and(Html::data(data)).and("</script>\n").and(Html::element("script", &[], script()));
        page.and("\n</body>\n</html>\n").into_string()
    }
}

/// Returns the beginning of a page, up to its body.
fn head(title: &str) -> Html {
    let policy =
        Html::fixed("<meta http-equiv=\"Content-Security-Policy\" content=\"").and(POLICY).and("\">\n");
    Html::fixed("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .and(policy)
        .and("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .and("<meta name=\"color-scheme\" content=\"light dark\">\n")
        .and(GENERATOR)
        .and("\n")
        .and(Html::element("title", &[], Html::text(title)))
        .and("\n")
        .and(Html::element("style", &[], style()))
        .and("\n</head>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_in_html_and_json() {
        let name = "<script>alert(1)</script><!-- \"'&";
        let [loss, cause, confidence, advice] = [(); 4].map(|()| name.to_owned());
        let kind = results::verdict::VerdictKind::Run;
        let verdict = Verdict { loss, cause, confidence, advice, kind, measure: None };
        let mut document = Document::new(name, name, Some(&verdict), &[name.to_owned()]);
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
