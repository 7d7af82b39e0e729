// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import JSONText
import Lanyard
import Synchronization

/// A file of secrets: only its owner may read it. It has either its old or its new contents at all
/// times, even if a write fails.
final class SecretFile: Sendable {
    private let path: String
    private let subject: String

    /// Creates the file, or takes an existing one. Refuses devices, pipes and symbolic links,
    /// because another user may have made them.
    ///
    /// - Parameter subject: The contents, for errors.
    init(_ path: String, of subject: String) throws(ProgramFailure) {
        self.path = path
        self.subject = subject
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, subject, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ProgramFailure(
                .inputOutput,
                "\(TerminalText.escape(path)) is not a regular file, so \(subject) cannot be written to it",
                advice: "give the name of a new file"
            )
        }
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure(errno, subject, path) }
    }

    /// Replaces all of the file's contents. Only one task may replace them at a time.
    func replace(with text: String) throws(ProgramFailure) {
        do {
            try DurableFile(url: URL(fileURLWithPath: path)).replace(with: Data(text.utf8))
        } catch let error as AccessoryStoreFailure {
            throw Self.failure(error.code, subject, path)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw Self.failure(Int32(truncatingIfNeeded: cause?.code ?? Int(EIO)), subject, path)
        }
    }

    private static func failure(
        _ code: Int32,
        _ subject: String,
        _ path: String
    ) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "\(subject) cannot be written to \(TerminalText.escape(path)): "
                + String(cString: strerror(code)),
            advice: "give a file in a directory that you may write to and that has space"
        )
    }
}

/// The file of the link keys, for `lanyard trace --keys` and sniffers. The file is rewritten with
/// each new key, so that a process that ends early leaves the keys up to then.
final class KeyExport: Sendable {
    private struct State {
        var keys: [LinkKey] = []
        var failure: ProgramFailure?
    }

    /// The maximum number of keys in the file. The protocol does not limit the number.
    static let keyLimit = 4_096

    private let limit: Int
    private let file: SecretFile
    private let state = Mutex(State())

    /// Creates the file without keys.
    init(_ path: String, limit: Int = KeyExport.keyLimit) throws(ProgramFailure) {
        self.limit = limit
        file = try SecretFile(path, of: "keys")
        try file.replace(with: Self.text([]))
    }

    /// The reason why the file lacks a key; `nil` if it has all keys.
    var failure: ProgramFailure? { state.withLock { $0.failure } }

    /// Adds a key that is not in the file. A key beyond the limit is left out and sets `failure`.
    func add(_ key: LinkKey) {
        state.withLock { state in
            guard !state.keys.contains(key) else { return }
            guard state.keys.count < limit else {
                state.failure = ProgramFailure(.inputOutput, "there are more than \(limit) keys")
                return
            }
            state.keys.append(key)
            do throws(ProgramFailure) {
                try file.replace(with: Self.text(state.keys))
                state.failure = nil
            } catch {
                state.failure = error
            }
        }
    }

    private static func text(_ keys: [LinkKey]) -> String {
        JSON.array(keys.map(\.json)).indented + "\n"
    }
}

extension LinkKey {
    /// The key, with its bytes and those of Rand in the order of the specification and Wireshark:
    /// the most significant byte first. Rand has 64 bits, too many for a JSON number.
    var json: JSON {
        let random = (0..<8).map { UInt8(truncatingIfNeeded: key.random >> (56 - 8 * $0)) }
        return .object([
            .init("central", .string(AddressText.describe(central))),
            .init("peripheral", .string(AddressText.describe(peripheral))),
            .init("ltk", .bytes(key.value.bytes.reversed())),
            .init("ediv", .integer(Int(key.diversifier))),
            .init("rand", .bytes(random)),
        ])
    }
}
