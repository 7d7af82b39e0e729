// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothL2CAP

@Suite("Signaling commands")
struct SignalingCodecTests {
    /// Checks that the parameters encode to these bytes and decode from them, and that every
    /// truncation and an additional byte are refused. A list that begins at `listStart` may end
    /// after any two-byte entry.
    private func check<Parameters: Signaling.Parameters>(
        _ parameters: Parameters,
        _ hexadecimal: String,
        listStart: Int? = nil
    ) throws {
        #expect(parameters.encode(identifier: 7).hexadecimal == hexadecimal)
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        let packet = try Signaling.Packet(parsing: bytes[...])
        #expect(packet.code == Parameters.code)
        #expect(packet.identifier == 7)
        #expect(try Parameters(parsing: packet.parameters) == parameters)
        for count in 0..<packet.parameters.count {
            if let listStart, count > listStart, count.isMultiple(of: 2) { continue }
            #expect(throws: MalformedBytes.self) {
                try Parameters(parsing: packet.parameters.prefix(count))
            }
        }
        #expect(throws: MalformedBytes.self) { try Parameters(parsing: packet.parameters + [0]) }
    }

    @Test("Command Reject survives a round trip")
    func commandReject() throws {
        try check(Signaling.CommandReject.notUnderstood, "010702000000")
        try check(Signaling.CommandReject.mtuExceeded(mtu: 23), "01070400" + "01001700")
        let channels = Signaling.CommandReject.invalidChannel(
            local: .init(rawValue: 0x40),
            remote: .init(rawValue: 0x41)
        )
        try check(channels, "01070600" + "020040004100")
        let unknown = Signaling.CommandReject.unknown(reason: 9, data: [1])
        #expect(unknown.encode(identifier: 1) == [1, 1, 3, 0, 9, 0, 1])
        #expect(try Signaling.CommandReject(parsing: [9, 0, 1]) == unknown)
    }

    @Test("Connection Parameter Update survives a round trip")
    func connectionParameters() throws {
        let request = ConnectionParametersRequest(
            intervalMinimum: 24,
            intervalMaximum: 40,
            peripheralLatency: 4,
            supervisionTimeout: 400
        )
        try check(request, "12070800" + "1800280004009001")
        try check(Signaling.ConnectionParametersResponse(isAccepted: true), "130702000000")
        try check(Signaling.ConnectionParametersResponse(isAccepted: false), "130702000100")
        #expect(try !Signaling.ConnectionParametersResponse(parsing: [7, 0]).isAccepted)
    }

    @Test("Disconnection survives a round trip")
    func disconnection() throws {
        let destination = ChannelIdentifier(rawValue: 0x40)
        let source = ChannelIdentifier(rawValue: 0x41)
        try check(
            Signaling.DisconnectionRequest(destination: destination, source: source),
            "06070400" + "40004100"
        )
        try check(
            Signaling.DisconnectionResponse(destination: destination, source: source),
            "07070400" + "40004100"
        )
    }

    @Test("Commands for LE credit-based channels survive a round trip")
    func leCreditBasedChannels() throws {
        try check(
            Signaling.LECreditBasedConnectionRequest(
                spsm: 0x80,
                source: .init(rawValue: 0x40),
                mtu: 512,
                mps: 64,
                initialCredits: 10
            ),
            "14070a00" + "80004000000240000a00"
        )
        try check(
            Signaling.LECreditBasedConnectionResponse(
                destination: .init(rawValue: 0x41),
                mtu: 512,
                mps: 64,
                initialCredits: 10,
                result: 2
            ),
            "15070a00" + "4100000240000a000200"
        )
        try check(
            Signaling.FlowControlCredit(channel: .init(rawValue: 0x40), credits: 3),
            "16070400" + "40000300"
        )
    }

    @Test("Commands for enhanced credit-based channels survive a round trip")
    func enhancedCreditBasedChannels() throws {
        let channels = [ChannelIdentifier(rawValue: 0x40), .init(rawValue: 0x41)]
        try check(
            Signaling.CreditBasedConnectionRequest(
                spsm: 0x27,
                mtu: 64,
                mps: 64,
                initialCredits: 1,
                sources: channels
            ),
            "17070c00" + "270040004000010040004100",
            listStart: 8
        )
        try check(
            Signaling.CreditBasedConnectionResponse(
                mtu: 64,
                mps: 64,
                initialCredits: 1,
                result: 0,
                destinations: channels
            ),
            "18070c00" + "400040000100000040004100",
            listStart: 8
        )
        try check(
            Signaling.CreditBasedReconfigureRequest(mtu: 64, mps: 64, destinations: channels),
            "19070800" + "4000400040004100",
            listStart: 4
        )
        try check(Signaling.CreditBasedReconfigureResponse(result: 3), "1a0702000300")
    }

    @Test("A request for more than five channels is refused")
    func boundsChannels() throws {
        let header: [UInt8] = [0x27, 0, 64, 0, 64, 0, 1, 0]
        let five = header + [UInt8](repeating: 0x40, count: 10)
        #expect(
            try Signaling.CreditBasedConnectionRequest(parsing: five[...]).sources.count == 5
        )
        #expect(throws: MalformedBytes.invalid(field: "channels")) {
            try Signaling.CreditBasedConnectionRequest(parsing: five + [0x40, 0x40])
        }
    }

    @Test("A header with a wrong length or without an identifier is refused")
    func refusesBadHeaders() {
        let whole: [UInt8] = [0x13, 1, 2, 0, 0, 0]
        for count in 0..<whole.count {
            #expect(throws: MalformedBytes.self) {
                try Signaling.Packet(parsing: whole.prefix(count))
            }
        }
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try Signaling.Packet(parsing: whole + [0])
        }
        #expect(throws: MalformedBytes.invalid(field: "identifier")) {
            try Signaling.Packet(parsing: [0x13, 0, 2, 0, 0, 0])
        }
    }

    @Test(
        "Impossible connection parameters are invalid",
        arguments: [
            (6, 6, 0, 10, true), (5, 6, 0, 10, false), (6, 0x0C80, 0, 0x0C80, true),
            (6, 0x0C81, 0, 0x0C80, false), (24, 12, 0, 400, false), (6, 6, 499, 0x0C80, true),
            (6, 6, 500, 0x0C80, false), (6, 6, 0, 9, false), (6, 6, 0, 0x0C81, false),
            // At 40 ms with latency 1, two events take 160 ms, which must be less than the timeout.
            (32, 32, 1, 16, false), (32, 32, 1, 17, true),
            (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, false), (0, 0, 0, 0, false),
        ] as [(UInt16, UInt16, UInt16, UInt16, Bool)]
    )
    func validates(
        minimum: UInt16,
        maximum: UInt16,
        latency: UInt16,
        timeout: UInt16,
        isValid: Bool
    ) {
        let request = ConnectionParametersRequest(
            intervalMinimum: minimum,
            intervalMaximum: maximum,
            peripheralLatency: latency,
            supervisionTimeout: timeout
        )
        #expect(request.isValid == isValid)
    }
}
