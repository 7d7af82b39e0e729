// SPDX-License-Identifier: Apache-2.0

/// A weak reference that can be sent to other threads.
///
/// Unchecked: `object` is set once, before another thread can read it, and reading a weak
/// reference is atomic. Only the queue of the object's manager uses the object. Other threads only
/// compare it.
final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?

    init(_ object: Object? = nil) {
        self.object = object
    }
}
