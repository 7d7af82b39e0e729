// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes

/// A peer that is connected through the daemon's port.
struct DaemonPeer: PeripheralLink {
    let client: DaemonClient
    let link: LinkIdentifier
    let address: DeviceAddress

    var mtu: Int {
        get async throws {
            // The daemon reports the MTU as a property of characteristics.
            _ = try await database
            guard case .mtu(let mtu) = try await perform(.exchangeMTU) else {
                throw PortError.unanswered
            }
            return mtu
        }
    }

    // MARK: The link

    /// The protection, which the daemon does not report.
    var protection: LinkSecurity? { nil }

    var bond: AccessoryBond? {
        get async { await client.bond(of: link) }
    }

    /// Pairs as the daemon chooses. The policy is ignored.
    func secure(_ policy: Pairing.Policy) async throws {
        _ = try await client.perform(.pair, on: link)
    }

    func readRSSI() async throws -> Int? {
        guard case .rssi(let rssi) = try await client.perform(.readRSSI, on: link) else {
            throw PortError.unanswered
        }
        return rssi
    }

    func endReason() async throws -> String { try await client.end(of: link).reasonText }

    func disconnect() async throws {
        _ = try await client.perform(.disconnect, on: link)
        _ = try await client.end(of: link)
    }

    // MARK: Discovery

    // The port discovers the whole database once, and these methods select from it.

    func discoverServices(uuid: BluetoothUUID?) async throws -> [GATT.Service] {
        try await database.services.map(\.service).filter {
            $0.isPrimary && (uuid == nil || $0.uuid == uuid)
        }
    }

    func discoverSecondaryServices() async throws -> [GATT.Service] {
        try await database.services.map(\.service).filter { !$0.isPrimary }
    }

    func discoverIncludedServices(of service: GATT.Service) async throws -> [GATT.IncludedService] {
        try await database.services.first { $0.service == service }?.includes ?? []
    }

    func discoverCharacteristics(
        of service: GATT.Service,
        uuid: BluetoothUUID?
    ) async throws -> [GATT.Characteristic] {
        let found = try await database.services.first { $0.service == service }
        return (found?.characteristics ?? []).map(\.characteristic).filter {
            uuid == nil || $0.uuid == uuid
        }
    }

    func discoverCharacteristics(uuid: BluetoothUUID?) async throws -> [GATT.Characteristic] {
        try await database.characteristics.map(\.characteristic).filter {
            uuid == nil || $0.uuid == uuid
        }
    }

    func discoverDescriptors(
        of characteristic: GATT.Characteristic
    ) async throws -> [GATT.Descriptor] {
        try await database.characteristic(valueHandle: characteristic.valueHandle)?.descriptors
            ?? []
    }

    private var database: GATT.Database {
        get async throws {
            guard case .database(let database) = try await client.perform(.database, on: link)
            else { throw PortError.unanswered }
            return database
        }
    }

    // MARK: Values

    /// Returns no values, because a port has no request for values by their UUID.
    func read(
        uuid: BluetoothUUID,
        first: AttributeHandle,
        last: AttributeHandle
    ) async throws -> [GATT.AttributeValue] { [] }

    func readLong(_ handle: AttributeHandle) async throws -> [UInt8] {
        guard case .value(let bytes) = try await perform(.readLong(handle)) else {
            throw PortError.unanswered
        }
        return bytes
    }

    func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await perform(.write(handle, bytes))
    }

    func writeWithoutResponse(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        _ = try await perform(.writeWithoutResponse(handle, bytes))
    }

    /// Reads a value, to confirm that earlier writes without response were sent: the daemon sends
    /// requests and commands in order. Without a readable value, nothing is confirmed.
    func confirmArrival() async throws {
        let readable = try await database.characteristics.first {
            $0.characteristic.properties.contains(.read)
        }
        guard let readable else { return }
        do {
            let operation = GATT.Operation.read(readable.valueHandle)
            _ = try await client.perform(.gatt(operation, securesOnDemand: false), on: link)
        } catch GATT.Failure.attribute {
            // A refusal is an answer too.
        }
    }

    func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind?
    ) async throws -> DaemonClient.Values {
        let handle = characteristic.valueHandle
        guard let preferred = characteristic.subscriptionKind else {
            throw HostError.notSubscribable
        }
        let descriptor = try await configurationHandle(of: characteristic)
        // The values that arrive before the answer are kept.
        let values = await client.values(of: handle, configuredBy: descriptor)
        _ = try await perform(
            .subscribe(valueHandle: handle, descriptor: descriptor, kind ?? preferred)
        )
        return values
    }

    /// Returns the handle of the Client Characteristic Configuration descriptor.
    private func configurationHandle(
        of characteristic: GATT.Characteristic
    ) async throws -> AttributeHandle {
        let found = try await database.characteristic(valueHandle: characteristic.valueHandle)
        let descriptor = found?.descriptor(GATT.AttributeType.clientCharacteristicConfiguration)
        guard let descriptor else { throw HostError.notSubscribable }
        return descriptor.handle
    }

    private func perform(_ operation: GATT.Operation) async throws -> GATT.Outcome {
        guard case .gatt(let outcome) = try await client.perform(.gatt(operation), on: link) else {
            throw PortError.unanswered
        }
        return outcome
    }
}
