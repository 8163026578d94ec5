//! Two adapters back to back.

mod accounts;
mod entropies;
mod notifications;
mod precedence;
mod recovery;
mod rig;
mod sharing;
