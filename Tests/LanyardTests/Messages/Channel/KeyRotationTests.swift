// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("The rotation of keys on an open channel")
struct KeyRotationTests {
    private let time = ManualTimekeeper()
    private let first = SealingKey(random: .bits256)
    private let second = SealingKey(random: .bits256)

    private func channel(
        _ transport: FakeTransport,
        _ sealing: any MessageSealing,
        as role: SealingRole
    ) -> MessageChannel {
        MessageChannel(
            over: transport,
            options: MessageChannelOptions(sealing: sealing),
            as: role,
            timekeeper: time
        )
    }

    /// Returns both sides of a channel, which have begun their session.
    private func linked(
        _ pair: (FakeTransport, FakeTransport),
        _ sealing: GCMSealing? = nil,
        _ otherSealing: GCMSealing? = nil
    ) async throws -> (central: MessageChannel, peripheral: MessageChannel) {
        let central = channel(pair.0, sealing ?? GCMSealing(key: first), as: .central)
        let peripheral = channel(pair.1, otherSealing ?? GCMSealing(key: first), as: .peripheral)
        await link(pair)
        // The peripheral's session begins with the central's first frame.
        try await central.send(0)
        var begun = peripheral.messages(of: Int.self).makeAsyncIterator()
        #expect(await begun.next() == 0)
        return (central, peripheral)
    }

    private func link(_ pair: (FakeTransport, FakeTransport)) async {
        pair.1.report(.linked)
        pair.0.report(.linked)
        await pair.0.settle()
    }

    private func unlink(_ pair: (FakeTransport, FakeTransport)) async {
        pair.0.report(.unlinked(nil))
        pair.1.report(.unlinked(nil))
        await pair.0.settle()
    }

    /// Sends numbers, and returns the numbers that arrive on the other side.
    private func exchange(
        _ count: Int,
        from one: MessageChannel,
        to other: MessageChannel
    ) async throws -> [Int] {
        let numbers = other.messages(of: Int.self)
        async let sending: Void = {
            for number in 1...count { try await one.send(number) }
        }()
        var received: [Int] = []
        for await number in numbers {
            received.append(number)
            if received.count == count { break }
        }
        try await sending
        return received
    }

    @Test("No message is lost while both sides rotate the keys")
    func losesNothing() async throws {
        let pair = FakeTransport.pair(linked: false)
        let (central, peripheral) = try await linked(pair)
        let events = (central.events, peripheral.events)
        async let down = exchange(200, from: central, to: peripheral)
        async let up = exchange(200, from: peripheral, to: central)
        for _ in 1...10 {
            try await central.rotateKeys()
            try await peripheral.rotateKeys()
        }
        #expect(try await down == Array(1...200))
        #expect(try await up == Array(1...200))
        #expect(central.statistics.unopened == 0 && peripheral.statistics.unopened == 0)
        for events in [events.0, events.1] {
            // Rotations that both sides begin at the same time count as one.
            var count = 0
            for await event in events where event == .keysRotated {
                count += 1
                if count == 10 { break }
            }
        }
    }

    @Test(
        "Either side rotates to a new key, which applies on the next link too",
        arguments: [SealingRole.central, .peripheral]
    )
    func newKey(role: SealingRole) async throws {
        let pair = FakeTransport.pair(linked: false)
        let (central, peripheral) = try await linked(pair)
        let (one, other) = role == .central ? (central, peripheral) : (peripheral, central)
        try other.acceptKey(second)
        try await one.rotateKeys(to: second)
        #expect(try await exchange(3, from: central, to: peripheral) == [1, 2, 3])
        #expect(try await exchange(3, from: peripheral, to: central) == [1, 2, 3])
        await unlink(pair)
        await link(pair)
        #expect(try await exchange(3, from: central, to: peripheral) == [1, 2, 3])
        #expect(try await exchange(3, from: peripheral, to: central) == [1, 2, 3])
        #expect(central.statistics.unopened == 0 && peripheral.statistics.unopened == 0)
        // Both sides have only the new key, so neither side returns to the former key.
        let keys = await pair.0.read { (central.engine.wire.keys, peripheral.engine.wire.keys) }
        #expect(keys.0?.all == [second])
        #expect(keys.1?.all == [second])
    }

    @Test("A key that the other side does not accept is not used, and the channel continues")
    func unaccepted() async throws {
        for role in [SealingRole.central, .peripheral] {
            let pair = FakeTransport.pair(linked: false)
            let (central, peripheral) = try await linked(pair)
            let one = role == .central ? central : peripheral
            let rotation = Task { try await one.rotateKeys(to: second) }
            while await pair.0.read({ one.engine.rotation == nil }) { await Task.yield() }
            let another = await MessageError.thrown { try await one.rotateKeys() }
            #expect(another == .sealing("another rotation is under way"))
            for _ in 1...MessageEngine.greetingLimit {
                await pair.0.settle()
                time.advance(by: MessageEngine.greetingInterval)
            }
            let error = await MessageError.thrown { try await rotation.value }
            #expect(error == .sealing("the other side does not answer"))
            #expect(try await exchange(3, from: central, to: peripheral) == [1, 2, 3])
            #expect(try await exchange(3, from: peripheral, to: central) == [1, 2, 3])
            try await one.rotateKeys()
            #expect(try await exchange(3, from: central, to: peripheral) == [1, 2, 3])
        }
    }

