// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite struct CharacteristicFinderTests {
    private let finder = CharacteristicFinder(accessory: ScriptedAccessory.sample, limits: .init())

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
        "A characteristic that is not there is said to be missing",
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

    @Test("Where several match, the handles to choose from are named")
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

@Suite struct TargetFinderTests {
    private func finder(
        hearing advertisements: [Advertisement],
        thenWaiting waits: Bool = true
    ) -> TargetFinder {
        var limits = StepLimits()
        limits.search = .milliseconds(20)
        return TargetFinder(limits: limits) {
            AsyncThrowingStream { continuation in
                for advertisement in advertisements { continuation.yield(advertisement) }
                if !waits { continuation.finish() }
            }
        }
    }

    private let lamp = Advertisement(
        address: DeviceAddress(value: 0xC4F0_0000_0001, kind: .random),
        data: AdvertisingData([5, 9] + Array("Lamp".utf8))
    )

    @Test("An address with its type is not listened for")
    func trustsFullAddresses() async throws {
        let found = try await finder(hearing: []).find(Target("C4:F0:00:00:00:01/public"))
        #expect(found.address == DeviceAddress(value: 0xC4F0_0000_0001, kind: .public))
    }

    @Test("The type of an address is learnt by listening")
    func learnsType() async throws {
        let found = try await finder(hearing: [lamp]).find(Target("C4:F0:00:00:00:01"))
        #expect(found == .init(address: lamp.address, name: "Lamp", isNear: true))
    }

    @Test("A name is listened for, in full")
    func findsNames() async throws {
        #expect(try await finder(hearing: [lamp]).find(Target("Lamp")).address == lamp.address)
        await #expect {
            try await finder(hearing: [lamp]).find(Target("Lam"))
        } throws: {
            guard let failure = $0 as? ProgramFailure else { return false }
            return failure.status == .notFound && failure.happened.contains("heard 'Lamp'")
        }
    }

    @Test("A name is found as it was printed")
    func findsPrintedNames() async throws {
        let odd = Advertisement(
            address: lamp.address,
            data: AdvertisingData([4, 9, 0x41, 0x1B, 0xFF])
        )
        let found = try await finder(hearing: [odd]).find(Target("A\\u{1B}\\xFF"))
        #expect(found.address == lamp.address)
    }

    @Test(
        "A target that is not heard is not found, however the scan ends",
        arguments: [true, false]
    )
    func missesOthers(waits: Bool) async throws {
        let finder = finder(hearing: [], thenWaiting: waits)
        await #expect {
            try await finder.find(Target("Lamp"))
        } throws: {
            ($0 as? ProgramFailure)?.status == .notFound
        }
    }
}
