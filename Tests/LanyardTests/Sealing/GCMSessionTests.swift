// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite struct GCMSessionTests {
    private static let key = SealingKey(random: .bits256)

    /// Returns both sides after their greetings.
    private func greeted(
        key: SealingKey = key
    ) throws -> (central: any SealingSession, peripheral: any SealingSession) {
        let sealing = GCMSealing(key: key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        try greet(&central, &peripheral)
        return (central, peripheral)
    }

    private func greet(
        _ central: inout any SealingSession,
        _ peripheral: inout any SealingSession
    ) throws {
        let greeting = try #require(central.greeting)
        let answer = try sent(peripheral.open(greeting))
        let confirmation = try sent(central.open(answer))
        #expect(try peripheral.open(confirmation) == .nothing)
    }

    private func sent(_ arrival: SealedArrival) throws -> Data {
        guard case .answer(let data) = arrival else {
            throw SealingError.refused
        }
        return data
    }

    @Test("Two sides greet and exchange messages")
    func talks() throws {
        var (central, peripheral) = try greeted()
        #expect(central.isReady && peripheral.isReady && central.greeting == nil)
        for number in 0..<300 {
            let question = Data("question \(number)".utf8)
            let answer = Data("answer \(number)".utf8)
            #expect(try peripheral.open(central.seal(question)) == .message(question))
            #expect(try central.open(peripheral.seal(answer)) == .message(answer))
        }
    }

    @Test("The frames are those of the documentation, byte by byte")
    func writesTheFrames() throws {
        let key = try SealingKey(Data((0..<16)))
        let keys = SealingKeyRing(key)
        var central = GCMCentralSession(keys: keys) { Data(repeating: 0xA1, count: 16) }
        var peripheral = GCMPeripheralSession(keys: keys) { Data(repeating: 0xB2, count: 16) }

        let greeting = try #require(central.greeting)
        #expect(
            greeting
                == Data(
                    hex: "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a19302c6b7be2036eae810037099dfb478"
                )
        )
        let answer = try sent(peripheral.open(greeting))
        #expect(
            answer
                == Data(
                    hex: "02b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b26becc4472d3f80a7dc63da30cec3d4ce"
                )
        )
        let confirmation = try sent(central.open(answer))
        #expect(confirmation == Data(hex: "0400000000fb5c5cef644909530a63a1e298fca325"))
        #expect(try peripheral.open(confirmation) == .nothing)
        #expect(
            try central.seal(Data("open".utf8))
                == Data(hex: "03000000015fac1eacfae83138d686a1733eb8b02612d2a63c")
        )
        #expect(
            try peripheral.seal(Data("opened".utf8))
                == Data(hex: "03000000001dddd8760699b1c7f41c5bf63689082fe759c7bc1842")
        )
    }

    @Test("A side seals nothing before the other side is known")
    func waitsForTheGreeting() throws {
        let sealing = GCMSealing(key: Self.key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        #expect(throws: SealingError.sessionNotReady) { try central.seal(Data()) }
        #expect(throws: SealingError.sessionNotReady) { try peripheral.seal(Data()) }
        let answer = try sent(peripheral.open(#require(central.greeting)))
        // An attacker may have recorded the greeting, so the peripheral waits for a proof of the
        // key.
        #expect(!peripheral.isReady)
        _ = try central.open(answer)
        #expect(central.isReady)
    }

    @Test("A replayed message is distinguished from a forged one, and refused")
    func refusesReplays() throws {
        var (central, peripheral) = try greeted()
        let messages = try (0..<5).map { try central.seal(Data([UInt8($0)])) }
        for message in messages { _ = try peripheral.open(message) }
        for message in messages {
            #expect(throws: SealingError.replayed) { try peripheral.open(message) }
        }
        #expect(throws: SealingError.refused) {
            try peripheral.open(messages[0].turning(bit: 50))
        }
        #expect(try peripheral.open(central.seal(Data([9]))) == .message(Data([9])))
    }

    @Test("A message that arrives after a later one is refused, and a missing one does no harm")
    func keepsTheOrder() throws {
        var (central, peripheral) = try greeted()
        let first = try central.seal(Data([1]))
        let second = try central.seal(Data([2]))
        #expect(try peripheral.open(second) == .message(Data([2])))
        #expect(throws: SealingError.replayed) { try peripheral.open(first) }
    }

    @Test("Replayed greetings do not end the session of a genuine greeting")
    func outlivesRecordedGreetings() throws {
        let sealing = GCMSealing(key: Self.key)
        let recorded = try (1..<GCMPeripheralSession.offerLimit).map { _ in
            try #require(sealing.makeSession(as: .central).greeting)
        }
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        let answer = try sent(peripheral.open(#require(central.greeting)))
        for greeting in recorded { _ = try sent(peripheral.open(greeting)) }
        #expect(try peripheral.open(sent(central.open(answer))) == .nothing)
        #expect(try peripheral.open(central.seal(Data([1]))) == .message(Data([1])))
        #expect(try central.open(peripheral.seal(Data([2]))) == .message(Data([2])))
    }

    @Test("A restarted peripheral asks for a greeting, and both sides continue")
    func greetsAnewWhenInvited() throws {
        var (central, former) = try greeted()
        let late = try former.seal(Data([7]))
        var peripheral = GCMSealing(key: Self.key).makeSession(as: .peripheral)
        let lost = try central.seal(Data([1]))
        #expect(throws: SealingError.refused) { try peripheral.open(lost) }

        let invitation = try #require(peripheral.greeting)
        #expect(invitation == Data([5]))
        let greeting = try sent(central.open(invitation))
        #expect(try sent(central.open(invitation)) == greeting)
        // The old session continues until the answer, because the invitation is not
        // authenticated.
        #expect(try former.open(central.seal(Data([2]))) == .message(Data([2])))
        let confirmation = try sent(central.open(sent(peripheral.open(greeting))))
        #expect(try central.open(late) == .message(Data([7])))
        #expect(try peripheral.open(confirmation) == .nothing)
        #expect(peripheral.greeting == nil && central.greeting == nil)
        #expect(try peripheral.open(central.seal(Data([3]))) == .message(Data([3])))
        #expect(try central.open(peripheral.seal(Data([4]))) == .message(Data([4])))
        let old = try former.seal(Data([8]))
        #expect(throws: SealingError.refused) { try central.open(old) }
    }

    @Test("A side refuses its own frames")
    func refusesReflections() throws {
        var (central, peripheral) = try greeted()
        let own = try central.seal(Data("mine".utf8))
        #expect(throws: SealingError.refused) { try central.open(own) }
        let theirs = try peripheral.seal(Data("yours".utf8))
        #expect(throws: SealingError.refused) { try peripheral.open(theirs) }

        var waiting = GCMSealing(key: Self.key).makeSession(as: .central)
        let greeting = try #require(waiting.greeting)
        #expect(throws: SealingError.refused) { try waiting.open(greeting) }
    }

    @Test("The frames of a recorded session have no effect in a later session")
    func refusesOldSessions() throws {
        let sealing = GCMSealing(key: Self.key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        var recorded = [try #require(central.greeting)]
        recorded.append(try sent(central.open(sent(peripheral.open(recorded[0])))))
        _ = try peripheral.open(recorded[1])
        recorded.append(try central.seal(Data("open the door".utf8)))
        #expect(try peripheral.open(recorded[2]) == .message(Data("open the door".utf8)))

        // A new session, as on the next link or after a restart of the accessory.
        var later = sealing.makeSession(as: .peripheral)
        _ = try sent(later.open(recorded[0]))
        for frame in recorded.dropFirst() {
            #expect(throws: SealingError.refused) { try later.open(frame) }
        }
        #expect(!later.isReady)
    }

    @Test("A recorded answer has no effect on a central that sends a new greeting")
    func refusesOldAnswers() throws {
        let sealing = GCMSealing(key: Self.key)
        var peripheral = sealing.makeSession(as: .peripheral)
        let first = sealing.makeSession(as: .central)
        let answer = try sent(peripheral.open(#require(first.greeting)))
        var second = sealing.makeSession(as: .central)
        #expect(throws: SealingError.refused) { try second.open(answer) }
    }

    @Test("A central that restarts on the same link establishes a new session")
    func survivesARestartOfTheCentral() throws {
        var (central, peripheral) = try greeted()
        _ = try peripheral.open(central.seal(Data("before".utf8)))
        var restarted = GCMSealing(key: Self.key).makeSession(as: .central)
        try greet(&restarted, &peripheral)
        #expect(try peripheral.open(restarted.seal(Data([1]))) == .message(Data([1])))
        #expect(try restarted.open(peripheral.seal(Data([2]))) == .message(Data([2])))
        let stale = try central.seal(Data("after".utf8))
        #expect(throws: SealingError.refused) { try peripheral.open(stale) }
    }

    @Test("A replayed greeting does not end the current session")
    func survivesReplayedGreetings() throws {
        let sealing = GCMSealing(key: Self.key)
        var central = sealing.makeSession(as: .central)
        let greeting = try #require(central.greeting)
        var peripheral = sealing.makeSession(as: .peripheral)
        try greet(&central, &peripheral)
        for _ in 0..<10 { _ = try peripheral.open(greeting) }
        #expect(try peripheral.open(central.seal(Data([1]))) == .message(Data([1])))
        #expect(try central.open(peripheral.seal(Data([2]))) == .message(Data([2])))
    }

    @Test("A repeated greeting gets the same answer, and a repeated answer has no effect")
    func toleratesRepeatedGreetings() throws {
        let sealing = GCMSealing(key: Self.key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        let greeting = try #require(central.greeting)
        #expect(central.greeting == greeting)
        let answer = try sent(peripheral.open(greeting))
        #expect(try peripheral.open(greeting) == .answer(answer))
        // The central's confirmation is lost. Its first message confirms the session instead.
        _ = try sent(central.open(answer))
        #expect(try central.open(answer) == .nothing)
        #expect(try peripheral.open(central.seal(Data([7]))) == .message(Data([7])))
        #expect(peripheral.isReady)
    }

    @Test("Sides with different keys refuse each other's greetings", arguments: [16, 32])
    func refusesOtherKeys(length: Int) throws {
        let other = GCMSealing(key: try SealingKey(Data(count: length)))
        var peripheral = other.makeSession(as: .peripheral)
        let greeting = try #require(GCMSealing(key: Self.key).makeSession(as: .central).greeting)
        #expect(throws: SealingError.refused) { try peripheral.open(greeting) }
    }

    @Test("Every altered bit and every truncation of a frame is refused without effect")
    func refusesChanges() throws {
        let sealing = GCMSealing(key: Self.key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        let greeting = try #require(central.greeting)
        refuseAll(like: greeting, by: &peripheral)
        let answer = try sent(peripheral.open(greeting))
        refuseAll(like: answer, by: &central)
        let confirmation = try sent(central.open(answer))
        refuseAll(like: confirmation, by: &peripheral)
        _ = try peripheral.open(confirmation)
        let message = try central.seal(Data("message".utf8))
        refuseAll(like: message, by: &peripheral)
        #expect(try peripheral.open(message) == .message(Data("message".utf8)))
    }

    private func refuseAll(like frame: Data, by session: inout any SealingSession) {
        for bit in 0..<frame.count * 8 {
            #expect(throws: SealingError.refused) { try session.open(frame.turning(bit: bit)) }
        }
        for length in 0..<frame.count {
            #expect(throws: SealingError.refused) { try session.open(frame.prefix(length)) }
        }
        #expect(throws: SealingError.refused) { try session.open(frame + [0]) }
    }

    @Test("Of 2,000 frames, no two have the same nonce and key")
    func neverRepeatsNonces() throws {
        var (central, peripheral) = try greeted()
        var headers: Set<Data> = []
        for _ in 0..<1_000 {
            headers.insert(Data([0]) + (try central.seal(Data())).dropFirst().prefix(4))
            headers.insert(Data([1]) + (try peripheral.seal(Data())).dropFirst().prefix(4))
        }
        #expect(headers.count == 2_000)
    }

    @Test("A session ends before its counter wraps around")
    func endsInTime() throws {
        let random = Data(count: 16)
        var sealer = GCMDirections(Self.key, role: .central, central: random, peripheral: random)
        var opener = GCMDirections(Self.key, role: .peripheral, central: random, peripheral: random)
        sealer.skip(to: GCMSession.maximumMessages - 1)
        let last = try sealer.seal(Data("last".utf8))
        #expect(last.prefix(5) == Data(hex: "03ffffffff"))
        #expect(try opener.open(last) == Data("last".utf8))
        #expect(throws: SealingError.sessionExhausted) { try sealer.seal(Data()) }
        #expect(throws: SealingError.replayed) { try opener.open(last) }
    }

    @Test("A sealed message does not exceed the declared overhead")
    func keepsToItsOverhead() throws {
        var (central, _) = try greeted()
        let sealed = try central.seal(Data(count: 100))
        #expect(sealed.count - 100 == 21)
        #expect(sealed.count - 100 <= GCMSealing(key: Self.key).overhead)
    }
}
