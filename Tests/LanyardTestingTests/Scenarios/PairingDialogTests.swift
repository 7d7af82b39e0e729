// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("The dialogs of a phone during pairings", .eachSystem)
struct PairingDialogTests {
    @Test(
        "Row 12: A lock is paired if the user accepts, and the phone shows one dialog",
        arguments: [VirtualAccessory.Pairing.automatic, .showingDigits, .comparingDigits]
    )
    func accepted(_ pairing: VirtualAccessory.Pairing) async throws {
        let world = TestWorld(seed: 125)
        let live = world.add(.lock.with { $0.pairing = pairing })
        try await world.run {
            world.phone.pairingAnswer = .accepts
            let lock = try await world.phone.central(.lock).pair(.lock)
            #expect(lock.state == .ready)
            // A bonded accessory needs no dialog.
            live.dropLink()
            try await world.expect(lock, becomes: .outOfRange, within: .seconds(10))
            try await world.expect(lock, becomes: .ready, within: .seconds(30))
            let dialogs = world.phone.pairingDialogs
            #expect(dialogs.count == 1)
            switch (pairing, dialogs.first) {
            case (.automatic, .consent), (.showingDigits, .entry): break
            case (.comparingDigits, .comparison(let digits)): #expect(digits.count == 6)
            default: Issue.record("\(dialogs)")
            }
        }
    }

    @Test(
        "Row 12: A lock is not paired if the user declines, and can be paired afterward",
        arguments: [VirtualAccessory.Pairing.automatic, .showingDigits, .comparingDigits]
    )
    func declined(_ pairing: VirtualAccessory.Pairing) async throws {
        let world = TestWorld(seed: 126)
        world.add(.lock.with { $0.pairing = pairing })
        try await world.run {
            world.phone.pairingAnswer = .declines
            let central = world.phone.central(.lock)
            await #expect(throws: AccessoryError.notPaired) { try await central.pair(.lock) }
            #expect(world.phone.pairingDialogs.count == 1)
            world.phone.pairingAnswer = .accepts
            try await world.advance(by: .seconds(5))
            let lock = try await central.pair(.lock)
            #expect(lock.state == .ready, "\(world.story)")
            #expect(world.phone.pairingDialogs.count == 2)
        }
    }

    @Test("A phone whose first answer is set after the app uses Bluetooth asks for consent only")
    func lateAnswer() async throws {
        let world = TestWorld(seed: 129)
        world.add(.lock.with { $0.pairing = .showingDigits })
        try await world.run {
            let central = world.phone.central(.lock)
            try await world.expect("Bluetooth is in use", within: .seconds(5)) {
                central.availability == .poweredOn
            }
            world.phone.pairingAnswer = .accepts
            _ = try? await central.pair(.lock)
            #expect(world.phone.pairingDialogs == [.consent], "\(world.story)")
        }
    }

    @Test("Row 12: A lock is not paired if the user enters other digits")
    func wrongDigits() async throws {
        let world = TestWorld(seed: 127)
        world.add(.lock.with { $0.pairing = .showingDigits })
        try await world.run {
            world.phone.pairingAnswer = .enters(123_456)
            let central = world.phone.central(.lock)
            await #expect(throws: AccessoryError.notPaired) { try await central.pair(.lock) }
            #expect(world.phone.pairingDialogs == [.entry])
            let line = "phone: asks for the digits of the accessory, and the user enters 123456"
            #expect(world.story.texts.contains(line), "\(world.story)")
        }
    }

    @Test("Row 12: A pairing fails after 30 seconds if the user ignores the dialog")
    func ignored() async throws {
        let world = TestWorld(seed: 128)
        world.add(.lock)
        try await world.run {
            world.phone.pairingAnswer = .ignores
            let central = world.phone.central(.lock)
            await #expect(throws: AccessoryError.self) { try await central.pair(.lock) }
            #expect(world.now > .seconds(30) && world.now < .seconds(40), "\(world.now)")
            #expect(world.phone.pairingDialogs == [.consent])
        }
    }
}
