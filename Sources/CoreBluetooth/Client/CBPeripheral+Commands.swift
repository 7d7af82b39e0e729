// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import CoreBluetoothEnumerations
import Foundation

// What an application asks for, on its own thread.
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

    /// A value has 512 octets at most, whatever fits into a packet.
    func writeLimit(of type: CBCharacteristicWriteType) -> Int {
        guard state == .connected, let adapter else { return 0 }
        guard type == .withoutResponse else { return GATT.valueLengthLimit }
        let mtu = adapter.facts.withLock { $0.mtus[peer] } ?? Self.firstMTU
        return min(mtu - Self.writeHeaderLength, GATT.valueLengthLimit)
    }

    /// What a link begins with (Vol 3, Part G, 5.2.1).
    private static var firstMTU: Int { 23 }
    /// What a write has before its value (Vol 3, Part F, 3.4.5.3).
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
        guard let window = mirror.read(\.window), window.take() else {
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

// What may be asked.
extension CBPeripheral {
    private func isReadyForCommands() -> Bool {
        manager?.isReadyForCommands() == true && isConnectedForCommands()
    }

    /// Whether there is a connection; says so if not.
    func isConnectedForCommands() -> Bool {
        guard state != .connected else { return true }
        Misuse.report("\(logDescription) can only accept commands while in the connected state")
        return false
    }

    /// What a service is to the peripheral; nil, after a line in the log, if it is stale. One of another
    /// peripheral ends the program, as it does on Apple's.
    private func origin(of service: CBService) -> GATT.Service? {
        guard let origin = service.origin else { Misuse.stop("\(service) is of this device") }
        return isLive(service, service.isInvalidated) ? origin : nil
    }

    private func origin(of characteristic: CBCharacteristic) -> GATT.Characteristic? {
        guard let origin = characteristic.origin else {
            Misuse.stop("\(characteristic) is of this device")
        }
        let isLive = isLive(characteristic.service, characteristic.isInvalidated)
        return isLive ? origin : nil
    }

    private func origin(of descriptor: CBDescriptor) -> GATT.Descriptor? {
        guard let origin = descriptor.origin else {
            Misuse.stop("\(descriptor) is of this device")
        }
        let isLive = isLive(descriptor.characteristic?.service, descriptor.isInvalidated)
        return isLive ? origin : nil
    }

    private func isLive(_ service: CBService?, _ isInvalidated: Bool) -> Bool {
        if let owner = service?.peripheral, owner !== self {
            Misuse.stop("\(logDescription) was given an attribute of \(owner.logDescription)")
        }
        guard service != nil, !isInvalidated else {
            Misuse.report("\(logDescription) was given an attribute that is no longer valid")
            return false
        }
        return true
    }
}
