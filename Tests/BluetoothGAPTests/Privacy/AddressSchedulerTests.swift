// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// ``AddressScheduler`` defines a *quiet window*: the controller neither advertises, scans nor
/// initiates, so that it accepts changes of addresses.
@Suite("Address commands to a controller")
struct AddressSchedulerTests {
    @Test("The resolving list is filled before any activity begins")
    func listFirst() throws {
        var harness = try PrivacyHarness(rotation: nil)
        try harness.reset()
        try harness.request(1...2)
        try harness.scan(ScanParameters())
        try harness.start()
        #expect(harness.list.entries.count == 2 && harness.list.isEnabled)
        #expect(harness.radio.isScanning && harness.radio.enableCount == 1)
        #expect(harness.violations.isEmpty)
    }

    @Test(
        "All activities stop for a change of the resolving list and resume afterward",
        arguments: [true, false]
    )
    func pauseForChange(isExtended: Bool) throws {
        var harness = try PrivacyHarness(.resolving(isExtended: isExtended), rotation: nil)
        try harness.scan(ScanParameters())
        try harness.addPendingRequest(1, .accessory(1))
        try harness.advertise(2)
        #expect(harness.radio.isScanning && harness.radio.initiation != nil)
        #expect(harness.sets.onAir.count == 1)
        try harness.request(1...1)
        #expect(harness.violations.isEmpty)
        #expect(harness.list.isEnabled && harness.addresses.resolves(.accessory(1)))
        #expect(harness.radio.isScanning && harness.radio.initiation != nil)
        #expect(harness.sets.onAir.count == 1)
        #expect(harness.holdCount == harness.releaseCount)
    }

    @Test("All activities use a new address after a rotation", arguments: [true, false])
    func rotation(isExtended: Bool) throws {
        var harness = try PrivacyHarness(.resolving(isExtended: isExtended))
        try harness.scan(ScanParameters())
        try harness.advertise(1)
        if isExtended { try harness.advertise(2) }
        var generations: [Set<DeviceAddress>] = [Set(harness.shownNow)]
        for _ in 0..<5 {
            try harness.advance(by: .seconds(10))
            generations.append(Set(harness.shownNow))
        }
        #expect(harness.violations.isEmpty)
        #expect(generations.allSatisfy { $0.count == (isExtended ? 3 : 1) })
        // All addresses differ: those in use at the same time, and those before and after a
        // rotation.
        #expect(Set(generations.flatMap { $0 }).count == 6 * (isExtended ? 3 : 1))
        #expect(harness.shown.allSatisfy(harness.isOurs))
        #expect(harness.radio.isScanning && harness.sets.onAir.count == (isExtended ? 2 : 1))
    }

    @Test("The address of an idle host rotates too")
    func idleRotation() throws {
        var harness = try PrivacyHarness()
        let first = harness.list.randomAddress
        try harness.advance(by: .seconds(10))
        #expect(harness.list.randomAddress != first)
        #expect(harness.shown.isEmpty)
    }

    @Test("A refused address leaves the old address in use, and the rotation is repeated")
    func refusedRotation() throws {
        var harness = try PrivacyHarness()
        let first = harness.list.randomAddress
        harness.planned = [
            (
                { if case .setRandomAddress = $0 { true } else { false } },
                .complete([HCI.ErrorCode.commandDisallowed.rawValue])
            )
        ]
        try harness.scan(ScanParameters())
        try harness.advance(by: .seconds(10))
        #expect(harness.list.randomAddress == first && harness.addresses.own?.current == first)
        #expect(harness.radio.isScanning)
        try harness.advance(by: .seconds(2))
        #expect(harness.list.randomAddress != first)
        #expect(harness.addresses.own?.current == harness.list.randomAddress)
        #expect(harness.radio.isScanning && harness.holdCount == harness.releaseCount)
    }

    @Test("If the activities do not stop in time, the quiet window is canceled and tried again")
    func stuckWindow() throws {
        var harness = try PrivacyHarness(rotation: nil)
        try harness.scan(ScanParameters())
        harness.answersAtOnce = false
        try harness.request(1...1)
        #expect(harness.holdCount == 1 && harness.releaseCount == 0)
        try harness.advance(by: AddressScheduler.openingLimit)
        #expect(harness.releaseCount == 1)
        harness.answersAtOnce = true
        while !harness.queue.isEmpty { try harness.answer() }
        try harness.advance(by: AddressScheduler.backoffMinimum)
        #expect(harness.holdCount == 2 && harness.releaseCount == 2)
        #expect(harness.addresses.resolves(.accessory(1)) && harness.radio.isScanning)
        #expect(harness.violations.isEmpty)
    }

    @Test("A reset clears the address and the list, and both are set again")
    func reset() throws {
        var harness = try PrivacyHarness()
        try harness.request(1...2)
        try harness.scan(ScanParameters())
        try harness.advertise(1)
        let before = harness.list.randomAddress
        try harness.reset()
        #expect(!harness.addresses.resolves(.accessory(1)) && harness.addresses.own?.current == nil)
        #expect(harness.addresses.nextDeadline == nil)
        try harness.start()
        #expect(harness.list.randomAddress != before)
        #expect(harness.addresses.resolves(.accessory(1)) && harness.list.entries.count == 2)
        #expect(harness.radio.isScanning && harness.sets.onAir.count == 1)
        #expect(harness.shown.allSatisfy(harness.isOurs) && harness.violations.isEmpty)
    }

    @Test("A reset during a quiet window leaves no activity paused", arguments: 0..<8)
    func resetInWindow(answers: Int) throws {
        var harness = try PrivacyHarness()
        try harness.scan(ScanParameters())
        harness.answersAtOnce = false
        try harness.request(1...3)
        for _ in 0..<answers where !harness.queue.isEmpty { try harness.answer() }
        try harness.reset()
        harness.answersAtOnce = true
        try harness.start()
        #expect(harness.radio.isScanning && harness.list.isEnabled)
        #expect(harness.list.entries.count == 3 && harness.violations.isEmpty)
    }

    @Test("The interval of the rotation is at least one second")
    func rotationBounds() throws {
        var harness = try PrivacyHarness(rotation: .zero)
        let first = harness.list.randomAddress
        try harness.advance(by: .milliseconds(999))
        #expect(harness.list.randomAddress == first)
        try harness.advance(by: .milliseconds(1))
        #expect(harness.list.randomAddress != first)
    }

    @Test("A host with private addresses refuses to advertise with a permanent address")
    func permanentAddresses() throws {
        let own = DeviceAddress(value: 0x4123_4567_89AB, kind: .random)
        var capabilities = ControllerCapabilities.resolving()
        capabilities.publicAddress = DeviceAddress(value: 1, kind: .public)
        let dialect = CommandDialect(capabilities, ownAddress: own)
        var requested = Advertising()
        for address in [Advertising.Address.public, .random(.accessory(1))] {
            requested.address = address
            #expect(throws: AdvertisingError.self) {
                try Advertiser.SetConfiguration(requested, in: dialect, power: nil)
            }
        }
        requested.address = .random(DeviceAddress(value: 0x0123_4567_89AB, kind: .random))
        #expect(throws: Never.self) {
            try Advertiser.SetConfiguration(requested, in: dialect, power: nil)
        }
    }
}
