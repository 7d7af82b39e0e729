// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports

/// Where an adapter that has a name keeps who it is, its bonds, and what is to be restored.
enum AdapterStore {
    /// The environment variable that names the directory in which those of the adapters are.
    static let variable = "LANYARD_STORE"

    /// The directory, another one for each adapter: in that which the environment names, or else in one
    /// of the user's own. None there for `virtual`, whose world begins anew with every process, nor for
    /// a process without a home.
    static func directory(for adapter: String, environment: [String: String]) -> String? {
        if let parent = environment[variable], !parent.isEmpty {
            return FileStore.directory(for: adapter, in: parent)
        }
        guard adapter != "virtual" else { return nil }
        return FileStore.defaultDirectory(for: adapter, environment: environment)
    }

    /// Opens the store. Nil, which is one in memory, if there is no directory, or if it cannot be used:
    /// two hosts with one would pass for the same. A warning says so.
    static func open(
        for adapter: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> FileStore? {
        guard let name = storeName(of: adapter) else {
            Misuse.warn("\(adapter) is not there yet - nothing is kept; name it by its address")
            return nil
        }
        guard let directory = directory(for: name, environment: environment) else { return nil }
        do throws(TransportError) {
            return try FileStore(directory: directory, makingParents: true)
        } catch .addressInUse {
            Misuse.warn("another process has the bonds of \(adapter) - going on without")
        } catch {
            Misuse.warn("nothing is kept of \(adapter): \(error)")
        }
        return nil
    }

    /// What an adapter is called where something is kept for it; nil if that is not known yet.
    private static func storeName(of adapter: String) -> String? {
        guard let specification = try? AdapterSpecification(adapter) else { return adapter }
        return specification.storeName
    }
}
