//! The field that was probably meant.
//!
//! Invariant: a parameter of a vendor is answered with the field that has its meaning, before any that is spelled like it.

use cc_policies::dcqcn::vendor;
use settings::nearest::help;

/// Returns a help line for a field that is none of the `known` ones.
pub(crate) fn nearest_field(given: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let vendors = vendor::help(given).map(str::to_owned);
    vendors.unwrap_or_else(|| help(given, known, "fields here"))
}
