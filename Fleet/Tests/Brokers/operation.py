# SPDX-License-Identifier: Apache-2.0
"""Tests of the functions for operators: the end by a signal, metrics, spans and settings."""

import json
import os
import re
import signal
import socket
import urllib.error
import urllib.request

from google.protobuf import json_format
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData
from prometheus_client.parser import text_string_to_metric_families

from harness import ANSWERS, AVAILABILITY, COMMANDS, OPTIONS, FleetTestCase, until

SECOND = 1_000_000_000


class OperationTests(FleetTestCase):
    def url(self):
        return until(lambda: re.search(r"The metrics are at (\S+/metrics)\.", self.log("hall")), 20,
                     "the metrics are served").group(1)

    def families(self, url):
        """Returns the families by name, and the samples by name and labels, as Prometheus' own client reads them."""
        with urllib.request.urlopen(url, timeout=10) as response:
            self.assertEqual(response.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            text = response.read().decode()
        families = {family.name: family for family in text_string_to_metric_families(text)}
        return families, {(sample.name, *sample.labels.values()): sample.value
                          for family in families.values() for sample in family.samples}

    def test_prometheus_reads_the_metrics(self):
        adapter = self.air()
        self.bumble(adapter)
        self.consumer()
        self.host(adapter=adapter, options=("--metrics", "127.0.0.1:0"))
        url = self.url()
        until(lambda: len(self.events()) > 10, 60, "10 values")
        self.publish(COMMANDS, '{"id": "r", "operation": "read", "characteristicID": "2A38"}')
        until(lambda: self.received(ANSWERS), 20, "an answer")
        before = len(self.events())
        families, samples = until(
            lambda: (found := self.families(url))[1].get(("lanyard_radio_links", adapter)) == 1 and found, 10,
            "the link is counted")
        self.assertEqual(samples["lanyard_broker_connected",], 1)
        self.assertEqual(samples["lanyard_broker_connections_total",], 1)
        self.assertEqual(samples["lanyard_accessories_ready",], 1)
        self.assertEqual(samples["lanyard_leases",], 1)
        self.assertEqual(samples["lanyard_slots_in_use",], 1)
        self.assertEqual(samples["lanyard_radio_usable", adapter], 1)
        self.assertEqual(samples["lanyard_commands_total", "200"], 1)
        self.assertEqual(samples["lanyard_gap_seconds_count",], 0)
        self.assertGreaterEqual(samples["lanyard_values_total",], before)
        for family in families.values():
            self.assertTrue(family.documentation, family.name)
        self.assertEqual({families[name].type for name in ("lanyard_values", "lanyard_leases", "lanyard_gap_seconds")},
                         {"counter", "gauge", "histogram"})

    def test_a_lost_link_is_measured_and_traced(self):
        adapter = self.air()
        bumble = self.bumble(adapter)
        self.consumer()
        spans = self.folder / "spans.json"
        host = self.host(adapter=adapter, options=("--metrics", "127.0.0.1:0", "--spans", spans))
        url = self.url()
        until(lambda: len(self.events()) > 5, 60, "5 values")
        self.publish(COMMANDS, '{"id": "r", "operation": "read", "characteristicID": "2A38"}')
        until(lambda: self.received(ANSWERS), 20, "an answer")
        bumble.kill()
        bumble.wait()
        until(lambda: self.messages(AVAILABILITY)[-1][1] == "offline", 30, "the loss is noticed")
        self.bumble(adapter)
        until(lambda: self.messages(AVAILABILITY)[-1][1] == "online", 60, "the accessory is back")
        samples = self.families(url)[1]
        self.assertEqual(samples["lanyard_reconnects_total",], 1)
        self.assertEqual(samples["lanyard_gap_seconds_count",], 1)
        self.assertGreater(samples["lanyard_gap_seconds_sum",], 0)
        host.send_signal(signal.SIGTERM)
        self.assertEqual(host.wait(15), 0)

        found = {}
        for line in spans.read_text().splitlines():
            for resource in json_format.Parse(line, TracesData()).resource_spans:
                for span in resource.scope_spans[0].spans:
                    found.setdefault(span.name, []).append(span)
        self.assertEqual(set(found), {"connect", "discover", "read", "roam"})
        roam, = found["roam"]
        attributes = {attribute.key: attribute.value for attribute in roam.attributes}
        self.assertEqual(attributes["accessory"].string_value, "strap")
        self.assertAlmostEqual(attributes["gap.seconds"].double_value, samples["lanyard_gap_seconds_sum",], 3)
        self.assertAlmostEqual((roam.end_time_unix_nano - roam.start_time_unix_nano) / SECOND,
                               samples["lanyard_gap_seconds_sum",], 1)
        self.assertEqual(found["discover"][-1].parent_span_id, roam.span_id)
        self.assertEqual(found["read"][0].status.code, Status.STATUS_CODE_UNSET)

    def test_the_address_of_the_metrics_answers_nothing_else(self):
        host = self.host(options=("--metrics", "127.0.0.1:0"))
        url = self.url()
        for path, data, code in ("/", None, 404), ("/metrics/x", None, 404), ("/metrics", b"x", 405):
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(url.removesuffix("/metrics") + path, data, timeout=10)
            self.assertEqual(refusal.exception.code, code)
            refusal.exception.close()
        port = int(re.search(r":(\d+)/", url).group(1))
        for garbage in b"\x16\x03\x01" + bytes(200), b"GET " + b"a" * 200_000, b"\r\n\r\n\x00":
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                try:
                    connection.sendall(garbage)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(4096):
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    pass
        self.assertIn(("lanyard_leases",), self.families(url)[1])
        self.assertIsNone(host.poll())

    def test_metrics_at_a_used_address_end_the_host_with_an_error(self):
        self.consumer()
        with socket.create_server(("127.0.0.1", 0)) as other:
            host = self.host(options=("--metrics", f"127.0.0.1:{other.getsockname()[1]}"))
            self.assertNotEqual(host.wait(20), 0)
        self.assertRegex(self.log("hall"), r"(?i)address already in use")

    def check_end(self, number):
        adapter = self.air()
        self.bumble(adapter)
        self.consumer()
        host = self.host(adapter=adapter, options=("--metrics", "127.0.0.1:0"))
        until(self.events, 60, "a value")
        host.send_signal(number)
        self.assertEqual(host.wait(15), 0)
        offline = "lanyard/hosts/hall/status", '{"status":"offline"}'
        until(lambda: offline in self.messages(), 10, "the host is offline")
        # The leases first, then the radios, and then the host.
        topics = "lanyard/leases/strap", "lanyard/hosts/hall/radios/1", "lanyard/hosts/hall/status"
        messages = self.messages()
        last = [max(place for place, message in enumerate(messages) if message[0] == topic) for topic in topics]
        self.assertEqual(last, sorted(last))
        self.assertEqual(messages[last[0]][1], "")
        self.assertEqual(json.loads(messages[last[1]][1])["status"], "offline")
        self.assertEqual(self.messages(AVAILABILITY)[-1][1], "offline")
        until(lambda: "disconnected: 0x13" in self.log("bumble"), 10, "the host ends the link")

    def test_sigterm_ends_the_host_in_order(self):
        self.check_end(signal.SIGTERM)

    def test_sigint_ends_the_host_in_order(self):
        self.check_end(signal.SIGINT)

    def test_settings_come_from_a_file_and_the_environment(self):
        folder = self.folder
        (folder / "settings.json").write_text(json.dumps({
            "accessories": str(folder / "strap.json"), "name": "cellar", "broker": f"localhost:{self.broker.port}",
            "authority": str(folder / "ca.pem"), "certificate": str(folder / "hall.pem"),
            "key": str(folder / "hall.key"), "state": str(folder / "state"), "adapter": "virtual"}))
        self.consumer()
        self.spawn("hall", OPTIONS.program, "--settings", folder / "settings.json",
                   env={**os.environ, "LANYARD_FLEET_NAME": "hall"})
        until(lambda: self.events(), 60, "a value")
        self.assertEqual(self.events()[0]["host"], "hall")

    def test_radios_and_their_loss_are_announced(self):
        self.consumer()
        adapter = self.air()
        self.bumble(adapter)
        lost = self.air("other-air")
        other = self.processes[-1]

        def radio(number):
            messages = self.messages(f"lanyard/hosts/hall/radios/{number}")
            return json.loads(messages[-1][1]) if messages else {}

        host = self.host(adapter=f"{adapter}+{lost}")
        until(lambda: radio(1).get("links") == 1 and radio(2).get("status") == "online", 60, "both radios work")
        self.assertEqual(radio(1), {"name": adapter, "status": "online", "links": 1})
        other.kill()
        until(lambda: radio(2) == {"name": lost, "status": "offline", "links": 0}, 20, "the radio is lost")
        self.assertEqual(radio(1)["status"], "online")
        host.kill()
        until(lambda: self.messages("lanyard/hosts/hall/status")[-1][1] == '{"status":"offline"}', 60,
              "the last will is published")
