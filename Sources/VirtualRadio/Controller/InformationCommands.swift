// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands that return the controller's identity and capabilities.
package enum InformationCommands {
    static let handlers: [CommandHandler] = general + lowEnergy

    private static let general: [CommandHandler] = [
        .completing(HCI.ReadLocalVersionInformation.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            let version = controller.configuration.linkVersion
            return HCI.ReadLocalVersionInformation.ReturnParameters(
                hciVersion: version.version,
                hciSubversion: version.subversion,
                linkLayerVersion: version.version,
                company: version.company,
                linkLayerSubversion: version.subversion
            )
        },
        .completing(HCI.ReadLocalSupportedCommands.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            .init(commands: CommandTable.commands(offeredBy: controller.configuration))
        },
        .completing(HCI.ReadLocalSupportedFeatures.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            .init(features: controller.configuration.lmpFeatures)
        },
        .completing(HCI.ReadBufferSize.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                aclPacketLength: controller.configuration.aclPacketLength,
                synchronousPacketLength: 0,
                aclPacketCount: UInt16(controller.configuration.aclPacketCount),
                synchronousPacketCount: 0
            )
        },
        .completing(HCI.ReadBDAddress.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(address: HCI.BareAddress(controller.publicAddress))
        },
    ]

    private static let lowEnergy: [CommandHandler] = [
        .completing(HCI.LEReadBufferSize.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                aclPacketLength: controller.configuration.aclPacketLength,
                aclPacketCount: controller.configuration.aclPacketCount
            )
        },
        .completing(HCI.LEReadBufferSizeV2.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                aclPacketLength: controller.configuration.aclPacketLength,
                aclPacketCount: controller.configuration.aclPacketCount,
                isochronousPacketLength: 0,
                isochronousPacketCount: 0
            )
        },
        .completing(HCI.LEReadLocalSupportedFeatures.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            .init(features: controller.configuration.linkFeatures)
        },
        .completing(HCI.LEReadSupportedStates.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(states: controller.configuration.supportedStates)
        },
        .completing(HCI.LEReadMaximumDataLength.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                transmitBytes: controller.configuration.dataLengthMaximum,
                transmitTime: controller.configuration.dataTimeMaximum,
                receiveBytes: controller.configuration.dataLengthMaximum,
                receiveTime: controller.configuration.dataTimeMaximum
            )
        },
        .completing(HCI.LEReadTransmitPower.self) { (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                minimum: controller.configuration.transmitPowers.lowerBound,
                maximum: controller.configuration.transmitPowers.upperBound
            )
        },
    ]
}
