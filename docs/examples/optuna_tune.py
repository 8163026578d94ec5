"""Tunes a congestion control with Optuna, by ask and tell, on `backwater eval`.

Usage: optuna_tune.py [--program backwater] [--trials 40] [--seeds 1..=3] [--json]

One process of `backwater eval --params -` serves all trials: a line of parameters goes in, a line of measures comes out. The sampler
has a seed and a run with a seed has one result, so a repetition finds the same numbers. Change `SCENARIO`, `SETTINGS`, `OBJECTIVE`,
`GUARD` and `suggest` for a study of your own; `backwater fields PATH` tells what a path may be set to.
"""

import argparse
import json
import subprocess
import sys

import optuna

SCENARIO = "victim"
# Both contributors in a group of their own, which every run has. (`contributors` exists only where a congestion tree grew.)
SETTINGS = ["flows.far.group=senders", "flows.near.group=senders"]
# Goodput of all flows while both contributors send (phase 3), to be made as large as possible.
OBJECTIVE = "goodput(all, 3)"
# The contributors must share fairly then: trials below fail.
GUARD = ("fairness(senders, 3)", 0.9)


def suggest(trial):
    """Returns the parameters of a trial, by the path of their field."""
    response = "congestion_control.response"
    return {
        f"{response}.ccti_increase": trial.suggest_int("ccti_increase", 1, 8),
        f"{response}.ccti_timer": trial.suggest_int("ccti_timer", 5, 500, log=True),
        "congestion_control.marking.marking_rate": trial.suggest_int("marking_rate", 0, 20),
    }


class Evaluator:
    """A process that evaluates one set of parameters after the other."""

    def __init__(self, program, seeds):
        measures = f"{OBJECTIVE},{GUARD[0]}"
        command = [program, "eval", SCENARIO, "--params", "-", "--measures", measures, "--seeds", seeds, "--json"]
        for setting in SETTINGS:
            command += ["--set", setting]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, parameters):
        self.process.stdin.write(json.dumps(parameters) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"error: backwater ended with status {self.process.wait()}")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def value_of(answer):
    """Returns the value of the objective, or `None` and the reason if the trial has none that counts."""
    if answer["status"] not in ("complete", "done"):
        return None, answer.get("error", answer["status"])
    objective, guard = (answer["measures"][measure] for measure in (OBJECTIVE, GUARD[0]))
    for number in (objective, guard):
        if number["value"] is None:
            return None, "; ".join(number["missing"])
        if number["censored"]:
            return None, "a bound is no value"
    if guard["value"] < GUARD[1]:
        return None, f"{GUARD[0]} is {guard['value']:.3f}, less than {GUARD[1]}"
    return objective["value"], None


def tune(evaluate, trials):
    sampler = optuna.samplers.TPESampler(seed=1)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    table = []
    for _ in range(trials):
        trial = study.ask()
        answer = evaluate(suggest(trial))
        value, reason = value_of(answer)
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, value)
        digests = [run["digest"] for run in answer.get("runs", [])]
        table.append({"params": trial.params, "value": value, "reason": reason, "digests": digests})
    return table


def main():
    options = argparse.ArgumentParser(description="Tunes a congestion control with Optuna.")
    options.add_argument("--program", default="backwater")
    options.add_argument("--trials", type=int, default=40)
    options.add_argument("--seeds", default="1..=3")
    options.add_argument("--json", action="store_true", help="print all trials as JSON")
    options = options.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    evaluate = Evaluator(options.program, options.seeds)
    table = tune(evaluate, options.trials)
    evaluate.close()
    counted = [trial for trial in table if trial["value"] is not None]
    best = max(counted, key=lambda trial: trial["value"], default=None)
    if options.json:
        print(json.dumps({"scenario": SCENARIO, "objective": OBJECTIVE, "trials": table, "best": best}))
        return
    for number, trial in enumerate(table):
        value = trial["reason"] if trial["value"] is None else f"{trial['value'] / 1e9:.3f} Gb/s"
        print(f"{number:>4}  {trial['params']}  {value}")
    print(f"best: {best['params']}, {OBJECTIVE} {best['value'] / 1e9:.3f} Gb/s" if best else "no trial has a value")


if __name__ == "__main__":
    main()
