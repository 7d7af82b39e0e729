// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetoothEnumerations
import Foundation

/// The base class of central and peripheral managers, with the state of Bluetooth.
///
/// Apps do not make objects of this class.
open class CBManager: NSObject {
    /// The manager's connection to its adapter.
    let connection = AdapterConnection()
    /// The manager's identifier at its adapter.
    let session = SessionIdentifier.next()
    let options: ManagerOptions
    let observers = KeyValueObservers()
    private let snapshot: LockedState<Snapshot>
    /// The lock that is held while a command changes the snapshot and enters the adapter, so that
    /// the snapshot and the adapter get commands in the same order.
    private let commandOrder = LockedState(())

    private struct Snapshot {
        var state = CBManagerState.unknown
        /// The number of states that the manager received.
        var statesReceived = 0
        var followsBackgroundRules: Bool
    }

    init(_ options: ManagerOptions) {
        self.options = options
        snapshot = LockedState(Snapshot(followsBackgroundRules: options.hasBackgroundRules))
        super.init()
    }

    /// The adapter of the manager; `nil` if there is none, and before it is open. Commands are then
    /// ignored.
    var adapter: SharedAdapter? { connection.adapter }

    /// The state of Bluetooth. It changes on the manager's queue, just before the delegate is
    /// called, and is `unknown` before the first call. Can be read on any thread, and observed with
    /// `observe(_:options:changeHandler:)`.
    open var state: CBManagerState { snapshot.read { $0.state } }

    /// The permission of the app to use Bluetooth. On Linux it is `allowedAlways`, unless
    /// `CBAdapter.authorization` of the default adapter was set. Can be read before a manager is
    /// made. Reading it shows no alert.
    open class var authorization: CBManagerAuthorization {
        CBAdapter.default?.authorization ?? .allowedAlways
    }

    /// The permission of the app to use Bluetooth with this manager's adapter.
    @available(*, deprecated, message: "use the type property")
    open var authorization: CBManagerAuthorization {
        options.adapter?.authorization ?? .allowedAlways
    }

    /// Whether the manager follows the rules for apps in the background.
    ///
    /// The rules are those of `CBManagerOptionBackgroundRulesKey`. A change applies to a running
    /// scan at once, and to advertising when it is started the next time.
    ///
    /// Not part of Apple's framework, where the system decides which apps are in the background.
    /// Use it in tests of an app. The default is the value of that option, or `false` without the
    /// option.
    public var followsBackgroundRules: Bool {
        get { snapshot.read { $0.followsBackgroundRules } }
        set {
            commandOrder.change { _ in
                snapshot.change { $0.followsBackgroundRules = newValue }
                backgroundRulesChanged(to: newValue)
            }
        }
    }

    /// Passes changed background rules to the adapter. Overridden by `CBCentralManager`.
    func backgroundRulesChanged(to areFollowed: Bool) {}

    /// Sets the state, and changes the visible state that depends on it, as one step: no command
    /// runs between the two.
    ///
    /// - Parameter show: Changes the visible state. Must not call the app.
    func setState<Value>(_ state: CBManagerState, showing show: () -> Value = {}) -> Value {
        commandOrder.change { _ in
            snapshot.change { snapshot in
                snapshot.state = state
                snapshot.statesReceived += 1
            }
            return show()
        }
    }

    /// Returns whether commands are possible. Logs the misuse if not.
    func isReadyForCommands() -> Bool {
        guard state != .poweredOn else { return true }
        Misuse.report(
            "\(Misuse.name(self)) can only accept this command while in the powered on state"
        )
        return false
    }

    /// Carries out a command that needs Bluetooth. As one step, changes the visible state and sends
    /// the command to the adapter.
    ///
    /// Does nothing if the manager's state is not `poweredOn`. The adapter ignores the command if
    /// its own state has changed. An event then reports the new state to the manager.
    ///
    /// - Parameters:
    ///   - show: Changes the visible state. Returns whether the adapter has to carry out the
    ///     command. Must not call the app.
    ///   - carryOut: Runs on the adapter's thread.
    func command(
        showing show: () -> Bool,
        _ carryOut: @escaping @Sendable (isolated SharedAdapter, SessionIdentifier) -> Void
    ) {
        commandOrder.change { _ in
            let (state, statesReceived) = snapshot.read { ($0.state, $0.statesReceived) }
            guard state == .poweredOn, show() else { return }
            adapter?.execute { [session] adapter in
                guard adapter.accepts(commandOf: session, after: statesReceived) else { return }
                carryOut(adapter, session)
            }
        }
    }

    /// Carries out a command in any state. As one step, makes a value and sends the command with
    /// this value to the adapter.
    ///
    /// - Parameters:
    ///   - make: Makes the value, and may change the visible state. Must not call the app.
    ///   - carryOut: Runs on the adapter's thread, with the number of states that the manager had
    ///     received.
    func command<Made: Sendable>(
        making make: () -> Made,
        _ carryOut:
            @escaping @Sendable (isolated SharedAdapter, Made, _ statesReceived: Int) -> Void
    ) {
        commandOrder.change { _ in
            let statesReceived = snapshot.read(\.statesReceived)
            let made = make()
            adapter?.execute { carryOut($0, made, statesReceived) }
        }
    }
}

extension CBManagerState {
    /// Creates the state that apps see, which has the same number.
    init(_ state: ManagerState) {
        self = Self(rawValue: state.rawValue) ?? .unknown
    }
}
