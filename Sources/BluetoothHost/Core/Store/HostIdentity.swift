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
    /// What there is to be said about it.
    private(set) var events: [SecurityEvent] = []

    /// Looks into the store, if there is one. An address that is configured counts more than the
    /// stored one.
    init(of configuration: inout HostConfiguration) {
        local = Pairing.LocalIdentity(
            address: .randomStatic(using: &configuration.randomness),
            resolvingKey: HCI.Key128(using: &configuration.randomness)
        )
        if let address = configuration.address { local.address = address }
        guard let store = configuration.store else { return }
        let key = RecordName.identity.key
        do {
            if let bytes = try store.load(key) {
                recall(bytes, from: store)
            } else {
                keep(in: store)
            }
        } catch {
            events.append(.leftAlone(entry: key.description, reason: "\(error)"))
        }
        if let address = configuration.address { local.address = address }
    }

    private mutating func recall(_ bytes: [UInt8], from store: any HostStore) {
        let name = RecordName.identity.key.description
        do throws(RecordFault) {
            local = try Pairing.LocalIdentity(parsing: bytes)
        } catch .newer(let version) {
            let fault = RecordFault.newer(version: version)
            events.append(.leftAlone(entry: name, reason: fault.description))
        } catch {
            if setAside(error, in: store) { keep(in: store) }
        }
    }

    private mutating func setAside(_ fault: RecordFault, in store: any HostStore) -> Bool {
        let key = RecordName.identity.key
        do {
            try store.setAside(key, because: fault.description)
            events.append(.setAside(entry: key.description, reason: fault.description))
            return true
        } catch {
            events.append(.storeFailed("identity: \(error)"))
            return false
        }
    }

    private mutating func keep(in store: any HostStore) {
        do {
            try store.save(local.encode(), as: RecordName.identity.key)
        } catch {
            events.append(.storeFailed("identity: \(error)"))
        }
    }
}
