// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Which way a packet goes between a host and its controller.
public enum WireDirection: Hashable, Sendable {
    /// From the host to the controller: commands and data.
    case toController
    /// From the controller to the host: events and data.
    case toHost
}

/// A packet that has passed between a controller and its host.
public struct PassedPacket: Hashable, Sendable {
    /// Whose.
    public let controller: ControllerID
    /// Which way it went.
    public let direction: WireDirection
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
    mutating func note(_ bytes: [UInt8], _ direction: WireDirection, at radio: RadioID) {
        switch direction {
        case .toController: traffic[radio.index].fromHostCount += 1
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
