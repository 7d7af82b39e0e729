// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

/// The stream of server events, and its limit.
@Suite("Server events", .timeLimit(.minutes(20)))
struct ServerEventTests {
    private let host = BluetoothHost(transport: ScriptedTransport())
    private let handle = AttributeHandle(9)

    private func link(_ number: UInt64) -> Link {
        let address = DeviceAddress(value: number, kind: .public)
        return Link(host: host, identifier: LinkIdentifier(rawValue: number), address: address)
    }

    private func question(by link: Link) -> ClientEvent {
        .asked(1, .read(link.identifier.client, handle, offset: 0))
    }

    @Test("Without a reader, questions are refused")
    func withoutReader() {
        var router = ServerEventRouter()
        let link = link(1)
        #expect(router.deliver(question(by: link), on: link) == .unlikelyError)
    }

    @Test("A reader first gets the existing links, oldest first")
    func links() async throws {
        var router = ServerEventRouter()
        var port = HostPort()
        for number in 1...3 as ClosedRange<UInt64> {
            port.linkOpened(link(number).identifier, link(number).address, .central)
        }
        #expect(port.linkEnded(link(2).identifier) == link(2).address)
        #expect(port.linkEnded(link(2).identifier) == nil)
        #expect(port.readPeer(of: link(2).identifier) == nil)
        let opened = router.open(with: port.links.map { link($0.identifier.rawValue) })
        let (stream, _) = try #require(opened)
        router.close()
        var seen: [UInt64] = []
        for await case .connected(let link) in stream { seen.append(link.identifier.rawValue) }
        #expect(seen == [1, 3])
    }

    @Test("If a reader falls behind, events of stored values are dropped and requests are refused")
    func behind() async throws {
        var router = ServerEventRouter()
        let link = link(1)
        let opened = router.open(with: [link])
        let (stream, _) = try #require(opened)
        for _ in 1..<BluetoothHost.serverEventLimit {
            #expect(router.deliver(.written([]), on: link) == nil)
        }
        for event in [.written([]), question(by: link)] {
            #expect(router.deliver(event, on: link) == .insufficientResources)
        }
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
        #expect(router.deliver(question(by: link), on: link) == nil)
    }

    @Test(
        "A stream ends if its reader would otherwise miss a subscription or a link",
        arguments: [0, 1, 2]
    )
    func ended(_ kind: Int) async throws {
        var router = ServerEventRouter()
        let link = link(1)
        let opened = router.open(with: [link])
        let (stream, number) = try #require(opened)
        for _ in 1..<BluetoothHost.serverEventLimit {
            _ = router.deliver(.written([]), on: link)
        }
        switch kind {
        case 0: _ = router.deliver(.subscribed(handle, nil), on: link)
        case 1: router.send(.connected(self.link(2)))
        default: router.send(.disconnected(link, .timedOut))
        }
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count == BluetoothHost.serverEventLimit)
        let reopened = router.open(with: [])
        let next = try #require(reopened)
        router.close(number)
        let third = router.open(with: [])
        #expect(third?.number == nil, "The end of the old reader does not end the new reader")
        _ = next
    }

    @Test("Events leave in the order in which they happened, however many wait")
    func order() {
        var queue = ServerEventQueue()
        var (happened, taken) = (0 as UInt64, 0 as UInt64)
        for round in 0..<30 {
            for _ in 0..<(round % 7 + round) {
                queue.append(.readyToNotify(link(happened)))
                happened += 1
            }
            for _ in 0..<min(queue.count, round % 5 + round / 2) {
                guard case .readyToNotify(let link) = queue.takeFirst() else {
                    Issue.record("an event is missing")
                    return
                }
                #expect(link.identifier.rawValue == taken)
                taken += 1
            }
            #expect(queue.count == Int(happened - taken))
        }
    }

    @Test("A canceled task gets the events that have happened, and then nil")
    func canceledReader() async throws {
        var router = ServerEventRouter()
        let opened = router.open(with: [link(1)])
        let (stream, _) = try #require(opened)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        #expect(await reader.value == 1)
    }

    @Test("A waiting reader is woken once for all events of an input")
    func wake() async throws {
        var router = ServerEventRouter()
        let executor = AdapterExecutor()
        let opened = router.open(with: [])
        let (stream, _) = try #require(opened)
        let reader = Task(executorPreference: executor.taskExecutor) {
            var count = 0
            for await _ in stream.prefix(2) { count += 1 }
            return count
        }
        // The reader was enqueued first, so it waits now.
        await withCheckedContinuation { isWaiting in executor.perform { isWaiting.resume() } }
        for _ in 0..<2 { #expect(router.deliver(.written([]), on: link(1)) == nil) }
        router.wakeReader()
        #expect(await reader.value == 2)
        executor.shutDown()
    }

    @Test("Only one reader is allowed at a time, and none after the shutdown")
    func oneReader() async throws {
        let first = try await host.serverEvents()
        await #expect(throws: HostError.busy) { try await host.serverEvents() }
        await host.shutdown()
        var count = 0
        for await _ in first { count += 1 }
        #expect(count == 0)
        await #expect(throws: HostError.closed) { try await host.serverEvents() }
    }
}
