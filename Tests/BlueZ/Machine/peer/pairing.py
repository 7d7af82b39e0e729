# SPDX-License-Identifier: Apache-2.0
"""Pairing: an agent that answers BlueZ's requests to its user."""

import asyncio

from dbus_fast import DBusError
from dbus_fast.service import ServiceInterface, method

from bus import ADAPTER
from commands import command

PATH = "/peer/agent"
MANAGER = "org.bluez.AgentManager1"


class Agent(ServiceInterface):
    """Reports each request as an event `agent`.

    The agent answers yes-or-no questions by itself. A passkey, which only the test can know, comes
    from the test.
    """

    def __init__(self, line):
        super().__init__("org.bluez.Agent1")
        self.line = line
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

    def _consent(self, what, **details):
        self.line.emit("agent", what=what, **details)
        if not self.accepts:
            raise DBusError("org.bluez.Error.Rejected", "the test refuses")

    @method()
    async def RequestPasskey(self, device: "o") -> "u":
        return int(await self._ask("passkey", device=device))

    @method()
    def DisplayPasskey(self, device: "o", passkey: "u", entered: "q"):
        self.line.emit("agent", what="display", device=device, passkey=passkey, entered=entered)

    @method()
    def RequestConfirmation(self, device: "o", passkey: "u"):
        self._consent("confirm", device=device, passkey=passkey)

    @method()
    def RequestAuthorization(self, device: "o"):
        self._consent("authorize", device=device)

    @method()
    def AuthorizeService(self, device: "o", uuid: "s"):
        self._consent("service", device=device, uuid=uuid)

    @method()
    def Cancel(self):
        self.line.emit("agent", what="cancel")
        if self.question and not self.question.done():
            self.question.set_result(False)


@command
async def power_on(peer, io, name):
    """Powers the adapter on, with an agent of this capability. Returns the adapter's properties."""
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Powered", "b", True)
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Alias", "s", name)
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Pairable", "b", True)
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
async def power_off(peer):
    await peer.bus.set(ADAPTER, "org.bluez.Adapter1", "Powered", "b", False)
    return {}


@command
async def agent(peer, accepts):
    """Sets whether the agent accepts requests."""
    peer.agent.accepts = accepts
    return {}


@command
async def answer(peer, value):
    """Answers the agent's request with a passkey."""
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
