"""Checks tables in Parquet, runs the questions of a page, and the script for Optuna.

Usage: data.py PROGRAM WORK_FOLDER PAGE OPTUNA_SCRIPT [--bless]

1. Runs write every table in CSV and in Parquet. Polars reads both, and so does DuckDB: every cell, type and null must agree, and
   the metadata must name the run.
2. Blocks of the page run in order: `sh` by a shell, `python` in one namespace, `sql` by DuckDB. The output of a block must be that
   of the `text` block below it; `--bless` writes it there.
3. The script for Optuna runs twice, and must find the same numbers.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import polars

# Runs by the name of their folder: with all tables, with nulls, without rows, with jobs, a comparison, and a sweep.
SERIES = 'series=(ports: ["*"], sources: ["*"], pauses: ["*"])'
WATCH = 'watch=[Control(flow: "near")]'
RUNS = {
    "credits": ["sim", "victim", "--set", "duration=22 ms", "--set", SERIES, "--set", WATCH],
    "pfc": ["sim", "roce-victim", "--set", SERIES],
    "quiet": ["sim", "one-flow"],
    "job": ["sim", "ring-all-reduce"],
    "compared": ["compare", "one-flow", "one-flow:congestion_control=Off"],
    "swept": ["sweep", "one-flow", "--vary", "link.mtu=1 KiB,2 KiB", "--vary", "switch.buffering=InputFifo,InputVoq", "--seeds", "1..=2"],
}
# The collected table of a sweep.
SWEPT = "results.csv"
TYPES = {
    "string": (polars.String, "VARCHAR"),
    "boolean": (polars.Boolean, "BOOLEAN"),
    "integer": (polars.Int64, "BIGINT"),
    "number": (polars.Float64, "DOUBLE"),
}


class Fault(Exception):
    """A result that is not as it should be."""


def require(holds, message):
    if not holds:
        raise Fault(message)


def check_formats(program, folder):
    package = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True).stdout)
    fields = {resource["path"]: resource["schema"]["fields"] for resource in package["resources"] if "parquet" in resource}
    names, cells = set(), 0
    for name, arguments in RUNS.items():
        out = folder / name
        subprocess.run([program, *arguments, "--format", "csv,parquet", "--quiet", "--out", out], check=True)
        tables = [path for path in sorted(out.rglob("*.csv")) if path.name in fields]
        require(tables, f"{out} has no table")
        for csv in tables:
            cells += check_table(csv, fields_of_sweep(csv) if csv.name == SWEPT else fields[csv.name])
            names.add(csv.name)
    lacking = set(fields) - names
    require(not lacking, f"no run here writes {', '.join(sorted(lacking))}")
    print(f"formats: {len(names)} tables, {cells} cells the same in CSV and Parquet, by polars and by DuckDB")


def fields_of_sweep(csv):
    """Returns the fields of a collected table, whose columns are those of its sweep."""
    return json.loads(csv.with_suffix(".schema.json").read_text())["fields"]


def check_table(csv, fields):
    parquet = csv.with_suffix(".parquet")
    require(parquet.exists(), f"{parquet} is missing")
    types = {field["name"]: TYPES[field["type"]][0] for field in fields}
    text, binary = polars.read_csv(csv, schema_overrides=types), polars.read_parquet(parquet)
    require(dict(binary.schema) == types, f"{parquet}: polars has {binary.schema}")
    for field in fields:
        column = field["name"]
        same = text[column].equals(binary[column], null_equal=True)
        require(same, f"{parquet}: `{column}` differs from the CSV file, by polars")
        nulls = binary[column].null_count()
        require(not (field["constraints"]["required"] and nulls), f"{parquet}: `{column}` has {nulls} nulls")
    check_with_duckdb(csv, parquet, fields)
    check_metadata(parquet, fields)
    return text.height * text.width


def check_with_duckdb(csv, parquet, fields):
    types = {field["name"]: TYPES[field["type"]][1] for field in fields}
    described = {name: kind for name, kind, *_ in duckdb.sql(f"DESCRIBE FROM '{parquet}'").fetchall()}
    require(described == types, f"{parquet}: DuckDB has {described}")
    text, binary = f"FROM read_csv('{csv}', header = true, types = {types})", f"FROM read_parquet('{parquet}')"
    rows = [duckdb.sql(query).fetchall() for query in (text, binary)]
    require(rows[0] == rows[1], f"{parquet}: rows differ from the CSV file, by DuckDB")


def check_metadata(parquet, fields):
    facts = polars.read_parquet_metadata(parquet)
    run = json.loads((parquet.parent / "run.json").read_text())
    wanted = {"version": run["version"], "table": parquet.with_suffix(".csv").name}
    if len(run["plans"]) == 1:
        plan = run["plans"][0]
        wanted |= {"scenario": plan["scenario"], "seed": str(plan["seed"]), "plan_digest": plan["plan_digest"]}
    found = {name: facts.get(f"backwater.{name}") for name in wanted}
    require(found == wanted, f"{parquet}: the metadata has {found}, where the manifest has {wanted}")
    if run["kind"] != "sweep":
        require(json.loads(facts["backwater.plans"]) == run["plans"], f"{parquet}: the plans are not the manifest's")
    require(json.loads(facts["backwater.command"]) == run["command"], f"{parquet}: the command is not the manifest's")
    require(json.loads(facts["backwater.schema"])["fields"] == fields, f"{parquet}: the schema is another")


BLOCK = re.compile(r"^```(sh|python|sql|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def check_page(program, folder, page, bless):
    """Runs the blocks of a page in the folder."""
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    require(blocks, f"{page} has no block")
    work = folder / "page"
    work.mkdir()
    environment = os.environ | {"PATH": f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"}
    polars.Config.set_tbl_width_chars(160).set_tbl_cols(20).set_tbl_rows(40).set_fmt_str_lengths(60)
    names, pieces, end, faults, compared = {}, [], 0, [], 0
    before = os.getcwd()
    os.chdir(work)
    try:
        for block, following in zip(blocks, [*blocks[1:], None]):
            kind, code = block.groups()
            if kind == "text":
                continue
            printed = run_block(kind, code, names, environment)
            if following is None or following[1] != "text":
                require(not printed, f"{page}:{line_of(text, block)}: the block prints, and no `text` follows:\n{printed}")
                continue
            compared += 1
            if printed != following[2]:
                faults.append(f"{page}:{line_of(text, block)}: the block prints\n{printed}and the page has\n{following[2]}")
            pieces += [text[end : following.start(2)], printed]
            end = following.end(2)
    finally:
        os.chdir(before)
    if bless:
        page.write_text("".join([*pieces, text[end:]]))
        print(f"page: {compared} answers, {len(faults)} of them written anew")
    else:
        require(not faults, "\n".join([*faults, "`cargo xtask test-data --bless` writes the page's answers anew"]))
        print(f"page: {compared} answers as the page has them")


def line_of(text, block):
    return text.count("\n", 0, block.start()) + 1


def run_block(kind, code, names, environment):
    """Runs a block and returns its output, without blanks at the ends of lines."""
    if kind == "sh":
        done = subprocess.run(["sh", "-e", "-c", code], env=environment, capture_output=True, text=True)
        require(done.returncode == 0, f"`{code.strip()}` fails:\n{done.stderr}")
        return done.stdout
    with contextlib.redirect_stdout(io.StringIO()) as output:
        if kind == "python":
            exec(compile(code, "block", "exec"), names)
        else:
            duckdb.sql(code).show(max_width=160, max_rows=40)
    lines = [line.rstrip() for line in output.getvalue().strip("\n").splitlines()]
    return "".join(line + "\n" for line in lines)


def check_optuna(program, folder, script):
    """Runs the script for Optuna twice, for a few trials."""
    runs = []
    for _ in range(2):
        command = [sys.executable, script, "--program", program, "--trials", "6", "--seeds", "1..=2", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        require(done.returncode == 0, f"{script} fails:\n{done.stderr}")
        runs.append(json.loads(done.stdout))
    first, second = runs
    trials = first["trials"]
    require(len(trials) == 6, f"{script}: {len(trials)} trials in place of 6")
    require(first == second, f"{script}: a repetition finds other numbers:\n{first}\n{second}")
    values = [trial["value"] for trial in trials if trial["value"] is not None]
    require(values and first["best"]["value"] == max(values), f"{script}: the best is not the largest: {first}")
    require(len(set(values)) > 1, f"{script}: all trials have one value: {first}")
    require(all(len(set(trial["digests"])) > 0 for trial in trials), f"{script}: a trial has no run: {first}")
    best = first["best"]
    print(f"optuna: 6 trials twice, with the same values; the best has {best['value']:.4g}, by {best['params']}")


def main(program, folder, page, script, *options):
    folder = Path(folder)
    check_formats(program, folder)
    check_page(program, folder, Path(page), "--bless" in options)
    check_optuna(program, folder, script)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Fault, polars.exceptions.PolarsError, duckdb.Error, subprocess.CalledProcessError) as fault:
        sys.exit(f"error: {fault}")
