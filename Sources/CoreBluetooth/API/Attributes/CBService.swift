// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// A service: a group of characteristics that together provide a function.
///
/// The discovery of services creates objects of this class. The contents of a service are `nil`
/// until they are discovered. A service becomes invalid when the peripheral disconnects, unless the
/// system reconnects. It also becomes invalid when the peripheral reports that the service changed,
/// or when a discovery finds that the service changed or is gone. The app then has to discover it
/// again.
open class CBService: CBAttribute {
    struct State {
        weak var peripheral: CBPeripheral?
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
        var isInvalidated = false
        var isPublished = false
    }

    /// The service in the peripheral's database; `nil` for a service of this device.
    let origin: GATT.Service?

    private let primary: Bool
    let snapshot: LockedState<State>

    /// Creates a service that was discovered on `peripheral`.
    init(_ origin: GATT.Service, of peripheral: CBPeripheral?) {
        self.origin = origin
        primary = origin.isPrimary
        snapshot = LockedState(State(peripheral: peripheral))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// Creates a service of this device.
    init(published identity: CBUUID, isPrimary: Bool) {
        origin = nil
        primary = isPrimary
        snapshot = LockedState(State())
        super.init(identity: identity)
    }

    /// The peripheral that has the service; `nil` once it was released, and for a service of this
    /// device.
    open var peripheral: CBPeripheral? { snapshot.read(\.peripheral) }

    /// Whether the service is primary. A secondary service is used only through a service that
    /// includes it.
    open var isPrimary: Bool { primary }

    /// The included services that were discovered; `nil` before the first discovery.
    open var includedServices: [CBService]? { snapshot.read(\.includedServices) }

    /// The characteristics that were discovered; `nil` before the first discovery.
    open var characteristics: [CBCharacteristic]? { snapshot.read(\.characteristics) }

    /// The text that Apple's logs show for a service.
    open override var description: String {
        summary(["isPrimary": isPrimary.summary, "UUID": uuid.description])
    }
}

extension CBService {
    /// Whether the service was invalidated. Commands for it are ignored and logged.
    var isInvalidated: Bool { snapshot.read(\.isInvalidated) }

    /// Sets the included services that were discovered so far.
    func setIncludedServices(_ services: [CBService]?) {
        snapshot.change { $0.includedServices = services }
    }

    /// Sets the characteristics that were discovered so far, and the `service` of each
    /// characteristic.
    func setCharacteristics(_ characteristics: [CBCharacteristic]?) {
        characteristics?.forEach { $0.setService(self) }
        snapshot.change { $0.characteristics = characteristics }
    }

    /// Marks the service, its characteristics and their descriptors as invalid.
    func invalidate() {
        snapshot.change { $0.isInvalidated = true }
        characteristics?.forEach { $0.invalidate() }
    }
}
