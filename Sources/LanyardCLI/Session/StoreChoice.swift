// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports

/// The store of a command's bonds.
enum StoreChoice: Equatable, Sendable {
    /// In memory, until the command ends.
    case none
    /// In the directory that the command line names.
    case directory(String)
    /// In the directory of the adapter.
    case usual(String)
    /// In the directory of an adapter that is not known yet, because the adapter is absent or has
    /// not reported its address.
    case ofAdapter(AdapterSpecification, environment: [String: String])

    /// Returns the directory of an adapter; none if the environment has no place for it, as in a
    /// process without a home directory.
    static func usual(for adapter: String, environment: [String: String]) -> StoreChoice {
        FileStore.defaultDirectory(for: adapter, environment: environment)
            .map { .usual($0) } ?? .none
    }

    /// The store in the directory of the adapter, if the adapter is known by now; otherwise `self`.
    var resolved: StoreChoice {
        guard case .ofAdapter(let adapter, let environment) = self, let name = adapter.storeName
        else { return self }
        return .usual(for: name, environment: environment)
    }

    /// Whether the directory is known.
    var isResolved: Bool {
        if case .ofAdapter = self { false } else { true }
    }

    /// Whether the directory is not known yet, but its adapter is present. The adapter may then
    /// report its address soon.
    var isAwaitingAddress: Bool {
        guard case .ofAdapter(let adapter, _) = self else { return false }
        return !adapter.isAbsent
    }

    /// The directory, if there is one.
    var path: String? {
        switch self {
        case .none, .ofAdapter: nil
        case .directory(let path), .usual(let path): path
        }
    }

    /// The directories that `open` will make: that of the store first, then its parents.
    var missingDirectories: [String] {
        guard let path else { return [] }
        var missing: [String] = []
        var url = URL(fileURLWithPath: path).standardizedFileURL
        while url.path != "/", !FileManager.default.fileExists(atPath: url.path) {
            missing.append(url.path)
            url.deleteLastPathComponent()
        }
        return missing
    }

    /// Removes the directories that `open` made, because their adapter was never opened. They stay
    /// if the store has other files than those that a host writes before it opens its adapter.
    ///
    /// - Parameter directories: The earlier value of `missingDirectories`.
    static func removeUnused(_ directories: [String]) {
        guard let first = directories.first,
            let names = try? FileManager.default.contentsOfDirectory(atPath: first),
            names.allSatisfy(initialNames.contains)
        else { return }
        for name in names { unlink("\(first)/\(name)") }
        // A directory that is not empty stays.
        for directory in directories { rmdir(directory) }
    }

    /// The names of the files that a host writes before it opens its adapter.
    private static let initialNames: Set = [".lock", "identity", "secret"]

    /// Opens the store. Makes a missing directory, which only its owner can open.
    ///
    /// Two processes cannot share a directory, because their hosts would have the same identity.
    /// The second process continues without bonds and prints a remark. It fails instead if the
    /// command line names the directory, or if the store is required.
    ///
    /// - Parameter isRequired: Whether the command needs the store.
    func open(isRequired: Bool = false, _ remark: (String) -> Void) throws(ProgramFailure)
        -> any HostStore
    {
        guard let path else { return MemoryStore() }
        do throws(TransportError) {
            return try FileStore(directory: path, makingParents: true)
        } catch {
            if case .addressInUse = error, case .usual = self, !isRequired {
                remark(
                    "lanyard: another process uses the bonds of this adapter; continuing without bonds\n"
                )
                return MemoryStore()
            }
            throw Self.failure(error, path)
        }
    }

    /// Opens the store if its directory exists; otherwise returns `nil`.
    ///
    /// - Parameter forReading: Whether the store is only read, while another process may use it.
    func openExisting(forReading: Bool) throws(ProgramFailure) -> (any HostStore)? {
        if case .ofAdapter(let adapter, _) = self {
            throw ProgramFailure(
                .adapterUnavailable,
                "\(adapter) is not connected, so its store is unknown",
                advice: "plug it in, name it by its address (hci:ADDRESS), or give --store"
            )
        }
        guard let path else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
        do throws(TransportError) {
            return forReading
                ? try FileStore(reading: path) : try FileStore(directory: path)
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: TransportError, _ path: String) -> ProgramFailure {
        if case .addressInUse = error {
            return ProgramFailure(
                .inputOutput,
                "another process uses the store \(TerminalText.escape(path))",
                advice: "end it, or give another --store"
            )
        }
        return ProgramFailure(
            .inputOutput,
            "the store cannot be used: \(TerminalText.escape("\(error)"))",
            advice: "give --store a directory that you may write to, or --no-store"
        )
    }
}
