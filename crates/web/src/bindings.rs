//! The functions of the WebAssembly module.
//!
//! Invariant: arguments are texts, JSON where they have parts. Results are JSON, or a [`Parcel`] where they have many numbers. A panic throws an
//! error with its message.

use std::{mem, panic};

use page::numbers::Numbers;
use results::OutputFile;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{Case, EndOfRun, ResultData, Session};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = globalThis, js_name = simulatorPanicked)]
    fn panicked(message: &str);
}

/// Tells the worker the message of a panic, which ends the module.
#[wasm_bindgen(start)]
pub fn start() {
    panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}

/// Returns the scenarios that ship, as JSON.
#[wasm_bindgen]
#[must_use]
pub fn scenarios() -> String {
    json(&crate::scenarios())
}

/// Checks a case, as JSON.
///
/// # Errors
/// If the case is not JSON.
#[wasm_bindgen]
pub fn check(case: &str) -> Result<String, String> {
    Ok(json(&crate::check(&read(case)?)))
}

/// JSON, and the arrays of numbers whose ranges it names. Each part is taken once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Parcel {
    names: String,
    numbers: Numbers,
}

#[wasm_bindgen]
impl Parcel {
    /// Takes the JSON.
    #[must_use]
    pub fn names(&mut self) -> String {
        mem::take(&mut self.names)
    }

    /// Takes the values.
    #[must_use]
    pub fn floats(&mut self) -> Vec<f64> {
        mem::take(&mut self.numbers.floats)
    }

    /// Takes the shares, in ten-thousandths.
    #[must_use]
    pub fn shorts(&mut self) -> Vec<u16> {
        mem::take(&mut self.numbers.shorts)
    }
}

/// A run in steps.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Run(Session);

#[wasm_bindgen]
impl Run {
    /// Begins the run of a case, as JSON.
    ///
    /// # Errors
    /// The end of the run as JSON, if it cannot begin.
    #[wasm_bindgen(constructor)]
    pub fn new(case: &str) -> Result<Run, String> {
        Session::new(&read(case)?).map(Self).map_err(|end| json(&end))
    }

    /// Returns the sampling interval in s.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn sample_s(&self) -> f64 {
        self.0.sample_s()
    }

    /// Advances by a simulated time in s. Returns true once the run is over.
    ///
    /// # Errors
    /// The end of the run as JSON, if it has failed.
    pub fn advance(&mut self, by_s: f64) -> Result<bool, String> {
        self.0.advance(by_s).map_err(|end: EndOfRun| json(&end))
    }

    /// Returns the graph of the fabric as JSON.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn graph(&self) -> String {
        json(&self.0.graph())
    }

    /// Returns the progress since the last call.
    #[must_use]
    pub fn progress(&mut self) -> Parcel {
        let mut numbers = Numbers::default();
        Parcel { names: json(&self.0.progress(&mut numbers)), numbers }
    }

    /// Ends a run that is over.
    ///
    /// # Errors
    /// The end of the run as JSON, if it has failed.
    pub fn finish(self, elapsed_s: f64) -> Result<Results, String> {
        let ResultData { digest, page, numbers, mut files } =
            self.0.finish(elapsed_s).map_err(|end| json(&end))?;
        files.reverse();
        Ok(Results { digest, page: Some(Parcel { names: page, numbers }), files })
    }
}

/// Results of a run. Each part is taken once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Results {
    digest: String,
    page: Option<Parcel>,
    /// Files, the last one first.
    files: Vec<OutputFile>,
}

#[wasm_bindgen]
impl Results {
    /// Returns the digest of the run, in hexadecimal.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn digest(&self) -> String {
        self.digest.clone()
    }

    /// Takes the data of the report's page.
    #[must_use]
    pub fn page(&mut self) -> Option<Parcel> {
        self.page.take()
    }

    /// Returns the name of the next file, if there is one.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn file(&self) -> Option<String> {
        self.files.last().map(|file| file.name.clone())
    }

    /// Takes the contents of the next file, in UTF-8.
    #[must_use]
    pub fn contents(&mut self) -> Vec<u8> {
        self.files.pop().map_or_else(Vec::new, |file| file.contents.into_bytes())
    }
}

fn json(of: &impl serde::Serialize) -> String {
    serde_json::to_string(of).expect("data are plain")
}

fn read(case: &str) -> Result<Case, String> {
    serde_json::from_str(case).map_err(|error| format!("a case: {error}"))
}
