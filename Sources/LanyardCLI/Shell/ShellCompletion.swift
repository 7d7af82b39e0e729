// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes

/// The completion of a line of the shell.
struct ShellCompletion: Sendable {
    /// A word that fits, with the text that a list shows.
    struct Candidate: Equatable, Sendable {
        let text: String
        let label: String

        init(_ text: String, label: String? = nil) {
            self.text = text
            self.label = label ?? text
        }
    }

    /// The names of devices, safe to print.
    var devices: [String] = []
    /// The characteristics of the connected device.
    var characteristics: [GATT.Characteristic] = []
    /// The names of variables.
    var variables: [String] = []

    /// Completes the last word as far as all candidates agree. If there is only one candidate, a
    /// space follows the word.
    func complete(_ before: String) -> LineCompletion {
        let line = PartialLine(before)
        let matching = candidates(for: line).filter {
            $0.text.lowercased().hasPrefix(line.word.lowercased())
        }
        guard let first = matching.first else { return LineCompletion(before: before) }
        let head = String(before[..<line.start])
        if matching.count == 1 {
            return LineCompletion(before: head + Self.quote(first.text, isWhole: true) + " ")
        }
        let common = matching.dropFirst().reduce(first.text) { common, candidate in
            Self.commonPrefix(common, candidate.text)
        }
        let labels = matching.map(\.label)
        guard common.count > line.word.count else {
            return LineCompletion(before: before, candidates: labels)
        }
        return LineCompletion(
            before: head + Self.quote(common, isWhole: false),
            candidates: labels
        )
    }

    /// The data that completions need.
    enum Need: Equatable, Sendable {
        case devices, characteristics
    }

    /// Returns the data that the completion of a line needs; `nil` for none.
    static func need(of before: String) -> Need? {
        let line = PartialLine(before)
        switch kind(of: line) {
        case .target: return .devices
        case .characteristic: return .characteristics
        case .waiting where line.words.last == "device": return .devices
        case .waiting where line.words.last == "notification": return .characteristics
        default: return nil
        }
    }

    private static func commonPrefix(_ one: String, _ other: String) -> String {
        String(zip(one, other).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
    }

    /// Returns the word as a person types it. A word with a space or a special character is quoted,
    /// and a variable is not.
    private static func quote(_ text: String, isWhole: Bool) -> String {
        let isPlain = !text.contains { " \"'\\$".contains($0) }
        guard !isPlain, text.first != "$" else { return text }
        var quoted = "\""
        for character in text {
            if "\"\\$".contains(character) { quoted += "\\" }
            quoted.append(character)
        }
        return isWhole ? quoted + "\"" : quoted
    }
}

// MARK: - Candidates

extension ShellCompletion {
    /// Returns the kind of the word at the end of the line.
    private static func kind(of line: PartialLine) -> ShellVocabulary.Argument? {
        guard let name = line.words.first else { return .command }
        if ShellVocabulary.synonyms[name] ?? name == "fails" {
            return kind(of: line.withoutFirst)
        }
        guard let entry = ShellVocabulary.entry(name), !entry.kinds.isEmpty else { return nil }
        return entry.kinds[min(line.words.count - 1, entry.kinds.count - 1)]
    }

    private func candidates(for line: PartialLine) -> [Candidate] {
        if line.word.hasPrefix("$") { return variables.sorted().map { Candidate("$" + $0) } }
        let isFirst = line.words.count == 1
        switch Self.kind(of: line) {
        case .command: return ShellVocabulary.entries.map { Candidate($0.name) }
        case .target: return isFirst ? deviceCandidates : []
        case .characteristic(let properties): return characteristicCandidates(properties)
        case .service: return Self.scanCandidates(after: line.words.last)
        case .uuid: return Self.uuidCandidates(line.word)
        case .physicalLayer:
            return ShellVocabulary.physicalLayers.map { Candidate($0.name) }
        case .pairingOption: return Self.pairingCandidates(after: line.words.last)
        case .expectation: return ScriptExpectation.keywords.map { Candidate($0) }
        case .waiting: return waitCandidates(after: line.words)
        case .variable, .other, nil: return []
        }
    }

