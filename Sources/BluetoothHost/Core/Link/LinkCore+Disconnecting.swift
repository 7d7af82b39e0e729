// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Disconnection by this host.
extension LinkCore {
    /// The maximum time that a link takes to end. It is longer than the longest supervision
    /// timeout, after which the controller must report the loss of the link (Vol 6, Part B, 5.1.6).
    package static let disconnectLimit: Duration = .seconds(40)
    /// The maximum time that the end of a link waits for keys on their way to the peer. It suffices
    /// for three packets at the usual connection intervals, and limits the wait for a peer that is
    /// out of range.
    package static let keyDeliveryLimit: Duration = .seconds(2)
    /// The pause before the host repeats a Disconnect command that the controller refused.
    package static let disconnectRest: Duration = .seconds(2)

    /// Ends the link. The end of the link completes `request`.
    ///
    /// - Parameter isUrgent: Whether to end the link without waiting for keys on their way to the
    ///   peer.
    mutating func disconnect(
        request: RequestIdentifier?,
        isUrgent: Bool = false,
        _ context: inout LinkContext
    ) {
        if let request { disconnectRequests.append(request) }
        guard !isDisconnecting || awaitsKeyDelivery else { return }
        if !isDisconnecting { disconnectDeadline = context.now + Self.disconnectLimit }
        guard !isUrgent, hasKeysUnderWay(context) else {
            return attemptDisconnect(&context)
        }
        // A disconnection makes the controller drop unsent keys. This host would then have a bond,
        // and the peer would not.
        let limit =
            context.isShuttingDown ? HostCore.shutdownLimit / 2 : Self.keyDeliveryLimit
        awaitsKeyDelivery = true
        nextDisconnectAttempt = earliest(nextDisconnectAttempt, context.now + limit)
    }

    /// Disconnects a link that is not, or cannot be, protected as required.
    mutating func disconnect(as error: HostError, _ context: inout LinkContext) {
        protection.scheduledEnd = nil
        guard !isDisconnecting || awaitsKeyDelivery else { return }
        protection.end = error
        disconnect(request: nil, isUrgent: true, &context)
    }

    /// Disconnects a link that is not, or cannot be, protected as required, after the peer has had
    /// time to receive the reason.
    mutating func disconnectSoon(as error: HostError, _ context: LinkContext) {
        guard !isDisconnecting, protection.scheduledEnd == nil else { return }
        protection.scheduledEnd = (error, context.now + Self.refusalPause)
    }

    /// Ends a link that waits for the delivery of keys, if they are delivered.
    mutating func disconnectIfKeysAreDelivered(_ context: inout LinkContext) {
        guard awaitsKeyDelivery, !hasKeysUnderWay(context) else { return }
        attemptDisconnect(&context)
    }

    mutating func attemptDisconnect(_ context: inout LinkContext) {
        nextDisconnectAttempt = nil
        awaitsKeyDelivery = false
        let command = HCI.Disconnect(
            connectionHandle: handle,
            reason: protection.end?.reasonForPeer ?? .remoteUserTerminatedConnection
        )
        context.send(HCI.EncodedCommand(command), for: .link(identifier, .disconnection))
    }

    mutating func disconnectionCompleted(
        _ event: HCI.DisconnectionComplete,
        _ context: inout LinkContext
    ) {
        guard event.status == .success else {
            return disconnectionFailed(.controller(event.status), &context)
        }
        context.post(.ended(.disconnected(event.reason)), of: identifier)
    }

    /// Takes the controller's answer to Disconnect. If the controller does not know the link, it
    /// has already reported the end in an event that was lost, so the link has ended.
    mutating func disconnectionAnswered(_ result: CommandResult, _ context: inout LinkContext) {
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch .refused(.unknownConnectionIdentifier) {
            let error = HostError.disconnected(.connectionTerminatedByLocalHost)
            context.post(.ended(error), of: identifier)
        } catch {
            disconnectionFailed(HostError(error, context.state), &context)
        }
    }

    /// Handles a failure to end the link. The requests fail. If the host itself ends the link, it
    /// tries again until the time limit.
    private mutating func disconnectionFailed(_ error: HostError, _ context: inout LinkContext) {
        guard isDisconnecting, !awaitsKeyDelivery else {
            let text = "ignored a failure to disconnect a link that is not being disconnected"
            return context.emit(.log(text))
        }
        let requests = disconnectRequests
        disconnectRequests = []
        if requests.isEmpty || protection.end != nil {
            nextDisconnectAttempt = context.now + Self.disconnectRest
        } else {
            disconnectDeadline = nil
        }
        for request in requests { context.fail(request, error) }
    }
}

extension HostError {
    /// The reason that the peer gets if the host ends a link with this error (Vol 4, Part E,
    /// 7.1.6).
    fileprivate var reasonForPeer: HCI.ErrorCode {
        if case .bondNotStored = self { .remoteDeviceLowResources } else { .authenticationFailure }
    }
}
