// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

extension ConnectionParametersRequest {
    /// Typical parameters of an accessory: 30 to 50 ms, latency 4, four seconds.
    static let ordinary = ConnectionParametersRequest(
        intervalMinimum: 24,
        intervalMaximum: 40,
        peripheralLatency: 4,
        supervisionTimeout: 400
    )

    /// Latency 512, which is beyond the valid range.
    static let impossible = ConnectionParametersRequest(
        intervalMinimum: 24,
        intervalMaximum: 40,
        peripheralLatency: 512,
        supervisionTimeout: 400
    )
}

extension SignalingChannel.Action {
    /// Returns the action that rejects a command as not understood.
    static func reject(_ identifier: UInt8) -> SignalingChannel.Action {
        .send([0x01, identifier, 0x02, 0x00, 0x00, 0x00])
    }
}

@Suite("Signaling as the central")
struct CentralSignalingTests {
    private var channel = SignalingChannel(role: .central)

    private mutating func ask(
        _ identifier: UInt8,
        _ request: ConnectionParametersRequest = .ordinary
    ) -> SignalingChannel.Action {
        channel.receive(request.encode(identifier: identifier)[...])
    }

    @Test(
        "A valid request is passed to the host, and the host's decision is sent",
        arguments: [true, false]
    )
    mutating func decides(accepting: Bool) {
        #expect(ask(9) == .decide(.ordinary, 9))
        let result: UInt8 = accepting ? 0 : 1
        #expect(channel.respond(to: 9, accepting: accepting) == [0x13, 9, 2, 0, result, 0])
        #expect(channel.respond(to: 9, accepting: accepting) == nil)
    }

    @Test("An invalid request is rejected without a decision of the host")
    mutating func rejectsInvalid() {
        #expect(ask(9, .impossible) == .send([0x13, 9, 2, 0, 1, 0]))
        #expect(channel.respond(to: 9, accepting: true) == nil)
    }

    @Test("A repeated request is ignored, and a different request is rejected until the decision")
    mutating func decidesOnce() {
        #expect(ask(9) == .decide(.ordinary, 9))
        #expect(ask(9) == .ignore(.repeated))
        #expect(ask(10) == .send([0x13, 10, 2, 0, 1, 0]))
        #expect(channel.respond(to: 10, accepting: true) == nil)
        #expect(channel.respond(to: 9, accepting: true) != nil)
        #expect(ask(10) == .decide(.ordinary, 10))
    }

    @Test(
        "Unsupported commands are rejected as not understood",
        arguments: [6, 0x14, 0x16, 0x17, 0x19]
    )
    mutating func rejectsChannels(code: UInt8) {
        #expect(channel.receive([code, 3, 2, 0, 0x40, 0]) == .reject(3))
    }

    @Test("A request with parameters of another length is rejected as not understood")
    mutating func rejectsMalformed() {
        #expect(channel.receive([0x12, 3, 6, 0, 24, 0, 40, 0, 4, 0]) == .reject(3))
        #expect(channel.receive([0x12, 3, 0, 0]) == .reject(3))
    }

    @Test(
        "A command longer than 23 bytes is rejected with the signaling MTU",
        arguments: [24, 1000]
    )
    mutating func rejectsLong(count: Int) {
        let parameters = ArraySlice(repeating: UInt8(0), count: count - Signaling.headerLength)
        let long = Signaling.Packet(
            code: .connectionParameterUpdateRequest,
            identifier: 3,
            parameters: parameters
        ).encode()
        #expect(channel.receive(long[...]) == .send([0x01, 3, 4, 0, 0x01, 0, 23, 0]))
    }

