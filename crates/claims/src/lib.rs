//! Claims of published papers as data: measured, judged and printed.
//!
//! Invariant: a verdict depends on the claim and on the records of the runs that the claim names, and on nothing else.
//!
//! ```text
//! fixtures/claims/PAPER.ron -> Paper -> Reproduction (each distinct run, with each seed)
//!                                            |-> Judgement (verdict, numbers, expectation)
//!                                            '-> Exhibits  (tables and figures besides the claims)
//! ```
//!
//! Floors, lowest first; a module uses only modules above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | [`language`] | the words of a claims file: measures, units, expectations, claims |
//! | [`measurement`] | the numbers that a measure yields of a run |
//! | `layout` | line width and line breaks of printed text |
//! | [`exhibits`] | files besides the printed claims, a module for each kind |
//! | [`paper`] | a claims file, and the papers that ship |
//! | [`citation`] | BibTeX of this program and of the models that a run used |
//! | [`part`] | some of a paper's claims and figures, with their runs |
//! | [`judgement`] | verdicts |
//! | [`reproduction`] | all runs of some papers, their judgements and exhibits |
//! | [`tunings`] | tunings of shipped scenarios against the parameters of papers |
//! | [`printed`] | the table of judgements on the terminal |

pub mod citation;
pub mod exhibits;
pub mod judgement;
pub mod language;
mod layout;
pub mod measurement;
pub mod paper;
pub mod part;
pub mod printed;
pub mod reproduction;
pub mod tunings;

pub use judgement::{Bite, ClaimError, Judgement, Verdict, numbers_file};
pub use paper::{Paper, UnknownPaper};
pub use part::{PartChoice, UnknownPart};
pub use reproduction::{Reproduction, ReproductionError};
