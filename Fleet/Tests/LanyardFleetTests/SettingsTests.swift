// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardFleet

struct SettingsTests {
    static let arguments: [FleetSettings.Key: String] = [
        .accessories: "building.json", .name: "hall", .broker: "broker.example:8883",
        .authority: "ca.pem", .state: "/state",
    ]

    private func read(
        _ arguments: [FleetSettings.Key: String] = SettingsTests.arguments,
        environment: [String: String] = [:],
        file: String? = nil
    ) async throws -> FleetSettings {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try file?.write(toFile: path, atomically: true, encoding: .utf8)
        return try await FleetSettings(
            arguments: arguments,
            environment: environment,
            file: file == nil ? nil : path
        )
    }

    @Test("An argument takes precedence over a variable, and a variable over the file")
    func order() async throws {
        var arguments = Self.arguments
        arguments[.name] = nil
        arguments[.prefix] = "one"
        let settings = try await read(
            arguments,
            environment: [
                "LANYARD_FLEET_PREFIX": "two", "LANYARD_FLEET_NAME": "attic",
                "LANYARD_FLEET_PASSWORD": "sesame", "NAME": "other",
            ],
            file: """
                {"prefix": "three", "name": "cellar", "adapter": "hci1", "user": "u",
                 "metrics": "127.0.0.1:9100"}
                """
        )
        #expect(settings.prefix == "one")
        #expect(settings.name == "attic")
        #expect(settings.password == "sesame")
        #expect(settings.adapter == "hci1")
        #expect(settings.metrics?.port == 9_100)
        #expect(settings.version == .v5)
    }

    @Test("All required settings can come from the file and the environment")
    func withoutArguments() async throws {
        let settings = try await read(
            [:],
            environment: ["LANYARD_FLEET_WITHOUT_TLS": "true", "LANYARD_FLEET_MQTT": "3.1.1"],
            file: """
                {"accessories": "a.json", "name": "hall", "broker": "localhost:1883", "state": "s"}
                """
        )
        #expect(settings.authority == nil)
        #expect(settings.version == .v311)
        #expect(settings.broker.host == "localhost")
    }

    @Test(
        "A wrong setting is refused with its reason",
        arguments: [
            (#"{"nam": "x"}"#, "the key \"nam\" is not known"),
            (#"{"name": 5}"#, "name: a text should be here"),
            (#"{"name": "a b"}"#, "'a b' is not a valid name"),
            (#"{"name": "hall", "without-tls": "perhaps"}"#, "without-tls: true or false"),
            (#"{"name": "hall", "without-tls": true}"#, "Use either authority or without-tls."),
            (#"{"name": "hall", "metrics": "9100"}"#, "'9100' is not an address"),
            (#"{"name": "hall", "mqtt": "4"}"#, "'4' is not a version of MQTT"),
            (#"{"name": "hall", "prefix": "a//b"}"#, "'a//b' is not a valid topic"),
            (#"{"name": "hall", "key": "k.pem"}"#, "Use certificate and key together."),
            ("{}", "The setting name is missing"), ("[]", "an object should be here"),
            ("{", "Cannot read the settings in"),
        ]
    )
    func wrong(_ file: String, _ reason: String) async throws {
        var arguments = Self.arguments
        arguments[.name] = nil
        let error = await #expect(throws: SettingsError.self) {
            _ = try await read(arguments, file: file)
        }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
