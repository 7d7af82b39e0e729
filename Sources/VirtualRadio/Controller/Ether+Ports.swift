// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension Ether {
    /// Sends the event to the host, if its event masks let the event pass.
    ///
    /// The masks also select the version of an event. The caller passes LE Enhanced Connection
    /// Complete [v2], which can become version 1 or LE Connection Complete, and Encryption Change,
    /// which can become version 2.
    package mutating func emit(_ event: HCI.Event, to radio: RadioID) {
        ports[radio.index].emit(event)
        announceOutput(of: radio)
    }

    /// Reports a link, or a failed connection request, to the host, in the version of the event
    /// that its masks select.
    package mutating func emitConnectionComplete(
        _ event: HCI.LEEnhancedConnectionCompleteV2,
        to radio: RadioID
    ) {
        emit(.enhancedConnectionCompleteV2(event), to: radio)
    }

    /// Sends data of a link to the host, at once or when the host has a free buffer.
    package mutating func deliver(_ packet: HCI.ACLPacket, to radio: RadioID) {
        ports[radio.index].deliver(packet)
        announceOutput(of: radio)
    }

    /// Returns whether the controller can hold more data for a host without a free buffer. If it
    /// cannot, its Link Layer does not acknowledge the peer's data, so the peer waits (Vol 6, Part
    /// B, 4.5.9).
    package func hasRoomForData(_ radio: RadioID) -> Bool { ports[radio.index].flow.hasRoom }

    /// Marks the port as having output for the world to take.
    mutating func announceOutput(of radio: RadioID) {
        guard !ports[radio.index].isAnnounced else { return }
        ports[radio.index].isAnnounced = true
        announcedPorts.append(radio)
    }

    /// Removes the controller's links, without any packet to the peers, cancels its timers, and
    /// clears its listener, its schedule, and its host's masks and buffers.
    mutating func reset(_ radio: RadioID) {
        dropLinks(of: radio)
        timeline.cancelAll { event in
            guard case .timer(_, radio) = event else { return false }
            return true
        }
        setListener(Listener(radio: radio))
        schedules[radio.index] = RadioSchedule()
        ports[radio.index].reset()
    }
}