    private var deviceCandidates: [Candidate] { devices.sorted().map { Candidate($0) } }

    /// Returns the device's characteristics that have one of the properties, by UUID, by name and
    /// by handle. If the device's characteristics are not known, returns the names of all
    /// characteristics.
    private func characteristicCandidates(
        _ properties: GATT.CharacteristicProperties
    ) -> [Candidate] {
        guard !characteristics.isEmpty else {
            return Self.names(AssignedNumbers.characteristicNames)
        }
        let characteristics = characteristics.filter {
            !$0.properties.isDisjoint(with: properties)
        }
        let known = Set(characteristics.map(\.uuid))
        let uuids = known.map { uuid in
            let name = AssignedNumbers.name(ofCharacteristic: uuid)
            return Candidate("\(uuid)", label: name.map { "\(uuid) \($0)" })
        }
        let names = known.compactMap { AssignedNumbers.name(ofCharacteristic: $0) }
            .map { Candidate(Self.typed($0)) }
        let handles = characteristics.map { characteristic in
            let handle = "#\(characteristic.valueHandle.rawValue)"
            return Candidate(handle, label: "\(handle) \(characteristic.uuid)")
        }
        return (uuids + names).sorted { $0.text < $1.text } + handles
    }

    private static func scanCandidates(after word: String?) -> [Candidate] {
        if word == "--service" { return names(AssignedNumbers.serviceNames) }
        if word == "--discovery" {
            return ScanFilter.DiscoveryProcedure.allCases.map { Candidate($0.rawValue) }
        }
        return ["--service", "--name", "--minimum-rssi", "--discovery", "--passive"]
            .map { Candidate($0) }
    }

    private static func uuidCandidates(_ word: String) -> [Candidate] {
        let tables = [
            AssignedNumbers.characteristicNames, AssignedNumbers.serviceNames,
            AssignedNumbers.descriptorNames,
        ]
        let uuids = tables.flatMap { $0 }.map { number, name in
            Candidate("\(BluetoothUUID(number))", label: "\(BluetoothUUID(number)) \(name)")
        }
        return uuids.sorted { $0.text < $1.text } + tables.flatMap(names)
    }

    private static func names(_ table: [UInt16: String]) -> [Candidate] {
        table.values.sorted().map { Candidate(typed($0)) }
    }

    /// Returns a name as a person types it: `battery-level`.
    private static func typed(_ name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private static func pairingCandidates(after word: String?) -> [Candidate] {
        if word == "--io" {
            return [
                "display-only", "display-yes-no", "keyboard-only", "no-input-no-output",
                "keyboard-display",
            ].map { Candidate($0) }
        }
        return ["--mitm", "--io", "--no-bond", "--legacy", "--min-key-size", "--keypresses"].map {
            Candidate($0)
        }
    }

    private func waitCandidates(after words: [String]) -> [Candidate] {
        switch words.dropFirst().last {
        case nil: WaitCondition.keywords.map { Candidate($0) }
        case "notification": characteristicCandidates([.notify, .indicate])
        case "device": deviceCandidates
        default: (ScriptExpectation.keywords + ["within"]).map { Candidate($0) }
        }
    }
}

/// A line whose last word is not complete.
private struct PartialLine {
    /// The words before the last.
    var words: [String] = []
    /// The last word, without quotes.
    var word = ""
    /// The place at which the last word begins.
    var start: String.Index

    init(_ text: String) {
        start = text.startIndex
        var quote: Character?
        var isWord = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if !isWord, !character.isWhitespace { (start, isWord) = (index, true) }
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
            } else if quote == nil, character.isWhitespace {
                if isWord { words.append(word) }
                (word, isWord) = ("", false)
            } else {
                word.append(character)
            }
        }
        if !isWord { start = text.endIndex }
    }

    var withoutFirst: PartialLine {
        var line = self
        line.words.removeFirst()
        return line
    }
}
