// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Foundation

/// A service: characteristics that belong together.
///
/// A discovery makes it, on behalf of the peripheral that holds it. What it contains is nil until a
/// discovery has been asked for that. After a disconnection, and after the peripheral has said that
/// it changed, it is stale: discover anew.
open class CBService: CBAttribute {
    struct State {
        weak var peripheral: CBPeripheral?
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
        var isInvalidated = false
        var isPublished = false
    }

    /// The service in the peripheral's table; nil for one that is published here.
    let origin: GATT.Service?

    private let primary: Bool
    let mirror: Guarded<State>

    /// A service that a discovery has found on `peripheral`.
    init(_ origin: GATT.Service, of peripheral: CBPeripheral?) {
        self.origin = origin
        primary = origin.isPrimary
        mirror = Guarded(State(peripheral: peripheral))
        super.init(identity: CBUUID(origin.uuid))
    }

    /// A service of this device.
    init(published identity: CBUUID, isPrimary: Bool) {
        origin = nil
        primary = isPrimary
        mirror = Guarded(State())
        super.init(identity: identity)
    }

    /// The peripheral that has the service; nil once it is gone, and for a service of this device.
    open var peripheral: CBPeripheral? { mirror.read(\.peripheral) }

    /// Whether the service stands for itself; a secondary one only has meaning where another
    /// service includes it.
    open var isPrimary: Bool { primary }

    /// The services it refers to, as far as they were discovered; nil before the first discovery.
    open var includedServices: [CBService]? { mirror.read(\.includedServices) }

    /// Its characteristics, as far as they were discovered; nil before the first discovery.
    open var characteristics: [CBCharacteristic]? { mirror.read(\.characteristics) }

    /// The form in which Apple's logs show a service.
    open override var description: String {
        summary(["isPrimary": isPrimary.summary, "UUID": uuid.description])
    }
}

extension CBService {
    /// Whether the service was declared stale: commands for it are refused.
    var isInvalidated: Bool { mirror.read(\.isInvalidated) }

    /// Sets what a discovery has found so far.
    func setIncludedServices(_ services: [CBService]?) {
        mirror.change { $0.includedServices = services }
    }

    /// Sets what a discovery has found so far, and makes this the service of each.
    func setCharacteristics(_ characteristics: [CBCharacteristic]?) {
        characteristics?.forEach { $0.setService(self) }
        mirror.change { $0.characteristics = characteristics }
    }

    /// Makes the service stale, with everything below it.
    func invalidate() {
        mirror.change { $0.isInvalidated = true }
        characteristics?.forEach { $0.invalidate() }
    }
}
