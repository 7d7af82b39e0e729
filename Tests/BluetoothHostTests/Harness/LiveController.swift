// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports
import Synchronization
import Testing

@testable import BluetoothHost

/// A model controller at the other end of a real transport, for whole hosts on a real executor.
///
/// Tests read and change the model with `update`, and await its state with `wait(until:)`.
final class LiveController: Sendable {
    private struct Waiter {
        let condition: @Sendable (ModelController) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var model: ModelController
        var deframer = H4Deframer()
        var waiters: [Waiter] = []
        var isAbsent = false
        var openCount = 0
    }

    private let state: Mutex<State>
    private let end: InProcessTransport
    private let executor: any HostExecutor
    /// An event that occurs when the host has closed the transport.
    let hostLeft = OneTimeEvent()
    /// The transport that the host opens.
    let transport: any HCITransport

    init(_ profile: ModelProfile, peers: [ModelPeer], executor: any HostExecutor) {
        state = Mutex(State(model: ModelController(profile, peers: peers)))
        self.executor = executor
        let (hostEnd, end) = InProcessTransport.pair()
        self.end = end
        let hostSide = HostSideTransport(inner: hostEnd)
        transport = hostSide
        hostSide.owner.withLock { $0 = self }
    }

    /// Releases the host's end, which retains this controller.
    func dismantle() {
        (transport as? HostSideTransport)?.owner.withLock { $0 = nil }
        end.close()
    }

    /// Whether the controller is absent when the host opens the transport.
    var isAbsent: Bool {
        get { state.withLock { $0.isAbsent } }
        set { state.withLock { $0.isAbsent = newValue } }
    }

    /// The number of times that the host has opened the transport.
    var openCount: Int { state.withLock { $0.openCount } }

    /// Reads or changes the model, and sends its packets.
    @discardableResult
    func update<Value: Sendable>(_ body: (inout ModelController) -> Value) -> Value {
        let (value, satisfied) = state.withLock { state in
            let value = body(&state.model)
            // The packets are sent under the lock, so that they keep their order.
            while let packet = state.model.nextPacket() { end.send([packet]) }
            let ready = state.waiters.filter { $0.condition(state.model) }
            state.waiters.removeAll { $0.condition(state.model) }
            return (value, ready)
        }
        for waiter in satisfied { waiter.continuation.resume() }
        return value
    }

    /// Waits until the model meets the condition.
    func wait(until condition: @escaping @Sendable (ModelController) -> Bool) async {
        await withCheckedContinuation { continuation in
            state.withLock {
                $0.waiters.append(Waiter(condition: condition, continuation: continuation))
            }
            update { _ in }
        }
    }

    /// Closes the transport from the controller's side.
    func closeTransport() {
        end.close()
    }

    fileprivate func hostOpens() async throws(TransportError) {
        let isAbsent = state.withLock { state in
            state.openCount += 1
            return state.isAbsent
        }
        if isAbsent { throw .refused("model") }
        state.withLock { state in
            state.model.forget()
            state.deframer.reset()
        }
        do throws(TransportError) {
            try await end.open(on: executor) { [weak self] event in self?.receive(event) }
        } catch .alreadyOpen {}
    }

    private func receive(_ event: TransportEvent) {
        guard case .received(let bytes) = event else { return hostLeft.occur() }
        let packets = state.withLock { state in
            state.deframer.append(bytes)
            var packets: [[UInt8]] = []
            while let packet = try? state.deframer.nextRaw() { packets.append(Array(packet)) }
            return packets
        }
        for packet in packets { update { $0.receive(packet) } }
    }
}

/// The transport of the host. Opening it makes the controller open its own end, if the controller
/// is present.
private final class HostSideTransport: HCITransport {
    let inner: InProcessTransport
    let owner = Mutex<LiveController?>(nil)
    var name: String { "model" }

    init(inner: InProcessTransport) {
        self.inner = inner
    }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await owner.withLock { $0 }?.hostOpens()
        try await inner.open(on: executor, receive: receive)
    }

    func send(_ packets: [[UInt8]]) { inner.send(packets) }

    func close() { inner.close() }
}

/// Runs `body` with a host that is ready, and expects that the host violates no rule.
func withLiveHost(
    _ profile: ModelProfile = .rich,
    peers: [ModelPeer] = [],
    configure: (inout HostConfiguration) -> Void = { _ in },
    _ body: @Sendable (BluetoothHost, LiveController) async throws -> Void
) async throws {
    var configuration = HostConfiguration()
    configure(&configuration)
    let executor = AdapterExecutor()
    let controller = LiveController(profile, peers: peers, executor: executor)
    let host = BluetoothHost(
        transport: controller.transport,
        configuration: configuration,
        executor: executor
    )
    try await host.start()
    do {
        try await body(host, controller)
        await host.shutdown()
    } catch {
        await host.shutdown()
        throw error
    }
    controller.dismantle()
    executor.shutDown()
    #expect(controller.update { $0.violations }.isEmpty)
}
