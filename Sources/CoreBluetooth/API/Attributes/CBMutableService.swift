// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service that the app publishes with a `CBPeripheralManager`. Adding it publishes a copy. If
/// the app changes this object later, centrals see the change only after the service has been added
/// again.
open class CBMutableService: CBService {
    /// Creates a service without characteristics.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(published: UUID, isPrimary: isPrimary)
    }

    /// The services that this service includes. They must be published before it.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set {
            noteChange()
            setIncludedServices(newValue)
        }
    }

    /// The characteristics of the service, of class `CBMutableCharacteristic`.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            noteChange()
            setCharacteristics(newValue)
        }
    }

    /// The text that Apple's logs show for a published service.
    open override var description: String {
        summary(
            [
                "Primary": isPrimary.summary,
                "UUID": uuid.description,
                "Included Services": includedServices?.summary ?? "(null)",
                "Characteristics": characteristics?.summary ?? "(null)",
            ],
            afterAddress: " "
        )
    }
}
