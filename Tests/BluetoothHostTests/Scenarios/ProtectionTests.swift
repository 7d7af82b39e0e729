// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// Some accesses to protected values through the whole host. The server uses the security that the
/// controller reports for a link.
@Suite("Protected values of the host's server")
struct ProtectionTests {
    /// A byte that occurs in no handle, UUID or code below.
    private static let secretByte: UInt8 = 0xAF
    private static let secret = [UInt8](repeating: secretByte, count: 8)

    /// The protection of a link to a peer.
    enum Protection: CaseIterable, Sendable {
        case clear, clearBonded, shortKey, unauthenticated, authenticated

        var bond: (isAuthenticated: Bool, keySize: Int)? {
            switch self {
            case .clear: nil
            case .clearBonded, .authenticated: (true, 16)
            case .shortKey: (true, 7)
            case .unauthenticated: (false, 16)
            }
        }

        var isEncrypted: Bool { self != .clear && self != .clearBonded }

        /// The error code that the specification requires (Vol 3, Part C, 10.3.1).
        var code: UInt8? {
            switch self {
            case .clear, .unauthenticated: 0x05
            case .clearBonded: 0x0F
            case .shortKey: 0x0C
            case .authenticated: nil
            }
        }
    }

    private let peer = ModelPeer(1)

    private func harness(_ protection: Protection) throws -> (Harness, LinkIdentifier) {
        let key = try #require(HCI.Key128(Array(0..<16)))
        var peer = peer
        peer.key = key
        var harness = Harness.ready(peers: [peer]) { configuration in
            guard let bond = protection.bond else { return }
            configuration.bonds = [
                Bond(
                    peer: peer.address,
                    longTermKey: key,
                    isAuthenticated: bond.isAuthenticated,
                    keySize: bond.keySize
                )
            ]
        }
        // A link to a bonded peer is unencrypted only while encryption starts.
        if !protection.isEncrypted { harness.controller.endlessCommands = [.leEnableEncryption] }
        _ = harness.requestConnection(peer.address)
        harness.drive()
        let link = try #require(harness.core.linkList.first).identifier
        #expect(harness.core.security(of: link)?.isEncrypted == protection.isEncrypted)
        return (harness, link)
    }

    private func publish(in harness: inout Harness) throws -> GATT.DiscoveredCharacteristic {
        let rule = SecurityRequirement(needsAuthentication: true, keySizeMinimum: 10)
        let definition = GATT.ServiceDefinition(
            BluetoothUUID(0xD001),
            [
                .init(
                    BluetoothUUID(0xE001),
                    [.read, .write, .notify],
                    permissions: .init(read: rule, write: rule, subscribe: rule),
                    value: .stored(Self.secret)
                )
            ]
        )
        return try harness.core.publish(definition, now: harness.now).characteristics[0]
    }

    /// Returns the host's response to a request of the peer.
    private func answer(_ request: ATT.PDU, in harness: inout Harness) -> ATT.PDU? {
        let server = { (harness: Harness) in harness.controller.peers[peer.address]?.server }
        let count = server(harness)?.received.count ?? 0
        harness.controller.sendPDU(request, from: peer.address)
        harness.drive()
        return server(harness)?.received.dropFirst(count).first
    }

    private func requests(
        to value: AttributeHandle,
        _ configuration: AttributeHandle
    ) -> [(ATT.PDU, AttributeHandle)] {
        let type = BluetoothUUID(0xE001)
        return [
            (.readRequest(.init(handle: value)), value),
            (.readBlobRequest(.init(handle: value, offset: 2)), value),
            (.readByTypeRequest(.init(start: .first, end: .last, type: type)), value),
            (.readMultipleRequest(.init(handles: [value, value])), value),
            (.readMultipleVariableRequest(.init(handles: [value, value])), value),
            (.writeRequest(.init(handle: configuration, value: [1, 0])), configuration),
            (.prepareWriteRequest(.init(handle: value, offset: 0, value: [1])), value),
            (.executeWriteRequest(.init(flags: .cancelAll)), .invalid),
            (.writeRequest(.init(handle: value, value: [1])), value),
        ]
    }

    @Test(
        "A value is read, written and sent as the security of the link permits",
        arguments: Protection.allCases
    )
    func sample(_ protection: Protection) throws {
        var (harness, link) = try harness(protection)
        let characteristic = try publish(in: &harness)
        let value = characteristic.valueHandle
        let configuration = try #require(characteristic.descriptors.first).handle
        for (request, handle) in requests(to: value, configuration) {
            let answer = try #require(answer(request, in: &harness), "\(request)")
            guard let code = protection.code, request.opcode != .executeWriteRequest else {
                #expect(answer.opcode.rawValue == request.opcode.rawValue + 1)
                continue
            }
            let refusal = ATT.ErrorResponse(
                requestOpcode: request.opcode,
                handle: handle,
                code: .init(rawValue: code)
            )
            #expect(answer == .errorResponse(refusal))
        }
        try expectSending(value, protection, in: &harness, link)
        guard protection.code != nil else { return }
        #expect(harness.core.value(of: value) == Self.secret)
        let sent = harness.controller.peers[peer.address]?.server.received ?? []
        #expect(!sent.contains { $0.encode().contains(Self.secretByte) })
    }

    private func expectSending(
        _ value: AttributeHandle,
        _ protection: Protection,
        in harness: inout Harness,
        _ link: LinkIdentifier
    ) throws {
        let id = harness.takeRequest()
        let values = [GATT.AttributeValue(handle: value, value: Self.secret)]
        harness.core.notify(values, on: link, id: id, now: harness.now)
        harness.drive()
        if protection.code == nil {
            #expect(throws: Never.self) { try harness.answer(id) }
        } else {
            #expect(throws: (any Error).self) { try harness.answer(id) }
        }
    }
}
