// SPDX-License-Identifier: Apache-2.0

/// Elements that each require a name, or accept any.
///
/// A test of all elements for each discovery takes long with many elements. The table returns only
/// those that accept the discovered name.
struct NameTable<Element> {
    private var groups: [String?: [(order: Int, element: Element)]] = [:]

    /// Creates an empty table.
    init() {}

    /// Adds an element.
    ///
    /// - Parameters:
    ///   - order: The place of the element among the others, greater than that of each earlier
    ///     addition.
    ///   - name: The required name; `nil` if the element accepts any.
    mutating func insert(_ element: Element, order: Int, requiring name: String?) {
        groups[name, default: []].append((order, element))
    }

    /// Removes the element with the order and the name, if there is one.
    mutating func remove(order: Int, requiring name: String?) {
        groups[name]?.removeAll { $0.order == order }
        if groups[name]?.isEmpty == true { groups[name] = nil }
    }

    /// Returns the elements that accept the name, in their order.
    func elements(for name: String?) -> [Element] {
        let others = groups[nil] ?? []
        guard let name, let named = groups[name] else { return others.map(\.element) }
        return (others + named).sorted { $0.order < $1.order }.map(\.element)
    }
}

extension NameTable where Element == Int {
    /// Creates a table of the indices of the names.
    init(_ names: [String?]) {
        for (index, name) in names.enumerated() { insert(index, order: index, requiring: name) }
    }
}
