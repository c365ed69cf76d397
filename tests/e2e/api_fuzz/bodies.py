"""Bodies of requests that more than one role sends."""
RULES = [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "4"}}]


def spec_of(rng, name, artifact):
    return {
        "name": name,
        "source": {"artifact": artifact},
        "build": {"commands": [["make", "-j{jobs}"]], "binaries": ["b"], "timeout_seconds": rng.randint(1, 86400)},
        "benchmark": {
            "command": ["{build}/b", "-%d" % rng.randint(0, 9)],
            "metric": {"metric": rng.choice(["cpu_time", "wall_time", "text_bytes"])},
            "links": rng.randint(1, 64),
        },
        "tune": {"include": rng.choice([["*"], ["lib/*.c", "src/ä*"]]), "exclude": []},
    }


def reward_of(rng):
    value = rng.uniform(-1, 1)
    around = {"value": value, "low": value - 0.1, "high": value + 0.1}
    return {**around, "confidence": 0.95, "pairs": 3, "detectable_effect": 0.01, "noise": rng.choice([0.1, 5e-324])}


def result_of(rng):
    if rng.random() < 0.3:
        reason = f"ä\u0001\n{rng.random()}"
        return {"outcome": rng.choice(["build_failed", "miscompiled", "timed_out"]), "reason": reason}
    samples = [
        {"pair": i // 2, "position": i % 2, "block": 0, "layout": 0, "metric": "cpu_time", "value": rng.random() + 1e-9,
         "role": ["baseline", "candidate"][i % 2]}
        for i in range(6)
    ]
    decision = {"source": "a.c", "tuned": True, "meant": True, "log_propensity": rng.choice([None, -0.0, -700])}
    reward = reward_of(rng)
    way = "faster" if reward["value"] > 0 else "slower"
    return {
        "outcome": "ok",
        "verdict": rng.choice([way, way, "no_change", "inconclusive"]),
        "reward": reward,
        "samples": samples,
        "decisions": [decision],
        "machine": {"host": "h", "cpus": 2},
        "log": "l" * rng.randint(0, 2000),
        "warnings": ["w"],
    }
