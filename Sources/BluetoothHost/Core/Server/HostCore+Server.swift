// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// The host's one server: what clients ask travels from their bearers to it, and its answers back.
//
// Nothing here sends by itself. Who calls pumps the links afterwards, once, however much there was
// to be done.
extension HostCore {
    /// A link can be served from now on.
    mutating func openServer(on handle: ConnectionHandle) {
        guard let link = links[handle]?.identifier, let security = links[handle]?.security,
            let mtu = links[handle]?.gatt.mtu
        else { return }
        links[handle]?.serving.mtu = mtu
        server.open(link.fixedBearer, security: security, mtu: mtu)
        useSigningKey(on: handle)
        recogniseClient(of: handle)
    }

    /// Tells the application of a link that it may hear of, unless it knows.
    mutating func announce(_ handle: ConnectionHandle) {
        guard links[handle]?.serving.isAnnounced == false, let link = links[handle]?.identifier,
            let peer = links[handle]?.identity, let role = links[handle]?.role
        else { return }
        links[handle]?.serving.isAnnounced = true
        emit(.linkOpened(link, peer, role == .peripheral ? .peripheral : .central))
        if let mtu = exchangedMTU(of: link) { emit(.mtuChanged(link, mtu)) }
        emit(.served(link, .connected(peer)))
    }

    /// A client asks something, or commands it.
    mutating func serve(_ request: ATT.PDU, on handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle]?.identifier else { return }
        announce(handle)
        perform(server.receive(request, on: link.fixedBearer, now: now))
    }

    /// Tells the server how long a PDU may be now, if that has changed.
    mutating func tellMTU(of handle: ConnectionHandle) {
        guard let mtu = links[handle]?.gatt.mtu, links[handle]?.serving.mtu != mtu,
            let link = links[handle]?.identifier
        else { return }
        links[handle]?.serving.mtu = mtu
        server.mtuChanged(link.fixedBearer, mtu)
        if links[handle]?.serving.isAnnounced == true { emit(.mtuChanged(link, mtu)) }
    }

    /// The application answers a client's request, which may be over by now.
    package mutating func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        now: Instant
    ) {
        let actions = server.answer(request, result, now: now)
        perform(actions)
        for case .respond(let bearer, _) in actions {
            if let handle = handles[bearer.client.link] { pump(handle, now: now) }
        }
    }

    /// What the server wants done.
    mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions { perform(action) }
    }

    private mutating func perform(_ action: GATTServer.Action) {
        switch action {
        case .respond(let bearer, let answer):
            guard let handle = handles[bearer.client.link] else { return }
            respond(answer, on: bearer, of: handle)
        case .ask(let request, let question):
            emit(.served(question.client.link, .asked(request, question)))
        case .told(let client, .written(let entries)):
            emit(.served(client.link, .written(entries)))
        case .told(let client, .subscribed(let value, let kind)):
            emit(.served(client.link, .subscribed(value, kind)))
        case .indicate(let bearer, let indication): indicate(indication, on: bearer)
        case .remember(let client, let memory): remember(memory, of: client.link)
        case .violated(let client, let text):
            emit(.log("link \(client.rawValue): the client broke the protocol: \(text)"))
        }
    }
}

extension HostCore {
    /// Fills in Generic Access (Vol 3, Part C, 12).
    mutating func describeDevice() {
        server.setGenericAccess(
            name: configuration.name,
            appearance: configuration.appearance,
            preferred: configuration.preferredConnectionParameters.map {
                HCI.ConnectionParameters($0).preferredParameters
            }
        )
    }
}

extension HCI.ConnectionParameters {
    /// The value of Peripheral Preferred Connection Parameters (Vol 3, Part C, 12.3).
    fileprivate var preferredParameters: [UInt8] {
        var writer = ByteWriter(reservingCapacity: 8)
        writer.write(intervalMinimum.rawValue)
        writer.write(intervalMaximum.rawValue)
        writer.write(peripheralLatency)
        writer.write(supervisionTimeout.rawValue)
        return writer.bytes
    }
}

// What the application does with the table and its values.
extension HostCore {
    package mutating func publish(
        _ definition: GATT.ServiceDefinition,
        now: Instant
    ) throws(GATT.DefinitionError) -> GATT.PublishedService {
        let (service, actions) = try server.publish(definition)
        perform(actions)
        if !actions.isEmpty { pumpAll(now: now) }
        return service
    }

    package mutating func unpublish(
        _ service: AttributeHandle,
        now: Instant
    ) throws(GATT.DefinitionError) {
        perform(try server.unpublish(service))
        pumpAll(now: now)
    }

    package mutating func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) {
        try server.setValue(value, of: handle)
    }

    package func value(of handle: AttributeHandle) -> [UInt8]? { server.value(of: handle) }

    /// The links whose clients have subscribed to a value, oldest first.
    package func subscribers(
        of handle: AttributeHandle
    ) -> [(identifier: LinkIdentifier, peer: DeviceAddress)] {
        server.subscribers(of: handle).compactMap { client in
            handles[client.link].flatMap { links[$0]?.identity }.map { (client.link, $0) }
        }
    }

    package func subscriptions(
        of link: LinkIdentifier
    ) -> [AttributeHandle: GATT.SubscriptionKind] {
        server.subscriptions(of: link.client)
    }

    package mutating func authorize(_ isAuthorized: Bool, on link: LinkIdentifier) {
        server.authorize(link.client, isAuthorized)
        if let handle = handles[link] { links[handle]?.isAuthorized = isAuthorized }
    }

    /// Whether there is such a link.
    package func isOpen(_ link: LinkIdentifier) -> Bool { handles[link] != nil }
}

extension LinkIdentifier {
    /// The link's peer as a client of the server.
    var client: GATTServer.ClientID { .init(rawValue: rawValue) }

    /// The bearer that every link has.
    var fixedBearer: GATTServer.BearerID { .init(client: client, channel: 0x0004) }
}

extension GATTServer.ClientID {
    /// The link that the client is on.
    var link: LinkIdentifier { LinkIdentifier(rawValue: rawValue) }
}

extension GATTServer.Question {
    /// Who asks.
    var client: GATTServer.ClientID {
        switch self {
        case .read(let client, _, _), .write(let client, _, _): client
        }
    }
}
