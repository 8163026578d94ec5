//! Selection: the port that a packet takes, of a group of ports that lead to its destination.
//!
//! Invariant: a selector chooses a port of the group, once a packet, on its arrival. Its choices follow from the packets
//! of its own switch in the order of their arrival, from the switch's load and from a random stream of its own, so no
//! division of a run into parts changes them.
//!
//! | module | contents |
//! |---|---|
//! | `selector` | the trait [`Selector`], with the choice that it makes and the [`Loads`] that it sees |
//! | `hash`, `random`, `round_robin`, `least_loaded` | selectors that choose for each packet |
//! | `packetwise` | the closed set of selectors that a flowlet may choose by |
//! | `flowlet` | a flow keeps its port until a gap between its packets |
//! | `any` | [`AnySelector`]: the closed set of all |
//! | `chooser` | `Selection`: the selector of a switch, the packets that it is for, and the count of its choices |
//!
//! Ports that are down are no candidates. Preferred ports of a group come before the others, which only count once no
//! preferred port is up.

mod any;
mod chooser;
mod flowlet;
mod hash;
mod least_loaded;
mod packetwise;
mod random;
mod round_robin;
mod selector;

pub use self::any::AnySelector;
pub(crate) use self::chooser::{Selection, SwitchLoads};
pub use self::selector::{Choice, Loads, Selector, SelectorSetup};
