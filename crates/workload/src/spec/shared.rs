//! The fields that all patterns share.
//!
//! Invariant: a shared field is declared once, here. RON cannot place the fields of one struct among those of another
//! (serde's `flatten` makes a map of both), so a macro writes them into each pattern's own struct.

/// Declares the fields of a pattern: `name` and `group`, then the pattern's own.
macro_rules! pattern_spec {
    ($(#[$about:meta])* pub struct $spec:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $spec {
            /// Name of the pattern in tables and files, unlike that of any flow or other pattern. The start of a
            /// pattern with a name begins a phase, and so does its declared end. No name if left out.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Group whose flows are counted together. If left out, a pattern with a name is a group of its own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub group: Option<String>,
            $($own)*
        }

        impl $crate::spec::shared::Labelled for $spec {
            fn label(&self) -> $crate::spec::shared::Label<'_> {
                $crate::spec::shared::Label { name: self.name.as_deref(), group: self.group.as_deref() }
            }
        }
    };
}

pub(crate) use pattern_spec;

/// The names that a flow or pattern goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label<'a> {
    pub(crate) name: Option<&'a str>,
    /// The group as written.
    pub(crate) group: Option<&'a str>,
}

/// Something that a scenario can give a name and a group.
pub(crate) trait Labelled {
    /// Returns the names as written.
    fn label(&self) -> Label<'_>;
}
