// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Connection requests and links")
struct CentralCoreTests {
    private let one = SessionIdentifier(rawValue: 1)
    private let other = SessionIdentifier(rawValue: 2)
    private let peer = CoreWorld.peers[0]
    private let link = LinkIdentifier(rawValue: 1)
    private let first = ConnectionRequestNumber(rawValue: 1)
    private let second = ConnectionRequestNumber(rawValue: 2)
    private let gone = PortError.linkEnded(.timeout)
    private var core = CentralCore()

    @Test("5.1, 5.2 A request goes to the host and is answered when there is a link")
    mutating func connect() {
        #expect(core.connect(one, peer, first, reconnects: false) == [.requestConnection(peer)])
        #expect(core.link(of: one, to: peer) == nil)
        let opened = core.linkOpened(link, to: peer, isIncoming: false)
        #expect(opened == [.connected(one, peer, first)])
        #expect(core.link(of: one, to: peer) == link)
        #expect(core.peer(of: link) == peer)
    }

    @Test("5.10 A deferred request goes to the host when its delay ends")
    mutating func deferred() {
        #expect(core.connect(one, peer, first, reconnects: false, isDeferred: true).isEmpty)
        #expect(core.delayEnded(one, peer, second).isEmpty)
        #expect(core.delayEnded(one, peer, first) == [.requestConnection(peer)])
        #expect(core.delayEnded(one, peer, first).isEmpty)
    }

    @Test("5.10 A deferred request can be canceled, and is answered by a link that the peer makes")
    mutating func deferredMeanwhile() {
        _ = core.connect(one, peer, first, reconnects: false, isDeferred: true)
        #expect(core.cancel(one, peer) == [.disconnected(one, peer, first, .asked)])
        #expect(core.delayEnded(one, peer, first).isEmpty)
        _ = core.connect(one, peer, second, reconnects: false, isDeferred: true)
        let opened = core.linkOpened(link, to: peer, isIncoming: true)
        #expect(opened == [.connected(one, peer, second)])
    }

    @Test("5.10 A new request with a delay cancels the request to the host")
    mutating func deferredLater() {
        _ = core.connect(one, peer, first, reconnects: false)
        let again = core.connect(one, peer, second, reconnects: false, isDeferred: true)
        #expect(again == [.cancelConnectionRequest(peer)])
        #expect(core.delayEnded(one, peer, second) == [.requestConnection(peer)])
    }

    @Test("5.3 The second manager is connected at once")
    mutating func share() {
        connectOne()
        let actions = core.connect(other, peer, second, reconnects: false)
        #expect(actions == [.connected(other, peer, second)])
        #expect(core.users(of: peer) == [one, other])
    }

    @Test("5.4 The link stays for managers that still use it")
    mutating func cancelShared() {
        connectOne()
        _ = core.connect(other, peer, second, reconnects: false)
        #expect(core.cancel(one, peer) == [.disconnected(one, peer, first, .asked)])
        #expect(core.users(of: peer) == [other])
        #expect(core.cancel(other, peer) == [.disconnect(link)])
        let closed = core.linkClosed(link, .linkEnded(.timeout))
        #expect(closed == [.disconnected(other, peer, second, .asked)])
    }

