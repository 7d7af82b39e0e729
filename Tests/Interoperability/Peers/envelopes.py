# SPDX-License-Identifier: Apache-2.0
"""Messages of Lanyard's channels, implemented from their description: JSON between STX and ETX, in
an envelope that distinguishes messages, requests and answers, and, with a key, sealed by AES-CBC in
CommonCrypto's form, `IV || ciphertext`, in Base64. With `Keys`, a tag follows, as in A128CBC-HS256 of
RFC 7518, 5.2.
"""

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
import os
from typing import NamedTuple

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

STX, ETX = 0x02, 0x03
BLOCK = 16
TAG = 16


class Keys(NamedTuple):
    """The two keys of a sealing with authentication."""

    encryption: bytes
    authentication: bytes

    def tag(self, body):
        """Returns the tag of `IV || ciphertext`. The eight zeros are the length of the associated
        data, of which there is none."""
        code = hmac.new(self.authentication, body + bytes(8), hashlib.sha256)
        return code.digest()[:TAG]


class Frames:
    """Finds the messages between STX and ETX, however the chunks are cut."""

    def __init__(self):
        self.data = None  # outside of any message

    def receive(self, chunk):
        for byte in chunk:
            if byte == STX:
                self.data = bytearray()
            elif self.data is not None and byte == ETX:
                yield bytes(self.data)
                self.data = None
            elif self.data is not None:
                self.data.append(byte)


def seal(text, key):
    if key is None:
        return text
    if isinstance(key, Keys):
        body = base64.b64decode(seal(text, key.encryption))
        return base64.b64encode(body + key.tag(body))
    vector = os.urandom(BLOCK)
    padder = padding.PKCS7(8 * BLOCK).padder()
    sealer = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    sealed = sealer.update(padder.update(text) + padder.finalize()) + sealer.finalize()
    return base64.b64encode(vector + sealed)


def unseal(text, key):
    if key is None:
        return text
    data = base64.b64decode(text, validate=True)
    if isinstance(key, Keys):
        body, tag = data[:-TAG], data[-TAG:]
        if not hmac.compare_digest(tag, key.tag(body)):
            raise ValueError("the tag is wrong")
        return unseal(base64.b64encode(body), key.encryption)
    opener = Cipher(algorithms.AES(key), modes.CBC(data[:BLOCK])).decryptor()
    padded = opener.update(data[BLOCK:]) + opener.finalize()
    unpadder = padding.PKCS7(8 * BLOCK).unpadder()
    return unpadder.update(padded) + unpadder.finalize()


class Envelopes:
    """One end of a channel, on one link. `send(data)` sends bytes to the other end, in order.

    A request is answered with its own content. The request "refuse" is refused, and the request
    "silence" is never answered. With `echoes`, messages are sent back.
    """

    def __init__(self, send, key=None, echoes=False):
        self.send, self.key, self.echoes = send, key, echoes
        self.frames = Frames()
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.received = asyncio.Queue()
        self.outgoing = asyncio.Lock()

    def receive(self, chunk):
        for frame in self.frames.receive(chunk):
            self.take(json.loads(unseal(frame, self.key)))

    def take(self, envelope):
        number = envelope.get("id")
        if "ask" in envelope:
            self.reply(envelope["ask"], number)
        elif "tell" in envelope:
            self.received.put_nowait(envelope["tell"])
            if self.echoes:
                self.post({"tell": envelope["tell"]})
        elif number in self.waiting:
            self.waiting.pop(number).set_result(envelope)

    def reply(self, question, number):
        if question == "refuse":
            self.post({"refuse": "as requested", "id": number})
        elif question != "silence":
            self.post({"answer": question, "id": number})

    def post(self, envelope):
        self.task = asyncio.ensure_future(self.put(envelope))

    async def put(self, envelope):
        text = json.dumps(envelope, separators=(",", ":")).encode()
        async with self.outgoing:
            await self.send(bytes([STX]) + seal(text, self.key) + bytes([ETX]))

    async def tell(self, message):
        await self.put({"tell": message})

    async def ask(self, question):
        """Sends a request. Returns the answer, or the refusal."""
        number = next(self.numbers)
        self.waiting[number] = asyncio.get_running_loop().create_future()
        future = self.waiting[number]
        await self.put({"ask": question, "id": number})
        answer = await future
        return {key: answer[key] for key in ("answer", "refuse") if key in answer}
