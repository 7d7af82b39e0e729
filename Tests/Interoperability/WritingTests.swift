// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct WritingTests {
    @Test("A read returns written values of 0 to 512 bytes", arguments: ControllerKind.available)
    func everyLength(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let handle = try await link.handle(Demo.writable)
            // Empty; short; the most that one request holds; in parts; the longest value.
            for length in [0, 1, 20, try await link.mtu - 3, try await link.mtu - 2, 512] {
                try await link.write(Demo.pattern(length, start: length), to: handle)
                #expect(
                    try await link.readLong(handle) == Demo.pattern(length, start: length),
                    "\(length) bytes"
                )
            }
        }
    }

    @Test("All writes without response arrive in order", arguments: ControllerKind.available)
    func commands(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let handle = try await link.handle(Demo.writable)
            try await link.command(.resetCounter)
            let count = 500
            for index in 0..<count {
                try await link.writeWithoutResponse(
                    Demo.pattern(200, start: index),
                    to: handle
                )
            }
            #expect(try await link.readLong(handle) == Demo.pattern(200, start: count - 1))
            #expect(try await link.countWrites() == count)
        }
    }

    @Test("A reliable write changes two values together", arguments: ControllerKind.available)
    func reliableWrite(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let (first, second) = (
                try await link.handle(Demo.writable), try await link.handle(Demo.short)
            )
            let (long, short) = (Demo.pattern(400, start: 9), Demo.pattern(20, start: 7))
            try await link.writeReliably([
                .init(handle: first, value: long), .init(handle: second, value: short),
            ])
            #expect(try await link.readLong(first) == long)
            #expect(try await link.readLong(second) == short)
        }
    }

    @Test("A refused write reports its reason", arguments: ControllerKind.available)
    func refusedWrite(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let heartRateControl = try await link.handle(BluetoothUUID(0x2A39))
            try await link.write([1], to: heartRateControl)
            let notSupported = GATT.Failure.attribute(
                ATT.ErrorCode(rawValue: 0x80),
                handle: heartRateControl
            )
            await #expect(throws: notSupported) {
                try await link.write([2], to: heartRateControl)
            }
            let tooLong = [UInt8](repeating: 0, count: 513)
            await #expect(throws: GATT.Failure.valueTooLong(limit: 512)) {
                try await link.write(tooLong, to: heartRateControl)
            }
        }
    }
}
