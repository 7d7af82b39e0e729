// SPDX-License-Identifier: Apache-2.0

extension AdapterSpecification {
    /// The character between the adapters of a list.
    package static let listSeparator: Character = "+"

    /// Parses several adapters that work as one, for example `hci0+tcp:192.0.2.1:9000`.
    ///
    /// - Parameter text: The names of at least two different adapters, separated by `+`.
    /// - Returns: The adapters; `nil` if the text is not such a list. A path with a `+` is not a
    ///   list, because the part after the character is no adapter.
    package static func list(_ text: String) -> [AdapterSpecification]? {
        let parts = text.split(separator: listSeparator, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let adapters = parts.compactMap { try? AdapterSpecification(String($0)) }
        guard adapters.count == parts.count, Set(adapters).count == adapters.count else {
            return nil
        }
        return adapters
    }
}
