// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import ProcessTestSupport
import Testing

@testable import Lanyard

/// Exchange of sealed data with the command line of OpenSSL, in both directions.
@Suite struct OpenSSLTests {
    /// The path of OpenSSL; `nil` if it is not installed.
    private static let openssl: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/openssl" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
    private static let isContinuousIntegration =
        ProcessInfo.processInfo.environment["CI"] == "true"
    private static let lengths = [0, 1, 15, 16, 17, 31, 32, 1_000]

    @Test("OpenSSL is installed in continuous integration", .enabled(if: isContinuousIntegration))
    func isInstalled() {
        #expect(Self.openssl != nil, "install openssl with Scripts/install-peers")
    }

    @Test(
        "OpenSSL decrypts the output of the CBC sealing",
        .enabled(if: openssl != nil, "openssl is not installed"),
        arguments: SealingKey.Size.allCases
    )
    func decryptsOurs(size: SealingKey.Size) async throws {
        var generator = SplitMix64(seed: 11)
        let key = SealingKey(random: size)
        for length in Self.lengths {
            let data = Data(generator.bytes(length))
            let sealed = try CBCSealing(key: key).seal(data)
            let (iv, rest) = (sealed.prefix(16), sealed.dropFirst(16))
            let opened = try await run("-d", key, iv: iv, input: rest)
            #expect(opened == data, "of \(length) bytes")
        }
    }

    @Test(
        "The CBC sealing opens the output of OpenSSL",
        .enabled(if: openssl != nil, "openssl is not installed"),
        arguments: SealingKey.Size.allCases
    )
    func opensTheirs(size: SealingKey.Size) async throws {
        var generator = SplitMix64(seed: 12)
        let key = SealingKey(random: size)
        for length in Self.lengths {
            let data = Data(generator.bytes(length))
            let iv = try RandomBytes.data(count: 16)
            let ciphertext = try await run("-e", key, iv: iv, input: data)
            #expect(try CBCSealing(key: key).open(iv + ciphertext) == data, "of \(length) bytes")
        }
    }

    /// Runs `openssl enc` on files, so that no pipe can block.
    private func run(
        _ direction: String,
        _ key: SealingKey,
        iv: Data,
        input: Data
    ) async throws -> Data {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sealing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("in")
        let result = folder.appendingPathComponent("out")
        try Data(input).write(to: source)

        let process = try ChildProcess(
            try #require(Self.openssl),
            [
                "enc", "-aes-\(key.size.rawValue)-cbc", direction, "-nosalt",
                "-K", hexadecimal(key.bytes), "-iv", hexadecimal(iv),
                "-in", source.path, "-out", result.path,
            ]
        )
        let (_, ending) = try await process.waitUntilEnd(within: .seconds(300))
        #expect(ending == .exited(0), "\(process.log)")
        return try Data(contentsOf: result)
    }

    private func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
