//! DCQCN parameters of ConnectX adapters, by the names of the driver, with the vendor's units.
//!
//! Invariant: every parameter that the vendor documents has a line, except for the marks on CNPs. A value that is no
//! whole number of the vendor's unit, or out of its range, is entered in the account with the difference.
//!
//! | parameter | field | unit, range |
//! |---|---|---|
//! | `rpg_time_reset`, `dce_tcp_rtt`, `min_time_between_cnps` | `timer`, `alpha_timer`, `echo.interval` | us |
//! | `rpg_ai_rate`, `rpg_hai_rate`, `rpg_min_rate` | `additive_increase`, `hyper_increase`, `min_rate` | Mb/s |
//! | `rpg_byte_reset` | `byte_counter`; 0 with `stages: TimerAlone` | 64 bytes, assumed; up to 32,767 |
//! | `dce_tcp_g` | `g`; the value is 1024 (1 - g) | 1 to 1023 |
//! | `initial_alpha_value` | `initial_alpha`; 1023 is 1 | 1/1024 |

use core::fmt::{Display, Write};

use cc_policies::dcqcn::spec::{AlphaUpdate, CnpEcho, CnpWindow, DcqcnResponseSpec, StageRule};
use cc_policies::{AnyEcho, Control, ResponseSpec};
use names::shown::comment;
use packet::Framing;
use units::{Bytes, Rate, Span};

use super::account::{Exported, ValueAccount};
use super::error::ExportError;
use crate::import::mlx5::{BYTE_RESET_UNIT, PARAMETERS, Parameter};
use scenario::Plan;

/// Picoseconds of a microsecond.
const PS_PER_US: u64 = 1_000_000;
/// Bits a second of a Mb/s.
const BPS_PER_MBPS: u64 = 1_000_000;
/// Denominator of the shares.
const SHARE: f64 = 1024.0;

/// Writes the parameters, with `rpg_byte_reset` in this unit; in the unit that imports assume if none is given.
///
/// # Errors
/// If the plan is not RoCEv2's, or sources do not respond as DCQCN has it.
pub fn export(plan: &Plan, byte_reset_unit: Option<Bytes>) -> Result<Exported, ExportError> {
    only_ethernet("mlx5", plan)?;
    let Control { echo: AnyEcho::Dcqcn(echo), response: ResponseSpec::Dcqcn(response), .. } = plan.control()
    else {
        let found = plan.congestion_control().to_owned();
        return Err(ExportError::NotDcqcn { target: "mlx5", found });
    };
    let text = format!("# DCQCN of `{}`, by the names of the driver's folders.\n", comment(plan.name()));
    let mut draft = Draft { text, account: Vec::new() };
    draft.reaction(response, byte_reset_unit);
    let cnps = draft.notification(echo);
    draft.own(cnps);
    draft.beside(echo, response);
    Ok(Exported { text: draft.text, account: draft.account })
}

/// Refuses plans of InfiniBand's framing.
pub(super) fn only_ethernet(target: &'static str, plan: &Plan) -> Result<(), ExportError> {
    let framing = plan.link().framing;
    if framing == Framing::InfiniBand { Err(ExportError::NotEthernet { target, framing }) } else { Ok(()) }
}

/// The lines so far.
struct Draft {
    text: String,
    account: Vec<ValueAccount>,
}

impl Draft {
    fn line(&mut self, name: &str, value: u64) {
        writeln!(self.text, "{name} {value}").expect("a string takes it");
    }

