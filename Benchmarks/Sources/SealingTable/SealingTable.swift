// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation
import Lanyard

#if canImport(Glibc)
    import Glibc
#elseif !os(Linux)
    import Darwin
#endif

// The table of sealing in docs/PERFORMANCE.md, printed as Markdown. Run with `taskset -c 1`: on one
// core.
//
// Each figure is next to the cost of the cryptographic library alone for the same work, measured
// alternately in the same run: their ratio can be compared between machines. Times are CPU
// times.
@main
struct SealingTable {
    private static let lengths = [20, 244, 4_096, 65_536]
    /// The maximum number of bytes of one measurement.
    private static let bytesEach = 8_000_000
    private static let callsEach = 20_000
    /// The number of measurements. The best one counts.
    private static let rounds = 9

    static func main() throws {
        print("| | bytes | sealed, MB/s | opened, MB/s | library alone, MB/s | ratio |")
        print("|---|--:|--:|--:|--:|--:|")
        for length in lengths {
            try measureGCM(Data(repeating: 0x5A, count: length))
            try measureSession(Data(repeating: 0x5A, count: length))
            try measureCBC(Data(repeating: 0x5A, count: length))
            try measureAuthenticatedCBC(Data(repeating: 0x5A, count: length))
        }
    }

    private static let key = SealingKey(random: .bits256)
    private static let libraryKey = SymmetricKey(data: key.bytes)

    private static func measureGCM(_ data: Data) throws {
        let sealing = GCMSealing(key: key)
        let sealed = try sealing.seal(data)
        try row(
            "GCM",
            data.count,
            seal: { try sealing.seal(data).count },
            open: { try sealing.open(sealed).count },
            library: { try sealWithLibrary(data) }
        )
    }

    private static func measureSession(_ data: Data) throws {
        let sealing = GCMSealing(key: key)
        var central = sealing.makeSession(as: .central)
        var peripheral = sealing.makeSession(as: .peripheral)
        guard let greeting = central.greeting,
            case .answer(let answer) = try peripheral.open(greeting),
            case .answer(let confirmation) = try central.open(answer),
            case .nothing = try peripheral.open(confirmation)
        else { preconditionFailure("The handshake failed") }
        let sealed = try central.seal(data)
        try row(
            "GCM, in a session",
            data.count,
            seal: { try central.seal(data).count },
            open: {
                // A session opens a message only once, and every repetition opens the same
                // message. Each one therefore uses a copy of the session from before.
                var listener = peripheral
                guard case .message(let message) = try listener.open(sealed) else { return 0 }
                return message.count
            },
            library: { try sealWithLibrary(data) }
        )
    }

    private static func measureCBC(_ data: Data) throws {
        let sealing = CBCSealing(key: key)
        let sealed = try sealing.seal(data)
        try row(
            "CBC",
            data.count,
            seal: { try sealing.seal(data).count },
            open: { try sealing.open(sealed).count },
            library: { try AES._CBC.encrypt(data, using: libraryKey, iv: AES._CBC.IV()).count }
        )
    }

    private static func measureAuthenticatedCBC(_ data: Data) throws {
        let sealing = try AuthenticatedCBCSealing(
            encryption: key,
            authentication: SealingKey(random: .bits256)
        )
        let sealed = try sealing.seal(data)
        try row(
            "CBC and HMAC",
            data.count,
            seal: { try sealing.seal(data).count },
            open: { try sealing.open(sealed).count },
            library: {
                let body = try AES._CBC.encrypt(data, using: libraryKey, iv: AES._CBC.IV())
                let code = HMAC<SHA512>.authenticationCode(for: body, using: libraryKey)
                return body.count + code.byteCount
            }
        )
    }

    private static func sealWithLibrary(_ data: Data) throws -> Int {
        try AES.GCM.seal(data, using: libraryKey).combined?.count ?? 0
    }

    private static func row(
        _ name: String,
        _ length: Int,
        seal: () throws -> Int,
        open: () throws -> Int,
        library: () throws -> Int
    ) throws {
        var figures = (0.0, 0.0, 0.0)
        for _ in 0..<rounds {
            figures.0 = max(figures.0, try speed(length, seal))
            figures.1 = max(figures.1, try speed(length, open))
            figures.2 = max(figures.2, try speed(length, library))
        }
        let cells = [figures.0, figures.1, figures.2].map { "\(Int($0.rounded()))" }
        let ratio = (figures.2 / figures.0 * 100).rounded() / 100
        print("| \(name) | \(length) | " + cells.joined(separator: " | ") + " | \(ratio) |")
    }

    /// Returns the speed in millions of bytes of data per second.
    private static func speed(_ length: Int, _ body: () throws -> Int) throws -> Double {
        let count = min(callsEach, bytesEach / length)
        let start = clock()
        var bytes = 0
        for _ in 0..<count { bytes += try body() }
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        precondition(bytes >= count * length, "The measured operation failed")
        return Double(count * length) / seconds / 1_000_000
    }
}
