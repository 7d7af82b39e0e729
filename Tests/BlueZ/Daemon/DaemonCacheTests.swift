// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport
import Testing
import VirtualAccessories

/// Apps that use a device whose firmware has changed since bluetoothd discovered its services.
///
/// The device has neither a Database Hash nor a bond, so bluetoothd can only compare the services
/// with those of the last link. bluetoothd discovers the services again, but keeps the cached
/// characteristics of a service whose UUID and handles are the same (src/shared/gatt-client.c,
/// `discovery_found_service`).
@Suite(.machines) struct DaemonCacheTests {
    private static let name = "Updated"
    private static let address = AccessoryAddress.random(
        DeviceAddress(value: 0xC4F0_0000_00AA, kind: .random)
    )

    @Test(
        "The new services of updated firmware replace the cached services on the next link",
        arguments: Setting.eachRelease
    )
    func replaced(_ setting: Setting) async throws {
        let old = Self.service(0xFFE0, 0xFFE1, [1])
        let new = [Self.service(0xFFF0, 0xFFF1, [3]), Self.service(0xFFE0, 0xFFE2, [2])]
        try await update(setting, "daemon: new services", from: [old], to: new) { program in
            let tables = [
                try await program.prints("service FFF0: "),
                try await program.prints("service FFE0: "),
            ]
            #expect(tables == ["FFF1[]", "FFE2[]"])
            try await program.prints("discovered all")
            #expect(try await program.perform("read FFE2", until: "value FFE2 ") == "02")
            #expect(try await program.perform("read FFF1", until: "value FFF1 ") == "03")
        }
    }

    @Test(
        "Reading a cached value that updated firmware no longer has fails with the device's error",
        arguments: Setting.eachRelease
    )
    func kept(_ setting: Setting) async throws {
        let old = Self.service(0xFFE0, 0xFFE1, [1])
        var new = old
        new.characteristics = [.init(BluetoothUUID(0xFFE2), .write)]
        try await update(setting, "daemon: kept values", from: [old], to: [new]) { program in
            #expect(try await program.prints("service FFE0: ") == "FFE1[]")
            try await program.prints("discovered all")
            let error = try await program.perform("read FFE1", until: "value FFE1: ")
            #expect(error == "CBATTErrorDomain 2")
        }
    }

    private static func service(
        _ uuid: UInt16,
        _ value: UInt16,
        _ bytes: [UInt8]
    ) -> SimpleAccessoryProfile.Service {
        .init(BluetoothUUID(uuid), [.init(BluetoothUUID(value), .read, value: bytes)])
    }

    /// Makes an app use a device, changes the services of the device between two links, and makes
    /// the app discover them again.
    private func update(
        _ setting: Setting,
        _ name: String,
        from old: [SimpleAccessoryProfile.Service],
        to new: [SimpleAccessoryProfile.Service],
        _ body: @escaping @Sendable (DaemonProgram) async throws -> Void
    ) async throws {
        try await withKernel(setting, as: .central, name) { fixture in
            let before = SimpleAccessoryProfile(
                name: Self.name,
                services: old,
                advertisingInterval: .milliseconds(30),
                address: Self.address
            )
            let controller = try await fixture.kernelAir.add(before, named: "before")
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            try await program.connect(to: Self.name)
            #expect(try await program.prints("service FFE0: ") == "FFE1[]")
            #expect(try await program.perform("read FFE1", until: "value FFE1 ") == "01")
            #expect(try await program.perform("disconnect", until: "disconnected") == "")

            var after = before
            after.services = new
            await fixture.kernelAir.air.perform { $0.switchOff(controller) }
            try await fixture.kernelAir.add(after, named: "after")
            try await program.perform("connect")
            try await program.prints("connected", within: Limits.discovery)
            try await program.perform("discover")
            try await body(program)
            try await program.end()
        }
    }
}
