// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

extension FrameRecombiner {
    mutating func start(_ bytes: ArraySlice<UInt8>) -> Verdict {
        receive(.fragment(.firstFlushable, bytes))
    }

    mutating func proceed(with bytes: ArraySlice<UInt8>) -> Verdict {
        receive(.fragment(.continuing, bytes))
    }
}

extension HCI.ACLPacket {
    static func fragment(
        _ boundary: HCI.PacketBoundary,
        _ bytes: ArraySlice<UInt8>
    ) -> HCI.ACLPacket {
        .init(connectionHandle: .init(rawValue: 0x40), boundary: boundary, payload: bytes)
    }
}

@Suite("Frame reassembly")
struct FrameRecombinerTests {
    private var recombiner = FrameRecombiner(receiveLimit: 100)

    private static let payload: [UInt8] = Array(1...50)
    private static let bytes = L2CAPFrame.encode(payload, on: .att)
    private static let frame = L2CAPFrame(channel: .att, payload: payload[...])

    @Test("A frame in one fragment is a slice of the packet, with either start flag")
    mutating func passesWholeFrames() {
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        let other = HCI.ACLPacket.fragment(.firstNonFlushable, Self.bytes[...])
        #expect(recombiner.receive(other) == .frame(Self.frame))
        guard case .frame(let frame) = recombiner.start(Self.bytes[...]) else {
            Issue.record("No frame")
            return
        }
        #expect(frame.payload.startIndex == L2CAPFrame.headerLength)
    }

    @Test(
        "A frame is reassembled from fragments of any size, even within its header",
        arguments: 1...54
    )
    mutating func collects(size: Int) {
        for _ in 0..<2 {
            var verdicts: [FrameRecombiner.Verdict] = []
            for begin in stride(from: 0, to: Self.bytes.count, by: size) {
                let piece = Self.bytes[begin..<min(begin + size, Self.bytes.count)]
                verdicts.append(
                    begin == 0 ? recombiner.start(piece) : recombiner.proceed(with: piece)
                )
            }
            #expect(verdicts.last == .frame(Self.frame))
            #expect(verdicts.dropLast().allSatisfy { $0 == .incomplete })
        }
        #expect(recombiner.lossCount == 0)
    }

    @Test("Empty fragments have no effect")
    mutating func acceptsEmptyFragments() {
        #expect(recombiner.start([]) == .incomplete)
        for byte in Self.bytes.dropLast() {
            #expect(recombiner.proceed(with: []) == .incomplete)
            #expect(recombiner.proceed(with: [byte]) == .incomplete)
        }
        #expect(recombiner.proceed(with: Self.bytes.suffix(1)) == .frame(Self.frame))
    }

    @Test("An empty frame is complete with its header")
    mutating func acceptsEmptyFrames() {
        #expect(recombiner.start([0, 0, 4]) == .incomplete)
        #expect(recombiner.proceed(with: [0]) == .frame(.init(channel: .att, payload: [])))
    }

    @Test("A continuation without a start is discarded")
    mutating func discardsContinuation() {
        #expect(recombiner.proceed(with: [1]) == .discarded(.continuationWithoutStart))
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        #expect(recombiner.proceed(with: []) == .discarded(.continuationWithoutStart))
    }

    @Test("A new start discards the incomplete frame and keeps the new frame")
    mutating func restarts() {
        #expect(recombiner.start(Self.bytes.prefix(20)) == .incomplete)
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        #expect(recombiner.lossCount == 1)
        #expect(recombiner.start(Self.bytes.prefix(20)) == .incomplete)
        #expect(recombiner.start(Self.bytes.prefix(30)) == .incomplete)
        #expect(recombiner.proceed(with: Self.bytes.dropFirst(30)) == .frame(Self.frame))
        #expect(recombiner.lossCount == 2)
    }

    @Test("A frame with more bytes than announced is discarded")
    mutating func discardsOverrun() {
        #expect(recombiner.start((Self.bytes + [0])[...]) == .discarded(.overrun))
        #expect(recombiner.start(Self.bytes.prefix(53)) == .incomplete)
        #expect(recombiner.proceed(with: [1, 2]) == .discarded(.overrun))
        #expect(recombiner.proceed(with: [3]) == .discarded(.continuationWithoutStart))
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        #expect(recombiner.lossCount == 2)
    }

    @Test("A frame of exactly the limit is accepted")
    mutating func takesLimit() {
        let longest = L2CAPFrame.encode([UInt8](repeating: 1, count: 100), on: .att)
        guard case .frame = recombiner.start(longest[...]) else {
            Issue.record("Not accepted in one fragment")
            return
        }
        #expect(recombiner.start(longest.prefix(27)) == .incomplete)
        guard case .frame = recombiner.proceed(with: longest.dropFirst(27)) else {
            Issue.record("Not accepted in two fragments")
            return
        }
    }

    @Test("A frame that announces too many bytes is skipped, and the next frame is accepted")
    mutating func skipsTooLong() {
        let reason = FrameRecombiner.Verdict.discarded(.tooLong(length: 101))
        let long = L2CAPFrame.encode([UInt8](repeating: 1, count: 101), on: .att)
        #expect(recombiner.start(long[...]) == reason)
        #expect(recombiner.start(long.prefix(2)) == reason)
        #expect(recombiner.proceed(with: long[2..<60]) == reason)
        #expect(recombiner.proceed(with: long[60...]) == reason)
        #expect(recombiner.proceed(with: [1]) == .discarded(.continuationWithoutStart))
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        #expect(recombiner.lossCount == 2)
    }

    @Test("A skipped frame may be overrun or cut short by the next frame")
    mutating func survivesSkipping() {
        let reason = FrameRecombiner.Verdict.discarded(.tooLong(length: 0xFFFF))
        #expect(recombiner.start([0xFF, 0xFF, 4, 0]) == reason)
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        #expect(recombiner.start([0xFF, 0xFF]) == reason)
        let flood = ArraySlice(repeating: UInt8(0), count: 0x10000)
        #expect(recombiner.proceed(with: flood) == reason)
        #expect(recombiner.proceed(with: [0, 0]) == .discarded(.overrun))
        #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
    }

    @Test("A boundary flag that is reserved in LE discards the incomplete frame")
    mutating func refusesReservedBoundary() {
        #expect(recombiner.start(Self.bytes.prefix(20)) == .incomplete)
        let odd = HCI.ACLPacket.fragment(.complete, Self.bytes[...])
        #expect(recombiner.receive(odd) == .discarded(.reservedBoundary))
        #expect(
            recombiner.proceed(with: Self.bytes.dropFirst(20))
                == .discarded(.continuationWithoutStart)
        )
    }

    @Test(
        "Random fragments never trap, and later valid frames are received",
        arguments: RunSeed.seeds(8)
    )
    mutating func survivesHostility(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            let boundaries: [HCI.PacketBoundary] = [
                .firstFlushable, .continuing, .continuing, .firstNonFlushable, .complete,
            ]
            let boundary = boundaries.randomElement(using: &generator) ?? .continuing
            var bytes = generator.bytes(Int.random(in: 0...40, using: &generator))
            if bytes.count > 1 { bytes[1] &= 0x01 }
            if case .frame(let frame) = recombiner.receive(.fragment(boundary, bytes[...])) {
                #expect(frame.payload.count <= 100)
            }
            guard Bool.random(using: &generator) else { continue }
            #expect(recombiner.start(Self.bytes[...]) == .frame(Self.frame))
        }
    }
}
