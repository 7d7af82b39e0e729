// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// The frames between the tester and our side on the signaling channel, in hexadecimal.
private struct SignalingFixture {
    var channel: SignalingChannel

    init(as role: SignalingChannel.Role) {
        channel = SignalingChannel(role: role)
    }

    /// Receives a frame from the tester and returns the action. A `send` action contains the
    /// payload of a frame.
    mutating func tester(sends frame: String) throws -> SignalingChannel.Action {
        let frame = try L2CAPFrame(parsing: bytes(frame)[...])
        #expect(frame.channel == .signaling)
        return channel.receive(frame.payload)
    }

    /// Returns the payload of a frame that is given in hexadecimal digits.
    static func payload(of frame: String) throws -> [UInt8] {
        Array(try L2CAPFrame(parsing: bytes(frame)[...]).payload)
    }
}

/// L2CAP/LE/CPU: connection parameter update.
@Suite struct ConnectionParameterUpdateTests {
    /// 30 to 50 ms, no latency, four seconds.
    private static let parameters = ConnectionParametersRequest(
        intervalMinimum: 24,
        intervalMaximum: 40,
        peripheralLatency: 0,
        supervisionTimeout: 400
    )

    @Test("L2CAP/LE/CPU/BV-01-C: Send Connection Parameter Update Request")
    func sendsRequest() throws {
        var fixture = SignalingFixture(as: .peripheral)
        let request = fixture.channel.request(Self.parameters, now: .zero)
        #expect(
            try request == SignalingFixture.payload(of: "0C00 0500 12 81 0800 1800280000009001")
        )
        let action = try fixture.tester(sends: "0600 0500 13 81 0200 0000")
        #expect(action == .requestEnded(.accepted))
    }

    @Test("L2CAP/LE/CPU/BV-02-C: Accept Connection Parameter Update Request")
    func acceptsRequest() throws {
        var fixture = SignalingFixture(as: .central)
        let action = try fixture.tester(sends: "0C00 0500 12 07 0800 1800280000009001")
        #expect(action == .decide(Self.parameters, 7))
        let response = fixture.channel.respond(to: 7, accepting: true)
        #expect(try response == SignalingFixture.payload(of: "0600 0500 13 07 0200 0000"))
    }

    @Test("L2CAP/LE/CPU/BI-01-C: Reject Connection Parameter Update Parameters")
    func rejectsParameters() throws {
        var fixture = SignalingFixture(as: .central)
        let action = try fixture.tester(sends: "0C00 0500 12 07 0800 1800280000029001")
        #expect(try action == .send(SignalingFixture.payload(of: "0600 0500 13 07 0200 0100")))
    }

    @Test("L2CAP/LE/CPU/BI-02-C: Reject Connection Parameter Update Request")
    func rejectsRequest() throws {
        var fixture = SignalingFixture(as: .peripheral)
        let action = try fixture.tester(sends: "0C00 0500 12 07 0800 1800280000029001")
        #expect(try action == .send(SignalingFixture.payload(of: "0600 0500 01 07 0200 0000")))
    }
}

/// L2CAP/LE/REJ: command reject.
@Suite struct CommandRejectTests {
    private static let roles: [SignalingChannel.Role] = [.central, .peripheral]

    /// The requests of BR/EDR links and of credit-based channels, and all reserved codes.
    private static let requests: [UInt8] =
        [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x14, 0x16, 0x17, 0x19] + (0x1B...0xFF)

    @Test("L2CAP/LE/REJ/BI-02-C: Reject Unknown Command", arguments: roles)
    func rejectsUnknownCommands(role: SignalingChannel.Role) throws {
        var fixture = SignalingFixture(as: role)
        let refusal = try SignalingFixture.payload(of: "0600 0500 01 2A 0200 0000")
        for code in Self.requests {
            let action = try fixture.tester(sends: "0400 0500 \([code].hexadecimal) 2A 0000")
            #expect(action == .send(refusal), "code \(code)")
        }
    }

    @Test("L2CAP/LE/REJ/BI-02-C: Unknown responses are ignored", arguments: roles)
    func ignoresUnknownResponses(role: SignalingChannel.Role) throws {
        var fixture = SignalingFixture(as: role)
        for code: UInt8 in [0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x15, 0x18, 0x1A] {
            let action = try fixture.tester(sends: "0400 0500 \([code].hexadecimal) 2A 0000")
            #expect(action == .ignore(.unexpectedResponse(.init(rawValue: code))))
        }
    }
}
