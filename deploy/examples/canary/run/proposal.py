"""What the demonstration proposes by itself, as candidates of a set; hone-learner goes on from there.

A candidate is a list of a policy's rules. Everything here is certain to be proposed (log propensity 0)."""

BRANCHES = {"two-entry-phi-node-folding-threshold": "16"}
MATCHES = "libzstd/lib/compress/zstd_fast.c"  # where level 1 spends its time
MOST_PARTS = 6
# What levels 3 and 6 and decompression spend theirs in: staging runs these only to compare outputs.
UNSEEN = ["libzstd/lib/compress/zstd_double_fast.c", "libzstd/lib/compress/zstd_lazy.c", "libzstd/lib/decompress/*.c"]


def rule(source, knobs=None, pipeline="default<O3>"):
    return {"source": source, "pipeline": pipeline, "knobs": knobs or {}}


def candidate(origin, note, rules):
    return {"origin": origin, "note": note, "log_propensity": 0, "rules": rules}


def key_of(one):
    return one["source"], one.get("pipeline", ""), tuple(sorted((one.get("knobs") or {}).items()))


def first(in_force):
    """What somebody who knows the code tries first, on top of what is in force."""
    return [candidate("by-hand", "slopes.c: branches become selects", [rule("slopes.c", BRANCHES)] + in_force),
            candidate("by-hand", "zstd_fast.c: loops four times", [rule(MATCHES, {"unroll-count": "4"})] + in_force)]


def planted(in_force):
    """Honest in staging, where words.c gains, and harmful where staging does not look: next to no optimisation."""
    hidden = [rule(source, pipeline="function(mem2reg)") for source in UNSEEN]
    return [candidate("planted", "words.c gains, files that staging does not time lose",
                      [rule("words.c", BRANCHES)] + hidden + in_force),
            candidate("by-hand", "zstd_fast.c: no scheduler", [rule(MATCHES, {"enable-misched": "false"})] + in_force)]


def taken_apart(withdrawn, in_force):
    """What production withdrew, rule by rule on top of what is in force."""
    known = {key_of(one) for one in in_force}
    return [candidate("taken-apart", f"{one['source']} alone, of what production withdrew", [one] + in_force)
            for one in withdrawn if key_of(one) not in known][:MOST_PARTS]


def further(in_force):
    """For cycles after these: something small, from which the learner goes on."""
    return [candidate("by-hand", "zstd_fast.c: blocks aligned",
                      [rule(MATCHES, {"align-all-nofallthru-blocks": "5"})] + in_force),
            candidate("by-hand", "zstd_fast.c: folding of branches",
                      [rule(MATCHES, {"two-entry-phi-node-folding-threshold": "8"})] + in_force)]
