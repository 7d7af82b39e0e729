// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// A sample of the paths to protected values through the whole host: the server uses the security
/// that the controller reports for a link. `ProtectionTests` of GATT test all paths.
@Suite("Protected values of the host's server")
struct ProtectionStories {
    /// Occurs in no handle, UUID or code below.
    private static let secretOctet: UInt8 = 0xAF
    private static let secret = [UInt8](repeating: secretOctet, count: 8)

    /// A link and its peer.
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

    private func bench(_ protection: Protection) throws -> (Bench, LinkIdentifier) {
        let key = try #require(HCI.Key128(Array(0..<16)))
        var peer = peer
        peer.key = key
        var bench = Bench.ready(peers: [peer]) { configuration in
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
        if !protection.isEncrypted { bench.controller.endlessCommands = [.leEnableEncryption] }
        _ = bench.dial(peer.address)
        bench.drive()
        let link = try #require(bench.core.linkList.first).identifier
        #expect(bench.core.security(of: link)?.isEncrypted == protection.isEncrypted)
        return (bench, link)
    }

    private func publish(in bench: inout Bench) throws -> GATT.PublishedCharacteristic {
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
        return try bench.core.publish(definition, now: bench.now).characteristics[0]
    }

    /// Returns the host's response to a request of the peer.
    private func answer(_ request: ATT.PDU, in bench: inout Bench) -> ATT.PDU? {
        let server = { (bench: Bench) in bench.controller.peers[peer.address]?.server }
        let count = server(bench)?.received.count ?? 0
        bench.controller.sendPDU(request, from: peer.address)
        bench.drive()
        return server(bench)?.received.dropFirst(count).first
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
        var (bench, link) = try bench(protection)
        let characteristic = try publish(in: &bench)
        let value = characteristic.valueHandle
        let configuration = try #require(characteristic.descriptors.first).handle
        for (request, handle) in requests(to: value, configuration) {
            let answer = try #require(answer(request, in: &bench), "\(request)")
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
        try expectSending(value, protection, in: &bench, link)
        guard protection.code != nil else { return }
        #expect(bench.core.value(of: value) == Self.secret)
        let sent = bench.controller.peers[peer.address]?.server.received ?? []
        #expect(!sent.contains { $0.encode().contains(Self.secretOctet) })
    }

    private func expectSending(
        _ value: AttributeHandle,
        _ protection: Protection,
        in bench: inout Bench,
        _ link: LinkIdentifier
    ) throws {
        let id = bench.takeRequest()
        let values = [GATT.AttributeValue(handle: value, value: Self.secret)]
        bench.core.notify(values, on: link, id: id, now: bench.now)
        bench.drive()
        if protection.code == nil {
            #expect(throws: Never.self) { try bench.answer(id) }
        } else {
            #expect(throws: (any Error).self) { try bench.answer(id) }
        }
    }
}
