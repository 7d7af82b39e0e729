// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import JSONText
import Testing

@testable import LanyardCLI

@Suite("A database file")
struct DatabaseReadingTests {
    @Test("An empty object is valid")
    func empty() throws {
        let accessory = try ServedAccessory(parsing: "{}")
        #expect(accessory == ServedAccessory(name: ServedAccessory.defaultName))
    }

    @Test("The file describes the name, the appearance and the advertising")
    func accessory() throws {
        let accessory = try ServedAccessory(
            parsing: """
                {"name": "Lamp", "appearance": 1408, "advertising": {"name": "L", "services": ["180F"],
                 "serviceData": [{"uuid": "180F", "data": "57"}],
                 "manufacturerData": {"company": 65535, "data": {"text": "x"}},
                 "interval": [0.1, 0.2], "extended": true, "connectable": false}}
                """
        )
        #expect(accessory.name == "Lamp" && accessory.appearance == 1408)
        let battery = BluetoothUUID(0x180F)
        var expected = ServedAdvertising()
        expected.name = "L"
        expected.services = [battery]
        expected.serviceData = [.init(uuid: battery, bytes: [0x57])]
        expected.manufacturerData = .init(company: 0xFFFF, bytes: [0x78])
        expected.interval = .milliseconds(100) ... .milliseconds(200)
        expected.isExtended = true
        expected.isConnectable = false
        #expect(accessory.advertising == expected)
    }

    @Test("A new name replaces the names in the file, also the value of Device Name")
    func rename() throws {
        var accessory = try ServedAccessory(
            parsing: """
                {"name": "Lamp", "advertising": {"name": "L"}, "services": [
                  {"uuid": "1800", "characteristics": [
                    {"uuid": "2A00", "properties": ["read"], "value": {"text": "Lamp"}},
                    {"uuid": "2A01", "properties": ["read"], "value": "8005"}]}]}
                """
        )
        try accessory.rename("Copy")
        #expect(accessory.name == "Copy" && accessory.advertising.name == nil)
        let values = accessory.services[0].values.map { $0.template.bytes() }
        #expect(values == [Array("Copy".utf8), [0x80, 0x05]])
    }

