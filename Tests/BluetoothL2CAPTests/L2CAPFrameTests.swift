// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothL2CAP

@Suite("L2CAP frames")
struct L2CAPFrameTests {
    private static let bytes: [UInt8] = [0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00]

    @Test("A frame has a length, a channel and a payload")
    func codes() throws {
        let frame = try L2CAPFrame(parsing: Self.bytes[...])
        #expect(frame == L2CAPFrame(channel: .att, payload: [0x0A, 0x03, 0x00]))
        #expect(L2CAPFrame.encode(frame.payload, on: .att) == Self.bytes)
    }

    @Test("A frame may be empty")
    func codesEmpty() throws {
        let empty: [UInt8] = [0, 0, 6, 0]
        #expect(
            try L2CAPFrame(parsing: empty[...]) == .init(channel: .securityManager, payload: [])
        )
        #expect(L2CAPFrame.encode([], on: .securityManager) == empty)
    }

    @Test("A truncated frame is refused at every length")
    func refusesTruncation() {
        for count in 0..<Self.bytes.count {
            #expect(throws: MalformedBytes.self) {
                try L2CAPFrame(parsing: Self.bytes.prefix(count))
            }
        }
    }

    @Test("Additional bytes are refused")
    func refusesTrailing() {
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try L2CAPFrame(parsing: (Self.bytes + [0])[...])
        }
    }

    @Test("The longest payload has 65,535 bytes")
    func codesLongest() throws {
        let payload = [UInt8](repeating: 7, count: L2CAPFrame.payloadLengthLimit)
        let frame = try L2CAPFrame(parsing: L2CAPFrame.encode(payload, on: .att)[...])
        #expect(frame.payload.count == 65535)
    }

    @Test("A channel prints its name, or its number if it has none")
    func printsChannels() {
        #expect(ChannelIdentifier.att.description == "ATT")
        #expect(ChannelIdentifier(rawValue: 0x40).description == "0x0040")
    }
}
