// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import Foundation
import HCITransports
import Testing
import VirtualAdapters

@testable import BluetoothHost
@testable import LanyardCLI

@Suite("The command lanyard bonds")
struct BondsCommandTests {
    private let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"

    private func run(_ arguments: String...) async -> (
        status: ProcessStatus, output: String, remarks: String
    ) {
        await run(arguments)
    }

    private func run(_ arguments: [String]) async -> (
        status: ProcessStatus, output: String, remarks: String
    ) {
        let (output, remarks) = (ScriptedAccessory.Recorder(), ScriptedAccessory.Recorder())
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let status = await ProgramRun.run(["bonds"] + arguments, on: console)
        return (status, output.lines.joined(), remarks.lines.joined())
    }

    /// Stores bonds with these names.
    private func keep(_ names: [String]) throws {
        let store = try FileStore(directory: folder)
        let key = try #require(HCI.Key128([UInt8](repeating: 7, count: 16)))
        let ours = DeviceAddress(value: 0xC4F0_0000_00FF, kind: .random)
        let identity = Pairing.LocalIdentity(address: ours, resolvingKey: key)
        try store.save(identity.encode(), as: RecordName.identity.key)
        for (index, name) in names.enumerated() {
            let peer = DeviceAddress(value: 0xC4F0_0000_0001 + UInt64(index), kind: .random)
            var bond = Bond(peer: peer, longTermKey: key)
            bond.name = name
            try store.save(bond.encode(localIdentity: ours), as: RecordName.bond(peer).key)
        }
    }

    private func save(_ bytes: [UInt8], as key: StoreKey) throws {
        try FileStore(directory: folder).save(bytes, as: key)
    }

    private func withBonds(
        _ names: String...,
        body: () async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try keep(names)
        try await body()
    }

    @Test("If no adapter is named, the bonds are those of the first adapter of the computer")
    func firstAdapter() throws {
        let options = try BondsOptions.parse([])
        let environment = ["XDG_STATE_HOME": folder]
        let own = AdapterChoice.reached(.tcp(host: "127.0.0.1", port: 6402))
        let chosen = try options.choice(environment: environment) { own }
        #expect(chosen.path?.hasPrefix(folder) == true)
        let named = try options.choice(
            environment: environment.merging(["LANYARD_ADAPTER": "tcp:127.0.0.1:1"]) { $1 }
        ) { own }
        #expect(named.path?.hasPrefix(folder) == true && named.path != chosen.path)
        let failure = #expect(throws: ProgramFailure.self) {
            try options.choice(environment: environment) { nil }
        }
        #expect(failure?.status == .adapterUnavailable)
    }

    @Test("The list reads the store without an adapter and escapes names")
    func list() async throws {
        try await withBonds("Lamp", "a\u{1B}[2Jb") {
            for arguments in [[], ["list"]] {
                let (status, output, remarks) = await run(arguments + ["--store", folder])
                #expect(status == .success && remarks.isEmpty, "\(remarks)")
                #expect(output.split(separator: "\n").count == 2)
                #expect(output.contains("\"Lamp\" C4:F0:00:00:00:01/random: Secure Connections"))
                #expect(output.contains("a\\u{1B}[2Jb") && !output.contains("\u{1B}"))
            }
            let json = await run("list", "--store", folder, "--json").output
            #expect(json.contains(#""identity": "C4:F0:00:00:00:02""#))
            #expect(json.contains(#""keySize": 16"#) && !json.contains("0707"))
        }
    }

    @Test("While another program uses the store, its bonds are listed but not removed")
    func inUse() async throws {
        try await withBonds("Lamp") {
            let other = try FileStore(directory: folder)
            let list = await run("--store", folder)
            #expect(list.status == .success && list.output.contains("\"Lamp\""), "\(list)")
            let removal = await run("remove", "Lamp", "--store", folder)
            #expect(removal.status == .inputOutput)
            #expect(removal.remarks.contains("another process uses the store"))
            other.close()
            #expect(await run("remove", "Lamp", "--store", folder).status == .success)
        }
    }

    @Test("A missing store has no bonds and is not made")
    func nothing() async {
        let (status, output, remarks) = await run("--store", folder)
        #expect(status == .success && output.isEmpty)
        #expect(remarks == "lanyard: there are no bonds\n")
        #expect(await run("--store", folder, "--json").output == "[]\n")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A bond is removed by name or address")
    func remove() async throws {
        try await withBonds("Lamp", "Lock", "Thermometer") {
            for target in ["Lock", "C4:F0:00:00:00:01"] {
                let (status, output, _) = await run("remove", target, "--store", folder)
                #expect(status == .success && output.hasPrefix("removed: "))
            }
            let left = await run("--store", folder).output
            #expect(left.split(separator: "\n").count == 1 && left.contains("Thermometer"))
            #expect(await run("remove", "Lock", "--store", folder).status == .notFound)
        }
    }

    @Test("Only --all removes all bonds")
    func removeAll() async throws {
        try await withBonds("Lamp", "Lock") {
            #expect(await run("remove", "--store", folder).status == .usage)
            #expect(await run("remove", "Lamp", "--all", "--store", folder).status == .usage)
            #expect(await run("remove", "--all", "--store", folder).status == .success)
            #expect(await run("--store", folder).output.isEmpty)
        }
    }

    @Test("A damaged entry is named, and the others are listed")
    func damage() async throws {
        try await withBonds("Lamp", "Lock") {
            let peer = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
            try save([1, 2, 3], as: RecordName.bond(peer).key)
            let (status, output, remarks) = await run("--store", folder)
            #expect(status == .success && output.contains("Lock") && !output.contains("Lamp"))
            #expect(remarks.hasPrefix("lanyard: bond-") && remarks.contains(" is not used: "))
        }
    }

    @Test(
        "An empty --store, and --store with --no-store, are refused",
        arguments: [["--store", ""], ["--store", "x", "--no-store"]]
    )
    func usage(arguments: [String]) async {
        #expect(await run(arguments).status == .usage)
    }
}
