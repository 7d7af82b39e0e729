// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The controller's end of the wire to its host: the output, and the host's event masks and
/// buffers.
///
/// Links and controllers add events and data through the ether (`emit`, `deliver`). The world takes
/// the packets after every event and delivers them to the host.
package struct HostWire: Sendable {
    /// The host's event masks.
    package var filter = EventFilter()
    /// The host's buffers.
    package var flow = HostFlow()
    /// Whether the controller hangs: it neither sends nor accepts anything.
    package private(set) var isHung = false
    /// Whether the ether lists this port among those with output.
    var isAnnounced = false
    private var outbox = HostOutbox()

    /// The number of packets in the outbox.
    var outputCount: Int { outbox.packets.count }

    /// Sends the event, if the masks let it pass.
    mutating func emit(_ event: HCI.Event) {
        guard !isHung else { return }
        if let wanted = filter.filter(event) { outbox.put(wanted.packet.h4Bytes) }
        if case .disconnectionComplete(let event) = event, event.status == .success {
            ended(event.connectionHandle)
        }
    }

    /// Discards the data of a link that has ended, which frees buffers for other links, whether or
    /// not the mask lets the disconnection event pass.
    private mutating func ended(_ handle: ConnectionHandle) {
        flow.disconnected(handle)
        releaseData()
    }

    /// Inserts the answer to a command at `place`, before the packets that the command caused.
    mutating func answer(_ event: HCI.Event, at place: Int) {
        guard !isHung else { return }
        outbox.insert(event.packet.h4Bytes, at: place)
    }

    /// Sends data of a link to the host, at once or when the host has a free buffer.
    mutating func deliver(_ packet: HCI.ACLPacket) {
        guard !isHung else { return }
        let isWhole = flow.pass(packet) { outbox.put($0.h4Bytes) }
        if !isWhole { emit(.dataBufferOverflow(HCI.DataBufferOverflow(linkType: 0x01))) }
    }

    /// Sends the packets that were held back and now have a buffer.
    mutating func releaseData() {
        for packet in flow.release() { outbox.put(packet.h4Bytes) }
    }

    /// Returns and removes the output.
    package mutating func takeOutput() -> [[UInt8]] {
        isAnnounced = false
        return outbox.takeAll()
    }

    /// Restores the masks and the buffers of power-on. Output that is in the outbox stays there.
    mutating func reset() {
        filter = EventFilter()
        flow = HostFlow()
    }

    /// Makes the controller hang, or ends the hang. Output that is in the outbox is still
    /// delivered.
    mutating func setHung(_ isHung: Bool) {
        self.isHung = isHung
    }
}
