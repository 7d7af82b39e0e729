// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// The attributes of the demo accessory; see Peers/README.md.
enum Demo {
    static let service = uuid(0)
    static let short = uuid(1)
    static let long = uuid(2)
    static let writable = uuid(3)
    static let burst = uuid(4)
    static let indicated = uuid(5)
    static let control = uuid(6)

    /// A command to the control point of the demo accessory.
    enum Command: UInt8 {
        case resetCounter, notify, indicate, disconnect, updateParameters, grow
    }

    /// Returns a UUID of the test accessories.
    static func uuid(_ number: UInt16) -> BluetoothUUID {
        let digits = String(number, radix: 16)
        let padding = String(repeating: "0", count: 4 - digits.count)
        let text = "4C414E59-4152-4400-A000-00000000\(padding)\(digits)"
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is not a UUID") }
        return uuid
    }

    /// Returns bytes that count upward, as the accessories fill their values.
    static func pattern(_ count: Int, start: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: start + $0) }
    }
}

extension Link {
    /// Returns the first characteristic with this UUID in any service.
    func find(_ uuid: BluetoothUUID) async throws -> GATT.Characteristic {
        for service in try await discoverServices() {
            if let found = try await discoverCharacteristics(of: service, uuid: uuid).first {
                return found
            }
        }
        throw ProcessError.tooSlow("\(uuid) is not there")
    }

    /// Returns the handle of the first value with this UUID.
    func handle(_ uuid: BluetoothUUID) async throws -> AttributeHandle {
        try await find(uuid).valueHandle
    }

    /// Writes a command to the control point of a demo accessory.
    func command(_ command: Demo.Command, count: Int = 0, size: Int = 0) async throws {
        let arguments = [count, size].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        try await write([command.rawValue] + arguments, to: try await handle(Demo.control))
    }

    /// Returns the number of times that the demo accessory's value was written.
    func countWrites() async throws -> Int {
        try await read(try await handle(Demo.control)).littleEndianValue
    }
}

extension [UInt8] {
    /// The first four bytes as a number: the counter at the start of each stream value.
    var littleEndianValue: Int {
        prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    }
}

/// Returns the error that `body` throws, or `nil` if it throws none.
func error<Value: Sendable>(_ body: @Sendable () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
