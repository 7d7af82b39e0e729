// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Bumble reads and writes values of our server in every way that it supports.
@Suite(.needsPeers) struct ServingValuesTests {
    @Test("Bumble reads a long value in parts with two MTUs", arguments: ControllerKind.available)
    func longReads(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let long = try server.handle(SampleValues.long)
            let (client, link) = try await server.client(mtu: nil)
            #expect(try await client.read(long) == Demo.pattern(22))
            #expect(try await client.readLong(long) == Demo.pattern(512))
            #expect(try await client.perform("exchange_mtu", ["mtu": .number(185)]).integer == 185)
            #expect(try await link.mtu == 185)
            #expect(try await client.read(long) == Demo.pattern(184))
            #expect(try await client.readLong(long) == Demo.pattern(512))
        }
    }

    @Test(
        "A read at the end of a value is empty, and a read beyond it fails",
        arguments: ControllerKind.available
    )
    func offsets(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, _) = try await server.client()
            let (short, long) = (
                try server.handle(SampleValues.short), try server.handle(SampleValues.long)
            )
            #expect(try await client.readPart(of: long, from: 511) == [0xFF])
            #expect(try await client.readPart(of: long, from: 512) == [])
            #expect(try await client.readPart(of: short, from: 20) == [])
            await #expect(throws: Client.Failure.refused(.invalidOffset)) {
                try await client.readPart(of: long, from: 513)
            }
        }
    }

    @Test("Bumble writes a long value in parts", arguments: ControllerKind.available)
    func longWrites(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let long = try server.handle(SampleValues.long)
            let (client, _) = try await server.client(mtu: nil)
            try await client.writeLong(SampleValues.countdown, to: long)
            #expect(await server.host.value(of: long) == SampleValues.countdown)
            #expect(try await client.readLong(long) == SampleValues.countdown)
            try await client.write([1, 2, 3], to: long)
            #expect(try await client.readLong(long) == [1, 2, 3])
            let tooMuch = Client.Failure.refused(.invalidAttributeValueLength)
            await #expect(throws: tooMuch) {
                try await client.writeLong(Demo.pattern(513), to: long)
            }
            #expect(await server.host.value(of: long) == [1, 2, 3])
        }
    }

    @Test(
        "The application answers requests for its own values",
        arguments: ControllerKind.available
    )
    func dynamicValues(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            serving: [SampleValues.service],
            answering: SampleValues.answer
        ) { server in
            let dynamic = try server.handle(SampleValues.dynamic)
            let (client, _) = try await server.client(mtu: 100)
            #expect(try await client.readLong(dynamic) == SampleValues.countdown)
            try await client.writeLong(SampleValues.countdown, to: dynamic)
            await #expect(throws: Client.Failure.refused(.valueNotAllowed)) {
                try await client.write([1], to: dynamic)
            }
            await #expect(throws: Client.Failure.refused(.invalidOffset)) {
                try await client.readPart(of: dynamic, from: 513)
            }
        }
    }

    @Test("Bumble reads several values in one request", arguments: ControllerKind.available)
    func severalValues(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            serving: [SampleValues.service],
            answering: SampleValues.answer
        ) { server in
            let (client, _) = try await server.client()
            let uuids = [SampleValues.short, SampleValues.notified, SampleValues.other]
            let handles = try uuids.map(server.handle)
            let values: [[UInt8]] = [Demo.pattern(20), [0], []]
            #expect(try await client.readJoined(handles) == values.flatMap(\.self))
            #expect(try await client.read(handles) == values)
            #expect(
                try await client.read(uuid: SampleValues.short).map(\.value) == [Demo.pattern(20)]
            )
            let mixed = [
                try server.handle(SampleValues.short), try server.handle(SampleValues.dynamic),
            ]
            let both = Demo.pattern(20) + SampleValues.countdown
            #expect(try await client.readJoined(mixed) == Array(both.prefix(516)))
        }
    }

    @Test("Write commands arrive in order without a response", arguments: ControllerKind.available)
    func commands(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let commanded = try server.handle(SampleValues.commanded)
            let (client, link) = try await server.client()
            for number in 0..<50 as Range<UInt8> {
                try await client.writeCommand([number], to: commanded)
            }
            for number in 0..<50 as Range<UInt8> {
                let entry = try await server.recorder.next("a write") {
                    if case .written(link, let entries) = $0 { entries.first } else { nil }
                }
                #expect(entry == GATT.WriteEntry(handle: commanded, offset: 0, value: [number]))
            }
            try await client.writeCommand([1], to: server.handle(SampleValues.short))
            #expect(try await client.read(commanded) == [49])
        }
    }

    @Test(
        "The server refuses requests that the permissions do not allow",
        arguments: ControllerKind.available
    )
    func permissions(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, _) = try await server.client()
            let (short, quiet) = (
                try server.handle(SampleValues.short), try server.handle(SampleValues.indicated)
            )
            await #expect(throws: Client.Failure.refused(.writeNotPermitted)) {
                try await client.write([1], to: short)
            }
            await #expect(throws: Client.Failure.refused(.writeNotPermitted)) {
                try await client.prepare([1], at: 0, of: short)
            }
            await #expect(throws: Client.Failure.refused(.readNotPermitted)) {
                try await client.read(quiet)
            }
            await #expect(throws: Client.Failure.refused(.readNotPermitted)) {
                try await client.read([short, quiet])
            }
            await #expect(throws: Client.Failure.refused(.invalidHandle)) {
                try await client.read(.last)
            }
        }
    }
}

extension Client {
    /// Sends one Read Blob Request, and returns the part of the value.
    @discardableResult
    func readPart(of handle: AttributeHandle, from offset: Int) async throws -> [UInt8] {
        let details: [String: JSON] = [
            "handle": .handle(handle), "offset": .number(Double(offset)),
        ]
        return try await perform("read_blob", details).bytes
    }
}
