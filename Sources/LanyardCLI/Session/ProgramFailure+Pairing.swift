// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension ProgramFailure {
    /// Why a pairing came to nothing, and what a person can do about it.
    init(_ failure: Pairing.Failure, during step: String) {
        let happened = "\(step): \(failure)"
        switch failure {
        case .refused(let reason):
            self.init(.refused, happened, advice: reason.advice(isOurs: true))
        case .refusedByPeer(let reason):
            self.init(
                .refused,
                "\(step): refused by the accessory: \(reason)",
                advice: reason.advice(isOurs: false)
            )
        case .declined: self.init(.refused, happened)
        case .timedOut: self.init(.timedOut, happened, advice: "begin again")
        case .tooSoon(let wait):
            let advice = "try again in \(SecondsText.describe(wait))"
            self.init(.refused, happened, advice: advice)
        case .busy: self.init(.refused, happened, advice: "wait for it")
        case .notEncrypted:
            self.init(
                .refused,
                happened,
                advice: "record it with --trace FILE and show it to the accessory's maker"
            )
        case .linkEnded: self.init(.inputOutput, happened, advice: Self.tryAgain)
        case .cancelled: self = .interrupted
        }
    }
}

extension Pairing.FailureReason {
    /// What a person can do about it.
    fileprivate func advice(isOurs: Bool) -> String {
        switch self {
        case .passkeyEntryFailed: "enter the digits within 30 s"
        case .outOfBandDataNotAvailable: "give --oob FILE, or what the accessory needs of us"
        case .authenticationRequirements where isOurs:
            "--io says what can be shown and entered here; --legacy allows older ways"
        case .authenticationRequirements: "say with --io what can be shown and entered here"
        case .confirmValueFailed, .dhKeyCheckFailed:
            "check the digits and try again; if they were right, somebody is in between"
        case .numericComparisonFailed: "if they differed, somebody is in between"
        case .pairingNotSupported: "have the accessory accept pairing, by a button as a rule"
        case .encryptionKeySize: "--min-key-size allows shorter ones"
        case .repeatedAttempts: "wait a little and try again"
        default: "see the accessory's documentation"
        }
    }
}
