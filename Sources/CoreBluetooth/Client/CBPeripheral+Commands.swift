// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

// Commands of the application, on the calling thread.
extension CBPeripheral {
    func findServices(_ uuids: [CBUUID]?) {
        guard isReadyForCommands() else { return }
        ask(.find(.services(UUIDFilter(matching: uuids))))
    }

    func findIncludedServices(_ uuids: [CBUUID]?, of service: CBService) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.includedServices(UUIDFilter(matching: uuids), of: origin)))
    }

    func findCharacteristics(_ uuids: [CBUUID]?, of service: CBService) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.characteristics(UUIDFilter(matching: uuids), of: origin)))
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

    /// Returns the maximum length of one write in bytes. 0 unless connected.
    func writeLimit(of type: CBCharacteristicWriteType) -> Int {
        guard state == .connected, let adapter else { return 0 }
        return adapter.writeLimit(of: peer, withResponse: type == .withResponse)
    }

    /// The ATT MTU of the connection.
    var mtu: Int { adapter?.mtu(of: peer) ?? ATT.defaultMTU }

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
        let limit = writeLimit(of: .withoutResponse)
        guard let request = snapshot.read({ $0.remote.command(data, to: origin, limit: limit) })
        else {
            return Misuse.warn(
                "Too many writes without response: dropped one for \(characteristic)"
            )
        }
        if data.count > limit {
            Misuse.warn("A write without response was cut from \(data.count) to \(limit) bytes")
        }
        ask(request)
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
