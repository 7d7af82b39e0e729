// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothSMP

/// The users of the two ends, or one user with both devices.
struct People {
    /// The reaction of a user to a question.
    enum Behavior {
        /// Answers as the question requires.
        case helpful
        /// Declines.
        case refusing
        /// Enters a passkey other than the displayed one.
        case mistaken
        /// Does not answer.
        case absent
    }

    var behaviors: [PairingModel.End: Behavior] = [:]
    /// The end whose user answers first if both have a question.
    var faster = PairingModel.End.central
    /// The passkey that is entered at both ends if none is displayed.
    var agreed: UInt32 = 4_711

    /// The number that was displayed last at each end.
    private(set) var seen: [PairingModel.End: UInt32] = [:]
    /// Whether the numbers of a comparison have differed.
    private(set) var hasSeenDifference = false

    mutating func see(_ number: UInt32, at end: PairingModel.End) {
        seen[end] = number
    }

    /// Returns the end that answers next.
    func next(of questions: [PairingModel.End: Pairing.Question]) -> PairingModel.End? {
        [faster, faster.other].first { questions[$0] != nil }
    }

    /// Returns the answer of the user, or `nil` if the user is absent.
    mutating func answer(
        to question: Pairing.Question,
        at end: PairingModel.End
    ) -> Pairing.Answer? {
        switch behaviors[end] ?? .helpful {
        case .absent: return nil
        case .refusing: return .no
        case .helpful, .mistaken: break
        }
        switch question {
        case .consent, .display: return .yes
        case .confirm(let number):
            let isSame = seen[end.other] == nil || seen[end.other] == number
            if !isSame { hasSeenDifference = true }
            return isSame ? .yes : .no
        case .enterPasskey:
            let number = seen[end.other] ?? agreed
            return .passkey(behaviors[end] == .mistaken ? (number + 1) % 1_000_000 : number)
        }
    }
}
