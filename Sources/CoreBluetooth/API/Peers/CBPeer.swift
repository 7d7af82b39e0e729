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

    /// The identifier by which this host knows the device. It does not reveal the device's address,
    /// and is different on every host. It is the same at every launch if the adapter has a store
    /// and the device keeps its address or has a bond.
    open var identifier: UUID { identity }

    /// Returns the object itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
