// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Records of intents")
struct RecordTests {
    @Test("The intents of a central manager have this encoding")
    func centralVector() throws {
        let bytes = RestorationRecord.encode(RecordSamples.smallCentral, of: "app")
        #expect(bytes.hexadecimal == RecordSamples.smallCentralBytes)
        let intents: CentralIntents = try RestorationRecord.decode(bytes, of: "app")
        #expect(intents == RecordSamples.smallCentral)
    }

    @Test("The intents of a peripheral manager have this encoding")
    func peripheralVector() throws {
        let bytes = RestorationRecord.encode(RecordSamples.smallPeripheral, of: "app")
        #expect(bytes.hexadecimal == RecordSamples.smallPeripheralBytes)
        let intents: PeripheralManagerIntents = try RestorationRecord.decode(bytes, of: "app")
        #expect(intents == RecordSamples.smallPeripheral)
    }

    @Test("Encoded intents are decoded unchanged")
    func roundTrip() throws {
        let central = RestorationRecord.encode(RecordSamples.central, of: "gateway")
        #expect(try RestorationRecord.decode(central, of: "gateway") == RecordSamples.central)
        let peripheral = RestorationRecord.encode(RecordSamples.peripheral, of: "")
        #expect(try RestorationRecord.decode(peripheral, of: "") == RecordSamples.peripheral)
        var names = PeerNames()
        _ = names.learn("Körbchen", of: RecordSamples.peer(1))
        #expect(
            try RestorationRecord.decode(RestorationRecord.encode(names, of: "n"), of: "n") == names
        )
        var index = RestorationIndex()
        _ = index.use("restore-central-1")
        #expect(
            try RestorationRecord.decode(RestorationRecord.encode(index, of: "i"), of: "i") == index
        )
    }

    @Test("Of too many names, those used last are kept")
    func names() {
        var names = PeerNames()
        let peers = Array(0..<PeerNames.limit) + [0, 0, PeerNames.limit]
        let news = peers.map { names.learn("Strap", of: Self.peer($0)) }
        #expect(news.suffix(3) == [true, false, true])
        #expect(names.entries.count == PeerNames.limit)
        #expect(names.entries.contains { $0.peer == Self.peer(0) })
        #expect(!names.entries.contains { $0.peer == Self.peer(1) })
    }

    private static func peer(_ number: Int) -> PeerIdentifier {
        PeerIdentifier(
            bytes: Array(repeating: 0, count: 14) + [UInt8(number / 256), UInt8(number % 256)]
        )
    }

    @Test("A record that is truncated at any place is refused")
    func truncation() {
        let central = RestorationRecord.encode(RecordSamples.central, of: "gateway")
        for count in central.indices {
            #expect(!Self.isRead(central.prefix(count), as: CentralIntents.self))
        }
        let peripheral = RestorationRecord.encode(RecordSamples.peripheral, of: "gateway")
        for count in peripheral.indices {
            #expect(!Self.isRead(peripheral.prefix(count), as: PeripheralManagerIntents.self))
        }
    }

    @Test("A record with trailing bytes is refused")
    func trailing() {
        let bytes = RestorationRecord.encode(RecordSamples.central, of: "gateway") + [0]
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            let _: CentralIntents = try RestorationRecord.decode(bytes, of: "gateway")
        }
    }

    @Test("A record of another manager or another version is refused")
    func foreign() {
        var bytes = RestorationRecord.encode(RecordSamples.central, of: "gateway")
        #expect(throws: MalformedBytes.invalid(field: "identifier")) {
            let _: CentralIntents = try RestorationRecord.decode(bytes, of: "other")
        }
        bytes[0] = 2
        #expect(throws: MalformedBytes.invalid(field: "version")) {
            let _: CentralIntents = try RestorationRecord.decode(bytes, of: "gateway")
        }
    }

    @Test(
        "Decoding altered records ends, and decoded intents have the same encoding",
        arguments: RunSeed.seeds(1)
    )
    func garbage(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = [
            RestorationRecord.encode(RecordSamples.central, of: "gateway"),
            RestorationRecord.encode(RecordSamples.peripheral, of: "gateway"),
        ]
        for round in 0..<20_000 {
            var bytes = samples[round % 2]
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: .min ... .max,
                    using: &random
                )
            }
            if let read: CentralIntents = try? RestorationRecord.decode(bytes, of: "gateway") {
                #expect(RestorationRecord.encode(read, of: "gateway") == bytes)
            }
            if let read: PeripheralManagerIntents = try? RestorationRecord.decode(
                bytes,
                of: "gateway"
            ) {
                #expect(RestorationRecord.encode(read, of: "gateway") == bytes)
                for service in read.services where service.includes.isEmpty {
                    _ = service.makeService(included: [:])
                }
            }
        }
    }

    @Test("The latest peers are stored, up to the limit")
    func peerLimit() throws {
        var intents = CentralIntents()
        intents.peers = (0..<100).map { CentralIntents.Peer(identifier: RecordSamples.peer($0)) }
        let read: CentralIntents = try RestorationRecord.decode(
            RestorationRecord.encode(intents, of: "x"),
            of: "x"
        )
        #expect(read.peers == intents.peers.suffix(CentralIntents.peerLimit))
    }

    private static func isRead<Intents: Recordable>(
        _ bytes: ArraySlice<UInt8>,
        as type: Intents.Type
    ) -> Bool {
        let read: Intents? = try? RestorationRecord.decode(Array(bytes), of: "gateway")
        return read != nil
    }
}
