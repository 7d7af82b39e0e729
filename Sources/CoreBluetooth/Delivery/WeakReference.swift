// SPDX-License-Identifier: Apache-2.0

/// An object that may be gone.
///
/// Unchecked: it is set before anybody else has the reference, and only read from then on; reading a
/// weak reference is atomic. What is done with the object is up to whoever reads it: only its
/// manager's queue does more than compare it.
final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?

    init(_ object: Object? = nil) {
        self.object = object
    }
}
