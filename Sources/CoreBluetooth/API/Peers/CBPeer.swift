// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another device: a `CBPeripheral` or a `CBCentral`.
///
/// Objects of this class come from a manager; an application makes none.
open class CBPeer: NSObject, NSCopying {
    private let identity: UUID

    init(identity: UUID) {
        self.identity = identity
    }

    /// What this host knows the device by. It is the same at every launch, differs from host to
    /// host, and never tells the device's address.
    open var identifier: UUID { identity }

    /// The object itself: there is one for each device.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
