// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// A line of the shell, with its arguments parsed.
enum ShellStatement: Equatable, Sendable {
    /// Performs a command.
    case perform(ShellOperation)
    /// Performs a command that is expected to fail.
    case fails(ShellOperation)
    case set(String, String)
    /// Limits the time of each later line; `nil` for no limit.
    case timeout(Duration?)
    /// Limits the time of the whole script; `nil` for no limit.
    case limit(Duration?)
    case expect(ScriptExpectation)
    case wait(WaitCondition, within: Duration?)
    case quit
}

/// A command of the shell that has an effect outside of the interpreter.
enum ShellOperation: Equatable, Sendable {
    case scan(ScanRequest)
    /// Connects to the target, or to the last target.
    case connect(Target?)
    case disconnect
    case status
    case explore
    case read(CharacteristicReference)
    case write(CharacteristicReference, [UInt8], withResponse: Bool)
    case subscribe([CharacteristicReference], GATT.SubscriptionKind?)
    /// Ends the subscriptions to these characteristics; all subscriptions if the list is empty.
    case unsubscribe([CharacteristicReference])
    /// Pairs with these options of `lanyard pair`.
    case pair([String])
    /// Answers the next question of a pairing.
    case answer(String)
    case bonds
    /// Removes the bond with the target, or with the connected device.
    case forget(Target?)
    case mtu
    /// Prints the timing of the link. If a timing is given, first changes it.
    case parameters(ConnectionUpdate?)
    case rssi
    /// Prints the physical layers of the link. If one is given, first changes to it.
    case phy(PHY?)
    case info(BluetoothUUID)
    case decode(BluetoothUUID, [UInt8])
    case echo(String)
    case help(String?)
}

extension ShellOperation {
    /// The scan that a line describes.
    struct ScanRequest: Equatable, Sendable {
        var filter = ScanFilter()
        var parameters = ScanParameters()
        var hasFilter = false
        /// The time of the scan; `nil` for a live table until a key ends it, or for
        /// `ShellSession.scanTime` if there is no live table.
        var limit: Duration?
    }
}

extension ShellStatement {
    /// Parses the words of a line, with the variables replaced.
    init(_ words: [String]) throws(ProgramFailure) {
        guard let name = words.first, let entry = ShellVocabulary.entry(name) else {
            throw ShellVocabulary.unknown(words.first ?? "")
        }
        var arguments = ShellArguments(entry, words.dropFirst())
        if arguments.takeFlag("--help") || arguments.takeFlag("-h") {
            self = .perform(.help(entry.name))
            return
        }
        self = try entry.parse(&arguments)
        try arguments.finish()
    }

    /// Checks the words of a line before their variables have values. Returns the name of the
    /// variable that the line sets.
    static func check(_ line: ShellWords) throws(ProgramFailure) -> String? {
        guard let first = line.words.first else { return nil }
        guard line.variables.isEmpty else {
            guard case .text(let name)? = first.parts.first, first.parts.count == 1 else {
                return nil
            }
            guard let entry = ShellVocabulary.entry(name) else {
                throw ShellVocabulary.unknown(name)
            }
            guard entry.name == "set", line.words.count > 1,
                case .text(let variable)? = line.words[1].parts.first
            else { return nil }
            return variable
        }
        let statement = try ShellStatement(try line.expanded([:]))
        if case .set(let name, _) = statement { return name }
        return nil
    }
}

/// The arguments of a line, which its parser takes one after the other.
struct ShellArguments: Sendable {
    let entry: ShellVocabulary.Entry
    private(set) var words: ArraySlice<String>

    init(_ entry: ShellVocabulary.Entry, _ words: ArraySlice<String>) {
        self.entry = entry
        self.words = words
    }

    /// Takes a flag from anywhere among the words. Returns whether it was there.
    mutating func takeFlag(_ flag: String) -> Bool {
        guard let index = words.firstIndex(of: flag) else { return false }
        words.remove(at: index)
        return true
    }

    /// Takes the next word.
    mutating func take() throws(ProgramFailure) -> String {
        guard let word = words.popFirst() else {
            throw .usage("an argument of '\(entry.name)' is missing", advice: advice)
        }
        return word
    }

    /// Takes the next word if there is one.
    mutating func takeOptional() -> String? { words.popFirst() }

    /// Takes all words.
    mutating func takeAll() -> ArraySlice<String> {
        defer { words = [] }
        return words
    }

    /// Throws if a word is left.
    func finish() throws(ProgramFailure) {
        guard let extra = words.first else { return }
        throw .usage(
            "'\(entry.name)' does not take '\(TerminalText.escape(String(extra.prefix(60))))'",
            advice: advice
        )
    }

    /// The form of the command, for messages.
    var advice: String { "use \(entry.usage)" }
}
