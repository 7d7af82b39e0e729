// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Requests that a peer refuses for insufficient security")
struct PortSecurityTests {
    private static let nameHandle = AttributeHandle(7)
    private static let pairingFailed: [UInt8] = [0x05, 0x08]

    private static func protected(_ code: ATT.ErrorCode) -> ModelPeer {
        var peer = ModelPeer(1)
        peer.server.attributes.append(
            .init(handle: nameHandle, type: BluetoothUUID(0x2A00), value: Array("Lamp".utf8))
        )
        peer.server.refusals = [nameHandle: code, ModelServer.readableHandle: code]
        return peer
    }

    private func connected(_ peer: ModelPeer) throws -> (PortHarness, LinkIdentifier) {
        let harness = PortHarness.ready(peers: [peer]) { $0.pairingDelegate = SilentDelegate() }
        return (harness, try harness.connect(peer.address))
    }

    private func securityPDUs(_ harness: PortHarness) -> [[UInt8]]? {
        harness.transport.controller.peers.values.first?.securityPDUs
    }

    @Test("If a request must not secure the link on demand, its refusal starts no pairing")
    func background() throws {
        let (harness, link) = try connected(Self.protected(.insufficientAuthentication))
        let name = GATT.Operation.readUsingUUID(BluetoothUUID(0x2A00), first: .first, last: .last)
        harness.on { [journal = harness.journal] host in
            host.begin(.gatt(name, securesOnDemand: false), on: link, then: journal.noting("name"))
        }
        let refusal = GATT.Failure.attribute(.insufficientAuthentication, handle: Self.nameHandle)
        #expect(harness.journal.take() == ["name: \(refusal)"])
        #expect(securityPDUs(harness) == [])
        harness.on { [journal = harness.journal] host in
            host.begin(.gatt(name), on: link, then: journal.noting("name"))
        }
        #expect(harness.journal.take().isEmpty)
        #expect(securityPDUs(harness)?.count == 1, "The host sends one Pairing Request")
    }

    @Test(
        "A request fails with the peer's error if the pairing for the request fails",
        arguments: [
            ATT.ErrorCode.insufficientAuthentication, .insufficientEncryption,
            .encryptionKeySizeTooShort,
        ]
    )
    func refusals(_ code: ATT.ErrorCode) throws {
        let peer = Self.protected(code)
        let (harness, link) = try connected(peer)
        let handle = ModelServer.readableHandle
        for request in [LinkRequest.gatt(.read(handle)), .gatt(.write(handle, [1]))] {
            harness.on { [journal = harness.journal] host in
                host.begin(request, on: link, then: journal.noting("asked"))
            }
        }
        #expect(harness.journal.take().isEmpty)
        harness.act { $0.sendSecurity(Self.pairingFailed, from: peer.address) }
        let refusal = SecurityRefusal(
            answer: .attribute(code, handle: handle),
            pairing: .refusedByPeer(.unspecified)
        )
        #expect(harness.journal.take() == ["asked: \(refusal)", "asked: \(refusal)"])
        #expect(securityPDUs(harness)?.count == 1, "The requests share one pairing")
    }

    @Test("A request fails with the end of the link if the link ends before the pairing")
    func linkEnds() throws {
        let peer = Self.protected(.insufficientAuthentication)
        let (harness, link) = try connected(peer)
        harness.on { [journal = harness.journal] host in
            let read = LinkRequest.gatt(.read(ModelServer.readableHandle))
            host.begin(read, on: link, then: journal.noting("read"))
        }
        harness.act { $0.dropLink(to: peer.address, .connectionTimeout) }
        let lines = harness.journal.take()
        #expect(lines.count == 2 && lines[0].hasPrefix("read: "), "\(lines)")
        #expect(!lines[0].contains("refused"), "\(lines)")
    }
}
