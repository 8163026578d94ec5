//! Former names of columns, which readers refuse with the present name.

use super::{PortRow, RootRow};
use crate::column;
use crate::table::TableRow;

/// A renamed column: its file, its former name, its present name.
type RenamedColumn = (&'static str, &'static str, &'static str);

const RENAMED: [RenamedColumn; 3] = [
    (PortRow::FILE, "without_credit_s", column!(PortRow: stalled_s)),
    (PortRow::FILE, "no_credit_samples", column!(PortRow: stalled_samples)),
    (RootRow::FILE, "branches_without_credit_s", column!(RootRow: branches_stalled_s)),
];

/// Returns the former and the present name of the first renamed column in the header of a file; `None` if all names are
/// present names.
#[must_use]
pub fn renamed(file: &str, header: &str) -> Option<(&'static str, &'static str)> {
    let has = |former: &str| header.split(',').any(|name| name == former);
    let found = RENAMED.iter().find(|(of, former, _)| *of == file && has(former));
    found.map(|(_, former, present)| (*former, *present))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_columns_of_no_table_and_present_names_are() {
        for (file, former, present) in RENAMED {
            let columns = crate::schema::columns(file);
            let has = |name: &str| columns.iter().any(|column| column.name == name);
            assert!(has(present) && !has(former), "{file}: {former} is {present}");
            assert_eq!(renamed(file, &format!("node,{former},peer")), Some((former, present)));
        }
        assert_eq!(renamed(PortRow::FILE, "node,not_without_credit_s"), None);
        assert_eq!(renamed(RootRow::FILE, "node,without_credit_s"), None);
    }
}
