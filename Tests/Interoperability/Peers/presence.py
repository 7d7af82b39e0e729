# SPDX-License-Identifier: Apache-2.0
"""A Bumble host that is active in both roles, and changes its addresses on command."""

import asyncio
import hashlib

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import ConnectionParametersPreferences, Device, DeviceConfiguration

from session import Session

# In milliseconds. Short, because the tests run many pairings.
ADVERTISING_INTERVAL = 20
CONNECTION_INTERVAL = 7.5


class Presence(Session):
    unlinked = Session.unlinked | {"become", "rotate", "advertise", "hide", "linked"}
    parameters = {
        hci.Phy.LE_1M: ConnectionParametersPreferences(
            connection_interval_min=CONNECTION_INTERVAL, connection_interval_max=CONNECTION_INTERVAL
        )
    }

    def __init__(self, device, is_private=False):
        super().__init__(device)
        self.is_private = is_private
        self.arrived = asyncio.Event()
        device.on("connection", self.welcome)

    async def become(self, address):
        """Changes the identity: an address and an identity resolving key that is made from it."""
        self.device.static_address = hci.Address(address)
        self.device.irk = resolving_key(address)
        return await self.rotate()

    async def rotate(self):
        """Sets a new private address if `is_private`, or else the static address."""
        device = self.device
        await device.stop_advertising()
        device.random_address = (
            hci.Address.generate_private_address(device.irk)
            if self.is_private
            else device.static_address
        )
        await device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=device.random_address)
        )
        return self.place()

    def place(self):
        return {"address": str(self.device.random_address).split("/")[0]}

    async def advertise(self):
        """Lets one Central connect."""
        self.arrived.clear()
        await self.device.start_advertising(
            own_address_type=hci.OwnAddressType.RANDOM,
            advertising_interval_min=ADVERTISING_INTERVAL,
            advertising_interval_max=ADVERTISING_INTERVAL,
        )
        return self.place()

    async def hide(self):
        """Lets no Central connect."""
        await self.device.stop_advertising()

    async def linked(self):
        """Waits until a Central has connected."""
        await self.arrived.wait()
        peer = self.connection.peer_resolvable_address or self.connection.peer_address
        return {"peer": str(peer).split("/")[0]}

    def welcome(self, connection):
        if connection.role == hci.Role.PERIPHERAL:
            self.adopt(connection)
            self.arrived.set()

    def is_sought(self, advertisement, name, address):
        """Returns whether this is the device, even by a private address that resolves to its
        identity."""
        resolver = self.device.address_resolver
        if address and resolver and advertisement.address.is_resolvable:
            found = resolver.resolve(advertisement.address)
            return found is not None and str(found).split("/")[0] == address
        return super().is_sought(advertisement, name, address)


def resolving_key(address):
    return hashlib.sha256(address.encode()).digest()[:16]


def make_device(arguments, transport):
    """Returns a device with the name and address of the options."""
    fields = [(AdvertisingData.FLAGS, b"\x06")]
    fields += [(AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode())]
    settings = DeviceConfiguration(
        name=arguments.name,
        address=hci.Address(arguments.address),
        irk=resolving_key(arguments.address),
        advertising_data=bytes(AdvertisingData(fields)),
    )
    return Device.from_config_with_hci(settings, transport.source, transport.sink)


def add_options(parser, name):
    parser.add_argument("--adapter", required=True, help="tcp:HOST:PORT or unix:PATH")
    parser.add_argument("--name", default=name, help="the name of the device")
    parser.add_argument("--address", default="F1:A0:00:00:00:01", help="a random static address")