    @Test("A long response, or a long command without an identifier, gets no response")
    mutating func ignoresLongResponses() {
        let response: [UInt8] = [0x01, 3, 20, 0] + [UInt8](repeating: 0, count: 20)
        #expect(channel.receive(response[...]) == .ignore(.unexpectedResponse(.commandReject)))
        let nameless: [UInt8] = [0x12, 0, 20, 0] + [UInt8](repeating: 0, count: 20)
        #expect(
            channel.receive(nameless[...])
                == .ignore(.malformed(.invalid(field: "identifier")))
        )
    }

    @Test(
        "Malformed commands get no response",
        arguments: [[], [0x12], [0x12, 1, 8, 0], [0x12, 0, 0, 0]]
    )
    mutating func ignoresMalformed(bytes: [UInt8]) {
        guard case .ignore(.malformed) = channel.receive(bytes[...]) else {
            Issue.record("The command is not malformed")
            return
        }
    }

    @Test("Unexpected responses get no response", arguments: [1, 3, 5, 7, 0x13, 0x15, 0x18, 0x1A])
    mutating func ignoresResponses(code: UInt8) {
        let action = channel.receive([code, 1, 2, 0, 0, 0])
        #expect(action == .ignore(.unexpectedResponse(.init(rawValue: code))))
    }

    @Test(
        "Random commands never trap, and each response is valid and has the command's identifier",
        arguments: RunSeed.seeds(4)
    )
    mutating func survivesHostility(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            var bytes = generator.bytes(Int.random(in: 0...30, using: &generator))
            if bytes.count >= 4, Bool.random(using: &generator) {
                (bytes[2], bytes[3]) = (UInt8(bytes.count - 4), 0)
                bytes[0] = UInt8.random(in: 0...0x1B, using: &generator)
            }
            if case .send(let answer) = channel.receive(bytes[...]) {
                #expect([0x01, 0x13].contains(answer[0]))
                #expect(answer[1] == bytes[1])
            }
        }
    }
}

@Suite("Signaling as the peripheral")
struct PeripheralSignalingTests {
    private var channel = SignalingChannel(role: .peripheral)

    @Test("A request ends with the response that has its identifier", arguments: [true, false])
    mutating func asks(isAccepted: Bool) {
        let payload = channel.request(.ordinary, now: .zero)
        #expect(payload == [0x12, 129, 8, 0, 24, 0, 40, 0, 4, 0, 0x90, 1])
        #expect(channel.nextDeadline == .zero + .seconds(30))
        let end = channel.receive([0x13, 129, 2, 0, isAccepted ? 0 : 1, 0])
        #expect(end == .requestEnded(isAccepted ? .accepted : .rejected))
        #expect(channel.nextDeadline == nil)
    }

    @Test("A central that rejects the request as not understood ends it")
    mutating func isRefused() {
        _ = channel.request(.ordinary, now: .zero)
        #expect(channel.receive([0x01, 129, 2, 0, 0, 0]) == .requestEnded(.notUnderstood))
    }

    @Test("A request ignores malformed responses and the responses to other requests")
    mutating func isPatient() {
        _ = channel.request(.ordinary, now: .zero)
        for bytes: [UInt8] in [[0x13, 130, 2, 0, 0, 0], [0x15, 129, 0, 0], [0x13, 129, 1, 0, 0]] {
            let code = Signaling.Code(rawValue: bytes[0])
            #expect(channel.receive(bytes[...]) == .ignore(.unexpectedResponse(code)))
        }
        #expect(channel.receive([0x13, 129, 2, 0, 0, 0]) == .requestEnded(.accepted))
        #expect(
            channel.receive([0x13, 129, 2, 0, 0, 0])
                == .ignore(.unexpectedResponse(.connectionParameterUpdateResponse))
        )
    }

    @Test("A request without a response ends after thirty seconds")
    mutating func timesOut() {
        _ = channel.request(.ordinary, now: .zero + .seconds(5))
        #expect(channel.deadlinePassed(now: .zero + .seconds(34)).isEmpty)
        #expect(channel.deadlinePassed(now: .zero + .seconds(35)) == [.requestEnded(.timedOut)])
        #expect(channel.deadlinePassed(now: .zero + .seconds(36)).isEmpty)
        #expect(channel.request(.ordinary, now: .zero + .seconds(36)) != nil)
    }

    @Test("L2CAP/COS/CED/BI-29-C: All 255 identifiers are used before one is used again")
    mutating func numbers() {
        for round in 0..<600 {
            let payload = channel.request(.ordinary, now: .zero)
            // The identifiers of the Linux kernel, 1 to 128, come last.
            let identifier = UInt8(1 + (128 + round) % 255)
            #expect(payload?[1] == identifier)
            #expect(channel.request(.ordinary, now: .zero) == nil)
            #expect(
                channel.receive([0x13, identifier, 2, 0, 0, 0]) == .requestEnded(.accepted)
            )
        }
    }
}
