# SPDX-License-Identifier: Apache-2.0
"""Brokers, hosts, radios and clients of the tests, as processes that end with each test."""

import argparse
import errno
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

OPTIONS = argparse.Namespace()
REPOSITORY = Path(__file__).resolve().parents[3]
DOCUMENT = REPOSITORY / "docs/FLEET.md"
ACCESSORY = REPOSITORY / "Tests/Interoperability/Peers/accessory.py"
STRAP = {"accessories": [{
    "id": "strap", "name": "Strap", "match": {"service": "180D", "name": "Lanyard Demo"},
    "characteristics": [
        {"service": "180D", "uuid": "2A37", "roles": ["subscribe"],
         "sensor": {"name": "Rate", "format": "uint8", "offset": 1}},
        {"service": "180D", "uuid": "2A38", "roles": ["read"], "required": False},
        {"service": "180D", "uuid": "2A39", "roles": ["write"], "required": False}]}]}
STATUS, EVENTS = "lanyard/devices/strap/status", "lanyard/devices/strap/events/"
COMMANDS, ANSWERS = "lanyard/devices/strap/commands", "lanyard/devices/strap/answers"
AVAILABILITY = "lanyard/devices/strap/availability"
IN_FLIGHT = 16
# The heart rates of the strap, which it sends one after the other.
FIRST_RATE, RATE_COUNT = 60, 40
PASSWORDS = {"hall": "sesame", "dashboard": "view", "automation": "do"}


PORTS = itertools.count()


def free_port():
    """Returns a port that no earlier call of this process has returned.

    The ports of a process begin at its `--first-port`. They are below those that the system gives to
    connections, which could otherwise take a port before the broker listens on it.
    """
    while True:
        port = OPTIONS.first_port + next(PORTS)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return port
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise


