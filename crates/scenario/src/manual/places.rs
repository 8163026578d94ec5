//! Every place with fields or choices of its own, each type once.
//!
//! Invariant: a type stands where the file has it first; later places refer to it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entry::{joined, parts, variants};
use super::kind::{Shape, definition, present};
use crate::format::schema::SCHEMA;

/// A place with fields or choices.
pub(super) struct ManualPlace {
    pub(super) path: String,
    pub(super) schema: &'static Value,
    pub(super) required: bool,
    /// True for fields of a choice, which the entry of the choice shows.
    pub(super) within: bool,
    /// Other places of the same type.
    pub(super) also: Vec<String>,
}

/// All places.
pub(super) struct Places {
    /// Places with fields or choices, in the order of the file.
    pub(super) all: Vec<ManualPlace>,
    /// The first place of each type, as an index into `all`, by the type's name in the schema.
    first: BTreeMap<&'static str, usize>,
    /// Paths of all fields.
    pub(super) fields: Vec<String>,
}

impl Places {
    /// Goes through all fields of a scenario.
    pub(super) fn new() -> Self {
        let mut places = Self { all: Vec::new(), first: BTreeMap::new(), fields: Vec::new() };
        places.visit(String::new(), &SCHEMA, (true, false));
        places
    }

    fn visit(&mut self, path: String, schema: &'static Value, (required, of_choice): (bool, bool)) {
        let value = present(schema);
        let name = definition(value).map(|name| self.same_type(name));
        match Shape::of(value) {
            Shape::Single(_) => {}
            Shape::List(items) => self.visit(format!("{path}[]"), items, (required, false)),
            Shape::Map(values) => self.visit(joined(&path, "NAME"), values, (required, false)),
            Shape::Tuple(places) => {
                for place in places {
                    self.visit(format!("{path}[]"), place, (required, false));
                }
            }
            Shape::Fields(_) | Shape::Choice(_) if name.is_some_and(|name| self.first.contains_key(name)) => {
                let first = name.map(|name| self.first[name]).expect("the arm's condition");
                self.all[first].also.push(path);
            }
            Shape::Fields(own) => {
                self.enter(&path, schema, (required, of_choice && name.is_none()), name);
                for (field, schema, required) in parts(own) {
                    let path = joined(&path, field);
                    self.fields.push(path.clone());
                    self.visit(path, schema, (required, false));
                }
            }
            Shape::Choice(own) => {
                self.enter(&path, schema, (required, false), name);
                for (choice, content, _) in variants(own) {
                    if let Some(content) = content {
                        self.visit(joined(&path, choice), content, (true, true));
                    }
                }
            }
        }
    }

    fn enter(
        &mut self,
        path: &str,
        schema: &'static Value,
        (required, within): (bool, bool),
        name: Option<&'static str>,
    ) {
        if let Some(name) = name {
            self.first.insert(name, self.all.len());
        }
        self.all.push(ManualPlace { path: path.to_owned(), schema, required, within, also: Vec::new() });
    }

    /// Returns the first type that reads the same as the type of this name, or the name itself: types of settings in
    /// memory may have several forms in which they are written.
    fn same_type(&self, name: &'static str) -> &'static str {
        let types = &SCHEMA["$defs"];
        self.first.keys().find(|known| types[**known] == types[name]).copied().unwrap_or(name)
    }

    /// Returns the path of the entry that describes the values of a schema, or those in it; `None` for values without
    /// parts, and for the fields of a choice.
    pub(super) fn entry(&self, schema: &Value) -> Option<String> {
        let value = present(schema);
        match Shape::of(value) {
            Shape::Single(_) | Shape::Tuple(_) => None,
            Shape::List(items) | Shape::Map(items) => self.entry(items),
            Shape::Fields(_) | Shape::Choice(_) => {
                let types = &SCHEMA["$defs"];
                let own = &types[definition(value)?];
                let (_, place) = self.first.iter().find(|(known, _)| types[**known] == *own)?;
                Some(self.all[*place].path.clone())
            }
        }
    }
}
