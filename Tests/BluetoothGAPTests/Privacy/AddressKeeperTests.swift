// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Address commands to a controller")
struct AddressKeeperTests {
    @Test("The resolving list is filled before any activity begins")
    func listFirst() throws {
        var bench = try PrivacyBench(rotation: nil)
        try bench.reset()
        try bench.want(1...2)
        try bench.scan(ScanParameters())
        try bench.start()
        #expect(bench.list.entries.count == 2 && bench.list.isEnabled)
        #expect(bench.radio.isScanning && bench.radio.enableCount == 1)
        #expect(bench.violations.isEmpty)
    }

    @Test(
        "All activities stop for a change of the list and resume afterwards",
        arguments: [true, false]
    )
    func everythingRests(isExtended: Bool) throws {
        var bench = try PrivacyBench(.resolving(isExtended: isExtended), rotation: nil)
        try bench.scan(ScanParameters())
        try bench.stand(1, .accessory(1))
        try bench.advertise(2)
        #expect(bench.radio.isScanning && bench.radio.initiation != nil)
        #expect(bench.sets.onAir.count == 1)
        try bench.want(1...1)
        #expect(bench.violations.isEmpty)
        #expect(bench.list.isEnabled && bench.keeper.resolves(.accessory(1)))
        #expect(bench.radio.isScanning && bench.radio.initiation != nil)
        #expect(bench.sets.onAir.count == 1)
        #expect(bench.holdCount == bench.releaseCount)
    }

    @Test("All activities use a new address after a rotation", arguments: [true, false])
    func rotation(isExtended: Bool) throws {
        var bench = try PrivacyBench(.resolving(isExtended: isExtended))
        try bench.scan(ScanParameters())
        try bench.advertise(1)
        if isExtended { try bench.advertise(2) }
        var generations: [Set<DeviceAddress>] = [Set(bench.shownNow)]
        for _ in 0..<5 {
            try bench.advance(by: .seconds(10))
            generations.append(Set(bench.shownNow))
        }
        #expect(bench.violations.isEmpty)
        #expect(generations.allSatisfy { $0.count == (isExtended ? 3 : 1) })
        // No address occurs twice, or in two generations.
        #expect(Set(generations.flatMap { $0 }).count == 6 * (isExtended ? 3 : 1))
        #expect(bench.shown.allSatisfy(bench.isOurs))
        #expect(bench.radio.isScanning && bench.sets.onAir.count == (isExtended ? 2 : 1))
    }

    @Test("The address of an idle host rotates too")
    func idleRotation() throws {
        var bench = try PrivacyBench()
        let first = bench.list.randomAddress
        try bench.advance(by: .seconds(10))
        #expect(bench.list.randomAddress != first)
        #expect(bench.shown.isEmpty)
    }

    @Test("A refused address leaves the old one in use, and the rotation is repeated")
    func refusedRotation() throws {
        var bench = try PrivacyBench()
        let first = bench.list.randomAddress
        bench.planned = [
            (
                { if case .setRandomAddress = $0 { true } else { false } },
                .complete([HCI.ErrorCode.commandDisallowed.rawValue])
            )
        ]
        try bench.scan(ScanParameters())
        try bench.advance(by: .seconds(10))
        #expect(bench.list.randomAddress == first && bench.keeper.own?.current == first)
        #expect(bench.radio.isScanning)
        try bench.advance(by: .seconds(2))
        #expect(bench.list.randomAddress != first)
        #expect(bench.keeper.own?.current == bench.list.randomAddress)
        #expect(bench.radio.isScanning && bench.holdCount == bench.releaseCount)
    }

    @Test("A pause that does not begin in time is abandoned and tried again")
    func stuckWindow() throws {
        var bench = try PrivacyBench(rotation: nil)
        try bench.scan(ScanParameters())
        bench.answersAtOnce = false
        try bench.want(1...1)
        #expect(bench.holdCount == 1 && bench.releaseCount == 0)
        try bench.advance(by: AddressKeeper.openingLimit)
        #expect(bench.releaseCount == 1)
        bench.answersAtOnce = true
        while !bench.queue.isEmpty { try bench.answer() }
        try bench.advance(by: AddressKeeper.restMinimum)
        #expect(bench.holdCount == 2 && bench.releaseCount == 2)
        #expect(bench.keeper.resolves(.accessory(1)) && bench.radio.isScanning)
        #expect(bench.violations.isEmpty)
    }

    @Test("A reset clears the address and the list, and both are set again")
    func reset() throws {
        var bench = try PrivacyBench()
        try bench.want(1...2)
        try bench.scan(ScanParameters())
        try bench.advertise(1)
        let before = bench.list.randomAddress
        try bench.reset()
        #expect(!bench.keeper.resolves(.accessory(1)) && bench.keeper.own?.current == nil)
        #expect(bench.keeper.nextDeadline == nil)
        try bench.start()
        #expect(bench.list.randomAddress != before)
        #expect(bench.keeper.resolves(.accessory(1)) && bench.list.entries.count == 2)
        #expect(bench.radio.isScanning && bench.sets.onAir.count == 1)
        #expect(bench.shown.allSatisfy(bench.isOurs) && bench.violations.isEmpty)
    }

    @Test("A reset during a pause leaves no activity paused", arguments: 0..<8)
    func resetInWindow(answers: Int) throws {
        var bench = try PrivacyBench()
        try bench.scan(ScanParameters())
        bench.answersAtOnce = false
        try bench.want(1...3)
        for _ in 0..<answers where !bench.queue.isEmpty { try bench.answer() }
        try bench.reset()
        bench.answersAtOnce = true
        try bench.start()
        #expect(bench.radio.isScanning && bench.list.isEnabled)
        #expect(bench.list.entries.count == 3 && bench.violations.isEmpty)
    }

    @Test("The rotation is limited to its range")
    func rotationBounds() throws {
        var bench = try PrivacyBench(rotation: .zero)
        let first = bench.list.randomAddress
        try bench.advance(by: .milliseconds(999))
        #expect(bench.list.randomAddress == first)
        try bench.advance(by: .milliseconds(1))
        #expect(bench.list.randomAddress != first)
    }

    @Test("Advertising with an address that does not change is refused")
    func permanentAddresses() throws {
        let own = DeviceAddress(value: 0x4123_4567_89AB, kind: .random)
        var capabilities = ControllerCapabilities.resolving()
        capabilities.publicAddress = DeviceAddress(value: 1, kind: .public)
        let dialect = CommandDialect(capabilities, ownAddress: own)
        var wish = Advertising()
        for address in [Advertising.Address.public, .random(.accessory(1))] {
            wish.address = address
            #expect(throws: AdvertisingError.self) {
                try AdvertisingRecipe(wish, in: dialect, power: nil)
            }
        }
        wish.address = .random(DeviceAddress(value: 0x0123_4567_89AB, kind: .random))
        #expect(throws: Never.self) { try AdvertisingRecipe(wish, in: dialect, power: nil) }
    }
}
