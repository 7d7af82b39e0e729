// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The state of a transport, which may lose bytes.
///
/// A socket loses no bytes: if the packet boundaries are lost, one end is broken, and the host
/// opens a new connection. On a UART, noise is normal. H4 has neither marks nor checksums, so the
/// only recovery is that of Vol 4, Part A, 4: the host resets the controller and searches for its
/// answer. That answer may be lost as well, so the host resets the controller several times before
/// it opens the transport again.
struct TransportRecovery: Sendable {
    /// The maximum number of resets from one start of the controller to the next.
    static let resetLimit = 3

    /// The maximum time from the first byte of a packet to its last. It is longer than any packet
    /// of an LE controller takes on a slow line. If a packet takes longer, its length was
    /// corrupted, and the host would treat all following bytes as part of it.
    static let packetTimeout = Duration.seconds(2)

    /// Whether the transport can lose bytes.
    let losesBytes: Bool
    /// The maximum length in bytes of a sent H4 packet, or `nil` if it is unlimited.
    let longestPacket: Int?
    private var resetCount = 0
    /// The time at which the current packet must be complete, or `nil` if there is none.
    private(set) var packetDeadline: Instant?

    init(losesBytes: Bool = false, longestPacket: Int? = nil) {
        self.losesBytes = losesBytes
        self.longestPacket = longestPacket
    }

    /// Returns the maximum payload of an ACL packet in bytes: that of the controller or, if it is
    /// less, that of the transport.
    func dataLength(for controllerLength: Int) -> Int {
        guard let longestPacket else { return controllerLength }
        return min(controllerLength, longestPacket - 1 - HCI.ACLPacket.headerLength)
    }

    /// Returns whether the controller may be reset once more. If so, the reset is counted.
    mutating func takeReset() -> Bool {
        guard resetCount < Self.resetLimit else { return false }
        resetCount += 1
        return true
    }

    /// Resets the count, because the controller was set up and the transport works.
    mutating func controllerStarted() {
        resetCount = 0
    }

    /// Sets the deadline of a packet of which only a part has arrived.
    mutating func packetAwaited(now: Instant) {
        guard losesBytes, packetDeadline == nil else { return }
        packetDeadline = now + Self.packetTimeout
    }

    /// Removes the deadline, because the packet is complete or its bytes were dropped.
    mutating func packetArrived() {
        packetDeadline = nil
    }
}
