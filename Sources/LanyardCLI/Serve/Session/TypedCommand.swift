// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A command that a person types while `serve` runs: one line of standard input.
enum TypedCommand: Equatable, Sendable {
    /// Sets a value.
    case set(CharacteristicReference, [UInt8])
    /// Sends a value to the subscribed clients, after setting it if there are bytes.
    case notify(CharacteristicReference, [UInt8]?)
    /// Allows or refuses access to values that need authorization.
    case authorize(Bool)
    /// Lets clients pair again.
    case pair
    /// Prints all values.
    case values
    /// Prints the links and their subscriptions.
    case links
    /// Prints the commands.
    case help
    /// Ends the command.
    case quit

    /// The commands that can be typed.
    static let explanation = """
        set CHARACTERISTIC VALUE       set a value
        notify CHARACTERISTIC [VALUE]  send a value to subscribed clients
        authorize, deny                allow or refuse access that needs authorization
        values, links                  print all values; print the clients and their subscriptions
        pair                           let clients pair again, if started with --pair
        help, quit

        CHARACTERISTIC is a UUID (2A19), a well-known name (battery-level), either in a service
        (180F/2A19), or the handle of the value (#12). VALUE is hexadecimal (5d), a text
        (text:hello, or in quotes: "hello"), a number with its type (uint16:300), in words
        (value:21.5), or as in a database file ({"sint16": 21.5, "exponent": -2}).
        """

    /// Parses a line. Throws if it is not a command.
    init(_ line: String) throws(ProgramFailure) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
            .map { String($0.drop(while: \.isWhitespace)) }.filter { !$0.isEmpty }
        switch (words.first?.lowercased(), words.count) {
        case ("set", 3):
            let reference = try CharacteristicReference(words[1])
            self = .set(reference, try ValueArgument(words[2], of: reference).bytes)
        case ("notify", 2): self = .notify(try CharacteristicReference(words[1]), nil)
        case ("notify", 3):
            let reference = try CharacteristicReference(words[1])
            self = .notify(reference, try ValueArgument(words[2], of: reference).bytes)
        case ("authorize", 1): self = .authorize(true)
        case ("deny", 1): self = .authorize(false)
        case ("pair", 1): self = .pair
        case ("values", 1): self = .values
        case ("links", 1): self = .links
        case ("help", 1): self = .help
        case ("quit", 1): self = .quit
        default: throw Self.unknown(line, words.first ?? "")
        }
    }

    /// The commands with their arguments.
    private static let forms = [
        "set": "set CHARACTERISTIC VALUE", "notify": "notify CHARACTERISTIC [VALUE]",
        "authorize": "authorize", "deny": "deny", "pair": "pair", "values": "values",
        "links": "links", "help": "help", "quit": "quit",
    ]

    private static func unknown(_ line: String, _ name: String) -> ProgramFailure {
        let shown = TerminalText.escape(String(line.prefix(shownLimit)))
        if let form = forms[name.lowercased()] {
            return .usage("'\(shown)' has missing or extra arguments", advice: "use \(form)")
        }
        return .usage(
            "'\(shown)' is not a command",
            advice: ProgramFailure.didYouMean(
                name,
                among: forms.keys.sorted(),
                otherwise: "type help for the commands"
            )
        )
    }
}

/// The maximum number of characters of an invalid line that the error repeats.
private let shownLimit = 60

// Typed commands.
extension ServeSession {
    /// Performs typed commands until `quit`, until the task is canceled, or, with
    /// `endsWithCommands`, until the lines end.
    func perform(_ adapter: some PeripheralAdapter, _ published: ServedTable) async throws {
        guard let commands = environment.commands else { return await EndOfInput.never() }
        for await line in commands where !line.allSatisfy(\.isWhitespace) {
            do throws(ProgramFailure) {
                let command = try TypedCommand(line)
                if command == .quit { return }
                try await carryOut(command, adapter, published)
            } catch {
                guard error.status != .outputClosed else { throw error }
                environment.remark(error.line + "\n")
            }
        }
        if !environment.endsWithCommands { await EndOfInput.never() }
    }

    private func carryOut(
        _ command: TypedCommand,
        _ adapter: some PeripheralAdapter,
        _ published: ServedTable
    ) async throws(ProgramFailure) {
        switch command {
        case .set(let reference, let bytes): try set(bytes, of: published.find(reference))
        case .notify(let reference, let bytes):
            let attribute = try published.find(reference)
            if let bytes { try set(bytes, of: attribute) }
            try await notify(attribute, adapter, published)
        case .authorize(let isAuthorizing):
            try await adapter.authorizeClients(isAuthorizing)
            state.withLock { $0.isAuthorizing = isAuthorizing }
        case .pair: try await allowPairing(on: adapter)
        case .values: try listValues(published)
        case .links: try await listLinks(of: adapter, published)
        case .help: environment.remark(TypedCommand.explanation + "\n")
        case .quit: break
        }
    }

    private func listValues(_ published: ServedTable) throws(ProgramFailure) {
        for (handle, bytes) in state.withLock({ $0.values.all }) {
            try reportChange(.value(published.attribute(handle), bytes))
        }
    }

    private func listLinks(
        of adapter: some PeripheralAdapter,
        _ published: ServedTable
    ) async throws(ProgramFailure) {
        let links = await adapter.clients
        guard !links.isEmpty else { return environment.remark("no client is connected\n") }
        var subscriptions: [LinkIdentifier: [ServedAttribute]] = [:]
        for handle in state.withLock({ $0.values.all.map(\.handle) }) {
            for link in await adapter.subscribers(of: handle) {
                subscriptions[link.identifier, default: []].append(published.attribute(handle))
            }
        }
        for link in links {
            let protection = try? await link.protection
            try reportChange(
                .link(link.address, protection, subscriptions[link.identifier] ?? [])
            )
        }
    }

    private func allowPairing(on adapter: some PeripheralAdapter) async throws(ProgramFailure) {
        guard let pairing = environment.pairing else {
            throw .usage("clients may not pair", advice: "start serve with --pair")
        }
        await adapter.openPairingWindow(for: pairing.window)
        let limit = pairing.window.map { "for \(SecondsText.describe($0))" } ?? "from now on"
        environment.remark("Clients may pair \(limit).\n")
    }

    private func set(_ bytes: [UInt8], of attribute: ServedAttribute) throws(ProgramFailure) {
        if let problem = state.withLock({ $0.values.set(bytes, of: attribute.handle) }) {
            throw .usage("\(attribute.text) was not set: \(problem)")
        }
        try reportChange(.set(attribute, bytes))
    }

    private func notify(
        _ attribute: ServedAttribute,
        _ adapter: some PeripheralAdapter,
        _ published: ServedTable
    ) async throws(ProgramFailure) {
        let links = await adapter.subscribers(of: attribute.handle)
        guard !links.isEmpty else {
            throw ProgramFailure(.notFound, "no client has subscribed to \(attribute.text)")
        }
        let value = state.withLock { $0.values.value(of: attribute.handle) } ?? []
        do {
            for link in links { try send(value, of: attribute.handle, to: link, published) }
        } catch {
            throw ProgramFailure(error, during: "sending \(attribute.text)")
        }
    }

    private func reportChange(_ event: ServeEvent) throws(ProgramFailure) {
        do {
            try environment.report(event)
        } catch {
            throw ProgramFailure(error, during: "printing")
        }
    }
}
