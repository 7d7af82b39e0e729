// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothHost
import Foundation
import HCITransports

/// The store of an adapter that has a name: its host's identity, its bonds, and the data for state
/// restoration.
enum AdapterStore {
    /// The environment variable that names the parent directory of the adapters' stores.
    static let variable = "LANYARD_STORE"

    /// Returns the directory of an adapter's store: a subdirectory of the directory that the
    /// environment names, or else of a default directory of the user.
    ///
    /// - Returns: `nil` for `virtual`, unless the environment names a directory: the virtual radio
    ///   starts empty in every process. Also `nil` if neither `XDG_STATE_HOME` nor `HOME` contains
    ///   an absolute path.
    static func directory(for adapter: String, environment: [String: String]) -> String? {
        if let parent = environment[variable], !parent.isEmpty {
            return FileStore.directory(for: adapter, in: parent)
        }
        guard adapter != "virtual" else { return nil }
        return FileStore.defaultDirectory(for: adapter, environment: environment)
    }

    /// Opens the store of an adapter. Logs a warning if the store cannot be used.
    ///
    /// - Returns: `nil` if the name of the store is not known, there is no directory, or the store
    ///   cannot be used. The host then keeps its data in memory. Two processes must not share a
    ///   store, because their hosts would have the same identity.
    static func open(
        for adapter: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> FileStore? {
        guard let name = storeName(of: adapter) else {
            Misuse.warn("\(adapter) is not connected, so no data is stored: name it by its address")
            return nil
        }
        guard let directory = directory(for: name, environment: environment) else { return nil }
        do throws(TransportError) {
            return try FileStore(directory: directory, makingParents: true)
        } catch .addressInUse {
            Misuse.warn("Another process uses the store of \(adapter): continuing without bonds")
        } catch {
            Misuse.warn("The store of \(adapter) cannot be used: \(error)")
        }
        return nil
    }

    /// Returns the name under which an adapter's data is stored; `nil` if the name depends on the
    /// adapter's address, and the address is not known yet.
    private static func storeName(of adapter: String) -> String? {
        guard let specification = try? AdapterSpecification(adapter) else { return adapter }
        return specification.storeName
    }
}
