// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("Errors in a database file")
struct DatabaseErrorTests {
    private func problem(_ text: String) throws -> String {
        try #require(throws: JSONError.self) { try ServedAccessory(parsing: text) }.description
    }

    @Test(
        "An error in the accessory is reported with its place in the file",
        arguments: [
            ("[", "line 1, column 2: the text ends where a value should be"),
            ("[]", "an object should be here"),
            (
                #"{"nmae": "x"}"#,
                #"the key "nmae" is not known; there are name, appearance, advertising, services"#
            ),
            (#"{"name": ""}"#, "name: a name of 1 to 248 bytes should be here"),
            (#"{"name": 1}"#, "name: a text should be here"),
            (#"{"appearance": 65536}"#, "appearance: a number from 0 to 65535 should be here"),
            (#"{"appearance": 0.5}"#, "appearance: a whole number should be here"),
            (#"{"services": {}}"#, "services: a list should be here"),
            (
                #"{"advertising": {"interval": 0}}"#,
                "advertising.interval: a number from 0.02 to 10.24 should be here"
            ),
            (
                #"{"advertising": {"interval": [0.2, 0.1]}}"#,
                "advertising.interval: the shorter of the two should be the first"
            ),
            (
                #"{"advertising": {"services": ["x"]}}"#,
                "advertising.services[0]: a UUID of 4, 8 or 32 hexadecimal digits should be here"
            ),
            (
                #"{"advertising": {"manufacturerData": {"data": "00"}}}"#,
                #"advertising.manufacturerData: the key "company" is missing"#
            ),
            (
                #"{"advertising": {"serviceData": [{"uuid": "180F", "data": {"list": ["00"]}}]}}"#,
                "advertising.serviceData[0].data: a constant value should be here"
            ),
        ]
    )
    func accessory(text: String, message: String) throws {
        #expect(try problem(text) == message)
    }

    @Test(
        "An error in the services is reported with its place in the file",
        arguments: [
            (#"{}"#, #"services[0]: the key "uuid" is missing"#),
            (
                #"{"uuid": "18", "primary": true}"#,
                "services[0].uuid: a UUID of 4, 8 or 32 hexadecimal digits should be here"
            ),
            (
                #"{"uuid": "180F", "primary": 1}"#,
                "services[0].primary: true or false should be here"
            ),
            (
                #"{"uuid": "180F", "handle": 0}"#,
                "services[0].handle: a number from 1 to 65535 should be here"
            ),
            (
                #"{"uuid": "180F", "includes": ["180A"]}"#,
                "services[0]: it includes the service 180A, which does not exist"
            ),
            (
                #"{"uuid": "180F", "includes": [70]}"#,
                "services[0]: it includes a service at the handle 70, and there is none"
            ),
            (
                #"{"uuid": "180F", "includes": ["180A"]}, {"uuid": "180A", "includes": ["180F"]}"#,
                "services[0].includes: services include each other in a cycle"
            ),
            (
                #"{"uuid": "180F", "handle": 65535, "includes": [], "characteristics": []}, "#
                    + #"{"uuid": "180F", "handle": 65535}"#,
                "services[1]: the handle 65535 is taken, or is not above the handle before it"
            ),
        ]
    )
    func services(services: String, message: String) throws {
        #expect(try problem(#"{"services": [\#(services)]}"#) == message)
    }

    @Test(
        "An error in a characteristic is reported with its place in the file",
        arguments: [
            (#""properties": []"#, #": the key "uuid" is missing"#),
            (#""uuid": "2A19""#, #": the key "properties" is missing"#),
            (
                #""uuid": "2A19", "properties": ["raed"]"#,
                ".properties[0]: one of broadcast, read, writeWithoutResponse, write, notify, "
                    + "indicate, authenticatedSignedWrites, extendedProperties should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "permissions": ["readSecretly"]"#,
                ".permissions[0]: one of read, readEncrypted, readAuthenticated, readAuthorized, "
                    + "write, writeEncrypted, writeAuthenticated, writeAuthorized, notify, "
                    + "notifyEncrypted, notifyAuthenticated, notifyAuthorized should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "minimumKeySize": 16"#,
                ".minimumKeySize: minimumKeySize needs a permission with encryption"
            ),
            (
                #""uuid": "2A19", "properties": [], "permissions": ["read"], "minimumKeySize": 16"#,
                ".minimumKeySize: minimumKeySize needs a permission with encryption"
            ),
            (
                #""uuid": "2A19", "properties": [], "permissions": ["readEncrypted"], "#
                    + #""minimumKeySize": 6"#,
                ".minimumKeySize: a number from 7 to 16 should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "value": "00ff", "maximumLength": 1"#,
                ".value: the value is longer than maximumLength"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "maximumLength": 513"#,
                ".maximumLength: a number from 0 to 512 should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "every": 1"#,
                ".every: every needs a value that changes by itself, or notify or indicate"
            ),
            (
                #""uuid": "2A19", "properties": ["notify"], "every": 0"#,
                ".every: a number from 0.005 to 86400 should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["read", "write"], "value": {"list": ["00"]}"#,
                ".value: a value that changes by itself cannot be written"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "#
                    + #""value": {"uint8": {"sine": [0, 1], "period": 1}}"#,
                #".value: a sine needs "every" beside the value"#
            ),
            (
                #""uuid": "2A19", "properties": ["notify"], "echo": true"#,
                ".echo: echo needs a characteristic that clients can write"
            ),
            (
                #""uuid": "2A19", "properties": ["write"], "echo": true"#,
                ".echo: the characteristic does not notify or indicate"
            ),
            (
                #""uuid": "2A19", "properties": ["write"], "echo": false"#,
                ".echo: true or the UUID of a characteristic should be here"
            ),
            (
                #""uuid": "2A19", "properties": ["write"], "echo": "2A1A""#,
                ".echo: no characteristic is 2A1A"
            ),
            (
                #""uuid": "2A19", "properties": ["write"], "echo": "2A19""#,
                ".echo: 2A19 does not notify or indicate"
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "descriptors": [{"value": "00"}]"#,
                #".descriptors[0]: the key "uuid" is missing"#
            ),
            (
                #""uuid": "2A19", "properties": ["read"], "#
                    + #""descriptors": [{"uuid": "2901", "permissions": ["notify"]}]"#,
                ".descriptors[0].permissions[0]: one of read, readEncrypted, readAuthenticated, "
                    + "readAuthorized, write, writeEncrypted, writeAuthenticated, "
                    + "writeAuthorized should be here"
            ),
        ]
    )
    func characteristics(members: String, message: String) throws {
        let text = #"{"services": [{"uuid": "180F", "characteristics": [{\#(members)}]}]}"#
        #expect(try problem(text) == "services[0].characteristics[0]" + message)
    }

    @Test(
        "An error in a value is reported with its place in the file",
        arguments: [
            (
                #""0""#,
                ": '0' is not a value; use two hexadecimal digits per byte (01ff), text:hello, "
                    + "or a number with its type (uint16:300)"
            ),
            ("5", ": a string, an object, or a list of these should be here"),
            (
                "{}",
                ": one of hex, text, pattern, list, uint8, sint8, uint16, sint16, uint24, sint24, "
                    + "uint32, sint32, uint48, sint48, float32, float64, medfloat16, medfloat32 "
                    + "should be here"
            ),
            (#"{"uint8": 256}"#, ".uint8: a number from 0 to 255 should be here"),
            (
                #"{"sint16": 1, "exponent": 11}"#,
                ".exponent: a number from -10 to 10 should be here"
            ),
            (#"{"text": "x", "exponent": 1}"#, ".exponent: only a number has an exponent"),
            (#"{"pattern": 513}"#, ".pattern: a number from 0 to 512 should be here"),
            (#"[{"pattern": 512}, "00"]"#, ": a value has at most 512 bytes"),
            (#"{"list": []}"#, ".list: at least one element should be here"),
            (
                #"{"list": [{"uint8": {"list": [1]}}]}"#,
                ".list[0]: a constant value should be here"
            ),
            (
                #"["00", {"uint8": {"ramp": [0, 256]}}]"#,
                "[1].uint8.ramp[1]: a number from 0 to 255 should be here"
            ),
            (#"{"uint8": {"ramp": [0]}}"#, ".uint8.ramp: two numbers should be here"),
            (
                #"{"uint8": {"ramp": [0, 9], "step": 0}}"#,
                ".uint8.step: a step greater than 0 should be here"
            ),
            (
                #"{"uint8": {"ramp": [0, 9], "period": 1}}"#,
                ".uint8.period: this key does not apply to this kind of value"
            ),
            (#"{"uint8": {"sine": [0, 9]}}"#, #".uint8: the key "period" is missing"#),
            (
                #"{"uint8": {"sine": [9, 0], "period": 1}}"#,
                ".uint8.sine: the lower of the two should be the first"
            ),
            (
                #"{"uint8": {"sine": [0, 9], "period": 0}}"#,
                ".uint8.period: a number of seconds greater than 0 should be here"
            ),
            (#"{"uint8": {}}"#, ".uint8: one of ramp, sine, counter, list should be here"),
            (
                #"{"uint8": {"counter": 0, "list": [1]}}"#,
                ".uint8: one of ramp, sine, counter, list should be here"
            ),
            (
                #"{"float32": {"counter": 0}}"#,
                ".float32.counter: a counter needs a format of whole numbers, without an exponent"
            ),
        ]
    )
    func values(value: String, message: String) throws {
        let text = """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["read"], "value": \(value)}]}]}
            """
        #expect(try problem(text) == "services[0].characteristics[0].value" + message)
    }

    @Test("A changed example file causes no trap", arguments: Examples.names, RunSeed.seeds(1))
    func mutations(name: String, seed: UInt64) throws {
        let text = Array(try String(contentsOfFile: Examples.path(name), encoding: .utf8))
        let signs = Array("{}[]\",:0123456789eE-.tfnx")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: mutant.indices, using: &generator)
                if let sign = signs.randomElement(using: &generator) { mutant[index] = sign }
            }
            guard let accessory = try? ServedAccessory(parsing: String(mutant)) else { continue }
            _ = try DatabaseListing(accessory).exploration
        }
    }
}
