# SPDX-License-Identifier: Apache-2.0
"""One pairing, written out step by step, in which chosen steps are wrong.

It is independent of Bumble's Security Manager, but uses Bumble's cryptographic functions.
"""

import asyncio
import os
from dataclasses import dataclass, field

from bumble import crypto

from forgeries import FORGERIES, PRINTED_KEY

# How long the peer may take for a step, in seconds.
ANSWER_LIMIT = 5

REQUEST, RESPONSE, CONFIRM, RANDOM, FAILED = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"
ENCRYPTION, IDENTIFICATION, RESOLVING, ADDRESS, SIGNING = (
    b"\x06", b"\x07", b"\x08", b"\x09", b"\x0a",
)  # fmt: skip
SECURITY_REQUEST, PUBLIC_KEY, CHECK = b"\x0b", b"\x0c", b"\x0d"
SECURE = 0x08
ROUNDS = 20  # of Passkey Entry, one for each bit


class Refused(Exception):
    """The peer has sent Pairing Failed."""


class Silent(Exception):
    """The peer did not send the expected PDU."""


@dataclass
class Plan:
    """The plan of a forged pairing. A step has the name of the PDU that the attacker sends in it."""

    io: int = 3
    authentication: int = 0x09  # bonding and Secure Connections
    size: int = 16
    ours: int = 0x03  # the keys that the attacker distributes
    theirs: int = 0x03  # the keys that the attacker requests
    passkey: int | None = None  # makes the method Passkey Entry, with this number
    forge: dict = field(default_factory=dict)  # the name of a forgery by step
    before: dict = field(default_factory=dict)  # PDUs that are sent before a step
    after: dict = field(default_factory=dict)  # PDUs that are sent after a step
    identity: str | None = None  # the identity address to claim
    encrypts: str = "right"  # the key of Phase 2: "right", "wrong", or "never" for no encryption


