//! Tables over time: `series.csv` and `watch.csv`.
//!
//! Invariant: one row for each sample and object, so that the columns do not depend on the scenario.

use telemetry::{FlowSpread, RunRecord, SeriesColumn};
use units::Bytes;

use crate::rows::{SeriesRow, WatchRow};
use crate::table::TableRow;
use measures::rounded;

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
        let time_s = (series.interval * (place as u64 + 1)).after_start().seconds();
        objects.iter().zip(delivered).map(move |((column, (kind, name)), bytes)| {
            let spread = series.spread(place, *column);
            // Without a flow that counts there are no quartiles.
            let of_a_flow = spread.filter(|spread| spread.flows > 0);
            let quartile = |of: fn(&FlowSpread) -> Bytes| {
                of_a_flow.map(|spread| of(spread).bps_over(series.interval).round())
            };
            SeriesRow {
                time_s,
                kind: (*kind).into(),
                name: (*name).into(),
                goodput_bps: bytes.bps_over(series.interval).round(),
                flows: spread.map(|spread| spread.flows),
                lower_quartile_bps: quartile(|spread| spread.lower),
                median_bps: quartile(|spread| spread.median),
                upper_quartile_bps: quartile(|spread| spread.upper),
            }
        })
    });
    SeriesRow::csv(rows)
}

/// Returns `watch.csv`: one row for each sample and watched quantity; `None` if the scenario watches none.
#[must_use]
pub fn watch(record: &RunRecord) -> Option<String> {
    let watched = &record.watched;
    let rows = (1..).zip(&watched.rows).flat_map(|(number, values)| {
        let time_s = (record.series.interval * number).after_start().seconds();
        watched.quantities.iter().zip(values).map(move |(quantity, value)| WatchRow {
            time_s,
            object: quantity.object.as_str().into(),
            quantity: quantity.quantity.into(),
            value: rounded(*value, 6),
        })
    });
    (!watched.quantities.is_empty()).then(|| WatchRow::csv(rows))
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
