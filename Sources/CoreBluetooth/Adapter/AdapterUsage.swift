// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What this process does with one adapter: what a person has set, which stays; and the
/// `SharedAdapter`, made with the first manager and kept until it is shut down, as a phone's is.
///
/// An adapter is opened and closed under no lock: files are read, and what is wrong is said to the
/// application's log. Whoever wants it meanwhile is told in time, and waits for nothing.
final class AdapterUsage: Sendable {
    typealias Waiter = @Sendable (SharedAdapter?) -> Void

    private typealias Caller = CheckedContinuation<Void, Never>

    private enum Phase {
        case unused
        /// A thread opens it, and tells these.
        case opening([Waiter])
        case open(SharedAdapter)
        /// It comes to its end, and is opened again for these.
        case closing([Waiter], callers: [Caller])
    }

    let switches = Guarded(AdapterSwitches())
    private let phase = Mutex(Phase.unused)

    /// The adapter, if it is open.
    var running: SharedAdapter? {
        phase.withLock { phase in
            if case .open(let adapter) = phase { adapter } else { nil }
        }
    }

    /// Tells `waiter` when the adapter is open: as a rule at once. With nil if there is none by that
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

    /// Closes the adapter, if it is open; returns when it is closed, whoever began that.
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

    /// The adapter, which the caller is to close; nil if somebody else does.
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

/// The adapters that are known by a name: each is one for the whole process.
private let named = Mutex<[String: AdapterUsage]>([:])

extension CBAdapter {
    /// What the process does with it.
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
