// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

/// The bonds that a host finds in its store, and the entries that it does not use.
struct BondInventory: Sendable {
    /// An entry that is not used.
    enum Finding: Equatable, Sendable {
        /// An entry that no host can use.
        case unusable(StoreKey, reason: String)
        /// An entry that this host must not change. It belongs to another host or a later version,
        /// or could not be read.
        case foreign(StoreKey, reason: String)
    }

    /// The bonds. The bond of the peer that connected least recently is first.
    private(set) var bonds: [Bond] = []
    private(set) var counters: [DeviceAddress: SignCounter] = [:]
    private(set) var findings: [Finding] = []

    /// Returns whether the inventory includes an entry. The host reads its identity and its secret
    /// separately, and all other entries when their peer connects or the application asks for them.
    static func includes(_ key: StoreKey) -> Bool {
        switch RecordName(key) {
        case .bond, .counter, .order: true
        case .identity, .secret, .client, .database, .application, nil: false
        }
    }

    /// Reads the entries of a store.
    ///
    /// - Parameter localIdentity: The host's identity address. Bonds made under another identity
    ///   are not used: their peers would mistake this host for that other host, and the keys may
    ///   have been moved to this adapter without the permission of their owner.
    init(_ entries: [StoreEntry], localIdentity: DeviceAddress) {
        var order: [DeviceAddress] = []
        for entry in entries {
            guard let name = RecordName(entry.key) else { continue }
            do throws(RecordFault) {
                guard let bytes = read(entry) else { continue }
                switch name {
                case .bond(let peer):
                    add(try Bond(parsing: bytes, peer: peer), of: entry.key, localIdentity)
                case .counter(let peer):
                    counters[peer] = try SignCounter(parsing: bytes, peer: peer)
                case .order: order = try BondOrder(parsing: bytes).peers
                case .identity, .secret, .client, .database, .application: break
                }
            } catch {
                findings.append(Finding(error, entry.key))
            }
        }
        sort(by: order)
    }

    private mutating func read(_ entry: StoreEntry) -> [UInt8]? {
        switch entry.contents {
        case .success(let bytes): return bytes
        case .failure(let fault):
            findings.append(.foreign(entry.key, reason: fault.text))
            return nil
        }
    }

    private mutating func add(_ bond: Bond, of key: StoreKey, _ localIdentity: DeviceAddress) {
        guard bond.localIdentity == localIdentity else {
            let other = bond.localIdentity.map { "\($0)" } ?? "unknown"
            let reason = "made by another identity, \(other); this host is \(localIdentity)"
            return findings.append(.foreign(key, reason: reason))
        }
        bonds.append(bond)
    }

    /// Sorts the bonds. A peer that is not in `order` proved its identity after the order was
    /// written, so its bond comes last.
    private mutating func sort(by order: [DeviceAddress]) {
        var ranks: [DeviceAddress: Int] = [:]
        for (rank, peer) in order.enumerated() { ranks[peer] = rank }
        bonds = bonds.enumerated()
            .sorted { left, right in
                let ranks = (ranks[left.element.peer], ranks[right.element.peer])
                let pair = (ranks.0 ?? order.count, ranks.1 ?? order.count)
                return pair.0 == pair.1 ? left.offset < right.offset : pair.0 < pair.1
            }
            .map(\.element)
    }
}

extension BondInventory.Finding {
    init(_ fault: RecordFault, _ key: StoreKey) {
        switch fault {
        case .newer: self = .foreign(key, reason: fault.description)
        case .torn, .foreign, .malformed: self = .unusable(key, reason: fault.description)
        }
    }

    var key: StoreKey {
        switch self {
        case .unusable(let key, _), .foreign(let key, _): key
        }
    }

    var reason: String {
        switch self {
        case .unusable(_, let reason), .foreign(_, let reason): reason
        }
    }
}
