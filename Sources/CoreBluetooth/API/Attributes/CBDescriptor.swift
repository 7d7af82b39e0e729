// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Foundation

/// A descriptor: an attribute that says more about the value of a characteristic.
open class CBDescriptor: CBAttribute {
    struct State {
        weak var characteristic: CBCharacteristic?
        var value: Any?
        var isInvalidated = false
    }

    /// The descriptor in the peripheral's table; nil for one that is published here.
    let origin: GATT.Descriptor?

    let mirror: Guarded<State>

    /// A descriptor that a discovery has found on `characteristic`.
    init(_ origin: GATT.Descriptor, of characteristic: CBCharacteristic?) {
        self.origin = origin
        mirror = Guarded(State(characteristic: characteristic))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// A descriptor of this device.
    init(published identity: CBUUID, value: Any?) {
        origin = nil
        mirror = Guarded(State(value: value))
        super.init(identity: identity)
    }

    /// The characteristic it belongs to; nil once that is gone.
    open var characteristic: CBCharacteristic? { mirror.read(\.characteristic) }

    /// The value as last read; nil before the first time. Which type it has depends on the
    /// descriptor: an NSNumber for 2900, 2902 and 2903, a String for 2901, Data for all others.
    open var value: Any? { mirror.read(\.value) }

    /// The form in which Apple's logs show a descriptor.
    open override var description: String {
        summary(["UUID": uuid.description, "value": value.map { "\($0)" } ?? "(null)"])
    }
}

extension CBDescriptor {
    /// Whether its service was declared stale: commands for it are refused.
    var isInvalidated: Bool { mirror.read(\.isInvalidated) }

    /// Sets what was read, in the type that the descriptor's UUID asks for.
    func setValue(octets: Data) {
        let value = DescriptorValue.value(of: uuid.value, octets: octets)
        mirror.change { $0.value = value }
    }

    func setCharacteristic(_ characteristic: CBCharacteristic?) {
        mirror.change { $0.characteristic = characteristic }
    }

    /// Makes the descriptor stale.
    func invalidate() {
        mirror.change { $0.isInvalidated = true }
    }
}
