#!/usr/bin/env python3
"""The invariant checker finds what is planted, each kind of violation by itself, and nothing else."""
import copy
import unittest

from check import check
from submitter import make_list


def job(number, state="done", **fields):
    return {"number": number, "id": f"j{number}", "note": f"k {number}", "state": state, "reason": "",
            "attempts_made": 1, "attempts_counted": 1, "max_attempts": 3, "attempt": 100 + number,
            "stage": "race", "candidate": None, "campaign": None, **fields}


def events(number, *states, kind="job"):
    return [{"kind": kind, "job": number if kind == "job" else None,
             "campaign": number if kind == "campaign" else None, "state": state} for state in states]


def whole():
    """A small database in order: job 1 done at its second attempt, job 2 cancelled in the queue, and a
    campaign with a winner, whose candidate's race and confirm jobs are 3 and 4."""
    listed = (events(1, "queued", "leased") + events(2, "queued") +
              events(1, "queued", "leased") + events(2, "cancelled") + events(1, "done") +
              events(7, "waiting", kind="campaign") + events(3, "queued") +
              events(7, "racing", kind="campaign") + events(3, "leased", "done") +
              events(7, "confirming", kind="campaign") + events(4, "queued", "leased", "done") +
              events(7, "finished", kind="campaign"))
    for place, event in enumerate(listed):
        event.update(transaction=str(1000 + place // 2), number=place + 1)
    tables = {
        "jobs": [job(1, attempts_made=2, attempts_counted=2, attempt=102, note="key 0"),
                 job(2, "cancelled", attempts_made=0, attempts_counted=0, attempt=None,
                     reason="on request", note="key 1"),
                 job(3, candidate="c", campaign="g7", attempt=103, note=""),
                 job(4, candidate="c", campaign="g7", attempt=104, note="", stage="confirm")],
        "attempts": [
            {"number": 101, "id": "a101", "job": 1, "ordinal": 1, "state": "expired", "reason": "x",
             "completion_sha256": None}] +
            [{"number": number, "id": f"a{number}", "job": of, "ordinal": ordinal,
              "state": "completed", "completion_sha256": f"s{number}", "reason": ""}
             for number, of, ordinal in ((102, 1, 2), (103, 3, 1), (104, 4, 1))],
        "results": [{"attempt": number, "job": of, "outcome": "ok"}
                    for number, of in ((102, 1), (103, 3), (104, 4))],
        "experiences": [{"id": f"x{number}", "attempt": number} for number in (102, 103, 104)],
        "events": listed,
        "campaigns": [{"number": 7, "id": "g7", "state": "finished", "reason": "",
                       "policy_version": 1, "target": 1}],
        "policies": [{"target": 1, "version": 1, "campaign": 7}],
        "audit": [
            {"action": "token.create", "object": "t", "after": {"name": "admin"}},
            {"action": "job.submit", "object": "", "after": {"jobs": ["j1", "j2"], "targets": ["chaos"]}},
            {"action": "campaign.create", "object": "g7", "after": None},
            {"action": "campaign.add_candidates", "object": "g7", "after": None},
            {"action": "job.cancel", "object": "j2", "after": {"state": "cancelled"}},
            {"action": "policy.publish", "object": "chaos", "after": {"version": 1, "campaign": "g7"}}],
    }
    journals = {
        "submitter": [
            {"kind": "acknowledged", "key": "key", "what": "jobs", "ids": ["j1", "j2"]},
            {"kind": "acknowledged", "key": "race", "what": "campaign", "ids": ["g7", "set"]}],
        "w1": [{"kind": "leased", "attempt": "a101", "job": "j1"},
               {"kind": "leased", "attempt": "a103", "job": "j3"},
               {"kind": "counted", "attempt": "a103", "sha256": "s103"}],
        "w2": [{"kind": "leased", "attempt": "a102", "job": "j1"},
               {"kind": "counted", "attempt": "a102", "sha256": "s102"},
               {"kind": "too_late", "attempt": "a101", "status": 410}],
        "watcher": [{"kind": "event", "id": f"{event['transaction']}-{event['number']}"}
                    for event in listed],
    }
    pieces = [{"key": "key", "kind": "jobs", "body": {"jobs": [{}, {}]}},
              {"key": "race", "kind": "campaign"}]
    return tables, pieces, journals


class Check(unittest.TestCase):
    def setUp(self):
        self.tables, self.pieces, self.journals = whole()

    def found(self):
        return check(self.tables, self.pieces, self.journals)

    def expect(self, kind, words):
        found = self.found()
        self.assertTrue(any(kind == one and words in text for one, text in found),
                        f"no {kind} with {words!r} in {found}")

    def row(self, table, **wanted):
        return next(row for row in self.tables[table]
                    if all(row[key] == value for key, value in wanted.items()))

    def drop(self, table, **wanted):
        self.tables[table].remove(self.row(table, **wanted))

    def test_what_is_in_order_has_no_violation(self):
        self.assertEqual(self.found(), [])

    def test_a_job_that_is_gone(self):
        self.drop("jobs", number=2)
        self.expect("lost", "key 1 is there 0 times")

    def test_a_job_that_was_made_twice(self):
        self.tables["jobs"].append(dict(self.row("jobs", number=2), number=9, id="j9"))
        self.tables["events"] += events(9, "queued", "cancelled")
        for place, event in enumerate(self.tables["events"][-2:]):
            event.update(transaction="2000", number=100 + place)
        self.expect("twice", "key 1 is there 2 times")

    def test_a_job_that_nobody_submitted(self):
        self.pieces.pop(0)
        self.expect("twice", "that nobody submitted")

    def test_work_that_was_never_acknowledged(self):
        self.journals["submitter"].pop(0)
        self.expect("lost", "never acknowledged")

    def test_another_id_than_was_answered(self):
        self.journals["submitter"][0]["ids"][0] = "j8"
        self.expect("illegal", "but j8 was answered")

    def test_a_key_that_was_answered_otherwise_the_second_time(self):
        self.journals["submitter"].append(
            {"kind": "answered_otherwise", "key": "key", "ids": ["j8"], "before": ["j1"]})
        self.expect("twice", "was answered ['j8']")

    def test_a_job_that_is_stuck(self):
        self.row("jobs", number=1)["state"] = "leased"
        self.expect("stuck", "j1")

    def test_a_state_that_comes_back_from_its_end(self):
        self.tables["events"].insert(5, {**self.tables["events"][0], "state": "done", "number": 50})
        self.expect("illegal", "from done to")

    def test_a_lease_of_a_job_that_is_leased(self):
        self.tables["events"] = [event for event in self.tables["events"] if event["number"] != 4]
        self.expect("illegal", "from leased to leased")

    def test_a_state_without_its_event(self):
        self.tables["events"] = [event for event in self.tables["events"] if event["number"] != 7]
        self.expect("lost", "its last event leased")

    def test_two_results_of_a_job(self):
        self.tables["results"].append({"attempt": 101, "job": 1, "outcome": "ok"})
        self.expect("twice", "2 results")

    def test_a_done_job_without_a_result(self):
        self.drop("results", job=1)
        self.expect("lost", "0 results")

    def test_two_completed_attempts(self):
        self.row("attempts", number=101)["state"] = "completed"
        self.expect("twice", "2 completed attempts")

    def test_a_result_without_its_experience(self):
        self.drop("experiences", attempt=102)
        self.expect("lost", "0 experiences")

    def test_an_experience_that_is_there_twice(self):
        self.tables["experiences"].append({"id": "y", "attempt": 102})
        self.expect("twice", "2 experiences")

    def test_a_lease_that_never_ended(self):
        self.row("attempts", number=101)["state"] = "leased"
        self.expect("twice", "with 1 leases")

    def test_more_attempts_than_allowed(self):
        self.row("jobs", number=1)["attempts_counted"] = 4
        self.expect("illegal", "4 attempts of at most 3")

    def test_an_attempt_that_is_gone(self):
        self.drop("attempts", number=101)
        self.expect("illegal", "attempts [2]")

    def test_an_attempt_without_a_job(self):
        self.row("attempts", number=101)["job"] = 99
        self.expect("illegal", "not there: 99")

    def test_a_death_without_a_reason(self):
        self.row("jobs", number=2)["state"] = "dead"
        self.row("jobs", number=2)["reason"] = ""
        self.expect("illegal", "dead without a reason")

    def test_an_acknowledged_result_that_does_not_count(self):
        self.row("attempts", number=103)["state"] = "expired"
        self.expect("lost", "w1 was told that a103 counts")

    def test_another_result_than_was_acknowledged(self):
        self.row("attempts", number=103)["completion_sha256"] = "other"
        self.expect("lost", "but another is stored")

    def test_an_attempt_with_two_holders(self):
        self.journals["w1"].append({"kind": "leased", "attempt": "a102", "job": "j1"})
        self.expect("twice", "leased to w1, w2")

    def test_a_repetition_that_was_refused(self):
        self.journals["w1"].append(
            {"kind": "not_counted_again", "attempt": "a103", "status": 409, "body": ""})
        self.expect("illegal", "not_counted_again")

    def test_a_campaign_that_is_stuck(self):
        self.row("campaigns", number=7)["state"] = "racing"
        self.expect("stuck", "g7 is still racing")

    def test_a_campaign_that_honed_gave_up(self):
        self.row("campaigns", number=7).update(state="failed", reason="honed could not go on: x")
        self.expect("illegal", "could not go on")

    def test_a_winner_without_a_policy(self):
        self.tables["policies"].clear()
        self.expect("twice", "published 0 policies")

    def test_a_policy_that_was_published_twice(self):
        self.tables["policies"].append({"target": 1, "version": 2, "campaign": 7})
        self.expect("twice", "published 2 policies")

    def test_a_candidate_with_two_race_jobs(self):
        self.row("jobs", number=4)["stage"] = "race"
        self.expect("twice", "2 jobs of stage race")

    def test_a_campaign_that_nobody_was_told_of(self):
        self.tables["campaigns"].append({**self.tables["campaigns"][0], "number": 8, "id": "g8"})
        self.expect("twice", "g8 that nobody was told of")

    def test_a_change_that_is_not_in_the_audit_log(self):
        for action, words in (("job.submit", "job.submit of j1 is 0 times"), ("job.cancel", "job.cancel of j2"),
                              ("campaign.create", "campaign.create of g7"),
                              ("campaign.add_candidates", "add_candidates of g7"),
                              ("policy.publish", "policy.publish of g7")):
            with self.subTest(action):
                self.setUp()
                self.drop("audit", action=action)
                self.expect("lost", words)

    def test_a_change_that_was_audited_twice(self):
        for action in ("job.submit", "job.cancel", "campaign.create", "campaign.add_candidates", "policy.publish"):
            with self.subTest(action):
                self.setUp()
                self.tables["audit"].append(copy.copy(self.row("audit", action=action)))
                self.expect("twice", f"{action} of ")

    def test_an_audited_change_of_nothing(self):
        self.tables["audit"].append({"action": "job.cancel", "object": "j9", "after": None})
        self.expect("illegal", "job.cancel of j9, which is not there")

    def test_a_cancellation_that_came_behind_the_result(self):
        self.tables["audit"].append({"action": "job.cancel", "object": "j1", "after": None})
        self.assertEqual(self.found(), [])

    def test_an_event_that_the_stream_left_out(self):
        self.journals["watcher"].pop(4)
        self.expect("lost", "left out 1 of")

    def test_an_event_that_the_stream_gave_twice(self):
        self.journals["watcher"].append(copy.copy(self.journals["watcher"][3]))
        self.expect("twice", "gave 1 events twice")

    def test_an_answer_that_is_no_honest_refusal(self):
        self.journals["w1"].append({"kind": "odd_answer", "method": "POST", "path": "/v1/leases",
                                    "status": 500, "body": "{}"})
        self.expect("answer", "1 answers of 500 to POST /v1/leases")


class List(unittest.TestCase):
    def test_is_made_of_the_seed(self):
        self.assertEqual(make_list(200, 7, "t"), make_list(200, 7, "t"))
        self.assertNotEqual(make_list(200, 7, "t"), make_list(200, 8, "t"))

    def test_has_the_jobs_that_were_asked_for(self):
        pieces = make_list(200, 7, "t")
        self.assertEqual(
            sum(len(piece["body"]["jobs"]) for piece in pieces if piece["kind"] == "jobs"), 200)
        self.assertEqual({piece["kind"] for piece in pieces}, {"jobs", "campaign", "artifact"})


if __name__ == "__main__":
    unittest.main()
