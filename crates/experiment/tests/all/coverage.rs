//! Laws of the statistics: intervals of the mean waiting time in queues with a known mean.
//!
//! Each law has an alternative that fails, so that the law could. Waiting times follow Lindley's recursion (1952),
//! `W' = max(0, W + S - A)`, with the service times `S` and the times between arrivals `A`:
//!
//! | queue | service times | mean waiting time, in mean service times |
//! |---|---|---|
//! | M/M/1 | exponential | `rho / (1 - rho)` |
//! | M/D/1 | constant | `rho / (2 (1 - rho))` (Pollaczek and Khinchin) |

use event_kernel::{Stream, stream};
use experiment::statistics::batch_means::{BatchMeans, Replications};
use experiment::statistics::{Estimate, Unsteady, student, warm_up};
use rand::Rng;

/// Runs over which coverage is counted.
const RUNS: u64 = 200;
/// Load of the queues.
const LOAD: f64 = 0.5;
/// Customers of a run: some 2,000 times the time in which a queue of this load forgets.
const CUSTOMERS: usize = 20_000;
/// Replications of a mean, each of a tenth of the customers.
const REPLICATIONS: u64 = 10;

#[derive(Clone, Copy, Debug)]
enum Service {
    Exponential,
    Constant,
}

impl Service {
    /// The true mean waiting time.
    fn truth(self) -> f64 {
        match self {
            Self::Exponential => LOAD / (1.0 - LOAD),
            Self::Constant => LOAD / (2.0 * (1.0 - LOAD)),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "M/M/1",
            Self::Constant => "M/D/1",
        }
    }
}

fn exponential(random: &mut Stream) -> f64 {
    // From 2^-53 to 1, so the logarithm is finite.
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -uniform.ln()
}

/// Returns the waiting times of customers, the first of whom waits for `backlog`.
fn waits(service: Service, seed: u64, owner: &str, backlog: f64, customers: usize) -> Vec<f64> {
    let mut arrivals = stream(seed, "arrivals", owner);
    let mut services = stream(seed, "services", owner);
    let mut wait = backlog;
    let next = || {
        let now = wait;
        let served = match service {
            Service::Exponential => exponential(&mut services),
            Service::Constant => 1.0,
        };
        wait = (wait + served - exponential(&mut arrivals) / LOAD).max(0.0);
        now
    };
    std::iter::repeat_with(next).take(customers).collect()
}

/// Intervals of a law: the number that hold, and the number of runs without an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Coverage {
    holds: u64,
    refused: u64,
}

impl Coverage {
    /// Returns the share of intervals that hold, of those that there are.
    fn share(self) -> f64 {
        self.holds as f64 / (RUNS - self.refused) as f64
    }
}

/// Counts the intervals that contain the true mean.
fn coverage(what: &str, service: Service, interval: impl Fn(u64) -> Option<Estimate>) -> Coverage {
    let mut counted = Coverage::default();
    for seed in 1..=RUNS {
        match interval(seed) {
            Some(one) => {
                counted.holds += u64::from(one.low() <= service.truth() && service.truth() <= one.high());
            }
            None => counted.refused += 1,
        }
    }
    println!(
        "{}: {what}: {:.1} % of {} intervals hold, {} refused",
        service.name(),
        100.0 * counted.share(),
        RUNS - counted.refused,
        counted.refused
    );
    counted
}

/// The law itself: 90 to 99 %, with nearly every run giving an interval.
#[track_caller]
fn assert_covers(counted: Coverage) {
    assert!((0.90..=0.99).contains(&counted.share()), "{counted:?}");
    assert!(counted.refused <= RUNS / 20, "{counted:?}");
}

fn within_a_run(service: Service, seed: u64, backlog: f64) -> Result<BatchMeans, Unsteady> {
    BatchMeans::of(&waits(service, seed, "queue", backlog, CUSTOMERS))
}

/// Cut of the warm-up of replications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The same cut for all, from their mean.
    Shared,
    /// A cut of its own for each.
    Own,
    /// None.
    Nothing,
}

