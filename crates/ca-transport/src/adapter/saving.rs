//! The state of an adapter in a checkpoint.
//!
//! Invariant: messages are saved in the order in which endpoints mention them. Equal states therefore have equal
//! bytes, whatever messages there were before. Messages get new keys when they are loaded.

use packet::{Mtu, QpNumber};
use state_codec::{State, StateError, StateReader, StateWriter, Value};
use units::Bytes;
use workload::Operation;

use super::Adapter;
use crate::message::ages::MessageAges;
use crate::message::{Message, MessageKey, Messages};

impl State for Adapter {
    fn save(&self, to: &mut StateWriter) {
        let Self {
            next_timer,
            sending_until,
            bus_free_at,
            send_timer,
            pacing_timer,
            retransmit_timer,
            replies,
            schedule,
            lane_count: _,
            lid: _,
            silent,
            port,
            inputs,
            outputs,
            lanes,
            config: _,
            endpoints,
            queue_pairs,
            digest,
            receptions,
            marks,
            drain,
            received,
            consumed,
            injected,
            finite,
            messages,
            generators,
            shared_traffic,
            jobs,
            ages,
            shared,
            timers,
            tally,
            repeats,
            placed_ends,
            entropies,
            failures,
            log,
        } = self;
        [*next_timer, *sending_until, *bus_free_at].put(to);
        [*send_timer, *pacing_timer, *retransmit_timer].put(to);
        replies.save(to);
        schedule.save(to);
        silent.put(to);
        port.save(to);
        inputs.save(to);
        outputs.save(to);
        lanes.save(to);
        to.begin_messages();
        messages.len().put(to);
        // Endpoints mention messages while they are saved, which gives the messages their numbers.
        endpoints.save(to);
        save_messages(messages, ages.as_ref(), to);
        queue_pairs.save(to);
        digest.put(to);
        receptions.save(to);
        marks.put(to);
        drain.save(to);
        (*received, *consumed, *injected).put(to);
        finite.put(to);
        generators.save(to);
        shared_traffic.save(to);
        if let Some(jobs) = jobs {
            jobs.save(to);
        }
        shared.save(to);
        timers.put(to);
        tally.put(to);
        repeats.put(to);
        placed_ends.put(to);
        entropies.save(to);
        failures.put(to);
        log.save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        [self.next_timer, self.sending_until, self.bus_free_at] = Value::take(from)?;
        [self.send_timer, self.pacing_timer, self.retransmit_timer] = Value::take(from)?;
        self.replies.load(from)?;
        self.schedule.load(from)?;
        self.silent = Value::take(from)?;
        self.port.load(from)?;
        self.inputs.load(from)?;
        self.outputs.load(from)?;
        self.lanes.load(from)?;
        // Keys must exist before the endpoints and messages that refer to them are loaded.
        let keys = new_messages(&mut self.messages, from)?;
        self.endpoints.load(from)?;
        load_messages(&keys, &mut self.messages, self.ages.as_mut(), from)?;
        self.queue_pairs.load(from)?;
        self.digest = Value::take(from)?;
        self.receptions.load(from)?;
        self.marks = Value::take(from)?;
        self.drain.load(from)?;
        (self.received, self.consumed, self.injected) = Value::take(from)?;
        self.finite = Value::take(from)?;
        self.generators.load(from)?;
        self.shared_traffic.load(from)?;
        if let Some(jobs) = &mut self.jobs {
            jobs.load(from)?;
        }
        self.shared.load(from)?;
        self.timers = Value::take(from)?;
        self.tally = Value::take(from)?;
        self.repeats = Value::take(from)?;
        self.placed_ends = Value::take(from)?;
        self.entropies.load(from)?;
        self.failures = Value::take(from)?;
        self.log.load(from)
    }
}

/// Saves the messages that endpoints have mentioned, and the messages that follow them.
fn save_messages(messages: &Messages, ages: Option<&MessageAges>, to: &mut StateWriter) {
    let mut saved = 0;
    // Saving a message mentions its successor, so the list grows while it is saved.
    while let Some(key) = to.message_key(saved) {
        let key = MessageKey::from_saved(key);
        messages[key].put(to);
        if let Some(ages) = ages {
            ages.of_posted(key).put(to);
        }
        saved += 1;
    }
    assert_eq!(saved, messages.len(), "an endpoint mentions every message, and no other");
    if let Some(ages) = ages {
        ages.last().put(to);
    }
}

/// Makes room for the messages that are going to be loaded, and lets their numbers stand for their new keys.
fn new_messages(messages: &mut Messages, from: &mut StateReader<'_>) -> Result<Vec<MessageKey>, StateError> {
    let empty = Message::new(QpNumber(0), Operation::default(), Bytes::ZERO, Mtu::B256);
    let count = from.length()?;
    messages.clear();
    let keys: Vec<_> = (0..count).map(|_| messages.insert(empty)).collect();
    from.begin_messages(keys.iter().map(|key| key.saved()).collect());
    Ok(keys)
}

/// Loads messages in the order of their numbers.
fn load_messages(
    keys: &[MessageKey],
    messages: &mut Messages,
    ages: Option<&mut MessageAges>,
    from: &mut StateReader<'_>,
) -> Result<(), StateError> {
    let mut loaded = Vec::new();
    for key in keys {
        messages[*key] = Value::take(from)?;
        if ages.is_some() {
            loaded.push((*key, Value::take(from)?));
        }
    }
    if let Some(ages) = ages {
        ages.restore(loaded.into_iter(), Value::take(from)?);
    }
    Ok(())
}