    @Test("A rotation fails without a session, without a link, and with a sealing without sessions")
    func impossible() async throws {
        let transport = FakeTransport(linked: false)
        let sealed = channel(transport, GCMSealing(key: first), as: .central)
        #expect(await MessageError.thrown { try await sealed.rotateKeys() } == .disconnected)
        transport.report(.linked)
        let early = await MessageError.thrown { try await sealed.rotateKeys() }
        #expect(early == .sealing("the session is not ready"))
        let sessionless = channel(FakeTransport(), CBCSealing(key: first), as: .central)
        let refused = MessageError.sealing(
            "this sealing has no session whose keys can be replaced"
        )
        #expect(await MessageError.thrown { try await sessionless.rotateKeys() } == refused)
        #expect(throws: refused) { try sessionless.acceptKey(first) }
        sealed.close()
        #expect(await MessageError.thrown { try await sealed.rotateKeys() } == .closed)
    }

    @Test("A rotation ends with the link, and when its task is canceled")
    func ends() async throws {
        let pair = FakeTransport.pair(linked: false)
        let (central, peripheral) = try await linked(pair)
        for cancels in [true, false] {
            let rotation = Task { try await central.rotateKeys(to: second) }
            while await pair.0.read({ central.engine.rotation == nil }) { await Task.yield() }
            if cancels { rotation.cancel() } else { await unlink(pair) }
            let error = await MessageError.thrown { try await rotation.value }
            #expect(error == (cancels ? .cancelled : .disconnected))
            if !cancels { await link(pair) }
            #expect(try await exchange(3, from: central, to: peripheral) == [1, 2, 3])
        }
    }

    @Test("After a rotation, greetings and invitations with the former key are refused")
    func formerKey() throws {
        let keys = SealingKeyRing(first, accepting: [second])
        var central = GCMCentralSession(keys: keys)
        var peripheral = GCMPeripheralSession(keys: keys)
        let former = try #require(central.greeting)
        try greet(&central, &peripheral)
        central.rotate(to: second)
        #expect(central.isRotating)
        try greet(&central, &peripheral)
        #expect(!central.isRotating)
        #expect(central.keys.all == [second] && peripheral.keys.all == [second])
        #expect(central.sessionCount == 2 && peripheral.sessionCount == 2)
        #expect(throws: SealingError.refused) { try peripheral.open(former) }
        #expect(throws: SealingError.refused) {
            try central.open(GCMSession.invitation + GCMSession.name(of: first))
        }
        #expect(try peripheral.open(central.seal(Data([1]))) == .message(Data([1])))
    }

    @Test("A key that is accepted again counts as the latest, and is not dropped first")
    func acceptedAgain() {
        let keys = (0...SealingKeyRing.limit).map { _ in SealingKey() }
        var ring = SealingKeyRing(first, accepting: Array(keys.dropLast()))
        ring.accept(keys[0])
        ring.accept(keys[SealingKeyRing.limit])
        #expect(ring.accepted.contains(keys[0]))
        #expect(!ring.accepted.contains(keys[1]))
        #expect(ring.accepted.count == SealingKeyRing.limit)
    }

    @Test("The answer to a greeting that a rotation has replaced has no effect")
    func replaced() throws {
        let keys = SealingKeyRing(first, accepting: [second])
        var central = GCMCentralSession(keys: keys)
        var peripheral = GCMPeripheralSession(keys: keys)
        try greet(&central, &peripheral)
        guard case .answer(let greeting) = try central.open(GCMSession.invitation),
            case .answer(let late) = try peripheral.open(greeting)
        else { throw SealingError.refused }
        central.rotate(to: second)
        #expect(try central.open(late) == .nothing)
        try greet(&central, &peripheral)
        #expect(central.keys.current == second && peripheral.keys.current == second)
    }

    @Test("An invitation to rotate contains the name of the new key, as documented")
    func names() throws {
        let key = try SealingKey(Data(0..<16))
        #expect(GCMSession.name(of: key) == Data(hex: "d08a2e95f5ede142"))
        var peripheral = GCMPeripheralSession(keys: SealingKeyRing(first))
        var central = GCMCentralSession(keys: SealingKeyRing(first, accepting: [key]))
        try greet(&central, &peripheral)
        #expect(peripheral.greeting == nil)
        peripheral.rotate(to: key)
        let invitation = try #require(peripheral.greeting)
        #expect(invitation == Data(hex: "05d08a2e95f5ede142"))
        guard case .answer(let greeting) = try central.open(invitation) else {
            Issue.record("no greeting")
            return
        }
        #expect(try central.open(invitation) == .answer(greeting))
        try greet(&central, &peripheral)
        #expect(!peripheral.isRotating && peripheral.keys.current == key)
    }

    private func greet(
        _ central: inout GCMCentralSession,
        _ peripheral: inout GCMPeripheralSession
    ) throws {
        let greeting = try #require(central.greeting)
        guard case .answer(let answer) = try peripheral.open(greeting),
            case .answer(let confirmation) = try central.open(answer)
        else { throw SealingError.refused }
        #expect(try peripheral.open(confirmation) == .nothing)
    }
}
