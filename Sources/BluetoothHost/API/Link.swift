// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A connection to one peer, from ``BluetoothHost/connect(to:options:)`` or
/// ``BluetoothHost/incomingLinks``.
///
/// The value identifies the link, and copies identify the same link. Dropping the value does not
/// end the link; ``disconnect()`` does.
///
/// The host queues GATT operations and sends them in the order of the calls, unless the link has
/// additional bearers (``openEnhancedBearers(_:)``). A peer that has already received the request
/// of a canceled task may still perform it. GATT operations throw these errors:
///
/// - `GATT.Failure`: `attribute` if the peer refuses the operation, `protocolViolation` if the peer
///   violates the protocol, `timedOut` if the peer does not respond within 30 seconds (Vol 3, Part
///   F, 3.3.3), and `queueFull` if 256 operations are in progress on the bearer.
/// - ``SecurityRefusal`` if the peer requires more protection and the pairing for that fails, and
///   the ``HostError`` of ``pair(_:)`` if the host cannot secure the link for another reason.
/// - ``HostError/notEncrypted`` if the peer is bonded and the link is not encrypted within 35
///   seconds.
/// - ``HostError/tooManyRequests`` if a queue of the host is full.
/// - The reason why the link ended, if the link ends first or has ended:
///   ``HostError/disconnected(_:)``, ``HostError/adapter(_:)`` if the adapter failed,
///   ``HostError/closed`` if the host was shut down, or the error for which the host ended the
///   link, such as ``HostError/bondLost``.
/// - `CancellationError` if the task is canceled.
public struct Link: Sendable, Hashable {
    /// The host of the link.
    public let host: BluetoothHost

    /// The number that identifies the link on its host.
    package let identifier: LinkIdentifier

    /// The peer's identity address if the peer was bonded when the host created this value,
    /// otherwise the address that the peer used when the link was made.
    public let address: DeviceAddress

    /// Creates the value for an identifier, whether or not the link is open.
    package init(host: BluetoothHost, identifier: LinkIdentifier, address: DeviceAddress) {
        self.host = host
        self.identifier = identifier
        self.address = address
    }

    /// Returns whether both values identify the same link.
    public static func == (left: Link, right: Link) -> Bool {
        left.host === right.host && left.identifier == right.identifier
    }

    /// Hashes the identity of the link.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }

    func gatt(_ operation: GATT.Operation) async throws -> GATT.Outcome {
        let answer = try await host.request(.gatt(operation), of: identifier)
        guard case .gatt(let outcome) = answer else { throw HostError.malformedAnswer }
        return outcome
    }
}

// Discovery.
extension Link {
    /// Discovers the peer's primary services (Vol 3, Part G, 4.4).
    ///
    /// - Parameter uuid: The UUID of the services to return; `nil` for all services.
    /// - Returns: The services in the order of their handles; empty if the peer has none.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 services.
    public func discoverServices(uuid: BluetoothUUID? = nil) async throws -> [GATT.Service] {
        guard case .services(let services) = try await gatt(.discoverPrimaryServices(uuid: uuid))
        else { throw HostError.malformedAnswer }
        return services
    }

    /// Discovers the peer's secondary services, which are meaningful only where other services
    /// include them. A peer may refuse to list them (Vol 3, Part G, 3.1).
    ///
    /// - Returns: The services in the order of their handles; empty if the peer has none.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 services.
    public func discoverSecondaryServices() async throws -> [GATT.Service] {
        guard case .services(let services) = try await gatt(.discoverSecondaryServices)
        else { throw HostError.malformedAnswer }
        return services
    }

    /// Discovers the services that a service includes (Vol 3, Part G, 4.5.1).
    ///
    /// - Parameter service: The service whose include declarations the host reads.
    /// - Returns: The included services in the order of their declarations; empty if there are
    ///   none.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 declarations.
    public func discoverIncludedServices(
        of service: GATT.Service
    ) async throws -> [GATT.IncludedService] {
        let operation = GATT.Operation.findIncludedServices(
            first: service.handle,
            last: service.endHandle
        )
        guard case .includedServices(let services) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return services
    }

