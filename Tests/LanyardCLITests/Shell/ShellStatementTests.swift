// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The statements of the shell") struct ShellStatementTests {
    private func statement(_ line: String) throws -> ShellStatement {
        try ShellStatement(try ShellWords(line).expanded([:]))
    }

    private static let level = BluetoothUUID(0x2A19)

    @Test("Commands are parsed with their arguments")
    func commands() throws {
        let level = try CharacteristicReference("2A19")
        #expect(try statement("read battery-level") == .perform(.read(level)))
        #expect(try statement("READ 0x2A19") == .perform(.read(level)))
        let written = ShellStatement.perform(.write(level, [1, 0xFF], withResponse: true))
        #expect(try statement("write 2A19 01ff") == written)
        #expect(try statement("write 2A19 01 ff") == written)
        #expect(
            try statement("write 2A19 {\"uint16\": 300} --without-response")
                == .perform(.write(level, [0x2C, 1], withResponse: false))
        )
        #expect(
            try statement("subscribe 2A19 #12 --indicate")
                == .perform(
                    .subscribe([level, try CharacteristicReference("#12")], .indication)
                )
        )
        #expect(try statement("connect Lamp") == .perform(.connect(.name("Lamp"))))
        #expect(try statement("connect") == .perform(.connect(nil)))
        #expect(
            try statement("decode 2A37 06 3C")
                == .perform(.decode(BluetoothUUID(0x2A37), [6, 0x3C]))
        )
        #expect(try statement("phy 2m") == .perform(.phy(.le2M)))
        #expect(try statement("exit") == .quit)
        #expect(try statement("pair --help") == .perform(.help("pair")))
        #expect(
            try statement("pair --mitm --io display-yes-no")
                == .perform(.pair(["--mitm", "--io", "display-yes-no"]))
        )
    }

    @Test("A scan takes a time and the filters of lanyard scan")
    func scan() throws {
        #expect(try statement("scan") == .perform(.scan(ShellOperation.ScanRequest())))
        var request = ShellOperation.ScanRequest(hasFilter: true, limit: .seconds(2.5))
        request.filter.namePrefix = "La"
        request.filter.isNameCaseSensitive = false
        request.filter.minimumRSSI = -60
        request.filter.discoveryProcedure = .general
        request.filter.services = [BluetoothUUID(0x180D)]
        request.parameters.isActive = false
        let line = #"""
            scan 2.5 --name La --minimum-rssi -60 --discovery general \#
            --service "Heart Rate" --passive
            """#
        #expect(try statement(line) == .perform(.scan(request)))
    }

    @Test("The parameters of a link have the ranges of the specification")
    func parameters() throws {
        #expect(try statement("parameters") == .perform(.parameters(nil)))
        var update = ConnectionUpdate(
            intervalMinimum: .milliseconds(15),
            intervalMaximum: .milliseconds(30),
            peripheralLatency: 2,
            supervisionTimeout: .seconds(4)
        )
        #expect(try statement("parameters 15-30 2 4000") == .perform(.parameters(update)))
        let interval = Duration.milliseconds(7.5)
        update = ConnectionUpdate(intervalMinimum: interval, intervalMaximum: interval)
        #expect(try statement("parameters 7.5") == .perform(.parameters(update)))
        for line in ["7", "30-15", "4001", "30 500", "30 0 99", "30 0 4000 1", "x", "-30", "30-"] {
            #expect(throws: ProgramFailure.self, "\(line)") { try statement("parameters \(line)") }
        }
    }

    @Test("Statements of scripts are parsed")
    func scripting() throws {
        #expect(try statement("set name a b") == .set("name", "a b"))
        #expect(try statement("timeout 2.5") == .timeout(.seconds(2.5)))
        #expect(try statement("limit off") == .limit(nil))
        #expect(try statement("sleep 2") == .wait(.time(.seconds(2)), within: nil))
        #expect(
            try statement("wait notification 2A19 uint8 between 1 2 within 3")
                == .wait(
                    .notification(
                        try CharacteristicReference("2A19"),
                        try ScriptExpectation(["uint8", "between", "1", "2"])
                    ),
                    within: .seconds(3)
                )
        )
        #expect(
            try statement("wait notification contains x")
                == .wait(.notification(nil, try ScriptExpectation(["contains", "x"])), within: nil)
        )
        #expect(
            try statement("wait device 'My Lamp'") == .wait(.device(.name("My Lamp")), within: nil)
        )
        #expect(try statement("fails disconnect") == .fails(.disconnect))
    }

    @Test(
        "A wrong line is refused with advice",
        arguments: [
            ("raed 2A19", "'raed' is not a command; did you mean 'read'?"),
            ("read", "an argument of 'read' is missing; use read CHARACTERISTIC"),
            ("read 2A19 2A1A", "'read' does not take '2A1A'"),
            ("read battery-levl", "did you mean 'Battery Level'?"),
            ("write 2A19", "an argument of 'write' is missing"),
            ("write 2A19 xyz", "'xyz' is not a value"),
            ("connect a b", "'connect' does not take 'b'"),
            ("scan -1", "Unknown option '-1'"), ("scan 1 2", "'scan' takes one duration"),
            ("scan 0", "'0' is not a valid time"),
            ("scan --rssi -60", "did you mean '--minimum-rssi'?"),
            ("scan --minimum-rssi 60", "did you mean -60?"),
            ("scan --discovery all", "'all' is not a valid --discovery; use general or limited"),
            ("wait", "'wait' needs an event"), ("wait forever", "'forever' is not an event"),
            ("wait 1e9", "'1e9' is not a valid time"), ("wait nan", "'nan' is not an event"),
            ("wait notificatin", "did you mean 'notification'?"),
            ("wait notificatin 2A19", "'notificatin 2A19' is not an event to wait for; did you"),
            ("wait devise Lamp", "did you mean 'device'?"), ("wait -1", "'-1' is not a valid time"),
            ("wait device", "'device' is not an event to wait for"),
            ("wait disconnected now", "'disconnected now' is not an event"),
            ("expect", "an expectation is missing"), ("expect equals", "'equals' needs one text"),
            ("expect contains a b", "write a text with spaces in quotes"),
            ("expect matches (", "'(' is not a valid pattern"),
            ("expect between 2 1", "'between' needs two numbers"),
            ("expect between 1 inf", "'between' needs two numbers"),
            ("expect uint8 equals 1", "an expectation is missing"),
            ("set 1a x", "'1a' cannot be the name of a variable"),
            ("set value x", "'value' cannot be the name of a variable"),
            ("set a", "an argument of 'set' is missing"),
            ("fails", "'fails' needs a command"), ("fails wait 1", "'fails' needs a command"),
            ("fails fails fails", "'fails' needs a command"),
            ("phy 3M", "'3M' is not a physical layer; use phy [1M|2M|coded]"),
            ("pair --bogus", "Unknown option '--bogus'"),
            ("info nothing-at-all", "is not a UUID or a known name"),
            ("help raed", "'raed' is not a command"),
            ("\u{1B}[2J", "'\\u{1B}[2J' is not a command"),
        ]
    )
    func refusals(line: String, message: String) {
        let failure = #expect(throws: ProgramFailure.self) { try statement(line) }
        #expect(failure?.status == .usage)
        #expect(failure?.line.contains(message) == true, "\(failure?.line ?? "")")
        #expect(failure?.line.contains("\u{1B}") == false)
    }

    @Test("The help lists every command, and each command has its own help")
    func help() throws {
        let help = try ShellVocabulary.help(nil)
        for entry in ShellVocabulary.entries {
            #expect(help.contains(entry.usage) && help.contains(entry.summary))
            #expect(try ShellVocabulary.help(entry.name).hasPrefix(entry.usage))
            #expect(entry.summary.hasSuffix("."))
        }
        for target in ShellVocabulary.synonyms.values {
            #expect(ShellVocabulary.entry(target) != nil)
        }
    }
}
