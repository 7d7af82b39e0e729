// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGATT
import BluetoothHost
import HCITransports

struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a peripheral defined by a JSON file.",
        discussion: """
            Advertises, and prints one line for each connection, read, write and subscription. \
            Commands on standard input change values while it runs: type help. Ctrl-C ends it. \
            docs/SERVING.md describes the file.
            """
    )

    @Argument(
        help: ArgumentHelp("The file that defines the peripheral.", valueName: "database.json"),
        completion: .file(extensions: ["json"])
    )
    var database: String

    @Option(help: ArgumentHelp("The device name, instead of the name in the file."))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The random static address. The default is the stored address, or a new one.",
            valueName: "address"
        )
    )
    var address: String?

    @Flag(help: "Check the file, print its attributes, and exit.")
    var check = false

    @Flag(help: "Also print each notification and indication that is sent.")
    var sent = false

    @Flag(
        help: ArgumentHelp(
            "End when standard input ends.",
            discussion: "For a parent process that holds the other end of the pipe."
        )
    )
    var untilEndOfInput = false

    @Flag(help: "Wait for an adapter that is missing or unplugged instead of exiting.")
    var stay = false

    @Option(
        help: ArgumentHelp(
            "With a virtual adapter: an address where other hosts join its radio. Repeat for several.",
            discussion: "tcp:HOST:PORT or unix:PATH. Port 0 lets the system choose.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Let centrals pair for a while. Questions appear on the terminal.",
            discussion: "Type pair to let them pair for as long again."
        )
    )
    var pair = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time for which --pair lets centrals pair, in seconds. 0 sets no limit.",
            valueName: "seconds"
        )
    )
    var pairFor = 300

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var options: AdapterOptions

    func run(on terminal: Console) async throws {
        var accessory = try DatabaseFile.read(database)
        if let name { try accessory.rename(name) }
        if check { return try show(accessory, on: terminal) }
        let window = try window
        let (commands, feed) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingOldest(QuestionQueue.commandLimit)
        )
        let questions = pair ? pairing.questions(at: terminal, commands: feed) : nil
        let console = terminal.asking(questions)
        var session = try options.session(on: console, worksOnDaemon: true)
        if case .daemon = session.adapter {
            try pairing.requireDefaults()
            accessory = try accessory.servedByDaemon()
        }
        session.identity = ServedIdentity(
            of: accessory,
            at: try address.map(DeviceAddress.randomStatic)
        )
        session.airAddresses = try listen.map(AdapterSpecification.listening)
        if stay { session.onAdapterLoss = lossReport(on: console) }
        if case .virtual = session.adapter, listen.isEmpty {
            console.remark(Self.loneHostNotice)
        }
        if pair { session.pairing = try setup(questions, window, on: console) }
        // If clients may pair, the queue separates answers from commands.
        let asking = questions.map { questions in Task { await questions.run(on: console.lines()) }
        }
        defer { asking?.cancel() }
        let isReady = Latch()
        var environment = environment(on: console, isReady)
        environment.commands = questions == nil ? console.lines().texts : commands
        if pair { environment.pairing = .init(window: window) }
        let serving = ServeSession(accessory, environment)
        do {
            try await session.withPeripheral { try await serving.run(on: $0) }
        } catch let failure as ProgramFailure where failure == .interrupted && isReady.isSet {
            // An interruption is the normal end of a server.
        }
    }

    /// The time for which `--pair` lets clients pair; `nil` for as long as the command runs.
    private var window: Duration? {
        get throws(ProgramFailure) {
            guard pairFor >= 0, pairFor <= Self.longestWindow else {
                throw .usage(
                    "'\(pairFor)' is not a valid time for pairing",
                    advice: "use a number of seconds from 0 to \(Self.longestWindow)"
                )
            }
            return pairFor == 0 ? nil : .seconds(pairFor)
        }
    }

    /// One day, in seconds.
    private static let longestWindow = 86_400

    /// Returns the pairing configuration for clients.
    private func setup(
        _ questions: QuestionQueue?,
        _ window: Duration?,
        on console: Console
    ) throws(ProgramFailure) -> PairingSetup {
        let dialogue = pairing.dialogue(questions, at: console)
        return PairingSetup(
            policy: try pairing.policy(hasUser: questions != nil),
            delegate: TerminalDelegate(dialogue: dialogue, permission: PairingPermission()),
            acceptsPairing: true,
            window: window,
            bondLossPolicy: .ask
        )
    }

    private func show(_ accessory: ServedAccessory, on console: Console) throws {
        let exploration = try DatabaseListing(accessory).exploration
        try console.print(options.json ? exploration.json.indented : exploration.tree.text)
    }

    /// Returns a closure that prints that the adapter is lost, or available again.
    private func lossReport(on console: Console) -> @Sendable (AdapterFailure?) throws -> Void {
        { [options] failure in
            let event = failure.map { ServeEvent.adapterLost($0.description) } ?? .adapterBack
            try console.print(options.json ? event.json.timed().compact : event.line)
        }
    }

    private func environment(
        on console: Console,
        _ isReady: Latch
    ) -> ServeSession.Environment {
        var environment = ServeSession.Environment(report: { [options] event in
            if case .ready = event { isReady.set() }
            try console.print(options.json ? event.json.timed().compact : event.line)
        })
        environment.remark = console.remark
        environment.endsWithCommands = untilEndOfInput
        environment.isVerbose = sent
        return environment
    }

    private static let loneHostNotice = """
        lanyard: no other host is on this radio; --listen unix:PATH lets other hosts \
        join\n
        """
}

extension ServedAccessory {
    /// Changes the device name and the name in advertisements. A Device Name that the file defines,
    /// as a copy of an accessory does, gets the new name.
    mutating func rename(_ name: String) throws(ProgramFailure) {
        guard !name.isEmpty, name.utf8.count <= Self.nameLimit else {
            throw .usage(
                "the name has \(name.utf8.count) bytes",
                advice: "give a name of 1 to \(Self.nameLimit) bytes"
            )
        }
        self.name = name
        advertising.name = nil
        for service in services.indices
        where services[service].definition.uuid == GATT.AttributeType.genericAccess {
            for (index, characteristic) in services[service].definition.characteristics.enumerated()
            where characteristic.uuid == GATT.AttributeType.deviceName {
                services[service].values[index].template = ValueTemplate(bytes: Array(name.utf8))
            }
        }
    }
}
