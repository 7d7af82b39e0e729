// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothSMP

/// The people at the two ends, or the one who has both devices before him.
struct People {
    /// What somebody does who is asked.
    enum Manner {
        /// Does what is to be done.
        case helpful
        /// Says no.
        case refusing
        /// Enters another passkey than the one that is shown.
        case mistaken
        /// Does not answer.
        case absent
    }

    var manners: [Encounter.End: Manner] = [:]
    /// Who is faster when both are asked.
    var faster = Encounter.End.central
    /// What is entered at both ends when nothing is shown.
    var agreed: UInt32 = 4_711

    /// What was shown last at each end.
    private(set) var seen: [Encounter.End: UInt32] = [:]
    /// Whether the last two numbers that were to be compared differed.
    private(set) var hasSeenDifference = false

    mutating func see(_ number: UInt32, at end: Encounter.End) {
        seen[end] = number
    }

    /// Who answers next.
    func next(of questions: [Encounter.End: Pairing.Question]) -> Encounter.End? {
        [faster, faster.other].first { questions[$0] != nil }
    }

    /// Nil from somebody who is not there.
    mutating func answer(
        to question: Pairing.Question,
        at end: Encounter.End
    ) -> Pairing.Answer? {
        switch manners[end] ?? .helpful {
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
            return .passkey(manners[end] == .mistaken ? (number + 1) % 1_000_000 : number)
        }
    }
}
