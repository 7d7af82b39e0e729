// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Channels with the port")
struct PortChannelStories {
    /// Small enough to fill quickly.
    private static let small = L2CAP.ChannelOptions(mtu: 40, mps: 23, window: 4)

    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: 0x0080, small)
        return peer
    }()

    private func withChannel() throws -> (PortBench, LinkIdentifier, ChannelNumber) {
        let bench = PortBench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let opened = Mutex<ChannelNumber?>(nil)
        bench.on { host in
            host.begin(.open(0x0080, .credit, count: 1, Self.small), on: link) { result in
                guard case .success(.channels(let channels)) = result else { return }
                opened.withLock { $0 = channels.first }
            }
        }
        return (bench, link, try #require(opened.withLock { $0 }))
    }

    @Test("A channel opens, carries SDUs in both directions, and closes")
    func life() throws {
        let (bench, link, channel) = try withChannel()
        #expect(try bench.get { $0.description(of: channel)?.sendMTU } == 40)
        #expect(try bench.get { $0.link(of: channel)?.0 } == link)
        bench.on { [journal = bench.journal] host in
            host.begin(.receive(channel), on: link, then: journal.noting("receive"))
            host.begin(.send([1, 2], channel), on: link, then: journal.noting("send"))
            host.begin(.awaitEnd(channel), on: link, then: journal.noting("end"))
        }
        #expect(bench.journal.take() == ["send: done"])
        bench.channels(of: peer.address) { channels in
            let taken = channels.take()
            #expect(taken == [1, 2])
            channels.send([3])
        }
        #expect(bench.journal.take() == ["receive: sdu [3]"])
        bench.on { [journal = bench.journal] host in
            host.begin(.receive(channel), on: link, then: journal.noting("receive"))
            host.begin(.close(channel), on: link, then: journal.noting("close"))
        }
        #expect(bench.journal.take() == ["receive: sdu none", "end: closed", "close: done"])
        #expect(try bench.get { $0.description(of: channel) == nil })
    }

    @Test("An SDU that is present when its request is canceled is delivered")
    func cancelledReceiving() throws {
        let (bench, link, channel) = try withChannel()
        bench.channels(of: peer.address) { $0.send([7]) }
        bench.on { [journal = bench.journal] host in
            let id = host.begin(.receive(channel), on: link, then: journal.noting("first"))
            host.cancel(.receive(channel), id, on: link)
        }
        #expect(bench.journal.take() == ["first: sdu [7]"])
    }

    @Test("An SDU after a canceled request is kept for the next request")
    func abandonedReceiving() throws {
        let (bench, link, channel) = try withChannel()
        bench.on { [journal = bench.journal] host in
            let id = host.begin(.receive(channel), on: link, then: journal.noting("first"))
            host.cancel(.receive(channel), id, on: link)
        }
        bench.channels(of: peer.address) { $0.send([7]) }
        bench.on { [journal = bench.journal] host in
            host.begin(.receive(channel), on: link, then: journal.noting("second"))
        }
        #expect(bench.journal.take() == ["first: cancelled", "second: sdu [7]"])
    }

    @Test("Closing and listening work at the limit of requests")
    func limit() throws {
        let (bench, link, channel) = try withChannel()
        let key = try #require(try bench.get { try? $0.openListener(psm: 0x0090) })
        bench.on { [journal = bench.journal] host in
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
        var lines = bench.journal.take()
        #expect(lines.removeLast().hasPrefix("disconnected: "))
        #expect(
            lines.sorted() == [
                "accept: 0 channels", "close: done", "disconnect: done", "end: closed",
                "read: \(refused)", "send: \(refused)",
            ]
        )
    }
}
