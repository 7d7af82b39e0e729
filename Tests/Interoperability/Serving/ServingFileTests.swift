// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// A Bumble client finds the database that `lanyard serve` makes from a database file.
@Suite(.needsPeers) struct ServingFileTests {
    /// A database in the format of `explore --json` can be served, and a client discovers the same
    /// database. It has the structures that discovery has to handle.
    @Test(
        "The serve command serves an explored database without changes",
        arguments: ControllerKind.available
    )
    func exploredTable(kind: ControllerKind) async throws {
        let explored = try await Self.largeTable()
        try await withService(of: explored, on: kind) { client in
            let found = try await client.dump().elements.dropFirst(2)
            let differences = JSON.array(Array(found)).differences(from: explored["services"])
            #expect(differences == [])
        }
    }

    /// A handwritten database: with permissions, and with the handles of only some attributes.
    @Test("The serve command serves a handwritten database", arguments: ControllerKind.available)
    func writtenTable(kind: ControllerKind) async throws {
        let table = try JSON(parsing: Self.written)
        try await withService(of: table, on: kind) { client in
            let found = try await client.dump().elements
            #expect(found.prefix(2).map { $0["uuid"].text } == ["1800", "1801"])
            let services = JSON.array(Array(found.dropFirst(2)))
            #expect(services.contradictions(of: table["services"]) == [])
            let name = try await client.read(uuid: BluetoothUUID(0x2A00)).map(\.value)
            #expect(name == [Array("Written".utf8)])
        }
    }

    @Test(
        "The serve command accepts writes, notifies counters and echoes values",
        arguments: ControllerKind.available
    )
    func liveValues(kind: ControllerKind) async throws {
        try await withService(of: JSON(parsing: Self.written), on: kind) { client in
            let editable = try await client.handle(Demo.uuid(0x503))
            let value = Array(Demo.pattern(512).reversed())
            try await client.writeLong(value, to: editable)
            #expect(try await client.readLong(editable) == value)
            let ticking = try await client.handle(Demo.uuid(0x506))
            try await client.subscribe(to: ticking)
            let ticks = try await client.values(5, of: ticking).map { $0.bytes.littleEndianValue }
            #expect(ticks == Array(ticks[0]..<ticks[0] + 5))
            let echoing = try await client.handle(Demo.uuid(0x507))
            try await client.subscribe(to: echoing)
            try await client.write([1, 2, 3], to: echoing)
            let echo = try await client.values(1, of: echoing)
            #expect(echo.map(\.bytes) == [[1, 2, 3]])
        }
    }

    // MARK: Tables

    private static let written = """
        {
            "name": "Written",
            "appearance": 833,
            "services": [
                {"uuid": "180F", "primary": false, "handle": 64, "characteristics": [
                    {"uuid": "2A19", "handle": 66, "properties": ["read", "notify"], "value": "57"}
                ]},
                {"uuid": "\(Demo.uuid(0x500))", "handle": 256, "includes": ["180F"],
                 "characteristics": [
                    {"uuid": "\(Demo.uuid(0x501))", "properties": ["read"], "value": "c0ffee"},
                    {"uuid": "\(Demo.uuid(0x502))", "properties": ["read", "write"],
                     "permissions": ["readEncrypted", "writeAuthenticated"], "value": "01"},
                    {"uuid": "\(Demo.uuid(0x503))", "handle": 300,
                     "properties": ["read", "write", "extendedProperties"],
                     "value": {"pattern": 512},
                     "descriptors": [{"uuid": "2901", "value": "456469746564"}]},
                    {"uuid": "\(Demo.uuid(0x504))", "properties": ["read"],
                     "permissions": ["readAuthorized"], "value": "02"},
                    {"uuid": "\(Demo.uuid(0x505))", "properties": ["write", "indicate"]},
                    {"uuid": "\(Demo.uuid(0x506))", "properties": ["notify"],
                     "value": {"uint32": {"counter": 0}}, "every": 0.1},
                    {"uuid": "\(Demo.uuid(0x507))", "properties": ["write", "notify"], "echo": true}
                ]},
                {"uuid": "\(Demo.uuid(0x510))", "characteristics": []}
            ]
        }
        """

