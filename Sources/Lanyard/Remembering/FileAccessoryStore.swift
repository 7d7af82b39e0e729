// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store in one file, which only its owner may read.
///
/// What `remember` and `forget` did is on the disk when they return, all of it or nothing, whenever the
/// process is killed or the power fails. Several processes may use one file. A file that is torn, or that
/// somebody else wrote, is renamed and reported by the next `load`, and the store begins anew.
public struct FileAccessoryStore: AccessoryStore {
    /// Where it is.
    public var url: URL { file.url }
    private let file: DurableFile

    /// The store in a file; it is made, with the directories above it, when there is something to keep.
    public init(_ url: URL) {
        file = DurableFile(url: url)
    }

    /// All that is remembered.
    ///
    /// - Throws: `AccessoryStoreFailure` where the file is there and cannot be read, or not be set aside.
    public func load() throws -> RememberedAccessories {
        guard let data = try file.read() else { return RememberedAccessories() }
        if let document = try? AccessoryDocument(data) { return contents(of: document) }
        return try file.withLock {
            let (document, setAside) = try takeUp()
            var contents = contents(of: document)
            contents.setAside += setAside
            return contents
        }
    }

    /// Keeps an accessory, in place of the one with the same identity.
    ///
    /// - Throws: `AccessoryStoreFailure`, or what Foundation says, where the file cannot be replaced: it is
    ///   what it was then.
    public func remember(_ accessory: RememberedAccessory) throws {
        try file.withLock {
            var document = try takeUp().document
            document.put(accessory)
            try file.replace(with: document.encoded())
        }
    }

    /// Keeps it no more.
    ///
    /// - Throws: As `remember`.
    public func forget(_ identity: AccessoryIdentity) throws {
        guard try file.read() != nil else { return }
        try file.withLock {
            var document = try takeUp().document
            guard document.remove(identity) else { return }
            try file.replace(with: document.encoded())
        }
    }

    /// What is in the file; a file that is none of ours makes room for an empty document.
    private func takeUp() throws -> (
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
        let (known, strangeCount) = document.accessories
        guard strangeCount > 0 else { return RememberedAccessories(known) }
        let reason = "\(strangeCount) records are no accessories"
        return RememberedAccessories(known, setAside: [.init(reason: reason)])
    }
}

extension AccessoryStore where Self == FileAccessoryStore {
    /// A store in a file.
    public static func file(_ url: URL) -> FileAccessoryStore { FileAccessoryStore(url) }

    /// The store of the application's central with this name, where such things belong: on Apple's
    /// platforms in the application's *Application Support* directory, elsewhere in
    /// `$XDG_STATE_HOME/lanyard`, or `~/.local/state/lanyard` (XDG Base Directory Specification).
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
        #if canImport(Darwin)
            return URL.applicationSupportDirectory.appendingPathComponent("Lanyard")
        #else
            // A path that depends on where the process runs is to be ignored, the specification says.
            if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
                return URL(fileURLWithPath: state).appendingPathComponent("lanyard")
            }
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            return URL(fileURLWithPath: home ?? NSHomeDirectory())
                .appendingPathComponent(".local/state/lanyard")
        #endif
    }

    /// Different names have different files, whatever is in them.
    static func fileName(for name: String) -> String {
        let plain = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
        )
        return (name.addingPercentEncoding(withAllowedCharacters: plain) ?? "_") + ".json"
    }
}
