// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// The controller's events about a link.
extension LinkCore {
    mutating func receive(_ event: HCI.Event, _ context: inout LinkContext) {
        switch event {
        case .disconnectionComplete(let event):
            disconnectionCompleted(event, &context)
        case .connectionUpdateComplete(let event): connectionUpdated(event, &context)
        case .dataLengthChange(let event):
            dataLength = DataLength(
                transmitBytes: Int(event.transmitBytes),
                receiveBytes: Int(event.receiveBytes)
            )
        case .phyUpdateComplete(let event): phyUpdated(event, &context)
        case .readRemoteVersionInformationComplete(let event): versionReceived(event, &context)
        case .remoteConnectionParameterRequest(let event):
            parametersRequested(event, &context)
        case .longTermKeyRequest(let event): longTermKeyRequested(event, &context)
        case .encryptionChange(let event):
            encryptionChanged(event.status, event.encryption, &context)
        case .encryptionChangeV2(let event):
            let keySize = event.keySize
            encryptionChanged(event.status, event.encryption, keySize: keySize, &context)
        case .encryptionKeyRefreshComplete(let event):
            encryptionChanged(event.status, .on, &context)
        default: break
        }
    }

    private mutating func connectionUpdated(
        _ event: HCI.LEConnectionUpdateComplete,
        _ context: inout LinkContext
    ) {
        guard event.status == .success else {
            if asksAgainBySignaling(after: event.status, &context) { return }
            let error = HostError.controller(event.status)
            return procedureEnded(.connectionUpdate, .failure(error), &context)
        }
        parameters = ConnectionParameters(
            interval: event.interval.duration,
            latency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.duration
        )
        askedParameters = nil
        if serving.isAnnounced { context.emit(.event(.parametersChanged(identifier, parameters))) }
        procedureEnded(.connectionUpdate, .success(.parameters(parameters)), &context)
    }

    private mutating func phyUpdated(
        _ event: HCI.LEPHYUpdateComplete,
        _ context: inout LinkContext
    ) {
        guard event.status == .success else {
            let error = HostError.controller(event.status)
            return procedureEnded(.phyUpdate, .failure(error), &context)
        }
        phy = LinkPHY(transmit: event.transmit, receive: event.receive)
        procedureEnded(.phyUpdate, .success(.phy(phy)), &context)
    }

    private mutating func versionReceived(
        _ event: HCI.ReadRemoteVersionInformationComplete,
        _ context: inout LinkContext
    ) {
        guard event.status == .success else {
            let error = HostError.controller(event.status)
            return procedureEnded(.versionExchange, .failure(error), &context)
        }
        let version = RemoteVersion(
            version: event.version.rawValue,
            company: event.company,
            subversion: event.subversion
        )
        procedureEnded(.versionExchange, .success(.version(version)), &context)
    }

    /// Handles the peer's link-layer request for other parameters, which the host accepts or
    /// rejects (Vol 4, Part E, 7.7.65.6).
    private mutating func parametersRequested(
        _ event: HCI.LERemoteConnectionParameterRequest,
        _ context: inout LinkContext
    ) {
        let request = ConnectionParametersRequest(
            intervalMinimum: event.intervalMinimum.rawValue,
            intervalMaximum: event.intervalMaximum.rawValue,
            peripheralLatency: event.peripheralLatency,
            supervisionTimeout: event.supervisionTimeout.rawValue
        )
        guard context.configuration.acceptsParameterRequests, request.isValid else {
            let reply = HCI.LERemoteConnectionParameterRequestNegativeReply(
                connectionHandle: handle,
                reason: .unacceptableConnectionParameters
            )
            return sendHostCommand(HCI.EncodedCommand(reply), &context)
        }
        let reply = HCI.LERemoteConnectionParameterRequestReply(
            connectionHandle: handle,
            parameters: granted(request, context.configuration)
        )
        sendHostCommand(HCI.EncodedCommand(reply), &context)
    }
}

extension HCI.Event {
    /// The handle of the link that the event concerns, or `nil` if the event is not about an
    /// existing link.
    var connectionHandle: ConnectionHandle? {
        switch self {
        case .disconnectionComplete(let event): event.connectionHandle
        case .connectionUpdateComplete(let event): event.connectionHandle
        case .dataLengthChange(let event): event.connectionHandle
        case .phyUpdateComplete(let event): event.connectionHandle
        case .readRemoteVersionInformationComplete(let event): event.connectionHandle
        case .remoteConnectionParameterRequest(let event): event.connectionHandle
        case .longTermKeyRequest(let event): event.connectionHandle
        case .encryptionChange(let event): event.connectionHandle
        case .encryptionChangeV2(let event): event.connectionHandle
        case .encryptionKeyRefreshComplete(let event): event.connectionHandle
        default: nil
        }
    }
}
