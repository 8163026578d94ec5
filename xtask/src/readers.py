"""Reads every table of result folders with polars, pandas and DuckDB, as `backwater schema` describes them.

Usage: readers.py SCHEMA FOLDER...

Each file is read alone by the types of its schema and, where it has rows, once more without them: columns that are never
empty must then have the same types. The files of one name are joined without a cast. All readers must agree on every
number. JSON files are validated.
"""

import json
import math
import sys
from pathlib import Path

import duckdb
import jsonschema
import pandas
import polars

POLARS = {
    "string": polars.String,
    "boolean": polars.Boolean,
    "integer": polars.Int64,
    "number": polars.Float64,
}
PANDAS = {"string": "string", "boolean": "boolean", "integer": "Int64", "number": "Float64"}
PANDAS_INFERRED = {"string": "str", "boolean": "bool", "integer": "int64", "number": "float64"}
DUCKDB = {"string": "VARCHAR", "boolean": "BOOLEAN", "integer": "BIGINT", "number": "DOUBLE"}


class Fault(Exception):
    """A table that is not as its schema says."""


def require(holds, message):
    if not holds:
        raise Fault(message)


def with_polars(paths, fields):
    types = {field["name"]: POLARS[field["type"]] for field in fields}
    frames = [polars.read_csv(path, schema_overrides=types) for path in paths]
    for path, frame in zip(paths, frames):
        require(dict(frame.schema) == types, f"{path}: polars has {frame.schema}")
        inferred = polars.read_csv(path)
        for field in fields:
            kind = inferred.schema[field["name"]]
            if len(frame) and field["constraints"]["required"]:
                require(kind == POLARS[field["type"]], f"{path}: polars infers {field['name']} as {kind}")
                require(frame[field["name"]].null_count() == 0, f"{path}: {field['name']} has an empty cell")
    whole = polars.concat(frames)
    return len(whole), {field["name"]: whole[field["name"]].sum() for field in numbers(fields)}


def with_pandas(paths, fields):
    types = {field["name"]: PANDAS[field["type"]] for field in fields}
    options = {"keep_default_na": False, "na_values": [""]}
    frames = [pandas.read_csv(path, dtype=types, **options) for path in paths]
    for path, frame in zip(paths, frames):
        inferred = pandas.read_csv(path, **options)
        require(list(frame.columns) == list(types), f"{path}: pandas has {list(frame.columns)}")
        for field in fields:
            if len(frame) and field["constraints"]["required"]:
                kind = inferred[field["name"]].dtype
                text = field["type"] == "string" and pandas.api.types.is_string_dtype(kind)
                require(
                    text or str(kind) == PANDAS_INFERRED[field["type"]],
                    f"{path}: pandas infers {field['name']} as {kind}",
                )
    whole = pandas.concat(frames)
    for name, kind in types.items():
        require(whole[name].dtype == kind, f"{paths}: joined by pandas, {name} is {whole[name].dtype}")
    return len(whole), {field["name"]: whole[field["name"]].sum() for field in numbers(fields)}


def with_duckdb(paths, fields):
    types = {field["name"]: DUCKDB[field["type"]] for field in fields}

    def described(query):
        return {name: kind for name, kind, *_ in duckdb.sql(f"DESCRIBE {query}").fetchall()}

    for path in paths:
        query = f"SELECT * FROM read_csv('{path}', header = true, types = {types})"
        require(described(query) == types, f"{path}: DuckDB has {described(query)}")
        inferred = described(f"SELECT * FROM read_csv('{path}', header = true)")
        rows = duckdb.sql(f"SELECT count(*) FROM ({query})").fetchall()[0][0]
        for field in fields:
            if rows and field["constraints"]["required"]:
                kind = inferred[field["name"]]
                require(
                    kind == DUCKDB[field["type"]], f"{path}: DuckDB infers {field['name']} as {kind}"
                )
    names = [str(path) for path in paths]
    query = f"SELECT * FROM read_csv({names}, header = true, types = {types})"
    require(described(query) == types, f"{paths}: joined by DuckDB, {described(query)}")
    sums = [f'coalesce(sum("{field["name"]}"), 0)' for field in numbers(fields)]
    count, *sums = duckdb.sql(f"SELECT {', '.join(['count(*)', *sums])} FROM ({query})").fetchall()[0]
    return count, dict(zip((field["name"] for field in numbers(fields)), sums))


def numbers(fields):
    return [field for field in fields if field["type"] in ("integer", "number")]


def check_table(paths, fields):
    """Reads the files of one name with every reader; returns their rows together."""
    results = [reader(paths, fields) for reader in (with_polars, with_pandas, with_duckdb)]
    for count, sums in results[1:]:
        require(count == results[0][0], f"{paths}: the readers count {[count for count, _ in results]} rows")
        for name, value in sums.items():
            same = math.isclose(float(value), float(results[0][1][name]), rel_tol=1e-9)
            require(same, f"{paths}: the readers' sums of {name} are {[sums[name] for _, sums in results]}")
    return results[0][0]


def main(package, folders):
    resources = json.loads(Path(package).read_text())["resources"]
    known = {resource["path"] for resource in resources}
    for folder in folders:
        unknown = {file.name for file in Path(folder).iterdir() if file.is_file()} - known
        require(not unknown, f"{folder}: no schema for {sorted(unknown)}")
    for resource in resources:
        name = resource["path"]
        paths = [path for folder in folders if (path := Path(folder, name)).exists()]
        if "schema" in resource and paths:
            rows = check_table(paths, resource["schema"]["fields"])
            print(f"{name:<20} {len(paths)} files, {rows} rows")
        if "jsonSchema" in resource:
            validator = jsonschema.Draft202012Validator(resource["jsonSchema"])
            for path in paths:
                validator.validate(json.loads(path.read_text()))
            print(f"{name:<20} {len(paths)} files")


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except (Fault, polars.exceptions.PolarsError, ValueError, duckdb.Error, jsonschema.ValidationError) as fault:
        sys.exit(f"error: {fault}")
