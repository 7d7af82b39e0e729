// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
import Foundation
import HCITransports
import JSONText
import VirtualAdapters

struct BondsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds",
        abstract: "List or remove bonds.",
        discussion: """
            Reads an adapter's store without opening the adapter. With --adapter bluez, the bonds are \
            those of the system, which all programs share.
            """,
        subcommands: [BondsListCommand.self, BondsRemoveCommand.self],
        defaultSubcommand: BondsListCommand.self
    )
}

/// The options that choose the bonds and the output.
struct BondsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The adapter whose bonds to list or remove.",
            discussion: """
                The default is the environment variable LANYARD_ADAPTER, or else the first free \
                adapter of this machine, or its first adapter if none is free. With --store, no \
                adapter is needed.
                """,
            valueName: "adapter"
        ),
        completion: .adapters
    )
    var adapter: String?

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Returns the session on the Bluetooth daemon that keeps the bonds; `nil` if a store has them.
    func daemonSession(
        on console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> AdapterSession? {
        guard case .daemon? = try AdapterOptions.named(adapter, environment: environment),
            adapter != nil || storage.explicit == nil
        else { return nil }
        return AdapterSession(
            adapter: try AdapterOptions.named(adapter, environment: environment)
                ?? .daemon(adapter: nil),
            traceFile: nil,
            limits: StepLimits(seconds: try AdapterOptions.seconds(in: environment)),
            console: console,
            store: try storage.explicit?.get() ?? .none
        )
    }

    /// Returns the bonds in the store; `nil` if the store does not exist or is not used.
    ///
    /// - Parameter forReading: Whether the bonds are only read, while another program may use the
    ///   store.
    func open(
        forReading: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> StoredBonds? {
        let choice = try choice(environment: environment)
        guard let store = try choice.openExisting(forReading: forReading) else { return nil }
        do {
            return try StoredBonds(store)
        } catch {
            throw ProgramFailure(
                .inputOutput,
                "the bonds cannot be read: \(TerminalText.escape("\(error)"))",
                advice: "give --store a directory that you may read"
            )
        }
    }

    /// Returns the store that the options name, or the store of the adapter that the options, the
    /// environment or the system name.
    func choice(
        environment: [String: String],
        ofSystem: () -> AdapterChoice? = firstOfSystem
    ) throws -> StoreChoice {
        if let explicit = storage.explicit { return try explicit.get() }
        let named = try AdapterOptions.named(adapter, environment: environment)
        guard let adapter = named ?? ofSystem() else {
            throw ProgramFailure(
                .adapterUnavailable,
                "no adapter was named, and this machine has none",
                advice: "give --adapter \(AdapterChoice.forms), or --store DIRECTORY"
            )
        }
        return try storage.choice(for: adapter, environment: environment)
    }

    /// Returns the adapter that other commands take, or else the first adapter, even if it is in
    /// use, because its bonds can be read without opening it.
    private static func firstOfSystem() -> AdapterChoice? {
        AdapterChoice.ofSystem()
            ?? SystemAdapters.list().first.map { .reached(.hci(index: $0.index)) }
    }
}

struct BondsListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the bonds.",
        discussion: """
            Prints one line per bond, the most recently used last: its permanent identifier, the \
            peer's name and identity address, and the protection of its links. The bonds of the \
            Bluetooth daemon have only a name and an address, and no order.
            """
    )

    @OptionGroup var options: BondsOptions

    func run(on console: Console) async throws {
        if let session = try options.daemonSession(on: console) {
            return try await session.withCentral {
                try show(await $0.accessoryBonds(), on: console)
            }
        }
        let stored = try options.open(forReading: true)
        for problem in stored?.problems ?? [] {
            let text = TerminalText.escape("\(problem.entry) is not used: \(problem.reason)")
            console.remark("lanyard: \(text)\n")
        }
        try show((stored?.bonds ?? []).map { AccessoryBond($0) }, on: console)
    }

    private func show(_ bonds: [AccessoryBond], on console: Console) throws {
        if options.json { return try console.print(JSON.array(bonds.map(BondText.json)).indented) }
        for bond in bonds { try console.print(BondText.line(bond)) }
        if bonds.isEmpty { console.remark("lanyard: there are no bonds\n") }
    }
}

struct BondsRemoveCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a bond and everything stored about the peer.",
        discussion: "The peer keeps its own copy of the bond: remove it there as well."
    )

    @Argument(help: "The identifier, name or address of a bond.") var target: String?

    @Flag(help: "Remove all bonds.")
    var all = false

    @OptionGroup var options: BondsOptions

    func run(on console: Console) async throws {
        guard (target == nil) == all else {
            throw ProgramFailure.usage(
                "name one bond, or use --all",
                advice: "give a bond's identifier, name or address, or --all"
            )
        }
        let target = try target.map { try Target($0) }
        if let session = try options.daemonSession(on: console) {
            return try await session.withCentral { central in
                try await remove(target, of: await central.accessoryBonds(), on: console) { bond in
                    try await session.limits.run("removing the bond") {
                        try await central.remove(bond)
                    }
                }
            }
        }
        var stored = try options.open(forReading: false)
        let bonds = (stored?.bonds ?? []).map { AccessoryBond($0) }
        try await remove(target, of: bonds, on: console) { bond in
            do {
                _ = try stored?.remove(bond.identifier)
            } catch {
                throw ProgramFailure(
                    .inputOutput,
                    "the bond cannot be removed: \(TerminalText.escape("\(error)"))",
                    advice: "check that you may write to the store"
                )
            }
        }
    }

    /// Removes the bond of the target, or all bonds.
    private func remove(
        _ target: Target?,
        of bonds: [AccessoryBond],
        on console: Console,
        _ body: (AccessoryBond) async throws -> Void
    ) async throws {
        let removed = try target.map { [try BondFinder(bonds: bonds).require($0)] } ?? bonds
        for bond in removed {
            try await body(bond)
            if !options.json { try console.print("removed: " + BondText.line(bond)) }
        }
        if options.json { try console.print(JSON.array(removed.map(BondText.json)).indented) }
    }
}
