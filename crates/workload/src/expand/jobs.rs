//! Jobs: ranks are placed on hosts, and get flows to the ranks that they send to.
//!
//! Invariant: the flows of jobs follow all others, so a job changes no number of a flow that it does not own. Jobs draw
//! nothing.

use packet::{FlowName, Operation, TransportService};
use settings::FieldPath;
use units::{Bytes, Time};

use super::check;
use crate::environment::Environment;
use crate::error::{FileError, FileFault, InField, InFile, JobError, WorkloadError};
use crate::flow::{Flow, Posting};
use crate::job::goal::{self, GoalReadError};
use crate::job::{Job, JobPair, MOST_TAGS, Placed, Programs, matching};
use crate::limits::{LONGEST_MESSAGE, MAX_FLOWS};
use crate::spec::{JobSpec, ProgramSpec};
use crate::workload::{Group, Workload};

impl Workload {
    /// Adds jobs to the workload.
    ///
    /// # Errors
    /// If a field or a file is wrong, with its path in the scenario.
    pub fn with_jobs(
        mut self,
        jobs: &[JobSpec],
        environment: &Environment<'_>,
    ) -> Result<Self, WorkloadError> {
        for (i, spec) in jobs.iter().enumerate() {
            let place = FieldPath::from("jobs").index(i);
            self.add_job(spec, environment).map_err(|error| error.below(&place))?;
        }
        Ok(self)
    }

    fn add_job(&mut self, spec: &JobSpec, environment: &Environment<'_>) -> Result<(), WorkloadError> {
        self.check_name(&spec.name).in_field("name")?;
        check::service_level(spec.service_level).in_field("service_level")?;
        check_fields(spec)?;
        let programs = programs(spec, environment)?;
        let hosts = spec.hosts.in_order("hosts", environment)?;
        let (ranks, given) = (programs.ranks.len(), hosts.len());
        if ranks > given {
            return Err(JobError::TooFewHosts { ranks, hosts: given }).in_field("hosts");
        }
        let mut job = Job::new(Placed { name: spec.name.clone(), hosts, start: spec.start, programs });
        check_messages(&job).in_field("program")?;
        job.first_flow = self.flows.len() as u32;
        let (number, group) = (self.jobs.len() as u32, self.groups.len() as u32);
        let [from, to]: [Vec<String>; 2] = [|pair: &JobPair| pair.from, |pair: &JobPair| pair.to]
            .map(|end| job.pairs.iter().map(|pair| end(pair).to_string()).collect());
        let names = FlowName::together(
            from.iter()
                .zip(&to)
                .map(|(from, to)| [spec.name.as_str(), ":", from.as_str(), "->", to.as_str()]),
        );
        let flow = |(pair, name): (&JobPair, FlowName)| {
            let [source, destination] = [pair.from, pair.to].map(|rank| job.hosts[rank as usize]);
            Flow {
                name,
                named: false,
                pattern: None,
                group: Some(group),
                finite: true,
                source,
                destination,
                numbers: (pair.from, pair.to),
                service_level: spec.service_level,
                transport: spec.transport,
                operation: Operation::Send,
                posting: Posting::Job { job: number, start: spec.start, total: Bytes::new(pair.bytes) },
            }
        };
        self.flows.extend(job.pairs.iter().zip(names).map(flow));
        self.groups.push(Group { name: spec.name.clone() });
        let messages: u64 = job.pairs.iter().map(|pair| pair.messages).sum();
        self.finite.messages = self.finite.messages.map(|all| all + messages);
        // Deliveries and ranks are counted from the start on: messages come when others allow it.
        let last = &mut self.finite.last_posting;
        *last = if spec.start < environment.end() { spec.start.max(*last) } else { Time::NEVER };
        self.jobs.push(job);
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), JobError> {
        let taken = name.is_empty()
            || self.groups.iter().any(|group| group.name == name)
            || self.patterns.iter().any(|pattern| pattern.label == name)
            || self.flows.iter().any(|flow| {
                let flow = &*flow.name;
                flow == name || flow.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
            });
        if taken { Err(JobError::Name { name: name.to_owned() }) } else { Ok(()) }
    }
}

fn check_fields(spec: &JobSpec) -> Result<(), WorkloadError> {
    if spec.iterations != 1 {
        return Err(JobError::Iterations { given: spec.iterations }).in_field("iterations");
    }
    if !matches!(spec.transport, TransportService::Rc | TransportService::Uc) {
        return Err(JobError::Transport { given: spec.transport }).in_field("transport");
    }
    Ok(())
}

fn check_messages(job: &Job) -> Result<(), JobError> {
    if let Some(&JobPair { from, to, longest, .. }) =
        job.pairs.iter().find(|pair| pair.longest > LONGEST_MESSAGE.get())
    {
        return Err(JobError::TooLong { from, to, bytes: longest });
    }
    let counts = [
        (job.tags.len() as u64, u64::from(MOST_TAGS), "tags"),
        (job.pairs.len() as u64, MAX_FLOWS as u64, "flows"),
        (job.bytes, u64::MAX - 1, "bytes"),
    ];
    match counts.into_iter().find(|(given, most, _)| given > most) {
        Some((given, most, what)) => Err(JobError::TooMany { given, most, what }),
        None => Ok(()),
    }
}

/// Returns the programs of a job's ranks.
fn programs(spec: &JobSpec, environment: &Environment<'_>) -> Result<Programs, WorkloadError> {
    let ProgramSpec::Goal { file, calc_unit } = &spec.program;
    if calc_unit.ps() == 0 {
        return Err(JobError::CalcUnit).in_field("program.calc_unit");
    }
    let text = environment.file(file).in_field("program.file")?;
    let fault = |error: GoalReadError| match error {
        GoalReadError::Text(error) => {
            let line = usize::try_from(error.line).expect("a line of a text in memory");
            let (at, column) = (error.range(text), error.column);
            FileError::from(Box::new(InFile {
                file: file.clone(),
                line,
                column,
                at,
                fault: FileFault::Goal(error.fault),
            }))
        }
        other => unreachable!("a text in memory is read: {other}"),
    };
    let programs =
        goal::read_text(text.as_bytes(), *calc_unit).map_err(fault).in_field("program.file")?.programs;
    if let Err(mismatch) = matching::check(&programs, None) {
        let lines = goal::lines_of(text.as_bytes(), &mismatch.operations()).unwrap_or_default();
        return Err(JobError::Mismatch(Box::new(mismatch.at_lines(&lines)))).in_field("program.file");
    }
    Ok(programs)
}
