// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

/// The operations of commands on a characteristic of a connected accessory.
struct CharacteristicOperations: Sendable {
    let accessory: any ConnectedAccessory
    let limits: StepLimits

    /// Reads the whole value.
    func read(_ reference: CharacteristicReference) async throws -> ValueReport {
        if let report = try await readByUUID(reference) { return report }
        let characteristic = try await find(reference)
        let bytes = try await limits.run("reading \(reference)") {
            try await accessory.readLong(characteristic.valueHandle)
        }
        return ValueReport(address: accessory.address, characteristic, bytes)
    }

    /// Reads the value by its UUID, without a discovery of characteristics (Vol 3, Part G, 4.8.2).
    /// Returns `nil` if the reference is a handle, or if the accessory does not return exactly one
    /// value.
    private func readByUUID(_ reference: CharacteristicReference) async throws -> ValueReport? {
        guard case .uuid(let uuid) = reference.identity else { return nil }
        return try await limits.run("reading \(reference)") {
            var values: [GATT.AttributeValue] = []
            for handles in try await ranges(of: reference.service) {
                values += try await self.values(of: uuid, in: handles)
            }
            guard values.count == 1, let found = values.first else { return nil }
            // A longer value may be cut off at this length (Vol 3, Part F, 3.4.4.2).
            let limit = ATT.ReadByTypeResponse.valueLengthLimit
            let isWhole = try await found.value.count < min(accessory.mtu - 4, limit)
            return ValueReport(
                address: accessory.address,
                uuid: uuid,
                valueHandle: found.handle.rawValue,
                bytes: isWhole ? found.value : try await accessory.readLong(found.handle)
            )
        }
    }

    /// Returns the handles of the services with a UUID, or, with `nil`, all handles.
    private func ranges(of service: BluetoothUUID?) async throws -> [ClosedRange<AttributeHandle>] {
        guard let service else { return [.first ... .last] }
        return try await accessory.discoverServices(uuid: service).map(\.handles)
    }

    /// Returns the values that the accessory returns; none if it refuses the request or its
    /// response is malformed.
    ///
    /// BTstack's response to a value of more than 253 bytes has a wrong length, because the length
    /// has one byte (Vol 3, Part F, 3.4.4.2). Reads by handle get such a value.
    private func values(
        of uuid: BluetoothUUID,
        in handles: ClosedRange<AttributeHandle>
    ) async throws -> [GATT.AttributeValue] {
        do {
            return try await accessory.read(
                uuid: uuid,
                first: handles.lowerBound,
                last: handles.upperBound
            )
        } catch GATT.Failure.attribute, GATT.Failure.protocolViolation {
            return []
        }
    }

    /// Writes the value.
    func write(
        _ bytes: [UInt8],
        to reference: CharacteristicReference,
        withResponse: Bool
    ) async throws -> WriteReport {
        let characteristic = try await find(reference)
        let handle = characteristic.valueHandle
        if withResponse {
            try await limits.run("writing \(reference)") {
                do {
                    try await accessory.write(bytes, to: handle)
                } catch GATT.Failure.attribute(let code, _)
                    where Self.needsWriteWithoutResponse(characteristic, code)
                {
                    throw ProgramFailure(
                        .refused,
                        "writing \(reference): refused: \(code)",
                        advice: "it supports only writes without response: use --without-response"
                    )
                }
            }
        } else {
            try requireWriteWithoutResponse(characteristic, reference)
            try await limits.run("writing \(reference)") {
                try await accessory.writeWithoutResponse(bytes, to: handle)
            }
            try await limits.run("waiting for the write to arrive") {
                try await accessory.confirmArrival()
            }
        }
        return WriteReport(
            address: accessory.address,
            characteristic: characteristic,
            count: bytes.count,
            withResponse: withResponse
        )
    }

    /// Subscribes, and passes each value that arrives to `receive`. Ends only with an error, for
    /// example when the link ends.
    func receiveValues(
        of characteristic: GATT.Characteristic,
        named reference: CharacteristicReference,
        kind: GATT.SubscriptionKind?,
        receive: @Sendable (ValueReport) throws -> Void
    ) async throws {
        let values = try await subscribe(to: characteristic, named: reference, kind: kind)
        do {
            for try await bytes in values {
                try receive(ValueReport(address: accessory.address, characteristic, bytes))
            }
        } catch {
            throw ProgramFailure(error, during: "waiting for values of \(reference)")
        }
        throw ProgramFailure(
            .inputOutput,
            "the accessory sends no more values",
            advice: ProgramFailure.tryAgain
        )
    }

    /// Subscribes to a characteristic. Returns the values that arrive.
    ///
    /// - Parameter reference: The reference that found the characteristic, for messages.
    func subscribe(
        to characteristic: GATT.Characteristic,
        named reference: CharacteristicReference,
        kind: GATT.SubscriptionKind?
    ) async throws -> ArrivingValues {
        if kind == .indication, !characteristic.properties.contains(.indicate) {
            throw ProgramFailure(
                .refused,
                "\(reference) does not indicate",
                advice: "leave --indicate out"
            )
        }
        return try await limits.run("subscribing to \(reference)") {
            try await accessory.subscribe(to: characteristic, kind: kind)
        }
    }

