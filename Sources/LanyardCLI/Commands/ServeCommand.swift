// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
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
            "Its random static address; otherwise the one that its store has, or a new one.",
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

    @Flag(help: "Wait for an adapter that is not there, or is lost, instead of ending.")
    var stay = false

    @Option(
        help: ArgumentHelp(
            "With a virtual adapter: where other hosts join its air; may be repeated.",
            discussion: "tcp:HOST:PORT or unix:PATH; port 0 lets the system choose.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Flag(help: "Let clients pair that ask for it; questions come up where lines are typed.")
    var pair = false

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        var accessory = try DatabaseFile.read(database)
        if let name { try accessory.rename(name) }
        if check { return try show(accessory, on: console) }
        var session = try options.session(on: console)
        session.identity = HostIdentity(
            of: accessory,
            at: try address.map(DeviceAddress.randomStatic)
        )
        session.airAddresses = try listen.map(AdapterSpecification.listening)
        if stay { session.onAdapterLoss = news(on: console) }
        if case .virtual = session.adapter, listen.isEmpty {
            console.remark(Self.solitude)
        }
        let isReady = Latch()
        let (orders, asking) = try input(on: console, &session)
        defer { asking?.cancel() }
        let serving = ServeSession(accessory, surroundings(on: console, orders, isReady))
        do {
            try await session.withHost { try await serving.run(on: $0) }
        } catch let failure as ProgramFailure where failure == .interrupted && isReady.isSet {
            // To be interrupted is how a server ends.
        }
    }

    /// What is typed. Where clients may pair, questions come up between the orders; then somebody
    /// has to tell answers from orders, until cancelled.
    private func input(
        on console: Console,
        _ session: inout AdapterSession
    ) throws -> (orders: AsyncStream<String>, Task<Void, Never>?) {
        guard pair else { return (console.lines(), nil) }
        let (orders, feed) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingOldest(AnswerDesk.orderLimit)
        )
        let desk = pairing.desk(at: console, orders: feed)
        session.pairing = try setup(desk, on: console)
        guard let desk else { return (console.lines(), nil) }
        return (orders, Task { await desk.run(on: console.lines()) })
    }

    /// Lets clients pair, and asks who is there.
    private func setup(
        _ desk: AnswerDesk?,
        on console: Console
    ) throws(ProgramFailure) -> PairingSetup {
        let dialogue = pairing.dialogue(desk, at: console)
        return PairingSetup(
            policy: try pairing.policy(hasSomebody: desk != nil),
            delegate: TerminalDelegate(dialogue: dialogue),
            acceptsPairing: true,
            bondLossPolicy: .ask
        )
    }

    private func show(_ accessory: ServedAccessory, on console: Console) throws {
        let exploration = try DatabaseListing(accessory).exploration
        try console.print(options.json ? exploration.json.indented : exploration.tree.text)
    }

    /// Tells that the adapter is lost, or back.
    private func news(on console: Console) -> @Sendable (AdapterFailure?) throws -> Void {
        { [options] failure in
            let news = failure.map { ServeNews.adapterLost($0.description) } ?? .adapterBack
            try console.print(options.json ? news.json.compact : news.line)
        }
    }

    private func surroundings(
        on console: Console,
        _ orders: AsyncStream<String>,
        _ isReady: Latch
    ) -> ServeSession.Surroundings {
        var surroundings = ServeSession.Surroundings(tell: { [options] news in
            if case .ready = news { isReady.set() }
            try console.print(options.json ? news.json.compact : news.line)
        })
        surroundings.remark = console.remark
        surroundings.orders = orders
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