    @Test("5.5 A request that is canceled before there is a link is answered with a disconnection")
    mutating func cancelPending() {
        _ = core.connect(one, peer, first, reconnects: false)
        let actions = core.cancel(one, peer)
        #expect(
            actions == [.disconnected(one, peer, first, .asked), .cancelConnectionRequest(peer)]
        )
        #expect(core.cancel(one, peer).isEmpty)
    }

    @Test("A link whose request was canceled meanwhile is ended")
    mutating func lateLink() {
        _ = core.connect(one, peer, first, reconnects: false)
        _ = core.cancel(one, peer)
        #expect(core.linkOpened(link, to: peer, isIncoming: false) == [.disconnect(link)])
    }

    @Test("A request while the link is ending gets the next link")
    mutating func askAgain() {
        connectOne()
        #expect(core.cancel(one, peer) == [.disconnect(link)])
        #expect(core.connect(one, peer, second, reconnects: false).isEmpty)
        let closed = core.linkClosed(link, .linkEnded(.timeout))
        #expect(closed == [.disconnected(one, peer, first, .asked), .requestConnection(peer)])
        let next = LinkIdentifier(rawValue: 2)
        let opened = core.linkOpened(next, to: peer, isIncoming: false)
        #expect(opened == [.connected(one, peer, second)])
    }

    @Test("5.6 A lost link ends the requests of all its users")
    mutating func lost() {
        connectOne()
        _ = core.connect(other, peer, second, reconnects: false)
        let ending = CentralCore.Ending.lost(gone, isReconnecting: false)
        #expect(
            core.linkClosed(link, gone) == [
                .disconnected(one, peer, first, ending), .disconnected(other, peer, second, ending),
            ]
        )
        #expect(core.peer(of: link) == nil)
        #expect(core.users(of: peer).isEmpty)
    }

    @Test("5.9 A request for an existing link is answered again")
    mutating func connectTwice() {
        connectOne()
        let actions = core.connect(one, peer, second, reconnects: false)
        #expect(actions == [.connected(one, peer, second)])
    }

    @Test("5.1.1 A lost link is requested again for a manager that reconnects")
    mutating func reconnect() {
        _ = core.connect(one, peer, first, reconnects: true)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
        let ending = CentralCore.Ending.lost(gone, isReconnecting: true)
        let closed = core.linkClosed(link, gone)
        #expect(closed == [.disconnected(one, peer, first, ending), .requestConnection(peer)])
    }

    @Test("5.1.1 Without room for another link, reconnecting waits until a link ends")
    mutating func reconnectWithoutRoom() {
        _ = core.connect(one, peer, first, reconnects: true)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
        let neighbor = CoreWorld.peers[1]
        let next = LinkIdentifier(rawValue: 2)
        _ = core.connect(one, neighbor, second, reconnects: false)
        _ = core.linkOpened(next, to: neighbor, isIncoming: false)
        _ = core.linkClosed(link, gone)
        let full = PortError.refused(.limitReached)
        let third = ConnectionRequestNumber(rawValue: 3)
        _ = core.connect(other, peer, third, reconnects: true)
        #expect(core.connectionRequestFailed(peer, full) == [.failed(other, peer, third, full)])
        #expect(
            core.linkClosed(next, gone) == [
                .disconnected(one, neighbor, second, .lost(gone, isReconnecting: false)),
                .requestConnection(peer),
            ]
        )
    }

    @Test("5.1.4 Reconnecting stops if the delegate does not support it")
    mutating func stopReconnecting() {
        _ = core.connect(one, peer, first, reconnects: true)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
        _ = core.linkClosed(link, gone)
        #expect(core.release(one, peer, second).isEmpty)
        #expect(core.release(one, peer, first) == [.cancelConnectionRequest(peer)])
    }

    @Test("5.1.4 A link that is made again before the delegate stops the reconnection is ended")
    mutating func reconnectedEarly() {
        _ = core.connect(one, peer, first, reconnects: true)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
        _ = core.linkClosed(link, gone)
        let next = LinkIdentifier(rawValue: 2)
        _ = core.linkOpened(next, to: peer, isIncoming: false)
        #expect(core.release(one, peer, first) == [.disconnect(next)])
    }

    @Test("3.8 Releasing a peripheral cancels its own request and no later one")
    mutating func release() {
        _ = core.connect(one, peer, second, reconnects: false)
        #expect(core.release(one, peer, first).isEmpty)
        #expect(core.release(one, peer, second) == [.cancelConnectionRequest(peer)])
    }

    @Test("A link that the peer made is used and not ended")
    mutating func incoming() {
        #expect(core.linkOpened(link, to: peer, isIncoming: true).isEmpty)
        let actions = core.connect(one, peer, first, reconnects: false)
        #expect(actions == [.connected(one, peer, first)])
        #expect(core.cancel(one, peer) == [.disconnected(one, peer, first, .asked)])
    }

    @Test("The request to the host is canceled when the peer connects")
    mutating func incomingWhileConnecting() {
        _ = core.connect(one, peer, first, reconnects: false)
        let opened = core.linkOpened(link, to: peer, isIncoming: true)
        #expect(opened == [.cancelConnectionRequest(peer), .connected(one, peer, first)])
    }

    @Test("5.2 A failed request to the host is reported to all managers that waited")
    mutating func failure() {
        _ = core.connect(one, peer, first, reconnects: false)
        _ = core.connect(other, peer, second, reconnects: true)
        #expect(
            core.connectionRequestFailed(peer, .linkEnded(.keyMissing)) == [
                .failed(one, peer, first, .linkEnded(.keyMissing)),
                .failed(other, peer, second, .linkEnded(.keyMissing)),
            ]
        )
        #expect(core.connectionRequestFailed(peer, .linkEnded(.keyMissing)).isEmpty)
    }

    @Test("1.7 When the adapter is lost, no disconnection is reported")
    mutating func powerLost() {
        connectOne()
        #expect(core.powerLost() == [.disconnect(link)])
        #expect(core.linkClosed(link, gone).isEmpty)
    }

    @Test("Closing a manager cancels its requests")
    mutating func close() {
        connectOne()
        #expect(core.close(one) == [.disconnect(link)])
        #expect(core.linkClosed(link, gone).isEmpty)
    }

    @Test("A second link of a peer is kept, and replaces the first link when the first ends")
    mutating func secondLink() {
        _ = core.connect(one, peer, first, reconnects: true)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
        let next = LinkIdentifier(rawValue: 2)
        #expect(core.linkOpened(next, to: peer, isIncoming: true).isEmpty)
        #expect(core.link(of: one, to: peer) == link)
        #expect(core.peer(of: link) == peer)
        #expect(core.peer(of: next) == peer)
        let ending = CentralCore.Ending.lost(gone, isReconnecting: true)
        #expect(
            core.linkClosed(link, gone) == [
                .disconnected(one, peer, first, ending), .connected(one, peer, first),
            ]
        )
        #expect(core.link(of: one, to: peer) == next)
    }

    @Test("A newer link that the peer made replaces one that no manager uses")
    mutating func newerLink() {
        let next = LinkIdentifier(rawValue: 2)
        #expect(core.linkOpened(link, to: peer, isIncoming: true).isEmpty)
        #expect(core.linkOpened(next, to: peer, isIncoming: true).isEmpty)
        #expect(core.link(to: peer) == next)
        #expect(
            core.connect(one, peer, first, reconnects: false) == [.connected(one, peer, first)]
        )
        #expect(core.linkClosed(link, gone).isEmpty)
        #expect(core.link(of: one, to: peer) == next)
    }

    @Test("A second link that this device made is ended, and no second link ends the first")
    mutating func needlessLink() {
        connectOne()
        let next = LinkIdentifier(rawValue: 2)
        #expect(core.linkOpened(next, to: peer, isIncoming: false) == [.disconnect(next)])
        #expect(core.linkClosed(next, gone).isEmpty)
        let third = LinkIdentifier(rawValue: 3)
        #expect(core.linkOpened(third, to: peer, isIncoming: true).isEmpty)
        #expect(core.linkClosed(third, gone).isEmpty)
        #expect(core.link(of: one, to: peer) == link)
    }

    private mutating func connectOne() {
        _ = core.connect(one, peer, first, reconnects: false)
        _ = core.linkOpened(link, to: peer, isIncoming: false)
    }
}
