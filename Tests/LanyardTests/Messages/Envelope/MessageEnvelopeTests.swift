// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("Envelopes")
struct MessageEnvelopeTests {
    private static let vectors: [(MessageEnvelope, String)] = [
        (.tell(Data("1".utf8)), #"{"tell":1}"#),
        (.ask(id: 7, Data(#"{"a":[1,"}"]}"#.utf8)), #"{"ask":{"a":[1,"}"]},"id":7}"#),
        (.answer(id: 0, Data("null".utf8)), #"{"answer":null,"id":0}"#),
        (.refuse(id: 9, #"no "way""#), #"{"refuse":"no \"way\"","id":9}"#),
    ]

    @Test("Envelopes are encoded and decoded in the documented format", arguments: vectors)
    func documented(envelope: MessageEnvelope, json: String) {
        #expect(String(decoding: envelope.json, as: UTF8.self) == json)
        #expect(MessageEnvelope(Data(json.utf8)) == envelope)
    }

    @Test(
        "The order of members, white space and unknown members are ignored",
        arguments: [
            #"{"id":7,"ask":{"a":1}}"#,
            " {\n\t\"id\" : 7 ,\r\n \"ask\" : {\"a\":1} } ",
            #"{"v":[{"ask":2}],"id":7,"x":"\"}","ask":{"a":1},"y":-1.5e3}"#,
        ]
    )
    func tolerance(json: String) {
        #expect(MessageEnvelope(Data(json.utf8)) == .ask(id: 7, Data(#"{"a":1}"#.utf8)))
    }

    @Test(
        "Invalid envelopes are refused",
        arguments: [
            "", " ", "1", "[]", "{}", "{", "}", #"{"tell"}"#, #"{"tell":}"#, #"{"tell":1"#,
            #"{"tell":1}}"#, #"{"tell":1}x"#, #"{"tell":1,}"#, #"{"tell":1 "id":2}"#,
            #"{tell:1}"#, #"{"ask":1}"#, #"{"ask":1,"id":-1}"#, #"{"ask":1,"id":"1"}"#,
            #"{"ask":1,"id":1.5}"#, #"{"ask":1,"id":9007199254740992}"#,
            #"{"ask":1,"id":1,"id":2}"#,
            #"{"ask":1,"tell":2,"id":1}"#, #"{"tell":1,"tell":2}"#, #"{"refuse":1,"id":1}"#,
            #"{"tell":"1}"#, #"{"tell":[1}"#, #"{"tell":"\"#, #"{"a":1}"#,
        ]
    )
    func refused(json: String) {
        #expect(MessageEnvelope(Data(json.utf8)) == nil)
    }

    @Test("Every truncation is refused")
    func truncations() {
        let whole = Data(#"{"ask":{"a":[1,"}\\"]},"id":17}"#.utf8)
        for length in 0..<whole.count {
            #expect(MessageEnvelope(whole.prefix(length)) == nil)
        }
        #expect(MessageEnvelope(whole) != nil)
    }

    @Test("A slice of data is decoded")
    func slices() {
        let json = Data(#"xx{"ask":1,"id":2}xx"#.utf8).dropFirst(2).dropLast(2)
        #expect(MessageEnvelope(json) == .ask(id: 2, Data("1".utf8)))
    }

    @Test("Deep nesting does not exhaust the stack")
    func depth() {
        let deep = Data((#"{"tell":"# + String(repeating: "[", count: 1_000_000)).utf8)
        #expect(MessageEnvelope(deep) == nil)
        let closed = deep + Data((String(repeating: "]", count: 1_000_000) + "}").utf8)
        guard case .tell(let body) = MessageEnvelope(closed) else {
            Issue.record("the envelope was not decoded")
            return
        }
        #expect(body.count == 2_000_000)
    }

    @Test("Random and altered bytes do not trap", arguments: RunSeed.seeds(1))
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array(#"{}[]":,\ 01tellaskidanswerrefuse"#.utf8) + [0, 0xFF]
        let good = Data(#"{"ask":{"a":[1,"}\\"]},"id":17}"#.utf8)
        for _ in 0..<40_000 {
            let length = Int.random(in: 0...40, using: &random)
            _ = MessageEnvelope(
                Data((0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 })
            )
            var changed = good
            changed[Int.random(in: 0..<good.count, using: &random)] =
                alphabet.randomElement(using: &random) ?? 0
            if let envelope = MessageEnvelope(changed), let body = envelope.body {
                #expect(body.count < good.count)
            }
        }
    }
}
