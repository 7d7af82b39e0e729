// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualAccessories

/// The message box's answers to writes.
@Suite struct MessageBoxTests {
    private var values = AccessoryServer(.messageBox(name: "Box")).values

    /// Returns the results of a write: texts between STX and ETX, and `disconnect`.
    private mutating func write(_ piece: some Sequence<UInt8>) -> [String] {
        guard case .accepted(let actions) = MessageBox.take(Array(piece), &values) else {
            return ["refused"]
        }
        return actions.map { action in
            switch action {
            case .sendBytes(let bytes, of: MessageBox.outbox):
                bytes.first == 2 && bytes.last == 3
                    ? String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self) : "unframed"
            case .disconnect: "disconnect"
            default: "something else"
            }
        }
    }

    private static func framed(_ text: String) -> [UInt8] { [2] + text.utf8 + [3] }

    static let dialogue = [
        (#"{"ask":{"a":[1,"}"]},"id":7}"#, #"{"answer":{"a":[1,"}"]},"id":7}"#),
        (#" { "id" : 12 , "ask" : 1.5e3 } "#, #"{"answer":1.5e3,"id":12}"#),
        (#"{"ask":"refuse","id":0}"#, #"{"refuse":"as you asked","id":0}"#),
        (#"{"ask":"disconnect","id":1}"#, "disconnect"),
        (#"{"tell":{"note":"\"\\"}}"#, #"{"tell":{"note":"\"\\"}}"#),
    ]

    @Test("The message box answers each envelope", arguments: dialogue)
    mutating func envelopes(message: String, answer: String) {
        #expect(write(Self.framed(message)) == [answer])
    }

    @Test(
        "The message box ignores an invalid envelope",
        arguments: [
            "", "{", "{}", "[]", "1", #"{"ask":1}"#, #"{"id":1}"#, #"{"answer":1,"id":1}"#,
            #"{"tell":}"#, #"{"tell":1}}"#, #"{"tell":"1}"#, #"{"tell":[1}"#, #"{"tell" 1}"#,
            #"{tell:1}"#, #"{"tell":1 "id":2}"#, #"{"tell":"\"#,
        ]
    )
    mutating func invalidEnvelopes(message: String) {
        #expect(write(Self.framed(message)) == [])
        #expect(write(Self.framed(#"{"tell":1}"#)) == [#"{"tell":1}"#])
    }

    @Test("The message box accepts pieces of any length")
    mutating func pieces() {
        let stream =
            Self.framed(#"{"tell":1}"#) + [0x0D, 0x0A] + Self.framed(#"{"ask":2,"id":3}"#)
        for cut in 0...stream.count {
            let answers = write(stream[..<cut]) + write(stream[cut...])
            #expect(answers == [#"{"tell":1}"#, #"{"answer":2,"id":3}"#])
        }
    }

    @Test("The message box drops a message that is too long")
    mutating func lengthLimit() {
        #expect(write([2] + [UInt8](repeating: 0x61, count: 600) + [3]) == [])
        #expect(write(Self.framed(#"{"tell":1}"#)) == [#"{"tell":1}"#])
        let longest = #"{"tell":""# + String(repeating: "x", count: 500) + #""}"#
        #expect(write(Self.framed(longest)) == [longest])
        let tooLong = #"{"tell":""# + String(repeating: "x", count: 501) + #""}"#
        #expect(write(Self.framed(tooLong)) == [])
    }

    @Test("A start byte within a message starts a new message")
    mutating func restart() {
        #expect(write([2, 0x7B] + Self.framed(#"{"tell":1}"#)) == [#"{"tell":1}"#])
    }

    @Test("The message box recovers from random bytes", arguments: RunSeed.seeds(1))
    mutating func randomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            _ = write(generator.bytes(upTo: 60).map { generator.happens(oneIn: 3) ? $0 % 4 : $0 })
            let answers = write(Self.framed(#"{"tell":1}"#))
            #expect(answers == [#"{"tell":1}"#])
        }
    }
}
