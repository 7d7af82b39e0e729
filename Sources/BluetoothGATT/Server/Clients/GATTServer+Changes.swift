// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// The effects of a database change on the connected clients: Service Changed for the clients that
// have subscribed to it, and Database Out Of Sync for the clients that support it.

extension GATTServer {
    /// Checks a request or command before it is executed, and records its effect on the client's
    /// change awareness (Vol 3, Part G, 2.5.2.1). Call this once for each request or command.
    ///
    /// - Parameter actions: The list to which the resulting actions are appended, such as storing
    ///   that a client became change-aware.
    /// - Returns: `databaseOutOfSync` if the request must be refused with this error or the command
    ///   must be ignored, or `nil` if it is to be executed.
    package mutating func outOfSyncRefusal(
        of request: ATT.PDU,
        on bearer: BearerID,
        into actions: inout [Action]
    ) -> ATT.ErrorCode? {
        // The usual case, without a copy of the client.
        guard let index = clients.index(of: bearer.client),
            !clients.records[index].awareness.isAware
        else { return nil }
        var client = clients.records[index]
        if request.isCommand { return client.isOutOfSync ? .databaseOutOfSync : nil }
        let count = client.bearers.count
        client.awareness.requestReceived(on: bearer.channel, bearerCount: count)
        if client.awareness.isAware {
            clients[bearer.client] = client
            actions += becameAware(bearer.client)
            return nil
        }
        let isRefused =
            client.isOutOfSync && request.usesHandles
            && client.awareness.refuse(on: bearer.channel)
        if !isRefused, readsHash(request) { client.awareness.hashRead() }
        clients[bearer.client] = client
        return isRefused ? .databaseOutOfSync : nil
    }

    /// Processes the confirmation of an indication of the server itself, and sends the client's
    /// next one.
    @discardableResult
    package mutating func confirmed(
        _ handle: AttributeHandle,
        on bearer: BearerID
    ) -> [Action] {
        guard serviceChangedHandle == handle, var client = clients[bearer.client] else {
            return []
        }
        let isComplete = client.serviceChange.confirmed(on: bearer.channel)
        let wasAware = client.awareness.isAware
        if isComplete {
            client.awareness.serviceChangedConfirmed(bearerCount: client.bearers.count)
        }
        clients[bearer.client] = client
        let becameAware = !wasAware && client.awareness.isAware
        return (becameAware ? self.becameAware(bearer.client) : [])
            + indicateServiceChange(to: bearer.client)
    }

    /// Makes all connected clients change-unaware, and sends Service Changed to those that have
    /// subscribed to it.
    mutating func databaseChanged(in range: ClosedRange<AttributeHandle>) -> [Action] {
        var actions: [Action] = []
        for id in clients.identifiers {
            let forgotten = forgetConfigurations(of: id)
            clients[id]?.awareness.databaseChanged()
            if wantsServiceChanged(id) { clients[id]?.serviceChange.add(range) }
            actions += (forgotten ? remember(id) : []) + indicateServiceChange(to: id)
        }
        return actions
    }

    /// Sends the next Service Changed indication if there is a change to indicate, the client has
    /// subscribed, its link has the required security, and no indication is outstanding.
    ///
    /// A client that is out of sync receives it too, because the indication reports the change.
    mutating func indicateServiceChange(to client: ClientID) -> [Action] {
        guard wantsServiceChanged(client), let handle = serviceChangedHandle,
            sendingRefusal(of: handle, to: client) == nil,
            let bearer = clients[client]?.primaryBearer,
            let range = clients[client]?.serviceChange.next(on: bearer.channel)
        else { return [] }
        let indication = ATT.HandleValueIndication(
            handle: handle,
            value: range.serviceChangedValue[...]
        )
        return [.indicate(BearerID(client: client, channel: bearer.channel), indication)]
    }

    /// Returns whether the client has subscribed to Service Changed.
    ///
    /// A change that occurs without a subscription is never indicated to the client (Vol 3, Part G,
    /// 7.1). A change that cannot be indicated yet, for example on a link without encryption, is
    /// indicated later.
    func wantsServiceChanged(_ client: ClientID) -> Bool {
        guard let record = clients[client], let handle = serviceChangedHandle,
            let configuration = database.characteristics[handle]?.configurationHandle,
            let bits = record.clientRecord.configurations[configuration]?.bits
        else { return false }
        return bits & GATT.SubscriptionKind.indication.configuration != 0
    }

    private mutating func becameAware(_ client: ClientID) -> [Action] {
        let hash = database.hash
        clients[client]?.clientRecord.knownHash = hash
        return remember(client)
    }

    /// Removes the configurations whose descriptors no longer exist, and returns whether there were
    /// any.
    private mutating func forgetConfigurations(of client: ClientID) -> Bool {
        let gone = clients[client]?.clientRecord.configurations.keys.filter {
            database.attribute($0) == nil
        }
        for handle in gone ?? [] { clients[client]?.clientRecord.configurations[handle] = nil }
        return gone?.isEmpty == false
    }

    /// Returns whether the request reads the Database Hash. A client should only read it by its
    /// UUID (Vol 3, Part G, 7.3), but a read by its handle has the same effect.
    private func readsHash(_ request: ATT.PDU) -> Bool {
        switch request {
        case .readByTypeRequest(let request):
            request.type == GATT.AttributeType.databaseHash
                && request.start <= request.end
                && database.attributes(in: request.start...request.end).contains {
                    $0.value == .databaseHash
                }
        case .readRequest(let request):
            database.attribute(request.handle)?.value == .databaseHash
        default: false
        }
    }
}

extension GATTServer.Client {
    /// Whether the client does not know the current database and supports the error Database Out Of
    /// Sync.
    var isOutOfSync: Bool {
        !awareness.isAware && clientRecord.supportedFeatures & ClientFeatures.robustCaching != 0
    }
}

extension ATT.PDU {
    /// Whether the PDU is a command, which has no response.
    fileprivate var isCommand: Bool {
        switch self {
        case .writeCommand, .signedWriteCommand: true
        case .unknown(let opcode, _): opcode.isCommand
        default: false
        }
    }

    /// Whether the request uses handles from a discovery, instead of being part of a discovery
    /// itself (Vol 3, Part G, 2.5.2.1).
    fileprivate var usesHandles: Bool {
        switch self {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
            .writeRequest, .prepareWriteRequest:
            true
        case .readByTypeRequest(let request):
            request.type != GATT.AttributeType.include
                && request.type != GATT.AttributeType.characteristic
                && (request.start != .first || request.end != .last)
        default: false
        }
    }
}
