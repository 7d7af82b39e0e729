// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// What a change of the table means for the clients that are connected: Service Changed for those that
// want it, and Database Out Of Sync for those that said they understand it.

extension GATTServer {
    /// Looks at a request or command before it is carried out, and notes what it says about the
    /// client's knowledge of the table (Vol 3, Part G, 2.5.2.1). Call it once for each one that
    /// comes, before anything else.
    ///
    /// - Parameter actions: Gets what comes of it: a client that became change-aware is remembered.
    /// - Returns: `databaseOutOfSync` if the request is to be refused with it, or, for a command, if
    ///   it is to be ignored. Nil if it is to be carried out.
    package mutating func outOfSyncRefusal(
        of request: ATT.PDU,
        on bearer: BearerID,
        into actions: inout [Action]
    ) -> ATT.ErrorCode? {
        guard var client = clients[bearer.client], !client.awareness.isAware else { return nil }
        if request.isCommand { return client.isOutOfSync ? .databaseOutOfSync : nil }
        let count = client.bearers.count
        client.awareness.requestCame(on: bearer.channel, bearerCount: count)
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

    /// An indication of the server's own was confirmed. The client's next one may follow.
    @discardableResult
    package mutating func confirmed(
        _ handle: AttributeHandle,
        on bearer: BearerID
    ) -> [Action] {
        guard serviceChangedHandle == handle, var client = clients[bearer.client] else {
            return []
        }
        let isAllSaid = client.serviceChange.confirmed(on: bearer.channel)
        let wasAware = client.awareness.isAware
        if isAllSaid {
            client.awareness.serviceChangedConfirmed(bearerCount: client.bearers.count)
        }
        clients[bearer.client] = client
        let becameAware = !wasAware && client.awareness.isAware
        return (becameAware ? self.becameAware(bearer.client) : [])
            + indicateServiceChange(to: bearer.client)
    }

    /// Everybody who is connected does not know the table any more, and is told if it wants to be.
    mutating func databaseChanged(in range: ClosedRange<AttributeHandle>) -> [Action] {
        var actions: [Action] = []
        for id in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let forgotten = forgetConfigurations(of: id)
            clients[id]?.awareness.databaseChanged()
            if wantsServiceChanged(id) { clients[id]?.serviceChange.add(range) }
            actions += (forgotten ? remember(id) : []) + indicateServiceChange(to: id)
        }
        return actions
    }

    /// Sends the next Service Changed indication, if there is one to send, the client wants it, and
    /// none is under way. It goes to clients that are out of sync, too: it tells them so.
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

    /// Whether the client has subscribed to Service Changed. What changes while it has not is lost to
    /// it (Vol 3, Part G, 7.1); what may not be said yet, on a link that is not encrypted say, is said
    /// later.
    func wantsServiceChanged(_ client: ClientID) -> Bool {
        guard let record = clients[client], let handle = serviceChangedHandle,
            let configuration = database.characteristics[handle]?.configurationHandle,
            let bits = record.memory.configurations[configuration]?.bits
        else { return false }
        return bits & GATT.SubscriptionKind.indication.configuration != 0
    }

    private mutating func becameAware(_ client: ClientID) -> [Action] {
        clients[client]?.memory.knownHash = database.hash
        return remember(client)
    }

    /// Forgets the configurations whose descriptors are gone. True if there were any.
    private mutating func forgetConfigurations(of client: ClientID) -> Bool {
        let gone = clients[client]?.memory.configurations.keys.filter {
            database.attribute($0) == nil
        }
        for handle in gone ?? [] { clients[client]?.memory.configurations[handle] = nil }
        return gone?.isEmpty == false
    }

    /// Whether the request reads the Database Hash. By its UUID is the only way that a client should
    /// use (Vol 3, Part G, 7.3), and by its handle the effect is the same.
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
    /// Whether it does not know the table, and wants to be told so.
    var isOutOfSync: Bool {
        !awareness.isAware && memory.supportedFeatures & ClientFeatures.robustCaching != 0
    }
}

extension ATT.PDU {
    /// Whether nobody answers it.
    fileprivate var isCommand: Bool {
        switch self {
        case .writeCommand, .signedWriteCommand: true
        case .unknown(let opcode, _): opcode.isCommand
        default: false
        }
    }

    /// Whether the request depends on handles that the client has learned, as opposed to being part
    /// of a discovery (Vol 3, Part G, 2.5.2.1).
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
