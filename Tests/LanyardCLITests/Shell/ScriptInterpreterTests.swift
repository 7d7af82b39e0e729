// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The interpreter of scripts") struct ScriptInterpreterTests {
    private let level = try? CharacteristicReference("2A19")
    private let subject = ScriptSubject(text: "57  87 %", bytes: [0x57], meaning: "87 %")
    private let refusal = ProgramFailure(.refused, "writing 2A19: refused: Out of Range")

    private func interpreter(limit: Duration? = nil) throws -> ScriptInterpreter {
        try ScriptInterpreter(variables: ["uuid": "2A19"], start: .zero, limit: limit)
    }

    private func seconds(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    @Test("A script reads a value, sets a variable to it, and compares it")
    func readsAndCompares() throws {
        var script = try interpreter()
        #expect(try script.receive("# a comment", now: .zero) == .none)
        let level = try #require(level)
        #expect(try script.receive("read $uuid", now: .zero) == .perform(.read(level), within: nil))
        try script.completed(subject)
        #expect(try script.receive("set before $value", now: .zero) == .none)
        #expect(
            try script.receive("expect equals $before", now: .zero)
                == .check(
                    try ScriptExpectation(["equals", "57"]),
                    subject,
                    within: WaitCondition.defaultLimit
                )
        )
        #expect(
            try script.receive(#"echo "$meaning of $output""#, now: .zero)
                == .perform(.echo("87 % of 57  87 %"), within: nil)
        )
        try script.completed(ScriptSubject(text: "x"))
        // The last result has no bytes, so `$value` has no value.
        #expect(throws: ProgramFailure.self) { try script.receive("echo $value", now: .zero) }
        #expect(try script.receive("quit", now: .zero) == .quit)
    }

    @Test("An expectation before the first result is an error")
    func noResult() throws {
        var script = try interpreter()
        let failure = #expect(throws: ProgramFailure.self) {
            try script.receive("expect equals 01", now: .zero)
        }
        #expect(failure?.happened == "there is no result yet")
    }

    @Test("A failure that is expected becomes the result")
    func expectedFailure() throws {
        var script = try interpreter()
        let level = try #require(level)
        #expect(
            try script.receive("fails write 2A19 01", now: .zero)
                == .perform(.write(level, [1], withResponse: true), within: nil)
        )
        try script.failed(refusal)
        #expect(script.subject?.text == refusal.happened)
        // The next line does not expect a failure.
        _ = try script.receive("write 2A19 01", now: .zero)
        #expect(throws: refusal) { try script.failed(refusal) }
    }

    @Test("A line that expects a failure is unmet if its command succeeds")
    func unexpectedSuccess() throws {
        var script = try interpreter()
        _ = try script.receive("fails read 2A19", now: .zero)
        let failure = #expect(throws: ProgramFailure.self) { try script.completed(subject) }
        #expect(failure?.status == .unmet)
        #expect(failure?.happened == "expected a failure, but the result is \"57  87 %\"")
    }

    @Test(
        "An interruption, closed output, a lost adapter or wrong usage is not an expected failure",
        arguments: [ProcessStatus.interrupted, .outputClosed, .adapterUnavailable, .usage]
    )
    func fatal(status: ProcessStatus) throws {
        var script = try interpreter()
        _ = try script.receive("fails read 2A19", now: .zero)
        #expect(throws: ProgramFailure(status, "x")) { try script.failed(.init(status, "x")) }
    }

    @Test("A time limit applies to later lines, and the limit of the script to all lines")
    func limits() throws {
        var script = try interpreter(limit: .seconds(30))
        func limit(_ line: String, at now: Int64) throws -> Duration? {
            switch try script.receive(line, now: seconds(now)) {
            case .perform(_, let limit): limit
            case .wait(_, let limit), .check(_, _, let limit): limit
            case .none, .quit: nil
            }
        }
        #expect(try limit("mtu", at: 1) == .seconds(29))
        #expect(try limit("timeout 5", at: 1) == nil)
        #expect(try limit("mtu", at: 1) == .seconds(5))
        #expect(try limit("mtu", at: 28) == .seconds(2))
        #expect(try limit("wait disconnected", at: 1) == .seconds(5))
        #expect(try limit("wait disconnected within 20", at: 1) == .seconds(20))
        #expect(try limit("wait disconnected within 20", at: 15) == .seconds(15))
        #expect(try limit("timeout off", at: 1) == nil)
        #expect(try limit("wait disconnected", at: 1) == WaitCondition.defaultLimit)
        #expect(try limit("wait 15", at: 1) == .seconds(25))
        let late = #expect(throws: ProgramFailure.self) { try limit("mtu", at: 30) }
        #expect(late?.status == .timedOut)
        #expect(late?.happened == "the script takes longer than its limit of 30 s")
        #expect(script.timedOut("mtu", after: .seconds(2), now: seconds(30)) == late)
        let step = script.timedOut("mtu", after: .seconds(2), now: seconds(10))
        #expect(step.happened == "mtu: not done within 2 s" && step.status == .timedOut)
    }

    @Test("The number and the length of variables are limited")
    func variableBounds() throws {
        var script = try interpreter()
        for number in 0..<ScriptInterpreter.variableLimit - 1 {
            _ = try script.receive("set v\(number) x", now: .zero)
        }
        #expect(throws: ProgramFailure.self) { try script.receive("set more x", now: .zero) }
        // A variable that exists can change.
        _ = try script.receive("set v1 y", now: .zero)
        // The length of a variable has a bound.
        var doubling = try interpreter()
        _ = try doubling.receive("set a 0123456789", now: .zero)
        let failure = #expect(throws: ProgramFailure.self) {
            for _ in 0..<20 { _ = try doubling.receive("set a $a$a", now: .zero) }
        }
        #expect(failure?.happened.contains("more than 8192 bytes") == true)
    }

    @Test("The value of a variable is one word, whatever it contains")
    func noInjection() throws {
        var script = try interpreter()
        _ = try script.receive("mtu", now: .zero)
        try script.completed(ScriptSubject(text: "a b\" $uuid # \\"))
        #expect(
            try script.receive("echo $output", now: .zero)
                == .perform(.echo("a b\" $uuid # \\"), within: nil)
        )
    }
}

