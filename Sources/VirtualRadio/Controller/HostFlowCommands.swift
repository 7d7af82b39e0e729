// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands of flow control from the controller to the host (Vol 4, Part E, 7.3.38 to 7.3.40).
package enum HostFlowCommands {
    static let handlers: [CommandHandler] = [
        .completing(HCI.SetControllerToHostFlowControl.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            guard ether.linkCount(of: controller.radio) == 0 else { throw .commandDisallowed }
            // The controller has no synchronous packets, so it cannot control their flow.
            guard command.mode == .off || command.mode == .acl else {
                throw .unsupportedFeatureOrParameterValue
            }
            ether.ports[controller.radio.index].flow.isOn = command.mode == .acl
        },
        .completing(HCI.HostBufferSize.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            guard command.aclPacketLength > 0, command.aclPacketCount > 0 else {
                throw .invalidCommandParameters
            }
            ether.ports[controller.radio.index].flow.setBuffers(
                packetLength: command.aclPacketLength,
                packetCount: command.aclPacketCount
            )
        },
        .answeringRefusals(HCI.HostNumberOfCompletedPackets.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            for completed in command.completed {
                ether.ports[controller.radio.index].flow.complete(completed)
            }
            ether.ports[controller.radio.index].releaseData()
            ether.announceOutput(of: controller.radio)
        },
    ]
}
