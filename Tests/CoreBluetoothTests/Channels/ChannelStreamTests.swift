// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import Foundation
import LanyardTestSupport
import ProcessTestSupport
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

private let sendMTU = 64

private func limits() -> ChannelLimits {
    var limits = ChannelLimits(sendMTU: sendMTU)
    limits.receiveMTU = sendMTU
    limits.receiveCapacity = 256
    limits.sendCapacity = 256
    return limits
}

/// Two apps with the streams of one channel. Each uses its streams on its own thread, which
/// runs their run loop.
private final class ConnectedPair: Sendable {
    let wire = Wire()
    let left: StreamApplication
    let right: StreamApplication

    init() throws {
        left = try StreamApplication(wire.pipe(.left, limits: limits()))
        right = try StreamApplication(wire.pipe(.right, limits: limits()))
    }
}

@Suite("The streams of a channel")
struct ChannelStreamTests {
    @Test("15.1.9 The streams are of Foundation's types and are not open at first")
    func beginning() {
        let pipe = Wire().pipe(.left, limits: limits())
        let input: InputStream = ChannelInputStream(pipe)
        let output: OutputStream = ChannelOutputStream(pipe)
        #expect(input.streamStatus == .notOpen)
        #expect(output.streamStatus == .notOpen)
        #expect(!input.hasBytesAvailable)
        #expect(!output.hasSpaceAvailable)
        #expect(input.read() == nil)
        #expect(output.write([1]) == -1)
        #expect(input.streamError == nil)
    }

    @Test("15.1.9 The streams have no properties and provide no buffer")
    func properties() {
        let pipe = Wire().pipe(.left, limits: limits())
        let (input, output) = (ChannelInputStream(pipe), ChannelOutputStream(pipe))
        #expect(input.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!input.setProperty(nil, forKey: .fileCurrentOffsetKey))
        #expect(output.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!output.setProperty(nil, forKey: .fileCurrentOffsetKey))
        var (place, length): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        #expect(!input.getBuffer(&place, length: &length))
    }

    @Test("An output stream that is made for memory discards its bytes")
    func memory() {
        let output = ChannelOutputStream(toMemory: ())
        output.open()
        #expect(output.write([1, 2]) == 2)
        output.close()
        #expect(output.streamStatus == .closed)
    }

