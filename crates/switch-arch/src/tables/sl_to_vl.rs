//! The lane of the next link, by input, output and service level.
//!
//! Invariant: every pair of an input and an output has a table with a lane for each of the 16 service levels.

use packet::{Lane, PortId, ServiceLevel};

/// Lanes of the 16 service levels, from service level 0 on.
type LanesByLevel = [Lane; ServiceLevel::COUNT as usize];

/// The SL-to-VL mapping tables of a switch, for each pair of an input and an output (`SLtoVLMappingTable`, IBA 7.6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlToVl {
    ports: usize,
    /// Index of a table, by input and output.
    places: Box<[u32]>,
    tables: Vec<LanesByLevel>,
}

impl SlToVl {
    /// Creates the tables of a switch of this many ports, which are all alike.
    #[must_use]
    pub fn new(ports: usize, table: LanesByLevel) -> Self {
        Self { ports, places: vec![0; ports * ports].into(), tables: vec![table] }
    }

    /// Replaces the tables of these inputs and outputs; `None` stands for all ports.
    ///
    /// # Panics
    /// If the switch has no such port.
    pub fn set(&mut self, input: Option<PortId>, output: Option<PortId>, table: LanesByLevel) {
        let place = self.tables.iter().position(|known| *known == table).unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        let place = u32::try_from(place).expect("fewer than 2^32 tables");
        let named = |port: Option<PortId>| port.map_or(0..self.ports, |port| port.index()..port.index() + 1);
        for from in named(input) {
            for to in named(output) {
                self.places[from * self.ports + to] = place;
            }
        }
    }

    /// Number of ports.
    #[must_use]
    pub const fn ports(&self) -> usize {
        self.ports
    }

    /// Returns the lane on which a packet of this service level leaves, by its input and output.
    #[inline]
    #[must_use]
    pub fn lane(&self, (input, output): (PortId, PortId), level: ServiceLevel) -> Lane {
        let place = self.places[input.index() * self.ports + output.index()];
        self.tables[place as usize][usize::from(level.0)]
    }
}
