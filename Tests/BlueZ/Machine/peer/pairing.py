# SPDX-License-Identifier: Apache-2.0
"""Pairing: an agent that answers what BlueZ asks of its user, by itself or when the test says so."""

import asyncio

from dbus_fast import DBusError
from dbus_fast.service import ServiceInterface, method

from bus import ADAPTER
from commands import command
from line import Refusal

PATH = "/peer/agent"
MANAGER = "org.bluez.AgentManager1"


class Agent(ServiceInterface):
    """Tells of each question by an event `agent`.

    Questions of yes or no it answers by itself, until it is told to ask the test. A passkey, which
    only the test can know, always comes from the test.
    """

    def __init__(self, line):
        super().__init__("org.bluez.Agent1")
        self.line = line
        self.asks = False
        self.accepts = True
        self.question = None
        self.early = None
        self.is_registered = False

    def answer(self, value):
        """Answers the open question, or the next one."""
        if self.question and not self.question.done():
            self.question.set_result(value)
        else:
            self.early = value

    async def _ask(self, what, **details):
        self.line.emit("agent", what=what, **details)
        if self.early is not None:
            answer, self.early = self.early, None
        else:
            self.question = asyncio.get_running_loop().create_future()
            answer = await self.question
        if answer is False:
            raise DBusError("org.bluez.Error.Rejected", "the test refused")
        return answer

    async def _consent(self, what, **details):
        if self.asks:
            await self._ask(what, **details)
            return
        self.line.emit("agent", what=what, **details)
        if not self.accepts:
            raise DBusError("org.bluez.Error.Rejected", "the test refuses")

    @method()
    async def RequestPasskey(self, device: "o") -> "u":
        return int(await self._ask("passkey", device=device))

    @method()
    async def RequestPinCode(self, device: "o") -> "s":
        return str(await self._ask("pin", device=device))

    @method()
    def DisplayPasskey(self, device: "o", passkey: "u", entered: "q"):
        self.line.emit("agent", what="display", device=device, passkey=passkey, entered=entered)

    @method()
    def DisplayPinCode(self, device: "o", pincode: "s"):
        self.line.emit("agent", what="display_pin", device=device, pin=pincode)

    @method()
    async def RequestConfirmation(self, device: "o", passkey: "u"):
        await self._consent("confirm", device=device, passkey=passkey)

    @method()
    async def RequestAuthorization(self, device: "o"):
        await self._consent("authorize", device=device)

    @method()
    async def AuthorizeService(self, device: "o", uuid: "s"):
        await self._consent("service", device=device, uuid=uuid)

    @method()
    def Cancel(self):
        self.line.emit("agent", what="cancel")
        if self.question and not self.question.done():
            self.question.set_result(False)

    @method()
    def Release(self):
        self.line.emit("agent", what="release")


@command
async def power_on(peer, io="NoInputNoOutput", name="bluez-peer", bondable=True):
    """Powers the adapter, with an agent of that input and output; the adapter's properties."""
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Powered", "b", True)
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Alias", "s", name)
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Pairable", "b", bondable)
    if not peer.agent.is_registered:
        peer.bus.connection.export(PATH, peer.agent)
        await peer.bus.invoke("/org/bluez", MANAGER, "RegisterAgent", "os", PATH, io)
        await peer.bus.invoke("/org/bluez", MANAGER, "RequestDefaultAgent", "o", PATH)
        peer.agent.is_registered = True
    return await peer.bus.get(ADAPTER, "org.bluez.Adapter1")


@command
async def adapter(peer):
    """The properties of BlueZ's adapter."""
    return await peer.bus.get(ADAPTER, "org.bluez.Adapter1")


@command
async def switch_on(peer):
    """Powers an adapter that is back; the agent was registered before."""
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Powered", "b", True)
    return {}


@command
async def power_off(peer):
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Powered", "b", False)
    return {}


@command
async def agent(peer, asks=False, accepts=True):
    """Whether the agent asks the test, or else whether it accepts."""
    peer.agent.asks, peer.agent.accepts = asks, accepts
    return {}


@command
async def answer(peer, value):
    """Answers what the agent asks: true or false, or a passkey."""
    peer.agent.answer(value)
    return {}


@command
async def pair(peer, path):
    await peer.bus.invoke(path, "org.bluez.Device1", "Pair")
    return {}


@command
async def forget(peer, path):
    """Removes a device with its bond and its cache."""
    await peer.bus.invoke(ADAPTER, "org.bluez.Adapter1", "RemoveDevice", "o", path)
    return {}
