"""The queue's statements for pgbench, taken from PostgreSQL's log.

raw_sql.py result                  prints the result that every job has
raw_sql.py script LOG TOKEN DIR    writes DIR/raw.sql (submit, claim and complete 64 jobs), DIR/defines (its
                                   variables for -D, each ended by a NUL) and DIR/fill.sql
"""
import json
import re
import sys

BATCH = 64
PAIRS = 12
SOURCES = 4

SUBMIT = ["key_claim", "jobs_find_targets", "jobs_insert", "key_keep", "audit_write"]
COMPLETE = ["attempt_lock_job", "attempt_find", "complete_end_attempts", "complete_add_results",
            "complete_add_samples", "complete_summarise", "complete_add_states", "complete_add_decisions",
            "complete_add_binaries", "complete_add_experiences", "complete_end_jobs"]

MACHINE = {"host": "load", "cpu_model": "a processor", "cpus": 1, "memory_mib": 1024, "kernel": "Linux"}
TOOLCHAIN = {"compiler": "Debian clang version 19.1.7 (3+b1)", "plugin_sha256": "ab" * 32,
             "launcher_version": "0.1.0", "linker": "LLD 19.1.7"}
REWARD = {"value": 0.02, "low": 0.01, "high": 0.03, "confidence": 0.95, "pairs": PAIRS,
          "detectable_effect": 0.01, "noise": 0.01}
RULES = [{"source": "*", "pipeline": "default<O3>"}]


def samples():
    return [{"pair": pair, "position": 0 if role == "baseline" else 1, "block": pair // 4, "layout": 0, "input": "",
             "metric": "cpu_time", "role": role, "value": 0.2 + 0.001 * pair}
            for pair in range(PAIRS) for role in ("baseline", "candidate")]


def decisions():
    return [{"source": f"src/{i}.c", "output": f"src/{i}.o", "state_id": f"{i:064x}", "pipeline_hash": "cd" * 32,
             "tuned": True, "meant": True} for i in range(SOURCES)]


def binary():
    return {"path": "load", "sha256": "ef" * 32, "size_bytes": 100000, "text_bytes": 50000}


def result():
    return {"outcome": "ok", "verdict": "faster", "reward": REWARD, "samples": samples(), "decisions": decisions(),
            "binaries": [binary()], "baseline_binaries": [binary()], "machine": MACHINE, "toolchain": TOOLCHAIN,
            "build_seconds": 1.5, "baseline_build_seconds": 0, "measure_seconds": 20.5, "links": 1,
            "layout_sigma": 0, "log": "", "warnings": []}


def statements(log):
    """Text by name, of what the log says was executed."""
    found = {}
    entry = None
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("\t") and entry:
                found[entry] += line[1:]
                continue
            start = re.search(r"\] LOG:  execute (\w+): (.*)", line, re.S)
            entry = start.group(1) if start and start.group(1) not in found else None
            if entry:
                found[entry] = start.group(2)
    return found


def array(values):
    def element(value):
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return "t" if value else "f"
        if isinstance(value, (int, float)):
            return repr(value)
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "{" + ",".join(element(value) for value in values) + "}"


