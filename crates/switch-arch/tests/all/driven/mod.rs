//! A switch driven by hand: marks, drops, lanes and times of every organisation, where each packet is known.

mod drops;
mod lanes;
mod marks;
mod probe;
mod times;
