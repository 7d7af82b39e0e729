// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports

/// Where a command has its bonds.
enum StoreChoice: Equatable, Sendable {
    /// In memory, for as long as the command takes.
    case none
    /// In the directory that a person chose.
    case directory(String)
    /// In the directory that belongs to the adapter.
    case usual(String)
    /// In the directory that belongs to an adapter which is not there yet, so that it is not known which.
    case ofAdapter(AdapterSpecification, environment: [String: String])

    /// The directory that belongs to an adapter; none where there is no place for any, as in a
    /// process that has no home.
    static func usual(for adapter: String, environment: [String: String]) -> StoreChoice {
        FileStore.defaultDirectory(for: adapter, environment: environment)
            .map { .usual($0) } ?? .none
    }

    /// The directory that belongs to an adapter, if that is known by now.
    var known: StoreChoice {
        guard case .ofAdapter(let adapter, let environment) = self, let name = adapter.storeName
        else { return self }
        return .usual(for: name, environment: environment)
    }

    /// Whether it is known which it is.
    var isKnown: Bool {
        if case .ofAdapter = self { false } else { true }
    }

    /// Whether it belongs to an adapter that is there, and tells its address when it is set up.
    var isComing: Bool {
        guard case .ofAdapter(let adapter, _) = self else { return false }
        return !adapter.isAbsent
    }

    /// The directory, if it is one.
    var path: String? {
        switch self {
        case .none, .ofAdapter: nil
        case .directory(let path), .usual(let path): path
        }
    }

    /// Opens it. The directory is made if it is not there, for nobody but its owner.
    ///
    /// Two hosts cannot share one: they would pass for the same. Whoever comes second goes on without
    /// bonds, and `remark` says so, unless the directory was asked for.
    func open(_ remark: (String) -> Void) throws(ProgramFailure) -> any HostStore {
        guard let path else { return MemoryStore() }
        do throws(TransportError) {
            return try FileStore(directory: path, makingParents: true)
        } catch {
            if case .addressInUse = error, case .usual = self {
                remark("lanyard: another process has the bonds of this adapter; going on without\n")
                return MemoryStore()
            }
            throw Self.failure(error, path)
        }
    }

    /// Opens it for a look at what is in it; nil if it is not there, and it is not made.
    func openExisting() throws(ProgramFailure) -> (any HostStore)? {
        if case .ofAdapter(let adapter, _) = self {
            throw ProgramFailure(
                .adapterUnavailable,
                "\(adapter) is not there, so it is not known what is kept for it",
                advice: "plug it in, name it by its address (hci:ADDRESS), or give --store"
            )
        }
        guard let path, FileManager.default.fileExists(atPath: path) else { return nil }
        do throws(TransportError) {
            return try FileStore(directory: path)
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