    /// Discovers the characteristics of a service (Vol 3, Part G, 4.6).
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - uuid: The UUID of the characteristics to return; `nil` for all characteristics.
    /// - Returns: The characteristics in the order of their handles; empty if there are none.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 characteristics.
    public func discoverCharacteristics(
        of service: GATT.Service,
        uuid: BluetoothUUID? = nil
    ) async throws -> [GATT.Characteristic] {
        let operation = GATT.Operation.discoverCharacteristics(
            first: service.handle,
            last: service.endHandle,
            uuid: uuid
        )
        guard case .characteristics(let characteristics) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return characteristics
    }

    /// Discovers characteristics in all services, without a discovery of the services.
    ///
    /// If the host knows the peer's database (see ``database()``), the characteristics come from
    /// the database, which takes at most one request unless the peer has changed the database.
    /// Otherwise, the host reads the declarations of all characteristics, and does not know where
    /// services end. For the last characteristic of a service, the handles up to `endHandle` then
    /// include the declaration of the next service.
    ///
    /// - Parameter uuid: The UUID of the characteristics to return; `nil` for all characteristics.
    /// - Returns: The characteristics in the order of their handles; empty if there are none.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 characteristics.
    public func discoverCharacteristics(
        uuid: BluetoothUUID? = nil
    ) async throws -> [GATT.Characteristic] {
        if await host.canRecallDatabase(of: identifier) {
            return try await database().characteristics.map(\.characteristic)
                .filter { uuid == nil || $0.uuid == uuid }
        }
        let operation = GATT.Operation.discoverCharacteristics(
            first: .first,
            last: .last,
            uuid: uuid
        )
        guard case .characteristics(let characteristics) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return characteristics
    }

    /// Discovers the descriptors of a characteristic (Vol 3, Part G, 4.7.1).
    ///
    /// - Parameter characteristic: The characteristic.
    /// - Returns: The descriptors in the order of their handles. The array is empty, and the host
    ///   sends no request, if the characteristic has no handles after its value.
    /// - Throws: The errors of a GATT operation (see ``Link``), and
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 descriptors.
    public func discoverDescriptors(
        of characteristic: GATT.Characteristic
    ) async throws -> [GATT.Descriptor] {
        guard let range = characteristic.descriptorHandles else { return [] }
        let operation = GATT.Operation.discoverDescriptors(
            first: range.lowerBound,
            last: range.upperBound
        )
        guard case .descriptors(let descriptors) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return descriptors
    }
}

// Values.
extension Link {
    /// Reads the part of a value or descriptor that fits into one response (Vol 3, Part G, 4.8.1).
    ///
    /// - Parameter handle: The handle of the value or descriptor.
    /// - Returns: The first `mtu - 1` bytes at most.
    /// - Throws: The errors of a GATT operation (see ``Link``).
    public func read(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await value(.read(handle))
    }

    /// Reads a whole value or descriptor in as many requests as necessary (Vol 3, Part G, 4.8.3).
    ///
    /// - Parameter handle: The handle of the value or descriptor.
    /// - Returns: The value, at most 512 bytes. If the value changes during the operation, the
    ///   result may combine old and new parts.
    /// - Throws: The errors of a GATT operation (see ``Link``).
    public func readLong(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await value(.readLong(handle))
    }

    /// Reads the values of all characteristics with a UUID in a range of handles (Vol 3, Part G,
    /// 4.8.2).
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristics.
    ///   - first: The first handle of the range.
    ///   - last: The last handle of the range.
    /// - Returns: The values with their handles, in the order of the handles. Each is the part of
    ///   the value that fits into one response. The array is empty if `first` is greater than
    ///   `last`.
    /// - Throws: The errors of a GATT operation (see ``Link``): `GATT.Failure.attribute` with
    ///   `attributeNotFound` if there is no such characteristic. Also
    ///   `GATT.Failure.tooManyAttributes` if there are more than 4,096 values.
    public func read(
        uuid: BluetoothUUID,
        first: AttributeHandle = .first,
        last: AttributeHandle = .last
    ) async throws -> [GATT.AttributeValue] {
        guard
            case .values(let values) = try await gatt(
                .readUsingUUID(uuid, first: first, last: last)
            )
        else { throw HostError.malformedAnswer }
        return values
    }

    /// Reads several values in one request, concatenated without separators (Vol 3, Part G, 4.8.4).
    ///
    /// - Parameter handles: The handles of the values, 2 to `(mtu - 1) / 2`. All values but the
    ///   last must have a length that the caller knows.
    /// - Returns: The values in the order of `handles`, cut off after `mtu - 1` bytes.
    /// - Throws: The errors of a GATT operation (see ``Link``), and `GATT.Failure.invalidOperation`
    ///   if there are too few or too many handles.
    public func readJoined(_ handles: [AttributeHandle]) async throws -> [UInt8] {
        try await value(.readMultiple(handles))
    }

