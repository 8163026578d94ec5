//! Tests of threads that meet, in one program: it is linked once.

mod explored;
mod meetings;
