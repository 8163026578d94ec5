//! A run by several ranks: processes of which each handles some parts, on one thread for each part.
//!
//! Invariant: rank 0 leads. It alone has instruments, decides how far all go, and ends the run; the others do what it orders.
//! Between two advances it has an image of every part, so that it looks at the fabric as a run in one process does.
//!
//! ```text
//! rank 0   order: advance to T    windows    order: save    load images    instruments look    order: advance ...
//! others   .......... wait ....   windows    ............   send parts     ........... wait ................
//!                                (all meet after each)
//! ```
//!
//! | module | contents |
//! |---|---|
//! | here | the parts of each rank |
//! | `order` | the orders of rank 0 |
//! | `office` | the meetings of all threads of all ranks, and the mail between them |
//! | `leading` | the run, as rank 0 leads it |
//! | `following` | the work of the others |

pub(crate) mod following;
pub(crate) mod leading;
mod office;
mod order;

use core::ops::Range;

/// Returns the parts of a rank: neighbours, since parts are numbered by their first nodes.
fn parts_of(rank: usize, ranks: usize, parts: usize) -> Range<usize> {
    rank * parts / ranks..(rank + 1) * parts / ranks
}

/// Returns the rank that a part belongs to.
fn rank_of(part: usize, ranks: usize, parts: usize) -> usize {
    ((part + 1) * ranks - 1) / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_belongs_to_one_rank_and_no_rank_is_idle() {
        for ranks in 1..=6 {
            for parts in ranks..=20 {
                let all: Vec<_> = (0..ranks).map(|rank| parts_of(rank, ranks, parts)).collect();
                assert!(all.iter().all(|own| !own.is_empty()), "{all:?}");
                let owners: Vec<_> =
                    all.iter().enumerate().flat_map(|(rank, own)| own.clone().map(move |_| rank)).collect();
                let found: Vec<_> = (0..parts).map(|part| rank_of(part, ranks, parts)).collect();
                assert_eq!(found, owners, "{ranks} ranks, {parts} parts");
            }
        }
    }
}
