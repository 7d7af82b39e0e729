// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// Limits that short data reaches: SDUs of 4 bytes in both directions, a buffer of 8 bytes for
/// received data, and one of 12 bytes for data to send.
private let small: ChannelLimits = {
    var limits = ChannelLimits(sendMTU: 4)
    limits.receiveMTU = 4
    limits.receiveCapacity = 8
    limits.sendCapacity = 12
    return limits
}()

private func opened() -> ChannelBuffers {
    var buffers = ChannelBuffers(limits: small)
    buffers.open(.input)
    buffers.open(.output)
    #expect(buffers.nextAction() == .receive)
    #expect(buffers.nextEvent(of: .input) == .openCompleted)
    #expect(buffers.nextEvent(of: .output) == .openCompleted)
    return buffers
}

@Suite("Receiving on a channel")
struct ChannelReceivingTests {
    @Test("The first SDU is requested before the stream is open")
    func requestBeforeOpen() {
        var buffers = ChannelBuffers(limits: small)
        #expect(buffers.isActionDue)
        #expect(buffers.nextAction() == .receive)
        #expect(buffers.nextAction() == nil)
        #expect(!buffers.isActionDue)
    }

    @Test("Bytes that arrive before the stream opens can be read after it opens")
    func bytesBeforeOpen() {
        var buffers = ChannelBuffers(limits: small)
        _ = buffers.nextAction()
        buffers.received([1, 2, 3])
        #expect(buffers.read(upTo: 9) == .refused)
        #expect(buffers.nextEvent(of: .input) == nil)
        buffers.open(.input)
        #expect(buffers.nextEvent(of: .input) == .openCompleted)
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.read(upTo: 9) == .bytes([1, 2, 3]))
    }

    @Test("A read waits until bytes arrive")
    func waiting() {
        var buffers = opened()
        #expect(buffers.read(upTo: 1) == .wait)
        #expect(!buffers.isReadable)
        buffers.received([7])
        #expect(buffers.isReadable)
        #expect(buffers.read(upTo: 1) == .bytes([7]))
        #expect(buffers.read(upTo: 1) == .wait)
    }

    @Test("A read returns bytes of several SDUs")
    func severalSDUs() {
        var buffers = opened()
        buffers.received([1, 2])
        #expect(buffers.nextAction() == .receive)
        buffers.received([3, 4])
        #expect(buffers.read(upTo: 3) == .bytes([1, 2, 3]))
        #expect(buffers.read(upTo: 3) == .bytes([4]))
    }

    @Test("An SDU is requested only if the longest SDU fits into the buffer")
    func requestNeedsSpace() {
        var buffers = opened()
        buffers.received([1, 2, 3, 4])
        #expect(buffers.nextAction() == .receive)
        buffers.received([5])
        #expect(buffers.nextAction() == nil)
        #expect(buffers.read(upTo: 1) == .bytes([1]))
        #expect(buffers.nextAction() == .receive)
        #expect(buffers.nextAction() == nil)
    }

    @Test("An empty SDU causes no event")
    func emptySDU() {
        var buffers = opened()
        buffers.received([])
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.nextAction() == .receive)
    }

    @Test("Available bytes are reported once until they are read")
    func bytesReportedOnce() {
        var buffers = opened()
        buffers.received([1])
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.nextAction() == .receive)
        buffers.received([2])
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 1) == .bytes([1]))
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.read(upTo: 1) == .bytes([2]))
        #expect(buffers.nextEvent(of: .input) == nil)
    }

    @Test("A read that returns no bytes causes no event")
    func readWithoutBytes() {
        var buffers = opened()
        #expect(buffers.read(upTo: 1) == .wait)
        #expect(buffers.nextEvent(of: .input) == nil)
    }

    @Test("The end of the channel is reported after the bytes")
    func endAfterBytes() {
        var buffers = opened()
        buffers.received([1, 2])
        #expect(buffers.nextAction() == .receive)
        buffers.receivingEnded(.closedByPeer)
        #expect(buffers.status(of: .input) == .open)
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 9) == .bytes([1, 2]))
        #expect(buffers.status(of: .input) == .atEnd)
        #expect(buffers.nextEvent(of: .input) == .endEncountered)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 9) == .end)
    }

    @Test("A lost link is reported as an error after the bytes")
    func lostLinkAfterBytes() {
        var buffers = opened()
        buffers.received([1])
        _ = buffers.nextAction()
        buffers.receivingEnded(.failed(.timedOut))
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.status(of: .input) == .failed(.connectionTimeout))
        #expect(buffers.nextEvent(of: .input) == .errorOccurred)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 9) == .refused)
    }

    @Test("Bytes that the host still has are read after the end of the channel")
    func bytesAfterEnd() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        #expect(buffers.status(of: .input) == .open)
        buffers.received([1])
        #expect(buffers.nextAction() == .receive)
        buffers.receivingEnded(.closedByPeer)
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.read(upTo: 9) == .end)
        #expect(buffers.nextAction() == nil)
    }

    @Test("Later reasons for the end of a channel do not replace the first")
    func firstReason() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        buffers.ended(.failed(.timedOut))
        #expect(buffers.status(of: .output) == .failed(.peripheralDisconnected))
        buffers.receivingEnded(.closedByPeer)
        buffers.receivingEnded(.failed(.timedOut))
        #expect(buffers.status(of: .input) == .atEnd)
    }

    @Test("A closed stream receives no bytes")
    func closedStream() {
        var buffers = opened()
        buffers.received([1])
        buffers.close(.input)
        #expect(buffers.read(upTo: 9) == .refused)
        #expect(buffers.status(of: .input) == .closed)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.nextAction() == nil)
        buffers.received([2])
        #expect(!buffers.isReadable)
    }

    @Test("A closed stream cannot be opened again")
    func reopening() {
        var buffers = opened()
        buffers.close(.input)
        buffers.open(.input)
        #expect(buffers.status(of: .input) == .closed)
    }
}

