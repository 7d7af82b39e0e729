// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many processors there are to emulate machines.
enum ProcessorCount {
    static let usable = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
