//! Tests of the command and the library from outside the crate, in one program: it is linked once.

mod bench;
mod capture;
mod checkpoint;
mod cli;
mod cost;
mod counters;
mod eval;
mod examples;
mod export;
mod files;
mod formats;
mod groups;
mod guide;
mod imports;
mod inputs;
mod lossless;
mod parts;
mod phases;
mod ranks;
mod report;
mod scratch;
mod sweep;
mod threads;
mod trace;
mod tune;
mod until_done;
