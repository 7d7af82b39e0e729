// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("The shared state of a radio's links")
struct LinkResourcesTests {
    @Test("A peer is known by each of its addresses until its last link ends")
    func peerAddresses() throws {
        let identity = DeviceAddress(value: 1, kind: .public)
        let first = DeviceAddress(value: 2, kind: .random)
        let second = DeviceAddress(value: 3, kind: .random)
        var resources = LinkResources(ControllerConfiguration())
        let peers = [first, second].map {
            LinkIdentity(peer: identity, isPeerResolved: true, peerPrivateAddress: $0)
        }
        let handles = peers.compactMap { peer in
            resources.open(LinkID(rawValue: 1), .central, to: peer)
        }
        try #require(handles.count == 2)
        #expect([identity, first, second].allSatisfy(resources.hasLink))
        resources.close(handles[0], to: peers[0])
        #expect(resources.hasLink(to: identity) && !resources.hasLink(to: first))
        #expect(resources.hasLink(to: second))
        resources.close(handles[1], to: peers[1])
        #expect(![identity, first, second].contains(where: resources.hasLink))
    }
}
