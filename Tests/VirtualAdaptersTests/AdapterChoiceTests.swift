// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("The choice of an adapter", .timeLimit(.minutes(20)))
struct AdapterChoiceTests {
    @Test(
        "A text chooses an adapter and is printed unchanged",
        arguments: [
            ("virtual", .virtual(scenario: nil)), ("virtual:", .virtual(scenario: "")),
            ("virtual:a:b", .virtual(scenario: "a:b")), ("unix:/x", .reached(.unix(path: "/x"))),
            ("tcp:localhost:6402", .reached(.tcp(host: "localhost", port: 6_402))),
            ("bluez", .daemon(adapter: nil)), ("bluez:hci1", .daemon(adapter: "hci1")),
        ] as [(String, AdapterChoice)]
    )
    func forms(text: String, choice: AdapterChoice) throws {
        #expect(try AdapterChoice(text) == choice)
        #expect(choice.description == text)
    }

    @Test(
        "An invalid text is refused, and the error names all valid forms",
        arguments: [
            "", "virtua", "Virtual", "usb:0", "tcp:", "tcp:a:0", "unix:", "bluez:", "bluez:hci",
            "bluez:unix:/x",
        ]
    )
    func refused(text: String) throws {
        let error = try #require(throws: AdapterChoiceError.self) { try AdapterChoice(text) }
        guard case .noAdapter(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.text == text)
        #expect(error.description.hasSuffix("; use \(AdapterChoice.forms)"))
    }

    @Test(
        "A list with a repeated adapter or one that must be alone is refused with the reason",
        arguments: [
            ("hci0+hci1+hci0", .repeatedAdapter("hci0")),
            ("tcp:a:1+tcp:a:1", .repeatedAdapter("tcp:a:1")),
            ("virtual+virtual", .loneAdapter("virtual")),
            ("hci0+bluez", .loneAdapter("bluez")),
        ] as [(String, AdapterChoiceError)]
    )
    func refusedLists(text: String, error: AdapterChoiceError) {
        #expect(throws: error) { try AdapterChoice(text) }
    }

    @Test("An adapter at a socket is chosen without opening the socket")
    func reached() throws {
        let access = try AdapterChoice("unix:/nonexistent/socket").makeAccess()
        #expect(access.transport.name.contains("/nonexistent/socket"))
        #expect(access.executor == nil && access.air == nil)
        access.end()
    }

    @Test("Applications use the daemon if they cannot take an adapter")
    func ofApplications() {
        let daemon = SystemProcess(number: 1, name: "bluetoothd")
        let free = SystemAdapter(index: 0)
        let idle = SystemAdapter(index: 1, state: .up, holders: [daemon])
        let busy = SystemAdapter(index: 2, state: .up, holders: [daemon], connections: 1)
        let unserved = SystemAdapter(index: 3, state: .up, connections: 1)
        let shared = AdapterChoice.daemon(adapter: nil)
        let own = AdapterChoice.reached
        let cases: [([SystemAdapter], Bool, AdapterChoice?)] = [
            ([busy, free], true, own(.hci(index: 0))), ([busy, idle], true, own(.hci(index: 1))),
            ([busy], true, shared), ([busy, free], false, shared), ([idle], false, shared),
            ([free], false, own(.hci(index: 0))), ([unserved], true, nil), ([], true, nil),
        ]
        for (adapters, mayTake, expected) in cases {
            #expect(AdapterChoice.ofApplications(adapters, mayTake: mayTake) == expected)
        }
    }

    @Test("The daemon gives no access to its controller")
    func daemon() {
        #expect(throws: AdapterChoiceError.daemonWithoutController) {
            try AdapterChoice.daemon(adapter: nil).makeAccess()
        }
    }

    @Test("The virtual adapter is the last controller, after those of the example accessories")
    func examples() async throws {
        let access = try AdapterChoice.virtual(scenario: nil).makeAccess()
        defer { access.end() }
        let air = try #require(access.air)
        #expect(access.executor === air.executor)
        let names = await air.perform { $0.status.controllers.map(\.name) }
        #expect(names.contains("Heart Rate") && names.last == "lanyard")
    }

    @Test("The host gets the first waiting controller of a scenario, or a new one")
    func scenarios() async throws {
        let waiting = #"{"devices": [{"name": "a", "accessory": "demo"}, {"name": "me"}]}"#
        #expect(try await Self.names(in: waiting) == ["a", "me"])
        let full = #"{"devices": [{"name": "a", "accessory": "demo"}]}"#
        #expect(try await Self.names(in: full) == ["a", "lanyard"])
    }

    @Test("The events of the chosen scenario occur")
    func fixture() async throws {
        let text =
            #"{"devices": [{"name": "me"}, {"name": "a", "switch": [{"at": 0.01, "to": "off"}]}]}"#
        try await Self.withFile(Array(text.utf8)) { path in
            let access = try AdapterChoice.virtual(scenario: path).makeAccess()
            defer { access.end() }
            let air = try #require(access.air)
            while await air.perform({ $0.status.controllers.map(\.isOn) }) != [true, false] {
                await Task.yield()
            }
        }
    }

    private static func names(in text: String) async throws -> [String] {
        try await withFile(Array(text.utf8)) { path in
            let access = try AdapterChoice.virtual(scenario: path).makeAccess()
            defer { access.end() }
            let air = try #require(access.air)
            return await air.perform { $0.status.controllers.map(\.name) }
        }
    }

    @Test("A missing or invalid scenario is refused with its path and the place of a mistake")
    func wrongScenarios() async throws {
        let missing = AdapterChoiceError.unreadable(
            path: "/nonexistent/x",
            reason: "no such file or directory"
        )
        #expect(throws: missing) {
            try AdapterChoice("virtual:/nonexistent/x").makeAccess()
        }
        let directory = AdapterChoiceError.unreadable(path: "/", reason: "is a directory")
        #expect(throws: directory) {
            try AdapterChoice("virtual:/").makeAccess()
        }
        for bytes in [[0xFF], [UInt8](repeating: 0x20, count: ScenarioFile.lengthLimit + 1)] {
            try await Self.withFile(bytes) { path in
                #expect(throws: AdapterChoiceError.invalidText(path: path)) {
                    try AdapterChoice.virtual(scenario: path).makeAccess()
                }
            }
        }
        let wrong = Array(#"{"devices": [{"name": "a", "accessory": "toaster"}]}"#.utf8)
        try await Self.withFile(wrong) { path in
            let error = #expect(throws: AdapterChoiceError.self) {
                try AdapterChoice.virtual(scenario: path).makeAccess()
            }
            guard case .invalidScenario(path, let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.place == "devices[0].accessory")
        }
    }

    @discardableResult
    private static func withFile<Value>(
        _ bytes: [UInt8],
        _ body: (String) async throws -> Value
    ) async throws -> Value {
        let path = NSTemporaryDirectory() + "scenario-\(UUID().uuidString).json"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
