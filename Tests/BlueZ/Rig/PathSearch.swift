// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The search for programs as a shell does it.
enum PathSearch {
    /// Returns the first executable with this name in the search path.
    static func find(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.lazy.map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}
