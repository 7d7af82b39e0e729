// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The controller's end of the wire to its host: what goes out, and what the host wants to see.
///
/// Links and controllers put events and data in; the world takes packets out after every event,
/// `takeOutput`, and brings them to the host.
package struct HostPort: Sendable {
    /// Set Event Mask.
    package var eventMask = HCI.EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// Set Event Mask Page 2.
    package var eventMaskPage2 = HCI.EventMaskPage2(rawValue: 0)
    /// LE Set Event Mask.
    package var leEventMask = HCI.LEEventMask(rawValue: 0x1F)
    /// What is on its way to the host, in H4 form, in order.
    package var output: [[UInt8]] = []

    /// Sends the event, if the masks let it through.
    package mutating func emit(_ event: HCI.Event) {
        output.append(event.packet.h4Bytes)
    }

    /// Sends data of a link to the host.
    package mutating func deliver(_ packet: HCI.ACLPacket) {
        output.append(packet.h4Bytes)
    }

    /// Takes out what is on its way.
    package mutating func takeOutput() -> [[UInt8]] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }
}
