// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state that all links of one radio share: the connection handles, and the buffers for the
/// host's data.
package struct LinkResources: Sendable {
    /// The largest handle (Vol 4, Part E, 5.4.2).
    package static let handleLimit: UInt16 = 0x0EFF

    /// The maximum number of links.
    package let linkLimit: Int
    /// The maximum data length of an ACL packet from the host, in bytes.
    package let dataPacketLength: Int
    /// The number of ACL packets from the host that the controller can hold.
    package let dataPacketCount: Int
    /// The capabilities that the controller states in the control procedures of a new link.
    package var capabilities: LinkCapabilities

    /// The number of ACL packets from the host that the controller holds now.
    package internal(set) var heldPackets = 0
    private(set) var handles: [ConnectionHandle: (link: LinkID, side: LinkSide)] = [:]
    private var lastHandle: UInt16 = 0
    /// The number of links to each peer, under each address that the host knows the peer by.
    private var peers: [DeviceAddress: Int] = [:]

    /// Creates the state of a controller without links.
    package init(_ configuration: ControllerConfiguration) {
        linkLimit = min(configuration.linkLimit, Int(Self.handleLimit) / 2)
        dataPacketLength = Int(configuration.aclPacketLength)
        dataPacketCount = Int(configuration.aclPacketCount)
        capabilities = LinkCapabilities(configuration, ControllerSettings())
    }

    /// The number of links.
    var linkCount: Int { handles.count }

    /// Returns whether the controller can hold this packet from the host.
    func hasRoom(for packet: HCI.ACLPacket) -> Bool {
        packet.payload.count <= dataPacketLength && heldPackets < dataPacketCount
    }

    /// The handles of the links on which this radio is the central, in order.
    var handlesAsCentral: [ConnectionHandle] {
        handles.filter { $0.value.side == .central }.map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns whether the radio has a link to the address. Both identity addresses and addresses
    /// on the air match.
    func hasLink(to peer: DeviceAddress) -> Bool { peers[peer] != nil }

    /// Assigns a handle to an end of a link to the peer: the next free one after the handle that
    /// was assigned last.
    ///
    /// - Returns: The handle, or `nil` if the radio has `linkLimit` links.
    mutating func open(
        _ link: LinkID,
        _ side: LinkSide,
        to peer: LinkIdentity
    ) -> ConnectionHandle? {
        guard handles.count < linkLimit else { return nil }
        repeat {
            lastHandle = lastHandle % Self.handleLimit + 1
        } while handles[ConnectionHandle(rawValue: lastHandle)] != nil
        let handle = ConnectionHandle(rawValue: lastHandle)
        handles[handle] = (link, side)
        for address in peer.addresses { peers[address, default: 0] += 1 }
        return handle
    }

    /// Frees the handle of a link to the peer.
    mutating func close(_ handle: ConnectionHandle, to peer: LinkIdentity) {
        handles[handle] = nil
        for address in peer.addresses {
            let count = peers[address, default: 0] - 1
            peers[address] = count > 0 ? count : nil
        }
    }
}

extension LinkIdentity {
    /// The addresses of the peer, which may be equal.
    fileprivate var addresses: [DeviceAddress] { [peer] + (peerPrivateAddress.map { [$0] } ?? []) }
}
