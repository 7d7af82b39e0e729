// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// BlueZ asks our host to pair, by every method that two people in front of two devices have
/// (Vol 3, Part H, 2.3.5.1), in the way of today and in the one of before Bluetooth 4.2.
@Suite(.machines) struct PairingWithBlueZTests {
    @Test(arguments: Setting.all, PairingModel.allCases)
    func bothComeToTheSameKeys(_ setting: Setting, _ model: PairingModel) async throws {
        try await withBlueZ(setting, as: .central, model.rawValue) { bluez in
            try await bluez.powerOn(io: model.theirs)
            for usesSecureConnections in model.generations {
                try await meet(model, near: bluez, usesSecureConnections)
            }
        }
    }

    /// One digit is wrong: no keys come of it on either side.
    @Test(arguments: Setting.all)
    func aWrongPasskeyPairsNobody(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "wrong passkey") { bluez in
            try await bluez.powerOn(io: .keyboardOnly)
            let plan = PairingModel.shownHere.plan { digits in
                Task { try await bluez.answer(passkey: (Int(digits) + 1) % 1_000_000) }
            }
            try await expectFailure("org.bluez.Error.AuthenticationFailed", plan, near: bluez)
        }
    }

    @Test(arguments: Setting.all)
    func whoeverRefusesIsHeard(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "refused pairing") { bluez in
            try await bluez.powerOn(io: .displayYesNo)
            let ours = PairingModel.numericComparison
            var plan = ours.plan()
            plan.manner.confirms = false
            try await expectFailure("org.bluez.Error.AuthenticationFailed", plan, near: bluez)
            try await bluez.setAgent(accepts: false)
            try await expectFailure(
                "org.bluez.Error.AuthenticationFailed",
                ours.plan(),
                near: bluez
            )
        }
    }

    private func meet(
        _ model: PairingModel,
        near bluez: BlueZ,
        _ usesSecureConnections: Bool
    ) async throws {
        var plan = model.plan(telling: bluez)
        plan.configuration.pairing.usesSecureConnections = usesSecureConnections
        plan.configuration.pairing.allowsLegacyPairing = true
        try await withStall(near: bluez, plan) { stall in
            let (visitor, link) = try await stall.arrive()
            if model == .enteredOnBoth { try await bluez.answer(passkey: model.passkey) }
            try await visitor.pair()
            #expect(try await visitor.read(Stall.secret) == Stall.treasure)
            let security = try await link.security
            #expect(security.isEncrypted && security.isBonded)
            #expect(security.isAuthenticated == model.isAuthenticated)
            #expect(security.usesSecureConnections == usesSecureConnections)
            #expect(security.keySize == 16)
            try await model.expect(stall.person.experiences, beside: bluez)
            #expect(try await visitor.properties["Paired"] == .boolean(true))
            try await stall.part(link)
            try await visitor.forget()
        }
    }

    /// Has BlueZ try to pair, which has to end so, and leaves it as it was.
    private func expectFailure(
        _ name: String,
        _ plan: StallPlan,
        near bluez: BlueZ
    ) async throws {
        try await withStall(near: bluez, plan) { stall in
            let (visitor, link) = try await stall.arrive()
            await #expect(throws: Refusal(name)) { try await visitor.pair() }
            #expect(await stall.host.bonds.isEmpty)
            #expect(try await visitor.properties["Paired"] == .boolean(false))
            // BlueZ leaves by itself, or not, as it happens.
            try? await link.disconnect()
            try await stall.keeper.farewell(of: link)
            try await visitor.forget()
        }
    }
}

/// How the two sides make sure of each other, and what they have to be like for that.
enum PairingModel: String, CaseIterable, Sendable {
    case justWorks = "just works"
    case numericComparison = "numeric comparison"
    /// Our host shows six digits.
    case shownHere = "passkey shown here"
    /// BlueZ shows them.
    case enteredHere = "passkey entered here"
    case enteredOnBoth = "passkey entered on both"

    /// What BlueZ's user has.
    var theirs: BlueZ.InputOutput {
        switch self {
        case .justWorks: .noInputNoOutput
        case .numericComparison: .displayYesNo
        case .shownHere, .enteredOnBoth: .keyboardOnly
        case .enteredHere: .displayOnly
        }
    }

    /// What ours has.
    var ours: Pairing.IOCapability {
        switch self {
        case .justWorks: .noInputNoOutput
        case .numericComparison: .displayYesNo
        case .shownHere: .displayOnly
        case .enteredHere, .enteredOnBoth: .keyboardOnly
        }
    }

    var isAuthenticated: Bool { self != .justWorks }

    /// Whether LE Secure Connections; legacy pairing compares no numbers.
    var generations: [Bool] { self == .numericComparison ? [true] : [true, false] }

    /// What is entered on both sides, where both enter.
    var passkey: Int { 271_828 }

    /// A stall whose person tells BlueZ's user what our host shows, and enters what BlueZ shows.
    func plan(telling bluez: BlueZ) -> StallPlan {
        var plan = plan { digits in Task { try await bluez.answer(passkey: Int(digits)) } }
        plan.manner.looks = {
            guard self == .enteredHere else { return UInt32(passkey) }
            let shown = try? await bluez.question("display")["passkey"].integer
            return shown.map { UInt32($0) }
        }
        return plan
    }

    /// A stall with our side of the model.
    func plan(_ tells: (@Sendable (UInt32) -> Void)? = nil) -> StallPlan {
        .such { plan in
            plan.services = [Stall.guarded]
            plan.configuration.pairing.ioCapability = ours
            plan.manner.tells = tells
        }
    }

    /// Checks that our side's person went through what the model asks for, and BlueZ's saw the same.
    func expect(_ experiences: [Person.Experience], beside bluez: BlueZ) async throws {
        switch self {
        case .justWorks: #expect(experiences == [.consented])
        case .numericComparison:
            let compared = try await bluez.question("confirm")["passkey"].integer
            #expect(experiences.contains(.compared(UInt32(try #require(compared)))))
        case .shownHere:
            #expect(experiences.contains { if case .shown = $0 { true } else { false } })
        case .enteredHere:
            #expect(
                experiences.contains { if case .entered(.some) = $0 { true } else { false } }
            )
        case .enteredOnBoth: #expect(experiences.contains(.entered(UInt32(passkey))))
        }
    }
}
