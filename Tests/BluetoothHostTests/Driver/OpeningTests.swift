// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization
import Testing

@testable import BluetoothHost

/// Events of a transport before `open` returns.
@Suite("Opening a transport", .timeLimit(.minutes(20)))
struct OpeningTests {
    @Test("A transport that closes before `open` returns is opened again afterward")
    func closedEarly() async {
        let (gate, reopened) = (OneTimeEvent(), OneTimeEvent())
        let transport = ScriptedTransport { attempt, transport in
            guard attempt == 1 else { return reopened.occur() }
            transport.deliver(.closed(.closedByPeer("scripted")))
            await gate.wait()
        }
        let host = BluetoothHost(transport: transport)
        let start = Task { try await host.start() }
        var states = host.states.makeAsyncIterator()
        while await states.next() != .unavailable(.transport(Self.ending)) {}
        // The deadline to reopen has passed, and the first attempt has not returned.
        while await states.next() != .starting {}
        gate.occur()
        await reopened.wait()
        #expect(transport.sentWhileClosed == 0)
        await #expect(throws: HostError.self) { try await start.value }
        await host.shutdown()
    }

    @Test("A transport is opened once after an attempt that closed early and then failed")
    func closedEarlyAndFailed() {
        let gate = OneTimeEvent()
        let transport = ScriptedTransport { attempt, transport throws(TransportError) in
            guard attempt == 1 else { return }
            transport.deliver(.closed(.closedByPeer("scripted")))
            await gate.wait()
            throw .closedByPeer("scripted")
        }
        let executor = StepExecutor()
        let host = BluetoothHost(transport: transport, executor: executor)
        host.execute { $0.openOnce() }
        #expect(executor.run())
        // The deadline to reopen passes, and the first attempt has not returned.
        executor.advance(by: ReopenSchedule.firstDelay)
        #expect(transport.openCount == 1)
        gate.occur()
        #expect(executor.run())
        #expect(transport.openCount == 2)
        executor.advance(by: .seconds(1))
        #expect(transport.openCount == 2)
    }

    private static let ending = TransportError.closedByPeer("scripted").description

    @Test("A packet that starts before `open` returns is reassembled")
    func splitAcrossOpening() {
        let gate = OneTimeEvent()
        let transport = ScriptedTransport { attempt, transport in
            guard attempt == 1 else { return }
            transport.deliver(.received([0x04, 0x10]))
            await gate.wait()
        }
        // The clock of the executor does not advance, so that no command of the host times out.
        let executor = StepExecutor()
        let host = BluetoothHost(transport: transport, executor: executor)
        let states = Mutex<[AdapterState]>([])
        let observer = StateObserver { state in states.withLock { $0.append(state) } }
        host.execute { host in
            host.attach(observer)
            host.beginStart()
        }
        #expect(executor.run())
        gate.occur()
        #expect(executor.run())
        // The rest of a Hardware Error event (Vol 4, Part E, 7.7.16).
        transport.deliver(.received([0x01, 0x42]))
        #expect(executor.run())
        #expect(states.withLock(\.self).contains(.unavailable(.hardwareError(0x42))))
        withExtendedLifetime(observer) {}
    }

    @Test("A transport that announces its return is opened at once")
    func announced() {
        let transport = ScriptedTransport { attempt, _ throws(TransportError) in
            if attempt == 1 { throw .adapterRemoved("scripted") }
        }
        // The clock of the executor does not advance, so that only the announcement can reopen the
        // transport.
        let executor = StepExecutor()
        var host: BluetoothHost? = BluetoothHost(transport: transport, executor: executor)
        host?.execute { $0.openOnce() }
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

    @Test("A host that was shut down no longer watches its transport") func watchEnds() async {
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

/// An observer that reports the states of the adapter.
private final class StateObserver: HostObserver {
    private let report: @Sendable (AdapterState) -> Void

    init(report: @escaping @Sendable (AdapterState) -> Void) {
        self.report = report
    }

    func hostDid(_ event: HostEvent) {
        if case .stateChanged(let state) = event { report(state) }
    }
}
