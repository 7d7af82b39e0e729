// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// Writes every key with which a link is encrypted to a file, for `lanyard trace --keys` and
/// sniffers. It is whole after each key.
final class KeyExport: Sendable {
    private struct State {
        var keys: [LinkKey] = []
        var failure: ProgramFailure?
    }

    /// How many keys are written; a link is encrypted a few times at most, but nothing says so.
    static let keyLimit = 4_096

    private let limit: Int
    private let file: SecretFile
    private let state = Mutex(State())

    /// Makes the file, with no keys in it yet.
    init(_ path: String, limit: Int = KeyExport.keyLimit) throws(ProgramFailure) {
        self.limit = limit
        file = try SecretFile(path, of: "keys")
        try file.replace(with: Self.text([]))
    }

    /// Why the file is not whole, if it is not.
    var failure: ProgramFailure? { state.withLock { $0.failure } }

    /// Adds a key, unless it is there. One too many is left out, and that is told.
    func add(_ key: LinkKey) {
        state.withLock { state in
            guard !state.keys.contains(key) else { return }
            guard state.keys.count < limit else {
                state.failure = ProgramFailure(.inputOutput, "there are more than \(limit) of them")
                return
            }
            state.keys.append(key)
            do throws(ProgramFailure) {
                try file.replace(with: Self.text(state.keys))
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
    /// The key and the number that names it with the most significant octet first, as the
    /// specification and Wireshark print them. 64 bits are more than a JSON number holds.
    var json: JSON {
        let random = (0..<8).map { UInt8(truncatingIfNeeded: key.random >> (56 - 8 * $0)) }
        return .object([
            .init("central", .string(AddressText.describe(central))),
            .init("peripheral", .string(AddressText.describe(peripheral))),
            .init("ltk", .bytes(key.value.bytes.reversed())),
            .init("ediv", .number(Int(key.diversifier))),
            .init("rand", .bytes(random)),
        ])
    }
}
