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
    static let limit = 4_096

    private let file: SecretFile
    private let state = Mutex(State())

    /// Makes the file, with no keys in it yet.
    init(_ path: String) throws(ProgramFailure) {
        file = try SecretFile(path, of: "keys")
        try file.replace(with: Self.text([]))
    }

    /// Why the file is not whole, if it is not.
    var failure: ProgramFailure? { state.withLock { $0.failure } }

    /// Adds a key, unless it is there.
    func add(_ key: LinkKey) {
        state.withLock { state in
            guard state.keys.count < Self.limit, !state.keys.contains(key) else { return }
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
