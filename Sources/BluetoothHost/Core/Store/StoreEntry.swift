// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// What the store had under one key when the host began.
package struct StoreEntry: Sendable {
    package let key: StoreKey
    /// The octets; or, in words, why they could not be read.
    package let contents: Result<[UInt8], StoreFault>

    package init(key: StoreKey, contents: Result<[UInt8], StoreFault>) {
        self.key = key
        self.contents = contents
    }
}

/// Why an entry could not be read or written, in words.
package struct StoreFault: Error, Hashable, Sendable {
    package let text: String

    package init(_ error: any Error) {
        text = "\(error)"
    }
}

extension HostStore {
    /// Reads all that a host wants to know of its bonds before it begins. Throws only if the store
    /// does not say what there is.
    package func readBonds() throws -> [StoreEntry] {
        try keys().filter(BondInventory.includes)
            .sorted { $0.description < $1.description }
            .compactMap { key in
                do {
                    return try load(key).map { StoreEntry(key: key, contents: .success($0)) }
                } catch {
                    return StoreEntry(key: key, contents: .failure(StoreFault(error)))
                }
            }
    }
}
