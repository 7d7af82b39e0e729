// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothPort
import BluetoothTypes
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("Finding a characteristic") struct CharacteristicFinderTests {
    private let finder = CharacteristicOperations(
        accessory: ScriptedAccessory.sample,
        limits: .init()
    )

    @Test(
        "A characteristic is found by UUID, name, service or handle",
        arguments: [
            ("2A00", 3), ("device-name", 3), ("180F/2A19", 7), ("180F/battery-level", 7), ("#7", 7),
            ("#13", 13), ("4C414E59-4152-4400-A000-000000000001", 11),
        ] as [(String, UInt16)]
    )
    func finds(text: String, valueHandle: UInt16) async throws {
        let found = try await finder.find(CharacteristicReference(text))
        #expect(found.valueHandle.rawValue == valueHandle)
    }

    @Test(
        "A missing characteristic is an error",
        arguments: ["2A6E", "#12", "#99"]
    )
    func missesOthers(text: String) async throws {
        let reference = try CharacteristicReference(text)
        await #expect {
            try await finder.find(reference)
        } throws: {
            ($0 as? ProgramFailure)?.status == .notFound
        }
    }

    @Test("If several characteristics match, the error lists their handles")
    func refusesToGuess() async throws {
        let reference = try CharacteristicReference("2A19")
        await #expect {
            try await finder.find(reference)
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.status == .usage && failure.advice.contains("#7, #13")
        }
    }
}

@Suite("Finding a target") struct TargetFinderTests {
    /// Looks for the target. The time limit passes after all advertisements have been received.
    private func find(
        _ target: Target,
        receiving advertisements: [Advertisement],
        thenWaiting waits: Bool = true,
        takesFirst: Bool = false,
        bonds: [AccessoryBond] = []
    ) async throws -> TargetFinder.Found {
        let allReceived = OneTimeEvent()
        let finder = TargetFinder(limits: StepLimits(), takesFirst: takesFirst, bonds: bonds) {
            let rest = Mutex(advertisements[...])
            return AsyncThrowingStream {
                if let next = rest.withLock({ $0.popFirst() }) { return next }
                guard waits else { return nil }
                allReceived.occur()
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
        }
        defer { allReceived.occur() }
        return try await TargetFinder.$settle.withValue({ _ in await allReceived.wait() }) {
            try await TimeLimit.passing(at: allReceived) { try await finder.find(target) }
        }
    }

    private let lamp = Advertisement(
        address: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
        data: AdvertisingData([5, 9] + Array("Lamp".utf8))
    )

    @Test("An address with its kind needs no scan")
    func trustsFullAddresses() async throws {
        let found = try await find(Target("C4:F0:00:00:00:01/public"), receiving: [])
        #expect(found.address == DeviceAddress(value: 0xC4F0_0000_0001, kind: .public))
    }

    private func bond(_ address: DeviceAddress, _ name: String? = nil) -> AccessoryBond {
        let peer = PeerIdentifier(bytes: [UInt8](repeating: 7, count: 16))
        return AccessoryBond(PortBond(peer: peer, identity: address, name: name))
    }

    @Test(
        "A wait for a device ends with its advertisement, even if its address is known",
        arguments: [nil, "C4:F0:00:00:00:01/random", "Lamp"]
    )
    func waits(text: String?) async throws {
        let bond = bond(lamp.address, "Lamp")
        let target = try text.map { try Target($0) } ?? .bond(bond.identifier)
        let found = try await find(target, receiving: [lamp], takesFirst: true, bonds: [bond])
        #expect(found == .init(address: lamp.address, name: "Lamp", isNear: true))
    }

    @Test("The kind of an address is found by scanning")
    func learnsType() async throws {
        let found = try await find(Target("C4:F0:00:00:00:01"), receiving: [lamp])
        #expect(found == .init(address: lamp.address, name: "Lamp", isNear: true))
    }

    @Test(
        "A bonded device is found by the address that it uses, and connected by its identity",
        arguments: ["C4:F0:00:00:00:02", "C4:F0:00:00:00:02/random", "C4:F0:00:00:00:01"]
    )
    func currentAddress(text: String) async throws {
        var lamp = lamp
        lamp.privateAddress = DeviceAddress(value: 0xC4F0_0000_0002, kind: .random)
        let found = try await find(Target(text), receiving: [lamp], takesFirst: true)
        #expect(found.address == lamp.address)
    }

    private func device(
        _ value: UInt64,
        _ name: String,
        rssi: Int? = nil,
        isConnectable: Bool = true
    ) -> Advertisement {
        let bytes = Array(name.utf8)
        return Advertisement(
            address: DeviceAddress(value: value, kind: .random),
            isConnectable: isConnectable,
            rssi: rssi,
            data: AdvertisingData([UInt8(bytes.count + 1), 9] + bytes)
        )
    }

    @Test("A name is found in any case, and by a beginning that no other name has")
    func findsNames() async throws {
        #expect(try await find(Target("Lamp"), receiving: [lamp]).address == lamp.address)
        let other = try await find(Target("lAMP"), receiving: [lamp])
        #expect(other.address == lamp.address && !other.isByPrefix && other.isNear)
        let beginning = try await find(Target("la"), receiving: [device(1, "Lock"), lamp])
        #expect(beginning.address == lamp.address && beginning.isByPrefix)
    }

    @Test("A device with exactly the given name is found after similar ones")
    func prefersExactNames() async throws {
        let received = [device(1, "lamp"), device(2, "Lamp 2"), lamp]
        #expect(try await find(Target("Lamp"), receiving: received).address == lamp.address)
        let lower = try await find(Target("LAMP"), receiving: [device(2, "Lamp 2"), lamp])
        #expect(lower.address == lamp.address)
    }

    @Test("If several names begin with the target, the error lists them with their addresses")
    func refusesToGuess() async throws {
        await #expect {
            try await find(Target("la"), receiving: [device(1, "Ladder"), lamp])
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.status == .usage
                && failure.happened
                    == "2 devices match 'la': 'Ladder' (00:00:00:00:00:01/random), "
                    + "'Lamp' (C4:F0:00:00:00:01/random)"
        }
    }

