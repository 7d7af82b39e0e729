// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing

@testable import BluetoothHost

/// What a transport says while it is still being opened.
@Suite("Opening", .timeLimit(.minutes(1)))
struct OpeningTests {
    @Test("a transport that ends before open has returned is opened again when it has")
    func closedEarly() async {
        let (gate, reopened) = (Occurrence(), Occurrence())
        let transport = ScriptedTransport { attempt, transport in
            guard attempt == 1 else { return reopened.occur() }
            transport.tell(.closed(.closedByPeer("scripted")))
            await gate.wait()
        }
        let host = BluetoothHost(transport: transport)
        let start = Task { try await host.start() }
        var states = host.states.makeAsyncIterator()
        while await states.next() != .unavailable(.transport(Self.ending)) {}
        // The time has come to open it again, and the first attempt has not returned.
        while await states.next() != .starting {}
        gate.occur()
        await reopened.wait()
        #expect(transport.sentWhileClosed == 0)
        await #expect(throws: HostError.self) { try await start.value }
        await host.shutdown()
    }

    private static let ending = TransportError.closedByPeer("scripted").description

    @Test("a packet that begins before open has returned is put together")
    func splitAcrossOpening() async {
        let (told, gate) = (Occurrence(), Occurrence())
        let transport = ScriptedTransport { attempt, transport in
            guard attempt == 1 else { return }
            transport.tell(.received([0x04, 0x10]))
            told.occur()
            await gate.wait()
        }
        let host = BluetoothHost(transport: transport)
        let start = Task { try await host.start() }
        await told.wait()
        _ = await host.state
        gate.occur()
        // The rest of a Hardware Error event (Vol 4, Part E, 7.7.16).
        transport.tell(.received([0x01, 0x42]))
        await #expect(throws: HostError.adapter(.hardwareError(0x42))) { try await start.value }
        await host.shutdown()
    }

    @Test("a transport that is told to be back is opened at once")
    func announced() {
        let transport = ScriptedTransport { attempt, _ throws(TransportError) in
            if attempt == 1 { throw .adapterRemoved("scripted") }
        }
        // Its time stands still: nothing but the announcement can have it opened again.
        let executor = StepExecutor()
        var host: BluetoothHost? = BluetoothHost(transport: transport, executor: executor)
        host?.enter { $0.openOnce() }
        #expect(executor.run())
        #expect(transport.openCount == 1)
        transport.announceReturn()
        #expect(executor.run())
        #expect(transport.openCount == 2)
        transport.announceReturn()
        #expect(executor.run())
        #expect(transport.openCount == 2 && transport.watchEnds == 0)
        host = nil
        #expect(executor.run())
        #expect(transport.watchEnds == 1)
    }

    @Test("a host that is shut down watches no longer") func watchEnds() async {
        let transport = ScriptedTransport { _, _ throws(TransportError) in
            throw .adapterRemoved("scripted")
        }
        let host = BluetoothHost(transport: transport)
        await #expect(throws: HostError.self) { try await host.start() }
        #expect(transport.watchEnds == 0)
        await host.shutdown()
        #expect(transport.watchEnds == 1)
        transport.announceReturn()
        #expect(transport.watchEnds == 1)
    }
}