def main():
    if sys.argv[1:2] == ["result"]:
        json.dump(result(), sys.stdout)
        return
    log, token, folder = sys.argv[2:5]
    texts = statements(log)
    missing = [name for name in SUBMIT + ["job_claim"] + COMPLETE if name not in texts]
    if missing:
        sys.exit(f"raw_sql.py: the log has no statement {', '.join(missing)}")

    constants = {}

    def each(name, rows):
        """A constant array: the rows of one job, for every job."""
        constants[name] = array(rows * BATCH)
        return ":" + name

    def one(name, value):
        return each(name, [value])

    of_samples, of_decisions = samples(), decisions()
    parameters = {
        "key_claim": [":token", ":operation", ":key", ":sha256"],
        "jobs_find_targets": [one("targets", "load")],
        "jobs_insert": [one("target_numbers", 1), one("versions", 1), one("race", "race"), one("o3", "O3"),
                        one("zeros", 0), one("threes", 3), one("rules", json.dumps(RULES)), one("blanks", ""),
                        one("nulls", None), ":token", "NULL"],
        "key_keep": [":token", ":operation", ":key", ":answer"],
        "audit_write": [":token", "'submit'", "'job'", "''", "'load'", "'raw'", "NULL", ":after"],
        "attempt_lock_job": [":ids"],
        "attempt_find": [":ids"],
        "complete_end_attempts": [":keys", one("completed", "completed"), one("hashes", "ab" * 32), ":blanks"],
        "complete_add_results": [
            ":keys", ":jobs", one("ok", "ok"), ":blanks", one("faster", "faster"), one("value", REWARD["value"]),
            one("low", REWARD["low"]), one("high", REWARD["high"]), one("confidence", REWARD["confidence"]),
            one("pairs", PAIRS), one("effect", REWARD["detectable_effect"]), one("noise", REWARD["noise"]), ":nulls",
            one("machine", json.dumps(MACHINE)), one("compiler", TOOLCHAIN["compiler"]), ":hashes",
            one("launcher", "0.1.0"), one("linker", TOOLCHAIN["linker"]), one("build", 1.5), ":zeros",
            one("measured", 20.5), ":blanks", one("warnings", "[]"), one("ones", 1), ":zeros", one("text", 50000),
            ":text"],
        "complete_add_samples": [":sample_keys", each("sample_numbers", list(range(len(of_samples))))] + [
            each("sample_" + field, [sample[field] for sample in of_samples])
            for field in ("pair", "block", "layout", "position", "role", "metric")] + [
            each("sample_stages", ["race"] * len(of_samples)), each("sample_baselines", ["O3"] * len(of_samples)),
            each("sample_values", [sample["value"] for sample in of_samples]),
            each("sample_inputs", [""] * len(of_samples))],
        "complete_summarise": [":keys"],
        "complete_add_states": [each("state_ids", [decision["state_id"] for decision in of_decisions])],
        "complete_add_decisions": [
            ":decision_keys", each("decision_numbers", list(range(SOURCES))),
            each("sources", [decision["source"] for decision in of_decisions]),
            each("outputs", [decision["output"] for decision in of_decisions]), ":state_ids",
            each("pipelines", ["cd" * 32] * SOURCES), each("tuned", [True] * SOURCES), ":tuned",
            each("decision_reasons", [""] * SOURCES), each("propensities", [None] * SOURCES)],
        "complete_add_binaries": [
            ":binary_keys", each("roles", ["candidate", "baseline"]), each("binary_numbers", [0, 0]),
            each("paths", ["load"] * 2), each("binary_hashes", ["ef" * 32] * 2), each("sizes", [100000] * 2),
            each("texts", [50000] * 2)],
        "complete_add_experiences": [":keys"],
        "complete_end_jobs": [":jobs", one("done", "done"), ":blanks"],
        "job_claim": [":workers", ":tokens", one("seeds", 123456789), ":lease"],
    }
    constants.update({
        "token": token, "operation": "submit_jobs", "sha256": "ab" * 32, "lease": "60",
        "workers": array([f"load-{i}" for i in range(BATCH)]), "tokens": array([token] * BATCH),
        "after": json.dumps({"jobs": [f"{i:08x}-0000-4000-8000-000000000000" for i in range(BATCH)],
                             "targets": ["load"]}),
        "answer": json.dumps([f"{i:08x}-0000-4000-8000-000000000000" for i in range(BATCH)])})

    def statement(name, text=None):
        values = parameters[name]
        return re.sub(r"\$(\d+)", lambda found: values[int(found.group(1)) - 1], text or texts[name]).strip()

    # The claim gives what the completion needs in one row.
    claim, cut = re.subn(r"\nSELECT asked\.worker IS NOT NULL.*", "", texts["job_claim"], flags=re.S)
    if cut != 1:
        sys.exit("raw_sql.py: the claim's last SELECT is not where it was")

    def repeated(rows):
        return (f"(SELECT array_agg(attempt_key ORDER BY place, i)::text FROM given, generate_series(1, {rows}) AS i)")
    claim += f"""
SELECT count(*) AS n, array_agg(attempt ORDER BY place)::text AS ids,
       array_agg(attempt_key ORDER BY place)::text AS keys, array_agg(job_key ORDER BY place)::text AS jobs,
       {repeated(len(of_samples))} AS sample_keys, {repeated(SOURCES)} AS decision_keys,
       {repeated(2)} AS binary_keys
FROM given"""

    submit = ["\\set key random(1, 9000000000000000)", "BEGIN;"]
    submit += [statement(name) + ";" for name in SUBMIT] + ["COMMIT;"]
    used = set(re.findall(r":(\w+)", "\n".join(statement(name) for name in COMPLETE + SUBMIT) + statement("job_claim", claim)))
    with open(f"{folder}/defines", "w", encoding="utf-8") as out:
        for name in sorted(used & set(constants)):
            out.write(f"{name}={constants[name]}\0")
    script = submit + [statement("job_claim", claim), "\\gset", f"\\if :n = {BATCH}", "BEGIN;"]
    script += [statement(name) + ";" for name in COMPLETE] + ["COMMIT;", "\\else", "SELECT 1 / 0;", "\\endif"]
    with open(f"{folder}/raw.sql", "w", encoding="utf-8") as out:
        out.write("\n".join(script) + "\n")
    with open(f"{folder}/fill.sql", "w", encoding="utf-8") as out:
        out.write("BEGIN;\n" + fill(texts["jobs_insert"], constants, parameters["jobs_insert"]) + ";\nCOMMIT;\n")


def fill(insert, constants, values):
    """The same insertion with its values written out, for psql."""
    def literal(found):
        value = values[int(found.group(1)) - 1]
        if not value.startswith(":"):
            return value
        name = value[1:]
        return "'" + constants[name].replace("'", "''") + "'"
    return re.sub(r"\$(\d+)", literal, insert).strip()


if __name__ == "__main__":
    main()
