// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Commands for a link.
extension ModelController {
    mutating func actOnLink(_ command: any HCICommand, _ opcode: HCI.Opcode) {
        switch command {
        case let command as HCI.Disconnect: disconnect(command)
        case let command as HCI.ReadRSSI:
            reply(opcode, on: command.connectionHandle) { handle in
                HCI.ReadRSSI.ReturnParameters(connectionHandle: handle, rssi: -48)
            }
        case let command as HCI.LEReadPHY:
            reply(opcode, on: command.connectionHandle) { [phy] handle in
                HCI.LEReadPHY.ReturnParameters(
                    connectionHandle: handle,
                    transmit: phy,
                    receive: phy
                )
            }
        case let command as HCI.LESetDataLength: setDataLength(command)
        case let command as HCI.LERemoteConnectionParameterRequestReply:
            reply(opcode, on: command.connectionHandle, Self.named)
        case let command as HCI.LERemoteConnectionParameterRequestNegativeReply:
            reply(opcode, on: command.connectionHandle, Self.named)
        case let command as HCI.LELongTermKeyRequestNegativeReply:
            reply(opcode, on: command.connectionHandle, Self.named)
        case let command as HCI.LELongTermKeyRequestReply: receiveKey(command)
        case let command as HCI.LEEnableEncryption: encrypt(command)
        default: proceed(command, opcode)
        }
    }

    static func named(_ handle: ConnectionHandle) -> any HCIParameters {
        HCI.LinkReturnParameters(connectionHandle: handle)
    }

    mutating func reply(
        _ opcode: HCI.Opcode,
        on handle: ConnectionHandle,
        _ answer: (ConnectionHandle) -> any HCIParameters
    ) {
        let status: HCI.ErrorCode = links[handle] == nil ? .unknownConnectionIdentifier : .success
        complete(opcode, status, answer(handle))
    }

    private mutating func disconnect(_ command: HCI.Disconnect) {
        let handle = command.connectionHandle
        guard links[handle] != nil else {
            return answer(HCI.Disconnect.opcode, .unknownConnectionIdentifier)
        }
        disconnectReasons.append(command.reason)
        answer(HCI.Disconnect.opcode, .success)
        guard !endlessCommands.contains(.disconnect) else { return }
        linkEnded(handle, .connectionTerminatedByLocalHost)
    }

    private mutating func setDataLength(_ command: HCI.LESetDataLength) {
        let handle = command.connectionHandle
        reply(.leSetDataLength, on: handle, Self.named)
        guard links[handle] != nil, !endlessCommands.contains(.leSetDataLength) else { return }
        send(
            .dataLengthChange(
                .init(
                    connectionHandle: handle,
                    transmitBytes: command.transmitBytes,
                    transmitTime: command.transmitTime,
                    receiveBytes: 251,
                    receiveTime: .init(rawValue: 2120)
                )
            )
        )
    }
}

// Link Layer procedures, which start with Command Status and end with an event.
extension ModelController {
    private mutating func proceed(_ command: any HCICommand, _ opcode: HCI.Opcode) {
        switch command {
        case let command as HCI.LEConnectionUpdate:
            proceed(opcode, on: command.connectionHandle) { handle, status in
                .connectionUpdateComplete(
                    .init(
                        status: status,
                        connectionHandle: handle,
                        interval: command.parameters.intervalMaximum,
                        peripheralLatency: command.parameters.peripheralLatency,
                        supervisionTimeout: command.parameters.supervisionTimeout
                    )
                )
            }
        case let command as HCI.LESetPHY:
            let transmit: PHY = command.preference.transmit == .le2M ? .le2M : .le1M
            let receive: PHY = command.preference.receive == .le2M ? .le2M : .le1M
            proceed(opcode, on: command.connectionHandle) { handle, status in
                .phyUpdateComplete(
                    .init(
                        status: status,
                        connectionHandle: handle,
                        transmit: transmit,
                        receive: receive
                    )
                )
            }
        case let command as HCI.ReadRemoteVersionInformation:
            proceed(opcode, on: command.connectionHandle) { handle, status in
                .readRemoteVersionInformationComplete(
                    .init(
                        status: status,
                        connectionHandle: handle,
                        version: .core5_2,
                        company: 0x05F1,
                        subversion: 9
                    )
                )
            }
        default:
            violate(.unsupportedCommand(opcode))
            answer(opcode, .unknownCommand)
        }
    }

    private mutating func proceed(
        _ opcode: HCI.Opcode,
        on handle: ConnectionHandle,
        _ end: (ConnectionHandle, HCI.ErrorCode) -> HCI.Event
    ) {
        guard links[handle] != nil else { return answer(opcode, .unknownConnectionIdentifier) }
        answer(opcode, .success)
        guard !endlessCommands.contains(opcode) else { return }
        send(end(handle, badEnds[opcode] ?? .success))
    }
}
