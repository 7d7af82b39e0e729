// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport
import Testing

/// The control line with a shell at its other end.
@Suite struct ControlLineTests {
    /// Returns a line to a shell that runs `script`.
    private func line(to script: String) throws -> ControlLine {
        ControlLine(of: try ChildProcess("/bin/sh", ["-c", script]))
    }

    @Test("Answers reach their commands in any order")
    func answerOrder() async throws {
        // Each command is answered with its own name, the later one first.
        let line = try line(
            to: #"""
                answer() {
                    id=$(echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/')
                    name=$(echo "$1" | sed 's/.*"do":"\([a-z]*\)".*/\1/')
                    echo "{\"id\":$id,\"done\":\"$name\"}"
                }
                read -r a; read -r b; answer "$b"; answer "$a"; read -r c
                """#
        )
        async let first = line.call("first")
        async let second = line.call("second")
        #expect(try await first.text == "first")
        #expect(try await second.text == "second")
    }

    @Test("A refused command throws the name of the error")
    func refusals() async throws {
        let line = try line(
            to: #"read a; echo '{"id":1,"refused":"No","text":"not today"}'; read b"#
        )
        await #expect(throws: Refusal("No")) { try await line.call("anything") }
    }

    @Test("Events stay until a call consumes them")
    func keptEvents() async throws {
        let line = try line(
            to:
                #"echo '{"event":"a"}'; echo '{"event":"b"}'; read c; echo '{"id":1,"done":{}}'; read d"#
        )
        _ = try await line.call("anything")
        for name in ["b", "a"] {
            let event = try await line.event(name, within: Limits.step) { $0["event"].text == name }
            #expect(event["event"].text == name)
        }
        #expect(line.pendingEvents { _ in true }.isEmpty)
    }

    @Test("A pending call receives the event that it awaits")
    func awaitedEvent() async throws {
        let line = try line(
            to: #"""
                echo '{"event":"early"}'; read a; echo '{"id":1,"done":{}}'
                read b; echo '{"event":"late"}'; echo '{"id":3,"done":{}}'; read c
                """#
        )
        _ = try await line.call("ready")
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        async let event = line.event("late", within: Limits.step) {
            ask.yield()  // A new waiter checks the stored events first: the early one.
            return $0["event"].text == "late"
        }
        for await _ in asked { break }
        _ = try await line.call("go")
        #expect(try await event["event"].text == "late")
        #expect(line.pendingEvents { _ in true }.map { $0["event"].text } == ["early"])
    }

    @Test("A call that timed out consumes no later event")
    func timedOutCall() async throws {
        let line = try line(
            to: #"read a; echo '{"event":"late"}'; echo '{"id":2,"done":{}}'; read b"#
        )
        await #expect(throws: ProcessError.self) {
            _ = try await line.event("late", within: .milliseconds(1)) { _ in true }
        }
        _ = try await line.call("go")
        #expect(line.pendingEvents { $0["event"].text == "late" }.count == 1)
    }

    @Test("The end of the line ends all pending calls")
    func endOfLine() async throws {
        let line = try line(to: "read a")
        let event = Task { try await line.event("never", within: Limits.step) { _ in false } }
        await #expect(throws: ProcessError.self) { try await line.call("end") }
        await #expect(throws: ProcessError.self) { try await event.value }
        await #expect(throws: ProcessError.self) { try await line.call("later") }
        #expect(line.isOver)
    }

    @Test(
        "The line ignores invalid and unexpected answers",
        arguments: ["", "nonsense", "[]", #"{"id":"x"}"#, #"{"id":99,"done":1}"#, "{"]
    )
    func invalidLines(_ text: String) async throws {
        let line = try line(
            to: "printf '%s\\n' '\(text)'; read a; echo '{\"id\":1,\"done\":true}'; read b"
        )
        #expect(try await line.call("go") == .boolean(true))
    }

    @Test("The line keeps only the newest events up to its limit")
    func eventLimit() async throws {
        let count = Limits.eventCount + 10
        let line = try line(
            to: """
                i=0; while [ $i -lt \(count) ]; do echo "{\\"event\\":\\"e\\",\\"number\\":$i}"; i=$((i+1)); done
                read a; echo '{"id":1,"done":{}}'; read b
                """
        )
        _ = try await line.call("go")
        let kept = line.pendingEvents { _ in true }
        #expect(kept.count == Limits.eventCount)
        #expect(kept.first?["number"].integer == 10)
        #expect(kept.last?["number"].integer == count - 1)
    }
}
