# SPDX-License-Identifier: Apache-2.0
"""Tests with a Bumble accessory and an Eclipse Paho consumer."""

import base64
import json
import signal
import time

from harness import COMMANDS, EVENTS, FIRST_RATE, FleetTestCase, RATE_COUNT, until
from paho_client import Client


class PeerTests(FleetTestCase):
    """The accessory is Bumble's, on the radio of `lanyard air`."""

    def content(self, client, prefix):
        return [json.loads(message.payload) for message in list(client.received)
                if message.topic.startswith(prefix)]

    def connections(self):
        return self.log("bumble").count(" accessory: connected to ")

    def test_the_values_of_a_bumble_accessory_reach_paho(self):
        adapter = self.air()
        self.bumble(adapter)
        client = self.enterContext(Client(self, "dashboard"))
        client.subscribe("lanyard/#")
        host = self.host(adapter=adapter)
        events = until(lambda: len(self.content(client, EVENTS)) > 50 and self.content(client, EVENTS), 60,
                       "50 values")
        sequences = [event["sequence"] for event in events]
        self.assertEqual(sequences, sorted(set(sequences)))
        for before, after in zip(events, events[1:]):
            self.assertEqual((before["number"] - FIRST_RATE + 1) % RATE_COUNT, after["number"] - FIRST_RATE)
            self.assertEqual(base64.b64decode(after["data"])[1], after["number"])
        statuses = [content["state"] for content in self.content(client, "lanyard/devices/strap/status")]
        self.assertEqual(statuses[-1], "ready")
        presence = self.content(client, "lanyard/hosts/hall/presence/strap")[0]
        self.assertTrue(presence["present"])
        self.assertLess(presence["bleAdvertisement"]["rssi"], 0)
        host.send_signal(signal.SIGTERM)
        self.assertEqual(host.wait(15), 0)
        until(lambda: "disconnected: 0x13" in self.log("bumble"), 10, "the host ends the link")

    def test_paho_commands_a_bumble_accessory(self):
        adapter = self.air()
        self.bumble(adapter)
        client = self.enterContext(Client(self, "automation"))
        client.subscribe("lanyard/#")
        self.host(adapter=adapter)
        until(lambda: self.content(client, EVENTS), 60, "a value")
        commands = [
            ({"operation": "read", "characteristicID": "2A38"}, 200, "Ag=="),
            ({"operation": "write", "characteristicID": "2A39", "value": "AQ=="}, 200, None),
            # The accessory refuses other values with the application error 0x80.
            ({"operation": "write", "characteristicID": "2A39", "value": "Ag=="}, 502, None),
            ({"operation": "unsubscribe", "characteristicID": "2A37"}, 200, None),
            ({"operation": "disconnect"}, 200, None),
            ({"operation": "connect"}, 200, None),
        ]
        for number, (command, status, value) in enumerate(commands):
            command["id"] = f"c{number}"
            client.publish(COMMANDS, json.dumps(command), answer="lanyard/answers/app",
                           correlation=bytes([number]), expiry=20)
            message = until(lambda: [message for message in list(client.received)
                                     if message.topic == "lanyard/answers/app"
                                     and message.properties.CorrelationData == bytes([number])], 30,
                            f"an answer to {command}")[0]
            answer = json.loads(message.payload)
            self.assertEqual((answer["id"], answer["status"], answer.get("value")), (command["id"], status, value))
        self.assertEqual(self.connections(), 2)

    def test_two_hosts_on_one_radio_never_compete_for_the_accessory(self):
        adapter = self.air()
        self.bumble(adapter)
        self.consumer()
        hosts = {name: self.host(name, adapter=adapter) for name in ("hall", "attic")}
        for turn, end in enumerate([signal.SIGKILL, signal.SIGTERM], start=1):
            count, start = len(self.events()), time.time()
            # These values take longer than the 30 s for which a claim is valid.
            until(lambda: len(self.events()) > count + 350, 120, "350 values of one host")
            # A host that was killed sends the last values of its queue once more when it runs again.
            holders = {event["host"] for event in self.events()[count + 1:] if event["timestamp"] > start}
            self.assertEqual(len(holders), 1)
            self.assertEqual(self.connections(), turn)
            holder = holders.pop()
            hosts[holder].send_signal(end)
            hosts[holder].wait()
            other, = {"hall", "attic"} - {holder}
            until(lambda: self.events()[-1]["host"] == other, 90, f"{other} takes over")
            hosts[holder] = self.host(holder, adapter=adapter)
            self.assertEqual(self.connections(), turn + 1)
