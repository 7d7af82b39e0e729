// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands for an existing link. Each command finds the end of the link in the ether, and
/// passes a request to its control procedures, or reads their state.
package enum LinkCommands {
    static let handlers: [CommandHandler] =
        endingHandlers + negotiatingHandlers + encryptingHandlers + readingHandlers

    /// The reasons with which a host may disconnect (Vol 4, Part E, 7.1.6).
    static let disconnectReasons: Set<HCI.ErrorCode> = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceLowResources,
        .remoteDevicePowerOff, .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported,
        .unacceptableConnectionParameters,
    ]

    private static let endingHandlers: [CommandHandler] = [
        .beginning(HCI.Disconnect.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            guard disconnectReasons.contains(command.reason) else {
                try ether.requireLink(of: controller.radio, command.connectionHandle)
                throw .invalidCommandParameters
            }
            let request = LinkProcedureRequest.disconnect(command.reason)
            try ether.request(request, of: controller.radio, command.connectionHandle)
        }
    ]

    private static let negotiatingHandlers: [CommandHandler] = [
        .beginning(HCI.ReadRemoteVersionInformation.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            try ether.request(.readVersion, of: controller.radio, command.connectionHandle)
        },
        .beginning(HCI.LEReadRemoteFeatures.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            try ether.request(.readFeatures, of: controller.radio, command.connectionHandle)
        },
        .beginning(HCI.LEConnectionUpdate.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            try ether.requireLink(of: controller.radio, command.connectionHandle)
            let proposal = try ConnectionParameterProposal(checking: command.parameters)
            let request = LinkProcedureRequest.updateConnection(proposal)
            try ether.request(request, of: controller.radio, command.connectionHandle)
        },
        .completing(HCI.LERemoteConnectionParameterRequestReply.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try ether.requireLink(of: controller.radio, command.connectionHandle)
            let proposal = try ConnectionParameterProposal(checking: command.parameters)
            let request = LinkProcedureRequest.acceptParameters(proposal)
            try ether.request(request, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
        .completing(HCI.LERemoteConnectionParameterRequestNegativeReply.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let request = LinkProcedureRequest.refuseParameters(command.reason)
            try ether.request(request, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
        .completing(HCI.LESetDataLength.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let request = LinkProcedureRequest.setDataLength(
                bytes: Int(command.transmitBytes),
                time: command.transmitTime.duration
            )
            try ether.request(request, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
        .beginning(HCI.LESetPHY.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            let request = LinkProcedureRequest.setPHY(command.preference, command.coding)
            try ether.request(request, of: controller.radio, command.connectionHandle)
        },
    ]

    private static let encryptingHandlers: [CommandHandler] = [
        .beginning(HCI.LEEnableEncryption.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            let request = LinkProcedureRequest.encrypt(
                random: command.random,
                encryptedDiversifier: command.encryptedDiversifier,
                key: command.longTermKey
            )
            try ether.request(request, of: controller.radio, command.connectionHandle)
        },
        .completing(HCI.LELongTermKeyRequestReply.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let request = LinkProcedureRequest.provideKey(command.longTermKey)
            try ether.request(request, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
        .completing(HCI.LELongTermKeyRequestNegativeReply.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try ether.request(.refuseKey, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
        .completing(HCI.WriteAuthenticatedPayloadTimeout.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let timeout = command.timeout.duration
            let request = LinkProcedureRequest.setAuthenticatedPayloadTimeout(timeout)
            try ether.request(request, of: controller.radio, command.connectionHandle)
            return .init(connectionHandle: command.connectionHandle)
        },
    ]

    private static let readingHandlers: [CommandHandler] = [
        .completing(HCI.LEReadPHY.self) { (controller, command, ether) throws(HCI.ErrorCode) in
            let handle = command.connectionHandle
            let procedures = try ether.procedures(of: controller.radio, handle)
            return .init(
                connectionHandle: handle,
                transmit: procedures.sending.phy,
                receive: procedures.receiving
            )
        },
        .completing(HCI.LEReadChannelMap.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let handle = command.connectionHandle
            let procedures = try ether.procedures(of: controller.radio, handle)
            let channels = HCI.ChannelMap(rawValue: procedures.channels)
            return .init(connectionHandle: handle, channels: channels)
        },
        .completing(HCI.ReadAuthenticatedPayloadTimeout.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            let handle = command.connectionHandle
            let procedures = try ether.procedures(of: controller.radio, handle)
            let timeout = HCI.Timeout(procedures.authenticatedPayloadTimeout)
            return .init(connectionHandle: handle, timeout: timeout)
        },
    ]
}

extension Ether {
    /// Returns the control procedures of the link with the handle.
    ///
    /// - Throws: `unknownConnectionIdentifier` if there is no such link.
    fileprivate func procedures(
        of radio: RadioID,
        _ handle: ConnectionHandle
    ) throws(HCI.ErrorCode) -> LinkProcedures {
        guard let end = linkEnd(of: radio, handle) else { throw .unknownConnectionIdentifier }
        return end.procedures
    }

    /// Checks that the handle identifies a link. This check precedes all other checks of a command.
    ///
    /// - Throws: `unknownConnectionIdentifier` if it does not.
    fileprivate func requireLink(
        of radio: RadioID,
        _ handle: ConnectionHandle
    ) throws(HCI.ErrorCode) {
        guard findLink(of: radio, handle) != nil else { throw .unknownConnectionIdentifier }
    }
}

extension ConnectionParameterProposal {
    /// Creates the parameters that the host requests (Vol 4, Part E, 7.8.18).
    ///
    /// - Throws: `invalidCommandParameters` if a link must not have some of these parameters.
    init(checking parameters: HCI.ConnectionParameters) throws(HCI.ErrorCode) {
        self.init(
            intervalMinimum: parameters.intervalMinimum.duration,
            intervalMaximum: parameters.intervalMaximum.duration,
            latency: Int(parameters.peripheralLatency),
            supervisionTimeout: parameters.supervisionTimeout.duration
        )
        guard isLegal, parameters.eventLengthMinimum <= parameters.eventLengthMaximum else {
            throw .invalidCommandParameters
        }
    }
}
