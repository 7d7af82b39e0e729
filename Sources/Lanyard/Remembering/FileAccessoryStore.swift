// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// A store in one file, which only its owner can read.
///
/// When `remember` or `forget` returns, its change is on the disk. If the process is killed or the
/// power fails, the file has either the old or the new contents. Several processes can use one
/// file. A file that is damaged, of another program or in a newer format is renamed, and the store
/// starts empty. `load` reports a file that it has renamed in its result. `remember` and `forget`
/// log a file that they have renamed. In each case, a central notes the file in
/// ``AccessoryCentral/Configuration/recorder``.
public struct FileAccessoryStore: AccessoryStore {
    /// The location of the file.
    public var url: URL { file.url }
    private let file: DurableFile
    /// Receives each file that `remember` or `forget` moved aside.
    var movedAside: @Sendable (RememberedAccessories.SetAside) -> Void = { setAside in
        let place = setAside.location.map { " to \($0.path)" } ?? ""
        Logger(label: "Lanyard").warning(
            "The store moved an unreadable file aside\(place): \(setAside.reason)"
        )
    }

    /// Creates a store in a file. The store creates the file and its parent directories when there
    /// is something to store.
    ///
    /// - Parameter url: The location of the file.
    public init(_ url: URL) {
        file = DurableFile(url: url)
    }

    /// Returns all remembered accessories.
    ///
    /// - Throws: ``AccessoryStoreFailure`` or an error of Foundation if the file exists but cannot
    ///   be read or moved aside, or is longer than 16 MiB.
    public func load() throws -> RememberedAccessories {
        guard let data = try file.read() else { return RememberedAccessories() }
        if let document = try? AccessoryDocument(data) { return contents(of: document) }
        return try file.withLock {
            let (document, setAside) = try readOrSetAside()
            var contents = contents(of: document)
            contents.setAside += setAside
            return contents
        }
    }

    /// Remembers an accessory, in place of the one with the same identity.
    ///
    /// - Parameter accessory: The data about the accessory.
    /// - Throws: ``AccessoryStoreFailure`` or an error of Foundation if the file cannot be read or
    ///   replaced, or would be longer than 16 MiB.
    public func remember(_ accessory: RememberedAccessory) throws {
        try file.withLock {
            var document = try readAndReport()
            document.put(accessory)
            try file.replace(with: document.encoded())
        }
    }

    /// Forgets an accessory. Does nothing if the file does not exist or does not contain the
    /// accessory.
    ///
    /// - Parameter identity: The identity of the accessory.
    /// - Throws: The errors of ``remember(_:)``.
    public func forget(_ identity: AccessoryIdentity) throws {
        guard try file.read() != nil else { return }
        try file.withLock {
            var document = try readAndReport()
            guard document.remove(identity) else { return }
            try file.replace(with: document.encoded())
        }
    }

    private func readAndReport() throws -> AccessoryDocument {
        let (document, setAside) = try readOrSetAside()
        for file in setAside { movedAside(file) }
        return document
    }

    /// Returns the contents of the file. If the file is unreadable, moves it aside and returns an
    /// empty document.
    private func readOrSetAside() throws -> (
        document: AccessoryDocument, setAside: [RememberedAccessories.SetAside]
    ) {
        guard let data = try file.read() else { return (AccessoryDocument(), []) }
        do {
            return (try AccessoryDocument(data), [])
        } catch {
            let place = try file.setAside()
            return (AccessoryDocument(), [.init(reason: error.reason, location: place)])
        }
    }

    private func contents(of document: AccessoryDocument) -> RememberedAccessories {
        let (known, unreadableCount) = document.accessories
        guard unreadableCount > 0 else { return RememberedAccessories(known) }
        let reason = "number of records that are not accessories: \(unreadableCount)"
        return RememberedAccessories(known, setAside: [.init(reason: reason)])
    }
}

extension AccessoryStore where Self == FileAccessoryStore {
    /// Returns a store in a file.
    ///
    /// - Parameter url: The location of the file.
    public static func file(_ url: URL) -> FileAccessoryStore { FileAccessoryStore(url) }

    /// Returns the default store for a central with this name. Its file is below the app's
    /// *Application Support* directory on Apple's platforms, and below `$XDG_STATE_HOME/lanyard` or
    /// `~/.local/state/lanyard` elsewhere (XDG Base Directory Specification).
    ///
    /// - Parameter name: The name of the central, which may contain any characters.
    public static func standard(_ name: String) -> FileAccessoryStore {
        let environment = ProcessInfo.processInfo.environment
        return FileAccessoryStore(
            FileAccessoryStore.standardFolder(environment)
                .appendingPathComponent("accessories", isDirectory: true)
                .appendingPathComponent(FileAccessoryStore.fileName(for: name))
        )
    }
}

extension FileAccessoryStore {
    static func standardFolder(_ environment: [String: String]) -> URL {
        #if !os(Linux)
            return URL.applicationSupportDirectory.appendingPathComponent("Lanyard")
        #else
            // The specification requires that relative paths are ignored.
            if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
                return URL(fileURLWithPath: state).appendingPathComponent("lanyard")
            }
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            return URL(fileURLWithPath: home ?? NSHomeDirectory())
                .appendingPathComponent(".local/state/lanyard")
        #endif
    }

    /// Returns a file name that is unique for the name, whatever characters it contains.
    static func fileName(for name: String) -> String {
        let plain = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
        )
        return (name.addingPercentEncoding(withAllowedCharacters: plain) ?? "_") + ".json"
    }
}
