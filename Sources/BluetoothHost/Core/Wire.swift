// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// What a host has to know of the wire to its controller, if bytes can get lost on it.
///
/// On a socket nothing gets lost: where no packet begins any more, one end is broken, and the way out
/// is a new connection. On a UART noise is a fact of life. H4 has neither marks nor checksums, so the
/// only way back is the one of Vol 4, Part A, 4: reset the controller, and search its answer. That
/// answer may get lost as well, so there are several resets before the transport is opened anew.
struct Wire: Sendable {
    /// How many resets there may be from one start of the controller to the next.
    static let resetLimit = 3

    /// How long a packet may take from its first byte to its last: more than any that a Low Energy
    /// controller sends takes on a slow line. One that takes longer had its length changed on the
    /// way, and swallows all that follows.
    static let packetTimeout = Duration.seconds(2)

    /// Whether bytes may get lost.
    let losesBytes: Bool
    /// The longest H4 packet that may be sent; nil if any may.
    let longestPacket: Int?
    private var resetCount = 0
    /// When the packet that has begun must have ended; nil while there is none.
    private(set) var packetDeadline: Instant?

    init(losesBytes: Bool = false, longestPacket: Int? = nil) {
        self.losesBytes = losesBytes
        self.longestPacket = longestPacket
    }

    /// How much data a packet may carry to a controller that takes so much.
    func dataLength(for controllerLength: Int) -> Int {
        guard let longestPacket else { return controllerLength }
        return min(controllerLength, longestPacket - 1 - HCI.ACLPacket.headerLength)
    }

    /// Whether the controller may be reset once more. Counts as done.
    mutating func takeReset() -> Bool {
        guard resetCount < Self.resetLimit else { return false }
        resetCount += 1
        return true
    }

    /// The controller is set up: the wire works.
    mutating func controllerStarted() {
        resetCount = 0
    }

    /// Part of a packet has arrived, and no more yet.
    mutating func packetAwaited(now: Instant) {
        guard losesBytes, packetDeadline == nil else { return }
        packetDeadline = now + Self.packetTimeout
    }

    /// A packet is whole, or what there was of it is dropped.
    mutating func packetArrived() {
        packetDeadline = nil
    }
}
