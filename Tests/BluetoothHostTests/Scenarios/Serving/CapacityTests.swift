// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Capacity for notifications and indications")
struct CapacityTests {
    private let peer: ModelPeer

    init() {
        var peer = ModelPeer(1)
        // The peer refuses the host's MTU exchange, so the MTU is 23 until the peer starts one.
        peer.server.refusesMTU = true
        self.peer = peer
    }

    private func subscribed() throws -> (Harness, LinkIdentifier, GATT.DiscoveredService) {
        var harness = Harness.ready(peers: [peer])
        let service = try harness.publish(TestService.definition)
        let link = try harness.connect(peer.address)
        _ = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        _ = harness.write([2, 0], to: try service.configuration(2), by: peer.address)
        return (harness, link, service)
    }

    @Test("After the response to the client's MTU exchange, a value of 100 bytes is not truncated")
    func exchangedMTU() throws {
        var (harness, link, service) = try subscribed()
        let value = [UInt8](repeating: 7, count: 100)
        _ = harness.notify([(service.value(0), value)], on: link)
        harness.drive()
        _ = harness.exchange(.exchangeMTURequest(.init(receiveMTU: 247)), from: peer.address)
        _ = harness.notify([(service.value(0), value)], on: link)
        harness.drive()
        #expect(harness.values(receivedBy: peer.address) == [Array(value.prefix(20)), value])
    }

    @Test("A refused indication is followed by an event when an indication can be sent")
    func indication() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        var count = 0
        while try harness.core.tryNotify([1], of: service.value(2), on: link, now: harness.now) {
            harness.drive()
            count += 1
        }
        #expect(count == 65, "One value is in transit, and the bearer holds 64")
        _ = harness.read(service.value(0), by: peer.address)
        #expect(readiness(harness) == 0)
        harness.controller.sendPDU(.handleValueConfirmation, from: peer.address)
        harness.drive()
        #expect(readiness(harness) == 1)
    }

    private func readiness(_ harness: Harness) -> Int {
        harness.clientEvents.count { if case .readyToNotify = $0.event { true } else { false } }
    }

    @Test("Waiting values keep their order when some are removed")
    func order() {
        var values = ValueQueue()
        for id in UInt64(0)..<1_000 {
            values.append(.init(pdu: .handleValueConfirmation, kind: .notification, id: id))
        }
        for id in UInt64(0)..<400 {
            #expect(values.first?.id == id)
            values.removeFirst()
        }
        values.remove([400, 402, 999])
        #expect(values.ids == [401] + (403..<999))
        #expect(values.count == 597)
        while !values.isEmpty { values.removeFirst() }
        #expect(values.first == nil)
    }
}
