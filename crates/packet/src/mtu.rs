//! The largest payload of a packet.
//!
//! Invariant: every value is a size that a standard or a study of Ethernet names.

use core::str::FromStr;

use schemars::JsonSchema;
use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use units::{Bytes, UnitError};

use crate::length::MAX_OVERHEAD;

/// Largest payload of a packet (IBA `MTU`): 256, 512, 1024, 2048 or 4096 bytes; over Ethernet also 1000 or 1500, as
/// its studies count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(into = "Bytes")]
#[schemars(from = "Bytes")]
pub enum Mtu {
    /// 256 bytes.
    B256,
    /// 512 bytes.
    B512,
    /// 1024 bytes.
    K1,
    /// 2048 bytes.
    K2,
    /// 4096 bytes.
    K4,
    /// 1000 bytes, over Ethernet.
    B1000,
    /// 1500 bytes, over Ethernet.
    B1500,
}

/// Error of a text that is not an MTU. Its `Display` is the message alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MtuError {
    /// The text is not an amount of data.
    #[error(transparent)]
    Spelling(#[from] UnitError),
    /// The amount is not one of the MTUs.
    #[error("`{given}` is not an MTU")]
    Size {
        /// The text as given.
        given: String,
    },
}

impl MtuError {
    /// The correct form, as the object of "write" and of "expected".
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Spelling(error) => error.expected(),
            Self::Size { .. } => {
                "\"256 B\", \"512 B\", \"1 KiB\", \"2 KiB\" or \"4 KiB\"; with RoCEv2 also \"1000 B\" or \
                                  \"1500 B\""
                    .to_owned()
            }
        }
    }
}

impl FromStr for Mtu {
    type Err = MtuError;
    fn from_str(text: &str) -> Result<Self, MtuError> {
        let size: Bytes = text.parse()?;
        let mut all = Self::ALL.into_iter().chain(Self::OF_ETHERNET);
        let size = all.find(|mtu| Bytes::from(*mtu) == size);
        size.ok_or_else(|| MtuError::Size { given: text.to_owned() })
    }
}

impl<'de> Deserialize<'de> for Mtu {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: MtuError| {
            de::Error::invalid_value(Unexpected::Other(&error.to_string()), &error.expected().as_str())
        })
    }
}

impl From<Mtu> for Bytes {
    fn from(mtu: Mtu) -> Self {
        Self::new(u64::from(mtu.bytes()))
    }
}

impl Mtu {
    /// Every MTU of IBA, smallest first.
    pub const ALL: [Self; 5] = [Self::B256, Self::B512, Self::K1, Self::K2, Self::K4];
    /// Every MTU that only Ethernet has.
    pub const OF_ETHERNET: [Self; 2] = [Self::B1000, Self::B1500];

    /// Returns the largest payload in bytes.
    #[must_use]
    pub const fn bytes(self) -> u16 {
        match self {
            Self::B256 => 256,
            Self::B512 => 512,
            Self::K1 => 1024,
            Self::K2 => 2048,
            Self::K4 => 4096,
            Self::B1000 => 1000,
            Self::B1500 => 1500,
        }
    }

    /// Returns the length of the longest packet with this payload, in InfiniBand's framing.
    #[must_use]
    pub const fn longest_packet(self) -> Bytes {
        Bytes::new((self.bytes() + MAX_OVERHEAD) as u64)
    }
}
