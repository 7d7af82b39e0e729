// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What one radio knows of its links as a whole: how its host calls them, and how much of the
/// host's data it holds.
package struct LinkAccount: Sendable {
    /// The largest handle that is given out: a link's handle comes again only after so many others.
    package static let handleLimit: UInt16 = 0x00FF

    /// How many links it may have.
    package let linkLimit: Int
    /// How many octets of data an ACL packet of the host may have.
    package let dataPacketLength: Int
    /// How many ACL packets of the host it holds.
    package let dataPacketCount: Int
    /// What it brings into the control procedures of a new link.
    package var capabilities: LinkCapabilities

    /// How many ACL packets of the host it holds now.
    package internal(set) var heldPackets = 0
    private(set) var handles: [ConnectionHandle: (link: LinkID, side: LinkSide)] = [:]
    private var lastHandle: UInt16 = 0

    /// The account of a controller without links.
    package init(_ configuration: ControllerConfiguration) {
        linkLimit = min(configuration.linkLimit, Int(Self.handleLimit) / 2)
        dataPacketLength = Int(configuration.aclPacketLength)
        dataPacketCount = Int(configuration.aclPacketCount)
        capabilities = LinkCapabilities(configuration, ControllerSettings())
    }

    /// How many links it has.
    var linkCount: Int { handles.count }

    /// Whether it can hold another packet of the host, which is this one.
    func hasRoom(for packet: HCI.ACLPacket) -> Bool {
        packet.payload.count <= dataPacketLength && heldPackets < dataPacketCount
    }

    /// What the host calls the links whose Central it is, in order.
    var handlesAsCentral: [ConnectionHandle] {
        handles.filter { $0.value.side == .central }.map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// Gives the end of a link the next handle that is free; nil if there are enough links.
    mutating func open(_ link: LinkID, _ side: LinkSide) -> ConnectionHandle? {
        guard handles.count < linkLimit else { return nil }
        repeat {
            lastHandle = lastHandle % Self.handleLimit + 1
        } while handles[ConnectionHandle(rawValue: lastHandle)] != nil
        let handle = ConnectionHandle(rawValue: lastHandle)
        handles[handle] = (link, side)
        return handle
    }

    /// The handle names no link any more.
    mutating func close(_ handle: ConnectionHandle) {
        handles[handle] = nil
    }
}
