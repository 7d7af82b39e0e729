// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// A channel, its host, and an application that performs random operations.
private struct RandomChannel {
    var chance: SplitMix64
    var buffers: ChannelBuffers
    /// The SDUs that the host has for the application.
    var arriving: [[UInt8]] = []
    var isReceiveAsked = false
    var sent: [UInt8] = []
    var written: [UInt8] = []
    var came: [UInt8] = []
    var read: [UInt8] = []
    var isOver = false

    init(seed: UInt64) {
        chance = SplitMix64(seed: seed)
        var limits = ChannelLimits(sendMTU: Int.random(in: 1...30, using: &chance))
        limits.receiveMTU = Int.random(in: 1...30, using: &chance)
        limits.receiveCapacity = limits.receiveMTU + Int.random(in: 0...60, using: &chance)
        limits.sendCapacity = Int.random(in: 1...60, using: &chance)
        buffers = ChannelBuffers(limits: limits)
        buffers.open(.input)
        buffers.open(.output)
    }

    mutating func step() {
        switch chance.next() % 5 {
        case 0: write()
        case 1: readSome()
        case 2: arrive()
        case 3: answer()
        default: confirm()
        }
        performOrders()
        check()
    }

    mutating func finish() {
        for _ in 0..<10_000 where !(arriving.isEmpty && read == came && sent == written) {
            readSome()
            answer()
            confirm()
            performOrders()
        }
    }

    private mutating func write() {
        let bytes = chance.bytes(upTo: 50)
        if case .accepted(let count) = buffers.write(bytes) { written += bytes.prefix(count) }
    }

    private mutating func readSome() {
        let limit = Int.random(in: 1...40, using: &chance)
        if case .bytes(let bytes) = buffers.read(upTo: limit) { read += bytes }
    }

    private mutating func arrive() {
        let sdu = Array(chance.bytes(upTo: buffers.limits.receiveMTU))
        arriving.append(sdu)
        came += sdu
    }

    private mutating func answer() {
        guard isReceiveAsked, !arriving.isEmpty else { return }
        isReceiveAsked = false
        buffers.received(arriving.removeFirst())
    }

    private mutating func confirm() {
        buffers.sent()
    }

    private mutating func performOrders() {
        while let order = buffers.nextOrder() {
            switch order {
            case .receive:
                #expect(!isReceiveAsked)
                isReceiveAsked = true
            case .send(let sdu):
                #expect((1...buffers.limits.sendMTU).contains(sdu.count))
                sent += sdu
            case .close: Issue.record("The channel closes without a request")
            }
        }
        #expect(!buffers.isOrderDue)
    }

    private func check() {
        #expect(buffers.input.received.count <= buffers.limits.receiveCapacity)
        #expect(buffers.output.count <= buffers.limits.sendCapacity)
        #expect(buffers.output.inFlight.count <= buffers.limits.sendsInFlightLimit)
        #expect(written.starts(with: sent))
        #expect(came.starts(with: read))
    }
}

@Suite("Random operations on a channel")
struct ChannelBuffersPropertyTests {
    @Test(
        "Random operations lose and change no bytes, and exceed no limit",
        arguments: RunSeed.seeds(50)
    )
    func randomOperations(seed: UInt64) {
        var channel = RandomChannel(seed: seed)
        for _ in 0..<400 { channel.step() }
        channel.finish()
        #expect(channel.read == channel.came)
        #expect(channel.sent == channel.written)
    }

    /// After each event there is nothing to do, or another event follows.
    @Test(
        "An application that acts only on events sends and receives all bytes",
        arguments: RunSeed.seeds(50)
    )
    func eventsOnly(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var limits = ChannelLimits(sendMTU: 5)
        limits.receiveMTU = 5
        limits.receiveCapacity = 10
        limits.sendCapacity = 7
        var buffers = ChannelBuffers(limits: limits)
        buffers.open(.input)
        buffers.open(.output)
        var arriving = (0..<40).map { _ in Array(chance.bytes(upTo: 5)) }
        let came = arriving.flatMap { $0 }
        var rest = Array(0..<200 as Range<UInt8>)
        var (read, sent, isAsked): ([UInt8], [UInt8], Bool) = ([], [], false)

        for _ in 0..<20_000 where read != came || sent.count < 200 {
            while let order = buffers.nextOrder() {
                if case .send(let sdu) = order { sent += sdu } else { isAsked = true }
            }
            if isAsked, !arriving.isEmpty {
                isAsked = false
                buffers.received(arriving.removeFirst())
            }
            if chance.next() % 3 == 0 { buffers.sent() }
            if buffers.nextEvent(of: .input) == .hasBytesAvailable,
                case .bytes(let bytes) = buffers.read(upTo: 3)
            {
                read += bytes
            }
            if buffers.nextEvent(of: .output) == .hasSpaceAvailable,
                case .accepted(let count) = buffers.write(rest.prefix(9))
            {
                rest.removeFirst(count)
            }
        }
        #expect(read == came)
        #expect(sent == Array(0..<200))
    }
}
