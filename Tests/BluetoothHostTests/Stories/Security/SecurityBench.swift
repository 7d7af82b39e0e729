// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// What the stories of security begin with: a peer, and a bond with it.
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

    /// How well a link is protected that is encrypted with the bond.
    static let security = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16,
        isBonded: true
    )
}

extension Bench {
    /// A ready host, bonded with the peer.
    static func bonded(
        _ bonds: [Bond]? = nil,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Bench {
        let bonds = try bonds ?? [Bonded.bond()]
        return ready(peers: [Bonded.peer]) { configuration in
            configuration.bonds = bonds
            configure(&configuration)
        }
    }

    /// A Central connects to us.
    mutating func accept(_ peer: DeviceAddress) throws -> LinkIdentifier {
        _ = advertise(Advertising())
        drive()
        let handle = controller.acceptConnection(from: peer)
        _ = try #require(handle)
        drive()
        return try #require(incomingLinks.last).link
    }

    /// A Central connects to us, and encrypts.
    mutating func acceptEncrypted(_ peer: DeviceAddress) throws -> LinkIdentifier {
        let link = try accept(peer)
        controller.requestKey(from: peer)
        drive()
        #expect(core.security(of: link)?.isEncrypted == true)
        return link
    }

    /// The link that there is, whoever knows of it.
    func onlyLink() throws -> LinkIdentifier {
        try #require(core.linkList.first).identifier
    }

    func count(of opcode: HCI.Opcode) -> Int { controller.commands.count { $0 == opcode } }

    /// What the peer has heard on the Security Manager's channel.
    func security(heardBy peer: DeviceAddress) -> [[UInt8]] {
        controller.peers[peer]?.securityPDUs ?? []
    }

    /// The PDUs that the peer hears after it has said this.
    mutating func hear(_ pdu: [UInt8], from peer: DeviceAddress) -> [[UInt8]] {
        let before = security(heardBy: peer).count
        controller.sendSecurity(pdu, from: peer)
        drive()
        return Array(security(heardBy: peer).dropFirst(before))
    }

    /// What was told of bonds: the words only.
    var toldOfBonds: [String] {
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
