// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// A pairing as the specification describes it (Vol 3, Part H, Appendix C): the roles and every PDU
/// in order, taken from the figures rather than from the implementation.
struct PairingScript: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var usesSecureConnections: Bool
    /// The method for the central.
    var method: Pairing.Method
    var central: Pairing.Policy
    var peripheral: Pairing.Policy

    struct Line: Equatable {
        var from: PairingModel.End
        var code: SMP.Code
    }

    /// The PDUs before the link is encrypted, and those after.
    var lines: (before: [Line], after: [Line]) { (features + authentication, distribution) }

    private var features: [Line] { [.central(.pairingRequest), .peripheral(.pairingResponse)] }

    private var authentication: [Line] {
        guard usesSecureConnections else {
            return Self.pair(.pairingConfirm) + Self.pair(.pairingRandom)
        }
        return Self.pair(.pairingPublicKey) + authenticationStage1 + Self.pair(.pairingDHKeyCheck)
    }

    /// Authentication Stage 1 (2.3.5.6.2 to 2.3.5.6.4).
    private var authenticationStage1: [Line] {
        switch method {
        case .justWorks, .numericComparison:
            [.peripheral(.pairingConfirm)] + Self.pair(.pairingRandom)
        case .passkeyDisplay, .passkeyEntry, .passkeyEntryOnBoth:
            (0..<20).flatMap { _ in Self.pair(.pairingConfirm) + Self.pair(.pairingRandom) }
        case .outOfBand: Self.pair(.pairingRandom)
        }
    }

    /// The distribution of keys: first the peripheral's keys, then the central's keys (3.6.1).
    private var distribution: [Line] {
        let encryption: [SMP.Code] = [.encryptionInformation, .centralIdentification]
        let others: [SMP.Code] = [
            .identityInformation, .identityAddressInformation, .signingInformation,
        ]
        let codes = (usesSecureConnections ? [] : encryption) + others
        return codes.map(Line.peripheral) + codes.map(Line.central)
    }

    private static func pair(_ code: SMP.Code) -> [Line] { [.central(code), .peripheral(code)] }

    /// Returns whether the progress is within the middle rounds of a passkey.
    func isRepeating(at progress: Int) -> Bool {
        let count = lines.before.count
        return count > 80 && (16...count - 12).contains(progress)
    }

    /// Runs the pairing with helpful users.
    func run(faster: PairingModel.End = .central, seed: UInt64 = 1) -> PairingModel {
        var model = PairingModel(central: central, peripheral: peripheral, seed: seed)
        model.people.faster = faster
        model.begin(.central)
        model.drive()
        return model
    }
}

extension PairingScript.Line {
    static func central(_ code: SMP.Code) -> Self { Self(from: .central, code: code) }

    static func peripheral(_ code: SMP.Code) -> Self { Self(from: .peripheral, code: code) }
}

extension PairingScript {
    static let all: [PairingScript] =
        [true, false].flatMap { isSecure in
            let kind = isSecure ? "SC" : "legacy"
            return [
                PairingScript(
                    "\(kind), just works",
                    isSecure,
                    .justWorks,
                    .noInputNoOutput,
                    .keyboardDisplay
                ),
                PairingScript(
                    "\(kind), passkey displayed",
                    isSecure,
                    .passkeyDisplay,
                    .displayOnly,
                    .keyboardOnly
                ),
                PairingScript(
                    "\(kind), passkey entered",
                    isSecure,
                    .passkeyEntry,
                    .keyboardOnly,
                    .displayOnly
                ),
                PairingScript(
                    "\(kind), passkey entered on both",
                    isSecure,
                    .passkeyEntryOnBoth,
                    .keyboardOnly,
                    .keyboardOnly
                ),
            ]
        } + [numericComparison, outOfBand, halfOutOfBand, legacyOutOfBand, keypresses]

    private static let numericComparison = PairingScript(
        "SC, numeric comparison",
        true,
        .numericComparison,
        .displayYesNo,
        .keyboardDisplay
    )

    /// A pairing in which each side has data of its peer.
    private static let outOfBand = make(
        "SC, out of band",
        isSecure: true,
        toCentral: true,
        toPeripheral: true
    )

    /// A pairing in which only the central has data of the peripheral.
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

    private static let keypresses: PairingScript = {
        var script = PairingScript(
            "SC, passkey with keypresses",
            true,
            .passkeyDisplay,
            .displayOnly,
            .keyboardOnly
        )
        script.central.usesKeypressNotifications = true
        script.peripheral.usesKeypressNotifications = true
        return script
    }()

    private static func make(
        _ name: String,
        isSecure: Bool,
        toCentral: Bool,
        toPeripheral: Bool
    ) -> PairingScript {
        var script = PairingScript(name, isSecure, .outOfBand, .noInputNoOutput, .noInputNoOutput)
        var generator = SplitMix64(seed: 0x00B)
        let ofCentral = Pairing.LocalOutOfBandData.make(using: &generator)
        let ofPeripheral = Pairing.LocalOutOfBandData.make(
            forLegacyPairing: !isSecure,
            using: &generator
        )
        if toPeripheral {
            script.central.localOutOfBandData = isSecure ? ofCentral : nil
            script.peripheral.peerOutOfBandData = isSecure ? ofCentral?.data : nil
        }
        if toCentral {
            script.peripheral.localOutOfBandData = ofPeripheral
            script.central.peerOutOfBandData = ofPeripheral?.data
        }
        return script
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
