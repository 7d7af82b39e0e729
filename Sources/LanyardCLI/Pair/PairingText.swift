// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// What is said and asked while something is paired, and what is taken for an answer.
enum PairingText {
    static let consent = "Pair all the same? [y/N] "
    static let again = "Pair with it anew? [y/N] "
    static let yesOrNo = "Please answer y or n."
    static let sixDigits = "Please enter six digits, or nothing to give up."
    static let howToAnswer = "run this at a terminal, or give answers with --answers"
    static let whatAgainNeeds = "to pair anew needs somebody who agrees"

    /// Which method it is, and what it protects from.
    static func announcement(_ scene: PairingScene) -> String {
        let beginning =
            scene.isIncoming ? "\(scene.peer) wants to pair" : "Pairing with \(scene.peer)"
        return "\(beginning) by \(scene.method): \(meaning(of: scene.method))."
    }

    static func comparison(_ digits: PairingDigits) -> String {
        "Does the other side show \(grouped(digits))? [y/N] "
    }

    static func display(_ digits: PairingDigits) -> String {
        "Enter \(grouped(digits)) at the other side."
    }

    static func entry(isOnBoth: Bool) -> String {
        isOnBoth
            ? "Enter the same six digits here and at the other side: "
            : "Enter the six digits that the other side shows: "
    }

    static func entered(_ count: Int, isComplete: Bool) -> String {
        let digits = "\(count) \(count == 1 ? "digit" : "digits")"
        return isComplete
            ? "The other side has entered everything."
            : "The other side has entered \(digits)."
    }

    static func lost(_ peer: String) -> String {
        "\(peer) has lost the keys that it shared with us, or somebody poses as it."
    }

    static func handedOver(_ path: String) -> String {
        "Hand \(path) over to the other side. Does it know? [y/N] "
    }

    /// What somebody has to be there for.
    static func need(of method: Pairing.Method) -> String {
        switch method {
        case .justWorks: "just works needs somebody who agrees to it"
        case .numericComparison: "numeric comparison needs somebody who compares"
        case .passkeyDisplay, .passkeyEntry, .passkeyEntryOnBoth:
            "\(method) needs somebody who enters digits"
        case .outOfBand: "out of band needs somebody who hands over data"
        }
    }

    /// Six digits as people read them: two groups.
    static func grouped(_ digits: PairingDigits) -> String {
        "\(digits.description.prefix(3)) \(digits.description.suffix(3))"
    }

    private static func meaning(of method: Pairing.Method) -> String {
        switch method {
        case .justWorks: "nobody can listen, but somebody may be in between"
        case .numericComparison: "both sides show six digits, which must be the same"
        case .passkeyDisplay: "six digits, shown here, are entered there"
        case .passkeyEntry: "six digits, shown there, are entered here"
        case .passkeyEntryOnBoth: "the same six digits are entered on both sides"
        case .outOfBand: "the sides were told of each other in another way"
        }
    }
}

// Answers.
extension PairingText {
    /// Digits that were entered, or that there will be none.
    enum Entry: Equatable, Sendable {
        case digits(PairingDigits)
        case none
    }

    /// A yes, or a no, which nothing at all is as well; nil for anything else.
    static func readYes(_ line: String) -> Bool? {
        switch words(line).lowercased() {
        case "y", "yes": true
        case "n", "no", "": false
        default: nil
        }
    }

    /// Six digits, with or without spaces; or nothing, to give up; nil for anything else.
    static func readEntry(_ line: String) -> Entry? {
        let text = words(line)
        if text.isEmpty { return Entry.none }
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let digits = UInt32(text).flatMap({ PairingDigits($0) })
        else { return nil }
        return .digits(digits)
    }

    private static func words(_ line: String) -> String { line.filter { !$0.isWhitespace } }
}
