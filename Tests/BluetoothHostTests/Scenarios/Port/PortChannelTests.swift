// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Channels with the port")
struct PortChannelTests {
    /// Options with which a channel fills quickly.
    private static let small = L2CAP.ChannelOptions(mtu: 40, mps: 23, window: 4)

    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: 0x0080, small)
        return peer
    }()

    private func withChannel() throws -> (PortHarness, LinkIdentifier, ChannelNumber) {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let opened = Mutex<ChannelNumber?>(nil)
        harness.on { host in
            host.begin(.open(0x0080, .credit, count: 1, Self.small), on: link) { result in
                guard case .success(.channels(let channels)) = result else { return }
                opened.withLock { $0 = channels.first }
            }
        }
        return (harness, link, try #require(opened.withLock { $0 }))
    }

    @Test("A channel opens, carries SDUs in both directions, and closes")
    func life() throws {
        let (harness, link, channel) = try withChannel()
        #expect(try harness.get { $0.description(of: channel)?.sendMTU } == 40)
        #expect(try harness.get { $0.link(of: channel)?.0 } == link)
        harness.on { [journal = harness.journal] host in
            host.begin(.receive(channel), on: link, then: journal.noting("receive"))
            host.begin(.send([1, 2], channel), on: link, then: journal.noting("send"))
            host.begin(.awaitEnd(channel), on: link, then: journal.noting("end"))
        }
        #expect(harness.journal.take() == ["send: done"])
        harness.channels(of: peer.address) { channels in
            let taken = channels.take()
            #expect(taken == [1, 2])
            channels.send([3])
        }
        #expect(harness.journal.take() == ["receive: sdu [3]"])
        harness.on { [journal = harness.journal] host in
            host.begin(.receive(channel), on: link, then: journal.noting("receive"))
            host.begin(.close(channel), on: link, then: journal.noting("close"))
        }
        #expect(harness.journal.take() == ["receive: sdu none", "end: closed", "close: done"])
        #expect(try harness.get { $0.description(of: channel) == nil })
    }

    @Test("Accepting, closing and disconnecting are possible at the limit of requests")
    func limit() throws {
        let (harness, link, channel) = try withChannel()
        let key = try #require(try harness.get { try? $0.openListener(psm: 0x0090) })
        harness.on { [journal = harness.journal] host in
            let read = LinkRequest.gatt(.read(ModelServer.readableHandle))
            for _ in 0..<HostCore.requestLimit { host.begin(read, on: link) { _ in } }
            host.begin(read, on: link, then: journal.noting("read"))
            host.begin(.send([1], channel), on: link, then: journal.noting("send"))
            host.begin(.awaitEnd(channel), on: link, then: journal.noting("end"))
            host.beginAccept(key, then: journal.noting("accept"))
            host.closeListener(key)
            host.begin(.close(channel), on: link, then: journal.noting("close"))
            host.begin(.disconnect, on: link, then: journal.noting("disconnect"))
        }
        let refused = "\(HostError.tooManyRequests)"
        var lines = harness.journal.take()
        #expect(lines.removeLast().hasPrefix("disconnected: "))
        #expect(
            lines.sorted() == [
                "accept: 0 channels", "close: done", "disconnect: done", "end: closed",
                "read: \(refused)", "send: \(refused)",
            ]
        )
    }
}
