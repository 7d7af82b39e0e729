// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreBluetooth

/// Limits that short data reaches: SDUs of 4 bytes in both directions, and buffers of 8 bytes.
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
    #expect(buffers.nextOrder() == .receive)
    #expect(buffers.nextEvent(of: .input) == .openCompleted)
    #expect(buffers.nextEvent(of: .output) == .openCompleted)
    return buffers
}

@Suite struct ChannelReceivingTests {
    @Test func anSDUIsAskedForBeforeTheStreamIsOpen() {
        var buffers = ChannelBuffers(limits: small)
        #expect(buffers.isOrderDue)
        #expect(buffers.nextOrder() == .receive)
        #expect(buffers.nextOrder() == nil)
        #expect(!buffers.isOrderDue)
    }

    @Test func whatCameBeforeTheStreamWasOpenIsThere() {
        var buffers = ChannelBuffers(limits: small)
        _ = buffers.nextOrder()
        buffers.received([1, 2, 3])
        #expect(buffers.read(upTo: 9) == .refused)
        #expect(buffers.nextEvent(of: .input) == nil)
        buffers.open(.input)
        #expect(buffers.nextEvent(of: .input) == .openCompleted)
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.read(upTo: 9) == .bytes([1, 2, 3]))
    }

    @Test func readingWaitsUntilSomethingCame() {
        var buffers = opened()
        #expect(buffers.read(upTo: 1) == .wait)
        #expect(!buffers.isReadable)
        buffers.received([7])
        #expect(buffers.isReadable)
        #expect(buffers.read(upTo: 1) == .bytes([7]))
        #expect(buffers.read(upTo: 1) == .wait)
    }

    @Test func oneReadTakesFromSeveralSDUs() {
        var buffers = opened()
        buffers.received([1, 2])
        #expect(buffers.nextOrder() == .receive)
        buffers.received([3, 4])
        #expect(buffers.read(upTo: 3) == .bytes([1, 2, 3]))
        #expect(buffers.read(upTo: 3) == .bytes([4]))
    }

    @Test func noSDUIsAskedForUntilTheLongestFits() {
        var buffers = opened()
        buffers.received([1, 2, 3, 4])
        #expect(buffers.nextOrder() == .receive)
        buffers.received([5])
        #expect(buffers.nextOrder() == nil)
        #expect(buffers.read(upTo: 1) == .bytes([1]))
        #expect(buffers.nextOrder() == .receive)
        #expect(buffers.nextOrder() == nil)
    }

    @Test func anEmptySDUIsNoNews() {
        var buffers = opened()
        buffers.received([])
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.nextOrder() == .receive)
    }

    @Test func bytesAreToldOnceUntilTheyAreRead() {
        var buffers = opened()
        buffers.received([1])
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.nextOrder() == .receive)
        buffers.received([2])
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 1) == .bytes([1]))
        #expect(buffers.nextEvent(of: .input) == .hasBytesAvailable)
        #expect(buffers.read(upTo: 1) == .bytes([2]))
        #expect(buffers.nextEvent(of: .input) == nil)
    }

    @Test func aReadThatFoundNothingChangesNoEvent() {
        var buffers = opened()
        #expect(buffers.read(upTo: 1) == .wait)
        #expect(buffers.nextEvent(of: .input) == nil)
    }

    @Test func theEndComesAfterTheBytes() {
        var buffers = opened()
        buffers.received([1, 2])
        #expect(buffers.nextOrder() == .receive)
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

    @Test func aLostLinkIsAnErrorAfterTheBytes() {
        var buffers = opened()
        buffers.received([1])
        _ = buffers.nextOrder()
        buffers.receivingEnded(.failed(.connectionTimeout))
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.status(of: .input) == .failed(.connectionTimeout))
        #expect(buffers.nextEvent(of: .input) == .errorOccurred)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.read(upTo: 9) == .refused)
    }

    @Test func whatTheHostStillHasIsReadAfterTheChannelEnded() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        #expect(buffers.status(of: .input) == .open)
        buffers.received([1])
        #expect(buffers.nextOrder() == .receive)
        buffers.receivingEnded(.closedByPeer)
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.read(upTo: 9) == .end)
        #expect(buffers.nextOrder() == nil)
    }

    @Test func theFirstReasonForAnEndStays() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        buffers.ended(.failed(.connectionTimeout))
        #expect(buffers.status(of: .output) == .failed(.peripheralDisconnected))
        buffers.receivingEnded(.closedByPeer)
        buffers.receivingEnded(.failed(.connectionTimeout))
        #expect(buffers.status(of: .input) == .atEnd)
    }

    @Test func aClosedStreamReceivesNothing() {
        var buffers = opened()
        buffers.received([1])
        buffers.close(.input)
        #expect(buffers.read(upTo: 9) == .refused)
        #expect(buffers.status(of: .input) == .closed)
        #expect(buffers.nextEvent(of: .input) == nil)
        #expect(buffers.nextOrder() == nil)
        buffers.received([2])
        #expect(!buffers.isReadable)
    }

    @Test func aClosedStreamCannotBeOpened() {
        var buffers = opened()
        buffers.close(.input)
        buffers.open(.input)
        #expect(buffers.status(of: .input) == .closed)
    }
}

