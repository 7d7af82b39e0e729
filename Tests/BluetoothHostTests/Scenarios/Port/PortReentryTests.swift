// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Requests from completions")
struct PortReentryTests {
    private static let read = LinkRequest.gatt(.read(ModelServer.readableHandle))

    private let peer = ModelPeer(1)

    /// Reads repeatedly, each time from the completion of the previous read.
    private static func readOn(
        _ count: Int,
        _ host: BluetoothHost,
        _ link: LinkIdentifier,
        _ journal: PortJournal
    ) {
        guard count > 0 else { return }
        host.assumeIsolated { host in
            let next = { @Sendable [host] in readOn(count - 1, host, link, journal) }
            _ = host.begin(read, on: link, then: journal.noting("read", then: next))
        }
    }

    @Test("Completions are called one after another and are never nested")
    func chain() throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.on { [journal = harness.journal] in Self.readOn(1_000, $0, link, journal) }
        #expect(harness.journal.take() == [String](repeating: "read: [77]", count: 1_000))
        #expect(harness.journal.deepest == 1)
    }

    @Test("Completions are called after `begin` returns, even for immediate results")
    func later() {
        let harness = PortHarness(peers: [peer])
        harness.on { [peer, journal = harness.journal] host in
            _ = host.beginConnecting(to: peer.address, then: journal.noting("connect"))
            _ = host.begin(.readRSSI, on: .init(rawValue: 99), then: journal.noting("read"))
            journal.note("returned")
        }
        let notReady = "connect: \(HostError.adapter(.notStarted))"
        let gone = "read: \(HostError.disconnected(.unknownConnectionIdentifier))"
        let lines = harness.journal.take()
        #expect(lines.first == "returned" && Set(lines.dropFirst()) == [notReady, gone])
    }

    @Test("Completions are called after `begin` returns, even outside of `execute`")
    func laterElsewhere() {
        let harness = PortHarness(peers: [peer])
        harness.executor.perform { [peer, host = harness.host, journal = harness.journal] in
            host.assumeIsolated { host in
                _ = host.beginConnecting(to: peer.address, then: journal.noting("connect"))
            }
            journal.note("returned")
        }
        harness.executor.run()
        let notReady = "connect: \(HostError.adapter(.notStarted))"
        #expect(harness.journal.take() == ["returned", notReady])
    }

    @Test("Requests that an observer makes in events complete after the pending events")
    func fromEvents() {
        let harness = PortHarness.ready(peers: [peer])
        harness.journal.react { [host = harness.host, journal = harness.journal] event in
            host.assumeIsolated { host in
                switch event {
                case .linkOpened(let link, _, _):
                    _ = host.begin(Self.read, on: link, then: journal.noting("read"))
                case .mtuChanged(let link, _):
                    _ = host.begin(.readRSSI, on: link, then: journal.noting("strength"))
                case .notified(let link, _, _):
                    _ = host.begin(.disconnect, on: link, then: journal.noting("bye"))
                default: break
                }
            }
        }
        harness.on { [peer, journal = harness.journal] in
            _ = $0.beginConnecting(to: peer.address, then: journal.noting("connect"))
        }
        let lines = harness.journal.take()
        #expect(
            lines.prefix(3) == ["opened \(peer.address) central", "mtu 247", "connect: link"],
            "Pending events are reported before new events"
        )
        #expect(Set(lines.dropFirst(3).map { $0.prefix(4) }) == ["read", "stre"], "\(lines)")
        harness.act { $0.notify([1], from: peer.address) }
        let end = harness.journal.take()
        #expect(end.map { $0.prefix(4) } == ["noti", "bye:", "disc"], "\(end)")
        #expect(harness.journal.deepest == 1)
        #expect(harness.transport.controller.violations.isEmpty)
    }

    @Test("Publishing is allowed in events")
    func serving() throws {
        let harness = PortHarness.ready(peers: [peer])
        _ = try harness.connect(peer.address)
        harness.journal.react { [host = harness.host] event in
            guard case .notified = event else { return }
            host.assumeIsolated { _ = try? $0.publish(.init(BluetoothUUID(0x1815), [])) }
        }
        harness.act { controller in for _ in 0..<5 { controller.notify([1], from: peer.address) } }
        #expect(harness.journal.take().count == 5)
        let types = try harness.get { $0.attributeTypes }
        #expect(types.values.count { $0 == BluetoothUUID(0x2800) } == 2 + 5)
    }

    @Test("Endless requests from completions do not block other work of the host")
    func endless() {
        let harness = PortHarness()
        let count = Counter()
        harness.host.execute { host in count.begin(on: host) }
        let seen = Mutex(0)
        harness.host.execute { _ in seen.withLock { $0 = count.value } }
        harness.host.execute { _ in count.stop() }
        #expect(harness.executor.run())
        let turn = BluetoothHost.roundsPerDrainLimit
        #expect((1...turn + 1).contains(seen.withLock { $0 }), "\(seen.withLock { $0 })")
    }

    @Test("Requests beyond the limit are refused, and all others complete")
    func limit() throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let limit = HostCore.requestLimit
        harness.on { [journal = harness.journal] host in
            for _ in 0...limit { host.begin(.readRSSI, on: link, then: journal.noting("read")) }
        }
        let lines = harness.journal.take()
        #expect(lines.count == limit + 1)
        #expect(lines.contains("read: \(HostError.tooManyRequests)"))
    }
}

/// A counter that makes a request that fails at once, and makes it again after each failure.
private final class Counter: Sendable {
    private let state = Mutex((count: 0, isStopped: false))

    var value: Int { state.withLock { $0.count } }

    func stop() {
        state.withLock { $0.isStopped = true }
    }

    func begin(on host: BluetoothHost) {
        let isOver = state.withLock { state in
            state.count += 1
            return state.isStopped
        }
        guard !isOver else { return }
        host.assumeIsolated { host in
            let unknownLink = LinkIdentifier(rawValue: 99)
            _ = host.begin(.readRSSI, on: unknownLink) { [host] _ in self.begin(on: host) }
        }
    }
}