    /// Returns the large accessory's database without the two services that every server has,
    /// because our server adds its own. All handles are moved past those, and all attributes that
    /// can be served are included.
    private static func largeTable() async throws -> JSON {
        let script = PeerInstallation.scripts + "accessory.py"
        let process = try ChildProcess(
            PeerInstallation.python,
            [script, "--dump", "--profile", "large"]
        )
        let (text, _) = try await process.waitUntilEnd(within: HostFixture.limit)
        let services = try JSON(parsing: text)["services"].elements.dropFirst(2)
        return .object([
            "name": .string("Large"),
            "services": .array(services.map { $0.movingHandles(by: 0x100).thatCanBeServed }),
        ])
    }

    /// Has `lanyard serve` serve a database, and a Bumble client connect to it.
    private func withService(
        of table: JSON,
        on kind: ControllerKind,
        _ body: (Client) async throws -> Void
    ) async throws {
        let trace = Trace()
        let file = trace.path + ".json"
        try Data(table.line.utf8).write(to: URL(fileURLWithPath: file))
        defer { unlink(file) }
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let tool = try LanyardTool.start(
                ["serve", file, "--until-end-of-input", "--trace", trace.path],
                adapter: controllers.adapters[0]
            )
            let client = try await peers.client(on: controllers.adapters[1])
            do {
                try await client.connect(name: table["name"].text)
                try await body(client)
                tool.closeInput()
                let (_, ending) = try await tool.waitUntilEnd(within: HostFixture.limit)
                #expect(ending == .exited(0), "\(tool.log)")
            } catch {
                trace.keep()
                Issue.record("\(tool.log)")
                throw error
            }
        }
        if Dissection.isPossible { try await trace.expectWellFormed() }
    }
}

extension JSON {
    private static let handleKeys: Set = [
        "handle", "endHandle", "valueHandle", "serviceHandle", "serviceEndHandle",
    ]

    /// Returns the same database at other handles.
    fileprivate func movingHandles(by distance: Double) -> JSON {
        switch self {
        case .array(let elements): .array(elements.map { $0.movingHandles(by: distance) })
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { key, value in
                        guard case .number(let handle) = value, Self.handleKeys.contains(key) else {
                            return (key, value.movingHandles(by: distance))
                        }
                        return (key, .number(handle + distance))
                    }
                )
            )
        default: self
        }
    }

    /// A copy of the database that `lanyard serve` accepts. Values whose reads were refused are
    /// empty. The property for broadcasts is removed, because Bumble omits the descriptor that it
    /// requires (Vol 3, Part G, 3.3.3.4).
    fileprivate var thatCanBeServed: JSON {
        switch self {
        case .array(let elements):
            return .array(elements.filter { $0.text != "broadcast" }.map(\.thatCanBeServed))
        case .object(var members):
            let wasRefused = members.removeValue(forKey: "error") != nil
            members = members.mapValues(\.thatCanBeServed)
            if wasRefused { members["value"] = .string("") }
            return .object(members)
        default: return self
        }
    }

    /// Returns the differences of a discovered database from a database file. Members that only one
    /// of them has are not compared.
    fileprivate func contradictions(of file: JSON, at path: String = "") -> [String] {
        switch (self, file) {
        case (.object(let found), .object(let wanted)):
            return wanted.keys.sorted().flatMap { key -> [String] in
                guard let value = found[key], let expected = wanted[key] else { return [] }
                return value.contradictions(of: expected, at: "\(path).\(key)")
            }
        case (.array(let found), .array(let wanted)) where path.hasSuffix("descriptors"):
            return wanted.enumerated().flatMap { place, expected -> [String] in
                guard let own = found.first(where: { $0["uuid"] == expected["uuid"] }) else {
                    return ["\(path)[\(place)] is not there"]
                }
                return own.contradictions(of: expected, at: "\(path)[\(place)]")
            }
        case (.array(let found), .array(let wanted)):
            guard found.count == wanted.count else {
                return ["\(path): \(found.count), not \(wanted.count)"]
            }
            return zip(found, wanted).enumerated().flatMap { place, pair in
                pair.0.contradictions(of: pair.1, at: "\(path)[\(place)]")
            }
        // The file may name an included service by its UUID. A discovery without security does not
        // contain protected values. The file may describe a value by a pattern of a given length.
        case (.object, .string): return self["uuid"] == file ? [] : ["\(path): \(self)"]
        case (.null, _) where path.hasSuffix("value"): return []
        case (.string(let bytes), .object) where path.hasSuffix("value"):
            return bytes.count == 2 * (file["pattern"].integer ?? 0) ? [] : ["\(path): \(bytes)"]
        default: return self == file ? [] : ["\(path): \(self), not \(file)"]
        }
    }
}
