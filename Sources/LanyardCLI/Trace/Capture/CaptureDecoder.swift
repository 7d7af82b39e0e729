// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports

/// A decoder of a capture's packets into lines, as `TraceDecoder` does for the log of a host. `>`
/// marks packets of the central. Of all advertising packets, only those that begin a link are
/// decoded.
struct CaptureDecoder {
    /// The maximum number of links that are followed at a time. A further link replaces the oldest.
    static let linkLimit = 256

    private let keys: [ExportedKey]
    private var links: [UInt32: FollowedLink] = [:]
    private var order: [UInt32] = []
    private var linkCount: UInt16 = 0
    private var decoder = TraceDecoder()

    init(keys: [ExportedKey]) {
        self.keys = keys
    }

    /// Returns the line for a packet; `nil` if the packet belongs to no followed link, if
    /// `FollowedLink.receive` returns no contents, or if the PDU continues in another packet.
    mutating func decode(_ packet: AirPacket) -> TraceLine? {
        if let beginning = LinkBeginning(packet) { return begin(beginning, packet) }
        guard let content = links[packet.accessAddress]?.receive(packet, keys),
            let handle = links[packet.accessAddress]?.handle
        else { return nil }
        switch content {
        case .control(let bytes, let isFromCentral):
            return line(packet, handle, isFromCentral, LinkControl.describe(bytes))
        case .unreadable(let why, let isFromCentral):
            return line(packet, handle, isFromCentral, why, isMalformed: true)
        case .data(let bytes, let isFirst, let isFromCentral):
            let fragment = HCI.ACLPacket(
                connectionHandle: handle,
                boundary: isFirst ? .firstFlushable : .continuing,
                payload: bytes[...]
            )
            return decoder.decode(
                Btsnoop.Record(
                    microsecondsSince1970: packet.microseconds,
                    direction: isFromCentral ? .sent : .received,
                    packet: fragment.h4Bytes[...]
                )
            )
        }
    }

    private mutating func begin(_ beginning: LinkBeginning, _ packet: AirPacket) -> TraceLine {
        let handle = ConnectionHandle(rawValue: linkCount % ConnectionHandle.maximum.rawValue)
        linkCount &+= 1
        decoder.forget(handle)
        order.removeAll { $0 == beginning.accessAddress }
        if order.count >= Self.linkLimit { links[order.removeFirst()] = nil }
        order.append(beginning.accessAddress)
        links[beginning.accessAddress] = FollowedLink(handle: handle, beginning: beginning)
        let central = AddressText.describe(beginning.central)
        let peripheral = AddressText.describe(beginning.peripheral)
        return line(packet, handle, true, "CONNECT_IND \(central) to \(peripheral)")
    }

    private func line(
        _ packet: AirPacket,
        _ handle: ConnectionHandle,
        _ isFromCentral: Bool,
        _ text: String,
        isMalformed: Bool = false
    ) -> TraceLine {
        TraceLine(
            microsecondsSince1970: packet.microseconds,
            direction: isFromCentral ? .sent : .received,
            connection: handle,
            layer: .ll,
            text: text,
            isMalformed: isMalformed
        )
    }
}
