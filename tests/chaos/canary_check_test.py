"""The checker of canary.sh: what is well passes, each planted violation is found."""
import copy
import unittest

from canary_check import Case, bounds, check

KILL = 1000.0


def decision(number, at, state, share, windows):
    return {"number": number, "at": at, "state": state, "share": share, "windows": windows, "reason": ""}


def make_record():
    return {"state": "ramping", "share": 25, "follows": True, "experiences": 0, "audits": ["canary.create"],
            "decisions": [decision(1, KILL - 30, "ramping", 5, 0), decision(2, KILL - 20, "ramping", 25, 4)],
            "windows": [{"number": n, "start": KILL - 29 + 2 * n, "seconds": 2.0, "share": 5 if n < 4 else 25}
                        for n in range(20)]}


def serve(first, last, share, rate=40):
    """As HAProxy does it: each n-th request to the canary."""
    every = round(100 / share) if share else 0
    return [("canary" if every and n % every == 0 else "baseline", 200, first + n / rate, first + (n + 0.5) / rate)
            for n in range(int((last - first) * rate))]


def make_case(victim="honeds", repeat="dead", **more):
    """Drained 5 s after the kill, back at work 3 s after the return."""
    requests = serve(KILL - 10, KILL + 5, 25) + serve(KILL + 5, KILL + 17, 0) + serve(KILL + 17, KILL + 26, 25)
    samples = [{"at": KILL - 5 + n / 5, "owner": "one" if n < 110 else "two",
                "weights": {"old": (255, 100, True), "new": (85, 0, True)}} for n in range(155)]
    case = Case(state="ramping-25", victim=victim, repeat=repeat, steps=(5, 25), rate=40, window=2.0, scrape=0.5,
                downs=[(KILL, KILL + 14)], begun=KILL - 5, ended=KILL + 26, requests=requests, record=make_record(),
                samples=samples)
    for name, value in more.items():
        setattr(case, name, value)
    return case


class Checker(unittest.TestCase):
    def found(self, case):
        return " / ".join(check(case)[0])

    def assert_found(self, case, text):
        self.assertIn(text, self.found(case))

    def test_what_is_well_passes(self):
        found, seconds = check(make_case())
        self.assertEqual(found, [])
        self.assertAlmostEqual(seconds, 4.9, delta=0.2)

    def test_a_canary_that_is_not_drained(self):
        requests = serve(KILL - 10, KILL + 26, 25)
        for victim in ("honeds", "prometheus"):
            self.assert_found(make_case(victim, requests=requests), "bound")

    def test_another_coordinator_is_somebody(self):
        requests = serve(KILL - 10, KILL + 26, 25)
        case = make_case("honed", requests=requests)
        for sample in case.samples:
            sample["owner"] = "one" if sample["at"] < KILL + 5 else "two"
        self.assertEqual(self.found(case), "")
        for sample in case.samples:
            sample["owner"] = "one" if sample["at"] < KILL + 9 else "two"
        self.assert_found(case, "bound")

    def test_more_than_its_ramp(self):
        self.assert_found(make_case(requests=serve(KILL - 10, KILL + 5, 50) + serve(KILL + 5, KILL + 26, 25)),
                          "which might have 25 %")

    def test_one_request_of_what_may_have_none(self):
        for state in ("rolled_back", "aborted"):
            record = make_record()
            record.update(state=state, share=0, experiences=1)
            record["decisions"].append(decision(3, KILL - 10, state, 0, 10))
            record["windows"] = record["windows"][:10]
            if state == "aborted":
                record["audits"].append("canary.abort")
            case = make_case(record=record, requests=serve(KILL - 5, KILL + 26, 0))
            self.assertEqual(self.found(case), "")
            case.requests[800] = ("canary", *case.requests[800][1:])
            self.assert_found(case, "which might have 0 %")

    def test_illegal_records(self):
        def planted(text, change):
            case = make_case()
            change(case.record)
            self.assert_found(case, text)
        planted("from ramping to promoted", lambda r: (
            r["decisions"].append(decision(3, KILL + 25, "promoted", 100, 20)), r.update(state="promoted", share=100)))
        planted("from 5 % to 50 %", lambda r: r["decisions"][1].update(share=50))
        planted("is numbered 3", lambda r: r["decisions"][1].update(number=3))
        planted("after one upon", lambda r: r["decisions"][0].update(windows=5))
        planted("its last decision", lambda r: r.update(share=5))
        planted("experiences", lambda r: r.update(experiences=1))
        planted("in the audit log", lambda r: r.update(audits=["canary.create"] * 2))
        planted("ends by hand", lambda r: r["audits"].append("canary.abort"))
        planted("window 7 is numbered 8", lambda r: r["windows"].pop(7))
        planted("window 8 begins 0.0 s after", lambda r: r["windows"][8].update(start=r["windows"][7]["start"]))
        planted("window 3 is of 25 %", lambda r: r["windows"][3].update(share=25))

    def test_requests_that_fail(self):
        def failing(victim, at, count=1, **more):
            case = make_case(victim, **more)
            case.requests = case.requests + [("-", 503, at, at + 0.01)] * count
            return case
        self.assert_found(failing("honeds", KILL + 1), "requests of users failed")
        self.assert_found(failing("prometheus", KILL + 1), "requests of users failed")
        self.assertEqual(self.found(failing("haproxy", KILL + 10)), "")
        self.assert_found(failing("haproxy", KILL + 20), "requests of users failed")
        self.assertNotIn("users", self.found(failing("canary", KILL + 0.1, 2)))
        self.assert_found(failing("canary", KILL + 0.1, 9), "requests of users failed")
        self.assert_found(failing("canary", KILL + 4), "requests of users failed")

    def test_nothing_goes_on(self):
        case = make_case(requests=serve(KILL - 10, KILL + 5, 25) + serve(KILL + 5, KILL + 26, 0))
        self.assert_found(case, "got none of")
        case = make_case()
        case.record["follows"] = False
        self.assert_found(case, "does not follow")

    def test_haproxys_own_weight(self):
        case = make_case("haproxy")
        self.assertEqual(self.found(case), "")
        heavy = copy.deepcopy(case)
        for sample in heavy.samples:
            sample["weights"]["new"] = (85, 100, True)
        self.assert_found(heavy, "own weight")
        for sample in case.samples:
            if KILL < sample["at"] < KILL + 20:
                sample["weights"]["new"] = (0, 0, True)
        self.assert_found(case, "bound")

    def test_a_canary_that_is_down_stays(self):
        case = make_case("canary", requests=serve(KILL - 10, KILL + 26, 25))
        self.assert_found(case, "a canary that is down is ramping")
        record = make_record()
        record["decisions"].append(decision(3, KILL + 7, "rolled_back", 0, 18))
        record.update(state="rolled_back", share=0, experiences=1, windows=record["windows"][:18])
        case = make_case("canary", record=record,
                         requests=serve(KILL - 10, KILL + 7, 25) + serve(KILL + 7, KILL + 26, 0))
        self.assertEqual(self.found(case), "")

    def test_bounds_are_what_is_documented(self):
        self.assertEqual(bounds(2.0, 0.5, 3)["canary"], 17.5)
        self.assertEqual(bounds(2.0, 0.5), {"honed": 6.0, "honeds": 6.0, "prometheus": 10.5, "haproxy": 2.5,
                                            "canary": 9.5})


if __name__ == "__main__":
    unittest.main()
