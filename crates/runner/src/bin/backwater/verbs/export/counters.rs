//! `export counters`: counters of ports after a run, as the tools of a cluster show them.
//!
//! Invariant: the folder of the run is read, and not changed. What a register cannot hold is a line on standard error.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use interop::export::addresses::Addresses;
use packet::Framing;
use results::RunFiles;
use results::counters;
use results::folder::check_whole;
use results::reader::ReadError;
use results::rows::PortRow;
use scenario::Plan;
use units::Span;

use super::ExportResult;
use crate::arguments;
use crate::failure::Failure;
use crate::terminal::note;

#[derive(Args, Debug)]
pub(crate) struct ExportCountersOptions {
    /// Result folder of `sim`.
    folder: PathBuf,
    /// Form of the counters.
    #[arg(long, value_name = "FORM", default_value = "table")]
    form: CountersForm,
    /// Length of a tick of `PortXmitWait` [default: the time in which the port's link carries 4 bytes].
    #[arg(long, value_name = "TIME", value_parser = arguments::interval)]
    tick: Option<Span>,
    #[command(flatten)]
    result: ExportResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CountersForm {
    /// CSV: a row for each port, with the names of `perfquery`; over RoCEv2 a row for each port and priority.
    Table,
    /// Commands for the console of ibsim, which set the counters of the fabric that `export ibsim --assigned` writes.
    Ibsim,
    /// Lines of `ethtool -S`, port by port.
    Ethtool,
}

impl ExportCountersOptions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if !self.folder.is_dir() {
            return Err(Failure::NoFolder(self.folder.clone()));
        }
        check_whole(&self.folder)?;
        let lanes = counters::lanes(RunFiles::Folder(&self.folder)).map_err(|error| match error {
            ReadError::Missing(file) => Failure::NoTable { folder: self.folder.clone(), file },
            other => other.into(),
        })?;
        RunFiles::Folder(&self.folder).text("plan.ron")?;
        let plan = experiment::plan(&self.folder.join("plan.ron").to_string_lossy(), &[], None)?;
        let is_infiniband = plan.link().framing == Framing::InfiniBand;
        let text = match self.form {
            CountersForm::Table if is_infiniband => {
                counters::infiniband_csv(counters::infiniband(&lanes, self.tick_s()))
            }
            CountersForm::Table => counters::ethernet_csv(&lanes),
            CountersForm::Ibsim if is_infiniband => self.ibsim(&plan, &lanes)?,
            CountersForm::Ethtool if !is_infiniband => counters::ethtool(&lanes),
            form => return Err(self.foreign(form)),
        };
        self.result.write(core::iter::once(text), &[])
    }

    fn tick_s(&self) -> Option<f64> {
        self.tick.map(Span::seconds)
    }

    /// Returns commands of ibsim for the fabric that `export ibsim --assigned` writes.
    fn ibsim(&self, plan: &Plan, lanes: &[PortRow<'_>]) -> Result<String, Failure> {
        let graph = plan.graph();
        let addresses = Addresses::assigned(plan).expect("a plan of InfiniBand has a LID for each node");
        let place = |name: &str, port: u32| {
            let node = graph.find(name)?;
            let port = graph.port_numbered(node, u16::try_from(port).ok()?)?;
            let kind = if graph.is_host(node) { 'H' } else { 'S' };
            Some((format!("{kind}-{:016x}", addresses.node(node).guid), addresses.port(node, port).into()))
        };
        let script = counters::ibsim(&counters::infiniband(lanes, self.tick_s()), place)
            .map_err(|(node, port)| Failure::ForeignPort { folder: self.folder.clone(), node, port })?;
        script.cut.iter().for_each(|cut| note(cut));
        Ok(script.text)
    }

    fn foreign(&self, form: CountersForm) -> Failure {
        let (form, link, help) = match form {
            CountersForm::Ibsim => ("ibsim", "RoCEv2", "ethtool"),
            _ => ("ethtool", "InfiniBand", "ibsim"),
        };
        Failure::ForeignCounters { folder: self.folder.clone(), form, link, help }
    }
}
