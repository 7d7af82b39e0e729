// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Synchronization
import Testing

@testable import CoreBluetooth

private let sendMTU = 64

private func limits() -> ChannelLimits {
    var limits = ChannelLimits(sendMTU: sendMTU)
    limits.receiveMTU = sendMTU
    limits.receiveCapacity = 256
    limits.sendCapacity = 256
    return limits
}

/// Two applications with the streams of one channel. Each uses its streams on its own thread, which
/// runs their run loop.
private final class Call: Sendable {
    let wire = Wire()
    let left: Party
    let right: Party

    init() throws {
        left = try Party(wire.pipe(.left, limits: limits()))
        right = try Party(wire.pipe(.right, limits: limits()))
    }
}

@Suite struct ChannelStreamTests {
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

    @Test func aStreamToMemoryOfThisClassIsToNowhere() {
        let output = ChannelOutputStream(toMemory: ())
        output.open()
        #expect(output.write([1, 2]) == 2)
        output.close()
        #expect(output.streamStatus == .closed)
    }

    @Test func withoutARunLoopReadingWaits() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        let received = Task.detached {
            let input = ChannelInputStream(here)
            input.open()
            return input.read()
        }
        let output = ChannelOutputStream(there)
        output.open()
        #expect(output.write(Array("hello".utf8)) == 5)
        #expect(await received.value == Array("hello".utf8))
    }

    @Test func aReaderThatWaitsGoesOnAtTheEnd() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        let received = Task.detached {
            let input = ChannelInputStream(here)
            input.open()
            return (input.read(), input.streamStatus)
        }
        there.release()
        #expect(await received.value == ([], .atEnd))
    }

    @Test func aWriterThatWaitsGoesOnWhenThereIsRoom() async throws {
        let wire = Wire()
        let (here, there) = (
            wire.pipe(.left, limits: limits()), wire.pipe(.right, limits: limits())
        )
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let written = Task.detached {
            let output = ChannelOutputStream(there)
            output.open()
            return output.writeAll(bytes)
        }
        let input = ChannelInputStream(here)
        input.open()
        var received: [UInt8] = []
        while received.count < bytes.count { received += try #require(input.read()) }
        #expect(await written.value)
        #expect(received == bytes)
    }

    @Test func delegatesAreToldOnTheRunLoopTheyChose() async throws {
        let call = try Call()
        await call.left.start()
        await call.right.start()
        call.right.write([1, 2, 3])
        try await call.left.heard(.hasBytesAvailable, of: .input)
        #expect(call.left.heardElsewhere == 0)
        #expect(call.left.events(of: .input) == [.openCompleted, .hasBytesAvailable])
        #expect(call.left.events(of: .output) == [.openCompleted, .hasSpaceAvailable])
    }

    @Test func bytesAreToldOnceUntilTheyAreRead() async throws {
        let call = try Call()
        await call.left.start()
        await call.right.start()
        call.right.write([1])
        try await call.left.heard(.hasBytesAvailable, of: .input)
        call.right.write([2])
        call.right.write([3])
        call.wire.settle()
        await call.left.idle()
        #expect(call.left.events(of: .input).count { $0 == .hasBytesAvailable } == 1)
    }

    @Test func aReaderThatStopsStopsItsPeer() async throws {
        let call = try Call()
        await call.left.start()
        await call.right.start { $0.pours = true }
        call.right.write(Array(repeating: 1, count: 100_000))
        await call.right.full()
        // The buffers of both sides and the bytes in transit, and no byte more.
        let most = 256 + 256 + call.wire.window * sendMTU
        #expect(call.right.written <= most)
        #expect(call.wire.total(at: .left).bytes <= 256 + call.wire.window * sendMTU)
    }

    @Test func everythingArrivesInOrderAtAReaderWhoIsTold() async throws {
        let call = try Call()
        await call.left.start { $0.reads = 50 }
        await call.right.start { $0.pours = true }
        var random = SplitMix64(seed: 5)
        let bytes = random.bytes(50_000)
        call.right.write(bytes)
        try await call.left.received(bytes.count)
        #expect(call.left.read == bytes)
        #expect(call.left.heardElsewhere + call.right.heardElsewhere == 0)
    }

    @Test func bothDirectionsGoAtOnce() async throws {
        let call = try Call()
        var random = SplitMix64(seed: 6)
        let (these, those) = (random.bytes(20_000), random.bytes(30_000))
        await call.left.start { ($0.reads, $0.pours) = (97, true) }
        await call.right.start { ($0.reads, $0.pours) = (31, true) }
        call.left.write(these)
        call.right.write(those)
        try await call.left.received(those.count)
        try await call.right.received(these.count)
        #expect(call.left.read == those)
        #expect(call.right.read == these)
    }

    @Test func aPeerThatClosesEndsTheInputAfterItsBytesAndFailsTheOutput() async throws {
        let call = try Call()
        await call.left.start()
        await call.right.start()
        call.right.write([1, 2, 3])
        await call.right.close()
        try await call.left.heard(.errorOccurred, of: .output)
        #expect(call.left.events(of: .input).last != .endEncountered)
        #expect(call.left.status(of: .input) == .open)
        await call.left.takeAll()
        try await call.left.heard(.endEncountered, of: .input)
        #expect(call.left.read == [1, 2, 3])
        #expect(call.left.status(of: .input) == .atEnd)
        #expect(call.left.status(of: .output) == .error)
        #expect(call.left.error(of: .output) == .peripheralDisconnected)
    }

    @Test func aLostLinkIsAnErrorOfBoth() async throws {
        let call = try Call()
        await call.left.start()
        call.wire.breakDown(.failed(.connectionTimeout))
        try await call.left.heard(.errorOccurred, of: .input)
        try await call.left.heard(.errorOccurred, of: .output)
        #expect(call.left.error(of: .input) == .connectionTimeout)
        #expect(call.left.error(of: .output) == .connectionTimeout)
        #expect(call.left.events(of: .input).count { $0 == .errorOccurred } == 1)
    }

    @Test func closingBothStreamsClosesTheChannelAfterWhatWasWritten() async throws {
        let call = try Call()
        await call.left.start { $0.reads = 10 }
        await call.right.start()
        call.right.write(Array(0..<200))
        await call.right.close()
        try await call.left.heard(.endEncountered, of: .input)
        #expect(call.left.read == Array(0..<200))
        #expect(await call.wire.awaitEnd(of: .right) == .closedHere)
        #expect(call.right.status(of: .input) == .closed)
    }

    @Test func aStreamThatWasRemovedTellsNothing() async throws {
        let call = try Call()
        await call.left.start()
        await call.right.start()
        await call.left.removeInput()
        call.right.write([1])
        call.wire.settle()
        await call.left.idle()
        #expect(call.left.events(of: .input) == [.openCompleted])
        await call.left.scheduleInput()
        try await call.left.heard(.hasBytesAvailable, of: .input)
    }

    @Test func aDelegateThatComesLateIsToldWhatIsDue() async throws {
        let call = try Call()
        await call.right.start()
        call.right.write([1])
        await call.left.start(withDelegate: false)
        call.wire.settle()
        await call.left.idle()
        #expect(call.left.events(of: .input) == [])
        await call.left.setDelegate()
        try await call.left.heard(.hasBytesAvailable, of: .input)
        #expect(call.left.events(of: .input) == [.openCompleted, .hasBytesAvailable])
    }

    @Test func whatRunLoopsHaveToTellIsOutsideWorkUntilItIsTold() async throws {
        let call = try Call()
        await call.left.start { $0.reads = 10 }
        await call.right.start { $0.pours = true }
        call.right.write(Array(repeating: 1, count: 2_000))
        try await call.left.received(2_000)
        await call.left.close()
        await call.right.close()
        call.wire.settle()
        await call.left.idle()
        await call.right.idle()
        #expect(call.wire.outsideWork.withLock { $0 } == 0)
    }

    @Test func streamsAreLetGoOfWithTheirApplication() async throws {
        let call = try Call()
        await call.left.start()
        weak let input = call.left.input
        #expect(input != nil)
        await call.left.letGo()
        await call.left.idle()
        #expect(input == nil)
    }
}
