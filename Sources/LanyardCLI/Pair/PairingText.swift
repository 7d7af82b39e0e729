// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The texts of pairing, and the parsing of answers.
enum PairingText {
    static let yesOrNo = "Please answer y or n."
    static let sixDigits = "Please enter six digits, or an empty line to decline."
    static let howToAnswer = "run this at a terminal, or give answers with --answers"
    static let needOfPairingAgain = "pairing again needs a person who agrees"

    /// Returns the method and its protection.
    static func announcement(_ context: PairingContext) -> String {
        let beginning =
            context.isIncoming ? "\(context.peer) wants to pair" : "Pairing with \(context.peer)"
        return "\(beginning) by \(context.method): \(meaning(of: context.method))."
    }

    /// The text on the display of an accessory on a virtual radio.
    typealias Screen = (label: String, text: String)

    static func shown(_ screen: Screen) -> String {
        let text = screen.text
        let isDigits = text.count == 6 && text.allSatisfy(\.isNumber)
        let digits = isDigits ? "\(text.prefix(3)) \(text.suffix(3))" : TerminalText.escape(text)
        return "On the virtual radio, \"\(TerminalText.escape(screen.label))\" shows \(digits)."
    }

    static func consent(_ context: PairingContext) -> String { "Pair with \(context.peer)? [y/N] " }

    static func comparison(_ digits: PairingDigits, _ context: PairingContext) -> String {
        "Does \(context.peer) show \(grouped(digits))? [y/N] "
    }

    static func display(_ digits: PairingDigits, _ context: PairingContext) -> String {
        "Enter \(grouped(digits)) at \(context.peer)."
    }

    static func entry(_ context: PairingContext) -> String {
        context.method == .passkeyEntryOnBoth
            ? "Enter the same six digits here and at \(context.peer): "
            : "Enter the six digits that \(context.peer) shows: "
    }

    static func entered(_ count: Int, isComplete: Bool, _ context: PairingContext) -> String {
        let digits = isComplete ? "All digits" : "\(count) \(count == 1 ? "digit" : "digits")"
        return "\(digits) entered at \(context.peer)."
    }

    static func again(_ peer: String) -> String { "Pair with \(peer) again? [y/N] " }

    static func lost(_ peer: String) -> String {
        "\(peer) has lost its keys, or another device uses its address."
    }

    static func handedOver(_ path: String) -> String {
        "Transfer \(path) to the peer. Does the peer have it? [y/N] "
    }

    /// Returns a sentence part that states why a pairing method needs a person.
    static func need(of method: Pairing.Method) -> String {
        switch method {
        case .justWorks: "just works needs a person who agrees"
        case .numericComparison: "numeric comparison needs a person who compares"
        case .passkeyDisplay, .passkeyEntry, .passkeyEntryOnBoth:
            "\(method) needs a person who enters digits"
        case .outOfBand: "out of band needs a person who transfers data"
        }
    }

    /// Returns the six digits in two groups.
    static func grouped(_ digits: PairingDigits) -> String {
        "\(digits.description.prefix(3)) \(digits.description.suffix(3))"
    }

    private static func meaning(of method: Pairing.Method) -> String {
        switch method {
        case .justWorks: "protected against eavesdroppers, not against a man in the middle"
        case .numericComparison: "both sides show six digits, which must match"
        case .passkeyDisplay: "six digits are shown here and entered on the peer"
        case .passkeyEntry: "six digits are shown on the peer and entered here"
        case .passkeyEntryOnBoth: "the same six digits are entered on both sides"
        case .outOfBand: "the data was transferred out of band"
        }
    }
}

// The parsing of answers.
extension PairingText {
    /// Digits, or a refusal to enter any.
    enum Entry: Equatable, Sendable {
        case digits(PairingDigits)
        case none
    }

    /// Returns a yes or a no; `nil` for anything else. An empty line is a no.
    static func readYes(_ line: String) -> Bool? {
        switch words(line).lowercased() {
        case "y", "yes": true
        case "n", "no", "": false
        default: nil
        }
    }

    /// Returns the entry on a line: six digits, with or without spaces, or an empty line to
    /// decline. Returns `nil` for anything else.
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
