//! Forwarding tables: the output port of every switch for every host, linear as in IBA 14.2.5.10.
//!
//! Invariant: if a table has an entry for a host, following the tables reaches that host. No path loops, ends at
//! another host, or breaks off. Equal tables are stored once.
//!
//! | module | contents |
//! |---|---|
//! | [`group`] | the group of ports for a destination |
//! | [`table`] | the table of a switch |
//! | [`routes`] | the tables of all switches, and the layers of paths |
//! | `draft` | tables under construction |
//! | [`error`] | faults in the routing of a scenario |
//! | `min_hop` | tables by fewest links, chosen by destination or at random |
//! | `multipath` | tables with groups of ports: all shortest paths, or parallel cables |
//! | `up_down` | tables by paths that lead first up, then down, in any graph |
//! | `d_mod_k` | tables by the destination's number, in fat trees |
//! | `guided` | tables by a rule for the next switch: destination tags, dimension order, minimal in a dragonfly |
//! | `written` | entries that the scenario gives |
//! | [`tabled`] | tables that the scenario gives whole |
//! | `group_walks` | walks along tables with groups of ports |
//! | [`spec`] | the routing of a scenario as written |
//! | [`detour_spec`] | settings of non-minimal routes as written |
//! | [`detours`] | routes that need not be minimal: intermediate switches and lanes |
//! | [`lane_changes`] | changes of lane under way, for paths of several layers |
//! | `select` | the tables that a topology gets by it |
//!
//! A path also has a *layer*: a number that its source adds to a packet's service level. Packets that would wait for
//! each other in a cycle thus take different lanes. A packet keeps its lane all the way, unless switches change lanes
//! by [`lane_changes`].

mod d_mod_k;
pub mod detour_spec;
pub mod detours;
mod draft;
pub mod error;
pub mod group;
mod group_walks;
mod guided;
pub mod lane_changes;
mod min_hop;
mod multipath;
pub mod routes;
mod select;
pub mod spec;
pub mod table;
pub mod tabled;
mod up_down;
mod written;
