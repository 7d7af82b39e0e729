// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The services that our host offers to BlueZ, with a value for each kind of access in the tests.
enum ServerFixture {
    static let name = "Server"
    static let address = DeviceAddress(value: 0xF1A0_0000_0001, kind: .random)

    static let service = uuid(0x200)
    /// A value of 20 bytes that can be read.
    static let short = uuid(0x201)
    /// A value of 512 bytes, the maximum length, that can be read and written.
    static let long = uuid(0x202)
    /// A value that the application provides.
    static let dynamic = uuid(0x203)
    /// A value that can be written without response.
    static let commanded = uuid(0x204)
    static let notified = uuid(0x205)
    static let indicated = uuid(0x206)
    /// A value that can be written by Reliable Writes (Vol 3, Part G, 3.3.3.1).
    static let reliable = uuid(0x207)
    /// A value for which the application refuses every request.
    static let refused = uuid(0x208)

    /// The text that describes `short` (Vol 3, Part G, 3.3.3.2).
    static let description = Array("Twenty bytes".utf8)
    /// The error with which the application refuses.
    static let refusal = ATT.ErrorCode(rawValue: 0x81)
    /// The initial value of `dynamic`.
    static let countdown = Array(pattern(300).reversed())

    static let definition = GATT.ServiceDefinition(
        service,
        [
            .init(
                short,
                .read,
                value: .stored(pattern(20)),
                descriptors: [.init(BluetoothUUID(0x2901), value: .stored(description))]
            ),
            .init(long, [.read, .write], value: .stored(pattern(512))),
            .init(dynamic, [.read, .write]),
            .init(
                commanded,
                [.read, .write, .writeWithoutResponse],
                value: .stored([])
            ),
            .init(notified, [.read, .notify], value: .stored([0])),
            .init(indicated, .indicate, value: .stored([])),
            .init(
                reliable,
                [.read, .write, .extendedProperties],
                value: .stored(pattern(60)),
                descriptors: [.init(BluetoothUUID(0x2900), value: .stored([1, 0]))]
            ),
            .init(refused, [.read, .write]),
        ]
    )

    /// A service with one value that is added and removed.
    static let addedService = GATT.ServiceDefinition(
        uuid(0x300),
        [.init(uuid(0x301), .read, value: .stored([7]))]
    )

    /// Returns a UUID from this fixture's own range.
    static func uuid(_ number: UInt16) -> BluetoothUUID {
        let digits = String(number, radix: 16)
        let padding = String(repeating: "0", count: 4 - digits.count)
        let text = "4C414E59-4152-4400-A000-00000000\(padding)\(digits)"
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is no UUID") }
        return uuid
    }

    /// Returns bytes that count upward.
    static func pattern(_ count: Int, start: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: start + $0) }
    }
}
