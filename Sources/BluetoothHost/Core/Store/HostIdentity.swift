// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports

/// Who a host is: as its store says, or, for the first time, as is drawn now and kept.
///
/// A host that cannot know it, or cannot keep it, is somebody new for as long as it lives: it can do
/// everything but use the bonds of before.
struct HostIdentity: Sendable {
    private(set) var local: Pairing.LocalIdentity
    /// What it gives the identifiers of peers by. Of its own, because peers that are bonded are told
    /// the resolving key, and could take the identifiers apart.
    private(set) var secret: HCI.Key128
    /// What there is to be said about it.
    private(set) var events: [SecurityEvent] = []

    /// Looks into the store, if there is one. An address that is configured counts more than the
    /// stored one.
    init(of configuration: inout HostConfiguration) {
        local = Pairing.LocalIdentity(
            address: .randomStatic(using: &configuration.randomness),
            resolvingKey: HCI.Key128(using: &configuration.randomness)
        )
        secret = HCI.Key128(using: &configuration.randomness)
        if let address = configuration.address { local.address = address }
        guard let store = configuration.store else { return }
        local = recall(.identity, from: store, else: local, { $0.encode() }) {
            bytes throws(RecordFault) in try Pairing.LocalIdentity(parsing: bytes)
        }
        secret = recall(.secret, from: store, else: secret, { Record.encode(secret: $0) }) {
            bytes throws(RecordFault) in try Record.decode(secret: bytes)
        }
        if let address = configuration.address { local.address = address }
    }

    /// What the store has under a name; or, if it has nothing that anybody can use, what was drawn for
    /// it, which is kept from now on.
    private mutating func recall<Value>(
        _ name: RecordName,
        from store: any HostStore,
        else drawn: Value,
        _ encode: (Value) -> [UInt8],
        _ parse: ([UInt8]) throws(RecordFault) -> Value
    ) -> Value {
        let bytes: [UInt8]?
        do {
            bytes = try store.load(name.key)
        } catch {
            events.append(.leftAlone(entry: name.key.description, reason: "\(error)"))
            return drawn
        }
        do throws(RecordFault) {
            if let bytes { return try parse(bytes) }
            keep(encode(drawn), as: name, in: store)
        } catch .newer(let version) {
            let reason = RecordFault.newer(version: version).description
            events.append(.leftAlone(entry: name.key.description, reason: reason))
        } catch {
            if setAside(name, error, in: store) { keep(encode(drawn), as: name, in: store) }
        }
        return drawn
    }

    private mutating func setAside(
        _ name: RecordName,
        _ fault: RecordFault,
        in store: any HostStore
    ) -> Bool {
        let key = name.key
        do {
            try store.setAside(key, because: fault.description)
            events.append(.setAside(entry: key.description, reason: fault.description))
            return true
        } catch {
            events.append(.storeFailed("\(key): \(error)"))
            return false
        }
    }

    private mutating func keep(_ bytes: [UInt8], as name: RecordName, in store: any HostStore) {
        do {
            try store.save(bytes, as: name.key)
        } catch {
            events.append(.storeFailed("\(name.key): \(error)"))
        }
    }
}
