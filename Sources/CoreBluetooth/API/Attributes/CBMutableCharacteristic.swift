// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

/// A characteristic of a service that the app publishes.
///
/// A characteristic that has a value when its service is added is static: the system answers reads,
/// and centrals cannot write it. Without a value it is dynamic, and stays so: the delegate of the
/// peripheral manager gets each request that the permissions allow. If the app changes this object
/// later, centrals see the change only after the service has been added again.
open class CBMutableCharacteristic: CBCharacteristic {
    struct Publication {
        var permissions: CBAttributePermissions
        var subscribedCentrals: [CBCentral] = []
        var isDynamic = false
    }

    let publication: LockedState<Publication>

    /// Creates a characteristic. A `value` makes it static.
    public init(
        type UUID: CBUUID,
        properties: CBCharacteristicProperties,
        value: Data?,
        permissions: CBAttributePermissions
    ) {
        publication = LockedState(Publication(permissions: permissions))
        super.init(published: UUID, properties: properties, value: value)
    }

    /// The requests for the value that centrals may make.
    open var permissions: CBAttributePermissions {
        get { publication.read(\.permissions) }
        set {
            noteChange()
            publication.change { $0.permissions = newValue }
        }
    }

    /// The centrals that subscribed to notifications or indications; `nil` if there are none. The
    /// array changes on the manager's queue, just before the delegate is called. If the app removes
    /// the service, the array becomes `nil`, and the delegate is not called.
    open var subscribedCentrals: [CBCentral]? {
        let centrals = publication.read(\.subscribedCentrals)
        return centrals.isEmpty ? nil : centrals
    }

    /// The ways in which the value can be used.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set {
            noteChange()
            snapshot.change { $0.properties = newValue }
        }
    }

    /// The value of a static characteristic. The system does not use the value of a dynamic
    /// characteristic: the app may set it at any time.
    open override var value: Data? {
        get { super.value }
        set {
            if !isDynamic { noteChange() }
            setValue(newValue)
        }
    }

    /// The descriptors. An app can publish the Characteristic User Description (2901) and the
    /// Characteristic Presentation Format (2904). The system adds the Client Characteristic
    /// Configuration (2902) if the properties need it.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            noteChange()
            setDescriptors(newValue)
        }
    }

    /// The text that Apple's logs show for a published characteristic.
    open override var description: String {
        summary(
            [
                "UUID": uuid.description,
                "Value": value?.summary ?? "(null)",
                "Properties": "0x" + String(properties.rawValue, radix: 16, uppercase: true),
                "Permissions": "0x" + String(permissions.rawValue, radix: 16, uppercase: true),
                "Descriptors": descriptors?.summary ?? "(null)",
                "SubscribedCentrals": (subscribedCentrals ?? []).summary,
            ],
            afterAddress: " "
        )
    }
}

extension CBMutableCharacteristic {
    func setSubscribedCentrals(_ centrals: [CBCentral]) {
        publication.change { $0.subscribedCentrals = centrals }
    }
}