@Suite("Sending on a channel")
struct ChannelSendingTests {
    @Test("A write before the stream opens is refused")
    func writeBeforeOpen() {
        var buffers = ChannelBuffers(limits: small)
        #expect(buffers.write([1]) == .refused)
        #expect(!buffers.isWritable)
        #expect(buffers.status(of: .output) == .notOpen)
    }

    @Test("Written bytes leave at once in one SDU")
    func singleSDU() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3]) == .accepted(3))
        #expect(buffers.isActionDue)
        #expect(buffers.nextAction() == .send([1, 2, 3]))
        #expect(buffers.nextAction() == nil)
    }

    @Test("A long write is split into SDUs of at most the send MTU")
    func splitting() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3, 4, 5, 6, 7, 8, 9]) == .accepted(9))
        #expect(buffers.nextAction() == .send([1, 2, 3, 4]))
        #expect(buffers.nextAction() == .send([5, 6, 7, 8]))
        #expect(buffers.nextAction() == nil)
        buffers.sent()
        #expect(buffers.nextAction() == .send([9]))
    }

    @Test("Bytes that the host has not sent yet use space in the buffer")
    func bytesInFlight() {
        var buffers = opened()
        #expect(buffers.write(Array(0..<20)) == .accepted(12))
        #expect(buffers.freeSpace == 0)
        _ = buffers.nextAction()
        #expect(buffers.freeSpace == 0)
        #expect(buffers.write([1]) == .wait)
        buffers.sent()
        #expect(buffers.freeSpace == 4)
        #expect(buffers.write([1, 2, 3, 4, 5, 6]) == .accepted(4))
    }

    @Test("An empty write is accepted")
    func emptyWrite() {
        var buffers = opened()
        #expect(buffers.write([]) == .accepted(0))
        #expect(buffers.nextAction() == nil)
    }

    @Test("Available space is reported once until the next write")
    func spaceReportedOnce() {
        var buffers = opened()
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([1]) == .accepted(1))
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
    }

    @Test("Space is reported when a full buffer has space again")
    func spaceAfterFull() {
        var buffers = opened()
        _ = buffers.nextEvent(of: .output)
        #expect(buffers.write(Array(0..<12)) == .accepted(12))
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([1]) == .wait)
        #expect(buffers.nextEvent(of: .output) == nil)
        _ = buffers.nextAction()
        buffers.sent()
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
    }

    @Test("The end of the channel is an error for the output stream")
    func endFailsOutput() {
        var buffers = opened()
        #expect(buffers.write([1, 2]) == .accepted(2))
        buffers.ended(.closedByPeer)
        #expect(buffers.status(of: .output) == .failed(.peripheralDisconnected))
        #expect(buffers.nextEvent(of: .output) == .errorOccurred)
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([3]) == .refused)
        #expect(buffers.nextAction() == nil)
    }

    @Test("A confirmation after the end of the channel has no effect")
    func lateConfirmation() {
        var buffers = opened()
        _ = buffers.write([1])
        _ = buffers.nextAction()
        buffers.ended(.failed(.timedOut))
        buffers.sent()
        #expect(buffers.output.isDrained)
    }
}

@Suite("Closing a channel")
struct ChannelClosingTests {
    @Test("Closing one stream leaves the other stream open")
    func oneStream() {
        var buffers = opened()
        buffers.close(.output)
        #expect(buffers.nextAction() == nil)
        buffers.received([1])
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.nextAction() == .receive)
    }

    @Test("Closing both streams closes the channel once")
    func bothStreams() {
        var buffers = opened()
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextAction() == .close)
        #expect(buffers.nextAction() == nil)
        buffers.ended(.closedHere)
        #expect(buffers.nextAction() == nil)
    }

    @Test("Closing streams that were never opened closes the channel")
    func unopenedStreams() {
        var buffers = ChannelBuffers(limits: small)
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextAction() == .close)
    }

    @Test("The channel closes after all written bytes were sent")
    func sendsBeforeClosing() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3, 4, 5]) == .accepted(5))
        buffers.close(.output)
        buffers.close(.input)
        #expect(buffers.write([6]) == .refused)
        #expect(buffers.nextAction() == .send([1, 2, 3, 4]))
        #expect(buffers.nextAction() == .send([5]))
        #expect(buffers.nextAction() == nil)
        buffers.sent()
        #expect(buffers.nextAction() == nil)
        buffers.sent()
        #expect(buffers.nextAction() == .close)
    }

    @Test("A channel that has ended is not closed again")
    func endedChannel() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextAction() == nil)
    }

    @Test("Releasing a channel closes it after all written bytes were sent")
    func release() {
        var buffers = opened()
        #expect(buffers.write([1]) == .accepted(1))
        buffers.release()
        #expect(buffers.nextAction() == .send([1]))
        #expect(buffers.nextAction() == nil)
        buffers.sent()
        #expect(buffers.nextAction() == .close)
    }

    @Test("Streams that outlive their channel return the received bytes and then end")
    func releasedStreams() {
        var buffers = opened()
        buffers.received([1])
        buffers.release()
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.status(of: .input) == .atEnd)
        #expect(buffers.status(of: .output) == .failed(.notConnected))
        #expect(buffers.write([2]) == .refused)
        #expect(buffers.nextEvent(of: .output) == .errorOccurred)
        #expect(buffers.nextEvent(of: .input) == .endEncountered)
    }
}
