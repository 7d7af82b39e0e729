// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension ProgramFailure {
    /// Why a pairing came to nothing, and what a person can do about it.
    init(_ failure: Pairing.Failure, during step: String) {
        switch failure {
        case .refused(let reason):
            self.init(
                .refused,
                "\(step): refused by us: \(reason.text)",
                advice: reason.advice(isOurs: true)
            )
        case .refusedByPeer(let reason):
            self.init(
                .refused,
                "\(step): refused by the accessory: \(reason.text)",
                advice: reason.advice(isOurs: false)
            )
        case .declined: self.init(.refused, "\(step): declined here")
        case .timedOut:
            self.init(.timedOut, "\(step): 30 s without a step", advice: "begin again")
        case .tooSoon(let wait):
            self.init(
                .refused,
                "\(step): too soon after a failure",
                advice: "try again in \(SecondsText.describe(wait))"
            )
        case .busy: self.init(.refused, "\(step): a pairing is under way", advice: "wait for it")
        case .notEncrypted:
            self.init(
                .refused,
                "\(step): the link could not be encrypted with the key that was agreed on",
                advice: "record it with --trace FILE and show it to the accessory's maker"
            )
        case .linkEnded:
            self.init(.inputOutput, "\(step): the link ended", advice: Self.tryAgain)
        case .cancelled: self = .interrupted
        }
    }
}

extension Pairing.FailureReason {
    /// The reason in words (Vol 3, Part H, 3.5.5).
    fileprivate var text: String {
        switch self {
        case .passkeyEntryFailed: "the passkey was not entered"
        case .outOfBandDataNotAvailable: "the data out of band is not there"
        case .authenticationRequirements: "the two sides cannot protect each other enough"
        case .confirmValueFailed: "the values do not fit"
        case .pairingNotSupported: "it does not pair, or not now"
        case .encryptionKeySize: "the key would be too short"
        case .commandNotSupported: "the command is not known"
        case .unspecified: "for no reason that it gave"
        case .repeatedAttempts: "too soon after a failure"
        case .invalidParameters: "a value is wrong"
        case .dhKeyCheckFailed: "the keys do not fit"
        case .numericComparisonFailed: "the digits are not the same"
        case .keyRejected: "the key was not taken"
        case .busy: "it is busy"
        default: "reason \(rawValue)"
        }
    }

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
