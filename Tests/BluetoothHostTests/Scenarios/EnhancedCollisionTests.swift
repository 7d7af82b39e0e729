// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// Requests of the host and the peer for enhanced bearers, which collide (Vol 3, Part G, 5.4).
@Suite("Enhanced ATT bearers that both sides request")
struct EnhancedCollisionTests {
    private let peer: ModelPeer

    init() {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: .enhancedATT)
        self.peer = peer
    }

    /// Returns a harness with an encrypted link whose peer has no room for bearers.
    private func connected(asCentral: Bool) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(peers: [peer])
        if asCentral {
            _ = try harness.connect(peer.address)
        } else {
            _ = harness.advertise(AdvertisingTests.lamp)
            harness.drive()
            harness.controller.acceptConnection(from: peer.address)
            harness.drive()
        }
        let link = try #require(harness.core.linkList.first?.identifier)
        harness.core.withLink(link, now: harness.now) { link, _ in
            link.security = LinkSecurity(isEncrypted: true, keySize: 16)
        }
        setFreeChannelCount(0, &harness)
        return (harness, link)
    }

    private func setFreeChannelCount(_ count: Int, _ harness: inout Harness) {
        harness.controller.peers[peer.address]?.channels?.conditions.listeners[.enhancedATT]?
            .freeChannelCount = count
    }

    /// Opens a bearer while the peer requests one too and refuses the host's request.
    private func collide(
        _ harness: inout Harness,
        _ link: LinkIdentifier
    ) -> RequestIdentifier {
        let id = harness.takeRequest()
        harness.core.request(.enhancedBearers(1), of: link, id: id, now: harness.now)
        harness.channels(of: peer.address) { channels in channels.open(.enhancedATT, .enhanced) }
        return id
    }

    @Test("L2CAP/TIM/BV-03-C: The central immediately repeats a request that collided")
    func central() throws {
        var (harness, link) = try connected(asCentral: true)
        let id = collide(&harness, link)
        #expect(harness.isPending(id))
        #expect(harness.core.enhancedBearerCount(of: link) == 1)
        setFreeChannelCount(5, &harness)
        harness.advance(by: .zero)
        #expect(throws: Never.self) { try harness.answer(id) }
        #expect(harness.core.enhancedBearerCount(of: link) == 2)
    }

    @Test("L2CAP/TIM/BV-03-C: After a pause, the peripheral repeats a request that collided")
    func peripheral() throws {
        var (harness, link) = try connected(asCentral: false)
        let id = collide(&harness, link)
        setFreeChannelCount(5, &harness)
        let parameters = try #require(harness.core.look(at: link) { $0.parameters })
        let events = Double(2 * (parameters.peripheralLatency + 1))
        let pause = max(.milliseconds(100), parameters.interval * events)
        harness.advance(by: pause - .microseconds(1))
        #expect(harness.isPending(id))
        #expect(harness.core.enhancedBearerCount(of: link) == 1)
        harness.advance(by: .microseconds(1))
        #expect(throws: Never.self) { try harness.answer(id) }
        #expect(harness.core.enhancedBearerCount(of: link) == 2)
    }

    @Test("A request that is refused again fails", arguments: [true, false])
    func refusedAgain(asCentral: Bool) throws {
        var (harness, link) = try connected(asCentral: asCentral)
        let id = collide(&harness, link)
        #expect(harness.isPending(id))
        harness.advance(by: .seconds(10))
        #expect(harness.failure(id) == .refused(.noResources))
        #expect(harness.core.nextDeadline.map { $0 > harness.now } ?? true)
    }

    @Test("A request that waits for its repetition can be canceled")
    func canceled() throws {
        var (harness, link) = try connected(asCentral: false)
        let id = collide(&harness, link)
        harness.core.cancelRequest(id, of: link, now: harness.now)
        setFreeChannelCount(5, &harness)
        harness.advance(by: .seconds(10))
        #expect(harness.isPending(id))
        #expect(harness.core.enhancedBearerCount(of: link) == 1)
    }

    @Test("A request that waits for its repetition fails when the link ends")
    func linkEnds() throws {
        var (harness, link) = try connected(asCentral: false)
        let id = collide(&harness, link)
        #expect(harness.isPending(id))
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.error(id) == .disconnected(.connectionTimeout))
        #expect(harness.ends[link] != nil)
    }

    @Test("A repeated request fails if the peer has opened all possible bearers in the meantime")
    func noRoom() throws {
        var (harness, link) = try connected(asCentral: false)
        let id = collide(&harness, link)
        harness.channels(of: peer.address) { channels in
            channels.open(.enhancedATT, .enhanced, count: 5)
        }
        setFreeChannelCount(5, &harness)
        harness.advance(by: .seconds(10))
        #expect(harness.failure(id) == .noRoom)
        #expect(harness.core.enhancedBearerCount(of: link) == EnhancedBearers.limit)
    }
}
