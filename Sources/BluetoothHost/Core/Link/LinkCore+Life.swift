// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The beginning and the end of a link.
extension LinkCore {
    /// Begins the link with the known data of its peer.
    mutating func begin(_ context: inout LinkContext) {
        context.transmitQueue.open(handle)
        if let known = context.bonds.first(where: { $0.peer == identity }) {
            bond = known
            security = known.security(isEncrypted: false)
        }
        recallDatabase(&context)
        openServer(&context)
    }

    /// Sends the first commands and requests of a new link.
    ///
    /// If `requestsDataLength` is set and the controller supports longer link-layer packets, the
    /// host first requests them. If the peer is bonded, `beginEncryption(_:)` follows. Otherwise, a
    /// central begins the MTU exchange, and any answer shows that the peer takes part in the link.
    /// A peripheral begins the exchange only if `exchangesMTUAsPeripheral` is set.
    mutating func prepare(_ context: inout LinkContext) {
        if context.configuration.requestsDataLength, let bytes = context.longestPacket {
            let command = LinkRequest.dataLengthCommand(bytes: bytes, to: handle)
            sendHostCommand(command, &context)
        }
        if role == .peripheral, context.configuration.preferredConnectionParameters != nil {
            preferredParametersDueAt = context.now + Self.parameterPause
        }
        if awaitsEncryption { return beginEncryption(&context) }
        guard role == .peripheral else { return exchangeMTU(&context) }
        if context.configuration.exchangesMTUAsPeripheral { exchangeMTU(&context) }
    }

    /// Asks the peer for a larger MTU, at most once on each link (Vol 3, Part F, 3.4.2.1).
    mutating func exchangeMTU(_ context: inout LinkContext) {
        // A peer that has begun an exchange has already sent its own MTU.
        guard !hasAskedForMTU, bearer.att.mtu == ATT.defaultMTU else { return }
        let operation = context.takeOperation()
        hasAskedForMTU = true
        probe = operation
        start(.exchangeMTU, id: operation, &context)
    }

    /// Reports the link to the application, once.
    mutating func announce(_ context: inout LinkContext) {
        guard !serving.isAnnounced else { return }
        serving.isAnnounced = true
        let role: LinkRole = role == .peripheral ? .peripheral : .central
        context.emit(.event(.linkOpened(identifier, identity, role)))
        if bearer.att.mtu > ATT.defaultMTU {
            context.emit(.event(.mtuChanged(identifier, bearer.att.mtu)))
        }
    }

    /// Completes the connection request that this link answers, because the link is usable.
    mutating func completeConnectionRequest(_ context: inout LinkContext) {
        guard let request = connectionRequest else { return }
        connectionRequest = nil
        announce(&context)
        context.complete(request, .link(identifier, identity))
        context.post(.established(request), of: identifier)
    }

    /// Ends everything that waits on the link, because the link has ended.
    mutating func end(with error: HostError, _ context: inout LinkContext) {
        context.clientLeft(bond?.peer)
        context.transmitQueue.close(handle)
        setBlocked(false, in: &context)
        for channel in [bearer.channel] + enhanced.bearers.map(\.channel) {
            context.server.close(identifier.bearer(channel))
        }
        withdrawCommands(error, &context)
        endChannels(with: error, &context)
        failNotifications(with: error, &context)
        endOperations(with: error, &context)
        for waiter in procedures.values {
            if let request = waiter.request { context.fail(request, error) }
        }
        for request in databaseRequests { context.fail(request, error) }
        for request in protection.held.ids { context.fail(request, error) }
        failWaiters(with: error, &context)
        if protection.isPairing { reportPairing(.failure(Pairing.Failure.linkEnded), &context) }
        for request in disconnectRequests { context.complete(request, .done) }
        context.emit(.event(.disconnected(identifier, error)))
    }

    /// Ends the operations on all bearers. An operation that succeeded just before keeps its
    /// result.
    private mutating func endOperations(with error: HostError, _ context: inout LinkContext) {
        let ended = bearer.close()
        for id in ended.values where id < LinkContext.ownOperationBase {
            context.fail(RequestIdentifier(rawValue: id), error)
        }
        for action in ended.operations + enhanced.close() {
            guard case .completed(let id, let result) = action, id < LinkContext.ownOperationBase
            else { continue }
            let answer = result.map(HostAnswer.gatt).mapError { failure -> any Error in
                failure == .bearerClosed ? error : failure
            }
            context.emit(.completed(RequestIdentifier(rawValue: id), answer))
        }
    }
}

extension LinkContext {
    /// The maximum length in bytes of a link-layer payload that the controller sends, or `nil` if
    /// it is the initial length of every link.
    fileprivate var longestPacket: Int? {
        guard let capabilities, capabilities.supports(HCI.LESetDataLength.self),
            let bytes = capabilities.maximumDataLength?.transmitBytes,
            bytes > DataLength.byteRange.lowerBound
        else { return nil }
        return Int(bytes)
    }
}
