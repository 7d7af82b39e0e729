// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service to be published by a `CBPeripheralManager`. Until then it can be put together; once it
/// is added it is frozen.
open class CBMutableService: CBService {
    /// Makes a service without content.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(published: UUID, isPrimary: isPrimary)
    }

    /// The services it refers to. Each has to be published before this one.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set {
            checkIsOpen()
            setIncludedServices(newValue)
        }
    }

    /// Its characteristics: objects of `CBMutableCharacteristic`.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            checkIsOpen()
            setCharacteristics(newValue)
        }
    }
}
