// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Foundation
import HCITransports
import LanyardTestSupport
import ProcessTestSupport
import StoreTestSupport
import Testing

@testable import BluetoothHost

/// A process that stores bonds is killed at any moment. Afterward, the store has its state before
/// the interrupted operation or after it.
@Suite("Crashes of a host", .timeLimit(.minutes(20)))
struct PowerCutTests {
    /// The number of kills.
    private static let killCount = 200

    @Test("After a kill, the store has the old or the new bonds, and no counter is used twice")
    func kill() async throws {
        let directory = temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var generator = SplitMix64(seed: 2)
        var record = Record()
        for round in 0..<Self.killCount {
            let writer = try Writer("bonds", directory, record.generation + 1)
            let lines = generator.happens(oneIn: 8) ? 0 : 1 + generator.next() % 40
            try await writer.read(lines: Int(lines))
            writer.kill(after: Int(generator.next() % 20_000))
            let (output, ending) = try await writer.readAll()
            for line in output { record.note(line) }
            #expect(ending == .killed(signal: SIGKILL), "round \(round): \(writer.errors)")
            try record.check(directory, round)
        }
        #expect(record.generation > Self.killCount)
    }

    @Test("On a full disk, the old bonds remain, and the failures are reported")
    func fullDisk() async throws {
        let directory = temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try save(SampleBonds.bond(0), SampleBonds.bond(1), in: directory)
        let writer = try Writer("fill", directory, 100)
        let failures = try await writer.readAll().output.filter {
            $0.hasPrefix("failed bond-random-c0000000000")
        }
        #expect(failures.count == 4, "\(failures) \(writer.errors)")
        let inventory = try open(directory)
        #expect(inventory.findings.isEmpty)
        #expect(inventory.bonds == [SampleBonds.bond(0), SampleBonds.bond(1)])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(names.count == 3, "\(names)")
    }

    private func save(_ bonds: Bond..., in directory: String) throws {
        let store = try FileStore(directory: directory)
        for bond in bonds {
            let bytes = bond.encode(localIdentity: SampleBonds.identity)
            try store.save(bytes, as: RecordName.bond(bond.peer).key)
        }
    }
}

/// The contents that the store may have after a kill.
private struct Record {
    /// The latest version of any bond in the process's reports.
    private(set) var generation = 0
    /// The version of each bond that the process has reported as stored. No entry if the process
    /// has not stored the bond, or has removed it.
    private var stored: [Int: Int] = [:]
    /// The operation whose start the process has reported, and not its end. The store may contain
    /// its result.
    private var begun: (number: Int, generation: Int?)?
    private var counters: [Int: Int] = [:]

    mutating func note(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 3, let number = Int(words[1]), let value = Int(words[2]) else {
            return
        }
        switch words[0] {
        case "keeping":
            begun = (number, value)
            generation = value
        case "kept": (stored[number], begun) = (value, nil)
        case "dropping": begun = (number, nil)
        case "dropped": (stored[number], begun) = (nil, nil)
        case "signed":
            #expect(value > counters[number] ?? -1, "counter \(value) was used before")
            counters[number] = value
        default: Issue.record("\(line)")
        }
        generation = max(generation, words[0] == "signed" ? 0 : value)
    }

    mutating func check(_ directory: String, _ round: Int) throws {
        let inventory = try open(directory)
        #expect(inventory.findings.isEmpty, "round \(round)")
        for number in 0..<8 {
            let bond = inventory.bonds.first { $0.peer == SampleBonds.peer(number) }
            let found = bond.flatMap(SampleBonds.generation)
            #expect(
                (bond == nil) == (found == nil),
                "Round \(round): the bond and the inventory disagree"
            )
            let isNew = begun?.number == number && begun?.generation == found
            #expect(found == stored[number] || isNew, "round \(round): bond \(number)")
            stored[number] = found
        }
        begun = nil
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(names.allSatisfy { $0 == ".lock" || StoreKey($0) != nil }, "\(names)")
    }
}

/// Returns the contents of a store as the next host reads them.
private func open(_ directory: String) throws -> BondInventory {
    let store = try openLeftStore(directory)
    let entries = try? store.readBonds()
    return BondInventory(entries ?? [], localIdentity: SampleBonds.identity)
}

private func temporaryDirectory() -> String {
    NSTemporaryDirectory() + "lanyard-store-\(UUID().uuidString)"
}

/// A process that stores bonds and reports its actions.
private final class Writer {
    /// The longest wait for a line of output, or for the end of the process, on a busy machine.
    private static let limit = Duration.seconds(60)

    private let process: ChildProcess
    private var lines: [String] = []

    init(_ mode: String, _ directory: String, _ number: Int) throws {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("StoreWriter")
        process = try ChildProcess(program.path, [mode, directory, "\(number)"])
    }

    var errors: String { process.log }

    /// Waits for `count` lines, or for fewer if the process ends before.
    func read(lines count: Int) async throws {
        while lines.count < count, let line = try await process.nextLine(within: Self.limit) {
            lines.append(line)
        }
    }

    /// Kills the process after a short delay: the time to count to `count`.
    func kill(after count: Int) {
        var sum = 0
        for number in 0..<count { sum = (sum &+ number) ^ count }
        if sum != .min { process.kill() }
    }

    /// Waits for the end of the process. Returns its complete output by lines, and its ending.
    func readAll() async throws -> (output: [String], ending: ChildProcess.Ending) {
        let (rest, ending) = try await process.waitUntilEnd(within: Self.limit)
        lines += rest.split(separator: "\n").map(String.init)
        return (lines.filter { $0 != "ready" }, ending)
    }
}
