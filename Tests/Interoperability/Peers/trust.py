# SPDX-License-Identifier: Apache-2.0
"""How a companion pairs: the plan from the test, the simulated user, and the stored keys.

Four faults of Bumble 0.0.236 are corrected here. It stores the keys of legacy pairing without EDIV
and Rand, and finds them by the role alone. A Central that returns then gets the key that it
distributed itself. Bumble agrees on a key size and then uses all 16 bytes. It keeps the keys of
pairings without bonding. It does not support Keypress Notifications.
"""

import asyncio
import logging
import os
import struct
from dataclasses import dataclass, field

from bumble import hci, smp
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import OobContext, OobLegacyContext, OobSharedData

from association import CAPABILITIES

logger = logging.getLogger("trust")

ENCRYPTION, IDENTITY, SIGNING = 1, 2, 4
UNNAMED = (0, bytes(8))  # the EDIV and Rand of keys of Secure Connections and of Phase 2


@dataclass
class Plan:
    """The plan of the next pairings."""

    io: str = "none"
    secure: bool = True
    mitm: bool = False
    bonding: bool = True
    size: int = 16
    ours: int = ENCRYPTION | IDENTITY  # the keys that the companion distributes
    theirs: int = ENCRYPTION | IDENTITY  # the keys that the companion requests
    shows: int = 123456  # the passkey that the companion generates
    enters: int | None = None  # the passkey to enter; None if a command gives it later
    declines: list = field(default_factory=list)  # of accept, confirm, compare, enter
    keypress: bool = False
    peer_oob: str | None = None  # C:R of the peer's public key
    temporary_key: str | None = None  # the key of out-of-band legacy pairing
    vanishes: int | None = None  # the process ends at this PDU of the Security Manager
    leaves: int | None = None  # the link is disconnected at this PDU


class User(PairingDelegate):
    """The user of the companion."""

    def __init__(self, plan, is_initiator):
        ours, theirs = plan.ours, plan.theirs
        super().__init__(
            io_capability=CAPABILITIES[plan.io],
            local_initiator_key_distribution=ours if is_initiator else theirs,
            local_responder_key_distribution=theirs if is_initiator else ours,
            maximum_encryption_key_size=plan.size,
        )
        self.plan = plan
        self.facts = {}
        self.entered = asyncio.get_running_loop().create_future()
        if plan.enters is not None:
            self.entered.set_result(plan.enters)

    async def accept(self):
        return "accept" not in self.plan.declines

    async def confirm(self, auto=False):
        self.facts["confirmed"] = True
        return "confirm" not in self.plan.declines

    async def compare_numbers(self, number, digits):
        self.facts["compared"] = number
        return "compare" not in self.plan.declines

    async def get_number(self):
        if "enter" in self.plan.declines:
            return None
        self.facts["entered"] = await self.entered
        return self.facts["entered"]

    async def generate_passkey(self):
        return self.plan.shows

    async def display_number(self, number, digits):
        self.facts["displayed"] = number


class Session(smp.Session):
    """Bumble's session with the faults corrected."""

    def __init__(self, manager, connection, config, is_initiator):
        super().__init__(manager, connection, config, is_initiator)
        self.keypress = config.delegate.plan.keypress
        self.facts = config.delegate.facts
        self.was_refused = False

    def shorten(self, key):
        """Returns the key with zeros in the most significant bytes beyond the agreed size."""
        size = min(self.preq[4], self.pres[4])
        return key and key[:size] + bytes(16 - size)

    def start_encryption(self, key):
        super().start_encryption(self.shorten(key))

    def get_long_term_key(self, rand, ediv):
        name = (ediv, rand)
        if self.sc or not self.completed:
            key = self.ltk if self.sc else self.stk
            return self.shorten(key) if name == UNNAMED else None
        return self.ltk if name == (self.ltk_ediv, self.ltk_rand) else None

    def distribute_keys(self):
        self.ltk = self.shorten(self.ltk)
        if not self.sc:
            self.ltk_ediv, self.ltk_rand = struct.unpack("<H", os.urandom(2))[0], os.urandom(8)
        super().distribute_keys()

    async def on_pairing(self):
        self.facts["method"] = self.pairing_method.name
        self.facts["keySize"] = min(self.preq[4], self.pres[4])
        self.facts["secureConnections"] = self.sc
        self.facts["bonding"] = self.bonding
        await super().on_pairing()

    def on_smp_pairing_failed_command(self, command):
        self.was_refused = True
        super().on_smp_pairing_failed_command(command)

    def on_pairing_failure(self, reason):
        self.facts["byPeer"] = self.was_refused
        super().on_pairing_failure(reason)

    def on_smp_command(self, command):
        if isinstance(command, smp.SMP_Pairing_Keypress_Notification_Command):
            self.facts.setdefault("keypresses", []).append(int(command.notification_type))
        else:
            super().on_smp_command(command)


