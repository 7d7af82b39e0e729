// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A peripheral that a central manager has found.
open class CBPeripheral: CBPeer {
    /// The latest disconnection, while the delegate is told of it.
    let disconnection = Guarded<Disconnection?>(nil)

    override init(identity: UUID) {
        super.init(identity: identity)
    }

    /// Who hears of what happens.
    open weak var delegate: (any CBPeripheralDelegate)?

    /// What the peripheral is called.
    open var name: String? { nil }

    /// The signal strength that was read last.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    open var rssi: NSNumber? { nil }

    /// Whether the peripheral is connected.
    open var state: CBPeripheralState { .disconnected }

    /// The services, as far as they were discovered; nil before the first discovery.
    open var services: [CBService]? { nil }

    /// Whether there is room for another write without response.
    open var canSendWriteWithoutResponse: Bool { false }

    /// Whether the peripheral may see a phone's notifications; Linux has none: false.
    open var ancsAuthorized: Bool { false }

    /// Asks for the signal strength.
    open func readRSSI() {}

    /// Looks for services.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {}

    /// Looks for services that `service` includes.
    open func discoverIncludedServices(
        _ includedServiceUUIDs: [CBUUID]?,
        for service: CBService
    ) {}

    /// Looks for characteristics of `service`.
    open func discoverCharacteristics(
        _ characteristicUUIDs: [CBUUID]?,
        for service: CBService
    ) {}

    /// Reads a characteristic.
    open func readValue(for characteristic: CBCharacteristic) {}

    /// How many octets fit into one write.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { 0 }

    /// Writes a characteristic.
    open func writeValue(
        _ data: Data,
        for characteristic: CBCharacteristic,
        type: CBCharacteristicWriteType
    ) {}

    /// Switches notifications or indications.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {}

    /// Looks for descriptors of `characteristic`.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {}

    /// Reads a descriptor.
    open func readValue(for descriptor: CBDescriptor) {}

    /// Writes a descriptor.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {}

    /// Opens an L2CAP channel.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {}

    /// Starts to measure the distance.
    open func startChannelSoundingSession(
        _ configuration: CBChannelSoundingSessionConfiguration
    ) {}

    /// Ends measuring the distance.
    open func cancelChannelSoundingSession() {}
}
