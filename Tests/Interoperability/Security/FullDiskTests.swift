// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// `lanyard` with a store on a real file system that is full: a small tmpfs, mounted in the
/// process's own namespace.
@Suite("Pairing while the disk is full", .needsPeers, .needsOwnMounts)
struct FullDiskTests {
    /// The size of the disk.
    enum Disk: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// Room for the identity and the secret, one entry each.
        case roomForIdentity = "8k"
        /// Room for the identity alone.
        case roomForOneEntry = "4k"

        var testDescription: String { rawValue }
    }

    @Test(
        "The pair command exits with code 74 and informs the accessory",
        arguments: Disk.allCases
    )
    func pair(_ disk: Disk) async throws {
        try await withFullDisk { harness, companion, folder in
            try await companion.prepare()
            try await companion.advertise()
            companion.awaitPairing()
            let process = try start(["pair", "Companion"], on: disk, harness, folder)
            let (output, ending) = try await process.waitUntilEnd(within: PeerHarness.limit * 2)
            #expect(ending == .exited(74), "\(output)")
            #expect(!output.contains("paired: "))
            #expect(output.contains("the keys could not be stored: "))
            #expect(output.contains("No space left on device"))
            #expect(try await companion.outcome() == .failed(.keyRejected, byPeer: true))
            #expect(try await companion.bonds().isEmpty)
        }
    }

    @Test("The serve command disconnects a client whose keys cannot be stored")
    func serve() async throws {
        try await withFullDisk { harness, companion, folder in
            let table = folder + "/lock.json"
            let text = #"{"name": "Lock", "services": [{"uuid": "180F"}]}"#
            try Data(text.utf8).write(to: URL(fileURLWithPath: table))
            let options = ["--pair", "--answers", "--io", "no-input-no-output"]
            let process = try start(
                ["serve", table] + options,
                on: .roomForIdentity,
                harness,
                folder
            )
            try await companion.prepare()
            try await companion.connect(name: "Lock")
            companion.beginPairing()
            var output = ""
            while !output.contains("wants to pair") {
                output += try #require(try await process.nextLine(within: PeerHarness.limit)) + "\n"
            }
            process.write(line: "y")
            _ = try await companion.outcome()
            let end = try await companion.client.perform("ended")
            #expect(end["reason"].integer == Int(HCI.ErrorCode.remoteDeviceLowResources.rawValue))
            process.send(signal: SIGINT)
            let (rest, ending) = try await process.waitUntilEnd(within: PeerHarness.limit)
            #expect(ending == .exited(0))
            #expect(!(output + rest).contains("bonded: "))
            #expect(rest.contains("No space left on device"))
        }
    }

    private func start(
        _ arguments: [String],
        on disk: Disk,
        _ harness: PeerHarness,
        _ folder: String
    ) throws -> ChildProcess {
        let script = #"mount -t tmpfs -o "size=$0" tmpfs "$1" && shift && exec "$@" 2>&1"#
        let store = ["--store", folder + "/disk/store"]
        return try ChildProcess(
            MountNamespace.program,
            MountNamespace.options + ["/bin/sh", "-c", script, disk.rawValue, folder + "/disk"]
                + [LanyardTool.path] + arguments + store,
            environment: ["LANYARD_ADAPTER": harness.controllers.adapters[0]]
        )
    }

    private func withFullDisk(
        _ body: (PeerHarness, Companion, _ folder: String) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        let disk = folder + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPeerHarness { harness in
            try await body(harness, try await harness.companion(), folder)
        }
    }
}

/// A process with its own mounts (unshare, of util-linux).
enum MountNamespace {
    static let program = "/usr/bin/unshare"

    /// Only the superuser needs no user namespace.
    static let options = geteuid() == 0 ? ["--mount"] : ["--map-root-user", "--mount"]

    /// Returns whether this system lets the tests mount a file system.
    static func isPossible() async -> Bool {
        let script = "mount -t tmpfs tmpfs /mnt"
        let process = try? ChildProcess(program, options + ["/bin/sh", "-c", script])
        let ending = try? await process?.waitUntilEnd(within: PeerHarness.limit).1
        return ending == .exited(0)
    }
}

extension Trait where Self == ConditionTrait {
    /// The test mounts a file system. With `CI=true`, it runs even where that is impossible, and
    /// fails.
    static var needsOwnMounts: Self {
        .enabled("This system does not let the tests mount a file system") {
            if PeerInstallation.isContinuousIntegration { return true }
            return await MountNamespace.isPossible()
        }
    }
}
