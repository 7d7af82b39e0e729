# SPDX-License-Identifier: Apache-2.0
"""The pairing and the addresses of the accessory and of the central: options that both share."""

import asyncio
import hashlib
import logging

from bumble import hci
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import OobContext, OobLegacyContext, OobSharedData

logger = logging.getLogger("association")

CAPABILITIES = {
    "none": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "display": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "yes-no": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}
# The key of out-of-band legacy pairing, which both sides have in advance.
LEGACY_TEMPORARY_KEY = bytes(range(16))


class Delegate(PairingDelegate):
    """A user that agrees with the peer's user: enters and confirms the number of both sides."""

    def __init__(self, capability, passkey):
        super().__init__(io_capability=CAPABILITIES[capability])
        self.passkey = passkey
        self.facts = {}

    async def get_number(self):
        self.facts["entered"] = self.passkey
        return self.passkey

    async def generate_passkey(self):
        return self.passkey

    async def display_number(self, number, digits):
        self.facts["displayed"] = number

    async def compare_numbers(self, number, digits):
        self.facts["compared"] = number
        return True


def add_options(parser):
    parser.add_argument("--io", choices=CAPABILITIES, default="none", help="the IO capability")
    parser.add_argument("--passkey", type=int, default=123456, help="the passkey")
    parser.add_argument("--legacy", action="store_true", help="do not use LE Secure Connections")
    parser.add_argument("--no-mitm", action="store_true", help="do not request authentication")
    parser.add_argument("--oob", action="store_true", help="use out-of-band data")
    parser.add_argument("--peer-oob", metavar="C:R", help="the peer's data, in hexadecimal")
    parser.add_argument(
        "--public-identity",
        action="store_true",
        help="distribute the controller's public address as the identity address",
    )
    parser.add_argument(
        "--privacy",
        choices=["host", "controller"],
        help="use private addresses, which the host or the controller makes and resolves",
    )


def configuration(arguments):
    """Returns the part of a DeviceConfiguration that depends on the options."""
    offload = arguments.privacy == "controller"
    return {
        "irk": hashlib.sha256(arguments.address.encode()).digest()[:16],
        "identity_address_type": hci.Address.RANDOM_DEVICE_ADDRESS,
        "le_privacy_enabled": arguments.privacy is not None,
        "address_resolution_offload": offload,
        "address_generation_offload": offload,
    }


def own_address_type(arguments):
    if arguments.privacy == "controller":
        return hci.OwnAddressType.RESOLVABLE_OR_RANDOM
    return hci.OwnAddressType.RANDOM


class Association:
    """The pairing of a device."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.delegate = Delegate(arguments.io, arguments.passkey)
        self.context = OobContext()

    def prepare(self, device):
        device.pairing_config_factory = lambda connection: PairingConfig(
            sc=not self.arguments.legacy,
            mitm=not self.arguments.no_mitm,
            identity_address_type=self.identity_address_type(),
            bonding=True,
            delegate=self.delegate,
            oob=self.oob(),
        )

    def identity_address_type(self):
        kinds = PairingConfig.AddressType
        return kinds.PUBLIC if self.arguments.public_identity else kinds.RANDOM

    def oob(self):
        if not self.arguments.oob and not self.arguments.peer_oob:
            return None
        peer_data = None
        if self.arguments.peer_oob:
            c, r = (bytes.fromhex(part) for part in self.arguments.peer_oob.split(":"))
            peer_data = OobSharedData(c=c, r=r)
        return PairingConfig.OobConfig(
            our_context=self.context,
            peer_data=peer_data,
            legacy_context=OobLegacyContext(LEGACY_TEMPORARY_KEY),
        )

    def shared(self):
        """Returns the out-of-band data for the peer."""
        data = self.context.share()
        return f"{data.c.hex()}:{data.r.hex()}"

    def facts(self, connection, keys):
        """Returns the result of a pairing."""
        names = ("ltk", "ltk_central", "ltk_peripheral", "irk", "csrk")
        present = {name: getattr(keys, name) for name in names if getattr(keys, name)}
        return {
            "encrypted": bool(connection.encryption),
            "authenticated": any(key.authenticated for key in present.values()),
            "secureConnections": bool(connection.sc),
            "keys": sorted(present),
            **self.delegate.facts,
        }


async def paired(connection, work):
    """Waits for `work()`, and for the keys of the pairing that it starts."""
    keys = asyncio.get_running_loop().create_future()
    connection.on("pairing", lambda result: keys.done() or keys.set_result(result))
    await work()
    return await keys
