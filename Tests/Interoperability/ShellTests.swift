// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Scripts of the shell against Bumble's accessory.
@Suite(.needsPeers) struct ShellTests {
    @Test(
        "A script reads, writes, subscribes and sees the end of the link",
        arguments: ControllerKind.available
    )
    func script(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.demo, on: controllers.adapters[0])
            let script = """
                connect "\(accessory.name)"
                mtu
                expect between 23 517
                read \(Demo.short)
                expect equals \(Demo.pattern(20).hexadecimal)
                read \(Demo.long)
                expect equals \(Demo.pattern(512).hexadecimal)
                write \(Demo.control) 0000000000
                write \(Demo.writable) text:hello
                write \(Demo.writable) 01 --without-response
                read \(Demo.writable)
                expect equals 01
                read \(Demo.control)
                expect uint32 between 2 2
                subscribe \(Demo.burst)
                write \(Demo.control) 0103000400
                wait notification \(Demo.burst) equals 00000000
                wait notification \(Demo.burst) equals 01000000
                wait notification \(Demo.burst) equals 02000000
                unsubscribe
                subscribe 2A37
                wait notification 2A37 between 60 99
                fails read 2A6E
                disconnect
                """
            let result = try await run(script, on: controllers.adapters[1])
            try #require(result.succeeded, "\(result.errors) \(result.output)")
            #expect(result.output.contains("24 steps passed in "))
        }
    }

    @Test("A wrong value ends a script with exit code 1, the line, and both values")
    func unmet() async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let accessory = try await peers.accessory(.demo, on: controllers.adapters[0])
            let script = """
                connect "\(accessory.name)"
                read battery-level
                expect equals uint8:1
                """
            let result = try await run(script, on: controllers.adapters[1])
            #expect(result.ending == .exited(1))
            #expect(
                result.errors.hasSuffix(
                    ".lanyard:3: expected the value uint8:1, but the result is 57\n"
                ),
                "\(result.errors)"
            )
        }
    }

    private func run(_ script: String, on adapter: String) async throws -> LanyardTool.Result {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).lanyard"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        return try await LanyardTool.run("run", path, adapter: adapter)
    }
}
