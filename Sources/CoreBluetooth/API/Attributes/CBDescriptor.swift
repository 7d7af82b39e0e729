// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// A descriptor: an attribute that describes the value of a characteristic.
open class CBDescriptor: CBAttribute {
    struct State {
        weak var characteristic: CBCharacteristic?
        var value: Any?
        var isInvalidated = false
    }

    /// The descriptor in the peripheral's database; `nil` for a descriptor of this device.
    let origin: GATT.Descriptor?

    let snapshot: LockedState<State>

    /// Creates a descriptor that was discovered on `characteristic`.
    init(_ origin: GATT.Descriptor, of characteristic: CBCharacteristic?) {
        self.origin = origin
        snapshot = LockedState(State(characteristic: characteristic))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// Creates a descriptor of this device.
    init(published identity: CBUUID, value: Any?) {
        origin = nil
        snapshot = LockedState(State(value: value))
        super.init(identity: identity)
    }

    /// The characteristic that has the descriptor; `nil` once the characteristic was released.
    open var characteristic: CBCharacteristic? { snapshot.read(\.characteristic) }

    /// The value that was read last, or that this device publishes; `nil` before the first reading.
    /// Its type depends on the UUID: an `NSNumber` for 2900, 2902 and 2903, a `String` for 2901,
    /// and `Data` for all others.
    open var value: Any? { snapshot.read(\.value) }

    /// The text that Apple's logs show for a descriptor.
    open override var description: String {
        summary(["UUID": uuid.description, "value": value.map { "\($0)" } ?? "(null)"])
    }
}

extension CBDescriptor {
    /// Whether the descriptor was invalidated. Commands for it are ignored and logged.
    var isInvalidated: Bool { snapshot.read(\.isInvalidated) }

    /// Sets the value that was read, as the type that the descriptor's UUID requires.
    func setValue(bytes: Data) {
        let value = DescriptorValue.value(of: uuid.value, bytes: bytes)
        snapshot.change { $0.value = value }
    }

    func setCharacteristic(_ characteristic: CBCharacteristic?) {
        snapshot.change { $0.characteristic = characteristic }
    }

    func invalidate() {
        snapshot.change { $0.isInvalidated = true }
    }
}
