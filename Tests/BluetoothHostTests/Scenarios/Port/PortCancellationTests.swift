// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Cancellation with the port")
struct PortCancellationTests {
    private static let read = LinkRequest.gatt(.read(ModelServer.readableHandle))
    private static let scan = ScanRequest(
        filter: ScanFilter(),
        parameters: ScanParameters(),
        reportsDuplicates: true
    )

    private let peer = ModelPeer(1)

    @Test("A request that is canceled early or late leaves no link", arguments: [false, true])
    func connectionRequests(_ isLate: Bool) {
        let harness = PortHarness.ready(peers: [peer])
        let id = Mutex<RequestIdentifier?>(nil)
        let cancel = { @Sendable (host: isolated BluetoothHost) in
            if let id = id.withLock({ $0 }) { host.cancelConnectionRequest(id) }
        }
        if isLate {
            harness.journal.react { [host = harness.host] event in
                guard case .linkOpened = event else { return }
                host.assumeIsolated { cancel($0) }
            }
        }
        harness.on { [peer, journal = harness.journal] host in
            let begun = host.beginConnecting(to: peer.address, then: journal.noting("connect"))
            id.withLock { $0 = begun }
            if !isLate { cancel(host) }
        }
        let lines = harness.journal.take()
        #expect(lines.filter { $0.hasPrefix("connect") } == ["connect: canceled"], "\(lines)")
        #expect(isLate == (lines.last?.hasPrefix("disconnected") == true), "\(lines)")
        #expect(harness.transport.controller.links.isEmpty)
        #expect(harness.transport.controller.violations.isEmpty)
    }

    @Test("A canceled scan completes and finds no further peers")
    func scans() throws {
        let harness = PortHarness.ready(peers: [peer])
        let id = try harness.get { [journal = harness.journal] in
            $0.beginScan(Self.scan, then: journal.noting("scan"))
        }
        harness.act { $0.advertise() }
        #expect(harness.journal.take().first == "advertised \(peer.address)")
        harness.on { $0.endScan(id) }
        #expect(harness.journal.take() == ["scan: done"])
        harness.act { $0.advertise() }
        harness.on { $0.endScan(id) }
        #expect(harness.journal.take().isEmpty)
    }

    @Test("Canceling a set ends it")
    func sets() throws {
        let harness = PortHarness.ready()
        let id = try harness.get { [journal = harness.journal] in
            $0.beginAdvertising(AdvertisingTests.lamp, then: journal.noting("lamp"))
        }
        #expect(harness.journal.take() == ["lamp: advertising"])
        harness.on { $0.endAdvertising(id) }
        #expect(harness.journal.take() == ["set stopped"])
        harness.on { [journal = harness.journal] host in
            let id = host.beginAdvertising(AdvertisingTests.lamp, then: journal.noting("lamp"))
            host.endAdvertising(id)
        }
        let lines = harness.journal.take()
        #expect(lines.count == 2 && lines.contains("set stopped"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("lamp: ") })
    }

    @Test("A second accept fails while one is pending, and is possible after its cancellation")
    func accepting() throws {
        let harness = PortHarness.ready()
        let key = try #require(try harness.get { try? $0.openListener(psm: .init(rawValue: 0x80)) })
        harness.on { [journal = harness.journal] host in
            let id = host.beginAccept(key, then: journal.noting("first"))
            host.beginAccept(key, then: journal.noting("second"))
            host.cancel(id) { core, _ in core.cancelAccepting(key, id) }
            host.beginAccept(key, then: journal.noting("third"))
            host.closeListener(key)
        }
        #expect(
            Set(harness.journal.take()) == [
                "first: canceled", "second: \(HostError.busy)", "third: 0 channels",
            ]
        )
    }

    @Test("Every request completes once when the host shuts down", arguments: RunSeed.seeds(30))
    func shutdown(seed: UInt64) throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.act { $0.peers[peer.address]?.isSilent = true }
        let names = Mutex<[String]>([])
        var generator = SplitMix64(seed: seed)
        let requests = (0..<60).map { _ in generator.next() % 8 }
        harness.on { [journal = harness.journal] host in
            for (number, request) in requests.enumerated() {
                let name = "\(number)"
                names.withLock { $0.append(name) }
                Self.begin(request, number, host, link, journal.noting(name))
            }
        }
        if seed.isMultiple(of: 2) { harness.executor.advance(by: .seconds(Int64(seed % 31))) }
        harness.on { host in
            host.core.shutDown(now: host.executor.now)
            host.settle()
        }
        harness.executor.advance(by: .seconds(2))
        harness.on { [journal = harness.journal] host in
            names.withLock { $0.append("late") }
            Self.begin(3, 99, host, link, journal.noting("late"))
        }
        let finished = harness.journal.take().compactMap {
            $0.split(separator: ":").first.map(String.init)
        }
        .filter { $0 == "late" || Int($0) != nil }
        #expect(finished.sorted() == names.withLock { $0.sorted() })
    }

    private static func begin(
        _ request: UInt64,
        _ number: Int,
        _ host: isolated BluetoothHost,
        _ link: LinkIdentifier,
        _ completion: @escaping BluetoothHost.Completion
    ) {
        switch request {
        case 0: host.begin(read, on: link, then: completion)
        case 1: _ = host.beginScan(scan, then: completion)
        case 2:
            let address = DeviceAddress(value: 0xC100_0000_0000 + UInt64(number), kind: .random)
            _ = host.beginConnecting(to: address, options: .whenAvailable, then: completion)
        case 3: _ = host.beginAdvertising(AdvertisingTests.lamp, then: completion)
        case 4: host.begin(.database, on: link, then: completion)
        case 5: host.begin(.pair(.init()), on: link, then: completion)
        case 6:
            let open = ChannelRequest.open(.init(rawValue: 0x80), .credit, count: 1, .init())
            host.begin(open, on: link, then: completion)
        default:
            guard let key = try? host.openListener() else {
                return completion(.failure(HostError.closed))
            }
            host.beginAccept(key, then: completion)
        }
    }

    @Test("Every request completes when the host is released")
    func released() {
        let journal = PortJournal()
        let executor = StepExecutor()
        do {
            let host = BluetoothHost(transport: ModelTransport(), executor: executor)
            host.execute { _ = $0.beginScan(Self.scan, then: journal.noting("scan")) }
            executor.run()
        }
        executor.run()
        #expect(journal.take() == ["scan: \(HostError.closed)"])
    }
}