    /// Reads several values of any length in one request. Peers that implement a version before 5.2
    /// refuse this (Vol 3, Part G, 4.8.5).
    ///
    /// - Parameter handles: The handles of the values, 2 to `(mtu - 1) / 2`.
    /// - Returns: The values in the order of `handles`. Values that do not fit into the response
    ///   are missing at the end, and the last one may be truncated (`isTruncated`).
    /// - Throws: The errors of a GATT operation (see ``Link``), and `GATT.Failure.invalidOperation`
    ///   if there are too few or too many handles.
    public func read(_ handles: [AttributeHandle]) async throws -> [GATT.AttributeValue] {
        guard case .values(let values) = try await gatt(.readMultipleVariable(handles))
        else { throw HostError.malformedAnswer }
        return values
    }

    /// Writes a value or descriptor and waits until the peer has accepted it (Vol 3, Part G, 4.9.3
    /// and 4.9.4).
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most 512 bytes. The host sends a value that does not fit into
    ///     one request in parts, and the peer applies them as one.
    ///   - handle: The handle of the value or descriptor.
    /// - Throws: The errors of a GATT operation (see ``Link``), `GATT.Failure.valueTooLong` if the
    ///   value has more than 512 bytes, and `GATT.Failure.echoMismatch` if the peer returns other
    ///   bytes for a part, in which case the peer writes nothing.
    public func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await gatt(.write(handle, bytes))
    }

    /// Writes a value without a response from the peer (Vol 3, Part G, 4.9.1).
    ///
    /// Returns when the value is in the controller's buffers or in the queue of at most eight
    /// frames before them, so that a loop of these calls runs at the speed of the link.
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most `mtu - 3` bytes and at most 512.
    ///   - handle: The handle of the value.
    /// - Throws: The errors of a GATT operation (see ``Link``), and `GATT.Failure.valueTooLong`.
    ///   The peer reports no refusal.
    public func writeWithoutResponse(
        _ bytes: [UInt8],
        to handle: AttributeHandle
    ) async throws {
        try Task.checkCancellation()
        if host.writeWithoutSuspension(bytes, to: handle, on: identifier) { return }
        _ = try await gatt(.writeWithoutResponse(handle, bytes))
    }

    /// Writes a value with a signature and without a response from the peer (Vol 3, Part G, 4.9.2).
    ///
    /// The signature authenticates the value on an unencrypted link with a bonded peer. Other
    /// devices can read the value, but cannot change or repeat it. Unlike all other GATT
    /// operations, this one does not wait until the link with a bonded peer is encrypted.
    ///
    /// On an encrypted link, the encryption authenticates the value, and the host sends an ordinary
    /// write without response. If the bond has no key for signatures of this host, the host waits
    /// until the link is encrypted, and then sends an ordinary write without response.
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most `mtu - 15` bytes and at most 512.
    ///   - handle: The handle of the value.
    /// - Throws: ``HostError/notBonded`` if the host shares no keys with the peer or has used all
    ///   signature counters, `GATT.Failure.valueTooLong`, and the errors of a GATT operation (see
    ///   ``Link``). The peer reports no refusal.
    public func writeSigned(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await host.request(.writeSigned(handle, bytes), of: identifier)
    }

    /// Writes several values that the peer applies together or not at all. The peer returns each
    /// value, and the host compares it before the peer applies any (Vol 3, Part G, 4.9.5).
    ///
    /// - Parameter values: The values with their handles: at least one value, each with at most 512
    ///   bytes.
    /// - Throws: The errors of a GATT operation (see ``Link``), `GATT.Failure.echoMismatch` if the
    ///   peer returns other bytes, `GATT.Failure.valueTooLong`, and `GATT.Failure.invalidOperation`
    ///   if `values` is empty. In the last three cases, the peer writes nothing.
    public func writeReliably(_ values: [GATT.AttributeValue]) async throws {
        _ = try await gatt(.reliableWrite(values))
    }

    private func value(_ operation: GATT.Operation) async throws -> [UInt8] {
        guard case .value(let bytes) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return bytes
    }
}
