// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Foundation

/// A characteristic: a value, what can be done with it, and descriptors that say more about it.
///
/// A discovery makes it. Its value is what was last read or received; nil before the first time.
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

    /// The characteristic in the peripheral's table; nil for one that is published here.
    let origin: GATT.Characteristic?

    let mirror: Guarded<State>

    /// A characteristic that a discovery has found in `service`.
    init(_ origin: GATT.Characteristic, of service: CBService?) {
        self.origin = origin
        let properties = CBCharacteristicProperties(rawValue: UInt(origin.properties.rawValue))
        mirror = Guarded(State(service: service, properties: properties))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// A characteristic of this device.
    init(published identity: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
        origin = nil
        mirror = Guarded(State(properties: properties, value: value))
        super.init(identity: identity)
    }

    /// The service it belongs to; nil once that is gone.
    open var service: CBService? { mirror.read(\.service) }

    /// What can be done with the value. The peer may still refuse: permissions are not declared.
    open var properties: CBCharacteristicProperties { mirror.read(\.properties) }

    /// The value as last read or received. Set before the delegate is told; an error leaves it.
    open var value: Data? { mirror.read(\.value) }

    /// The descriptors, as far as they were discovered; nil before the first discovery.
    open var descriptors: [CBDescriptor]? { mirror.read(\.descriptors) }

    /// Whether the value is broadcast. Apple's framework no longer broadcasts, and neither does
    /// this one: false.
    @available(*, deprecated, message: "values are not broadcast")
    open var isBroadcasted: Bool { false }

    /// Whether values come unasked. Set before the delegate is told; a disconnection ends it.
    open var isNotifying: Bool { mirror.read(\.isNotifying) }

    /// The form in which Apple's logs show a characteristic.
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
    /// Whether its service was declared stale: commands for it are refused.
    var isInvalidated: Bool { mirror.read(\.isInvalidated) }

    /// Sets what was read or received.
    func setValue(_ value: Data?) {
        mirror.change { $0.value = value }
    }

    /// Sets whether values come unasked.
    func setNotifying(_ isNotifying: Bool) {
        mirror.change { $0.isNotifying = isNotifying }
    }

    /// Sets what a discovery has found so far, and makes this the characteristic of each.
    func setDescriptors(_ descriptors: [CBDescriptor]?) {
        descriptors?.forEach { $0.setCharacteristic(self) }
        mirror.change { $0.descriptors = descriptors }
    }

    func setService(_ service: CBService?) {
        mirror.change { $0.service = service }
    }

    /// Makes the characteristic stale, with its descriptors.
    func invalidate() {
        mirror.change { $0.isInvalidated = true }
        descriptors?.forEach { $0.invalidate() }
    }
}
