// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// What became of an adapter between two looks at all that there are.
enum AdapterChange: Equatable, Sendable {
    case came(SystemAdapter)
    case changed(SystemAdapter)
    case gone(SystemAdapter)

    /// All that changed, in the order of the adapters' numbers. A number that another adapter has now has
    /// gone and come.
    static func all(from old: [SystemAdapter], to new: [SystemAdapter]) -> [AdapterChange] {
        let old = Dictionary(old.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        let new = Dictionary(new.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        return Set(old.keys).union(new.keys).sorted().flatMap { index -> [AdapterChange] in
            switch (old[index], new[index]) {
            case (let old?, let new?) where old == new: []
            case (let old?, let new?) where isSame(old, new): [.changed(new)]
            case (let old?, let new?): [.gone(old), .came(new)]
            case (let old?, nil): [.gone(old)]
            case (nil, let new?): [.came(new)]
            case (nil, nil): []
            }
        }
    }

    /// An adapter that is being set up gets its address then.
    private static func isSame(_ old: SystemAdapter, _ new: SystemAdapter) -> Bool {
        guard let oldAddress = old.address, let newAddress = new.address else { return true }
        return oldAddress == newAddress
    }

    /// `hci1 came: 00:AA:01:01:00:24, USB, free`.
    var line: String {
        switch self {
        case .came(let adapter):
            let cells = AdapterText.cells(adapter)
            return "\(adapter.name) came: " + cells.dropFirst().joined(separator: ", ")
        case .changed(let adapter): return "\(adapter.name) is \(AdapterText.status(adapter))"
        case .gone(let adapter): return "\(adapter.name) is gone"
        }
    }

    var json: JSON {
        switch self {
        case .came(let adapter): Self.json("came", adapter)
        case .changed(let adapter): Self.json("changed", adapter)
        case .gone(let adapter): Self.json("gone", adapter)
        }
    }

    private static func json(_ event: String, _ adapter: SystemAdapter) -> JSON {
        .object([
            .init("event", .string(event)), .init("adapter", AdapterText.json(adapter)),
        ])
    }
}
