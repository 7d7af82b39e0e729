// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The controller's end of the wire to its host: what goes out, and what the host wants to see.
///
/// Links and controllers put events and data in, by way of the ether (`emit`, `deliver`); the world
/// takes packets out after every event and brings them to the host.
package struct HostPort: Sendable {
    /// Which events the host wants to see.
    package var filter = EventFilter()
    /// How much data the host has room for.
    package var flow = HostFlow()
    /// Whether the controller hangs: nothing goes out, and nothing is taken in.
    package private(set) var isHung = false
    /// Whether the world knows that there is something to take.
    var isAnnounced = false
    private var outbox = HostOutbox()

    /// How many packets are on their way.
    var outputCount: Int { outbox.packets.count }

    /// Sends the event, if the masks let it through.
    mutating func emit(_ event: HCI.Event) {
        guard !isHung else { return }
        if let wanted = filter.filter(event) { outbox.put(wanted.packet.h4Bytes) }
        if case .disconnectionComplete(let event) = event, event.status == .success {
            ended(event.connectionHandle)
        }
    }

    /// The data of the link is of no use any more, and makes room for the others', whether the host
    /// wants to know of the end or not.
    private mutating func ended(_ handle: ConnectionHandle) {
        flow.disconnected(handle)
        releaseData()
    }

    /// Sends the answer to a command, before what it caused: all that is on its way from `place`.
    mutating func answer(_ event: HCI.Event, at place: Int) {
        guard !isHung else { return }
        outbox.insert(event.packet.h4Bytes, at: place)
    }

    /// Sends data of a link to the host, at once or when that has room.
    mutating func deliver(_ packet: HCI.ACLPacket) {
        guard !isHung else { return }
        let isWhole = flow.pass(packet) { outbox.put($0.h4Bytes) }
        if !isWhole { emit(.dataBufferOverflow(HCI.DataBufferOverflow(linkType: 0x01))) }
    }

    /// Sends what was held back and may go now.
    mutating func releaseData() {
        for packet in flow.release() { outbox.put(packet.h4Bytes) }
    }

    /// Takes out what is on its way.
    package mutating func takeOutput() -> [[UInt8]] {
        isAnnounced = false
        return outbox.takeAll()
    }

    /// The masks and the buffers are as after power-on; what is on its way stays so.
    mutating func reset() {
        filter = EventFilter()
        flow = HostFlow()
    }

    /// Falls silent, or speaks again. What is on its way goes out all the same.
    mutating func setHung(_ isHung: Bool) {
        self.isHung = isHung
    }
}
