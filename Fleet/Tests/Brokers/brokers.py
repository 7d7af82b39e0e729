#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of lanyard-fleet with brokers, clients and accessories of other projects.

usage: brokers.py LANYARD-FLEET LANYARD [--outage SECONDS] [--first-port PORT] [TEST…]
       brokers.py LANYARD-FLEET LANYARD --side-by-side [--outage SECONDS]

The brokers are Mosquitto, with the access control of docs/FLEET.md, and nats-server, which speaks MQTT
3.1.1. The clients are mosquitto_sub, mosquitto_pub and Eclipse Paho. All connections use TLS. The
accessories are those of the virtual radio, and one of Bumble. The strap's values are numbered, so that the
tests notice a missing value.

With `--side-by-side`, each class and each test of GROUPS runs in a process of its own, and all other classes
run in one more process. After the end of a process, its whole log is printed.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from authentication import AuthenticationTests, PasswordTests
from harness import (
    ANSWERS,
    AVAILABILITY,
    COMMANDS,
    OPTIONS,
    FleetTestCase,
    Mosquitto,
    Nats,
    until,
)
from operation import OperationTests
from peers import PeerTests

__all__ = ["AuthenticationTests", "OperationTests", "PasswordTests", "PeerTests"]
MEMORY_GROWTH = 48 << 10  # KiB
# The classes that each run in a process of their own, and tests of these classes that take over a minute.
GROUPS = (
    "MosquittoTests", "MosquittoTests.test_no_value_is_missing_after_the_broker_was_stopped",
    "NatsTests", "NatsTests.test_no_value_is_missing_after_the_broker_was_stopped",
    "PeerTests", "PeerTests.test_two_hosts_on_one_radio_never_compete_for_the_accessory",
)
# The number of ports for each process.
PORTS_PER_GROUP = 1_000


class BrokerTests:
    """The tests that run with each broker."""

    def test_no_value_is_missing_after_the_broker_was_stopped(self):
        self.consumer()
        host = self.host()
        until(lambda: len(self.events()) > 20, 40, "20 values")
        before = self.memory(host)
        self.broker.stop()
        last = self.events()[-1]["sequence"]
        time.sleep(OPTIONS.outage)  # The test needs an outage of this length.
        self.broker.start()
        # The strap sends about ten values a second.
        target = last + int(OPTIONS.outage * 5)
        until(lambda: any(event["sequence"] > target for event in self.events()), 60, "the queue is sent")
        until(lambda: self.events()[-1]["timestamp"] > time.time() - 1, 60, "values arrive at once")
        self.check_complete(self.events()[-1]["sequence"])
        self.assertLess(self.memory(host) - before, MEMORY_GROWTH)

    def test_a_killed_host_sends_what_is_in_its_queue(self):
        self.consumer()
        host = self.host()
        until(lambda: len(self.events()) > 5, 40, "5 values")
        self.broker.stop()
        last = self.events()[-1]["sequence"]
        journal = self.folder / "state-hall/queue.journal"

        def queued():
            numbers = re.findall(rb'"sequence":(\d+)}', journal.read_bytes())
            return max(map(int, numbers))

        until(lambda: queued() > last + 30, 30, "30 values in the queue")
        host.kill()
        host.wait()
        written = queued()
        self.broker.start()
        self.host()
        until(lambda: any(content["sequence"] >= written for _, content in self.received()), 30,
              "the queue is sent")
        self.check_complete(written)

    def test_commands_are_answered_and_garbage_is_refused(self):
        self.consumer()
        host = self.host()
        until(self.events, 40, "a value")
        read = '{"id": "r", "operation": "read", "characteristicID": "2A38"}'
        for payload in read, read, "garbage", "[" * 20_000, '{"id": "x", "operation": "explode"}':
            count = len(self.received(ANSWERS))
            self.publish(COMMANDS, payload)
            until(lambda: len(self.received(ANSWERS)) > count, 20, f"an answer to {payload[:40]}")
        self.assertEqual([content["status"] for _, content in self.received(ANSWERS)],
                         [200, 409, 400, 400, 400])
        self.assertEqual(self.received(ANSWERS)[0][1]["value"], "Ag==")
        self.publish("lanyard/devices/unknown/commands", read)
        self.publish("lanyard/leases/strap/x", "garbage")
        self.assertIsNone(host.poll())

    def test_of_two_hosts_one_has_the_accessory_and_the_other_takes_over(self):
        self.consumer()
        hosts = {name: self.host(name) for name in ("hall", "attic")}
        until(lambda: len(self.events()) > 20, 40, "20 values")
        names = {event["host"] for event in self.events()}
        self.assertEqual(len(names), 1)
        holder = names.pop()
        hosts[holder].kill()
        other = ({"hall", "attic"} - {holder}).pop()
        until(lambda: self.events()[-1]["host"] == other, 60, "the other host takes over")
        self.assertIn("This host holds the lease of strap.", self.log(other))

    def test_a_broker_with_a_foreign_certificate_gets_nothing(self):
        self.authority("foreign")
        self.host(authority="foreign")
        until(lambda: "The broker is not connected: " in self.log("hall"), 20, "a refusal")
        self.assertNotIn("The broker is connected.", self.log("hall"))

    def test_an_ended_host_and_its_accessory_are_offline(self):
        self.consumer()
        host = self.host()
        until(self.events, 40, "a value")
        host.send_signal(signal.SIGTERM)
        self.assertEqual(host.wait(15), 0)
        until(lambda: '{"status":"offline"}' in self.log("consumer"), 10, "the host is offline")
        self.assertEqual(self.messages(AVAILABILITY)[-1][1], "offline")


class MosquittoTests(BrokerTests, FleetTestCase):
    kind = Mosquitto


class NatsTests(BrokerTests, FleetTestCase):
    kind = Nats


def groups():
    """Returns the names of the tests of each process."""
    loader = unittest.defaultTestLoader
    tests = {
        name: [f"{name}.{test}" for test in loader.getTestCaseNames(value)]
        for name, value in globals().items()
        if isinstance(value, type) and issubclass(value, unittest.TestCase)
    }
    own = [[test for test in tests.get(name, [name]) if test == name or test not in GROUPS] for name in GROUPS]
    return own + [[name for name, contained in tests.items() if contained and name not in GROUPS]]


def side_by_side():
    """Runs the tests in several processes. Returns the exit status."""
    running = []
    for number, names in enumerate(groups()):
        log = tempfile.TemporaryFile()
        first = OPTIONS.first_port + PORTS_PER_GROUP * number
        command = [sys.executable, __file__, OPTIONS.program, OPTIONS.lanyard, "--outage", OPTIONS.outage,
                   "--first-port", first, *names]
        process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT)
        running.append((names, log, process))
    failed = []
    for names, log, process in running:
        status = process.wait()
        log.seek(0)
        print(f"{' '.join(names)}: status {status}", flush=True)
        sys.stdout.buffer.write(log.read())
        sys.stdout.flush()
        if status != 0:
            failed += names
    if failed:
        print(f"error: {', '.join(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("lanyard", type=Path)
    parser.add_argument("--outage", type=float, default=60)
    parser.add_argument("--first-port", type=int, default=20_000)
    parser.add_argument("--side-by-side", action="store_true")
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    if OPTIONS.side_by_side:
        sys.exit(side_by_side())
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
