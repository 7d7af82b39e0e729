// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A remote device: a `CBPeripheral` or a `CBCentral`.
///
/// Managers make these objects, and apps do not.
open class CBPeer: NSObject, NSCopying {
    private let identity: UUID

    init(identity: UUID) {
        self.identity = identity
    }

    /// The identifier by which this host knows the device. It is the same at every launch,
    /// different on every host, and does not reveal the device's address.
    open var identifier: UUID { identity }

    /// Returns the object itself: a manager has one object for each device.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
