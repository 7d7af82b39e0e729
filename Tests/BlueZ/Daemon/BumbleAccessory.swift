// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import ProcessTestSupport
import Testing

/// A Bumble accessory on the virtual radio (Tests/Interoperability/Peers). Its process ends when
/// its standard input ends.
struct BumbleAccessory: Sendable {
    static let name = "Bumble"
    /// The UUID of a characteristic that stores the written value.
    static let value = "4C414E59-4152-4400-A000-000000000003"

    private static let python = LanyardTool.packageRoot + "/.peers/venv/bin/python"

    /// Whether Bumble is installed. Continuous integration installs it.
    static let isInstalled =
        ProcessInfo.processInfo.environment["CI"] == "true"
        || FileManager.default.isExecutableFile(atPath: python)

    let process: ChildProcess

    /// Starts the accessory of accessory.py, and waits until it advertises.
    ///
    /// - Parameter io: The IO capability of the accessory, in the words of association.py.
    init(in fixture: KernelFixture, io: String = "none") async throws {
        let options = ["--name", Self.name, "--io", io]
        try await self.init("accessory.py", options, as: "bumble", in: fixture)
    }

    /// Starts a script of Tests/Interoperability/Peers.
    static func start(_ script: String, _ arguments: [String]) throws -> ChildProcess {
        let path = LanyardTool.packageRoot + "/Tests/Interoperability/Peers/" + script
        return try ChildProcess(python, [path] + arguments)
    }

    /// Starts a badge of Examples/Kiosk, and waits until it advertises.
    ///
    /// - Parameters:
    ///   - number: The number in the name and in the manufacturer data of the badge.
    ///   - address: The address of the badge. It may be another one at the next start.
    static func badge(_ number: Int, address: String, in fixture: KernelFixture) async throws
        -> BumbleAccessory
    {
        let options = [
            "--name", "Badge \(number)", "--address", address, "--id", "0000000\(number)",
            "--key", KernelBadge.encryption.hexadecimal,
            "--authentication", KernelBadge.authentication.hexadecimal,
        ]
        return try await BumbleAccessory("badge.py", options, as: "badge-\(address)", in: fixture)
    }

    private init(
        _ script: String,
        _ options: [String],
        as name: String,
        in fixture: KernelFixture
    ) async throws {
        let adapter = try await fixture.kernelAir.openEndpoint(name)
        process = try Self.start(script, ["--adapter", adapter.description] + options)
        let line = try await process.nextLine(within: Limits.step)
        try #require(line?.hasPrefix("ready ") == true, "\(process.log)")
    }

    func end() async throws {
        process.closeInput()
        _ = try await process.waitUntilEnd(within: Limits.step)
    }
}

extension Trait where Self == ConditionTrait {
    /// The condition that Bumble is installed, for tests that use a Bumble accessory.
    static var needsBumble: Self {
        .enabled(if: BumbleAccessory.isInstalled, "Bumble is not installed: Scripts/install-peers")
    }
}
