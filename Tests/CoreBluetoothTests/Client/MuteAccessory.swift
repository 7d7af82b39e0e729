// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import VirtualAccessories
import VirtualRadio

/// An accessory that does not answer the write of a long value.
struct MuteAccessory: ScriptedHost {
    /// The index of the ATT opcode in an H4 packet.
    private static let opcodePlace = 9
    /// The opcode of the Prepare Write Request (Vol 3, Part F, 3.4.6.1).
    private static let prepareWrite: UInt8 = 0x16

    private var inner: SimpleAccessory

    init(_ profile: SimpleAccessoryProfile) {
        inner = SimpleAccessory(profile)
    }

    mutating func start(now: Instant) -> [[UInt8]] { inner.start(now: now) }

    mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] {
        let isData = packet.first == 0x02 && packet.count > Self.opcodePlace
        guard !isData || packet[Self.opcodePlace] != Self.prepareWrite else { return [] }
        return inner.receive(packet, now: now)
    }

    var nextDeadline: Instant? { inner.nextDeadline }

    mutating func deadlinePassed(now: Instant) -> [[UInt8]] { inner.deadlinePassed(now: now) }
}
