// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import HCITransports

@Suite("Key redaction")
struct KeyRedactionTests {
    private static let secret = (1...16).map { UInt8($0 | 0xA0) }
    private static let zeros = [UInt8](repeating: 0, count: 16)

    private static func command(_ opcode: UInt16, _ parameters: [UInt8]) -> [UInt8] {
        [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
    }

    private static func data(_ payload: [UInt8], boundary: UInt8, handle: UInt8 = 0x40) -> [UInt8] {
        [0x02, handle, boundary << 4, UInt8(payload.count), 0] + payload
    }

    private static func frame(_ payload: [UInt8], channel: UInt8 = 0x06) -> [UInt8] {
        [UInt8(payload.count), 0, channel, 0] + payload
    }

    private func blank(
        _ packets: [[UInt8]],
        _ direction: Btsnoop.Direction = .sent
    ) -> [[UInt8]] {
        var redaction = KeyRedaction()
        return packets.map { Array(redaction.blank($0[...], direction)) }
    }

    @Test(
        "The keys in commands are blanked, and nothing else",
        arguments: [
            (0x2017, [], zeros + zeros, []),
            (0x2019, [0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], zeros, []),
            (0x201A, [0x40, 0], zeros, []),
            (0x2027, [1, 1, 2, 3, 4, 5, 6], zeros + zeros, []),
        ] as [(UInt16, [UInt8], [UInt8], [UInt8])]
    )
    func commands(opcode: UInt16, before: [UInt8], blanked: [UInt8], after: [UInt8]) {
        let secrets = blanked.count == 32 ? Self.secret + Self.secret : Self.secret
        let packet = Self.command(opcode, before + secrets + after)
        #expect(blank([packet]) == [Self.command(opcode, before + blanked + after)])
    }

    @Test("The keys of encoded commands are blanked")
    func everyCommand() throws {
        let key = try #require(HCI.Key128(Self.secret))
        let address = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
        let handle = ConnectionHandle(rawValue: 0x40)
        let commands = [
            HCI.EncodedCommand(
                HCI.LEEnableEncryption(
                    connectionHandle: handle,
                    random: 1,
                    encryptedDiversifier: 2,
                    longTermKey: key
                )
            ),
            HCI.EncodedCommand(
                HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key)
            ),
            HCI.EncodedCommand(
                HCI.LEAddDeviceToResolvingList(
                    peerIdentity: HCI.PeerAddress(address),
                    peerKey: key,
                    localKey: key
                )
            ),
        ]
        for packet in blank(commands.map(\.h4Packet)) {
            #expect(!packet.contains { Self.secret.contains($0) })
        }
    }

    @Test("The controller's results are blanked: a block, random numbers, a shared secret")
    func events() {
        let block: [UInt8] = [0x04, 0x0E, 20, 1, 0x17, 0x20, 0]
        let random: [UInt8] = [0x04, 0x0E, 12, 1, 0x18, 0x20, 0]
        let shared: [UInt8] = [0x04, 0x3E, 34, 0x09, 0]
        let blanked = blank(
            [
                block + Self.secret, random + Self.secret.prefix(8),
                shared + Self.secret + Self.secret,
            ],
            .received
        )
        #expect(
            blanked == [
                block + Self.zeros, random + Self.zeros.prefix(8), shared + Self.zeros + Self.zeros,
            ]
        )
    }

    @Test(
        "The Security Manager's keys are blanked as a whole",
        arguments: [0x06, 0x08, 0x0A] as [UInt8],
        [Btsnoop.Direction.sent, .received]
    )
    func securityManager(code: UInt8, direction: Btsnoop.Direction) {
        let boundary: UInt8 = direction == .sent ? 0 : 2
        let packet = Self.data(Self.frame([code] + Self.secret), boundary: boundary)
        let expected = Self.data(Self.frame([code] + Self.zeros), boundary: boundary)
        #expect(blank([packet], direction) == [expected])
    }

    @Test("Keys are blanked in fragments of any size, for each link separately", arguments: 1...21)
    func fragments(size: Int) {
        let frame = Self.frame([0x06] + Self.secret)
        let other = Self.data(Self.frame([0x0B] + Self.secret), boundary: 0, handle: 0x41)
        var packets: [[UInt8]] = []
        var rejoined: [UInt8] = []
        for start in stride(from: 0, to: frame.count, by: size) {
            let piece = Array(frame[start..<min(start + size, frame.count)])
            packets += [Self.data(piece, boundary: start == 0 ? 0 : 1), other]
        }
        for (index, packet) in blank(packets).enumerated() {
            if index.isMultiple(of: 2) {
                rejoined += packet.dropFirst(5)
            } else {
                #expect(packet == other)
            }
        }
        #expect(rejoined == Self.frame([0x06] + Self.zeros))
    }

    @Test("The two directions of a link are kept apart")
    func directions() {
        var redaction = KeyRedaction()
        let frame = Self.frame([0x08] + Self.secret)
        let first = Self.data(Array(frame.prefix(6)), boundary: 0)
        let rest = Self.data(Array(frame.dropFirst(6)), boundary: 1)
        _ = redaction.blank(first[...], .sent)
        #expect(Array(redaction.blank(rest[...], .received)) == rest)
        #expect(redaction.blank(rest[...], .sent).dropFirst(5).allSatisfy { $0 == 0 })
    }

    @Test(
        "All other packets stay unchanged",
        arguments: [
            command(0x0C03, []), command(0x201B, [0x40, 0]), command(0x2018, []),
            [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0], [0x04, 0x3E, 13, 0x05, 0x40, 0] + secret.prefix(10),
            data(frame([0x0B] + secret, channel: 0x04), boundary: 0),
            data(frame([0x06] + secret, channel: 0x04), boundary: 0),
            data(frame([0x03] + secret), boundary: 0), data(frame([0x04] + secret), boundary: 0),
            data(secret, boundary: 1), [0xFF] + secret, [0x03] + secret, [],
        ] as [[UInt8]]
    )
    func others(packet: [UInt8]) {
        #expect(blank([packet]) == [packet])
        #expect(blank([packet], .received) == [packet])
    }

    @Test("Truncated packets are blanked up to their end, and never trap")
    func truncated() {
        let packets = [
            Self.command(0x2027, [UInt8](repeating: 0xAA, count: 39)),
            [0x04, 0x3E, 34, 0x09, 0] + Self.secret + Self.secret,
            Self.data(Self.frame([0x0A] + Self.secret), boundary: 2),
        ]
        for packet in packets {
            let whole = blank([packet], .received)[0]
            for length in 0...packet.count {
                let cut = Array(packet.prefix(length))
                #expect(blank([cut], .received) == [Array(whole.prefix(length))])
            }
        }
    }
}