def until(condition, seconds, what):
    """Returns the first result of `condition` that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


class Mosquitto:
    """Mosquitto, with certificates of both sides and the access control of docs/FLEET.md."""

    versions = "5", "5"
    # The maximum time in seconds after which the broker repeats an unacknowledged message.
    redelivery = 1
    identification = "require_certificate true\nuse_identity_as_username true\n"

    def __init__(self, test):
        self.test, self.port = test, free_port()
        folder = test.folder
        rules = re.search(r"^```\n(pattern .*?)^```", DOCUMENT.read_text(), re.S | re.M).group(1)
        # The host `attic` has the same rights as `hall`, the host of the example.
        hall = re.search(r"user hall\n(.*?)\n\n", rules, re.S).group(0)
        rules += "\n" + hall.replace("user hall", "user attic")
        # A host that may only read.
        rules += "\nuser cellar\ntopic read lanyard/#\n"
        (folder / "acl").write_text(rules)
        (folder / "acl").chmod(0o600)
        (folder / "broker.conf").write_text(
            f"listener {self.port} 127.0.0.1\nuser root\ncafile {folder}/ca.pem\n"
            f"certfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n"
            f"{self.identification.format(folder=folder)}"
            f"acl_file {folder}/acl\npersistence true\npersistence_location {folder}/\n"
            "max_queued_messages 0\n"
        )

    def start(self):
        self.process = self.test.spawn("broker", "mosquitto", "-c", self.test.folder / "broker.conf")
        until(self.is_open, 10, "the broker listens")

    def is_open(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class PasswordMosquitto(Mosquitto):
    """Mosquitto with users and passwords in place of certificates of the clients."""

    identification = "allow_anonymous false\npassword_file {folder}/passwords\n"

    def start(self):
        file = self.test.folder / "passwords"
        file.touch(mode=0o600)
        for user, password in PASSWORDS.items():
            subprocess.run(["mosquitto_passwd", "-b", file, user, password], check=True)
        super().start()


class Nats(Mosquitto):
    versions = "3.1.1", "311"
    # nats-server repeats an unacknowledged message only after its option `ack_wait`, 30 s by default.
    # It does not repeat the message when the client connects again (nats-server's pull request 8360).
    redelivery = 30

    def __init__(self, test):
        self.test, self.port = test, free_port()
        folder = test.folder
        (folder / "nats.conf").write_text(
            f'server_name: fleet\nhost: 127.0.0.1\nport: {free_port()}\njetstream {{ store_dir: "{folder}/js" }}\n'
            f'mqtt {{ host: 127.0.0.1, port: {self.port}, tls {{ cert_file: "{folder}/broker.pem", '
            f'key_file: "{folder}/broker.key", ca_file: "{folder}/ca.pem", verify: true }} }}\n'
        )

    def start(self):
        self.process = self.test.spawn("broker", "nats-server", "-c", self.test.folder / "nats.conf")
        until(self.is_open, 20, "the broker listens")


class FleetTestCase(unittest.TestCase):
    """A test with a broker in a folder of its own."""

    kind = Mosquitto

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lanyard-fleet-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.processes = []
        self.addCleanup(self.end)
        self.authority("ca")
        for name in "broker", "hall", "attic", "cellar", "dashboard", "automation":
            self.certificate(name)
        (self.folder / "strap.json").write_text(json.dumps(STRAP))
        self.broker = self.kind(self)
        self.broker.start()

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdin:
                process.stdin.close()

    # MARK: Certificates

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem",
                     "-days", "2", "-subj", f"/CN={name}")

    def certificate(self, name, authority="ca"):
        folder = self.folder
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr",
                     "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{authority}.pem",
                     "-CAkey", folder / f"{authority}.key", "-CAcreateserial", "-days", "2",
                     "-copy_extensions", "copy", "-out", folder / f"{name}.pem")

    # MARK: Processes

    def spawn(self, log, *command, **options):
        with open(self.folder / f"{log}.log", "ab") as file:
            process = subprocess.Popen(list(map(str, command)), stdout=file, stderr=file, **options)
        self.processes.append(process)
        return process

    def log(self, name):
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def identity(self, name):
        return ["--certificate", self.folder / f"{name}.pem", "--key", self.folder / f"{name}.key"]

    def host(self, name="hall", authority="ca", identity=None, adapter="virtual", options=(), variables=None):
        """Starts a host with the options `identity`, by default those of its certificate."""
        folder = self.folder
        return self.spawn(
            name, OPTIONS.program, folder / "strap.json", "--name", name,
            "--broker", f"localhost:{self.broker.port}", "--authority", folder / f"{authority}.pem",
            *(self.identity(name) if identity is None else identity),
            "--mqtt", self.broker.versions[0], "--state", folder / f"state-{name}",
            "--adapter", adapter, *options,
            env={**os.environ, "LANYARD_STORE": str(folder / f"store-{name}"), **(variables or {})})

    def air(self, name="air"):
        """Starts a virtual radio. Returns the name of its adapters."""
        self.spawn(name, OPTIONS.lanyard, "air", "--empty", "--json", "--listen", "tcp:127.0.0.1:0")
        ready = until(lambda: re.search(r'"listen":\["([^"]*)"', self.log(name)), 20, "the radio is ready")
        return ready.group(1)

    def bumble(self, adapter, *options):
        """Starts a Bumble accessory with a heart rate, in this Python."""
        process = self.spawn("bumble", sys.executable, ACCESSORY, "--adapter", adapter, *options,
                             stdin=subprocess.PIPE, env={**os.environ, "LANYARD_PEER_LOG": "INFO"})
        until(lambda: "ready {" in self.log("bumble"), 20, "the accessory advertises")
        return process

    # MARK: Clients

    def client(self, user):
        folder = self.folder
        return ["-h", "localhost", "-p", self.broker.port, "--cafile", folder / "ca.pem",
                "--cert", folder / f"{user}.pem", "--key", folder / f"{user}.key", "-q", "1"]

    def consumer(self):
        # The broker keeps the session, so that messages wait while the client is not connected.
        self.subscriber = self.spawn("consumer", "mosquitto_sub", *self.client("dashboard"), "-V", "311",
                                     "-c", "-i", "dashboard", "-t", "lanyard/#", "-v")

    def publish(self, topic, payload, *options):
        subprocess.run(
            list(map(str, ["mosquitto_pub", *self.client("automation"), "-V",
                           self.broker.versions[1],
                           "-t", topic, "-s", *options])),
            input=payload.encode(), check=True, timeout=20)

    def messages(self, prefix=""):
        """Returns the messages of the consumer: topic, text."""
        # mosquitto_sub sometimes ends with "Protocol error" when the broker stops. The broker keeps its session.
        if self.subscriber.poll() is not None and self.broker.is_open():
            self.consumer()
        lines = (line.partition(" ") for line in self.log("consumer").splitlines())
        # mosquitto_sub prints (null) for an empty message.
        return [(topic, "" if payload == "(null)" else payload) for topic, _, payload in lines
                if topic.startswith(prefix)]

    def received(self, prefix=""):
        """Returns the messages of the consumer with a sequence number: topic, content."""
        return [(topic, json.loads(payload)) for topic, payload in self.messages(prefix)
                if '"sequence"' in payload and payload.endswith("}")]

    def events(self):
        return [content for _, content in self.received(EVENTS)]

    def sequences(self, first, last, host="hall"):
        return [content["sequence"] for _, content in self.received()
                if content["host"] == host and first <= content["sequence"] <= last]

    def missing(self, last, host="hall"):
        """Returns the numbers from the first value to `last` of which the consumer has no message.

        A change of the availability has no number in its content. Its number follows that of the
        status message before it.
        """
        first = next(event["sequence"] for event in self.events() if event["host"] == host)
        statuses = [content["sequence"] for _, content in self.received(STATUS)]
        known = {*self.sequences(first, last, host), *(number + 1 for number in statuses)}
        return [number for number in range(first, last + 1) if number not in known]

    def check_complete(self, last, host="hall"):
        """Checks that each message from the first value to `last` arrives, and that no heart rate is missing.

        At most IN_FLIGHT of these messages may arrive twice.
        """
        until(lambda: not self.missing(last, host), self.broker.redelivery + 10,
              f"the messages {self.missing(last, host)}")
        numbers = self.sequences(0, last, host)
        self.assertLessEqual(len(numbers) - len(set(numbers)), IN_FLIGHT)
        rates = {event["sequence"]: event["number"] for event in self.events() if event["host"] == host}
        rates = [rate for number, rate in sorted(rates.items()) if number <= last]
        for before, after in zip(rates, rates[1:]):
            self.assertEqual((before - FIRST_RATE + 1) % RATE_COUNT, after - FIRST_RATE)

    def memory(self, process):
        text = Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))
