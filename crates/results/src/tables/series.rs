//! Tables over time: `series.csv` and `watch.csv`.
//!
//! Invariant: one row for each sample and object, so that the columns do not depend on the scenario.

use telemetry::{FlowSpread, RunRecord, SeriesColumn, WatchedQuantity};
use units::{Bytes, Span, Time};

use crate::table::{Column, Table};
use measures::rounded;

/// A row of `series.csv`.
#[derive(Debug)]
pub struct SeriesRow<'a> {
    time: Time,
    kind: &'static str,
    name: &'a str,
    goodput: f64,
    /// Quartiles over several flows, and the length of the interval.
    spread: Option<(&'a FlowSpread, Span)>,
}

impl SeriesRow<'_> {
    /// Returns a quartile of the goodput of a flow; `None` if no flow counts.
    fn quartile(&self, of: fn(&FlowSpread) -> Bytes) -> Option<f64> {
        let (spread, interval) = self.spread.filter(|(spread, _)| spread.flows > 0)?;
        Some(of(spread).bps_over(interval).round())
    }
}

/// Returns `series.csv`: for each sample a row for each column of the series.
#[must_use]
pub fn series(record: &RunRecord) -> String {
    let object = |column: &SeriesColumn| match *column {
        SeriesColumn::Flow(flow) => ("flow", &*record.flows[flow as usize].name),
        SeriesColumn::Group(group) => ("group", record.groups[group as usize].name.as_str()),
        SeriesColumn::Others => ("others", "others"),
        SeriesColumn::Total => ("total", "total"),
    };
    let series = &record.series;
    let objects: Vec<_> = series.columns.iter().map(|column| (*column, object(column))).collect();
    let rows = (0..).zip(&series.rows).flat_map(|(place, delivered)| {
        let time = (series.interval * (place as u64 + 1)).after_start();
        objects.iter().zip(delivered).map(move |((column, (kind, name)), bytes)| SeriesRow {
            time,
            kind,
            name,
            goodput: bytes.bps_over(series.interval).round(),
            spread: series.spread(place, *column).map(|spread| (spread, series.interval)),
        })
    });
    series_table().csv(rows)
}

/// Returns the definition of `series.csv`.
#[must_use]
pub fn series_table<'a>() -> Table<SeriesRow<'a>> {
    let columns: [Column<SeriesRow<'a>>; 8] = [
        Column::number("time_s", "end of the interval, which begins a `sample` earlier", |row| {
            row.time.seconds()
        }),
        Column::text(
            "kind",
            "`flow`: one named flow; `group`: all flows of a group, named ones included; `others`: all flows with \
             neither a name nor a group, where there are any; `total`: all flows",
            |row| row.kind,
        ),
        Column::text("name", "name of the flow or group; `others` and `total` again for those", |row| {
            row.name
        }),
        Column::number("goodput_bps", "goodput within the interval, of several flows their sum", |row| {
            row.goodput
        }),
        Column::optional_count(
            "flows",
            "of a group and of all others, the number of flows that the quartiles are of: those that had begun before the end \
             of the interval, and delivered payload within it or had a message at its end that was not complete at its source; \
             of more than 16,384 flows only that many, evenly spaced in their order, are looked at",
            |row| row.spread.map(|(spread, _)| spread.flows.into()),
        ),
        Column::optional_number(
            "lower_quartile_bps",
            "lower quartile of the goodput of one of these flows, by nearest rank; empty where there is none",
            |row| row.quartile(|spread| spread.lower),
        ),
        Column::optional_number("median_bps", "its median", |row| row.quartile(|spread| spread.median)),
        Column::optional_number("upper_quartile_bps", "its upper quartile", |row| {
            row.quartile(|spread| spread.upper)
        }),
    ];
    let contents =
        "goodput over time: one row per sample for each named flow, each group, all others and the total";
    Table { file: "series.csv", contents, columns: columns.into() }
}

/// A row of `watch.csv`.
#[derive(Debug)]
pub struct WatchRow<'a> {
    time: Time,
    quantity: &'a WatchedQuantity,
    value: f64,
}

/// Returns `watch.csv`: one row for each sample and watched quantity; `None` if the scenario watches none.
#[must_use]
pub fn watch(record: &RunRecord) -> Option<String> {
    let watched = &record.watched;
    let rows = (1..).zip(&watched.rows).flat_map(|(number, values)| {
        let time = (record.series.interval * number).after_start();
        let values = watched.quantities.iter().zip(values);
        values.map(move |(quantity, value)| WatchRow { time, quantity, value: rounded(*value, 6) })
    });
    (!watched.quantities.is_empty()).then(|| watch_table().csv(rows))
}

/// Returns the definition of `watch.csv`.
#[must_use]
pub fn watch_table<'a>() -> Table<WatchRow<'a>> {
    let columns: [Column<WatchRow<'a>>; 4] = [
        Column::number("time_s", "the sample", |row| row.time.seconds()),
        Column::text("object", "an output and lane, `SWITCH:PORT VL0`, or the name of a flow", |row| {
            &row.quantity.object
        }),
        Column::text(
            "quantity",
            "`Queue(ports, lane)` has `queue_bytes`: packets waiting for this output and lane. `Control(flow)` \
             has what its response has: DCQCN `rate_bps` and `target_bps`, R_C and R_T of the reaction point, on the wire, \
             and `alpha`; IBA `ccti`, `delay_packet_times` (the injection rate delay, in times of a packet on the wire) and \
             `rate_bps` (the rate that this allows); the HP proposal `delay_packet_times` (CIPD), `rate_bps` and \
             `window_packets` (CWND)",
            |row| row.quantity.quantity,
        ),
        Column::number(
            "value",
            "its value at this instant, in the unit that ends the quantity's name",
            |row| row.value,
        ),
    ];
    let contents =
        "one row per sample and quantity that the scenario's `watch` lists; no file without `watch`";
    Table { file: "watch.csv", contents, columns: columns.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_tables_as_they_are_written() {
        let record = sample::record();
        insta::assert_snapshot!("series", series(&record));
        insta::assert_snapshot!("watch", watch(&record).expect("something is watched"));
    }

    #[test]
    fn each_column_of_the_series_is_a_row_of_each_sample() {
        let mut record = sample::record();
        record.series.columns.truncate(2);
        let start = "time_s,kind,name,goodput_bps,flows,lower_quartile_bps,median_bps,upper_quartile_bps\n\
                     0.005,flow,F1,4000000000.0,,,,\n0.005,flow,F2,0.0,,,,\n0.01,flow,F1,";
        assert!(series(&record).starts_with(start), "{}", series(&record));
    }

    #[test]
    fn nothing_watched_gives_no_file() {
        let mut record = sample::record();
        record.watched = telemetry::Watched::default();
        assert_eq!(watch(&record), None);
    }
}
