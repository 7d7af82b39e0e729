// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Synchronization

@testable import LanyardCLI

/// An accessory that answers from tables.
struct ScriptedAccessory: ConnectedAccessory {
    /// The answer to reading or writing an attribute.
    enum Answer: Sendable {
        case bytes([UInt8])
        case failure(GATT.Failure)
        case silence
    }

    let address = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
    var mtu = 185
    var primary: [GATT.Service] = []
    var secondary: Result<[GATT.Service], GATT.Failure> = .success([])
    var included: [UInt16: [GATT.IncludedService]] = [:]
    var characteristics: [UInt16: [GATT.Characteristic]] = [:]
    var descriptors: [UInt16: [GATT.Descriptor]] = [:]
    var answers: [UInt16: Answer] = [:]
    /// The failure of each read by UUID, if it fails.
    var readsByUUIDFail: GATT.Failure?
    var notifications: [[UInt8]] = []
    let written = Recorder()
    /// The discoveries of services and characteristics, and the reads, in order.
    let procedures = Recorder()
    /// The first request that gets no answer.
    let fallsSilent = OneTimeEvent()

    /// A list of lines, for example of the writes, in order.
    final class Recorder: Sendable {
        private let entries = Mutex<[String]>([])
        private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)

        var lines: [String] { entries.withLock { $0 } }

        func note(_ line: String) {
            entries.withLock { $0.append(line) }
            arrived.yield()
        }

        /// Ends the stream of lines.
        func end() { arrived.finish() }

        /// Returns when there is one more line; `false` at the end.
        @discardableResult
        func waitForLine() async -> Bool {
            for await _ in arrivals { return true }
            return false
        }
    }

    func discoverServices(uuid: BluetoothUUID?) async throws -> [GATT.Service] {
        procedures.note("services")
        return primary.filter { uuid == nil || $0.uuid == uuid }
    }

    func discoverSecondaryServices() async throws -> [GATT.Service] {
        try secondary.get()
    }

    func discoverIncludedServices(of service: GATT.Service) async throws -> [GATT.IncludedService] {
        included[service.handle.rawValue] ?? []
    }

    func discoverCharacteristics(
        of service: GATT.Service,
        uuid: BluetoothUUID?
    ) async throws -> [GATT.Characteristic] {
        procedures.note("characteristics of \(service.handle.rawValue)")
        return (characteristics[service.handle.rawValue] ?? [])
            .filter { uuid == nil || $0.uuid == uuid }
    }

    func discoverCharacteristics(
        uuid: BluetoothUUID?
    ) async throws -> [GATT.Characteristic] {
        procedures.note("characteristics")
        return allCharacteristics.filter { uuid == nil || $0.uuid == uuid }
    }

    private var allCharacteristics: [GATT.Characteristic] {
        characteristics.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    func discoverDescriptors(
        of characteristic: GATT.Characteristic
    ) async throws -> [GATT.Descriptor] {
        descriptors[characteristic.handle.rawValue] ?? []
    }

    func readLong(_ handle: AttributeHandle) async throws -> [UInt8] {
        procedures.note("read \(handle.rawValue)")
        return try await answer(handle)
    }

    private func answer(_ handle: AttributeHandle) async throws -> [UInt8] {
        switch answers[handle.rawValue] ?? .failure(.attribute(.invalidHandle, handle: handle)) {
        case .bytes(let bytes): return bytes
        case .failure(let failure): throw failure
        case .silence:
            fallsSilent.occur()
            try await Task.sleep(for: .seconds(3600))
            return []
        }
    }

    /// Returns the values with this UUID in the range, each cut to the length that the MTU allows.
    func read(
        uuid: BluetoothUUID,
        first: AttributeHandle,
        last: AttributeHandle
    ) async throws -> [GATT.AttributeValue] {
        procedures.note("read \(uuid)")
        if let readsByUUIDFail { throw readsByUUIDFail }
        var values: [GATT.AttributeValue] = []
        for found in allCharacteristics
        where found.uuid == uuid && (first...last).contains(found.valueHandle) {
            guard found.properties.contains(.read) else {
                throw GATT.Failure.attribute(.readNotPermitted, handle: found.valueHandle)
            }
            let value = try await answer(found.valueHandle)
            values.append(.init(handle: found.valueHandle, value: Array(value.prefix(mtu - 4))))
        }
        guard !values.isEmpty else {
            throw GATT.Failure.attribute(.attributeNotFound, handle: first)
        }
        return values
    }

    func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        if case .failure(let failure)? = answers[handle.rawValue] { throw failure }
        written.note("write \(handle.rawValue) \(bytes.hexadecimal)")
    }

    func writeWithoutResponse(_ bytes: [UInt8], to handle: AttributeHandle) async throws {
        written.note("command \(handle.rawValue) \(bytes.hexadecimal)")
    }

    func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind?
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        written.note("subscribe \(characteristic.valueHandle.rawValue)")
        let values = notifications
        return AsyncThrowingStream { continuation in
            for value in values { continuation.yield(value) }
            continuation.finish(throwing: GATT.Failure.bearerClosed)
        }
    }
}

