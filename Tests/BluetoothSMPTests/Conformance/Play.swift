// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// A pairing as the specification describes it (Vol 3, Part H, Appendix C): the roles and every PDU
/// in order, taken from the figures rather than from the implementation.
struct Play: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var usesSecureConnections: Bool
    /// The method for the Central.
    var method: Pairing.Method
    var central: Pairing.Policy
    var peripheral: Pairing.Policy

    struct Line: Equatable {
        var from: Encounter.End
        var code: SMP.Code
    }

    /// The PDUs before the link is encrypted, and those after.
    var lines: (before: [Line], after: [Line]) { (features + authentication, distribution) }

    private var features: [Line] { [.central(.pairingRequest), .peripheral(.pairingResponse)] }

    private var authentication: [Line] {
        guard usesSecureConnections else {
            return Self.pair(.pairingConfirm) + Self.pair(.pairingRandom)
        }
        return Self.pair(.pairingPublicKey) + fixture1 + Self.pair(.pairingDHKeyCheck)
    }

    /// Authentication Stage 1 (2.3.5.6.2 to 2.3.5.6.4).
    private var fixture1: [Line] {
        switch method {
        case .justWorks, .numericComparison:
            [.peripheral(.pairingConfirm)] + Self.pair(.pairingRandom)
        case .passkeyDisplay, .passkeyEntry, .passkeyEntryOnBoth:
            (0..<20).flatMap { _ in Self.pair(.pairingConfirm) + Self.pair(.pairingRandom) }
        case .outOfBand: Self.pair(.pairingRandom)
        }
    }

    /// The Peripheral's keys first, each side in the order of the keys (3.6.1).
    private var distribution: [Line] {
        let encryption: [SMP.Code] = [.encryptionInformation, .centralIdentification]
        let others: [SMP.Code] = [
            .identityInformation, .identityAddressInformation, .signingInformation,
        ]
        let codes = (usesSecureConnections ? [] : encryption) + others
        return codes.map(Line.peripheral) + codes.map(Line.central)
    }

    private static func pair(_ code: SMP.Code) -> [Line] { [.central(code), .peripheral(code)] }

    /// Whether the moment is within the repeated rounds of a passkey.
    func isRepeating(at progress: Int) -> Bool {
        let count = lines.before.count
        return count > 80 && (16...count - 12).contains(progress)
    }

    /// Plays the pairing with helpful users.
    func play(faster: Encounter.End = .central, seed: UInt64 = 1) -> Encounter {
        var encounter = Encounter(central: central, peripheral: peripheral, seed: seed)
        encounter.people.faster = faster
        encounter.begin(.central)
        encounter.drive()
        return encounter
    }
}

extension Play.Line {
    static func central(_ code: SMP.Code) -> Self { Self(from: .central, code: code) }

    static func peripheral(_ code: SMP.Code) -> Self { Self(from: .peripheral, code: code) }
}

extension Play {
    static let all: [Play] =
        [true, false].flatMap { isSecure in
            let kind = isSecure ? "SC" : "legacy"
            return [
                Play(
                    "\(kind), just works",
                    isSecure,
                    .justWorks,
                    .noInputNoOutput,
                    .keyboardDisplay
                ),
                Play(
                    "\(kind), passkey displayed",
                    isSecure,
                    .passkeyDisplay,
                    .displayOnly,
                    .keyboardOnly
                ),
                Play(
                    "\(kind), passkey entered",
                    isSecure,
                    .passkeyEntry,
                    .keyboardOnly,
                    .displayOnly
                ),
                Play(
                    "\(kind), passkey entered on both",
                    isSecure,
                    .passkeyEntryOnBoth,
                    .keyboardOnly,
                    .keyboardOnly
                ),
            ]
        } + [numericComparison, outOfBand, halfOutOfBand, legacyOutOfBand, keypresses]

    private static let numericComparison = Play(
        "SC, numeric comparison",
        true,
        .numericComparison,
        .displayYesNo,
        .keyboardDisplay
    )

    /// Both sides have data of the other.
    private static let outOfBand = make(
        "SC, out of band",
        isSecure: true,
        toCentral: true,
        toPeripheral: true
    )

    /// Only the Central has data of the Peripheral.
    private static let halfOutOfBand = make(
        "SC, out of band to the Central",
        isSecure: true,
        toCentral: true,
        toPeripheral: false
    )

    private static let legacyOutOfBand = make(
        "legacy, out of band",
        isSecure: false,
        toCentral: true,
        toPeripheral: true
    )

    private static let keypresses: Play = {
        var play = Play(
            "SC, passkey with keypresses",
            true,
            .passkeyDisplay,
            .displayOnly,
            .keyboardOnly
        )
        play.central.usesKeypressNotifications = true
        play.peripheral.usesKeypressNotifications = true
        return play
    }()

    private static func make(
        _ name: String,
        isSecure: Bool,
        toCentral: Bool,
        toPeripheral: Bool
    ) -> Play {
        var play = Play(name, isSecure, .outOfBand, .noInputNoOutput, .noInputNoOutput)
        var generator = SplitMix64(seed: 0x00B)
        let ofCentral = Pairing.LocalOutOfBandData.make(using: &generator)
        let ofPeripheral = Pairing.LocalOutOfBandData.make(
            forLegacyPairing: !isSecure,
            using: &generator
        )
        if toPeripheral {
            play.central.localOutOfBandData = isSecure ? ofCentral : nil
            play.peripheral.peerOutOfBandData = isSecure ? ofCentral?.data : nil
        }
        if toCentral {
            play.peripheral.localOutOfBandData = ofPeripheral
            play.central.peerOutOfBandData = ofPeripheral?.data
        }
        return play
    }

    private init(
        _ name: String,
        _ usesSecureConnections: Bool,
        _ method: Pairing.Method,
        _ central: Pairing.IOCapability,
        _ peripheral: Pairing.IOCapability
    ) {
        testDescription = name
        self.usesSecureConnections = usesSecureConnections
        self.method = method
        var policy = Pairing.Policy()
        policy.allowsLegacyPairing = !usesSecureConnections
        policy.usesSecureConnections = usesSecureConnections
        policy.requiresAuthentication = method.isAuthenticated
        policy.ioCapability = central
        self.central = policy
        policy.ioCapability = peripheral
        self.peripheral = policy
    }
}
