// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

@Suite("Sending on a channel")
struct ChannelSenderTests {
    private var sender = ChannelSender(mtu: 100, mps: 23, credits: 4)

    @Test("An SDU is sent in frames of the peer's size, and the first contains its length")
    mutating func segments() {
        sender.enqueue(pattern(50), id: 7)
        var payloads: [[UInt8]] = []
        var sent: [UInt64] = []
        while let frame = sender.nextFrame() {
            payloads.append(frame.payload)
            if let id = frame.sent { sent.append(id) }
        }
        #expect(payloads.map(\.count) == [23, 23, 6])
        #expect(payloads.first?.prefix(2) == [50, 0])
        #expect(Array(payloads.joined().dropFirst(2)) == pattern(50))
        #expect(sent == [7])
        #expect(sender.credits == 1)
    }

    @Test(
        "An SDU that fits with its length takes one frame",
        arguments: [(0, 1), (21, 1), (22, 2)]
    )
    mutating func boundary(count: Int, frames: Int) {
        sender.enqueue(pattern(count), id: 1)
        for _ in 1..<frames { #expect(sender.nextFrame()?.sent == .some(nil)) }
        #expect(sender.nextFrame()?.sent == 1)
        #expect(sender.nextFrame() == nil)
    }

    @Test("Sending stops without credits and resumes with more")
    mutating func waits() {
        sender.enqueue(pattern(100), id: 1)
        for _ in 0..<4 { #expect(sender.nextFrame() != nil) }
        #expect(sender.nextFrame() == nil)
        #expect(sender.add(credits: 1) == true)
        #expect(sender.nextFrame()?.payload == Array(pattern(100).suffix(10)))
    }

    @Test("More than 65,535 credits are refused", arguments: [(65_531, true), (65_532, false)])
    mutating func overflow(more: Int, isAllowed: Bool) {
        #expect(sender.add(credits: more) == isAllowed)
    }

    @Test("An SDU can be canceled until its first frame is sent")
    mutating func cancels() {
        sender.enqueue(pattern(50), id: 1)
        sender.enqueue(pattern(5), id: 2)
        _ = sender.nextFrame()
        #expect(sender.cancel(1) == false)
        #expect(sender.cancel(2) == true)
        #expect(sender.cancel(2) == false)
        #expect(sender.abandon() == [1])
        #expect(!sender.hasFrame)
    }

    @Test("A new frame size within an SDU keeps its bytes intact")
    mutating func resizes() {
        sender.enqueue(pattern(60), id: 1)
        var bytes = sender.nextFrame()?.payload.dropFirst(2).map { $0 } ?? []
        sender.resize(mtu: 100, mps: 64)
        bytes += sender.nextFrame()?.payload ?? []
        #expect(bytes == pattern(60))
    }

    @Test("The receiver reassembles the SDUs that the sender segments", arguments: RunSeed.seeds(8))
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let mps = Int.random(in: 23...300, using: &generator)
        let options = L2CAP.ChannelOptions(mtu: 2000, mps: mps, window: 3)
        var receiver = ChannelReceiver(options)
        var sender = ChannelSender(mtu: 2000, mps: mps, credits: receiver.credits)
        for round in 0..<50 {
            let sdu = generator.bytes(upTo: 2000)
            sender.enqueue(sdu, id: UInt64(round))
            var isWhole = false
            while !isWhole {
                if let grant = receiver.takeGrant() {
                    #expect(sender.add(credits: Int(grant)) == true)
                }
                guard let (payload, sent) = sender.nextFrame() else {
                    Issue.record("The sender has no frame, although the SDU is incomplete")
                    return
                }
                isWhole = try receiver.receive(payload[...])
                #expect((sent != nil) == isWhole)
            }
            let taken = receiver.take()
            #expect((taken == sdu) == true)
        }
    }
}
