//! `web-bindings MODULE FOLDER`: the JavaScript by which a page calls a WebAssembly module, and the module without its descriptions.
//!
//! Invariant: the version of the library is that of the `wasm-bindgen` of the module; the library refuses another.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: web-bindings MODULE FOLDER");
        return ExitCode::from(2);
    };
    let written = Bindgen::new().input_path(module).web(true).and_then(|bindgen| {
        bindgen.typescript(true).omit_default_module_path(true).remove_name_section(true).generate(folder)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("error: {cause:#}");
            ExitCode::FAILURE
        }
    }
}
