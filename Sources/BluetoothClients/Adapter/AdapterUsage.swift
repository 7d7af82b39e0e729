// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import HCITransports

/// The process's use of one adapter: its settings, and its `SharedAdapter`. The `SharedAdapter` is
/// made with the first manager, and kept until it is shut down.
///
/// The adapter is opened and closed outside the lock, because opening it reads files and logs
/// warnings. A caller that needs the adapter meanwhile does not block: its `Waiter` is called
/// later.
package final class AdapterUsage: Sendable {
    typealias Waiter = @Sendable (SharedAdapter?) -> Void
    /// A function that makes the port each time that the adapter is opened. It returns `nil` if
    /// there is no such adapter.
    package typealias Opener = @Sendable (AdapterUsage) -> OpenedPort?

    private typealias Caller = CheckedContinuation<Void, Never>

    private enum Phase {
        case unused
        /// A thread is opening the adapter, and then calls these waiters.
        case opening([Waiter])
        case open(SharedAdapter)
        /// The adapter is closing. It is opened again if there are waiters.
        case closing([Waiter], callers: [Caller])
    }

    /// The adapter's name.
    package let name: String
    private let opener: Opener
    /// The device name until the application sets one.
    private let defaultName: @Sendable () -> String
    package let switches = LockedState(AdapterSwitches())
    private let phase = Lock(Phase.unused)

    /// Creates the use of an adapter.
    ///
    /// - Parameters:
    ///   - name: The adapter's name.
    ///   - defaultName: Returns the device name until the application sets one.
    ///   - opener: Makes the port.
    package init(
        _ name: String,
        defaultName: @escaping @Sendable () -> String,
        opener: @escaping Opener
    ) {
        self.name = name
        self.defaultName = defaultName
        self.opener = opener
    }

    /// The adapter, if it is open.
    package var running: SharedAdapter? {
        phase.withLock { phase in
            if case .open(let adapter) = phase { adapter } else { nil }
        }
    }

    /// Calls `waiter` when the adapter is open: before this method returns, unless another thread
    /// is opening or closing the adapter. The waiter gets `nil` if there is no such adapter.
    func whenOpen(_ waiter: @escaping Waiter) {
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
        if isFirst { self.open() }
    }

    private func open() {
        let shared = opener(self).map { SharedAdapter($0, switches: switches) }
        let waiters = phase.withLock { phase -> [Waiter] in
            guard case .opening(let waiters) = phase else { return [] }
            phase = shared.map { .open($0) } ?? .unused
            return waiters
        }
        for waiter in waiters { waiter(shared) }
    }

    /// Closes the adapter if it is open. Returns when it is closed, even if another call closes it.
    package func shutDown() async {
        switch phase.withLock({ $0 }) {
        case .unused: return
        case .opening:
            await withCheckedContinuation { opened in
                whenOpen { _ in opened.resume() }
            }
            await shutDown()
        case .open, .closing:
            guard let shared = beginClosing() else { return await untilClosed() }
            await shared.shutDown()
            closed()
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

    private func closed() {
        let (isAwaited, callers) = phase.withLock { phase -> (Bool, [Caller]) in
            guard case .closing(let waiters, let callers) = phase else { return (false, []) }
            phase = waiters.isEmpty ? .unused : .opening(waiters)
            return (!waiters.isEmpty, callers)
        }
        for caller in callers { caller.resume() }
        if isAwaited { open() }
    }
}

// Settings.
extension AdapterUsage {
    /// Changes the settings. Then updates the managers' state, which depends on some of them.
    package func change(_ body: (inout AdapterSwitches) -> Void) {
        switches.change(body)
        running?.execute { $0.switchesChanged() }
    }

    /// The device's name, which connected peers read. An empty name restores the default.
    package var deviceName: String {
        get { switches.current.name ?? defaultName() }
        set {
            let name = DefaultDeviceName.fitting(newValue)
            switches.change { $0.name = name }
            let shown = deviceName
            running?.execute { $0.port.setDeviceName(shown) }
        }
    }

    /// Whether all clients follow the rules for applications in the background.
    package var followsBackgroundRules: Bool {
        get { switches.current.followsBackgroundRules }
        set {
            switches.change { $0.followsBackgroundRules = newValue }
            running?.execute { $0.backgroundRulesChanged() }
        }
    }

    /// Deletes all bonds, and ends the links with bonded peers. Does nothing while the adapter is
    /// not open.
    package func removeBonds() {
        running?.execute { $0.removeBonds() }
    }
}

extension AdapterUsage: Hashable {
    package static func == (left: AdapterUsage, right: AdapterUsage) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