    /// Returns the characteristics that the references name, each of them once.
    func findEach(
        of references: [CharacteristicReference]
    ) async throws -> [(CharacteristicReference, GATT.Characteristic)] {
        var found: [(CharacteristicReference, GATT.Characteristic)] = []
        for reference in references {
            let characteristic = try await find(reference)
            guard !found.contains(where: { $0.1.valueHandle == characteristic.valueHandle })
            else { continue }
            found.append((reference, characteristic))
        }
        return found
    }

    /// Returns whether the accessory refused a Write Request because the characteristic supports
    /// only Write Commands.
    private static func needsWriteWithoutResponse(
        _ characteristic: GATT.Characteristic,
        _ code: ATT.ErrorCode
    ) -> Bool {
        characteristic.properties.isDisjoint(with: .write)
            && characteristic.properties.contains(.writeWithoutResponse)
            && [.writeNotPermitted, .requestNotSupported].contains(code)
    }

    /// Checks the property first, because a peer does not report a Write Command that it ignores.
    private func requireWriteWithoutResponse(
        _ characteristic: GATT.Characteristic,
        _ reference: CharacteristicReference
    ) throws {
        guard !characteristic.properties.contains(.writeWithoutResponse) else { return }
        throw ProgramFailure(
            .refused,
            "\(reference) does not support writes without response",
            advice: "leave --without-response out"
        )
    }
}

/// A value with its characteristic.
struct ValueReport: Sendable {
    let address: DeviceAddress
    let uuid: BluetoothUUID
    let valueHandle: UInt16
    let bytes: [UInt8]

    init(address: DeviceAddress, uuid: BluetoothUUID, valueHandle: UInt16, bytes: [UInt8]) {
        self.address = address
        self.uuid = uuid
        self.valueHandle = valueHandle
        self.bytes = bytes
    }

    init(address: DeviceAddress, _ characteristic: GATT.Characteristic, _ bytes: [UInt8]) {
        self.init(
            address: address,
            uuid: characteristic.uuid,
            valueHandle: characteristic.valueHandle.rawValue,
            bytes: bytes
        )
    }

    /// The value in hexadecimal, and its meaning if it is known.
    var line: String {
        let text = ValueText.describe(bytes, ofCharacteristic: uuid)
        guard WellKnownValues.knows(characteristic: uuid), !bytes.isEmpty else { return text }
        return text.hasPrefix(bytes.hexadecimal) ? text : "\(bytes.hexadecimal)  \(text)"
    }

    /// The meaning of the value; `nil` if it is not known.
    var meaning: String? { try? WellKnownValues.describe(bytes, ofCharacteristic: uuid) }

    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("uuid", .string(uuid.description)),
            .init("valueHandle", .integer(Int(valueHandle))),
            .init("value", .bytes(bytes)),
            .init("meaning", .string(orNull: meaning)),
        ])
    }
}

/// A completed write.
struct WriteReport: Sendable {
    let address: DeviceAddress
    let characteristic: GATT.Characteristic
    let count: Int
    let withResponse: Bool

    var line: String {
        let amount = "\(count) \(count == 1 ? "byte" : "bytes")"
        return "\(amount) written to \(characteristic.uuid) #\(characteristic.valueHandle.rawValue)"
            + (withResponse ? "" : ", without response")
    }

    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("uuid", .string(characteristic.uuid.description)),
            .init("valueHandle", .integer(Int(characteristic.valueHandle.rawValue))),
            .init("written", .integer(count)),
            .init("withResponse", .bool(withResponse)),
        ])
    }
}

/// The values that a peer notifies or indicates.
typealias ArrivingValues = any AsyncSequence<[UInt8], any Error> & Sendable

/// The operations on a connected peer that commands need.
protocol ConnectedAccessory: Sendable {
    associatedtype Values: AsyncSequence<[UInt8], any Error> & Sendable

    var address: DeviceAddress { get }
    var mtu: Int { get async throws }

    func discoverServices(uuid: BluetoothUUID?) async throws -> [GATT.Service]
    func discoverSecondaryServices() async throws -> [GATT.Service]
    func discoverIncludedServices(of service: GATT.Service) async throws -> [GATT.IncludedService]
    func discoverCharacteristics(
        of service: GATT.Service,
        uuid: BluetoothUUID?
    ) async throws -> [GATT.Characteristic]
    func discoverCharacteristics(uuid: BluetoothUUID?) async throws -> [GATT.Characteristic]
    func discoverDescriptors(of characteristic: GATT.Characteristic) async throws -> [GATT
        .Descriptor]

    func read(
        uuid: BluetoothUUID,
        first: AttributeHandle,
        last: AttributeHandle
    ) async throws -> [GATT.AttributeValue]
    func readLong(_ handle: AttributeHandle) async throws -> [UInt8]
    func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws
    func writeWithoutResponse(_ bytes: [UInt8], to handle: AttributeHandle) async throws
    /// Waits for the answer to another request. Requests and commands arrive in order
    /// (Vol 3, Part F, 3.3.2), so the answer proves that earlier writes without response have
    /// arrived.
    func confirmArrival() async throws
    func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind?
    ) async throws -> Values
}

extension ConnectedAccessory {
    /// Sends a harmless request.
    func confirmArrival() async throws {
        do {
            _ = try await read(
                uuid: GATT.AttributeType.primaryService,
                first: .first,
                last: .first
            )
        } catch GATT.Failure.attribute {
            // A refusal is an answer too.
        }
    }
}
