// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite struct AuthenticatedCBCSealingTests {
    /// The plaintext of RFC 7518, appendix B, for all three algorithms.
    private static let plaintext = Data(
        """
        A cipher system must not be required to be secret, and it must be able to fall into the \
        hands of the enemy without inconvenience
        """.utf8
    )
    private static let context = Data("The second principle of Auguste Kerckhoffs".utf8)
    private static let iv = Data(hex: "1af38c2dc2b96ffdd86694092341bc04")

    /// Returns a sealing with the keys of the vectors: authentication first, with increasing bytes.
    private func sealing(_ size: SealingKey.Size) throws -> AuthenticatedCBCSealing {
        let bytes = Data((0..<UInt8(2 * size.bytes)))
        return try AuthenticatedCBCSealing(
            encryption: SealingKey(bytes.suffix(size.bytes)),
            authentication: SealingKey(bytes.prefix(size.bytes))
        )
    }

    @Test(
        "The vectors of RFC 7518 hold for keys of all sizes",
        arguments: [
            (
                SealingKey.Size.bits128, "c80edfa32ddf39d5ef00c0b468834279",
                "652c3fa36b0a7c5b3219fab3a30bc1c4"
            ),
            (
                .bits192, "ea65da6b59e61edb419be62d19712ae5",
                "8490ac0e58949bfe51875d733f93ac2075168039ccc733d7"
            ),
            (
                .bits256, "4affaaadb78c31c5da4b1b590d10ffbd",
                "4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5"
            ),
        ]
    )
    func agreesWithTheRFC(size: SealingKey.Size, firstBlock: String, tag: String) throws {
        let sealing = try sealing(size)
        let sealed = try sealing.seal(Self.plaintext, authenticating: Self.context, iv: Self.iv)
        #expect(sealed.prefix(16) == Self.iv)
        #expect(sealed.dropFirst(16).prefix(16) == Data(hex: firstBlock))
        #expect(sealed.suffix(size.bytes) == Data(hex: tag))
        #expect(try sealing.open(sealed, authenticating: Self.context) == Self.plaintext)
    }

    @Test("Sealed data opens", arguments: SealingKey.Size.allCases)
    func opensWhatItSealed(size: SealingKey.Size) throws {
        let sealing = try sealing(size)
        for length in 0...48 {
            let sealed = try sealing.seal(Data(count: length))
            #expect(sealed.count - length <= sealing.overhead)
            #expect(try sealing.open(sealed) == Data(count: length))
        }
    }

    @Test("Every altered bit and every truncation is refused", arguments: SealingKey.Size.allCases)
    func refusesChanges(size: SealingKey.Size) throws {
        let sealing = try sealing(size)
        let sealed = try sealing.seal(Data("one message".utf8))
        for bit in 0..<sealed.count * 8 {
            #expect(throws: SealingError.refused) { try sealing.open(sealed.turning(bit: bit)) }
        }
        for length in 0..<sealed.count {
            #expect(throws: SealingError.refused) { try sealing.open(sealed.prefix(length)) }
        }
        #expect(throws: SealingError.refused) { try sealing.open(sealed + [0]) }
    }

    @Test("Another context is refused, even if bytes only move from the context to the message")
    func refusesOtherContexts() throws {
        let sealing = try sealing(.bits128)
        let sealed = try sealing.seal(Data("message".utf8), authenticating: Data("door".utf8))
        for other in ["", "doo", "doors", "Door"] {
            #expect(throws: SealingError.refused) {
                try sealing.open(sealed, authenticating: Data(other.utf8))
            }
        }
        // The length of the context in the tag detects bytes that move from the context to the
        // body.
        let moved = Data("r".utf8) + sealed
        #expect(throws: SealingError.refused) {
            try sealing.open(moved, authenticating: Data("doo".utf8))
        }
    }

    @Test("One key for encryption and authentication is refused")
    func refusesEqualKeys() {
        let key = SealingKey(random: .bits128)
        #expect(throws: SealingError.keysAreEqual) {
            try AuthenticatedCBCSealing(encryption: key, authentication: key)
        }
    }

    @Test("Two keys of different sizes are refused")
    func refusesUnequalKeys() {
        #expect(throws: SealingError.keySizesDiffer) {
            try AuthenticatedCBCSealing(
                encryption: SealingKey(random: .bits128),
                authentication: SealingKey(random: .bits256)
            )
        }
    }
}
