// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory of the process.
enum MemoryUse {
    /// The resident memory in KiB; 0 if the system does not report it.
    static var residentKibibytes: Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS") })
        else { return 0 }
        return line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first ?? 0
    }
}
