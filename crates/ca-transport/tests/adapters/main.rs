//! Two adapters back to back.

mod notifications;
mod precedence;
mod recovery;
mod rig;
