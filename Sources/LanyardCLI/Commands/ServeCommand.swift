// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothTypes
import HCITransports

struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Is the accessory that a JSON file describes.",
        discussion: """
            Advertises, and prints connections, reads, writes and subscriptions as they come, a line \
            each. While it runs, lines of standard input change values: type help. Ends with Ctrl-C. \
            docs/SERVING.md says what may be in the file.
            """
    )

    @Argument(help: ArgumentHelp("What is served.", valueName: "database.json"))
    var database: String

    @Option(help: ArgumentHelp("What it is called, instead of what the file says."))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Its random static address; otherwise a new one is made up for each run.",
            valueName: "address"
        )
    )
    var address: String?

    @Flag(help: "Only check the file, and print the table that it leads to.")
    var check = false

    @Flag(help: "Print each value that is sent as well.")
    var sent = false

    @Flag(
        help: ArgumentHelp(
            "End when standard input ends.",
            discussion: "For programs that start it and hold the other end of a pipe."
        )
    )
    var untilEndOfInput = false

    @Option(
        help: ArgumentHelp(
            "With a virtual adapter: where other hosts join its air; may be repeated.",
            discussion: "tcp:HOST:PORT or unix:PATH; port 0 lets the system choose.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        var accessory = try DatabaseFile.read(database)
        if let name { try accessory.rename(name) }
        if check { return try show(accessory, on: console) }
        var session = try options.session(on: console)
        let identity = HostIdentity(of: accessory, at: try ownAddress)
        session.identity = identity
        session.airAddresses = try listen.map(AdapterSpecification.listening)
        if case .virtual = session.adapter, listen.isEmpty {
            console.remark(Self.solitude)
        }
        let isReady = Latch()
        let serving = ServeSession(
            accessory,
            at: identity.address,
            surroundings(on: console, isReady)
        )
        do {
            try await session.withHost { try await serving.run(on: $0) }
        } catch let failure as ProgramFailure where failure == .interrupted && isReady.isSet {
            // To be interrupted is how a server ends.
        }
    }

    private var ownAddress: DeviceAddress {
        get throws {
            if let address { return try DeviceAddress.randomStatic(address) }
            var generator = SystemRandomNumberGenerator()
            return DeviceAddress.randomStatic(using: &generator)
        }
    }

    private func show(_ accessory: ServedAccessory, on console: Console) throws {
        let exploration = try DatabaseListing(accessory).exploration
        try console.print(options.json ? exploration.json.indented : exploration.tree.text)
    }

    private func surroundings(
        on console: Console,
        _ isReady: Latch
    ) -> ServeSession.Surroundings {
        var surroundings = ServeSession.Surroundings(tell: { [options] news in
            if case .ready = news { isReady.set() }
            try console.print(options.json ? news.json.compact : news.line)
        })
        surroundings.remark = console.remark
        surroundings.orders = InputLines.stream()
        surroundings.endsWithOrders = untilEndOfInput
        surroundings.isTalkative = sent
        return surroundings
    }

    private static let solitude = """
        lanyard: nobody can come here: the air is this command's own; --listen unix:PATH lets \
        others in\n
        """
}

extension ServedAccessory {
    /// Gives it another name, in its advertisements as well.
    mutating func rename(_ name: String) throws(ProgramFailure) {
        guard !name.isEmpty, name.utf8.count <= Self.nameLimit else {
            throw .usage(
                "the name has \(name.utf8.count) octets",
                advice: "give one of 1 to \(Self.nameLimit)"
            )
        }
        self.name = name
        advertising.name = nil
    }
}