    @Test("If several devices have the same name, the error suggests the address")
    func sameName() async throws {
        await #expect {
            try await find(Target("LAMP"), receiving: [device(1, "Lamp"), lamp])
        } throws: {
            ($0 as? ProgramFailure)?.advice == "give the address"
        }
    }

    @Test("If several devices have exactly the name, the error lists their signal strengths")
    func sameExactName() async throws {
        let received = [
            device(2, "Lamp", rssi: -71), device(1, "Lamp", rssi: -40), device(3, "Lamp 2"),
            device(1, "Lamp", rssi: -42),
        ]
        let failure = await #expect(throws: ProgramFailure.self) {
            try await find(Target("Lamp"), receiving: received)
        }
        #expect(
            failure?.line
                == "lanyard: 2 devices match 'Lamp': 'Lamp' (00:00:00:00:00:01/random, -42 dBm), "
                + "'Lamp' (00:00:00:00:00:02/random, -71 dBm); give the address"
        )
        #expect(failure?.status == .usage)
    }

    @Test("A beacon with the name of an accessory does not hide the accessory")
    func beaconOfSameName() async throws {
        let beacon = device(2, "Lamp", isConnectable: false)
        let found = try await find(Target("Lamp"), receiving: [beacon, lamp, beacon])
        #expect(found.address == lamp.address)
        let alone = try await find(Target("Lamp"), receiving: [beacon])
        #expect(alone.address == beacon.address && !alone.isConnectable && found.isConnectable)
    }

    @Test("A device with exactly the given name is found among too many similar ones")
    func exactNameAmongMany() async throws {
        let similar = (1...100).map { device($0, "Lamp \($0)") }
        let shortened = device(lamp.address.value, "Lamp beside the door")
        let found = try await find(Target("Lamp"), receiving: similar + [lamp, shortened])
        #expect(found.address == lamp.address && !found.isByPrefix)
    }

    @Test("A device that also sends connectable advertisements is not a beacon")
    func beaconOfSameAddress() async throws {
        let beacon = device(lamp.address.value, "Beacon", isConnectable: false)
        let target = try Target("C4:F0:00:00:00:01")
        let found = try await find(target, receiving: [beacon, lamp])
        #expect(found.address == lamp.address && found.isConnectable)
        let alone = try await find(target, receiving: [beacon])
        #expect(alone.address == lamp.address && !alone.isConnectable)
    }

    @Test("A device that is not found is an error with the nearest name, if one is similar")
    func suggestsNames() async throws {
        await #expect {
            try await find(Target("Lmap"), receiving: [device(1, "Lock"), lamp])
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.status == .notFound
                && failure.happened.contains("received 'Lamp', 'Lock'")
                && failure.advice == "did you mean 'Lamp'?"
        }
    }

    @Test("A bonded device that was not received is suggested, but not listed as received")
    func namesReceivedDevices() async throws {
        let bonds = [bond(DeviceAddress(value: 2, kind: .public), "Kettle")]
        await #expect {
            try await find(Target("Ketle"), receiving: [lamp], bonds: bonds)
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.happened.hasSuffix("(received 'Lamp')")
                && failure.advice == "did you mean 'Kettle'?"
        }
    }

    @Test("A name with special characters is found by its printed, escaped form")
    func findsPrintedNames() async throws {
        let odd = Advertisement(
            address: lamp.address,
            data: AdvertisingData([4, 9, 0x41, 0x1B, 0xFF])
        )
        let found = try await find(Target("A\\u{1B}\\xFF"), receiving: [odd])
        #expect(found.address == lamp.address)
    }

    @Test(
        "A target that is not received is an error",
        arguments: [true, false]
    )
    func missesOthers(waits: Bool) async throws {
        await #expect {
            try await find(Target("Lamp"), receiving: [], thenWaiting: waits)
        } throws: {
            ($0 as? ProgramFailure)?.status == .notFound
        }
    }
}
