//! The form of a checkpoint's file.
//!
//! Invariant: a file is accepted only if it is whole, and only for the build of the simulator and for the plan that
//! wrote it.
//!
//! ```text
//! magic     8 bytes   "BKWCKPT\n"
//! format    4 bytes   number of the format, little-endian
//! build     text      version and commit of the simulator
//! plan      text, 64-bit integer       name, digest
//! time      two integers               simulated time in ps, wall time spent so far in ns
//! state     length, and so many bytes
//! checksum  8 bytes   digest of all bytes before it, little-endian
//! ```

use core::time::Duration;

use event_kernel::Digest;
use scenario::Plan;
use state_codec::{StateError, StateReader, StateWriter, Value};
use units::Time;

const MAGIC: &[u8; 8] = b"BKWCKPT\n";
/// Number of the format. It changes with everything that this module writes; other changes of the state show in the
/// build.
const FORMAT: u32 = 4;
const CHECKSUM_BYTES: usize = 8;

/// A run's state at an instant, with its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Build of the simulator that wrote it: version and commit.
    pub build: String,
    /// Name of the plan.
    pub plan: String,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// Simulated time of the state: every event up to that time is handled.
    pub at: Time,
    /// Wall time that the run had taken by then.
    pub wall: Duration,
    /// The state.
    pub state: Vec<u8>,
}

/// The reason for which a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The file is something else.
    #[error("it is no checkpoint")]
    Foreign,
    /// The file has another format.
    #[error("its format is {found}, and this version of the simulator reads format {FORMAT}")]
    Format {
        /// Number of the format.
        found: u32,
    },
    /// The file is incomplete, or has changed.
    #[error("it is damaged: it was cut short, or changed, after it was written")]
    Damaged,
    /// Another build wrote it.
    #[error("it was written by {found}, and this is {own}")]
    Build {
        /// The build that wrote it.
        found: String,
        /// This build.
        own: String,
    },
    /// It belongs to another plan.
    #[error(
        "it is of the plan `{found}` with digest {found_digest}, and this is `{own}` with digest {own_digest}"
    )]
    Plan {
        /// Name of its plan.
        found: String,
        /// Digest of its plan.
        found_digest: Digest,
        /// Name of the plan that is to be run.
        own: String,
        /// Digest of the plan that is to be run.
        own_digest: Digest,
    },
    /// Its state does not fit a run of this plan.
    #[error("its state is not that of a run of this plan by this build: {0}")]
    State(#[from] StateError),
}

impl Checkpoint {
    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = StateWriter::new();
        to.raw(MAGIC);
        to.raw(&FORMAT.to_le_bytes());
        self.build.put(&mut to);
        self.plan.put(&mut to);
        self.plan_digest.put(&mut to);
        self.at.put(&mut to);
        // 584 years of wall time.
        (self.wall.as_nanos() as u64).put(&mut to);
        self.state.len().put(&mut to);
        to.raw(&self.state);
        let mut bytes = to.into_bytes();
        bytes.extend(Digest::of_bytes(&bytes).get().to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If they are not a whole checkpoint of this format.
    pub fn read(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(CheckpointError::Foreign);
        }
        let Some(format) = bytes[magic.len()..].first_chunk() else { return Err(CheckpointError::Damaged) };
        let found = u32::from_le_bytes(*format);
        // Before the checksum: another format may keep its checksum elsewhere, and its file must not be called
        // damaged.
        if found != FORMAT {
            return Err(CheckpointError::Format { found });
        }
        let Some((contents, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(CheckpointError::Damaged);
        };
        if Digest::of_bytes(contents).get() != u64::from_le_bytes(*checksum) {
            return Err(CheckpointError::Damaged);
        }
        // The checksum holds, so whatever does not fit was written so.
        let mut from = StateReader::new(contents.get(magic.len() + format.len()..).unwrap_or_default());
        let (build, plan, plan_digest) = Value::take(&mut from)?;
        let (at, nanoseconds) = Value::take(&mut from)?;
        let length = from.length()?;
        let state = from.raw(length)?.to_vec();
        from.finish()?;
        Ok(Self { build, plan, plan_digest, at, wall: Duration::from_nanos(nanoseconds), state })
    }

    /// Checks that this is a checkpoint of the plan, written by this build.
    ///
    /// # Errors
    /// If another build wrote it, or if it belongs to another plan.
    pub fn check(&self, build: &str, plan: &Plan) -> Result<(), CheckpointError> {
        if self.build != build {
            return Err(CheckpointError::Build { found: self.build.clone(), own: build.to_owned() });
        }
        let own_digest = plan.digest();
        if self.plan_digest != own_digest {
            return Err(CheckpointError::Plan {
                found: self.plan.clone(),
                found_digest: self.plan_digest,
                own: plan.name().to_owned(),
                own_digest,
            });
        }
        Ok(())
    }
}
