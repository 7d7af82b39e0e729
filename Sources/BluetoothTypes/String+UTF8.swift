// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Creates a text from bytes, or returns `nil` if they are not valid UTF-8.
    ///
    /// Swift's `String(validating:as:)` needs iOS 18 and macOS 15.
    package init?(utf8 bytes: some Collection<UInt8>) {
        // The initializer replaces invalid bytes by the replacement character, so the comparison
        // fails.
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
