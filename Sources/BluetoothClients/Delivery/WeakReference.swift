// SPDX-License-Identifier: Apache-2.0

/// A weak reference that can be sent to other threads.
///
/// Unchecked: `object` is set once, before another thread can read it, and reading a weak
/// reference is atomic.
package final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    package weak var object: Object?

    package init(_ object: Object? = nil) {
        self.object = object
    }
}
