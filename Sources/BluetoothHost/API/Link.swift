// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A connection to one peer, from `BluetoothHost.connect(to:options:)`.
///
/// A value that names the link: copies name the same one. It does not keep the link up, and letting
/// go of it does not end the link; `disconnect()` does.
///
/// GATT operations are queued, and are sent in the order of the calls. Each throws `GATT.Failure`
/// if the peer refuses or misbehaves, `SecurityRefusal` if it refuses for want of protection and
/// pairing for that fails, `HostError.disconnected` if the link ends first, and
/// `CancellationError` if its task is cancelled; a peer that has a request already will still act
/// on it.
public struct Link: Sendable, Hashable {
    /// The host that the link belongs to.
    public let host: BluetoothHost

    /// Its name in the host's port.
    package let identifier: LinkIdentifier

    /// The peer's address, as it was used to connect.
    public let address: DeviceAddress

    /// The link of this name, whether or not there is one.
    package init(host: BluetoothHost, identifier: LinkIdentifier, address: DeviceAddress) {
        self.host = host
        self.identifier = identifier
        self.address = address
    }

    /// Whether both name the same link.
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
    /// The primary services of the peer, all of them or those with one UUID
    /// (Vol 3, Part G, 4.4).
    public func discoverServices(uuid: BluetoothUUID? = nil) async throws -> [GATT.Service] {
        guard case .services(let services) = try await gatt(.discoverPrimaryServices(uuid: uuid))
        else { throw HostError.malformedAnswer }
        return services
    }

    /// The secondary services of the peer, which only have meaning where others include them; a
    /// peer may refuse to list them (Vol 3, Part G, 3.1).
    public func discoverSecondaryServices() async throws -> [GATT.Service] {
        guard case .services(let services) = try await gatt(.discoverSecondaryServices)
        else { throw HostError.malformedAnswer }
        return services
    }

    /// The services that a service includes (Vol 3, Part G, 4.5.1).
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

    /// The characteristics of a service, all of them or those with one UUID
    /// (Vol 3, Part G, 4.6).
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

    /// The descriptors of a characteristic (Vol 3, Part G, 4.7.1).
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
    /// Reads what fits into one response of a value or descriptor: its first `mtu - 1` bytes
    /// (Vol 3, Part G, 4.8.1).
    public func read(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await value(.read(handle))
    }

    /// Reads a whole value or descriptor, at most 512 bytes, in as many requests as it takes
    /// (Vol 3, Part G, 4.8.3).
    public func readLong(_ handle: AttributeHandle) async throws -> [UInt8] {
        try await value(.readLong(handle))
    }

    /// Reads the values of all characteristics with this UUID in a range of handles
    /// (Vol 3, Part G, 4.8.2).
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

    /// Reads several values at once, joined without a mark between them: all but the last must have
    /// a length the caller knows (Vol 3, Part G, 4.8.4).
    public func readJoined(_ handles: [AttributeHandle]) async throws -> [UInt8] {
        try await value(.readMultiple(handles))
    }

    /// Reads several values of any length at once; an older peer refuses this
    /// (Vol 3, Part G, 4.8.5).
    public func read(_ handles: [AttributeHandle]) async throws -> [[UInt8]] {
        guard case .values(let values) = try await gatt(.readMultipleVariable(handles))
        else { throw HostError.malformedAnswer }
        return values.map(\.value)
    }

    /// Writes a value or descriptor and waits until the peer has accepted it. What does not fit
    /// into one request, up to 512 bytes, goes in parts that the peer puts together and applies as
    /// one (Vol 3, Part G, 4.9.3 and 4.9.4).
    public func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await gatt(.write(handle, bytes))
    }

    /// Writes without being told whether the peer accepted it. Returns when the controller's
    /// buffers have room for it, so that a loop of these runs at the speed of the link; at most
    /// `mtu - 3` bytes (Vol 3, Part G, 4.9.1).
    public func writeWithoutResponse(
        _ bytes: [UInt8],
        to handle: AttributeHandle
    ) async throws {
        _ = try await gatt(.writeWithoutResponse(handle, bytes))
    }

    /// Writes without being told whether the peer accepted it, and proves by a signature who wrote,
    /// where the link with a bonded peer is not encrypted: everybody can read the value then, and
    /// nobody change it or send it again. At most `mtu - 15` bytes. Being meant for such links, this
    /// alone does not wait until the link with a bonded peer is encrypted.
    ///
    /// On an encrypted link, which proves as much, it is an ordinary write without response
    /// (Vol 3, Part G, 4.9.2), and so it is, once the link is encrypted, for a peer that took no key
    /// to check signatures with. Throws `HostError.notBonded` if no keys are shared with the peer.
    public func writeSigned(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await host.request(.writeSigned(handle, bytes), of: identifier)
    }

    /// Writes several values which the peer applies together or not at all; each is echoed by the
    /// peer and compared before (Vol 3, Part G, 4.9.5).
    public func writeReliably(_ values: [GATT.AttributeValue]) async throws {
        _ = try await gatt(.reliableWrite(values))
    }

    private func value(_ operation: GATT.Operation) async throws -> [UInt8] {
        guard case .value(let bytes) = try await gatt(operation)
        else { throw HostError.malformedAnswer }
        return bytes
    }
}
