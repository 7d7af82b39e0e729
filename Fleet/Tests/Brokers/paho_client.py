# SPDX-License-Identifier: Apache-2.0
"""A client of Eclipse Paho that speaks MQTT 5."""

import queue
import ssl

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

NOT_AUTHORIZED = 0x87  # MQTT 5, 2.4
TIMEOUT = 20


class Client:
    """A client, connected from the beginning of a `with` block to its end.

    The broker keeps the client's session for 600 s after the connection ends.
    """

    def __init__(self, test, user, password=None):
        self.received, self.user = [], user
        self.acknowledgments, self.signals = queue.Queue(), queue.Queue()
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=f"paho-{user}", protocol=mqtt.MQTTv5)
        folder = test.folder
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        if password is None:
            context.load_cert_chain(folder / f"{user}.pem", folder / f"{user}.key")
        else:
            client.username_pw_set(user, password)
        client.tls_set_context(context)
        client.on_message = lambda client, data, message: self.received.append(message)
        client.on_connect = lambda client, data, flags, code, properties: self.signals.put(code)
        client.on_subscribe = lambda client, data, identifier, codes, properties: self.signals.put(codes[0])
        client.on_publish = lambda client, data, identifier, code, properties: self.acknowledgments.put(code)
        client.reconnect_delay_set(1, 1)
        self.client, self.port = client, test.broker.port

    def __enter__(self):
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 600
        self.client.connect("localhost", self.port, clean_start=False, properties=properties)
        self.client.loop_start()
        code = self.signals.get(timeout=TIMEOUT)
        assert not code.is_failure, code
        return self

    def __exit__(self, *error):
        self.client.disconnect()
        self.client.loop_stop()

    def subscribe(self, topic):
        self.client.subscribe(topic, qos=1)
        code = self.signals.get(timeout=TIMEOUT)
        assert not code.is_failure, code

    def publish(self, topic, payload, retain=False, answer=None, correlation=None, expiry=None):
        """Publishes a message. Returns the reason code of the acknowledgment."""
        properties = Properties(PacketTypes.PUBLISH)
        if answer:
            properties.ResponseTopic = answer
        if correlation:
            properties.CorrelationData = correlation
        if expiry:
            properties.MessageExpiryInterval = expiry
        self.client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        return self.acknowledgments.get(timeout=TIMEOUT).value
