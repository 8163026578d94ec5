//! The channels that follow each other on paths, for comparison with the cycles that the library finds.

use std::collections::{BTreeMap, BTreeSet};

use topology::VirtualChannel;

/// The channels that follow each channel.
pub(crate) type Following = BTreeMap<VirtualChannel, BTreeSet<VirtualChannel>>;

/// Returns the channels that follow each channel on some path, each path given by its channels.
pub(crate) fn following(paths: impl IntoIterator<Item = Vec<VirtualChannel>>) -> Following {
    let mut after = Following::new();
    for path in paths {
        for pair in path.windows(2) {
            after.entry(pair[0]).or_default().insert(pair[1]);
        }
    }
    after
}

/// Returns true if some channels follow each other in a circle: removing those that nothing follows leaves others.
pub(crate) fn has_cycle(mut after: Following) -> bool {
    loop {
        let open: BTreeSet<_> = after.keys().copied().collect();
        let before = open.len();
        after.retain(|_, next| next.iter().any(|channel| open.contains(channel)));
        if after.len() == before {
            return before > 0;
        }
    }
}