@Suite struct ChannelSendingTests {
    @Test func writingBeforeOpeningIsRefused() {
        var buffers = ChannelBuffers(limits: small)
        #expect(buffers.write([1]) == .refused)
        #expect(!buffers.isWritable)
        #expect(buffers.status(of: .output) == .notOpen)
    }

    @Test func writtenBytesLeaveAtOnceInOneSDU() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3]) == .accepted(3))
        #expect(buffers.isOrderDue)
        #expect(buffers.nextOrder() == .send([1, 2, 3]))
        #expect(buffers.nextOrder() == nil)
    }

    @Test func longWritingIsCutAsLongAsThePeerTakes() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3, 4, 5, 6, 7, 8, 9]) == .accepted(9))
        #expect(buffers.nextOrder() == .send([1, 2, 3, 4]))
        #expect(buffers.nextOrder() == .send([5, 6, 7, 8]))
        #expect(buffers.nextOrder() == nil)
        buffers.sent()
        #expect(buffers.nextOrder() == .send([9]))
    }

    @Test func whatTheHostHasCountsAgainstTheRoom() {
        var buffers = opened()
        #expect(buffers.write(Array(0..<20)) == .accepted(12))
        #expect(buffers.room == 0)
        _ = buffers.nextOrder()
        #expect(buffers.room == 0)
        #expect(buffers.write([1]) == .wait)
        buffers.sent()
        #expect(buffers.room == 4)
        #expect(buffers.write([1, 2, 3, 4, 5, 6]) == .accepted(4))
    }

    @Test func writingNothingIsAccepted() {
        var buffers = opened()
        #expect(buffers.write([]) == .accepted(0))
        #expect(buffers.nextOrder() == nil)
    }

    @Test func spaceIsToldOnceUntilSomethingIsWritten() {
        var buffers = opened()
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([1]) == .accepted(1))
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
    }

    @Test func spaceIsToldWhenThereIsSomeAgain() {
        var buffers = opened()
        _ = buffers.nextEvent(of: .output)
        #expect(buffers.write(Array(0..<12)) == .accepted(12))
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([1]) == .wait)
        #expect(buffers.nextEvent(of: .output) == nil)
        _ = buffers.nextOrder()
        buffers.sent()
        #expect(buffers.nextEvent(of: .output) == .hasSpaceAvailable)
    }

    @Test func anEndIsAnErrorToWhoWrites() {
        var buffers = opened()
        #expect(buffers.write([1, 2]) == .accepted(2))
        buffers.ended(.closedByPeer)
        #expect(buffers.status(of: .output) == .failed(.peripheralDisconnected))
        #expect(buffers.nextEvent(of: .output) == .errorOccurred)
        #expect(buffers.nextEvent(of: .output) == nil)
        #expect(buffers.write([3]) == .refused)
        #expect(buffers.nextOrder() == nil)
    }

    @Test func aLateConfirmationAfterTheEndIsHarmless() {
        var buffers = opened()
        _ = buffers.write([1])
        _ = buffers.nextOrder()
        buffers.ended(.failed(.connectionTimeout))
        buffers.sent()
        #expect(buffers.output.isDrained)
    }
}

@Suite struct ChannelClosingTests {
    @Test func closingOneStreamLeavesTheOther() {
        var buffers = opened()
        buffers.close(.output)
        #expect(buffers.nextOrder() == nil)
        buffers.received([1])
        #expect(buffers.read(upTo: 9) == .bytes([1]))
        #expect(buffers.nextOrder() == .receive)
    }

    @Test func closingBothClosesTheChannelOnce() {
        var buffers = opened()
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextOrder() == .close)
        #expect(buffers.nextOrder() == nil)
        buffers.ended(.closedHere)
        #expect(buffers.nextOrder() == nil)
    }

    @Test func closingStreamsThatNeverWereOpenClosesTheChannel() {
        var buffers = ChannelBuffers(limits: small)
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextOrder() == .close)
    }

    @Test func whatWasWrittenLeavesBeforeTheChannelCloses() {
        var buffers = opened()
        #expect(buffers.write([1, 2, 3, 4, 5]) == .accepted(5))
        buffers.close(.output)
        buffers.close(.input)
        #expect(buffers.write([6]) == .refused)
        #expect(buffers.nextOrder() == .send([1, 2, 3, 4]))
        #expect(buffers.nextOrder() == .send([5]))
        #expect(buffers.nextOrder() == nil)
        buffers.sent()
        #expect(buffers.nextOrder() == nil)
        buffers.sent()
        #expect(buffers.nextOrder() == .close)
    }

    @Test func aChannelThatIsOverIsNotClosed() {
        var buffers = opened()
        buffers.ended(.closedByPeer)
        buffers.close(.input)
        buffers.close(.output)
        #expect(buffers.nextOrder() == nil)
    }

    @Test func lettingGoClosesTheChannelAfterWhatWasWritten() {
        var buffers = opened()
        #expect(buffers.write([1]) == .accepted(1))
        buffers.release()
        #expect(buffers.nextOrder() == .send([1]))
        #expect(buffers.nextOrder() == nil)
        buffers.sent()
        #expect(buffers.nextOrder() == .close)
    }

    @Test func streamsThatOutliveTheirChannelAreAtTheirEnd() {
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
