// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The harness must not hang, leak processes, or pass without a comparison, because every other
/// test relies on it.
@Suite struct HarnessTests {
    static let limit: Duration = .seconds(90)

    @Test("A child process delivers its output line by line and then the rest")
    func childOutput() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "echo one; echo two; echo bad >&2; exit 3"])
        #expect(try await child.nextLine(within: Self.limit) == "one")
        let rest = try await child.waitUntilEnd(within: Self.limit)
        #expect(rest.output == "two\n")
        #expect(rest.ending == .exited(3))
        #expect(child.log == "bad\n")
    }

    @Test("A child process ends when its input closes")
    func closedInput() async throws {
        let child = try ChildProcess("/bin/cat", [])
        child.closeInput()
        #expect(try await child.waitUntilEnd(within: Self.limit).ending == .exited(0))
    }

    @Test("A wait for a line of a silent child process times out")
    func silentChild() async throws {
        let child = try ChildProcess("/bin/cat", [])
        await #expect(throws: ProcessError.self) {
            try await child.nextLine(within: .milliseconds(20))
        }
    }

    @Test("The harness kills a child process that does not end in time")
    func endlessChild() async throws {
        let child = try ChildProcess("/bin/cat", [])
        await #expect(throws: ProcessError.self) {
            try await child.waitUntilEnd(within: .milliseconds(20))
        }
        #expect(try await child.waitUntilEnd(within: Self.limit).ending == .killed(signal: SIGKILL))
    }

    @Test("The harness kills a child process that closes its output and does not end in time")
    func childWithoutOutput() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "exec sleep 80 >&-"])
        #expect(try await child.nextLine(within: Self.limit) == nil)
        await #expect(throws: ProcessError.self) {
            try await child.waitUntilEnd(within: .milliseconds(20))
        }
    }

    @Test("The harness kills a suspended child process")
    func suspendedChild() async throws {
        let child = try ChildProcess("/bin/cat", [])
        child.suspend()
        child.kill()
        #expect(try await child.waitUntilEnd(within: Self.limit).ending == .killed(signal: SIGKILL))
    }

    @Test("An interrupt ends a child process")
    func interrupt() async throws {
        let child = try ChildProcess("/bin/cat", [])
        child.send(signal: SIGINT)
        #expect(try await child.waitUntilEnd(within: Self.limit).ending == .killed(signal: SIGINT))
    }

    @Test("The error for a missing executable contains its path")
    func missingExecutable() {
        #expect { try ChildProcess("/no/such/peer", []) } throws: { error in
            "\(error)".contains("/no/such/peer")
        }
    }

    @Test("The error for a peer that fails to start contains its log")
    func failedPeer() async {
        await #expect {
            _ = try await Peer("/bin/sh", ["-c", "echo no such port >&2"])
        } throws: { error in
            "\(error)".contains("no such port")
        }
    }

    @Test("Each difference between JSON values has its path")
    func differencePaths() throws {
        let found = try JSON(parsing: #"{"a":[{"b":1},{"b":2,"c":null}],"d":true}"#)
        let wanted = try JSON(parsing: #"{"a":[{"b":1},{"b":3}],"d":true,"e":"x"}"#)
        #expect(found.differences(from: found).isEmpty)
        #expect(
            found.differences(from: wanted) == [
                "a[1].b: number(2.0), not number(3.0)",
                "a[1].c: null, where nothing was expected",
                #"e: missing; expected string("x")"#,
            ]
        )
    }

    @Test("Missing and extra elements are differences")
    func elementCount() throws {
        let two = try JSON(parsing: "[1,2]")
        let one = try JSON(parsing: "[1]")
        #expect(two.differences(from: one).count == 1)
        #expect(one.differences(from: two).count == 1)
    }
}
