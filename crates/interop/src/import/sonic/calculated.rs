//! Headroom by speed and length, where a configuration has a pool and no profile with headroom.
//!
//! Invariant: this is another experiment than the switch's, whose own headroom is not in the file.

use std::collections::BTreeSet;

use link_layer::flow_control::headroom::{quanta, slowest_reaction};
use link_layer::{Headroom, PauseLoop};
use packet::Framing;
use units::{Bytes, Length, Rate, Span};

use super::memory::LEAST_PORTS;
use super::{Draft, Ports, SonicForm};
use crate::import::account::KeyFate;
use scenario::Diagnostic;

/// Rate of a port without one in the file.
pub(super) const USUAL_RATE: Rate = Rate::gbps(100);
/// Latency of a switch, as in drafts.
const LATENCY: Span = Span::from_ns(500);
/// Reaction at rates for which the standard has none, as in drafts.
const REACTION: Span = Span::from_us(2);

impl Draft<'_> {
    /// Sets the memory of a pool with the headroom that the lengths of cables need.
    pub(super) fn calculated(
        &mut self,
        (pool, size): (&str, Option<u64>),
        ports: &Ports,
        lanes: usize,
    ) -> Result<(), Diagnostic> {
        let need = |(port, length): (&String, &u64)| {
            let rate = ports.speeds.get(port).copied().unwrap_or(USUAL_RATE);
            needed(rate, Length::from_mm(length * 1000), (lanes, ports.mtu))
        };
        let needs: Vec<u64> = ports.lengths.iter().map(need).collect();
        let different: BTreeSet<u64> = needs.iter().copied().collect();
        let (largest, count) = (different.last().copied().unwrap_or(0), needs.len().max(LEAST_PORTS));
        let all = needs.iter().sum::<u64>() + (count - needs.len()) as u64 * largest;
        let headroom = match (different.first(), different.last()) {
            (Some(least), Some(most)) => format!(
                "calculated headroom of {} to {} a port and lane, by speed and CABLE_LENGTH",
                Bytes::new(*least),
                Bytes::new(*most)
            ),
            _ => "headroom taken from the pool, since there is no CABLE_LENGTH".to_owned(),
        };
        let missing: Vec<&str> = ["PORT", "CABLE_LENGTH", "PORT_QOS_MAP"]
            .into_iter()
            .filter(|table| !self.config.tables.contains_key(*table))
            .collect();
        let rows = self.buffers.as_ref().filter(|(_, rows)| rows.form == SonicForm::Lookup);
        let what = if let Some((rows, _)) = rows {
            let lacks = if missing.is_empty() {
                "no row is for the speed and length of a port with `pfc_enable`".to_owned()
            } else {
                format!("the configuration lacks {}", missing.join(", "))
            };
            format!(
                "rows of {} are for ports by `PORT.speed`, CABLE_LENGTH and `PORT_QOS_MAP.pfc_enable`, and {lacks}. Here: {headroom}",
                rows.name
            )
        } else {
            format!(
                "no profile has headroom. The switch makes `pg_lossless_SPEED_LENGTH_profile` at run time, by pg_profile_lookup.ini{}: \
             give that, `show buffer information`, or a dump, by `--buffers FILE`; or import what `config save` wrote. Here: {headroom}",
                if self.is_dynamic() { " or its dynamic buffer model" } else { "" }
            )
        };
        self.note("BUFFER_PROFILE", "", KeyFate::Changed, what);
        match size.filter(|size| *size > 0) {
            Some(size) => {
                let what = format!("this is shared, beside the headroom of {count} ports");
                self.set_memory(
                    (pool, size),
                    all * lanes as u64,
                    (count, lanes),
                    (KeyFate::Approximated, &what),
                );
            }
            None => self.no_size(pool),
        }
        if let (1, Some(only)) = (different.len(), different.first()) {
            self.set("link.flow_control.headroom", format!("\"{}\"", Bytes::new(*only)));
        }
        self.usual_threshold()
    }

    /// Returns true if the switch computes pools and profiles.
    fn is_dynamic(&self) -> bool {
        self.config.field("DEVICE_METADATA", "localhost", "buffer_model") == Some("dynamic")
            || self.config.tables.contains_key("DEFAULT_LOSSLESS_BUFFER_PARAMETER")
    }

    /// Sets the alpha that the dynamic buffer model gives to profiles.
    fn usual_threshold(&mut self) -> Result<(), Diagnostic> {
        const TABLE: &str = "DEFAULT_LOSSLESS_BUFFER_PARAMETER";
        let found = self
            .config
            .entries(TABLE)
            .find_map(|(key, fields)| Some((key.to_owned(), fields.get("default_dynamic_th")?.clone())));
        let Some((key, text)) = found else { return Ok(()) };
        let path = [TABLE, &key, "default_dynamic_th"];
        let power: i8 = text.parse().ok().filter(|power| (-7..=7).contains(power)).ok_or_else(|| {
            let message = format!("`{text}` is not a power of two that alpha can be");
            self.fault(&path, message, "write -7 to 7: alpha is 2 to this power")
        })?;
        let alpha = 2f64.powi(power.into());
        self.set("switch.sharing", format!("Dynamic(alpha: {alpha:?}, guaranteed: \"0 B\")"));
        let what = format!("alpha 2^{power}: `switch.sharing`, without guarantees");
        self.note(&path.join("."), text, KeyFate::Used, what);
        Ok(())
    }
}

/// Returns the headroom of a port and lane at a cable of this rate and length, in bytes.
fn needed(rate: Rate, length: Length, (lanes, mtu): (usize, u64)) -> u64 {
    let reaction = slowest_reaction(rate).map_or(REACTION, |count| quanta(count, rate));
    let pause_loop = PauseLoop {
        rate,
        flight: length.time_of_flight(),
        longest_frame: Bytes::new(mtu) + Framing::AROUND_IP,
        priorities: lanes as u8,
        reaction,
        lead: Framing::RoCEv2.route_header(),
        latency: LATENCY,
    };
    Headroom::of(pause_loop).total().get()
}
