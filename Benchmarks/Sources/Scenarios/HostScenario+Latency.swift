// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Dispatch
import Synchronization

// The latency of single values up to the user of the host: the reference for the layers above.
extension HostScenario {
    /// Returns the times from a packet's arrival until the call of the host's observer, on the
    /// host's own thread.
    public func observerLatencies(count: Int) async throws -> [Duration] {
        let sent = Instants()
        let observer = Watch(sent)
        _ = try await subscribe()
        await host.attach(observer)
        for _ in 0..<count {
            await controller.send([Self.packet], notingIn: sent)
            await observer.arrived.signalled()
        }
        return observer.times.withLock { $0 }
    }

    /// Returns the times from a packet's arrival until a task on another thread receives its value
    /// from the stream.
    public func streamLatencies(count: Int) async throws -> [Duration] {
        let sent = Instants()
        var values = try await subscribe().makeAsyncIterator()
        var times: [Duration] = []
        for _ in 0..<count {
            async let send: Void = controller.send([Self.packet], notingIn: sent)
            _ = try await values.next()
            times.append(sent.last.duration(to: .now))
            await send
        }
        return times
    }

    private static let packet = ScriptedServer.notification(of: [UInt8](repeating: 0x5A, count: 20))
}

/// An observer that records when the host reports a value.
private final class Watch: HostObserver {
    let arrived = DispatchSemaphore(value: 0)
    let times = Mutex<[Duration]>([])
    private let sent: Instants

    init(_ sent: Instants) { self.sent = sent }

    func hostDid(_ event: HostEvent) {
        guard case .notified = event else { return }
        let duration = sent.last.duration(to: .now)
        times.withLock { $0.append(duration) }
        arrived.signal()
    }
}
