// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The entry of the store for one key, as it was when the store was read.
package struct StoreEntry: Sendable {
    package let key: StoreKey
    /// The bytes, or a description of why they could not be read.
    package let contents: Result<[UInt8], StoreFault>

    package init(key: StoreKey, contents: Result<[UInt8], StoreFault>) {
        self.key = key
        self.contents = contents
    }
}

/// A description of why an entry could not be read or written.
package struct StoreFault: Error, Hashable, Sendable {
    package let text: String

    package init(_ error: any Error) {
        self.init(text: "\(error)")
    }

    init(text: String) {
        self.text = text
    }
}

extension HostStore {
    /// Reads the entries about bonds that a host needs when it starts.
    ///
    /// - Throws: The store's error if its entries cannot be listed.
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
