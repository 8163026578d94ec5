//! Flows from a file.

use packet::FlowName;

use super::builder::{PatternBuilder, one_message};
use crate::error::{InField, WorkloadError};
use crate::file::{FlowLine, HostNumbering, after_the_run, flow_lines};
use crate::flow::Flow;
use crate::spec::FlowListSpec;

impl PatternBuilder<'_> {
    /// Returns the flows of the file by source, those of a source in the order of the file. Their names contain their
    /// place in the file. Flows that start after the end of the run stay in the list, unless all do.
    pub(super) fn flow_list(&self, spec: &FlowListSpec) -> Result<Vec<Flow>, WorkloadError> {
        let text = self.environment.file(&spec.file).in_field("file")?;
        let named = |name: &str| self.environment.host(name).ok();
        let hosts = match &spec.host_prefix {
            Some(prefix) => HostNumbering::Names(prefix, &named),
            None => HostNumbering::Places(self.environment.hosts().len() as u32),
        };
        let lines = flow_lines(text, &hosts, spec.origin).and_then(|lines| {
            match after_the_run(&lines, self.environment.end()) {
                Some(flaw) => Err(flaw),
                None => Ok(lines),
            }
        });
        let lines = lines.map_err(|flaw| flaw.in_file(&spec.file, text)).in_field("file")?;
        let name = |(number, line): (usize, &FlowLine<'_>)| {
            let (from, to) = (self.environment.name(line.source), self.environment.name(line.destination));
            [format!("{}:{number}:{from}->{to}", self.prefix)]
        };
        let names = FlowName::together((1..).zip(&lines).map(name));
        let flow = |(name, line): (FlowName, FlowLine<'_>)| Flow {
            service_level: line.priority,
            numbers: line.numbers,
            ..self.flow(name, (line.source, line.destination, one_message(line.message)))
        };
        let mut flows: Vec<Flow> = names.into_iter().zip(lines).map(flow).collect();
        // An adapter serves its queue pairs in turn, in the order in which the file opens them.
        flows.sort_by_key(|flow| flow.source);
        Ok(flows)
    }
}
