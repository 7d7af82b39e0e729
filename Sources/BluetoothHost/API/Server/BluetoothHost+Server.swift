// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The host as a server. All peers share one database, whichever side made the link.
//
// Services can be published before `start()`, and stay until they are unpublished, because the
// database does not depend on the controller. The database always contains Generic Access and
// Generic Attribute.
extension BluetoothHost {
    /// The maximum number of events that `serverEvents()` holds for a busy reader.
    public static let serverEventLimit = 16_384

    /// Adds a service to the database that peers discover.
    ///
    /// ```swift
    /// let service = try await host.publish(
    ///     GATT.ServiceDefinition(
    ///         BluetoothUUID(0x180F),
    ///         [.init(BluetoothUUID(0x2A19), [.read, .notify], value: .stored([100]))]
    ///     )
    /// )
    /// let level = service.characteristics[0].valueHandle
    /// try await host.setValue([99], of: level)
    /// ```
    ///
    /// The host indicates the change to the clients that subscribed to Service Changed: at once to
    /// connected clients, and to other bonded clients when they encrypt their next link (Vol 3,
    /// Part G, 7.1).
    ///
    /// - Parameter definition: The service.
    /// - Returns: The service with its handles.
    /// - Throws: `GATT.DefinitionError` if the database cannot contain the service.
    @discardableResult
    public func publish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.DiscoveredService {
        defer { drain() }
        return try core.publish(definition, now: executor.now)
    }

    /// Removes a service from the database.
    ///
    /// The host removes the clients' subscriptions to the service, and indicates the change as
    /// `publish(_:)` does.
    ///
    /// The host does not refuse requests that wait for an answer of the application: the client
    /// still gets the response to which the answer leads. A write then changes no stored value of
    /// the service, and a read of several values finds no further value of the service.
    ///
    /// - Parameter service: The service, from `publish(_:)`.
    /// - Throws: `GATT.DefinitionError`: `notPublished` if the service is not in the database,
    ///   `reserved` if it is one of the host's own, and `stillIncluded` if another service includes
    ///   it.
    public func unpublish(_ service: GATT.DiscoveredService) throws(GATT.DefinitionError) {
        defer { drain() }
        try core.unpublish(service.service.handle, now: executor.now)
    }

    /// Replaces a value that the server stores (`GATT.ValueSource.stored`). The host does not
    /// notify clients; `Link.notify(_:of:)` does.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - handle: The handle of the value.
    /// - Throws: `GATT.DefinitionError`: `notPublished` if there is no such value, `notStored` if
    ///   the application provides the value, and `valueTooLong`.
    public func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) {
        try core.setValue(value, of: handle)
    }

    /// Returns a value that the server stores, including changes by clients; `nil` if the server
    /// stores no value with this handle.
    ///
    /// - Parameter handle: The handle of the value.
    public func value(of handle: AttributeHandle) -> [UInt8]? {
        core.value(of: handle)
    }

    /// Returns the links whose clients have subscribed to a value, oldest first.
    ///
    /// - Parameter handle: The handle of the value.
    public func subscribers(of handle: AttributeHandle) -> [Link] {
        core.subscribers(of: handle).map {
            Link(host: self, identifier: $0.identifier, address: $0.peer)
        }
    }

    /// Returns a stream of the requests and other events of clients from now on.
    ///
    /// While there is no reader, the host refuses reads and writes of `dynamic` values with
    /// `unlikelyError`, including requests that a former reader left unread. Other requests
    /// work as usual. A reader that prefers `executor.taskExecutor` gets each event without a
    /// change of threads.
    ///
    /// If a reader is more than `serverEventLimit` events behind, the host drops commands, which
    /// ATT lets a server discard (Vol 3, Part F, 3.3.2), and refuses further requests with
    /// `insufficientResources`. It also drops the event ``ServerEvent/written(_:_:)``, whose values
    /// ``value(of:)`` returns. If any other event would be lost, the stream ends.
    ///
    /// - Returns: The stream, which keeps the host alive. It ends when the host is shut down.
    /// - Throws: ``HostError/busy`` if there is another stream, and ``HostError/closed`` after the
    ///   host was shut down.
    public func serverEvents() throws(HostError) -> ServerEventStream {
        guard core.state != .closed else { throw .closed }
        let links = port.links.map { Link(host: self, identifier: $0.identifier, address: $0.peer) }
        // The closure keeps the host alive until the stream ends and releases it.
        let opened = serverEventRouter.open(with: links) { number in
            self.execute { $0.serverEventRouter.close(number) }
        }
        guard let opened else { throw .busy }
        return opened.stream
    }
}

extension BluetoothHost {
    /// The attribute types of the database by handle, including the host's own services.
    package var attributeTypes: [AttributeHandle: BluetoothUUID] {
        Dictionary(
            uniqueKeysWithValues: core.context.server.database.attributes.map {
                ($0.handle, $0.type)
            }
        )
    }
}

extension BluetoothHost {
    /// Answers a client's request; see `GATTServer.answer(_:_:at:now:)`.
    package func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle? = nil
    ) {
        core.answer(request, result, at: handle, now: executor.now)
        drain()
    }
}
