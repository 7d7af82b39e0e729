// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import DBus
import LanyardTestSupport
import Testing

@testable import BlueZAdapter

@Suite struct DaemonTableTests {
    private static let device = DBusObjectPath("/org/bluez/hci0/dev_00_00_00_00_00_01") ?? .root

    /// Returns the objects of paths below the device, with their interfaces.
    private static func objects(_ paths: [(path: String, interface: String)]) -> DaemonObjects {
        var objects = DaemonObjects()
        for (path, interface) in paths {
            let properties: [String: DBusValue] = [
                "UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"),
                "Flags": .array(.string, [.string("notify"), .string("read")]),
            ]
            let entry = DBusValue.Entry(.string(interface), .properties(properties))
            let interfaces = DBusValue.dictionary(.string, .dictionary(.string, .variant), [entry])
            _ = objects.add(DBusObjectPath("\(device)/\(path)"), interfaces)
        }
        return objects
    }

    @Test(
        "Objects with impossible handles form no database, and never trap",
        arguments: [
            ["service0000"], ["service0010", "service0010/char0009"],
            ["service0010", "service0010/charffff"], ["service0010", "x/service0010"],
            ["service0010", "service0010/char0011", "service0010/char0012"],
            ["service0010", "service0010/char0021", "service0020"],
        ]
    )
    func impossible(_ paths: [String]) {
        let objects = Self.objects(paths.map { ($0, Self.interface(of: $0)) })
        #expect(DaemonTable(of: Self.device, in: objects) == nil)
    }

    private static func interface(of path: String) -> String {
        let last = path.split(separator: "/").last ?? ""
        if last.hasPrefix("service") { return BlueZ.Interface.gattService }
        return last.hasPrefix("char")
            ? BlueZ.Interface.gattCharacteristic : BlueZ.Interface.gattDescriptor
    }

    @Test("Includes are between the declaration of a service and its first characteristic")
    func includes() throws {
        let paths = ["service0010", "service0010/char0013", "service0020", "service0030"]
        var objects = Self.objects(paths.map { ($0, Self.interface(of: $0)) })
        let root = try #require(DBusObjectPath("\(Self.device)/service0010"))
        let others = ["service0030", "service0020", "service0030", "service0099"]
            .compactMap { DBusObjectPath("\(Self.device)/\($0)") }
        _ = objects.change(
            root,
            BlueZ.Interface.gattService,
            .properties(["Includes": .array(.objectPath, others.map { .objectPath($0) })]),
            invalidated: nil
        )
        let table = try #require(DaemonTable(of: Self.device, in: objects))
        // The gap has two handles for the three included services.
        let includes = table.database.services[0].includes
        #expect(includes.map(\.handle) == [AttributeHandle(0x11), AttributeHandle(0x12)])
        #expect(
            includes.map(\.service.handle) == [AttributeHandle(0x30), AttributeHandle(0x20)]
        )
    }

    @Test("A service that is reported as secondary is primary if no service includes it")
    func replacedService() throws {
        let paths = ["service0010", "service0020", "service0030"]
        var objects = Self.objects(paths.map { ($0, Self.interface(of: $0)) })
        let all = try paths.map { try #require(DBusObjectPath("\(Self.device)/\($0)")) }
        for path in all.dropFirst() {
            _ = objects.change(
                path,
                BlueZ.Interface.gattService,
                .properties(["Primary": .boolean(false)]),
                invalidated: nil
            )
        }
        _ = objects.change(
            all[0],
            BlueZ.Interface.gattService,
            .properties(["Includes": .array(.objectPath, [.objectPath(all[2])])]),
            invalidated: nil
        )
        let table = try #require(DaemonTable(of: Self.device, in: objects))
        #expect(table.database.services.map(\.service.isPrimary) == [true, true, false])
    }

    @Test("Random objects form a valid database or none", arguments: RunSeed.seeds(4))
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tables = 0
        for _ in 0..<500 {
            var paths: [(path: String, interface: String)] = []
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                let service = "service" + Self.digits(&random)
                paths.append((service, BlueZ.Interface.gattService))
                for _ in 0..<Int.random(in: 0..<3, using: &random) {
                    let value = service + "/char" + Self.digits(&random)
                    paths.append((value, BlueZ.Interface.gattCharacteristic))
                    let label = value + "/desc" + Self.digits(&random)
                    paths.append((label, BlueZ.Interface.gattDescriptor))
                }
            }
            guard let table = DaemonTable(of: Self.device, in: Self.objects(paths)) else {
                continue
            }
            tables += 1
            for value in table.database.characteristics {
                #expect(table.attributes[value.valueHandle] != nil)
            }
        }
        #expect(tables > 0)
    }

    /// Returns the digits of a handle, often of one of the first or last handles.
    private static func digits(_ random: inout SplitMix64) -> String {
        let handle: UInt16 =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: UInt16.random(in: 0...3, using: &random)
            case 1: UInt16.random(in: 0xFFFC...0xFFFF, using: &random)
            default: UInt16.random(in: 0...0x40, using: &random)
            }
        let text = String(handle, radix: 16)
        return String(repeating: "0", count: 4 - text.count) + text
    }
}
