// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BusTestSupport
import HCITransports
import Testing

@testable import DBus

@Suite(.timeLimit(.minutes(1))) struct DBusConnectionTests {
    /// A connection to a bus, with a stream of its events.
    private struct Fixture {
        let bus: FakeBus
        let executor = AdapterExecutor()
        let connection: DBusConnection
        let events: AsyncStream<DBusConnection.Event>

        init(_ program: @escaping FakeBus.Program = { _, _ in }) throws {
            bus = try FakeBus(program)
            let (events, continuation) = AsyncStream<DBusConnection.Event>.makeStream()
            self.events = events
            connection = DBusConnection(to: bus.address, executor: executor) {
                continuation.yield($0)
            }
            let connection = connection
            executor.perform { connection.open() }
        }

        func end() async {
            let (connection, executor) = (connection, executor)
            await withCheckedContinuation { ended in
                executor.perform {
                    connection.close()
                    ended.resume()
                }
            }
            executor.shutDown()
            bus.stop()
        }

        /// Returns whether the next event is that the connection is open.
        func opens(_ iterator: inout AsyncStream<DBusConnection.Event>.Iterator) async -> Bool {
            if case .opened? = await iterator.next() { true } else { false }
        }

        func call(_ member: String, timeout: Duration = .seconds(25)) async throws
            -> DBusConnection
            .Reply
        {
            let call = DBusMessage(
                .call(path: .root, interface: "a.B", member: member),
                destination: "org.bluez"
            )
            let (connection, executor) = (connection, executor)
            return try await withCheckedContinuation { answered in
                executor.perform {
                    connection.call(call, timeout: timeout) { answered.resume(returning: $0) }
                }
            }.get()
        }
    }

    @Test("A reply carries a descriptor that can be used")
    func descriptor() async throws {
        let pair = PacketPair()
        let fixture = try Fixture { call, bus in
            bus.reply(to: call, [.unixFD(0)], descriptors: pair.passed)
        }
        var events = fixture.events.makeAsyncIterator()
        #expect(await fixture.opens(&events))
        let reply = try await fixture.call("Acquire")
        let passed = try #require(reply.descriptor(reply.values.first))
        #expect(passed.number != pair.passed.first?.number)
        let executor = fixture.executor
        let isSent = await withCheckedContinuation { sent in
            executor.perform {
                let socket = PacketSocket(passed, executor: executor, receive: { _ in }, ended: {})
                socket.send([1, 2, 3]) { sent.resume(returning: $0) }
            }
        }
        #expect(isSent)
        #expect(pair.receive() == [1, 2, 3])
        await fixture.end()
    }

    @Test("A call fails when the bus disconnects, and the connection opens again")
    func reconnection() async throws {
        let fixture = try Fixture { call, bus in
            if case .call(_, _, "Disconnect") = call.kind {
                bus.disconnect()
            } else {
                bus.reply(to: call)
            }
        }
        var events = fixture.events.makeAsyncIterator()
        #expect(await fixture.opens(&events))
        await #expect(throws: DBusError.disconnected) { try await fixture.call("Disconnect") }
        guard case .closed(.disconnected)? = await events.next() else {
            Issue.record("the end was not reported")
            return
        }
        #expect(await fixture.opens(&events))
        _ = try await fixture.call("Answer")
        await fixture.end()
    }

    @Test("A call without a reply ends after its timeout")
    func timeout() async throws {
        let fixture = try Fixture()
        var events = fixture.events.makeAsyncIterator()
        #expect(await fixture.opens(&events))
        await #expect(throws: DBusError.timedOut) {
            try await fixture.call("Silence", timeout: .milliseconds(20))
        }
        await fixture.end()
    }

    @Test("After a violation by the bus, the connection closes and its calls end")
    func violation() async throws {
        let fixture = try Fixture { _, bus in bus.send(raw: [UInt8](repeating: 0x42, count: 64)) }
        var events = fixture.events.makeAsyncIterator()
        #expect(await fixture.opens(&events))
        await #expect(throws: DBusError.disconnected) { try await fixture.call("Noise") }
        guard case .closed(.violation)? = await events.next() else {
            Issue.record("the violation was not reported")
            return
        }
        await fixture.end()
    }

    @Test("A bus that does not exist is reported with its path")
    func missingBus() async throws {
        let executor = AdapterExecutor()
        let reason = await withCheckedContinuation { reported in
            executor.perform {
                let connection = DBusConnection(to: .path("/nonexistent/bus"), executor: executor) {
                    if case .closed(let error) = $0 { reported.resume(returning: error) }
                }
                connection.open()
                // The timer retains the connection.
                let timer = executor.makeTimer { connection.close() }
                timer.set(to: executor.now + .seconds(60))
            }
        }
        guard case .unreachable(let text) = reason else {
            Issue.record("\(reason)")
            return
        }
        #expect(text.contains("/nonexistent/bus"))
        executor.shutDown()
    }

    @Test("An empty packet is not the end of a packet socket, and the end is reported")
    func emptyPacket() async throws {
        let pair = PacketPair()
        let executor = AdapterExecutor()
        let (packets, continuation) = AsyncStream<[UInt8]?>.makeStream()
        let passed = try #require(pair.passed.first)
        executor.perform {
            let socket = PacketSocket(
                passed,
                executor: executor,
                receive: { continuation.yield(Array($0)) },
                ended: { continuation.yield(nil) }
            )
            // The timer retains the socket.
            let timer = executor.makeTimer { socket.close() }
            timer.set(to: executor.now + .seconds(60))
        }
        pair.send([])
        pair.send([7])
        var iterator = packets.makeAsyncIterator()
        #expect(await iterator.next() == .some(.some([])))
        #expect(await iterator.next() == .some(.some([7])))
        pair.end()
        #expect(await iterator.next() == .some(.none))
        executor.shutDown()
    }
}
