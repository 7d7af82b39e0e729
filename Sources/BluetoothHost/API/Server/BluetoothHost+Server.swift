// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// The host as a server: one table of services for all peers, whichever side made the link.
//
// Services can be published before `start()`, and stay until they are unpublished: the table does
// not know whether there is a controller. Generic Access and Generic Attribute are always in it.
extension BluetoothHost {
    /// How many events `serverEvents()` holds for a reader that is busy.
    public static let serverEventLimit = 16_384

    /// Adds a service to the table that peers find.
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
    /// Clients that are there and have subscribed to Service Changed are told; bonded ones that are
    /// away are told when they are back (Vol 3, Part G, 7.1).
    ///
    /// - Returns: the service with the handles that it was given.
    @discardableResult
    public func publish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.PublishedService {
        defer { drain() }
        return try core.publish(definition, now: executor.now)
    }

    /// Takes a service out of the table. What clients wait for in it is refused, subscriptions to
    /// it are forgotten, and clients are told of the change as by `publish(_:)`.
    ///
    /// Throws `notPublished` if the service is not in the table, `reserved` if it is one of the host's
    /// own, and `stillIncluded` if another service includes it.
    public func unpublish(_ service: GATT.PublishedService) throws(GATT.DefinitionError) {
        defer { drain() }
        try core.unpublish(service.service.handle, now: executor.now)
    }

    /// Replaces a value that the server keeps (`GATT.ValueSource.stored`), without telling anybody:
    /// `Link.notify(_:of:)` does that.
    ///
    /// Throws `notPublished` if there is no such value, `notStored` if the server does not keep it,
    /// and `valueTooLong`.
    public func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) {
        try core.setValue(value, of: handle)
    }

    /// A value that the server keeps, as clients left it; nil if it keeps none by this handle.
    public func value(of handle: AttributeHandle) -> [UInt8]? {
        core.value(of: handle)
    }

    /// The links whose clients have subscribed to a value, oldest first.
    public func subscribers(of handle: AttributeHandle) -> [Link] {
        core.subscribers(of: handle).map {
            Link(host: self, identifier: $0.identifier, address: $0.peer)
        }
    }

    /// What clients do, from now on.
    ///
    /// One reader at a time: `HostError.busy` is thrown while another has a stream, and
    /// `HostError.closed` after the host was shut down, which ends a stream too. While there is no
    /// reader, reads and writes of `dynamic` values are refused with `unlikelyError`, those too
    /// that a reader left unread, and all else works as always.
    ///
    /// Who falls more than `serverEventLimit` events behind misses what ATT lets a server discard,
    /// commands (Vol 3, Part F, 3.3.2), and refuses further requests with `insufficientResources`;
    /// if anything else would be lost, the stream ends. A reader that prefers
    /// `executor.taskExecutor` gets each event without a change of threads.
    public func serverEvents() throws(HostError) -> AsyncStream<ServerEvent> {
        guard core.state != .closed else { throw .closed }
        guard let (stream, reader, number) = serverEventRouter.open(for: self) else {
            throw .busy
        }
        reader.onTermination = { [weak self] _ in
            self?.enter { $0.serverEventRouter.close(number) }
        }
        return stream
    }
}

extension BluetoothHost {
    /// What is at each handle of the table that peers find now, the host's own services included.
    package var attributeTypes: [AttributeHandle: BluetoothUUID] {
        Dictionary(
            uniqueKeysWithValues: core.server.database.attributes.map { ($0.handle, $0.type) }
        )
    }
}

// What the requests of clients come back with.
extension BluetoothHost {
    /// Answers a client, whose request may be over by now.
    package func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>
    ) {
        core.answer(request, result, now: executor.now)
        drain()
    }
}
