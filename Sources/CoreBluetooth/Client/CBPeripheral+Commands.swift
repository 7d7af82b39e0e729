// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

// Commands of the application, on the calling thread.
extension CBPeripheral {
    func findServices(_ uuids: [CBUUID]?) {
        guard isReadyForCommands() else { return }
        ask(.find(.services(UUIDFilter(uuids))))
    }

    func findIncludedServices(_ uuids: [CBUUID]?, of service: CBService) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.includedServices(UUIDFilter(uuids), of: origin)))
    }

    func findCharacteristics(_ uuids: [CBUUID]?, of service: CBService) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.characteristics(UUIDFilter(uuids), of: origin)))
    }

    func findDescriptors(of characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.find(.descriptors(of: origin)))
    }

    func read(_ characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.read(origin))
    }

    func read(_ descriptor: CBDescriptor) {
        guard isReadyForCommands(), let origin = origin(of: descriptor) else { return }
        ask(.readDescriptor(origin))
    }

    func write(
        _ data: Data,
        to characteristic: CBCharacteristic,
        _ type: CBCharacteristicWriteType
    ) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        if type == .withoutResponse {
            command(data, to: characteristic, origin)
        } else {
            ask(.write(origin, [UInt8](data)))
        }
    }

    func write(_ data: Data, to descriptor: CBDescriptor) {
        guard isReadyForCommands(), let origin = origin(of: descriptor) else { return }
        guard origin.uuid != GATT.AttributeType.clientCharacteristicConfiguration else {
            Misuse.stop(
                "Client Characteristic Configuration descriptors must be configured using "
                    + "setNotifyValue:forCharacteristic:"
            )
        }
        ask(.writeDescriptor(origin, [UInt8](data)))
    }

    func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.setNotifying(isOn, origin))
    }

    func measureRSSI() {
        guard isReadyForCommands() else { return }
        adapter?.enter { [peer, session] in $0.readRSSI(of: peer, for: session) }
    }

    /// Returns the maximum length of one write: at most 512 bytes, the limit of an attribute value
    /// (Vol 3, Part F, 3.2.9).
    func writeLimit(of type: CBCharacteristicWriteType) -> Int {
        guard state == .connected else { return 0 }
        guard type == .withoutResponse else { return GATT.valueLengthLimit }
        return min(mtu - Self.writeHeaderLength, GATT.valueLengthLimit)
    }

    /// The ATT MTU of the connection. The initial MTU until an exchange.
    var mtu: Int { adapter?.facts.withLock { $0.mtus[peer] } ?? Self.firstMTU }

    /// The initial ATT MTU of an LE link (Vol 3, Part G, 5.2.1).
    private static var firstMTU: Int { 23 }
    /// The length of the header of a Write Command (Vol 3, Part F, 3.4.5.3).
    private static var writeHeaderLength: Int { 3 }

    private func ask(_ request: ClientRequest) {
        adapter?.enter { [peer, session] in $0.ask(request, of: peer, for: session) }
    }

    private func command(
        _ data: Data,
        to characteristic: CBCharacteristic,
        _ origin: GATT.Characteristic
    ) {
        guard origin.properties.contains(.writeWithoutResponse) else {
            return Misuse.warn(
                "Characteristic \(characteristic) does not specify the "
                    + "\"Write Without Response\" property - ignoring response-less write"
            )
        }
        guard let window = snapshot.read(\.window), window.take() else {
            return Misuse.warn(
                "Too many writes without response: dropped one for \(characteristic)"
            )
        }
        let limit = writeLimit(of: .withoutResponse)
        if data.count > limit {
            Misuse.warn("A write without response was cut from \(data.count) to \(limit) bytes")
        }
        ask(.command(origin, [UInt8](data.prefix(limit)), window))
    }
}

// Checks before a command.
extension CBPeripheral {
    private func isReadyForCommands() -> Bool {
        manager?.isReadyForCommands() == true && isConnectedForCommands()
    }

    /// Returns whether the peripheral is connected. Logs the misuse if not.
    func isConnectedForCommands() -> Bool {
        guard state != .connected else { return true }
        Misuse.report("\(self) can only accept commands while in the connected state")
        return false
    }

    /// Returns the service in the peripheral's table. Returns `nil` and logs the misuse if the
    /// service is invalid, another peripheral's, or this device's own.
    private func origin(of service: CBService) -> GATT.Service? {
        let isLive = isLive(service, in: service, service.isInvalidated)
        return isLive ? service.origin : nil
    }

    private func origin(of characteristic: CBCharacteristic) -> GATT.Characteristic? {
        let isLive = isLive(
            characteristic,
            in: characteristic.service,
            characteristic.isInvalidated
        )
        return isLive ? characteristic.origin : nil
    }

    private func origin(of descriptor: CBDescriptor) -> GATT.Descriptor? {
        let service = descriptor.characteristic?.service
        let isLive = isLive(descriptor, in: service, descriptor.isInvalidated)
        return isLive ? descriptor.origin : nil
    }

    private func isLive(
        _ attribute: CBAttribute,
        in service: CBService?,
        _ isInvalidated: Bool
    ) -> Bool {
        if attribute.handle == nil {
            Misuse.report("\(self) was given \(attribute.logName), which is of this device")
        } else if let owner = service?.peripheral, owner !== self {
            Misuse.report("\(self) was given \(attribute.logName) of \(owner)")
        } else if service == nil || isInvalidated {
            Misuse.report("\(self) was given \(attribute.logName), which is no longer valid")
        } else {
            return true
        }
        return false
    }
}
