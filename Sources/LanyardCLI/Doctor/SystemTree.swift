// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files in which Linux says what it has: /sys, /proc and /dev, below a root that a test can choose.
struct SystemTree: Sendable {
    /// How much of a file is read, and how many names of a directory are looked at. The kernel's own
    /// are far smaller.
    static let lengthLimit = 65_536
    static let nameLimit = 65_536

    /// What stands in front of every path.
    var root = ""

    /// The names in a directory, in order; none if it cannot be read.
    func names(in path: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root + path)
        return Array((names ?? []).prefix(Self.nameLimit)).sorted()
    }

    /// The beginning of a file, without the space around it; nil if it cannot be read.
    func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: root + path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.lengthLimit) else { return nil }
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether there is something.
    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + path)
    }

    /// What a symbolic link says; nil if it is none, or may not be read.
    func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + link)
    }

    /// Where a path leads to in the end, below the same root.
    func resolved(_ path: String) -> String {
        let whole = URL(fileURLWithPath: root + path).resolvingSymlinksInPath().path
        return whole.hasPrefix(root) ? String(whole.dropFirst(root.count)) : whole
    }
}
