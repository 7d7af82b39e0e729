// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What both managers have in common: their state, and whether Bluetooth may be used.
open class CBManager: NSObject {
    init(options: [String: Any]?) {
        super.init()
    }

    /// What the manager can do at the moment.
    open var state: CBManagerState { .unknown }

    /// Whether the application may use Bluetooth. Can be asked before there is a manager.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// Whether the application may use Bluetooth.
    @available(*, deprecated, message: "use the type property")
    open var authorization: CBManagerAuthorization { Self.authorization }
}
