// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

/// What a host finds of its bonds in its store, and what is not as it should be.
struct BondInventory: Sendable {
    /// An entry that is not used.
    enum Finding: Equatable, Sendable {
        /// Nobody can use it.
        case unusable(StoreKey, reason: String)
        /// Somebody can, but not this host.
        case foreign(StoreKey, reason: String)
    }

    /// The bonds, those whose peers were not met for the longest first.
    private(set) var bonds: [Bond] = []
    private(set) var counters: [DeviceAddress: SignCounter] = [:]
    private(set) var findings: [Finding] = []

    /// Whether an entry is read when a host begins; others are when their peer connects.
    static func includes(_ key: StoreKey) -> Bool {
        switch RecordName(key) {
        case .bond, .counter, .order: true
        case .identity, .secret, .client, .database, .application, nil: false
        }
    }

    /// Looks through what the store has.
    ///
    /// - Parameter localIdentity: who the host is. Bonds that it has made as somebody else are not
    ///   used: their peers would take it for that other, and who has brought the keys to another
    ///   adapter may not be their owner.
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
                case .order: order = try MeetingOrder(parsing: bytes).peers
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
            let other = bond.localIdentity.map { "\($0)" } ?? "nobody"
            let reason = "made by another identity, \(other); this host is \(localIdentity)"
            return findings.append(.foreign(key, reason: reason))
        }
        bonds.append(bond)
    }

    /// Who is not in the list was met after it was written.
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
