// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import CoreBluetooth

@Suite("The records of what managers want")
struct RecordTests {
    @Test("What a central manager wants is written octet by octet")
    func centralVector() throws {
        let octets = RestorationRecord.encode(RecordSamples.smallCentral, of: "app")
        #expect(octets.hexadecimal == RecordSamples.smallCentralOctets)
        let intents: CentralIntents = try RestorationRecord.decode(octets, of: "app")
        #expect(intents == RecordSamples.smallCentral)
    }

    @Test("What a peripheral manager wants is written octet by octet")
    func peripheralVector() throws {
        let octets = RestorationRecord.encode(RecordSamples.smallPeripheral, of: "app")
        #expect(octets.hexadecimal == RecordSamples.smallPeripheralOctets)
        let intents: PeripheralManagerIntents = try RestorationRecord.decode(octets, of: "app")
        #expect(intents == RecordSamples.smallPeripheral)
    }

    @Test("What was written is read")
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

    @Test("Of too many names those are remembered that were used last")
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
            octets: Array(repeating: 0, count: 14) + [UInt8(number / 256), UInt8(number % 256)]
        )
    }

    @Test("A record that was cut short is refused wherever it was cut")
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

    @Test("A record with something after it is refused")
    func trailing() {
        let octets = RestorationRecord.encode(RecordSamples.central, of: "gateway") + [0]
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            let _: CentralIntents = try RestorationRecord.decode(octets, of: "gateway")
        }
    }

    @Test("Another manager's record is refused, and one of another version")
    func foreign() {
        var octets = RestorationRecord.encode(RecordSamples.central, of: "gateway")
        #expect(throws: MalformedBytes.invalid(field: "identifier")) {
            let _: CentralIntents = try RestorationRecord.decode(octets, of: "other")
        }
        octets[0] = 2
        #expect(throws: MalformedBytes.invalid(field: "version")) {
            let _: CentralIntents = try RestorationRecord.decode(octets, of: "gateway")
        }
    }

    @Test("Whatever the octets, reading them ends, and what is read is written the same")
    func garbage() throws {
        var random = SplitMix64(seed: 13)
        let samples = [
            RestorationRecord.encode(RecordSamples.central, of: "gateway"),
            RestorationRecord.encode(RecordSamples.peripheral, of: "gateway"),
        ]
        for round in 0..<20_000 {
            var octets = samples[round % 2]
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(
                    in: .min ... .max,
                    using: &random
                )
            }
            if let read: CentralIntents = try? RestorationRecord.decode(octets, of: "gateway") {
                #expect(RestorationRecord.encode(read, of: "gateway") == octets)
            }
            if let read: PeripheralManagerIntents = try? RestorationRecord.decode(
                octets,
                of: "gateway"
            ) {
                #expect(RestorationRecord.encode(read, of: "gateway") == octets)
                for service in read.services where service.includes.isEmpty {
                    _ = service.makeService(included: [:])
                }
            }
        }
    }

    @Test("As many peers as there is room for are remembered, the latest")
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
        _ octets: ArraySlice<UInt8>,
        as type: Intents.Type
    ) -> Bool {
        let read: Intents? = try? RestorationRecord.decode(Array(octets), of: "gateway")
        return read != nil
    }
}