class ForgedPairing:
    """One pairing. `channel` sends and receives PDUs, `link` has the addresses and encrypts."""

    def __init__(self, plan, channel, link, earlier_key=None):
        self.plan, self.channel, self.link = plan, channel, link
        self.earlier_key = earlier_key
        self.transcript = []
        self.ecc_key = crypto.EccKey.generate()
        self.key = None  # the key that encrypts the link in Phase 2, None for none

    # Sending and receiving

    def say(self, pdu):
        self.transcript.append({"said": pdu.hex()})
        self.channel.send(pdu)

    def tell(self, step, pdu):
        """Sends the correct PDU of this step, or its forgery."""
        for extra in self.plan.before.get(step, []):
            self.say(bytes.fromhex(extra))
        forgery = self.plan.forge.get(step)
        forged = FORGERIES[forgery](pdu, self) if forgery else pdu
        if forged is not None:
            self.say(forged)
        for extra in self.plan.after.get(step, []):
            self.say(bytes.fromhex(extra))
        return forged or pdu

    async def receive(self, *codes):
        """Returns the next PDU other than a Security Request. It must have one of these codes."""
        while True:
            try:
                pdu = await asyncio.wait_for(self.channel.next(), ANSWER_LIMIT)
            except asyncio.TimeoutError:
                raise Silent(f"no PDU, expected {[code.hex() for code in codes]}") from None
            self.transcript.append({"received": pdu.hex()})
            if pdu[:1] in codes:
                return pdu
            if pdu[:1] == FAILED:
                raise Refused(pdu[1])
            if pdu[:1] != SECURITY_REQUEST:
                raise Silent(f"{pdu.hex()} where {[code.hex() for code in codes]} was expected")

    async def encrypted(self):
        """Waits until the initiator has encrypted the link, or has refused to."""
        done = asyncio.ensure_future(self.link.encrypted())
        refused = asyncio.ensure_future(self.receive())
        try:
            await asyncio.wait((done, refused), return_when=asyncio.FIRST_COMPLETED)
            (done if done.done() else refused).result()
        finally:
            done.cancel()
            refused.cancel()

    def receive_rest(self):
        """Records the received PDUs that no step has awaited."""
        for pdu in self.channel.rest():
            self.transcript.append({"received": pdu.hex()})

    @property
    def reason(self):
        """The reason with which the peer has refused, or None if it has not."""
        refusal = self.received_last(FAILED)
        return refusal and refusal[1]

    def received_last(self, code):
        for entry in reversed(self.transcript):
            if "received" in entry and entry["received"].startswith(code.hex()):
                return bytes.fromhex(entry["received"])
        return None

    # Keys and addresses

    def take_printed_key(self):
        self.ecc_key = crypto.EccKey.from_private_key_bytes(PRINTED_KEY)

    def public_key(self):
        return PUBLIC_KEY + self.ecc_key.x[::-1] + self.ecc_key.y[::-1]

    def shared_secret(self, pdu):
        """Returns the shared secret, or zeros if the peer's key is not on the curve."""
        try:
            return self.ecc_key.dh(pdu[1:33][::-1], pdu[33:65][::-1])[::-1]
        except ValueError:
            return bytes(32)

    def features(self, code, ours, theirs):
        plan = self.plan
        return code + bytes([plan.io, 0, plan.authentication, plan.size, ours, theirs])

    # Phases 1 and 2

    async def begin(self):
        """Pairs as the initiator."""
        plan = self.plan
        request = self.features(REQUEST, plan.ours, plan.theirs)
        self.request = self.tell("request", request)
        self.response = await self.receive(RESPONSE)
        secure = self.request[3] & self.response[3] & SECURE
        key = await (self.begin_secure() if secure else self.begin_legacy())
        if plan.encrypts != "never":
            await self.link.encrypt(key if plan.encrypts == "right" else os.urandom(16))
            await self.receive_keys(self.response[6], secure)
            self.hand_over(self.response[5], secure)

    async def answer(self):
        """Pairs as the responder."""
        plan = self.plan
        self.request = await self.receive(REQUEST)
        response = self.features(
            RESPONSE, self.request[5] & plan.theirs, self.request[6] & plan.ours
        )
        self.response = self.tell("response", response)
        secure = self.request[3] & self.response[3] & SECURE
        key = await (self.answer_secure() if secure else self.answer_legacy())
        self.key = {"right": key, "wrong": os.urandom(16), "never": None}[plan.encrypts]
        self.link.lend(self.key)
        await self.encrypted()
        self.hand_over(self.response[6], secure)
        await self.receive_keys(self.response[5], secure)

    async def begin_secure(self):
        own = self.tell("publicKey", self.public_key())
        peer = await self.receive(PUBLIC_KEY)
        secret = self.shared_secret(peer)
        pka, pkb = own[1:33], peer[1:33]
        if self.plan.passkey is None:
            await self.receive(CONFIRM)
            na = self.tell("random", RANDOM + crypto.r())[1:]
            nb = (await self.receive(RANDOM))[1:]
        else:
            for bit in self.bits():
                na = crypto.r()
                self.tell("confirm", CONFIRM + crypto.f4(pka, pkb, na, bit))
                await self.receive(CONFIRM)
                na = self.tell("random", RANDOM + na)[1:]
                nb = (await self.receive(RANDOM))[1:]
        key, ea, _ = self.check_values(secret, na, nb)
        self.tell("check", CHECK + ea)
        if self.plan.forge.get("check") != "none":
            await self.receive(CHECK)
        return key

    async def answer_secure(self):
        peer = await self.receive(PUBLIC_KEY)
        own = self.tell("publicKey", self.public_key())
        secret = self.shared_secret(peer)
        pka, pkb = peer[1:33], own[1:33]
        if self.plan.passkey is None:
            nb = crypto.r()
            self.tell("confirm", CONFIRM + crypto.f4(pkb, pka, nb, b"\0"))
            na = (await self.receive(RANDOM))[1:]
            nb = self.tell("random", RANDOM + nb)[1:]
        else:
            for bit in self.bits():
                await self.receive(CONFIRM)
                nb = crypto.r()
                self.tell("confirm", CONFIRM + crypto.f4(pkb, pka, nb, bit))
                na = (await self.receive(RANDOM))[1:]
                nb = self.tell("random", RANDOM + nb)[1:]
        key, _, eb = self.check_values(secret, na, nb)
        self.link.lend(key if self.plan.encrypts == "right" else os.urandom(16))
        await self.receive(CHECK)
        self.tell("check", CHECK + eb)
        return key

    def bits(self):
        return [bytes([0x80 | self.plan.passkey >> place & 1]) for place in range(ROUNDS)]

    def check_values(self, secret, na, nb):
        """Returns the long-term key, and the check value of each side."""
        a, b = self.link.initiator, self.link.responder
        mac, key = crypto.f5(secret, na, nb, a, b)
        r = (self.plan.passkey or 0).to_bytes(16, "little")
        ea = crypto.f6(mac, na, nb, r, self.request[1:4], a, b)
        eb = crypto.f6(mac, nb, na, r, self.response[1:4], b, a)
        return self.shorten(key), ea, eb

    def shorten(self, key):
        size = min(self.request[4], self.response[4], 16)
        return key[:size] + bytes(16 - size)

    async def begin_legacy(self):
        mrand = crypto.r()
        self.tell("confirm", CONFIRM + self.commit(mrand))
        await self.receive(CONFIRM)
        mrand = self.tell("random", RANDOM + mrand)[1:]
        srand = (await self.receive(RANDOM))[1:]
        return self.shorten(crypto.s1(self.temporary_key(), srand, mrand))

    async def answer_legacy(self):
        await self.receive(CONFIRM)
        srand = crypto.r()
        self.tell("confirm", CONFIRM + self.commit(srand))
        mrand = (await self.receive(RANDOM))[1:]
        key = self.shorten(crypto.s1(self.temporary_key(), srand, mrand))
        self.link.lend(key if self.plan.encrypts == "right" else os.urandom(16))
        self.tell("random", RANDOM + srand)
        return key

    def commit(self, random):
        a, b = self.link.initiator, self.link.responder
        return crypto.c1(
            self.temporary_key(), random, self.request, self.response, a[6], b[6], a[:6], b[:6]
        )

    def temporary_key(self):
        return (self.plan.passkey or 0).to_bytes(16, "little")

    # Phase 3

    def hand_over(self, kinds, secure):
        if kinds & 1 and not secure:
            self.tell("encryption", ENCRYPTION + os.urandom(16))
            self.tell("identification", IDENTIFICATION + os.urandom(10))
        if kinds & 2:
            self.tell("resolving", RESOLVING + self.link.resolving_key)
            self.tell("identity", ADDRESS + self.link.identity(self.plan.identity))
        if kinds & 4:
            self.tell("signing", SIGNING + os.urandom(16))

    async def receive_keys(self, kinds, secure):
        expected = [ENCRYPTION, IDENTIFICATION] if kinds & 1 and not secure else []
        expected += [RESOLVING, ADDRESS] if kinds & 2 else []
        expected += [SIGNING] if kinds & 4 else []
        for code in expected:
            await self.receive(code)