extension GATT.Characteristic {
    /// Returns a characteristic whose value follows its declaration.
    static func at(
        _ handle: UInt16,
        _ uuid: BluetoothUUID,
        _ properties: GATT.CharacteristicProperties,
        end: UInt16? = nil
    ) -> GATT.Characteristic {
        GATT.Characteristic(
            uuid: uuid,
            handle: AttributeHandle(handle),
            valueHandle: AttributeHandle(handle + 1),
            properties: properties,
            endHandle: AttributeHandle(end ?? handle + 1)
        )
    }
}

extension GATT.Service {
    static func at(
        _ handles: ClosedRange<UInt16>,
        _ uuid: BluetoothUUID,
        isPrimary: Bool = true
    ) -> GATT.Service {
        GATT.Service(
            uuid: uuid,
            isPrimary: isPrimary,
            handle: AttributeHandle(handles.lowerBound),
            endHandle: AttributeHandle(handles.upperBound)
        )
    }
}

extension ScriptedAccessory {
    /// Generic Access, Battery (which includes a hidden secondary service), and a vendor's service
    /// with a protected value.
    static var sample: ScriptedAccessory {
        var accessory = ScriptedAccessory()
        let vendor = BluetoothUUID("4C414E59-4152-4400-A000-000000000001") ?? BluetoothUUID(1)
        let hidden = GATT.Service.at(20...21, BluetoothUUID(0x180A), isPrimary: false)
        accessory.primary = [
            .at(1...3, BluetoothUUID(0x1800)), .at(4...8, BluetoothUUID(0x180F)),
            .at(9...13, vendor),
        ]
        accessory.secondary = .failure(.attribute(.unsupportedGroupType, handle: .first))
        accessory.included = [
            4: [GATT.IncludedService(handle: AttributeHandle(5), service: hidden)]
        ]
        accessory.characteristics = [
            1: [.at(2, BluetoothUUID(0x2A00), .read)],
            4: [.at(6, BluetoothUUID(0x2A19), [.read, .notify], end: 8)],
            9: [
                .at(10, vendor, [.read, .write]),
                .at(12, BluetoothUUID(0x2A19), [.writeWithoutResponse]),
            ],
        ]
        accessory.descriptors = [
            6: [GATT.Descriptor(uuid: BluetoothUUID(0x2902), handle: AttributeHandle(8))]
        ]
        accessory.answers = [
            3: .bytes(Array("Lamp\u{1B}".utf8)), 7: .bytes([93]), 8: .bytes([0, 0]),
            11: .failure(.attribute(.insufficientAuthentication, handle: AttributeHandle(11))),
        ]
        return accessory
    }
}
