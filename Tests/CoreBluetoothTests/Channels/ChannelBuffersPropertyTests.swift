// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// A channel, its host, and an app that performs random operations.
private struct RandomChannel {
    var generator: SplitMix64
    var buffers: ChannelBuffers
    /// The SDUs that the host has for the app.
    var arriving: [[UInt8]] = []
    var isReceiveRequested = false
    var sent: [UInt8] = []
    var written: [UInt8] = []
    var arrived: [UInt8] = []
    var read: [UInt8] = []
    var isOver = false

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        var limits = ChannelLimits(sendMTU: Int.random(in: 1...30, using: &generator))
        limits.receiveMTU = Int.random(in: 1...30, using: &generator)
        limits.receiveCapacity = limits.receiveMTU + Int.random(in: 0...60, using: &generator)
        limits.sendCapacity = Int.random(in: 1...60, using: &generator)
        buffers = ChannelBuffers(limits: limits)
        buffers.open(.input)
        buffers.open(.output)
    }

    mutating func step() {
        switch generator.next() % 5 {
        case 0: write()
        case 1: readSome()
        case 2: arrive()
        case 3: answer()
        default: confirm()
        }
        performActions()
        check()
    }

    mutating func finish() {
        for _ in 0..<10_000 where !(arriving.isEmpty && read == arrived && sent == written) {
            readSome()
            answer()
            confirm()
            performActions()
        }
    }

    private mutating func write() {
        let bytes = generator.bytes(upTo: 50)
        if case .accepted(let count) = buffers.write(bytes) { written += bytes.prefix(count) }
    }

    private mutating func readSome() {
        let limit = Int.random(in: 1...40, using: &generator)
        if case .bytes(let bytes) = buffers.read(upTo: limit) { read += bytes }
    }

    private mutating func arrive() {
        let sdu = Array(generator.bytes(upTo: buffers.limits.receiveMTU))
        arriving.append(sdu)
        arrived += sdu
    }

    private mutating func answer() {
        guard isReceiveRequested, !arriving.isEmpty else { return }
        isReceiveRequested = false
        buffers.received(arriving.removeFirst())
    }

    private mutating func confirm() {
        buffers.sent()
    }

    private mutating func performActions() {
        while let action = buffers.nextAction() {
            switch action {
            case .receive:
                #expect(!isReceiveRequested)
                isReceiveRequested = true
            case .send(let sdu):
                #expect((1...buffers.limits.sendMTU).contains(sdu.count))
                sent += sdu
            case .close: Issue.record("The channel closes without a request")
            }
        }
        #expect(!buffers.isActionDue)
    }

    private func check() {
        #expect(buffers.input.received.count <= buffers.limits.receiveCapacity)
        #expect(buffers.output.count <= buffers.limits.sendCapacity)
        #expect(buffers.output.inFlight.count <= buffers.limits.sendsInFlightLimit)
        #expect(written.starts(with: sent))
        #expect(arrived.starts(with: read))
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
        #expect(channel.read == channel.arrived)
        #expect(channel.sent == channel.written)
    }

    /// An app that reads and writes only at events must never get stuck: as long as it has more to
    /// read or write, another event must follow.
    @Test(
        "An app that acts only on events sends and receives all bytes",
        arguments: RunSeed.seeds(50)
    )
    func eventsOnly(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var limits = ChannelLimits(sendMTU: 5)
        limits.receiveMTU = 5
        limits.receiveCapacity = 10
        limits.sendCapacity = 7
        var buffers = ChannelBuffers(limits: limits)
        buffers.open(.input)
        buffers.open(.output)
        var arriving = (0..<40).map { _ in Array(generator.bytes(upTo: 5)) }
        let arrived = arriving.flatMap { $0 }
        var rest = Array(0..<200 as Range<UInt8>)
        var (read, sent, isAsked): ([UInt8], [UInt8], Bool) = ([], [], false)

        for _ in 0..<20_000 where read != arrived || sent.count < 200 {
            while let action = buffers.nextAction() {
                if case .send(let sdu) = action { sent += sdu } else { isAsked = true }
            }
            if isAsked, !arriving.isEmpty {
                isAsked = false
                buffers.received(arriving.removeFirst())
            }
            if generator.next() % 3 == 0 { buffers.sent() }
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
        #expect(read == arrived)
        #expect(sent == Array(0..<200))
    }
}
