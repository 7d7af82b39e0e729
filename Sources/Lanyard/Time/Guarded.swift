// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value behind a lock, also one that is not Sendable: it never leaves.
///
/// Unchecked: `value` is touched between `lock` and `unlock` only.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Changes the value, or looks at it. The body must not call out.
    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
