// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization

/// A transport that connects a whole host to a `ModelController`.
final class ModelTransport: HCITransport {
    private struct State {
        var controller: ModelController
        var executor: (any HostExecutor)?
        var receive: (@Sendable (TransportEvent) -> Void)?
        var isHeld = false
        var isOver: @Sendable (ModelController) -> Bool = { _ in false }
        var over = OneTimeEvent()
    }

    let name = "model"
    let closed = OneTimeEvent()
    private let state: Mutex<State>

    init(peers: [ModelPeer] = []) {
        state = Mutex(State(controller: ModelController(peers: peers)))
    }

    /// A copy of the controller's current state.
    var controller: ModelController { state.withLock { $0.controller } }

    /// Returns an event that occurs when a packet from the host makes the controller meet
    /// `condition`. From then on, the controller's packets are held until `release`.
    func hold(when condition: @escaping @Sendable (ModelController) -> Bool) -> OneTimeEvent {
        state.withLock { state in
            state.isOver = condition
            state.over = OneTimeEvent()
            return state.over
        }
    }

    /// Performs an action of the controller or a peer.
    func act(_ change: (inout ModelController) -> Void) {
        state.withLock { change(&$0.controller) }
        deliverLater()
    }

    /// Delivers the held packets and all that follow.
    func release() {
        state.withLock { $0.isHeld = false }
        deliverLater()
    }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        state.withLock { state in
            state.executor = executor
            state.receive = receive
        }
    }

    func send(_ packets: [[UInt8]]) {
        let over: OneTimeEvent? = state.withLock { state in
            guard state.receive != nil else { return nil }
            for packet in packets { state.controller.receive(packet) }
            guard state.isOver(state.controller) else { return nil }
            state.isHeld = true
            state.isOver = { _ in false }
            return state.over
        }
        over?.occur()
        deliverLater()
    }

    func close() {
        let (executor, receive) = state.withLock { state in
            defer { state.receive = nil }
            return (state.executor, state.receive)
        }
        guard let receive else { return }
        executor?.perform { receive(.closed(nil)) }
        closed.occur()
    }

    private func deliverLater() {
        state.withLock { $0.executor }?.perform { [self] in
            while let (packet, receive) = next() { receive(.received(packet[...])) }
        }
    }

    private func next() -> ([UInt8], @Sendable (TransportEvent) -> Void)? {
        state.withLock { state in
            guard !state.isHeld, let receive = state.receive,
                let packet = state.controller.nextPacket()
            else { return nil }
            return (packet, receive)
        }
    }
}
