// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

/// Bytes that were not sealed are refused and do not trap.
@Suite struct SealingFuzzTests {
    private static let rounds = 4_000
    private static let longest = 200

    @Test("Random bytes do not open, except by chance in CBC", arguments: RunSeed.seeds(4))
    func refusesRandomBytes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let key = SealingKey(random: .bits256)
        let gcm = GCMSealing(key: key)
        let authenticated = try AuthenticatedCBCSealing(
            encryption: key,
            authentication: SealingKey(random: .bits256)
        )
        for _ in 0..<Self.rounds {
            let bytes = Data(generator.bytes(upTo: Self.longest))
            #expect(throws: SealingError.refused) { try gcm.open(bytes) }
            #expect(throws: SealingError.refused) { try authenticated.open(bytes) }
            // About one input of a valid length in 256 has valid padding by chance, which CBC
            // cannot detect.
            if let opened = try? CBCSealing(key: key).open(bytes) {
                #expect(opened.count < bytes.count - 16)
            }
        }
    }

    @Test(
        "Sessions refuse random frames in every state",
        arguments: RunSeed.seeds(4)
    )
    func sessionsRefuseRandomFrames(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sealing = GCMSealing(key: SealingKey(random: .bits128))
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        try disturb(&central, &generator)
        try disturb(&peripheral, &generator)
        let greeting = try #require(central.greeting)
        guard case .answer(let answer) = try peripheral.open(greeting) else {
            Issue.record("no answer")
            return
        }
        try disturb(&central, &generator)
        try disturb(&peripheral, &generator)
        guard case .answer(let confirmation) = try central.open(answer) else {
            Issue.record("no confirmation")
            return
        }
        #expect(try peripheral.open(confirmation) == .nothing)
        try disturb(&central, &generator)
        try disturb(&peripheral, &generator)
        #expect(try peripheral.open(central.seal(Data([1]))) == .message(Data([1])))
    }

    private func disturb(
        _ session: inout any SealingSession,
        _ generator: inout SplitMix64
    ) throws {
        for _ in 0..<500 {
            var frame = Data(generator.bytes(upTo: 60))
            if !frame.isEmpty { frame[0] = UInt8.random(in: 0...5, using: &generator) }
            if generator.happens(oneIn: 3) {
                frame = Data(frame.prefix(1)) + Data(generator.bytes(32))
            }
            // An invitation is valid without authentication.
            if frame == GCMSession.invitation { continue }
            #expect(throws: SealingError.refused) { try session.open(frame) }
        }
    }
}
