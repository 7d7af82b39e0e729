// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation

/// What central and peripheral managers have in common: the state of Bluetooth.
///
/// Never made by itself.
open class CBManager: NSObject {
    /// The manager's hold of its adapter.
    let seat = AdapterSeat()
    /// The name of the manager at its adapter.
    let session = SessionIdentifier.next()
    let options: ManagerOptions
    private let mirror: Guarded<Mirror>
    /// Held while a command shows and goes to the adapter, so that both see commands in one order.
    private let commandOrder = Guarded(())

    private struct Mirror {
        var state = CBManagerState.unknown
        /// How many states the manager was told.
        var statesHeard = 0
        var followsBackgroundRules: Bool
    }

    init(_ options: ManagerOptions) {
        self.options = options
        mirror = Guarded(Mirror(followsBackgroundRules: options.hasBackgroundRules))
        super.init()
    }

    /// The adapter that the manager uses; nil if there is none, or another one has to come to its end
    /// before: then the state is `unknown`, and no command is carried out.
    var adapter: SharedAdapter? { seat.adapter }

    /// The state of Bluetooth, as the manager's delegate was told last: `unknown` until then. May be read
    /// on any thread. Key-value observing does not exist on Linux: the delegate is told of changes.
    open var state: CBManagerState { mirror.read { $0.state } }

    /// Whether the program may use Bluetooth: on Linux `allowedAlways`, unless `CBAdapter.authorization`
    /// of the default adapter was set. Can be read before there is a manager, and asks nobody.
    open class var authorization: CBManagerAuthorization {
        CBAdapter.default?.authorization ?? .allowedAlways
    }

    /// The same of this manager's own adapter.
    @available(*, deprecated, message: "use the type property")
    open var authorization: CBManagerAuthorization {
        options.adapter?.authorization ?? .allowedAlways
    }

    /// Whether the manager is treated as that of an application in the background
    /// (`CBManagerOptionBackgroundRulesKey`): a scan for everything finds nothing, and every peripheral
    /// is reported once whatever the options say; what is advertised has no name, and its services are
    /// in the overflow area. When this is changed a scan goes on by the other rules; advertising
    /// does so when it is started the next time.
    ///
    /// Not part of Apple's framework, where the system decides; for trying out how an application gets
    /// on. Off by default.
    public var followsBackgroundRules: Bool {
        get { mirror.read { $0.followsBackgroundRules } }
        set {
            commandOrder.change { _ in
                mirror.change { $0.followsBackgroundRules = newValue }
                backgroundRulesChanged(to: newValue)
            }
        }
    }

    /// Has the adapter treat the manager by other rules from now on.
    func backgroundRulesChanged(to areFollowed: Bool) {}

    /// The manager is told a state, and shows what comes of it, as one step: a command is given before
    /// both, or after both.
    ///
    /// - Parameter show: must not call out.
    func setState<Value>(_ state: CBManagerState, showing show: () -> Value = {}) -> Value {
        commandOrder.change { _ in
            mirror.change { mirror in
                mirror.state = state
                mirror.statesHeard += 1
            }
            return show()
        }
    }

    /// Whether a command may be carried out; says so if not.
    func isReadyForCommands() -> Bool {
        guard state != .poweredOn else { return true }
        Misuse.report(
            "\(Misuse.name(self)) can only accept this command while in the powered on state"
        )
        return false
    }

    /// Gives a command that needs Bluetooth: changes what the application sees at once, and sends the
    /// rest to the adapter, as one step. Nothing is shown if the state has changed since the caller
    /// looked at it, and nothing is carried out if the adapter's has, which the manager will hear.
    ///
    /// - Parameter show: whether there is something left for the adapter to do; must not call out.
    func command(
        showing show: () -> Bool,
        _ carryOut: @escaping @Sendable (isolated SharedAdapter, SessionIdentifier) -> Void
    ) {
        commandOrder.change { _ in
            let (state, statesHeard) = mirror.read { ($0.state, $0.statesHeard) }
            guard state == .poweredOn, show() else { return }
            adapter?.enter { [session] adapter in
                guard adapter.accepts(commandOf: session, after: statesHeard) else { return }
                carryOut(adapter, session)
            }
        }
    }

    /// Gives a command that is to be answered in any case: makes what the application sees at once, and
    /// sends it to the adapter with the number of states heard by then, as one step.
    ///
    /// - Parameter make: must not call out.
    func command<Made: Sendable>(
        making make: () -> Made,
        _ carryOut: @escaping @Sendable (isolated SharedAdapter, Made, _ statesHeard: Int) -> Void
    ) {
        commandOrder.change { _ in
            let statesHeard = mirror.read(\.statesHeard)
            let made = make()
            adapter?.enter { carryOut($0, made, statesHeard) }
        }
    }
}
