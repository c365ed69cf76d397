"""Living peers on our sessions: the cost of every sequence that a tuner asks for, one a line.

    peers.py TUNER HONE PROGRAM.bc EVALUATIONS SEED

TUNER is nevergrad, opentuner or autotune; HONE the folder of hone and hone-session. All of them choose
among the single passes that `hone env list` offers (autotune among its own list, as it cannot be given
another), start as they start by themselves, and are told the instruction count, or that a sequence failed.
Needs PyPI: nevergrad 1.0.12, opentuner 0.8.8, autotune-doctor 0.5.0.
"""
import json
import os
import subprocess
import sys
import tempfile

FAILED = 1e9
LENGTH = 45  # pipelines of a sequence at most, as an episode of CompilerGym's


class Session:
    """A program in hone-session, of which sequences are tried on copies."""

    def __init__(self, folder, program):
        self.server = subprocess.Popen(
            [os.path.join(folder, "hone-session")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.ask("base", "open", program=program)

    def ask(self, session, command, **more):
        self.number += 1
        self.server.stdin.write(
            json.dumps({"id": self.number, "session": session, "command": command, **more}) + "\n")
        self.server.stdin.flush()
        # A reply is a head and, unless it is an error, a tab and a body.
        head, _, body = self.server.stdout.readline().partition("\t")
        return {**json.loads(head), **json.loads(body or "{}")}

    def cost(self, pipelines):
        self.ask("base", "fork", into="try")
        if pipelines:
            reply = self.ask("try", "step", pipelines=pipelines, observe=["IrInstructionCount"])
        else:
            reply = self.ask("try", "observe", observe=["IrInstructionCount"])
        self.ask("try", "close")
        if "error" in reply or reply.get("outcome", "ok") != "ok":
            return FAILED
        return float(reply["observations"]["IrInstructionCount"])


class Budget(Exception):
    """The evaluations are used up."""


class Objective:
    def __init__(self, session, evaluations):
        self.session = session
        self.left = evaluations

    def __call__(self, pipelines):
        if self.left == 0:
            raise Budget
        self.left -= 1
        cost = self.session.cost(pipelines)
        print(int(cost), flush=True)
        return cost


def nevergrad(actions, objective, evaluations, seed):
    import nevergrad as ng

    choice = ng.p.Choice([""] + actions, repetitions=LENGTH)
    choice.random_state.seed(seed)
    optimizer = ng.optimizers.NGOpt(parametrization=choice, budget=evaluations)
    for _ in range(evaluations):
        asked = optimizer.ask()
        optimizer.tell(asked, objective([action for action in asked.value if action]))


def opentuner(actions, objective, evaluations, seed):
    import argparse
    import random

    import numpy
    import opentuner as ot
    from opentuner.api import TuningRunManager
    from opentuner.measurement.interface import DefaultMeasurementInterface
    from opentuner.resultsdb.models import Result

    random.seed(seed)
    numpy.random.seed(seed)
    manipulator = ot.ConfigurationManipulator()
    for slot in range(LENGTH):
        manipulator.add_parameter(ot.EnumParameter(str(slot), [""] + actions))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # it logs into the current folder
        parser = argparse.ArgumentParser(parents=ot.argparsers())
        arguments = parser.parse_args(
            ["--database", "sqlite:///" + os.path.join(folder, "db"), "--test-limit", str(evaluations)])
        interface = DefaultMeasurementInterface(
            args=arguments, manipulator=manipulator, project_name="hone", program_name="hone",
            program_version="1")
        manager = TuningRunManager(interface, arguments)
        try:
            while True:
                desired = manager.get_next_desired_result()
                if desired is None:
                    break
                data = desired.configuration.data
                sequence = [data[str(slot)] for slot in range(LENGTH) if data[str(slot)]]
                manager.report_result(desired, Result(time=objective(sequence)))
        finally:
            manager.finish()


def autotune(actions, objective, evaluations, seed):
    import types

    from autotune.search.genetic import GeneticAlgorithmEngine

    names = {}
    for action in actions:
        names[action.rstrip(")").split("(")[-1]] = action
    from autotune.llvm.passes import PassValidator

    compiler = types.SimpleNamespace(validator=PassValidator(), target_arch="x86_64", clang_path="clang-19")

    class Engine(GeneticAlgorithmEngine):
        """Its genetic search; an individual's cost is ours, not a run of a program."""

        def evaluate_individual(self, individual, *_):
            known = [names[name] for name in individual.sequence.passes if name in names]
            cost = objective(known)
            individual.compilation_success = cost < FAILED
            individual.raw_time_ns = cost
            individual.normalized_speed = 1000 / cost
            individual.fitness = individual.normalized_speed if cost < FAILED else float("-inf")
            return individual

    os.chdir(tempfile.mkdtemp())  # it writes into the current folder
    population = 20
    engine = Engine(compiler, None, seed=seed, population_size=population, generations=evaluations,
                    max_stagnant_generations=evaluations, max_workers=1)
    engine.evolve("", None, None, 1000.0)


def main():
    tuner, folder, program, evaluations, seed = sys.argv[1:]
    listed = subprocess.run([os.path.join(folder, "hone"), "env", "list", "--json"], check=True,
                            capture_output=True, text=True)
    actions = [action["pipeline"] for action in json.loads(listed.stdout)["actions"]]
    objective = Objective(Session(folder, program), int(evaluations))
    try:
        {"nevergrad": nevergrad, "opentuner": opentuner, "autotune": autotune}[tuner](
            actions, objective, int(evaluations), int(seed))
    except Budget:
        pass


main()
