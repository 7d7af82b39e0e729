// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Records of clients")
struct ClientRecordTests {
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = Bonded.key
        return peer
    }()

    private var key: StoreKey { RecordName.client(peer.address).key }

    private func harness(
        _ store: [StoreKey: [UInt8]] = [:]
    ) throws -> (Harness, LinkIdentifier, GATT.DiscoveredService) {
        let bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        var harness = Harness.ready(peers: [peer]) {
            $0.bonds = [bond]
            $0.store = MemoryStore()
        }
        harness.store = store
        let service = try harness.publish(TestService.definition)
        let link = try encrypt(&harness)
        return (harness, link, service)
    }

    private func encrypt(_ harness: inout Harness) throws -> LinkIdentifier {
        let link = try harness.connect(peer.address)
        #expect(harness.core.security(of: link)?.isEncrypted == true)
        return link
    }

    private func stored(_ harness: Harness) throws -> ClientRecord {
        try ClientRecord(parsing: try #require(harness.store[key]), peer: peer.address)
    }

    @Test("A subscription is stored before the client gets the response")
    func order() throws {
        var (harness, _, service) = try harness()
        let request = ATT.PDU.writeRequest(
            .init(handle: try service.configuration(0), value: [1, 0][...])
        )
        harness.controller.sendPDU(request, from: peer.address)
        while let packet = harness.controller.nextPacket() { harness.core.receive(packet[...]) }
        while harness.core.receiveNextPacket(now: harness.now) {}
        var actions: [HostAction] = []
        harness.core.takeActions(into: &actions)
        let save = actions.firstIndex { if case .save = $0 { true } else { false } }
        let answer = actions.firstIndex { if case .transmit = $0 { true } else { false } }
        #expect(try #require(save) < #require(answer))
    }

    @Test("Endless changes of a subscription cause a limited number of writes")
    func toggling() throws {
        var (harness, _, service) = try harness()
        let configuration = try service.configuration(0)
        for round in 0..<201 {
            let value: [UInt8] = round.isMultiple(of: 2) ? [1, 0] : [0, 0]
            #expect(harness.write(value, to: configuration, by: peer.address) == [.writeResponse])
        }
        let saves = harness.saves.filter { $0 == key }.count
        #expect(saves == SaveSchedule.burstLimit)
        harness.advance(by: SaveSchedule.interval)
        #expect(try stored(harness).configurations.count == 1, "The host saves the latest state")
        #expect(harness.saves.filter { $0 == key }.count == saves + 1)
    }

    @Test("Waiting changes are saved at the shutdown, and not when the client reconnects")
    func shutdown() throws {
        var (harness, _, service) = try harness()
        let configuration = try service.configuration(0)
        for _ in 0..<20 {
            _ = harness.write([1, 0], to: configuration, by: peer.address)
            _ = harness.write([0, 0], to: configuration, by: peer.address)
            _ = harness.write([1, 0], to: configuration, by: peer.address)
            harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            harness.drive()
            _ = try encrypt(&harness)
        }
        #expect(harness.saves.filter { $0 == key }.count == SaveSchedule.burstLimit)
        _ = harness.write([0, 0], to: configuration, by: peer.address)
        _ = harness.write([2, 0], to: try service.configuration(2), by: peer.address)
        harness.core.shutDown(now: harness.now)
        harness.advance(by: .seconds(2))
        #expect(harness.core.state == .closed)
        #expect(
            try stored(harness).configurations.keys.map { $0 } == [try service.configuration(2)]
        )
    }

    @Test("A damaged record is set aside, and a record of a later version only if it is replaced")
    func damage() throws {
        let torn: [UInt8] = Array(ClientRecord().encode(for: peer.address).dropLast(2))
        let (harness, _, _) = try harness([key: torn])
        #expect(harness.setAside == [key])
        var later = Array(ClientRecord().encode(for: peer.address).dropLast(4))
        later[5] = 7
        var writer = ByteWriter()
        writer.write(contentsOf: later)
        writer.write(CRC32.checksum(of: later))
        let (other, _, _) = try self.harness([key: writer.bytes])
        guard case .leftAlone? = other.securityEvents.first else {
            return #expect(Bool(false), "\(other.securityEvents)")
        }
        #expect(other.setAside == [key], "The host sets the replaced record aside")
        #expect(try stored(other).knownHash != nil)
    }

    @Test("The order in which bonds were used is stored once in ten minutes")
    func orderOfUse() throws {
        var harness = Harness.ready(peers: [peer]) { $0.store = MemoryStore() }
        harness.core.keepBond(
            Bond(peer: peer.address, longTermKey: try #require(Bonded.key)),
            now: harness.now
        )
        harness.core.keepBond(SampleBonds.bond(5), now: harness.now)
        _ = try encrypt(&harness)
        #expect(harness.core.bonds.map(\.peer) == [SampleBonds.peer(5), peer.address])
        let bytes = try #require(harness.store[RecordName.order.key])
        #expect(try BondOrder(parsing: bytes).peers == harness.core.bonds.map(\.peer))
        for _ in 0..<5 {
            harness.core.context.markBondUsed(by: SampleBonds.peer(5))
            harness.core.context.markBondUsed(by: peer.address)
            harness.advance(by: .seconds(1))
        }
        #expect(harness.saves.filter { $0 == RecordName.order.key }.count == 1)
        harness.advance(by: SaveSchedule.orderInterval)
        #expect(harness.saves.filter { $0 == RecordName.order.key }.count == 2)
    }
}