    @Test("Without a run loop, a read blocks until bytes arrive")
    func blockedRead() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        async let received = onOwnThread {
            let input = ChannelInputStream(here)
            input.open()
            return input.read()
        }
        let output = ChannelOutputStream(there)
        output.open()
        #expect(output.write(Array("hello".utf8)) == 5)
        #expect(try await received == Array("hello".utf8))
    }

    @Test("A blocked read returns when the channel ends")
    func blockedReadAtEnd() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        async let received = onOwnThread {
            let input = ChannelInputStream(here)
            input.open()
            return (input.read(), input.streamStatus)
        }
        there.release()
        #expect(try await received == ([], .atEnd))
    }

    @Test("A blocked write continues when there is space")
    func blockedWrite() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        let bytes = [UInt8](repeating: 7, count: 10_000)
        async let isWritten = onOwnThread {
            let output = ChannelOutputStream(there)
            output.open()
            return output.writeAll(bytes)
        }
        let received = try await onOwnThread {
            let input = ChannelInputStream(here)
            input.open()
            var received: [UInt8] = []
            while received.count < bytes.count { received += try #require(input.read()) }
            return received
        }
        #expect(try await isWritten)
        #expect(received == bytes)
    }

    @Test("A delegate gets events on the run loop of its streams")
    func runLoop() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        await pair.right.start()
        pair.right.write([1, 2, 3])
        try await pair.left.awaitEvent(.hasBytesAvailable, of: .input)
        #expect(pair.left.eventsOnOtherThreads == 0)
        #expect(pair.left.events(of: .input) == [.openCompleted, .hasBytesAvailable])
        #expect(pair.left.events(of: .output) == [.openCompleted, .hasSpaceAvailable])
    }

    @Test("Available bytes are reported once until they are read")
    func bytesReportedOnce() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        await pair.right.start()
        pair.right.write([1])
        try await pair.left.awaitEvent(.hasBytesAvailable, of: .input)
        pair.right.write([2])
        pair.right.write([3])
        pair.wire.settle()
        await pair.left.idle()
        #expect(pair.left.events(of: .input).count { $0 == .hasBytesAvailable } == 1)
    }

    @Test("A peer stops sending while the app does not read")
    func backPressure() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        await pair.right.start { $0.continuesWriting = true }
        pair.right.write(Array(repeating: 1, count: 100_000))
        await pair.right.full()
        // The number of bytes that are accepted before the peer has to stop: those in the buffers
        // of both sides, and those in transit.
        let most = 256 + 256 + pair.wire.window * sendMTU
        #expect(pair.right.written <= most)
        #expect(pair.wire.total(at: .left).bytes <= 256 + pair.wire.window * sendMTU)
    }

    @Test("An app that reads on events gets all bytes in order")
    func readOnEvents() async throws {
        let pair = try ConnectedPair()
        await pair.left.start { $0.reads = 50 }
        await pair.right.start { $0.continuesWriting = true }
        var random = SplitMix64(seed: 5)
        let bytes = random.bytes(50_000)
        pair.right.write(bytes)
        try await pair.left.received(bytes.count)
        #expect(pair.left.read == bytes)
        #expect(pair.left.eventsOnOtherThreads + pair.right.eventsOnOtherThreads == 0)
    }

    @Test("Both directions transfer bytes at the same time")
    func bothDirections() async throws {
        let pair = try ConnectedPair()
        var random = SplitMix64(seed: 6)
        let (these, those) = (random.bytes(20_000), random.bytes(30_000))
        await pair.left.start { ($0.reads, $0.continuesWriting) = (97, true) }
        await pair.right.start { ($0.reads, $0.continuesWriting) = (31, true) }
        pair.left.write(these)
        pair.right.write(those)
        try await pair.left.received(those.count)
        try await pair.right.received(these.count)
        #expect(pair.left.read == those)
        #expect(pair.right.read == these)
    }

    @Test("A peer that closes the channel ends the input after its bytes and fails the output")
    func peerCloses() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        await pair.right.start()
        pair.right.write([1, 2, 3])
        await pair.right.close()
        try await pair.left.awaitEvent(.errorOccurred, of: .output)
        #expect(pair.left.events(of: .input).last != .endEncountered)
        #expect(pair.left.status(of: .input) == .open)
        await pair.left.takeAll()
        try await pair.left.awaitEvent(.endEncountered, of: .input)
        #expect(pair.left.read == [1, 2, 3])
        #expect(pair.left.status(of: .input) == .atEnd)
        #expect(pair.left.status(of: .output) == .error)
        #expect(pair.left.error(of: .output) == .peripheralDisconnected)
    }

    @Test("A lost link is an error of both streams")
    func lostLink() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        pair.wire.breakDown(.failed(.timedOut))
        try await pair.left.awaitEvent(.errorOccurred, of: .input)
        try await pair.left.awaitEvent(.errorOccurred, of: .output)
        #expect(pair.left.error(of: .input) == .connectionTimeout)
        #expect(pair.left.error(of: .output) == .connectionTimeout)
        #expect(pair.left.events(of: .input).count { $0 == .errorOccurred } == 1)
    }

    @Test("Closing both streams closes the channel after all written bytes were sent")
    func closing() async throws {
        let pair = try ConnectedPair()
        await pair.left.start { $0.reads = 10 }
        await pair.right.start()
        pair.right.write(Array(0..<200))
        await pair.right.close()
        try await pair.left.awaitEvent(.endEncountered, of: .input)
        #expect(pair.left.read == Array(0..<200))
        #expect(await pair.wire.awaitEnd(of: .right) == .closedHere)
        #expect(pair.right.status(of: .input) == .closed)
    }

    @Test("A stream that was removed from its run loop reports no events")
    func removedStream() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        await pair.right.start()
        await pair.left.removeInput()
        pair.right.write([1])
        pair.wire.settle()
        await pair.left.idle()
        #expect(pair.left.events(of: .input) == [.openCompleted])
        await pair.left.scheduleInput()
        try await pair.left.awaitEvent(.hasBytesAvailable, of: .input)
    }

    @Test("A delegate that is set late gets the pending events")
    func lateDelegate() async throws {
        let pair = try ConnectedPair()
        await pair.right.start()
        pair.right.write([1])
        await pair.left.start(withDelegate: false)
        pair.wire.settle()
        await pair.left.idle()
        #expect(pair.left.events(of: .input) == [])
        await pair.left.setDelegate()
        try await pair.left.awaitEvent(.hasBytesAvailable, of: .input)
        #expect(pair.left.events(of: .input) == [.openCompleted, .hasBytesAvailable])
    }

    @Test("Pending events count as outside work until they are delivered")
    func outsideWork() async throws {
        let pair = try ConnectedPair()
        await pair.left.start { $0.reads = 10 }
        await pair.right.start { $0.continuesWriting = true }
        pair.right.write(Array(repeating: 1, count: 2_000))
        try await pair.left.received(2_000)
        await pair.left.close()
        await pair.right.close()
        pair.wire.settle()
        await pair.left.idle()
        await pair.right.idle()
        #expect(pair.wire.outsideWork.withLock { $0 } == 0)
    }

    @Test("Streams are released with their app")
    func release() async throws {
        let pair = try ConnectedPair()
        await pair.left.start()
        weak let input = pair.left.input
        #expect(input != nil)
        await pair.left.releaseStreams()
        await pair.left.idle()
        #expect(input == nil)
    }
}
