//! Files that are written, replaced and removed: the one place in the crates that changes what is on a disk.
//!
//! Invariant: nothing outside a folder that carries a manifest of this program is ever removed, and nothing there is replaced
//! unless the command line names it and asks for that. New files are written beside their places, and get there by a rename
//! once they are whole. A file that cannot be written leaves the former one as it was. Streams, such as terminals and pipes,
//! are written to and never removed. `cargo xtask tidy` finds other ways to write or remove a file.
//!
//! | module | contents |
//! |---|---|
//! | `part` | a file that is written beside its place |
//! | `new_file` | a file anywhere that the command line names |
//! | `owned` | a folder that carries a manifest: its files may be replaced and removed |
//! | `made` | folders that are made, and go again if nothing comes of it |
//! | `workshop` | a folder for results that are not whole yet |
//! | `lock` | a lock on a place, which one process holds |
//! | `own_file` | single files that this program has made, such as states of runs |
//! | `temporary` | what goes if the process ends before its work |

mod lock;
mod made;
mod new_file;
mod own_file;
mod owned;
mod part;
mod temporary;
mod workshop;

pub use lock::{Lock, LockError};
pub use made::MadeFolders;
pub use new_file::{NewFile, NewFileError, Replacing, write};
pub use own_file::{remove_own, replace_own};
pub use owned::OwnedFolder;
pub use part::Part;
pub use temporary::end_process;
pub use workshop::{Made, Workshop, sync_folder};
