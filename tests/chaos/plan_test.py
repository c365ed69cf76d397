#!/usr/bin/env python3
"""The plan is a function of its seed, and leaves no kind of fault out."""
import unittest

from plan import KINDS, make_plan


class Plan(unittest.TestCase):
    def test_is_made_of_the_seed(self):
        self.assertEqual(make_plan(180, 3), make_plan(180, 3))
        self.assertNotEqual(make_plan(180, 3), make_plan(180, 4))

    def test_has_every_kind_however_short(self):
        for seconds in (60, 180, 1800):
            self.assertEqual({fault.kind for fault in make_plan(seconds, 1)}, set(KINDS))

    def test_ends_before_the_test_does(self):
        plan = make_plan(180, 1)
        self.assertEqual(plan, sorted(plan, key=lambda fault: fault.at))
        self.assertLess(plan[-1].at, 162.01)

    def test_grows_with_the_time(self):
        self.assertGreater(len(make_plan(1800, 1)), 250)


if __name__ == "__main__":
    unittest.main()
