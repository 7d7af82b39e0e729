// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our server answers invalid requests as the specification requires, or not at all, and keeps
/// serving other clients.
@Suite(.needsPeers) struct ServingHostilityTests {
    /// A client's bytes, and the error that answers them.
    struct InvalidRequest: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let code: ATT.ErrorCode

        init(_ description: String, _ bytes: [UInt8], _ code: ATT.ErrorCode) {
            testDescription = description
            self.bytes = bytes
            self.code = code
        }
    }

    private static let requests = [
        InvalidRequest("an opcode that is not defined", [0x3F], .requestNotSupported),
        InvalidRequest("a read without a handle", [0x0A], .invalidPDU),
        InvalidRequest("a read with half a handle", [0x0A, 1], .invalidPDU),
        InvalidRequest("a read with more than a handle", [0x0A, 1, 0, 0], .invalidPDU),
        InvalidRequest("a read of handle 0", [0x0A, 0, 0], .invalidHandle),
        InvalidRequest("a range that ends before it starts", [0x04, 9, 0, 8, 0], .invalidHandle),
        InvalidRequest("a range from 0", [0x08, 0, 0, 9, 0, 3, 0x28], .invalidHandle),
        InvalidRequest("a type of 3 bytes", [0x08, 1, 0, 9, 0, 1, 2, 3], .invalidPDU),
        InvalidRequest(
            "a group of another type",
            [0x10, 1, 0, 9, 0, 3, 0x28],
            .unsupportedGroupType
        ),
        InvalidRequest("a read of several with one handle", [0x0E, 1, 0], .invalidPDU),
        InvalidRequest(
            "a read of several with two and a half handles",
            [0x0E, 1, 0, 2, 0, 3],
            .invalidPDU
        ),
        InvalidRequest("an execution with an unknown flag", [0x18, 7], .invalidPDU),
        InvalidRequest("a preparation without an offset", [0x16, 1, 0], .invalidPDU),
        InvalidRequest(
            "a prepared write of a declaration",
            [0x16, 1, 0, 0, 0, 9],
            .writeNotPermitted
        ),
        InvalidRequest("an MTU of one byte", [0x02, 23], .invalidPDU),
    ]

    @Test(
        "The server answers each invalid request with its error",
        arguments: ControllerKind.available
    )
    func invalidRequests(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            judging: .ours,
            serving: [SampleValues.service]
        ) { server in
            let (client, _) = try await server.client()
            for request in Self.requests {
                let answer = try await client.exchange(request.bytes)
                #expect(answer.count == 5, "\(request.testDescription): \(answer)")
                #expect(answer.prefix(2) == [0x01, request.bytes[0]])
                let code = answer.last.map(ATT.ErrorCode.init(rawValue:))
                #expect(code == request.code, "\(request.testDescription)")
            }
            #expect(try await client.read(server.handle(SampleValues.short)) == Demo.pattern(20))
        }
    }

    @Test(
        "The server does not answer commands or confirmations",
        arguments: ControllerKind.available
    )
    func commands(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            clientLimit: 2,
            judging: .ours,
            serving: [SampleValues.service]
        ) { server in
            let (client, link) = try await server.client(at: 0)
            let (other, _) = try await server.client(at: 1)
            let short = try server.handle(SampleValues.short)
            let silent: [[UInt8]] = [
                [0x7F], [0x7F, 1, 2, 3], [0x52], [0x52, 1], [0x52, 0xFF, 0xFF, 1], [0xD2, 1, 0, 1],
                [0x52, UInt8(short.rawValue), 0, 9], [0x1E], [0x1E, 1],
            ]
            for bytes in silent { try await client.send(bytes) }
            #expect(try await client.read(short) == Demo.pattern(20))
            #expect(try await other.read(short) == Demo.pattern(20))
            #expect(await server.host.state == .ready)
            try await client.disconnect()
            try await server.disconnection(of: link)
        }
    }

    /// A client that sends requests without waiting for responses: the specification does not
    /// define what happens to it, but other clients must not be affected.
    @Test(
        "A client that does not wait for answers does not affect other clients",
        arguments: ControllerKind.available
    )
    func impatientClient(kind: ControllerKind) async throws {
        try await withServer(
            on: kind,
            clientLimit: 2,
            judging: .ours,
            serving: [SampleValues.service]
        ) { server in
            let (flooding, _) = try await server.client(at: 0)
            let (patient, _) = try await server.client(at: 1)
            let short = try server.handle(SampleValues.short)
            for _ in 0..<200 { flooding.begin("send", ["pdu": .bytes([0x0A, 1, 0])]) }
            for _ in 0..<20 { #expect(try await patient.read(short) == Demo.pattern(20)) }
            for _ in 0..<200 { try await flooding.outcome() }
            #expect(await server.host.state == .ready)
        }
    }
}
