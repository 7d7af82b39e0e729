// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Encryption with the keys of a bond")
struct EncryptionTests {
    private let address = Bonded.peer.address

    @Test("As the central, the host encrypts before it sends data, and then reports the link")
    func central() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.isPending(pending))
        #expect(harness.controller.dataPackets.isEmpty, "The host sends no unencrypted data")
        let link = try harness.onlyLink()
        #expect(harness.core.security(of: link) == LinkSecurity(isBonded: true))
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle)
        harness.drive()
        #expect(try harness.link(of: pending) == link)
        #expect(harness.core.security(of: link) == Bonded.security)
        #expect(harness.core.properties(of: link)?.mtu == 247)
        #expect(harness.count(of: .leEnableEncryption) == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("An MTU exchange of the peer does not delay the connection")
    func peersMTU() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(address)
        harness.drive()
        harness.controller.sendPDU(.exchangeMTURequest(.init(receiveMTU: 100)), from: address)
        harness.drive()
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle)
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: pending) }
    }

    @Test("Different keys end the link, and the connection fails with the reason")
    func differentKeys() throws {
        var harness = try Harness.bonded()
        harness.controller.peers[address]?.key = HCI.Key128([UInt8](repeating: 7, count: 16))
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.error(pending) == .failedToConnect(.messageIntegrityFailure))
        #expect(harness.bondEvents.isEmpty, "The bond is not removed")
        #expect(harness.core.bonds.count == 1)
    }

    @Test("If the controller refuses to encrypt, the connection fails")
    func refused() throws {
        var harness = try Harness.bonded()
        harness.controller.refusals[.leEnableEncryption] = .commandDisallowed
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.error(pending) == .controller(.commandDisallowed))
        #expect(harness.core.linkList.isEmpty)
        #expect(harness.controller.dataPackets.isEmpty)
    }

    @Test("Encryption that fails for a reason other than the key keeps the bond")
    func failed() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(address)
        harness.drive()
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle, .unsupportedRemoteFeature, .off)
        harness.drive()
        #expect(harness.error(pending) == .encryptionFailed(.unsupportedRemoteFeature))
        #expect(harness.bondEvents.isEmpty)
        #expect(harness.controller.dataPackets.isEmpty)
    }

    @Test("If encryption never completes, the link ends, and the connection request times out")
    func endless() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(address, .init(timeout: .seconds(100)))
        harness.advance(by: .seconds(40))
        #expect(harness.error(pending) == .timedOut)
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("Encryption with a key that the host did not provide gives no security")
    func unrequestedEncryption() throws {
        var harness = Harness.ready(peers: [Bonded.peer])
        let link = try harness.connect(address)
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle)
        harness.drive()
        #expect(
            harness.core.security(of: link) == LinkSecurity.none,
            "A key from outside the host gives no security"
        )
        harness.controller.send(
            .encryptionKeyRefreshComplete(.init(status: .success, connectionHandle: handle))
        )
        harness.drive()
        #expect(harness.core.security(of: link) == LinkSecurity.none)
    }

    @Test("A bonded central's link counts as encrypted only after a request for the key")
    func unnamed() throws {
        var harness = try Harness.bonded()
        let link = try harness.accept(address)
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle)
        harness.drive()
        #expect(harness.core.security(of: link) == LinkSecurity(isBonded: true))
    }

    @Test(
        "The key is returned only for its encrypted diversifier and random number",
        arguments: [(0x1234, 99, true), (0x1234, 98, false), (0x1235, 99, false), (0, 0, false)]
    )
    func keyRequest(_ diversifier: UInt16, _ random: UInt64, _ isMatch: Bool) throws {
        let bond = try Bonded.bond {
            $0.localKey?.diversifier = 0x1234
            $0.localKey?.random = 99
            $0.usesSecureConnections = false
            $0.keySize = 7
        }
        var harness = try Harness.bonded([bond])
        let link = try harness.accept(address)
        harness.controller.requestKey(
            from: address,
            random: random,
            encryptedDiversifier: diversifier
        )
        harness.drive()
        #expect(
            harness.controller.commands.last
                == (isMatch ? .leLongTermKeyRequestReply : .leLongTermKeyRequestNegativeReply)
        )
        #expect(harness.core.security(of: link)?.isEncrypted == isMatch)
        #expect(harness.core.security(of: link)?.keySize == (isMatch ? 7 : 0))
    }

    @Test("A legacy key without EDIV and Rand and a key of zeros are refused (CVE-2019-19194)")
    func zeroKeys() throws {
        let zero = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        let bonds = [
            try Bonded.bond { $0.usesSecureConnections = false },
            try Bonded.bond { $0.localKey = LongTermKey(zero) },
            try Bonded.bond { $0.localKey = nil },
        ]
        for bond in bonds {
            var harness = try Harness.bonded([bond])
            _ = try harness.accept(address)
            harness.controller.requestKey(from: address)
            harness.drive()
            #expect(harness.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        }
        var unbonded = Harness.ready(peers: [Bonded.peer])
        _ = try unbonded.accept(address)
        unbonded.controller.requestKey(from: address)
        unbonded.drive()
        #expect(unbonded.controller.commands.last == .leLongTermKeyRequestNegativeReply)
    }

    @Test("A central uses the key of the peer, and a peripheral uses its own key")
    func directions() throws {
        let other = try #require(HCI.Key128([UInt8](repeating: 5, count: 16)))
        let asCentral = try Bonded.bond { $0.localKey = LongTermKey(other) }
        var central = try Harness.bonded([asCentral])
        #expect(throws: Never.self) { try central.connect(address) }
        let asPeripheral = try Bonded.bond { $0.peerKey = LongTermKey(other) }
        var peripheral = try Harness.bonded([asPeripheral])
        _ = try peripheral.acceptEncrypted(address)
    }

    @Test("The end of encryption and a failed key refresh end the link", arguments: 0..<2)
    func lessThanBefore(_ event: Int) throws {
        var harness = try Harness.bonded()
        let link = try harness.connect(address)
        let handle = try #require(harness.controller.handle(of: address))
        if event == 0 {
            harness.controller.changeEncryption(on: handle, .success, .off)
        } else {
            harness.controller.send(
                .encryptionKeyRefreshComplete(
                    .init(status: .pinOrKeyMissing, connectionHandle: handle)
                )
            )
        }
        harness.drive(atMost: 1)
        #expect(harness.controller.commands.last == .disconnect)
        harness.drive()
        let expected: HostError = event == 0 ? .notEncrypted : .encryptionFailed(.pinOrKeyMissing)
        #expect(harness.ends[link] == [expected])
    }

    @Test("A link that must end is ended even if a disconnection was refused before")
    func refusedEnd() throws {
        var harness = try Harness.bonded()
        let link = try harness.connect(address)
        harness.controller.refusals = [.disconnect: .controllerBusy]
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle, .success, .off)
        harness.drive()
        let request = harness.ask(.disconnect, of: link)
        harness.advance(by: LinkCore.disconnectRest)
        #expect(harness.error(request) == .controller(.controllerBusy))
        harness.controller.refusals = [:]
        harness.advance(by: LinkCore.disconnectRest)
        #expect(harness.ends[link] == [.notEncrypted] && harness.controller.links.isEmpty)
    }

    @Test("A key whose size the controller reports as reduced is not used")
    func shortened() throws {
        var harness = try Harness.bonded()
        harness.controller.endlessCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(address)
        harness.drive()
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.send(
            .encryptionChangeV2(
                .init(status: .success, connectionHandle: handle, encryption: .on, keySize: 7)
            )
        )
        harness.drive()
        #expect(harness.error(pending) == .encryptionFailed(.insufficientSecurity))
        #expect(harness.controller.dataPackets.isEmpty)
    }
}
