// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A characteristic of a service to be published. Until its service is added it can be changed.
///
/// With a value it is static: the system answers all reads, and nothing may write it. Without one
/// it is dynamic: the delegate of the peripheral manager is asked each time.
open class CBMutableCharacteristic: CBCharacteristic {
    struct Publication {
        var permissions: CBAttributePermissions
        var subscribedCentrals: [CBCentral] = []
    }

    let publication: Guarded<Publication>

    /// Makes a characteristic; a `value` makes it static.
    public init(
        type UUID: CBUUID,
        properties: CBCharacteristicProperties,
        value: Data?,
        permissions: CBAttributePermissions
    ) {
        publication = Guarded(Publication(permissions: permissions))
        super.init(published: UUID, properties: properties, value: value)
    }

    /// What centrals may do with the value.
    open var permissions: CBAttributePermissions {
        get { publication.read(\.permissions) }
        set {
            checkIsOpen()
            publication.change { $0.permissions = newValue }
        }
    }

    /// The centrals that have asked for notifications or indications. Kept up to date on the
    /// manager's queue, just before its delegate is told; nil when there are none.
    open var subscribedCentrals: [CBCentral]? {
        let centrals = publication.read(\.subscribedCentrals)
        return centrals.isEmpty ? nil : centrals
    }

    /// What can be done with the value.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set {
            checkIsOpen()
            mirror.change { $0.properties = newValue }
        }
    }

    /// The value of a static characteristic; nil for a dynamic one.
    open override var value: Data? {
        get { super.value }
        set {
            checkIsOpen()
            setValue(newValue)
        }
    }

    /// The descriptors: 2901 and 2904 may be published, all others the system adds itself.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            checkIsOpen()
            setDescriptors(newValue)
        }
    }
}

extension CBMutableCharacteristic {
    /// Sets who is subscribed.
    func setSubscribedCentrals(_ centrals: [CBCentral]) {
        publication.change { $0.subscribedCentrals = centrals }
    }
}
