// SPDX-License-Identifier: Apache-2.0

import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

@Suite("The receiving half of a channel")
struct ChannelReceiverTests {
    /// 40 octets in frames of 23, four of them at a time.
    private var receiver = ChannelReceiver(.init(mtu: 40, mps: 23, window: 4))

    private mutating func receive(_ payload: [UInt8]) throws(L2CAP.Violation) -> Bool {
        try receiver.receive(payload[...])
    }

    @Test("An SDU comes in one frame, or in several")
    mutating func collects() throws {
        #expect(try receive([3, 0, 1, 2, 3]))
        #expect(try !receive([30, 0] + pattern(21)))
        #expect(try receive(pattern(9)))
        #expect(receiver.take() == [1, 2, 3])
        #expect(receiver.take() == pattern(21) + pattern(9))
        #expect(receiver.take() == nil)
    }

    @Test("An SDU may be empty, and so may a frame in the midst of one")
    mutating func emptiness() throws {
        #expect(try receive([0, 0]))
        #expect(receiver.take() == [])
        #expect(try !receive([2, 0]))
        #expect(try !receive([]))
        #expect(try receive([7, 8]))
        #expect(receiver.take() == [7, 8])
    }

    @Test("Data without credit is a violation")
    mutating func credits() throws {
        for _ in 0..<4 { #expect(try receive([1, 0, 9])) }
        #expect(throws: L2CAP.Violation.noCredit) { try receive([1, 0, 9]) }
    }

    @Test("Frames and SDUs have their limits")
    mutating func limits() {
        #expect(throws: L2CAP.Violation.frameTooLong) { try receive([40, 0] + pattern(22)) }
        #expect(throws: L2CAP.Violation.sduTooLong) { try receive([41, 0]) }
        #expect(throws: L2CAP.Violation.sduOverrun) { try receive([1, 0, 1, 2]) }
    }

    @Test("A first frame tells the length", arguments: [[], [5]])
    mutating func lengthless(payload: [UInt8]) {
        #expect(throws: L2CAP.Violation.lengthMissing) { try receive(payload) }
    }

    @Test("A later frame must not go beyond the SDU")
    mutating func overrun() throws {
        #expect(try !receive([3, 0, 1]))
        #expect(throws: L2CAP.Violation.sduOverrun) { try receive([1, 2, 3]) }
    }

    @Test("Credits go back only for what was taken, in halves of the window")
    mutating func grants() throws {
        for _ in 0..<3 { #expect(try receive([1, 0, 9])) }
        #expect(receiver.takeGrant() == nil)
        _ = receiver.take()
        #expect(receiver.takeGrant() == nil, "one of four is not worth a word")
        _ = receiver.take()
        #expect(receiver.isGrantDue)
        #expect(receiver.takeGrant() == 2)
        #expect(receiver.credits == 3)
        #expect(!receiver.isGrantDue)
    }

    @Test("A peer without credits gets what there is at once")
    mutating func urgentGrant() throws {
        for _ in 0..<4 { #expect(try receive([1, 0, 9])) }
        #expect(receiver.takeGrant() == nil, "nobody reads")
        _ = receiver.take()
        #expect(receiver.takeGrant() == 1)
    }

    @Test("An SDU in more frames than the window is not stuck")
    mutating func manySmallFrames() throws {
        #expect(try !receive([20, 0]))
        var sent = 0
        while sent < 20 {
            if receiver.credits == 0 { #expect(receiver.takeGrant() == 4) }
            sent += 1
            #expect(try receive([1]) == (sent == 20))
        }
        #expect(receiver.take() == [UInt8](repeating: 1, count: 20))
        // What was given back early is not given back again.
        while receiver.takeGrant() != nil {}
        #expect(receiver.credits <= 4)
    }

    @Test("A window has room for one SDU at least")
    func windowForSDU() {
        let options = L2CAP.ChannelOptions(mtu: 1000, mps: 100, window: 1)
        #expect(options.initialCredits == 11)
        let largest = L2CAP.ChannelOptions(mtu: 65_535, mps: 23, window: 1)
        #expect(largest.initialCredits == 2850)
        #expect(L2CAP.ChannelOptions(window: 70_000).initialCredits == 65_535)
    }

    @Test("Random frames neither trap nor let more be held than was allowed", arguments: 1...8)
    func hostility(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var receiver = ChannelReceiver(.init(mtu: 60, mps: 30, window: 5))
        for _ in 0..<20_000 {
            let isReading = dice.happens(oneIn: 3)
            if isReading { _ = receiver.take() }
            _ = receiver.takeGrant()
            #expect((0...5).contains(receiver.credits))
            var payload = dice.bytes(upTo: 32)
            if payload.count > 1, dice.happens(oneIn: 2) { payload[1] = 0 }
            do throws(L2CAP.Violation) {
                _ = try receiver.receive(payload[...])
            } catch {
                receiver = ChannelReceiver(.init(mtu: 60, mps: 30, window: 5))
            }
        }
    }
}