class Trust:
    """The pairing state and keys of a device."""

    def __init__(self, device):
        self.device = device
        self.plan = Plan()
        self.user = None
        self.context = OobContext()
        self.result = None
        self.passed = []  # the PDUs of the Security Manager on this link, in both directions
        device.smp_session_proxy = Session
        device.pairing_config_factory = self.config
        device.host.long_term_key_provider = self.long_term_key
        self.watch_channel()

    def prepare(self, **plan):
        """Sets the plan of the next pairings."""
        self.plan = Plan(**plan)
        self.user = None
        self.result = asyncio.get_running_loop().create_future()

    def watch(self, connection):
        """Records the results of pairings on a link."""
        self.passed = []
        # If an earlier link has ended, for example one that was not established, its end must not
        # count as the result of the pairing on this link.
        if self.result is not None and self.result.done():
            self.result = asyncio.get_running_loop().create_future()
        connection.on("pairing", lambda keys: self.settle(self.pairing(connection, keys)))
        connection.on("pairing_failure", lambda reason: self.settle(self.failure(reason)))
        connection.on("disconnection", lambda reason: self.settle({"ended": int(reason)}))

    def settle(self, facts):
        if self.result is not None and not self.result.done():
            self.result.set_result({**facts, **(self.user.facts if self.user else {})})

    def failure(self, reason):
        # The next pairing on this link needs a new session.
        asyncio.get_running_loop().call_soon(self.device.smp_manager.sessions.clear)
        return {"failed": int(reason)}

    def pairing(self, connection, keys):
        if not self.user.facts["bonding"]:
            asyncio.ensure_future(self.device.keystore.delete(str(connection.peer_address)))
        names = ("ltk", "ltk_central", "ltk_peripheral", "irk", "csrk")
        present = {name: key for name in names if (key := getattr(keys, name)) and key.value}
        return {
            "encrypted": bool(connection.encryption),
            "authenticated": any(key.authenticated for key in present.values()),
            "keys": sorted(present),
            "identity": str(connection.peer_address).split("/")[0],
        }

    def config(self, connection):
        is_initiator = connection.role == hci.Role.CENTRAL
        self.user = User(self.plan, is_initiator)
        return PairingConfig(
            sc=self.plan.secure,
            mitm=self.plan.mitm,
            bonding=self.plan.bonding,
            identity_address_type=PairingConfig.AddressType.RANDOM,
            delegate=self.user,
            oob=self.oob(),
        )

    def oob(self):
        plan = self.plan
        if plan.peer_oob is None and plan.temporary_key is None:
            return None
        data = None
        if plan.peer_oob:
            c, r = (bytes.fromhex(part) for part in plan.peer_oob.split(":"))
            data = OobSharedData(c=c, r=r)
        key = plan.temporary_key and bytes.fromhex(plan.temporary_key)
        return PairingConfig.OobConfig(
            our_context=self.context,
            peer_data=data,
            legacy_context=OobLegacyContext(key) if key else None,
        )

    def shared(self):
        """Returns new out-of-band data for the peer."""
        self.context = OobContext()
        data = self.context.share()
        return f"{data.c.hex()}:{data.r.hex()}"

    async def long_term_key(self, handle, rand, ediv):
        """Returns the key that a Central requests by this EDIV and Rand."""
        connection = self.device.lookup_connection(handle)
        if session := self.device.smp_manager.sessions.get(handle):
            if key := session.get_long_term_key(rand, ediv):
                return key
        keys = await self.device.keystore.get(str(connection.peer_address))
        for key in (keys.ltk, keys.ltk_central, keys.ltk_peripheral) if keys else ():
            if key and (key.ediv or 0, key.rand or bytes(8)) == (ediv, rand):
                return key.value
        return None

    # The Security Manager's channel

    def watch_channel(self):
        """Records the PDUs on the channel, and ends the process or the link at the planned PDU."""
        channels, send = self.device.l2cap_channel_manager, self.device.send_l2cap_pdu

        def received(handle, pdu):
            if self.passes("received", pdu):
                self.device.on_smp_pdu(handle, pdu)

        def sending(handle, cid, pdu):
            if cid != smp.SMP_CID or self.passes("said", pdu):
                send(handle, cid, pdu)

        channels.register_fixed_channel(smp.SMP_CID, received)
        self.device.send_l2cap_pdu = sending

    def passes(self, way, pdu):
        self.passed.append({way: pdu.hex()})
        if len(self.passed) == self.plan.vanishes:
            os._exit(0)
        if self.plan.leaves is not None and len(self.passed) >= self.plan.leaves:
            if len(self.passed) == self.plan.leaves:
                for connection in list(self.device.connections.values()):
                    asyncio.ensure_future(connection.disconnect())
            return False
        return True

