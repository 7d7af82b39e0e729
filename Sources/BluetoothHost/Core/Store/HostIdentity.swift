// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports

/// The identity of a host: the stored one or, for a new store, one that is generated and saved.
///
/// A host that cannot read its identity has a new identity until it ends, and does not use its
/// earlier bonds.
struct HostIdentity: Sendable {
    private(set) var local: Pairing.LocalIdentity
    /// The key from which the host derives the identifiers of peers. It is separate from the
    /// resolving key, because bonded peers receive that key and could reverse the identifiers.
    private(set) var secret: HCI.Key128
    /// The events to report about the identity.
    private(set) var events: [SecurityEvent] = []
    /// The generated values that could not be written. The core writes them later.
    private(set) var unsaved: [RecordName] = []

    /// Reads the store, if there is one. A configured address takes precedence over the stored
    /// address.
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

    /// Returns the stored value of a name. If the store has no usable value, returns `drawn`, the
    /// generated value. Also saves that value, unless the existing entry must stay: a later version
    /// wrote it, or it could not be read or set aside.
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
            share(encode(drawn), as: name, in: store)
            return drawn
        }
        do throws(RecordFault) {
            if let bytes { return try parse(bytes) }
            keep(encode(drawn), as: name, in: store)
        } catch .newer(let version) {
            let reason = RecordFault.newer(version: version).description
            events.append(.leftAlone(entry: name.key.description, reason: reason))
            share(encode(drawn), as: name, in: store)
        } catch {
            if setAside(name, error, in: store) {
                keep(encode(drawn), as: name, in: store)
            } else {
                share(encode(drawn), as: name, in: store)
            }
        }
        return drawn
    }

    /// Lets the other hosts of a `SharedStore` use a value that is not saved.
    private func share(_ bytes: [UInt8], as name: RecordName, in store: any HostStore) {
        (store as? SharedStore.Member)?.share(bytes, as: name.key)
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
            unsaved.append(name)
        }
    }
}
