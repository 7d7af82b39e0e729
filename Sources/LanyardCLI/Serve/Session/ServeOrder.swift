// SPDX-License-Identifier: Apache-2.0

import JSONReading

/// What a person types while `serve` runs: one line of standard input.
enum ServeOrder: Equatable, Sendable {
    /// Give a value other octets.
    case set(CharacteristicReference, [UInt8])
    /// Send a value to those who have subscribed; give it other octets first, if there are any.
    case notify(CharacteristicReference, [UInt8]?)
    /// Let clients use what needs authorization, or no longer.
    case authorize(Bool)
    /// Say what can be typed.
    case help
    /// End.
    case quit

    /// What can be typed.
    static let explanation = """
        set CHARACTERISTIC VALUE       give a value other octets
        notify CHARACTERISTIC [VALUE]  send a value to those who have subscribed
        authorize, deny                what clients may do that needs authorization
        help, quit

        CHARACTERISTIC is a UUID (2A19), a well-known name (battery-level), either in a service
        (180F/2A19), or the handle of the value (#12). VALUE is hexadecimal (5d), a text in
        quotes ("hello"), or as in a database file ({"uint16": 300}).
        """

    /// Reads a line that says something; throws if it says nothing that can be done.
    init(_ line: String) throws(ProgramFailure) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first?.lowercased(), words.count) {
        case ("set", 3):
            self = .set(try CharacteristicReference(words[1]), try Self.value(words[2]))
        case ("notify", 2): self = .notify(try CharacteristicReference(words[1]), nil)
        case ("notify", 3):
            self = .notify(try CharacteristicReference(words[1]), try Self.value(words[2]))
        case ("authorize", 1): self = .authorize(true)
        case ("deny", 1): self = .authorize(false)
        case ("help", 1): self = .help
        case ("quit", 1): self = .quit
        default:
            throw .usage(
                "'\(TerminalText.escape(String(line.prefix(shownLimit))))' says nothing to do",
                advice: "help tells what can be typed"
            )
        }
    }

    private static func value(_ text: String) throws(ProgramFailure) -> [UInt8] {
        guard let first = text.first, "\"{[".contains(first) else {
            return try HexArgument(text).bytes
        }
        do throws(JSONError) {
            let node = try JSONNode(parsing: text)
            guard case .string(let text) = node.value else { return try node.constantBytes }
            let bytes = Array(text.utf8)
            guard bytes.count <= HexArgument.lengthLimit else {
                throw node.error("an attribute holds at most \(HexArgument.lengthLimit) octets")
            }
            return bytes
        } catch {
            throw .usage(
                "the value is wrong: \(TerminalText.escape(error.description))",
                advice: "write hexadecimal digits, a text in quotes, or a value as in a file"
            )
        }
    }
}

/// A line that cannot be read is not repeated beyond this.
private let shownLimit = 60
