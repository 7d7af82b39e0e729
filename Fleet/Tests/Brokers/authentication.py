# SPDX-License-Identifier: Apache-2.0
"""Tests of the authentication of hosts by certificates and passwords, and of the access control."""

import time

from harness import (
    ANSWERS,
    COMMANDS,
    PASSWORDS,
    FleetTestCase,
    Mosquitto,
    PasswordMosquitto,
    until,
)
from paho_client import NOT_AUTHORIZED, Client

READ = '{"id": "%s", "operation": "read", "characteristicID": "2A38"}'


class AuthenticationTests(FleetTestCase):
    """Each host and client has a certificate. The access control is that of docs/FLEET.md."""

    kind = Mosquitto

    def refused(self, name, reason):
        until(lambda: "The broker is not connected: " in self.log(name), 20, "a refusal")
        self.assertRegex(self.log(name), reason)
        self.assertNotIn("The broker is connected.", self.log(name))

    def test_a_broker_with_a_foreign_certificate_gets_nothing(self):
        self.authority("foreign")
        self.host(authority="foreign")
        self.refused("hall", "is not connected: .*TLS")

    def test_a_host_with_a_foreign_certificate_is_refused(self):
        self.authority("foreign")
        self.certificate("hall", authority="foreign")
        host = self.host()
        self.refused("hall", "is not connected: ")
        self.assertIsNone(host.poll())

    def test_a_host_without_a_certificate_is_refused(self):
        self.host(identity=[])
        self.refused("hall", "is not connected: ")

    def test_a_host_that_may_only_read_logs_the_refusal(self):
        self.host("cellar")
        until(lambda: "The broker refused a message: Not authorized" in self.log("cellar"), 20,
              "a line in the log")

    def test_the_access_control_lets_a_dashboard_read_and_not_command(self):
        self.consumer()
        host = self.host()
        until(self.events, 40, "a value")
        dashboard = self.enterContext(Client(self, "dashboard"))
        self.assertEqual(dashboard.publish(COMMANDS, READ % "no"), NOT_AUTHORIZED)
        automation = self.enterContext(Client(self, "automation"))
        self.assertEqual(automation.publish("lanyard/leases/strap", '{"host": "x", "epoch": 9}', retain=True),
                         NOT_AUTHORIZED)
        automation.publish(COMMANDS, READ % "yes")
        until(lambda: self.received(ANSWERS), 20, "an answer")
        self.assertEqual([content["id"] for _, content in self.received(ANSWERS)], ["yes"])
        self.assertIsNone(host.poll())

    def test_the_access_control_keeps_the_state_of_a_host_from_another_host(self):
        attic = self.enterContext(Client(self, "attic"))
        self.assertEqual(attic.publish("lanyard/hosts/hall/status", '{"status": "offline"}', retain=True),
                         NOT_AUTHORIZED)
        self.assertNotEqual(attic.publish("lanyard/hosts/attic/status", '{"status": "offline"}', retain=True),
                            NOT_AUTHORIZED)


class PasswordTests(FleetTestCase):
    """Each host and client has a user and a password."""

    kind = PasswordMosquitto

    def user(self, password, name="hall"):
        return self.host(identity=["--user", name], variables={"LANYARD_FLEET_PASSWORD": password})

    def test_a_host_with_the_right_password_publishes_values(self):
        client = self.enterContext(Client(self, "dashboard", PASSWORDS["dashboard"]))
        client.subscribe("lanyard/devices/strap/events/#")
        self.user(PASSWORDS["hall"])
        until(lambda: len(client.received) > 5, 40, "5 values")
        self.assertNotIn(PASSWORDS["hall"], self.log("hall"))

    def test_a_host_with_a_wrong_password_is_refused_and_keeps_running(self):
        for password, name in ("open", "hall"), ("sesame", "nobody"):
            host = self.user(password, name)
            start = time.monotonic()
            until(lambda: "The broker refused the connection: Not authorized" in self.log("hall"), 20,
                  "a refusal")
            self.assertIsNone(host.poll(), f"ended {time.monotonic() - start} s after its start")
            self.assertNotIn("The broker is connected.", self.log("hall"))
            host.kill()
            host.wait()
            (self.folder / "hall.log").unlink()
