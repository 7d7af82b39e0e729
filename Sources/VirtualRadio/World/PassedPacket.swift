// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The direction of a packet between a host and its controller.
public enum WireDirection: Hashable, Sendable {
    /// From the host to the controller: commands and data.
    case toController
    /// From the controller to the host: events and data.
    case toHost
}

/// A packet that has passed between a controller and its host.
public struct PassedPacket: Hashable, Sendable {
    /// The controller.
    public let controller: ControllerID
    /// The direction of the packet.
    public let direction: WireDirection
    /// The instant at which the packet arrived.
    public let instant: Instant
    /// The bytes: one H4 packet from a controller, or bytes from a host as the host divided them.
    public let bytes: [UInt8]
}

/// The numbers of packets that have passed between a controller and its host.
struct PacketCounts: Sendable {
    var fromHostCount = 0
    var toHostCount = 0
}

extension WorldCore {
    /// Records that the bytes have passed.
    mutating func note(_ bytes: [UInt8], _ direction: WireDirection, at radio: RadioID) {
        switch direction {
        case .toController: packetCounts[radio.index].fromHostCount += 1
        case .toHost: packetCounts[radio.index].toHostCount += 1
        }
        passed?.append(
            PassedPacket(
                controller: ControllerID(radio),
                direction: direction,
                instant: ether.now,
                bytes: bytes
            )
        )
    }

    /// Returns and removes the packets that have passed since the last call.
    mutating func takePassed() -> [PassedPacket] {
        defer { passed?.removeAll(keepingCapacity: true) }
        return passed ?? []
    }
}
