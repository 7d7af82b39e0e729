// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// A peer and its bond, for the tests of security.
enum Bonded {
    static let key = HCI.Key128((0..<16).map { UInt8($0) })

    static let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = key
        return peer
    }()

    static func bond(_ change: (inout Bond) -> Void = { _ in }) throws -> Bond {
        var bond = Bond(peer: peer.address, longTermKey: try #require(key))
        change(&bond)
        return bond
    }

    /// The security of a link that is encrypted with the bond.
    static let security = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )
}

extension Harness {
    /// Returns a harness whose host is ready and bonded with the peer.
    static func bonded(
        _ bonds: [Bond]? = nil,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Harness {
        let bonds = try bonds ?? [Bonded.bond()]
        return ready(peers: [Bonded.peer]) { configuration in
            configuration.bonds = bonds
            configure(&configuration)
        }
    }

    /// Accepts a connection of a central.
    mutating func accept(_ peer: DeviceAddress) throws -> LinkIdentifier {
        _ = advertise(Advertising())
        drive()
        let handle = controller.acceptConnection(from: peer)
        _ = try #require(handle)
        drive()
        return try #require(incomingLinks.last).link
    }

    /// Accepts a connection of a central that encrypts the link.
    mutating func acceptEncrypted(_ peer: DeviceAddress) throws -> LinkIdentifier {
        let link = try accept(peer)
        controller.requestKey(from: peer)
        drive()
        #expect(core.security(of: link)?.isEncrypted == true)
        return link
    }

    /// Returns the only link, whether or not it was reported.
    func onlyLink() throws -> LinkIdentifier {
        try #require(core.linkList.first).identifier
    }

    func count(of opcode: HCI.Opcode) -> Int { controller.commands.count { $0 == opcode } }

    /// Returns the PDUs that the peer has received on the channel of the Security Manager.
    func security(receivedBy peer: DeviceAddress) -> [[UInt8]] {
        controller.peers[peer]?.securityPDUs ?? []
    }

    /// Returns the PDUs that the peer receives after it has sent `pdu`.
    mutating func exchange(_ pdu: [UInt8], from peer: DeviceAddress) -> [[UInt8]] {
        let before = security(receivedBy: peer).count
        controller.sendSecurity(pdu, from: peer)
        drive()
        return Array(security(receivedBy: peer).dropFirst(before))
    }

    /// The names of the events about bonds.
    var bondEvents: [String] {
        securityEvents.map { event in
            switch event {
            case .bonded: "bonded"
            case .bondLost: "bond lost"
            case .bondRemoved: "bond removed"
            default: "something else"
            }
        }
    }
}
