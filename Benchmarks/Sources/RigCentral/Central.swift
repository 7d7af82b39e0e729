// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// An attribute that the rig's peripheral lacks.
enum RigError: Error {
    case peripheralLacks(BluetoothUUID)
}

/// A link to the rig's peripheral, discovered and subscribed.
struct Central {
    /// The maximum number of requested notifications that have not arrived. btvirt drops packets
    /// when 200 wait for a host.
    static let window = 64

    private let link: Link
    private let value: GATT.Characteristic
    private let grants: GATT.Characteristic
    private let notifications: NotificationStream

    init(_ link: Link) async throws {
        self.link = link
        let services = try await link.discoverServices(uuid: BluetoothUUID(0xFFF0))
        guard let service = services.first else {
            throw RigError.peripheralLacks(BluetoothUUID(0xFFF0))
        }
        let characteristics = try await link.discoverCharacteristics(of: service)
        func find(_ number: UInt16) throws -> GATT.Characteristic {
            let uuid = BluetoothUUID(number)
            guard let found = characteristics.first(where: { $0.uuid == uuid }) else {
                throw RigError.peripheralLacks(uuid)
            }
            return found
        }
        value = try find(0xFFF1)
        grants = try find(0xFFF3)
        notifications = try await link.subscribe(to: find(0xFFF2))
    }

    func read(_ count: Int) async throws {
        for _ in 0..<count { _ = try await link.read(value.valueHandle) }
    }

    /// Requests and receives notifications. Between half a window and a whole window of them are
    /// outstanding, so that the peripheral never waits.
    func notify(_ count: Int, size: Int) async throws {
        try await grant(Self.window, size)
        var asked = Self.window
        var received = 0
        for try await _ in notifications {
            received += 1
            if received == count { return }
            if asked - received == Self.window / 2, asked < count {
                try await grant(Self.window / 2, size)
                asked += Self.window / 2
            }
        }
    }

    private func grant(_ count: Int, _ size: Int) async throws {
        let grant = [UInt8(count), 0, UInt8(size), 0]
        try await link.writeWithoutResponse(grant, to: grants.valueHandle)
    }
}