@Suite("Script files") struct ScriptTests {
    private func check(_ text: String, variables: [String] = []) throws {
        try Script(text, name: "lamp.lanyard").check(variables: variables)
    }

    @Test("A script is checked before it runs, and an error names the file and the line")
    func faults() throws {
        for (text, message) in [
            ("mtu\nraed 2A19\n", "lamp.lanyard:2: 'raed' is not a command"),
            ("echo $nmae", "lamp.lanyard:1: the variable $nmae is not set"),
            ("echo $x\nset x 1", "lamp.lanyard:1: the variable $x is not set"),
            ("set x 1\r\n\r\nraed $x", "lamp.lanyard:3: 'raed' is not a command"),
            ("echo \"", "lamp.lanyard:1: the \" has no end"),
        ] {
            let failure = #expect(throws: ProgramFailure.self) { try check(text) }
            #expect(failure?.status == .badData && failure?.happened == message)
        }
        try check("set x 1\nread $x\necho $value $y\n\n# end", variables: ["y"])
        try check("set x $value\necho $x")
    }

    @Test("The number and the length of a script's lines are limited")
    func bounds() throws {
        try check(String(repeating: "mtu\n", count: Script.lineLimit))
        #expect(throws: ProgramFailure.self) {
            try check(String(repeating: "mtu\n", count: Script.lineLimit + 1))
        }
        #expect(throws: ProgramFailure.self) {
            try check("echo " + String(repeating: "a", count: ShellWords.lengthLimit))
        }
    }

    @Test("A file that is missing or is not a script is refused")
    func files() {
        let missing = #expect(throws: ProgramFailure.self) { try Script.read("/nonexistent/x") }
        #expect(missing?.status == .inputOutput)
        let program = #expect(throws: ProgramFailure.self) { try Script.read("/proc/self/exe") }
        #expect(program?.status == .badData)
    }
}
