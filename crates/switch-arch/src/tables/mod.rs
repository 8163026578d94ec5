//! Sets and tables by port, lane and virtual output queue. Everything else in a switch is made of them.
//!
//! | module | contents |
//! |---|---|
//! | `port_set` | [`PortSet`]: a set of ports as bit masks |
//! | `lane_table` | `LaneTable`: an entry for each port and lane |
//! | `sl_to_vl` | [`SlToVl`]: the lane of the next link, by input, output and service level |
//! | `voq_table` | `VoqTable`: an entry for each virtual output queue |

mod lane_table;
mod port_set;
mod sl_to_vl;
mod voq_table;

pub(crate) use self::lane_table::LaneTable;
pub use self::port_set::PortSet;
pub use self::sl_to_vl::SlToVl;
pub(crate) use self::voq_table::VoqTable;