fn over_replications(service: Service, seed: u64, backlog: f64, cut: Cut) -> Option<Estimate> {
    let customers = CUSTOMERS / REPLICATIONS as usize;
    let one = |replication: u64| waits(service, seed, &replication.to_string(), backlog, customers);
    let series: Vec<_> = (0..REPLICATIONS).map(one).collect();
    let from = |series: &Vec<f64>| match cut {
        Cut::Own => warm_up(series).ok(),
        Cut::Shared | Cut::Nothing => Some(0),
    };
    match cut {
        Cut::Shared => Replications::of(&series).ok().map(|one| one.estimate),
        Cut::Own | Cut::Nothing => {
            let means: Vec<_> = series.iter().filter_map(|one| Some(mean(&one[from(one)?..]))).collect();
            (means.len() > 1).then(|| Estimate::of(&means))
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn batch_means_after_mser_5_cover_the_true_mean() {
    for service in [Service::Exponential, Service::Constant] {
        let of = |seed| within_a_run(service, seed, 0.0).ok().map(|one| one.estimate);
        assert_covers(coverage("batch means from an empty queue", service, of));
        let of = |seed| within_a_run(service, seed, 200.0).ok().map(|one| one.estimate);
        assert_covers(coverage("batch means from a backlog of 200", service, of));
    }
}

#[test]
fn replications_after_mser_5_cover_the_true_mean() {
    for service in [Service::Exponential, Service::Constant] {
        let of = |seed| over_replications(service, seed, 0.0, Cut::Shared);
        assert_covers(coverage("replications from an empty queue", service, of));
        let of = |seed| over_replications(service, seed, 50.0, Cut::Shared);
        assert_covers(coverage("replications from a backlog of 50", service, of));
    }
}

/// Without the cut, the backlog of the start is part of every mean.
#[test]
fn without_the_cut_of_the_warm_up_the_law_fails() {
    let service = Service::Exponential;
    let of = |seed| over_replications(service, seed, 50.0, Cut::Nothing);
    let counted = coverage("replications from a backlog of 50, nothing cut", service, of);
    assert!(counted.share() < 0.5, "{counted:?}");
}

/// A cut of its own falls where a short replication happens to be quiet, so the means are too small.
#[test]
fn with_a_cut_of_its_own_for_each_replication_the_law_fails() {
    let of = |seed| over_replications(Service::Exponential, seed, 0.0, Cut::Own);
    let counted =
        coverage("replications from an empty queue, each with its own cut", Service::Exponential, of);
    assert!(counted.share() < 0.9, "{counted:?}");
}

/// The interval of independent samples, of waiting times that depend on each other.
#[test]
fn the_interval_of_independent_samples_fails() {
    let service = Service::Exponential;
    let of = |seed| {
        let series = waits(service, seed, "queue", 0.0, CUSTOMERS);
        let center = mean(&series);
        let squares: f64 = series.iter().map(|wait| (wait - center).powi(2)).sum();
        let count = CUSTOMERS as f64;
        let half = student::bound(0.95, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
        Some(Estimate { mean: center, ci95: Some(half), seeds: CUSTOMERS })
    };
    let counted = coverage("all waits as if independent", service, of);
    assert!(counted.share() < 0.7, "{counted:?}");
}

/// A queue of 12,000 loses a waiting time a customer, which takes 60 % of the run. A queue that grows has no mean.
#[test]
fn a_queue_without_a_steady_state_has_no_mean() {
    for seed in 1..=20 {
        let draining = waits(Service::Constant, seed, "queue", 12_000.0, CUSTOMERS);
        assert_eq!(BatchMeans::of(&draining), Err(Unsteady::WarmingUp), "{seed}");
        let growing: Vec<_> = waits(Service::Constant, seed, "queue", 0.0, CUSTOMERS)
            .iter()
            .zip(0..)
            .map(|(wait, n)| wait + 0.001 * f64::from(n))
            .collect();
        assert!(BatchMeans::of(&growing).is_err(), "{seed}");
    }
}
