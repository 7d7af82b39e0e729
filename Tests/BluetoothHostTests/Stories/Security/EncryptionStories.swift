// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Encryption with the keys of a bond")
struct EncryptionStories {
    private let address = Bonded.peer.address

    @Test("A Central encrypts before it sends data, and then reports the link")
    func central() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption]
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.isPending(dial))
        #expect(bench.controller.dataPackets.isEmpty, "something left in clear")
        let link = try bench.onlyLink()
        #expect(bench.core.security(of: link) == LinkSecurity(isBonded: true))
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(try bench.link(of: dial) == link)
        #expect(bench.core.security(of: link) == Bonded.security)
        #expect(bench.core.properties(of: link)?.mtu == 247)
        #expect(bench.count(of: .leEnableEncryption) == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("An MTU exchange of the peer does not delay the connection")
    func peersMTU() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption]
        let dial = bench.dial(address)
        bench.drive()
        bench.controller.sendPDU(.exchangeMTURequest(.init(receiveMTU: 100)), from: address)
        bench.drive()
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: dial) }
    }

    @Test("Different keys end the link, and the connection fails with the reason")
    func differentKeys() throws {
        var bench = try Bench.bonded()
        bench.controller.peers[address]?.key = HCI.Key128([UInt8](repeating: 7, count: 16))
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .failedToConnect(.messageIntegrityFailure))
        #expect(bench.toldOfBonds.isEmpty, "a link lost is no bond lost")
        #expect(bench.core.bonds.count == 1)
    }

    @Test(
        "A controller that refuses or does not support encryption fails the connection",
        arguments: [true, false]
    )
    func refused(_ isListed: Bool) throws {
        var bench = try Bench.bonded()
        bench.controller.refusals[.leEnableEncryption] = .commandDisallowed
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .controller(.commandDisallowed))
        #expect(bench.core.linkList.isEmpty)
        #expect(bench.controller.dataPackets.isEmpty)
    }

    @Test("Encryption that fails for a reason other than the key keeps the bond")
    func failed() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption]
        let dial = bench.dial(address)
        bench.drive()
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle, .unsupportedRemoteFeature, .off)
        bench.drive()
        #expect(bench.error(dial) == .encryptionFailed(.unsupportedRemoteFeature))
        #expect(bench.toldOfBonds.isEmpty)
        #expect(bench.controller.dataPackets.isEmpty)
    }

    @Test("Encryption that never ends fails with the link")
    func endless() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption]
        let dial = bench.dial(address, .init(timeout: .seconds(100)))
        bench.advance(by: .seconds(40))
        #expect(bench.error(dial) == .timedOut)
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("Encryption without a key of the host is not trusted")
    func stranger() throws {
        var bench = Bench.ready(peers: [Bonded.peer])
        let link = try bench.connect(address)
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(bench.core.security(of: link) == LinkSecurity.none, "whose key was that?")
        bench.controller.send(
            .encryptionKeyRefreshComplete(.init(status: .success, connectionHandle: handle))
        )
        bench.drive()
        #expect(bench.core.security(of: link) == LinkSecurity.none)
    }

    @Test("A bonded Central's link counts as encrypted only after a request for the key")
    func unnamed() throws {
        var bench = try Bench.bonded()
        let link = try bench.accept(address)
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(bench.core.security(of: link) == LinkSecurity(isBonded: true))
    }

    @Test(
        "The key is returned only for its diversifier and random number",
        arguments: [(0x1234, 99, true), (0x1234, 98, false), (0x1235, 99, false), (0, 0, false)]
    )
    func keyRequest(_ diversifier: UInt16, _ random: UInt64, _ isNamed: Bool) throws {
        let bond = try Bonded.bond {
            $0.localKey?.diversifier = 0x1234
            $0.localKey?.random = 99
            $0.usesSecureConnections = false
            $0.keySize = 7
        }
        var bench = try Bench.bonded([bond])
        let link = try bench.accept(address)
        bench.controller.requestKey(
            from: address,
            random: random,
            encryptedDiversifier: diversifier
        )
        bench.drive()
        #expect(
            bench.controller.commands.last
                == (isNamed ? .leLongTermKeyRequestReply : .leLongTermKeyRequestNegativeReply)
        )
        #expect(bench.core.security(of: link)?.isEncrypted == isNamed)
        #expect(bench.core.security(of: link)?.keySize == (isNamed ? 7 : 0))
    }

    @Test("A key without a name and a key of zeros are refused (CVE-2019-19194)")
    func zeroKeys() throws {
        let zero = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        let bonds = [
            try Bonded.bond { $0.usesSecureConnections = false },
            try Bonded.bond { $0.localKey = LongTermKey(zero) },
            try Bonded.bond { $0.localKey = nil },
        ]
        for bond in bonds {
            var bench = try Bench.bonded([bond])
            _ = try bench.accept(address)
            bench.controller.requestKey(from: address)
            bench.drive()
            #expect(bench.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        }
        var stranger = Bench.ready(peers: [Bonded.peer])
        _ = try stranger.accept(address)
        stranger.controller.requestKey(from: address)
        stranger.drive()
        #expect(stranger.controller.commands.last == .leLongTermKeyRequestNegativeReply)
    }

    @Test("A Central uses the key of the peer, and a Peripheral its own key")
    func directions() throws {
        let other = try #require(HCI.Key128([UInt8](repeating: 5, count: 16)))
        let asCentral = try Bonded.bond { $0.localKey = LongTermKey(other) }
        var central = try Bench.bonded([asCentral])
        #expect(throws: Never.self) { try central.connect(address) }
        let asPeripheral = try Bonded.bond { $0.peerKey = LongTermKey(other) }
        var peripheral = try Bench.bonded([asPeripheral])
        _ = try peripheral.acceptEncrypted(address)
    }

    @Test("The end of encryption and a failed key refresh end the link", arguments: 0..<2)
    func lessThanBefore(_ event: Int) throws {
        var bench = try Bench.bonded()
        let link = try bench.connect(address)
        let handle = try #require(bench.controller.handle(of: address))
        if event == 0 {
            bench.controller.changeEncryption(on: handle, .success, .off)
        } else {
            bench.controller.send(
                .encryptionKeyRefreshComplete(
                    .init(status: .pinOrKeyMissing, connectionHandle: handle)
                )
            )
        }
        bench.drive(atMost: 1)
        #expect(bench.controller.commands.last == .disconnect)
        bench.drive()
        let expected: HostError = event == 0 ? .notEncrypted : .encryptionFailed(.pinOrKeyMissing)
        #expect(bench.ends[link] == [expected])
    }

    @Test("A link that must end is ended even after a disconnection was refused")
    func refusedEnd() throws {
        var bench = try Bench.bonded()
        let link = try bench.connect(address)
        bench.controller.refusals = [.disconnect: .controllerBusy]
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle, .success, .off)
        bench.drive()
        let request = bench.ask(.disconnect, of: link)
        bench.advance(by: LinkCore.disconnectRest)
        #expect(bench.error(request) == .controller(.controllerBusy))
        bench.controller.refusals = [:]
        bench.advance(by: LinkCore.disconnectRest)
        #expect(bench.ends[link] == [.notEncrypted] && bench.controller.links.isEmpty)
    }

    @Test("A key whose size the controller reports as reduced is not used")
    func shortened() throws {
        var bench = try Bench.bonded()
        bench.controller.endlessCommands = [.leEnableEncryption]
        let dial = bench.dial(address)
        bench.drive()
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.send(
            .encryptionChangeV2(
                .init(status: .success, connectionHandle: handle, encryption: .on, keySize: 7)
            )
        )
        bench.drive()
        #expect(bench.error(dial) == .encryptionFailed(.insufficientSecurity))
        #expect(bench.controller.dataPackets.isEmpty)
    }
}
