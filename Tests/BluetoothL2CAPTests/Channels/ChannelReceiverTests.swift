// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

@Suite("Receiving on a channel")
struct ChannelReceiverTests {
    /// SDUs of at most 40 bytes, in frames of at most 23, with four credits.
    private var receiver = ChannelReceiver(.init(mtu: 40, mps: 23, window: 4))

    private mutating func receive(_ payload: [UInt8]) throws(L2CAP.Violation) -> Bool {
        try receiver.receive(payload[...])
    }

    @Test("An SDU arrives in one frame or in several")
    mutating func collects() throws {
        #expect(try receive([3, 0, 1, 2, 3]))
        #expect(try !receive([30, 0] + pattern(21)))
        #expect(try receive(pattern(9)))
        #expect(receiver.take() == [1, 2, 3])
        #expect(receiver.take() == pattern(21) + pattern(9))
        #expect(receiver.take() == nil)
    }

    @Test("An SDU and a frame within an SDU may be empty")
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

    @Test("Frames and SDUs beyond their limits are violations")
    mutating func limits() {
        #expect(throws: L2CAP.Violation.frameTooLong) { try receive([40, 0] + pattern(22)) }
        #expect(throws: L2CAP.Violation.sduTooLong) { try receive([41, 0]) }
        #expect(throws: L2CAP.Violation.sduOverrun) { try receive([1, 0, 1, 2]) }
    }

    @Test("A first frame without the SDU length is a violation", arguments: [[], [5]])
    mutating func lengthless(payload: [UInt8]) {
        #expect(throws: L2CAP.Violation.lengthMissing) { try receive(payload) }
    }

    @Test("A later frame beyond the end of the SDU is a violation")
    mutating func overrun() throws {
        #expect(try !receive([3, 0, 1]))
        #expect(throws: L2CAP.Violation.sduOverrun) { try receive([1, 2, 3]) }
    }

    @Test("The credits of read SDUs are returned once they are half of the window")
    mutating func grants() throws {
        for _ in 0..<3 { #expect(try receive([1, 0, 9])) }
        #expect(receiver.takeGrant() == nil)
        _ = receiver.take()
        #expect(receiver.takeGrant() == nil, "One of four credits is not returned yet")
        _ = receiver.take()
        #expect(receiver.takeGrant() == 2)
        #expect(receiver.credits == 3)
        #expect(receiver.takeGrant() == nil)
    }

    @Test("A peer without credits gets all available credits at once")
    mutating func urgentGrant() throws {
        for _ in 0..<4 { #expect(try receive([1, 0, 9])) }
        #expect(receiver.takeGrant() == nil, "The application has read no data")
        _ = receiver.take()
        #expect(receiver.takeGrant() == 1)
    }

    @Test("An SDU with more frames than the window has credits is received completely")
    mutating func manySmallFrames() throws {
        #expect(try !receive([20, 0]))
        var sent = 0
        while sent < 20 {
            if receiver.credits == 0 { #expect(receiver.takeGrant() == 4) }
            sent += 1
            #expect(try receive([1]) == (sent == 20))
        }
        #expect(receiver.take() == [UInt8](repeating: 1, count: 20))
        // Credits that were returned early are not returned again.
        while receiver.takeGrant() != nil {}
        #expect(receiver.credits <= 4)
    }

    @Test("A window holds at least one SDU")
    func windowForSDU() {
        let options = L2CAP.ChannelOptions(mtu: 1000, mps: 100, window: 1)
        #expect(options.initialCredits == 11)
        let largest = L2CAP.ChannelOptions(mtu: 65_535, mps: 23, window: 1)
        #expect(largest.initialCredits == 2850)
        #expect(L2CAP.ChannelOptions(window: 70_000).initialCredits == 65_535)
    }

    @Test(
        "Random frames never trap, and the credits stay within the window",
        arguments: RunSeed.seeds(8)
    )
    func hostility(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var receiver = ChannelReceiver(.init(mtu: 60, mps: 30, window: 5))
        for _ in 0..<20_000 {
            let isReading = generator.happens(oneIn: 3)
            if isReading { _ = receiver.take() }
            _ = receiver.takeGrant()
            #expect((0...5).contains(receiver.credits))
            var payload = generator.bytes(upTo: 32)
            if payload.count > 1, generator.happens(oneIn: 2) { payload[1] = 0 }
            do throws(L2CAP.Violation) {
                _ = try receiver.receive(payload[...])
            } catch {
                receiver = ChannelReceiver(.init(mtu: 60, mps: 30, window: 5))
            }
        }
    }
}
