// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands that return the state of a link (Vol 4, Part E, 7.3.35 and 7.5.4).
package enum StatusCommands {
    static let handlers: [CommandHandler] = [
        .completing(HCI.ReadTransmitPowerLevel.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            guard command.kind == .current || command.kind == .maximum else {
                throw .invalidCommandParameters
            }
            guard ether.findLink(of: controller.radio, command.connectionHandle) != nil else {
                throw .unknownConnectionIdentifier
            }
            // Links always use the maximum transmit power.
            return .init(
                connectionHandle: command.connectionHandle,
                level: controller.configuration.transmitPowers.upperBound
            )
        },
        .completing(HCI.ReadRSSI.self) { (controller, command, ether) throws(HCI.ErrorCode) in
            let handle = command.connectionHandle
            guard let rssi = ether.linkRSSI(of: controller.radio, handle) else {
                throw .unknownConnectionIdentifier
            }
            return .init(connectionHandle: handle, rssi: rssi)
        },
    ]
}
