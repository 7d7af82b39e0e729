// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value behind a lock. It need not be `Sendable`, because it never leaves the lock.
///
/// Unchecked: `value` is used only between `lock` and `unlock`.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Reads or changes the value. The body must not call other code that may use the lock.
    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
