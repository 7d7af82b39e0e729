# SPDX-License-Identifier: Apache-2.0
"""Behavior that the specification allows our controller or requires of it, and that RootCanal's tests reject.

A deviation translates the packets of a test, so that the rest of the test is still judged. Packets of the
host are in H4 form. Packets of the air are RootCanal's.
"""

EVENT = 0x04
LE_META = 0x3E
CONNECTION_COMPLETE, ADVERTISING_REPORT, DATA_LENGTH_CHANGE = 0x01, 0x02, 0x07
ENHANCED_CONNECTION_COMPLETE, DIRECTED_REPORT, EXTENDED_REPORT = 0x0A, 0x0B, 0x0D
CHANNEL_SELECTION_ALGORITHM = 0x14
CONNECT, CONNECT_COMPLETE = 0x0C, 0x0D


class Deviation:
    """Translates nothing. `None` in place of a packet drops it."""

    def to_host(self, packet):
        return self.le_event(packet[3], packet) if packet[:2] == bytes([EVENT, LE_META]) else packet

    def le_event(self, subevent, packet):
        return packet

    def from_air(self, packet):
        return packet

    def to_air(self, packet):
        return packet


class DataLength(Deviation):
    """Our controller reports the longer packet time of LE Coded with LE Data Length Change. The tests do not
    expect the event."""

    def le_event(self, subevent, packet):
        return None if subevent == DATA_LENGTH_CHANGE else packet


class IdentityType(Deviation):
    """Our controller reports a resolved address with the type of an identity address, 0x02 or 0x03. The tests
    expect the type of an address on the air."""

    # The place of the peer's address type, with one report in the event.
    PLACES = {ADVERTISING_REPORT: 6, DIRECTED_REPORT: 6, EXTENDED_REPORT: 7, ENHANCED_CONNECTION_COMPLETE: 8}

    def le_event(self, subevent, packet):
        place = self.PLACES.get(subevent)
        return replace(packet, place, packet[place] & 1) if place and packet[place] in (2, 3) else packet


class Parameters(Deviation):
    """The tests make links that cannot last. The link gets no latency and a supervision timeout of 32 s, and
    the tests see the values that they have chosen."""

    VALUES = bytes([0, 0, 0x80, 0x0C])
    PLACES = {CONNECTION_COMPLETE: 17, ENHANCED_CONNECTION_COMPLETE: 29}

    def __init__(self):
        self.chosen = None

    def from_air(self, packet):
        if packet[0] != CONNECT:
            return packet
        self.chosen = packet[17:21]
        return replace(packet, 17, *self.VALUES)

    def to_air(self, packet):
        return replace(packet, 17, *self.chosen) if packet[0] == CONNECT_COMPLETE and self.chosen else packet

    def le_event(self, subevent, packet):
        place = self.PLACES.get(subevent)
        return replace(packet, place, *self.chosen) if place and self.chosen else packet


class ChannelSelection(Deviation):
    """Our controller reports the channel selection algorithm of every link. The tests expect the event only
    for links that LE Extended Create Connection has made."""

    def le_event(self, subevent, packet):
        return None if subevent == CHANNEL_SELECTION_ALGORITHM else packet


DEVIATIONS = {
    "data-length": DataLength,
    "identity-type": IdentityType,
    "parameters": Parameters,
    "channel-selection": ChannelSelection,
}


def replace(packet, place, *values):
    return packet[:place] + bytes(values) + packet[place + len(values):]
