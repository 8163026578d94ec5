//! Scenarios from the files of other simulators.
//!
//! Invariant: an import says of every part of its files whether it was used, approximated, changed or left out. Texts
//! and accounts are those of [`interop::import`], which reads the files of clusters.
//!
//! | module | contents |
//! |---|---|
//! | [`chakra`] | execution traces of `MLCommons` Chakra, which ASTRA-sim reads |
//! | [`hpcc`] | the reader of `config.txt` of HPCC's simulator and its relatives, with topology and flows |
//! | [`htsim`] | fat trees and connection matrices of htsim |

pub mod chakra;
pub mod hpcc;
pub mod htsim;
