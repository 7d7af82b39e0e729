// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

@Suite("Encryption on the air")
struct EncryptionOnAirTests {
    /// Two linked hosts. The central can start encryption several times.
    private struct Pair {
        let harness: LinkHarness
        let link: LinkID
        let handles: [ConnectionHandle]

        init(loss: Double = 0, seed: UInt64 = 1) throws {
            harness = try LinkHarness(seed: seed)
            for host in harness.hosts {
                host.command(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max >> 1)))
            }
            link = try harness.connect(0, 1, .milliseconds(7.5, timeout: .seconds(20)))
            harness.world.run(for: .milliseconds(500))
            harness.lose(loss)
            handles = [try harness.handle(link, .central), try harness.handle(link, .peripheral)]
        }

        func encrypt(_ value: UInt8) throws {
            harness.hosts[0].command(
                HCI.LEEnableEncryption(
                    connectionHandle: handles[0],
                    random: 0,
                    encryptedDiversifier: 0,
                    longTermKey: try key(value)
                )
            )
            let before = harness.hosts[1].keyRequestCount
            harness.world.run(
                until: { harness.hosts[1].keyRequestCount > before },
                bound: .seconds(10)
            )
        }

        func giveKey(_ value: UInt8) throws {
            harness.hosts[1].command(
                HCI.LELongTermKeyRequestReply(
                    connectionHandle: handles[1],
                    longTermKey: try key(value)
                )
            )
        }

        func disconnect(_ side: LinkSide) {
            let number = side == .central ? 0 : 1
            harness.hosts[number].command(
                HCI.Disconnect(connectionHandle: handles[number], reason: .remoteDevicePowerOff)
            )
        }

        private func key(_ value: UInt8) throws -> HCI.Key128 {
            try #require(HCI.Key128([UInt8](repeating: value, count: 16)))
        }
    }

    @Test(
        "Data arrives across two key changes at a packet loss of one fifth",
        arguments: RunSeed.seeds(50)
    )
    func lossy(seed: UInt64) throws {
        let pair = try Pair(loss: 0.2, seed: seed)
        let sent = (0..<60).map { [UInt8]($0..<($0 + 40)) }
        for value in UInt8(1)...3 {
            for (host, handle) in zip(pair.harness.hosts, pair.handles) {
                host.send(sent, on: handle)
            }
            pair.harness.world.run(for: .milliseconds(Int64(seed % 50)))
            try pair.encrypt(value)
            pair.harness.world.run(for: .milliseconds(Int64(seed * 7 % 60)))
            try pair.giveKey(value)
            pair.harness.world.run(for: .seconds(1))
        }
        pair.harness.world.run(for: .seconds(10))
        let bytes = [[UInt8]](repeating: sent.flatMap { $0 }, count: 3).flatMap { $0 }
        for (host, handle) in zip(pair.harness.hosts, pair.handles) {
            #expect(host.bytes(handle) == bytes)
            #expect(host.disconnection == nil)
            #expect(host.encryptionCount == 3)
        }
    }

    @Test(
        "A disconnection while encryption starts or restarts is reported with its reason",
        arguments: LinkSide.allCases,
        [1, 2]
    )
    func termination(side: LinkSide, start: Int) throws {
        for step in 0..<80 {
            let pair = try Pair()
            for value in 1...UInt8(start) {
                try pair.encrypt(value)
                guard value < start else { break }
                try pair.giveKey(value)
                pair.harness.world.run(for: .milliseconds(100))
            }
            try pair.giveKey(UInt8(start))
            pair.harness.world.run(for: .microseconds(Int64(step) * 250))
            pair.disconnect(side)
            expectTermination(pair, side, "\(step)")
        }
    }

    @Test(
        "A disconnection while the key changes is reported with its reason",
        arguments: LinkSide.allCases
    )
    func terminationInPause(side: LinkSide) throws {
        for step in 0..<120 {
            let pair = try Pair()
            try pair.encrypt(1)
            try pair.giveKey(1)
            pair.harness.world.run(for: .milliseconds(100))
            pair.harness.hosts[0].command(
                HCI.LEEnableEncryption(
                    connectionHandle: pair.handles[0],
                    random: 0,
                    encryptedDiversifier: 0,
                    longTermKey: try #require(HCI.Key128([UInt8](repeating: 2, count: 16)))
                )
            )
            pair.harness.world.run(for: .microseconds(Int64(step) * 250))
            pair.disconnect(side)
            expectTermination(pair, side, "\(step)")
        }
    }

    private func expectTermination(_ pair: Pair, _ side: LinkSide, _ comment: Comment) {
        pair.harness.world.run(for: .seconds(1))
        let (own, peer) = side == .central ? (0, 1) : (1, 0)
        let hosts = pair.harness.hosts
        #expect(hosts[own].disconnection?.reason == .connectionTerminatedByLocalHost, comment)
        #expect(hosts[peer].disconnection?.reason == .remoteDevicePowerOff, comment)
    }
}

extension StreamingHost {
    /// The number of times that the controller has asked for a Long Term Key.
    fileprivate var keyRequestCount: Int {
        events.count { if case .longTermKeyRequest = $0.event { true } else { false } }
    }

    /// The number of times that the link was encrypted, for the first time or with another key.
    fileprivate var encryptionCount: Int {
        events.count { entry in
            switch entry.event {
            case .encryptionChange(let event): event.status == .success
            case .encryptionKeyRefreshComplete(let event): event.status == .success
            default: false
            }
        }
    }
}