    @Test("The file describes a characteristic and its permissions")
    func characteristic() throws {
        let (definition, value) = try read(
            """
            {"uuid": "2A19", "handle": 18, "properties": ["read", "write", "notify"],
             "permissions": ["readEncrypted", "readAuthorized", "write", "notifyAuthenticated"],
             "minimumKeySize": 16, "value": "57", "maximumLength": 4, "every": 0.5, "echo": true,
             "description": "Level",
             "descriptors": [{"uuid": "2904", "handle": 21, "value": {"uint8": 4}}]}
            """
        )
        let read = SecurityRequirement(
            needsEncryption: true,
            needsAuthorization: true,
            keySizeMinimum: 16
        )
        let subscribe = SecurityRequirement(needsAuthentication: true, keySizeMinimum: 16)
        #expect(definition.uuid == BluetoothUUID(0x2A19))
        #expect(definition.handle == AttributeHandle(rawValue: 18))
        #expect(definition.properties == [.read, .write, .notify])
        #expect(
            definition.permissions
                == GATT.Permissions(read: read, write: .open, subscribe: subscribe)
        )
        #expect(
            definition.descriptors == [
                .init(BluetoothUUID(0x2901), value: .stored(Array("Level".utf8))),
                .init(
                    BluetoothUUID(0x2904),
                    value: .stored([4]),
                    handle: AttributeHandle(rawValue: 21)
                ),
            ]
        )
        #expect(value.maximumLength == 4 && value.echo == .itself)
        #expect(value.period == .milliseconds(500))
    }

    @Test("Without permissions in the file, the properties determine them")
    func defaultPermissions() throws {
        let (command, _) = try read(#"{"uuid": "2A19", "properties": ["writeWithoutResponse"]}"#)
        #expect(command.permissions == GATT.Permissions(write: .open))
        let (none, _) = try read(#"{"uuid": "2A19", "properties": ["read"], "permissions": []}"#)
        #expect(none.permissions == GATT.Permissions())
    }

    @Test("An included service is published before the service that includes it")
    func includes() throws {
        let accessory = try ServedAccessory(
            parsing: """
                {"services": [{"uuid": "1812", "includes": ["180F", 80]}, {"uuid": "180F"},
                              {"uuid": "180A", "handle": 80}]}
                """
        )
        #expect(
            accessory.services.map(\.definition.uuid)
                == [0x180F, 0x180A, 0x1812].map { BluetoothUUID($0) }
        )
        let (server, _) = try accessory.publishLocally()
        #expect(server.database.services.contains { $0.handle.rawValue == 80 })
    }

    @Test("The JSON output of explore is a valid database file")
    func exploration() throws {
        let original = try DatabaseFile.read(Examples.path("everything"))
        let printed = try DatabaseListing(original).exploration.json.indented
        let copy = try ServedAccessory(parsing: printed)
        let again = try DatabaseListing(copy).exploration
        let first = try DatabaseListing(original).exploration
        #expect(copy.name == "Everything")
        // A copy lacks the permissions, and the values that a client may not read.
        #expect(again.services == first.services)
    }

    private func read(
        _ text: String
    ) throws -> (GATT.CharacteristicDefinition, ServedValue) {
        let database = #"{"services": [{"uuid": "180F", "characteristics": [\#(text)]}]}"#
        let accessory = try ServedAccessory(parsing: database)
        let service = try #require(accessory.services.first)
        return (
            try #require(service.definition.characteristics.first),
            try #require(service.values.first)
        )
    }
}

@Suite("A database file on disk")
struct DatabaseFileTests {
    @Test("A missing file and an invalid file have different exit codes")
    func failures() throws {
        let missing = try #require(throws: ProgramFailure.self) {
            try DatabaseFile.read("/nonexistent")
        }
        #expect(missing.status == .inputOutput)
        try withFile(#"{"\u001b[2J": 1}"#) { path in
            let failure = try #require(throws: ProgramFailure.self) {
                try DatabaseFile.read(path)
            }
            #expect(failure.status == .badData)
            #expect(!failure.line.contains("\u{1B}"))
            #expect(failure.line.contains("is not valid: the key"))
            #expect(failure.line.contains("docs/SERVING.md"))
        }
    }

    @Test("Every example can be served and listed", arguments: Examples.names)
    func examples(name: String) throws {
        let accessory = try DatabaseFile.read(Examples.path(name))
        let (_, published) = try accessory.publishLocally()
        #expect(published.count == accessory.services.count && !published.isEmpty)
        let text = try DatabaseListing(accessory).exploration.tree.text
        #expect(text.contains("Device Name") && text.contains("Database Hash"))
    }

    @Test("The listing has the handles that the file states")
    func handles() throws {
        let accessory = try DatabaseFile.read(Examples.path("everything"))
        let exploration = try DatabaseListing(accessory).exploration
        let services = exploration.services.map(\.service.handle.rawValue)
        #expect(services.contains(64) && services.contains(256))
        let descriptors = exploration.services.flatMap(\.characteristics).flatMap(\.descriptors)
        let configuration = BluetoothUUID(0x2902)
        #expect(descriptors.contains { $0.handle.rawValue == 284 && $0.uuid == configuration })
        let included = exploration.services.flatMap(\.includes)
        #expect(included.map(\.service.handle.rawValue) == [64])
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "lanyard-" + UUID().uuidString + ".json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}

enum Examples {
    static let names = ["heart-rate-strap", "message-service", "thermometer", "everything"]

    static func path(_ name: String) -> String { root + "Examples/Databases/\(name).json" }

    /// The directory of the package.
    static var root: String {
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.path() + "/"
    }
}
