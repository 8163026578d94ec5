//! The schema of a scenario: every field with its type, range, default and documentation.
//!
//! Invariant: the file `schema.json` is what the types say, one type a line. `cargo xtask bless` writes it anew after a type has changed; a
//! test compares them. A program only reads the file: the code that makes a schema of each type was a twentieth of the
//! playground's module.

use std::sync::LazyLock;

use serde_json::Value;

/// The schema of a scenario. Types stand in its definitions, once each, and fields refer to them: see [`resolved`].
pub(crate) static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("schema.json")).expect("a test reads it"));

/// Start of a reference to one of the schema's definitions.
pub(crate) const DEFINITION: &str = "#/$defs/";

/// Follows references to the schema of a type.
pub(crate) fn resolved(mut schema: &Value) -> &Value {
    while let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix(DEFINITION).expect("references lead to definitions");
        schema = &SCHEMA["$defs"][name];
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use schemars::generate::SchemaSettings;

    use super::*;
    use crate::format::Scenario;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/format/schema.json");

    /// Returns a schema as the file has it: each definition on a line.
    fn written(schema: &Value) -> String {
        let Value::Object(parts) = schema else { panic!("a schema of a struct is an object: {schema}") };
        let lines: Vec<_> = parts
            .iter()
            .map(|(name, part)| {
                match part.as_object().filter(|_| ["$defs", "properties"].contains(&name.as_str())) {
                    None => format!("\"{name}\":{part}"),
                    Some(inner) => {
                        let inner: Vec<_> =
                            inner.iter().map(|(name, part)| format!("\"{name}\":{part}")).collect();
                        format!("\"{name}\":{{\n{}\n}}", inner.join(",\n"))
                    }
                }
            })
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    #[test]
    fn the_file_is_what_the_types_say() {
        let generator = SchemaSettings::draft2020_12().into_generator();
        let of_types = generator.into_root_schema_for::<Scenario>().to_value();
        let wanted = written(&of_types);
        if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            fs::write(FILE, wanted).expect("the file can be written");
            return;
        }
        let present = fs::read_to_string(FILE).expect("the file is there");
        let differs = present.lines().zip(wanted.lines()).find(|(present, wanted)| present != wanted);
        assert_eq!(differs, None, "`cargo xtask bless` writes schema.json anew");
        assert_eq!(present, wanted, "`cargo xtask bless` writes schema.json anew");
        assert_eq!(*SCHEMA, of_types, "reading loses nothing");
    }
}
