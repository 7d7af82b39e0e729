// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The adapters of this process that are in use: one `SharedAdapter` each, made with the first manager
/// and kept from then on, as a phone's is.
enum AdapterRegistry {
    private struct Entry {
        let switches = Guarded(AdapterSwitches())
        var running: SharedAdapter?
    }

    private static let entries = Mutex<[CBAdapter: Entry]>([:])

    /// The adapter that managers share; made if it is not there. Nil if there is none by that name.
    static func shared(_ adapter: CBAdapter) -> SharedAdapter? {
        entries.withLock { entries in
            var entry = entries[adapter] ?? Entry()
            if entry.running == nil {
                entry.running = SharedAdapter(adapter, switches: entry.switches)
            }
            entries[adapter] = entry
            return entry.running
        }
    }

    /// The same, if it is there already.
    static func running(_ adapter: CBAdapter) -> SharedAdapter? {
        entries.withLock { $0[adapter]?.running }
    }

    static func switches(of adapter: CBAdapter) -> Guarded<AdapterSwitches> {
        entries.withLock { entries in
            let entry = entries[adapter] ?? Entry()
            entries[adapter] = entry
            return entry.switches
        }
    }

    static func remove(_ adapter: CBAdapter) -> SharedAdapter? {
        entries.withLock { $0.removeValue(forKey: adapter)?.running }
    }
}
