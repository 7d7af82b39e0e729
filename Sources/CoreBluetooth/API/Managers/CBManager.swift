// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation

/// What central and peripheral managers have in common: the state of Bluetooth.
///
/// Never made by itself.
open class CBManager: NSObject {
    /// The adapter that the manager uses; nil if there is none.
    let adapter: SharedAdapter?
    /// The name of the manager at its adapter.
    let session = SessionIdentifier.next()
    let options: ManagerOptions
    private let guardedState = Guarded(CBManagerState.unknown)

    init(_ options: ManagerOptions) {
        self.options = options
        adapter = options.adapter.flatMap(AdapterRegistry.shared)
        super.init()
    }

    /// The state of Bluetooth, as the manager's delegate was told last: `unknown` until then. May be read
    /// on any thread.
    open var state: CBManagerState { guardedState.current }

    /// Whether the program may use Bluetooth: on Linux `allowedAlways`, unless `CBAdapter.authorization`
    /// of the default adapter was set. Can be read before there is a manager.
    open class var authorization: CBManagerAuthorization {
        CBAdapter.default?.authorization ?? .allowedAlways
    }

    /// The same of this manager's own adapter.
    @available(*, deprecated, message: "use the type property")
    open var authorization: CBManagerAuthorization {
        options.adapter?.authorization ?? .allowedAlways
    }

    func setState(_ state: CBManagerState) {
        guardedState.change { $0 = state }
    }

    /// Whether a command may be carried out; says so if not.
    func isReadyForCommands() -> Bool {
        guard state != .poweredOn else { return true }
        Misuse.report(
            "\(Misuse.name(self)) can only accept this command while in the powered on state"
        )
        return false
    }
}
