// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension Ether {
    /// Tells the host, if it wants to be told of such events.
    ///
    /// Of events that have versions the newest is to be given: the host gets the one that it
    /// wants. That is so for LE Enhanced Connection Complete [v2], which becomes version 1 or LE
    /// Connection Complete, and for Encryption Change, which becomes version 2.
    package mutating func emit(_ event: HCI.Event, to radio: RadioID) {
        ports[radio.index].emit(event)
        announceOutput(of: radio)
    }

    /// Tells the host of a link, or that there will be none, with the event that it wants to see.
    package mutating func emitConnectionComplete(
        _ event: HCI.LEEnhancedConnectionCompleteV2,
        to radio: RadioID
    ) {
        emit(.enhancedConnectionCompleteV2(event), to: radio)
    }

    /// Sends data of a link to the host, at once or when that has room.
    package mutating func deliver(_ packet: HCI.ACLPacket, to radio: RadioID) {
        ports[radio.index].deliver(packet)
        announceOutput(of: radio)
    }

    /// Whether the controller has room for data that the host does not take now. Without it, a
    /// Link Layer does not acknowledge, so that the peer waits (Vol 6, Part B, 4.5.9).
    package func hasRoomForData(_ radio: RadioID) -> Bool { ports[radio.index].flow.hasRoom }

    /// The world is to look after the port.
    mutating func announceOutput(of radio: RadioID) {
        guard !ports[radio.index].isAnnounced else { return }
        ports[radio.index].isAnnounced = true
        announcedPorts.append(radio)
    }

    /// All that the ether knows of a controller is as after power-on: its links are gone, without
    /// a word to the peers, none of its timers is due, and its host has set nothing.
    mutating func reset(_ radio: RadioID) {
        dropLinks(of: radio)
        timeline.cancelAll { event in
            guard case .timer(_, radio) = event else { return false }
            return true
        }
        setAttentive(false, radio)
        schedules[radio.index] = RadioSchedule()
        ports[radio.index].reset()
    }
}
