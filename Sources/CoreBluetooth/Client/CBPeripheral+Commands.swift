// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

// Requests to the peripheral, on the calling thread.
extension CBPeripheral {
    /// The ATT MTU of the connection in bytes; the initial one if there is no connection.
    var mtu: Int { adapter?.mtu(of: peer) ?? ATT.defaultMTU }

    /// Starts a request to the peripheral.
    func ask(_ request: ClientRequest) {
        adapter?.execute { [peer, session] in $0.ask(request, of: peer, for: session) }
    }

    /// Starts a write without response. Drops it with a warning if the characteristic lacks the
    /// property or too many writes wait.
    func command(
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
        let limit = maximumWriteValueLength(for: .withoutResponse)
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
    func isReadyForCommands() -> Bool {
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
    func origin(of service: CBService) -> GATT.Service? {
        let isLive = isLive(service, in: service, service.isInvalidated)
        return isLive ? service.origin : nil
    }

    func origin(of characteristic: CBCharacteristic) -> GATT.Characteristic? {
        let isLive = isLive(
            characteristic,
            in: characteristic.service,
            characteristic.isInvalidated
        )
        return isLive ? characteristic.origin : nil
    }

    func origin(of descriptor: CBDescriptor) -> GATT.Descriptor? {
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
