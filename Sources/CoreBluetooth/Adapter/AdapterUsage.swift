// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The process's use of one adapter: its settings, which are kept, and its `SharedAdapter`, which
/// is made with the first manager and kept until it is shut down, like the adapter of a phone.
///
/// The adapter is opened and closed outside the lock, because opening it reads files and logs
/// warnings. A caller that needs the adapter meanwhile does not block: its `Waiter` is called
/// later.
final class AdapterUsage: Sendable {
    typealias Waiter = @Sendable (SharedAdapter?) -> Void

    private typealias Caller = CheckedContinuation<Void, Never>

    private enum Phase {
        case unused
        /// A thread is opening the adapter, and then calls these waiters.
        case opening([Waiter])
        case open(SharedAdapter)
        /// The adapter is closing. It is opened again if there are waiters.
        case closing([Waiter], callers: [Caller])
    }

    let switches = LockedState(AdapterSwitches())
    private let phase = Mutex(Phase.unused)

    /// The adapter, if it is open.
    var running: SharedAdapter? {
        phase.withLock { phase in
            if case .open(let adapter) = phase { adapter } else { nil }
        }
    }

    /// Calls `waiter` when the adapter is open: before this method returns, unless another thread
    /// is opening or closing the adapter. The waiter gets `nil` if there is no adapter of that
    /// name.
    func whenOpen(_ adapter: CBAdapter, _ waiter: @escaping Waiter) {
        let (isFirst, open) = phase.withLock { phase -> (Bool, SharedAdapter?) in
            switch phase {
            case .unused:
                phase = .opening([waiter])
                return (true, nil)
            case .opening(let waiters): phase = .opening(waiters + [waiter])
            case .open(let adapter): return (false, adapter)
            case .closing(let waiters, let callers):
                phase = .closing(waiters + [waiter], callers: callers)
            }
            return (false, nil)
        }
        if let open { waiter(open) }
        if isFirst { self.open(adapter) }
    }

    private func open(_ adapter: CBAdapter) {
        let shared = SharedAdapter(adapter, switches: switches)
        let waiters = phase.withLock { phase -> [Waiter] in
            guard case .opening(let waiters) = phase else { return [] }
            phase = shared.map { .open($0) } ?? .unused
            return waiters
        }
        for waiter in waiters { waiter(shared) }
    }

    /// Closes the adapter if it is open. Returns when it is closed, even if another call closes it.
    func shutDown(_ adapter: CBAdapter) async {
        switch phase.withLock({ $0 }) {
        case .unused: return
        case .opening:
            await withCheckedContinuation { opened in
                whenOpen(adapter) { _ in opened.resume() }
            }
            await shutDown(adapter)
        case .open, .closing:
            guard let shared = beginClosing() else { return await untilClosed() }
            await shared.shutDown()
            closed(adapter)
        }
    }

    /// Begins closing. Returns the adapter, which the caller has to close, or `nil` if it is not
    /// open or another call closes it.
    private func beginClosing() -> SharedAdapter? {
        phase.withLock { phase in
            guard case .open(let shared) = phase else { return nil }
            phase = .closing([], callers: [])
            return shared
        }
    }

    private func untilClosed() async {
        await withCheckedContinuation { caller in
            let isClosed = phase.withLock { phase in
                guard case .closing(let waiters, let callers) = phase else { return true }
                phase = .closing(waiters, callers: callers + [caller])
                return false
            }
            if isClosed { caller.resume() }
        }
    }

    private func closed(_ adapter: CBAdapter) {
        let (isAwaited, callers) = phase.withLock { phase -> (Bool, [Caller]) in
            guard case .closing(let waiters, let callers) = phase else { return (false, []) }
            phase = waiters.isEmpty ? .unused : .opening(waiters)
            return (!waiters.isEmpty, callers)
        }
        for caller in callers { caller.resume() }
        if isAwaited { open(adapter) }
    }
}

/// The adapters that are known by name. Each exists once in the process.
private let named = Mutex<[String: AdapterUsage]>([:])

extension CBAdapter {
    /// The process's use of this adapter.
    var usage: AdapterUsage {
        switch source {
        case .made(let adapter): return adapter.usage
        case .named(let name):
            return named.withLock { named in
                let usage = named[name] ?? AdapterUsage()
                named[name] = usage
                return usage
            }
        }
    }
}
