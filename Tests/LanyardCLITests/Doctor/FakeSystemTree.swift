// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import LanyardCLI

/// The files of an imaginary computer.
final class FakeSystemTree: Sendable {
    let root: String

    init() throws {
        root = NSTemporaryDirectory() + "lanyard-tree-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    var tree: SystemTree { SystemTree(root: root) }

    /// Writes a file and its directories.
    func write(_ path: String, _ text: String) throws {
        let place = URL(fileURLWithPath: root + path)
        try folder(place.deletingLastPathComponent().path.replacing(root, with: ""))
        try Data(text.utf8).write(to: place)
    }

    func folder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: root + path,
            withIntermediateDirectories: true
        )
    }

    func link(_ path: String, to target: String) throws {
        let place = URL(fileURLWithPath: root + path)
        try folder(place.deletingLastPathComponent().path.replacing(root, with: ""))
        try FileManager.default.createSymbolicLink(
            atPath: place.path,
            withDestinationPath: root + target
        )
    }
}
