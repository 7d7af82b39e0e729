// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds programs as a shell does.
enum PathSearch {
    /// Returns the first executable with this name in the search path.
    static func find(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.lazy.map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}
