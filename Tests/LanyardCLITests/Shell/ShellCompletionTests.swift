// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("Completion in the shell") struct ShellCompletionTests {
    private let completion = ShellCompletion(
        devices: ["Thermometer", "Battery Lamp", "Battery Box", "say \"hi\""],
        characteristics: [
            .at(2, BluetoothUUID(0x2A00), .read), .at(6, BluetoothUUID(0x2A19), [.read, .notify]),
            .at(8, BluetoothUUID(0x2A37), .notify),
        ],
        variables: ["value", "uuid"]
    )

    @Test(
        "A word is completed as far as its candidates agree",
        arguments: [
            ("sub", "subscribe "), ("connect th", "connect Thermometer "),
            ("connect batt", #"connect "Battery "#),
            (#"connect "Battery L"#, #"connect "Battery Lamp" "#),
            ("connect 'battery l", #"connect "Battery Lamp" "#),
            ("connect say", #"connect "say \"hi\"" "#),
            ("read 2A1", "read 2A19 "), ("read batt", "read battery-level "),
            ("read #7", "read #7 "),
            ("subscribe 2A37 2A1", "subscribe 2A37 2A19 "), ("fails wri", "fails write "),
            ("subscribe 2A0", "subscribe 2A0"), ("read 2A37", "read 2A37"),
            ("fails read 2A1", "fails read 2A19 "),
            ("info heart-rate-cont", "info heart-rate-control-point "),
            ("scan --pas", "scan --passive "),
            ("scan --service heart", "scan --service heart-rate "),
            ("pair --io keyboard-o", "pair --io keyboard-only "), ("phy c", "phy coded "),
            ("wait notif", "wait notification "), ("wait device th", "wait device Thermometer "),
            ("wait notification 2A1", "wait notification 2A19 "),
            ("expect con", "expect contains "),
            ("read $u", "read $uuid "), ("help sub", "help subscribe "), ("exi", "exi"),
            // There is no candidate.
            ("bogus x", "bogus x"), ("connect zzz", "connect zzz"), ("mtu x", "mtu x"),
            ("connect Lamp x", "connect Lamp x"),
        ]
    )
    func certain(before: String, after: String) {
        #expect(completion.complete(before).before == after)
    }

    @Test("Several words are listed, UUIDs with their names")
    func several() {
        #expect(
            completion.complete("read 2").candidates == ["2A00 Device Name", "2A19 Battery Level"]
        )
        #expect(
            completion.complete("subscribe 2").candidates == [
                "2A19 Battery Level", "2A37 Heart Rate Measurement",
            ]
        )
        #expect(completion.complete("write ").candidates.isEmpty)
        #expect(completion.complete("read 2").before == "read 2A")
        let commands = completion.complete("").candidates
        #expect(commands == ShellVocabulary.entries.map(\.name))
        #expect(completion.complete("connect ").candidates.contains("Battery Lamp"))
        #expect(completion.complete("connect ").before == "connect ")
    }

    @Test("Without a link, the names of all characteristics are offered")
    func withoutLink() {
        let completion = ShellCompletion()
        #expect(completion.complete("read battery-lev").before == "read battery-level")
        #expect(completion.complete("read body-sensor-l").before == "read body-sensor-location ")
        #expect(completion.complete("info 2A37").before == "info 2A37 ")
    }

    @Test(
        "Only some lines need devices or characteristics",
        arguments: [
            ("connect ", .devices), ("forget a", .devices), ("wait device ", .devices),
            ("read ", .characteristics), ("fails subscribe 2A19 ", .characteristics),
            ("wait notification ", .characteristics), ("con", nil), ("mtu ", nil),
        ] as [(String, ShellCompletion.Need?)]
    )
    func needs(line: String, need: ShellCompletion.Need?) {
        #expect(ShellCompletion.need(of: line) == need)
    }
}
