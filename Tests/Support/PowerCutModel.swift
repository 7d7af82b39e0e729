// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A model of the content of a disk after a power cut.
///
/// The model assumes only the rules of POSIX: the content of a file is on the disk once the file is
/// synchronized, and a name once its folder is synchronized. Each change of a name is atomic. Any
/// combination of unsynchronized changes may be on the disk, and contents may be incomplete.
package struct PowerCutModel: Sendable {
    /// A system call that succeeded. Paths are absolute.
    package enum Call: Equatable, Sendable {
        case makeFolder(String)
        case makeFile(String)
        case write(String, [UInt8])
        /// Synchronizes a file or a folder.
        case synchronize(String)
        case rename(String, to: String)
        case remove(String)
    }

    /// The remaining files of a folder: the content of each file, or `nil` for a folder, by its
    /// path in the folder.
    package typealias RemainingFiles = [String: [UInt8]?]

    /// The maximum number of unsynchronized changes of names. The model covers all combinations,
    /// and each further change doubles their number.
    private static let openChangeLimit = 8

    /// A file or a folder, regardless of its names.
    private struct Node {
        var isFolder: Bool
        var bytes: [UInt8] = []
        var isSynchronized = true
    }

    /// A change of names that may not be on the disk: a removed name, and a new name with its node.
    private struct Change {
        var gone: String
        var come: (path: String, node: Int)?

        var folders: Set<String> {
            Set([gone, come?.path].compactMap { $0 }.map { PowerCutModel.folder(of: $0) })
        }

        func apply(to names: inout [String: Int]) {
            names[gone] = nil
            if let come { names[come.path] = come.node }
        }
    }

    private let root: String
    private var nodes: [Node] = []
    /// The names as a process sees them, and as they are on the disk.
    private var names: [String: Int] = [:]
    private var namesOnDisk: [String: Int] = [:]
    private var openChanges: [Change] = []

    /// Creates a model of an empty folder that is on the disk.
    package init(of root: String) {
        self.root = Self.plain(root)
    }

    /// Applies a system call to the model.
    package mutating func make(_ call: Call) {
        switch call {
        case .makeFolder(let path): add(Self.plain(path), Node(isFolder: true))
        case .makeFile(let path): add(Self.plain(path), Node(isFolder: false))
        case .write(let path, let bytes):
            guard let node = names[Self.plain(path)] else { return }
            nodes[node].bytes += bytes
            nodes[node].isSynchronized = false
        case .synchronize(let path): synchronize(Self.plain(path))
        case .rename(let path, let newPath):
            let (path, newPath) = (Self.plain(path), Self.plain(newPath))
            guard let node = names[path] else { return }
            change(Change(gone: path, come: (newPath, node)))
        case .remove(let path): change(Change(gone: Self.plain(path), come: nil))
        }
    }

    private mutating func add(_ path: String, _ node: Node) {
        nodes.append(node)
        change(Change(gone: path, come: (path, nodes.count - 1)))
    }

    private mutating func change(_ change: Change) {
        change.apply(to: &names)
        openChanges.append(change)
        precondition(
            openChanges.count <= Self.openChangeLimit,
            "The model has too many open changes"
        )
    }

    private mutating func synchronize(_ path: String) {
        if let node = names[path], !nodes[node].isFolder {
            nodes[node].isSynchronized = true
            return
        }
        for change in openChanges where change.folders.contains(path) {
            change.apply(to: &namesOnDisk)
        }
        openChanges.removeAll { $0.folders.contains(path) }
    }

    /// The modeled contents of the root folder after a power cut at this moment.
    package var remains: Set<RemainingFiles> {
        var found: Set<RemainingFiles> = []
        for chosen in 0..<(1 << openChanges.count) {
            var names = namesOnDisk
            for (number, change) in openChanges.enumerated() where chosen >> number & 1 == 1 {
                change.apply(to: &names)
            }
            found.formUnion(contents(of: names.filter { isReachable($0.key, in: names) }))
        }
        return found
    }

    /// Returns whether a path leads through existing folders.
    private func isReachable(_ path: String, in names: [String: Int]) -> Bool {
        let folder = Self.folder(of: path)
        return folder == root || names[folder] != nil && isReachable(folder, in: names)
    }

    private func contents(of names: [String: Int]) -> [RemainingFiles] {
        names.reduce([[:]]) { all, name in
            let path = String(name.key.dropFirst(root.count + 1))
            return variants(of: nodes[name.value]).flatMap { bytes in
                all.map { $0.merging([path: bytes]) { $1 } }
            }
        }
    }

    /// Returns the modeled contents of an unsynchronized file: no bytes, the first half, zeros, the
    /// first half followed by zeros, or all bytes.
    private func variants(of node: Node) -> [[UInt8]?] {
        guard !node.isFolder else { return [nil] }
        guard !node.isSynchronized else { return [node.bytes] }
        let half = node.bytes.prefix(node.bytes.count / 2)
        let zeros = [UInt8](repeating: 0, count: node.bytes.count)
        return [[], Array(half), zeros, Array(half + zeros.dropFirst(half.count)), node.bytes]
    }

    /// Returns a path without `.`, `..` and double slashes.
    private static func plain(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}

extension PowerCutModel {
    /// Writes the remaining files into a new folder.
    package static func lay(out remains: RemainingFiles, in folder: String) throws {
        try makeFolder(folder)
        for (path, bytes) in remains.sorted(by: { $0.key < $1.key }) {
            if let bytes {
                guard
                    FileManager.default.createFile(
                        atPath: "\(folder)/\(path)",
                        contents: Data(bytes),
                        attributes: [.posixPermissions: 0o600]
                    )
                else { throw CocoaError(.fileWriteUnknown) }
            } else {
                try makeFolder("\(folder)/\(path)")
            }
        }
    }

    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }
}
