// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Dispatch
import HCITransports

/// The state that the two streams of a channel share: the buffers, the waiting threads, and the
/// access to the port.
///
/// All methods can be called on any thread. After a change of the buffers, threads that wait in
/// `read` or `write` continue, and the triggers of streams with events fire. If there are actions
/// for the port, the pipe performs them on the port's executor (`ChannelEngine`).
package final class ChannelPipe: Sendable {
    private struct State {
        var buffers: ChannelBuffers
        /// The threads that wait in `read` or `write`, with one entry for each.
        var waiting: [DispatchSemaphore] = []
        var inputTriggers: [any StreamTrigger] = []
        var outputTriggers: [any StreamTrigger] = []
        /// Whether the port's executor will perform the actions, or performs them now.
        var isPerforming = false
    }

    private let state: Lock<State>
    package let engine: any ChannelEngine

    package init(limits: ChannelLimits, engine: any ChannelEngine) {
        state = Lock(State(buffers: ChannelBuffers(limits: limits)))
        self.engine = engine
    }

    /// Starts receiving, and lets the port report the channel's end.
    package func start() {
        engine.execute { [weak self] channel in
            channel.awaitEnd { [weak self] end in self?.change { $0.ended(end) } }
        }
        change { _ in }
    }

    /// Marks the channel as released by the application.
    package func release() {
        change { $0.release() }
    }

    /// Returns the result of `body` for the buffers.
    package func look<Value: Sendable>(_ body: (borrowing ChannelBuffers) -> Value) -> Value {
        state.withLock { body($0.buffers) }
    }

    /// Changes the buffers. Then wakes waiting threads, fires triggers, and performs actions on
    /// the port's executor, as the change requires.
    @discardableResult
    package func change<Value: Sendable>(_ body: (inout ChannelBuffers) -> Value) -> Value {
        let (value, consequences) = state.withLock { state in
            let value = body(&state.buffers)
            return (value, Self.consequences(in: &state))
        }
        settle(consequences)
        return value
    }

    /// Calls `body` until it returns a value. Blocks after each `nil` until the buffers change.
    package func changeWaiting<Value: Sendable>(
        _ body: (inout ChannelBuffers) -> Value?
    ) -> Value {
        let awakening = DispatchSemaphore(value: 0)
        while true {
            let (value, consequences) = state.withLock { state in
                let value = body(&state.buffers)
                let consequences = Self.consequences(in: &state)
                if value == nil { state.waiting.append(awakening) }
                return (value, consequences)
            }
            settle(consequences)
            if let value { return value }
            awakening.wait()
        }
    }
}

// MARK: - Run loops and queues

extension ChannelPipe {
    /// Adds a trigger, which fires whenever the stream has an event for its delegate. It fires at
    /// once if the stream has an event now.
    package func addTrigger(_ trigger: any StreamTrigger, for side: ChannelBuffers.Side) {
        state.withLock { state in
            switch side {
            case .input: state.inputTriggers.append(trigger)
            case .output: state.outputTriggers.append(trigger)
            }
        }
        change { _ in }
    }

    package func takeDown(_ trigger: any StreamTrigger, for side: ChannelBuffers.Side) {
        state.withLock { state in
            switch side {
            case .input: state.inputTriggers.removeAll { $0 === trigger }
            case .output: state.outputTriggers.removeAll { $0 === trigger }
            }
        }
    }
}

// MARK: - Consequences of a change

extension ChannelPipe {
    private struct Consequences {
        var awakened: [DispatchSemaphore] = []
        var triggers: [any StreamTrigger] = []
        var isActionDue = false
    }

    private static func consequences(in state: inout State) -> Consequences {
        var consequences = Consequences()
        swap(&consequences.awakened, &state.waiting)
        if state.buffers.dueEvent(of: .input) != nil {
            consequences.triggers += state.inputTriggers
        }
        if state.buffers.dueEvent(of: .output) != nil {
            consequences.triggers += state.outputTriggers
        }
        consequences.isActionDue = !state.isPerforming && state.buffers.isActionDue
        if consequences.isActionDue { state.isPerforming = true }
        return consequences
    }

    private func settle(_ consequences: Consequences) {
        for semaphore in consequences.awakened { semaphore.signal() }
        for trigger in consequences.triggers { trigger.fire() }
        // The closure retains the pipe: written bytes are sent even if the application has released
        // the streams.
        if consequences.isActionDue { engine.execute { self.performActions($0) } }
    }

    /// Performs all actions, including those that arise meanwhile.
    private func performActions(_ channel: any ChannelOperations) {
        while let action = nextAction() { perform(action, channel) }
    }

    private func nextAction() -> ChannelBuffers.Action? {
        state.withLock { state in
            let action = state.buffers.nextAction()
            if action == nil { state.isPerforming = false }
            return action
        }
    }

    private func perform(_ action: ChannelBuffers.Action, _ channel: any ChannelOperations) {
        switch action {
        case .receive: channel.receive { self.received($0) }
        case .send(let sdu): channel.send(sdu) { self.sent($0) }
        case .close: channel.close()
        }
    }

    private func received(_ result: Result<[UInt8]?, ChannelEnd>) {
        change { buffers in
            switch result {
            case .success(let sdu?): buffers.received(sdu)
            case .success(nil): buffers.receivingEnded(.closedByPeer)
            case .failure(let end): buffers.receivingEnded(end)
            }
        }
    }

    private func sent(_ result: Result<Void, ChannelEnd>) {
        change { buffers in
            switch result {
            case .success: buffers.sent()
            case .failure(let end): buffers.ended(end)
            }
        }
    }
}

/// A trigger that calls a stream's delegate on the run loop or queue that the application chose.
package protocol StreamTrigger: AnyObject, Sendable {
    /// Requests a call. Can be called on any thread.
    func fire()
}
