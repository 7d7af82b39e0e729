// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Events of an observer")
struct PortOrderTests {
    private let peer = ModelPeer(1)

    @Test("The observer gets each state, up to the end")
    func states() {
        let harness = PortHarness.ready()
        harness.on { host in
            host.core.shutDown(now: host.executor.now)
            host.settle()
        }
        #expect(harness.journal.take() == ["state closed"])
    }

    @Test("The event of an outgoing link precedes its completion")
    func requested() {
        let harness = PortHarness.ready(peers: [peer])
        harness.on { [peer, journal = harness.journal] in
            _ = $0.beginConnecting(to: peer.address, then: journal.noting("connect"))
        }
        #expect(
            harness.journal.take() == [
                "opened \(peer.address) central", "mtu 247", "connect: link",
            ]
        )
    }

    @Test("The event of the end of a link follows the completions on the link")
    func disconnected() throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.act { $0.peers[peer.address]?.isSilent = true }
        harness.on { [journal = harness.journal] host in
            for number in 1...3 {
                let read = LinkRequest.gatt(.read(ModelServer.readableHandle))
                host.begin(read, on: link, then: journal.noting("read \(number)"))
            }
        }
        #expect(harness.journal.take().isEmpty)
        harness.act { $0.dropLink(to: peer.address, .connectionTimeout) }
        let reason = "\(HostError.disconnected(.connectionTimeout))"
        #expect(
            harness.journal.take() == [
                "read 1: \(reason)", "read 2: \(reason)", "read 3: \(reason)",
                "disconnected: \(reason)",
            ]
        )
        harness.on { [journal = harness.journal] host in
            host.begin(.readRSSI, on: link, then: journal.noting("late"))
            host.begin(.disconnect, on: link, then: journal.noting("bye"))
        }
        #expect(harness.journal.take() == ["late: \(reason)", "bye: done"])
    }

    @Test("An incoming link is reported at once, and its MTU after the exchange")
    func incoming() {
        let harness = PortHarness.ready(peers: [peer])
        harness.on { [journal = harness.journal] in
            _ = $0.beginAdvertising(AdvertisingTests.lamp, then: journal.noting("lamp"))
        }
        #expect(harness.journal.take() == ["lamp: advertising"])
        harness.act { $0.acceptConnection(from: peer.address) }
        #expect(harness.journal.take() == ["opened \(peer.address) peripheral"])
        harness.act { $0.sendPDU(.exchangeMTURequest(.init(receiveMTU: 100)), from: peer.address) }
        #expect(harness.journal.take() == ["mtu 100"])
        harness.act { $0.dropLink(to: peer.address, .remoteUserTerminatedConnection) }
        let reason = "\(HostError.disconnected(.remoteUserTerminatedConnection))"
        #expect(harness.journal.take() == ["disconnected: \(reason)"])
    }

    @Test("A link is reported before a notification that precedes the peer's first response")
    func earlyNotification() {
        var peer = peer
        peer.isSilent = true
        let harness = PortHarness.ready(peers: [peer])
        harness.on { [peer, journal = harness.journal] in
            _ = $0.beginConnecting(to: peer.address, then: journal.noting("connect"))
        }
        #expect(harness.journal.take().isEmpty, "A link without a response is not reported")
        harness.act { $0.notify([7], from: peer.address) }
        #expect(
            harness.journal.take() == ["opened \(peer.address) central", "notified 3 [7]"]
        )
        harness.act { $0.dropLink(to: peer.address, .remoteUserTerminatedConnection) }
        let lines = harness.journal.take()
        #expect(lines.count == 2 && lines[0].hasPrefix("disconnected: "), "\(lines)")
        #expect(lines.last?.hasPrefix("connect: ") == true)
    }

    @Test("A link that was never reported causes no events")
    func unreportedLink() {
        var peer = peer
        peer.presence = .neverEstablished
        let harness = PortHarness.ready(peers: [peer])
        harness.on { [peer, journal = harness.journal] in
            _ = $0.beginConnecting(to: peer.address, then: journal.noting("connect"))
        }
        harness.executor.advance(by: .seconds(20))
        let lines = harness.journal.take()
        #expect(lines.count == 1 && lines[0].hasPrefix("connect: "), "\(lines)")
    }

    @Test("The observer gets every value even without a stream, and indications are confirmed")
    func values() throws {
        let harness = PortHarness.ready(peers: [peer])
        _ = try harness.connect(peer.address)
        let indication = ATT.HandleValueIndication(handle: AttributeHandle(9), value: [4, 2])
        harness.act { controller in
            controller.notify([1], from: peer.address)
            controller.sendPDU(.handleValueIndication(indication), from: peer.address)
            controller.notify([], from: peer.address)
        }
        #expect(harness.journal.take() == ["notified 3 [1]", "notified 9 [4, 2]", "notified 3 []"])
        let received = harness.transport.controller.peers[peer.address]?.server.received ?? []
        #expect(received.last == .handleValueConfirmation)
    }

    @Test("A late observer gets the existing links and their MTUs")
    func late() throws {
        let harness = PortHarness.ready(peers: [peer, ModelPeer(2)])
        _ = try harness.connect(peer.address)
        _ = try harness.connect(ModelPeer(2).address)
        let other = PortJournal()
        harness.on { $0.attach(other) }
        #expect(
            other.take() == [
                "state ready", "opened \(peer.address) central", "mtu 247",
                "opened \(ModelPeer(2).address) central", "mtu 247",
            ]
        )
        harness.act { $0.notify([1], from: peer.address) }
        #expect(other.take() == ["notified 3 [1]"])
        #expect(harness.journal.take().isEmpty, "A replaced observer gets no events")
    }

    @Test("The host does not retain its observer, and continues after the observer is released")
    func gone() throws {
        let harness = PortHarness.ready(peers: [peer])
        _ = try harness.connect(peer.address)
        var other: PortJournal? = PortJournal()
        harness.on { [other] in if let other { $0.attach(other) } }
        weak let watched = other
        other = nil
        #expect(watched == nil, "The host does not retain its observer")
        harness.act { $0.notify([1], from: peer.address) }
    }
}
