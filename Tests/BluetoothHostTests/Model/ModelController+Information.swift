// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Information about the controller.
extension ModelController {
    mutating func reply(_ opcode: HCI.Opcode) {
        guard let answer = information(opcode) else { return complete(opcode, .unknownCommand) }
        complete(opcode, .success, answer)
    }

    private func information(_ opcode: HCI.Opcode) -> (any HCIParameters)? {
        typealias Address = HCI.ReadBDAddress.ReturnParameters
        return switch opcode {
        case .readLocalVersionInformation: version
        case .readLocalSupportedCommands:
            HCI.ReadLocalSupportedCommands.ReturnParameters(commands: .init(profile.commands))
        case .readLocalSupportedFeatures:
            HCI.ReadLocalSupportedFeatures.ReturnParameters(features: [.leSupported])
        case .leReadLocalSupportedFeatures:
            HCI.LEReadLocalSupportedFeatures.ReturnParameters(features: profile.leFeatures)
        case .readBDAddress: Address(address: .init(value: 0x0000_5E00_5301))
        case .leReadSupportedStates:
            HCI.LEReadSupportedStates.ReturnParameters(states: profile.states)
        case .leReadFilterAcceptListSize:
            HCI.LEReadFilterAcceptListSize.ReturnParameters(size: UInt8(profile.acceptListSize))
        case .leReadResolvingListSize: HCI.LEReadResolvingListSize.ReturnParameters(size: 4)
        case .leReadMaximumDataLength: longestData
        case .leReadMaximumAdvertisingDataLength:
            HCI.LEReadMaximumAdvertisingDataLength.ReturnParameters(length: 1650)
        case .leReadNumberOfSupportedAdvertisingSets:
            HCI.LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(
                count: UInt8(profile.advertisingSetCount)
            )
        case .leReadAdvertisingPhysicalChannelTxPower:
            HCI.LEReadAdvertisingPhysicalChannelTxPower.ReturnParameters(level: -3)
        default: buffers(opcode)
        }
    }

    private var version: HCI.ReadLocalVersionInformation.ReturnParameters {
        .init(
            hciVersion: profile.version,
            hciSubversion: 1,
            linkLayerVersion: profile.version,
            company: 0xFFFF,
            linkLayerSubversion: 1
        )
    }

    private var longestData: HCI.LEReadMaximumDataLength.ReturnParameters {
        .init(
            transmitBytes: 251,
            transmitTime: .init(rawValue: 2120),
            receiveBytes: 251,
            receiveTime: .init(rawValue: 2120)
        )
    }

    private func buffers(_ opcode: HCI.Opcode) -> (any HCIParameters)? {
        let isShared = profile.buffers == .shared
        let length = UInt16(isShared ? 0 : profile.aclPacketLength)
        let count = UInt8(isShared ? 0 : profile.aclPacketCount)
        switch opcode {
        case .leReadBufferSize:
            return HCI.LEReadBufferSize.ReturnParameters(
                aclPacketLength: length,
                aclPacketCount: count
            )
        case .leReadBufferSizeV2:
            return HCI.LEReadBufferSizeV2.ReturnParameters(
                aclPacketLength: length,
                aclPacketCount: count,
                isochronousPacketLength: 0,
                isochronousPacketCount: 0
            )
        case .readBufferSize:
            return HCI.ReadBufferSize.ReturnParameters(
                aclPacketLength: UInt16(profile.aclPacketLength),
                synchronousPacketLength: 0,
                aclPacketCount: UInt16(profile.aclPacketCount),
                synchronousPacketCount: 0
            )
        default: return nil
        }
    }
}
