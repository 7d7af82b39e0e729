// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// A characteristic of a service: a value, the ways in which it can be used, and descriptors.
///
/// The discovery of characteristics creates objects of this class.
open class CBCharacteristic: CBAttribute {
    struct State {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
        var isNotifying = false
        var isInvalidated = false
        var isPublished = false
    }

    /// The characteristic in the peripheral's database; `nil` for a characteristic of this device.
    let origin: GATT.Characteristic?

    let snapshot: LockedState<State>

    /// Creates a characteristic that was discovered in `service`.
    init(_ origin: GATT.Characteristic, of service: CBService?) {
        self.origin = origin
        let properties = CBCharacteristicProperties(rawValue: UInt(origin.properties.rawValue))
        snapshot = LockedState(State(service: service, properties: properties))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// Creates a characteristic of this device.
    init(published identity: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
        origin = nil
        snapshot = LockedState(State(properties: properties, value: value))
        super.init(identity: identity)
    }

    /// The service that contains the characteristic; `nil` after the service is released, and for a
    /// characteristic of this device that is not yet part of a service.
    open var service: CBService? { snapshot.read(\.service) }

    /// The ways in which the value can be used. The peer may still refuse a request, because
    /// permissions are not part of the declaration.
    open var properties: CBCharacteristicProperties { snapshot.read(\.properties) }

    /// The value that was read or received last; `nil` before the first one. It changes just before
    /// the delegate is called. An error leaves it unchanged.
    open var value: Data? { snapshot.read(\.value) }

    /// The descriptors that were discovered; `nil` before the first discovery.
    open var descriptors: [CBDescriptor]? { snapshot.read(\.descriptors) }

    /// Whether the value is broadcast. Always `false`: neither Apple's framework nor this one
    /// broadcasts values.
    @available(*, deprecated, message: "values are not broadcast")
    open var isBroadcasted: Bool { false }

    /// Whether notifications or indications are enabled. The value changes just before the delegate
    /// is called. A disconnection disables them.
    open var isNotifying: Bool { snapshot.read(\.isNotifying) }

    /// The text that Apple's logs show for a characteristic.
    open override var description: String {
        let digits = String(properties.rawValue, radix: 16, uppercase: true)
        return summary([
            "UUID": uuid.description,
            "properties": "0x\(digits)",
            "value": value?.summary ?? "(null)",
            "notifying": isNotifying.summary,
        ])
    }
}

extension CBCharacteristic {
    /// Whether the characteristic was invalidated. Commands for it are ignored and logged.
    var isInvalidated: Bool { snapshot.read(\.isInvalidated) }

    /// Sets the value that was read or received.
    func setValue(_ value: Data?) {
        snapshot.change { $0.value = value }
    }

    /// Sets whether notifications or indications are enabled.
    func setNotifying(_ isNotifying: Bool) {
        snapshot.change { $0.isNotifying = isNotifying }
    }

    /// Sets the descriptors that were discovered so far, and the `characteristic` of each
    /// descriptor.
    func setDescriptors(_ descriptors: [CBDescriptor]?) {
        descriptors?.forEach { $0.setCharacteristic(self) }
        snapshot.change { $0.descriptors = descriptors }
    }

    func setService(_ service: CBService?) {
        snapshot.change { $0.service = service }
    }

    /// Marks the characteristic and its descriptors as invalid, and ends its notifications.
    func invalidate() {
        snapshot.change { ($0.isInvalidated, $0.isNotifying) = (true, false) }
        descriptors?.forEach { $0.invalidate() }
    }
}
