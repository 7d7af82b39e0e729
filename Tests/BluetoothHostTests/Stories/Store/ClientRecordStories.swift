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

@Suite("Records that clients cause")
struct ClientRecordStories {
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = Bonded.key
        return peer
    }()

    private var key: StoreKey { RecordName.client(peer.address).key }

    private func bench(
        _ store: [StoreKey: [UInt8]] = [:]
    ) throws -> (Bench, LinkIdentifier, GATT.PublishedService) {
        let bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        var bench = Bench.ready(peers: [peer]) {
            $0.bonds = [bond]
            $0.store = MemoryStore()
        }
        bench.store = store
        let service = try bench.publish(Clinic.definition)
        let link = try encrypt(&bench)
        return (bench, link, service)
    }

    private func encrypt(_ bench: inout Bench) throws -> LinkIdentifier {
        let link = try bench.connect(peer.address)
        #expect(bench.core.security(of: link)?.isEncrypted == true)
        return link
    }

    private func stored(_ bench: Bench) throws -> ClientRecord {
        try ClientRecord(parsing: try #require(bench.store[key]), peer: peer.address)
    }

    @Test("A subscription is stored before the client gets the response")
    func order() throws {
        var (bench, _, service) = try bench()
        let request = ATT.PDU.writeRequest(
            .init(handle: try service.configuration(0), value: [1, 0][...])
        )
        bench.controller.sendPDU(request, from: peer.address)
        while let packet = bench.controller.nextPacket() { bench.core.receive(packet[...]) }
        while bench.core.receiveNextPacket(now: bench.now) {}
        var actions: [HostAction] = []
        bench.core.takeActions(into: &actions)
        let save = actions.firstIndex { if case .save = $0 { true } else { false } }
        let answer = actions.firstIndex { if case .transmit = $0 { true } else { false } }
        #expect(try #require(save) < #require(answer))
    }

    @Test("Endless changes of a subscription cause a limited number of writes")
    func toggling() throws {
        var (bench, _, service) = try bench()
        let configuration = try service.configuration(0)
        for round in 0..<201 {
            let value: [UInt8] = round.isMultiple(of: 2) ? [1, 0] : [0, 0]
            #expect(bench.write(value, to: configuration, by: peer.address) == [.writeResponse])
        }
        let saves = bench.saves.filter { $0 == key }.count
        #expect(saves == SaveSchedule.burstLimit)
        bench.advance(by: SaveSchedule.interval)
        #expect(try stored(bench).configurations.count == 1, "the latest state is saved in time")
        #expect(bench.saves.filter { $0 == key }.count == saves + 1)
    }

    @Test("Waiting changes are saved at the shutdown, and not when the client reconnects")
    func shutdown() throws {
        var (bench, _, service) = try bench()
        let configuration = try service.configuration(0)
        for _ in 0..<20 {
            _ = bench.write([1, 0], to: configuration, by: peer.address)
            _ = bench.write([0, 0], to: configuration, by: peer.address)
            _ = bench.write([1, 0], to: configuration, by: peer.address)
            bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            bench.drive()
            _ = try encrypt(&bench)
        }
        #expect(bench.saves.filter { $0 == key }.count == SaveSchedule.burstLimit)
        _ = bench.write([0, 0], to: configuration, by: peer.address)
        _ = bench.write([2, 0], to: try service.configuration(2), by: peer.address)
        bench.core.shutDown(now: bench.now)
        bench.advance(by: .seconds(2))
        #expect(bench.core.state == .closed)
        #expect(try stored(bench).configurations.keys.map { $0 } == [try service.configuration(2)])
    }

    @Test("An invalid record is set aside, and a newer one only when it is replaced")
    func damage() throws {
        let torn: [UInt8] = Array(ClientRecord().encode(for: peer.address).dropLast(2))
        let (bench, _, _) = try bench([key: torn])
        #expect(bench.setAside == [key])
        var later = Array(ClientRecord().encode(for: peer.address).dropLast(4))
        later[5] = 7
        var writer = ByteWriter()
        writer.write(contentsOf: later)
        writer.write(CRC32.checksum(of: later))
        let (other, _, _) = try self.bench([key: writer.bytes])
        guard case .leftAlone? = other.securityEvents.first else {
            return #expect(Bool(false), "\(other.securityEvents)")
        }
        #expect(other.setAside == [key], "what is to be kept now makes room for itself")
        #expect(try stored(other).knownHash != nil)
    }

    @Test("The order of use is stored rarely")
    func meetings() throws {
        var bench = Bench.ready(peers: [peer]) { $0.store = MemoryStore() }
        bench.core.keepBond(
            Bond(peer: peer.address, longTermKey: try #require(Bonded.key)),
            now: bench.now
        )
        bench.core.keepBond(SampleBonds.bond(5), now: bench.now)
        _ = try encrypt(&bench)
        #expect(bench.core.bonds.map(\.peer) == [SampleBonds.peer(5), peer.address])
        let bytes = try #require(bench.store[RecordName.order.key])
        #expect(try MeetingOrder(parsing: bytes).peers == bench.core.bonds.map(\.peer))
        for _ in 0..<5 {
            bench.core.context.markBondUsed(by: SampleBonds.peer(5))
            bench.core.context.markBondUsed(by: peer.address)
            bench.advance(by: .seconds(1))
        }
        #expect(bench.saves.filter { $0 == RecordName.order.key }.count == 1)
        bench.advance(by: SaveSchedule.orderInterval)
        #expect(bench.saves.filter { $0 == RecordName.order.key }.count == 2)
    }
}