    /// Writes a quantity of `amount` in the vendor's unit, which has `unit`, rounded and within the parameter's range.
    fn quantity<Q: Display>(
        &mut self,
        (name, field): (&'static str, &str),
        (amount, unit, least): (u64, u64, u64),
        shown: impl Fn(u64) -> Q,
    ) -> u64 {
        let whole = (amount / unit + u64::from(amount % unit * 2 >= unit)).clamp(least, most(name));
        self.line(name, whole);
        let written = whole * unit;
        if written != amount {
            let difference = written as f64 / amount as f64 - 1.0;
            let why = range(name, least);
            self.account.push(ValueAccount::rounded(
                format!("congestion_control.{field}"),
                (shown(amount), shown(written)),
                difference,
                why,
            ));
        }
        whole
    }

    /// Writes a share in 1/1024.
    fn share(&mut self, (name, field): (&'static str, &str), wanted: f64, (value, written): (u64, f64)) {
        self.line(name, value);
        if written != wanted {
            let difference = written / wanted - 1.0;
            let why = format!("`{name}` has steps of 1/1024");
            let field = format!("congestion_control.{field}");
            self.account.push(ValueAccount::rounded(field, (wanted, written), difference, why));
        }
    }

    fn reaction(&mut self, response: &DcqcnResponseSpec, byte_reset_unit: Option<Bytes>) {
        self.line("clamp_tgt_rate", u64::from(response.clamp_target));
        self.line("clamp_tgt_rate_after_time_inc", u64::from(response.clamp_after_timer));
        let time = |span: Span| (span.ps(), PS_PER_US, 1);
        self.quantity(("rpg_time_reset", "response.timer"), time(response.timer), Span::from_ps);
        if response.stages == StageRule::TimerAlone {
            self.line("rpg_byte_reset", 0);
        } else {
            let unit = byte_reset_unit.unwrap_or(BYTE_RESET_UNIT);
            let bytes = (response.byte_counter.get(), unit.get().max(1), 1);
            let name = ("rpg_byte_reset", "response.byte_counter");
            let whole = self.quantity(name, bytes, Bytes::new);
            if byte_reset_unit.is_none() {
                let written = format!("{whole} x {} B", unit.get());
                let why = "the vendor's documents leave the unit open; `--byte-reset-unit` gives another";
                self.account.push(ValueAccount::assumed("rpg_byte_reset", written, why));
            }
        }
        self.line("rpg_threshold", response.fast_recovery.into());
        for (name, field, own) in [
            ("rpg_ai_rate", "response.additive_increase", response.additive_increase),
            ("rpg_hai_rate", "response.hyper_increase", response.hyper_increase),
            ("rpg_min_rate", "response.min_rate", response.min_rate),
        ] {
            self.quantity((name, field), (own.get(), BPS_PER_MBPS, 1), Rate::bps);
        }
        let keep = (SHARE * (1.0 - response.g)).round().clamp(1.0, SHARE - 1.0);
        let g = (SHARE - keep) / SHARE;
        self.share(("dce_tcp_g", "response.g"), response.g, (keep as u64, g));
        self.quantity(("dce_tcp_rtt", "response.alpha_timer"), time(response.alpha_timer), Span::from_ps);
        // The maximum, 1023, stands for 1.
        let steps = (SHARE * response.initial_alpha).round().clamp(1.0, SHARE - 1.0);
        let alpha = if steps == SHARE - 1.0 { 1.0 } else { steps / SHARE };
        self.share(
            ("initial_alpha_value", "response.initial_alpha"),
            response.initial_alpha,
            (steps as u64, alpha),
        );
    }

    /// Writes the notification point. Returns the interval of CNPs, in us.
    fn notification(&mut self, echo: &CnpEcho) -> u64 {
        const NAME: &str = "min_time_between_cnps";
        const FIELD: &str = "echo.interval";
        // 0, each marked packet, stands for 1 ns.
        let least = Span::from_ns(1);
        if echo.interval.ps() * 2 >= PS_PER_US {
            return self.quantity((NAME, FIELD), (echo.interval.ps(), PS_PER_US, 1), Span::from_ps);
        }
        self.line(NAME, 0);
        if echo.interval != least {
            let difference = least.ps() as f64 / echo.interval.ps() as f64 - 1.0;
            let why = format!("`{NAME}` of 0 answers every marked packet; the next value is 1 us");
            let field = format!("congestion_control.{FIELD}");
            self.account.push(ValueAccount::rounded(field, (echo.interval, least), difference, why));
        }
        0
    }

    /// Writes the parameters for which the model has a single value.
    fn own(&mut self, cnps: u64) {
        for (name, value, why) in [
            ("rpg_max_rate", 0, "sources send up to the rate of their link"),
            ("rpg_gd", 11, "a cut is by alpha/2"),
            ("rpg_min_dec_fac", 50, "a cut is at most to half"),
            ("rate_to_set_on_first_cnp", 0, "the first CNP cuts as others do"),
            (
                "rate_reduce_monitor_period",
                cnps.min(4),
                "the vendor's 4 us, at most the time between CNPs: each CNP cuts",
            ),
        ] {
            self.line(name, value);
            self.account.push(ValueAccount::assumed(name, value.to_string(), why));
        }
    }

    /// Enters the fields that no parameter has.
    fn beside(&mut self, echo: &CnpEcho, response: &DcqcnResponseSpec) {
        let mut left = |field: &str, wanted: String, why: &str| {
            self.account.push(ValueAccount::left_out(format!("congestion_control.{field}"), wanted, why));
        };
        left("marking", "Kmin, Kmax, Pmax".to_owned(), "they are the switches': `export sonic`");
        if response.alpha_update == AlphaUpdate::EachCnp {
            left(
                "response.alpha_update",
                "EachCnp".to_owned(),
                "adapters change alpha at the end of each interval",
            );
            left(
                "response.order",
                format!("{:?}", response.order),
                "adapters change alpha at the end of each interval",
            );
        }
        match response.stages {
            StageRule::TimerAlone => {
                left(
                    "response.byte_counter",
                    response.byte_counter.to_string(),
                    "it has no effect with `TimerAlone`",
                );
            }
            stages => {
                left(
                    "response.stages",
                    format!("{stages:?}"),
                    "no parameter has it: it is the adapter's own",
                );
            }
        }
        if echo.window != CnpWindow::FromCnp {
            left(
                "echo.window",
                format!("{:?}", echo.window),
                "adapters send a CNP at once, if none was sent for the time between",
            );
        }
        if let Some(level) = echo.service_level {
            let why = "the priority of CNPs is `cnp_802p_prio`, and service levels here are no priorities of the fabric's";
            left("echo.service_level", level.to_string(), why);
        }
    }
}

fn parameter(name: &str) -> &'static Parameter {
    PARAMETERS.iter().find(|known| known.name == name).expect("a parameter of the vendor")
}

fn most(name: &str) -> u64 {
    parameter(name).most
}

fn range(name: &str, least: u64) -> String {
    let Parameter { most, unit, .. } = parameter(name);
    let unit = if name == "rpg_byte_reset" { "its unit" } else { unit };
    format!("`{name}` is a whole number of {unit} from {least} to {most}")
}
