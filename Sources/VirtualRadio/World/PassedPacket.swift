// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A packet that has passed between a controller and its host.
public struct PassedPacket: Hashable, Sendable {
    /// Which way it went.
    public enum Direction: Hashable, Sendable {
        /// From the host to its controller.
        case fromHost
        /// From the controller to its host.
        case toHost
    }

    /// Whose.
    public let controller: ControllerID
    /// Which way it went.
    public let direction: Direction
    /// When it arrived.
    public let instant: Instant
    /// The octets: from a controller one H4 packet, from a host as it cut them.
    public let bytes: [UInt8]
}

/// How many pieces of traffic have passed between a controller and its host.
struct Traffic: Sendable {
    var fromHostCount = 0
    var toHostCount = 0
}

extension WorldCore {
    /// Notes that the octets have passed.
    mutating func note(_ bytes: [UInt8], _ direction: PassedPacket.Direction, at radio: RadioID) {
        switch direction {
        case .fromHost: traffic[radio.index].fromHostCount += 1
        case .toHost: traffic[radio.index].toHostCount += 1
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

    /// Takes out what has passed since the last time.
    mutating func takePassed() -> [PassedPacket] {
        defer { passed?.removeAll(keepingCapacity: true) }
        return passed ?? []
    }
}
