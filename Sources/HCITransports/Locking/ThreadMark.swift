// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !LANYARD_PORTABLE
    internal import Synchronization
#endif

/// A mark on the thread that runs an executor. Every thread may read it, for example to find out
/// whether it is on the executor's thread.
package struct ThreadMark: ~Copyable, Sendable {
    // The identifier of the thread, or zero. Executors read it for each unit of work, so it has no
    // lock on Linux. Atomic needs iOS 18 and macOS 15.
    #if os(Linux) && !LANYARD_PORTABLE
        private let identifier = Atomic<UInt>(0)
    #else
        private let identifier = Lock<UInt>(0)
    #endif

    package init() {}

    /// Whether the mark is on the calling thread.
    package var isCurrent: Bool { current == SystemThread.currentIdentifier }

    /// Whether the mark is on any thread.
    package var isSet: Bool { current != 0 }

    /// Sets the mark on the calling thread, unless a thread has the mark already.
    ///
    /// - Returns: Whether the mark was free.
    package func set() -> Bool {
        #if os(Linux) && !LANYARD_PORTABLE
            identifier.compareExchange(
                expected: 0,
                desired: SystemThread.currentIdentifier,
                ordering: .acquiring
            ).exchanged
        #else
            identifier.withLock { identifier in
                guard identifier == 0 else { return false }
                identifier = SystemThread.currentIdentifier
                return true
            }
        #endif
    }

    /// Removes the mark.
    package func clear() {
        #if os(Linux) && !LANYARD_PORTABLE
            identifier.store(0, ordering: .releasing)
        #else
            identifier.withLock { $0 = 0 }
        #endif
    }

    private var current: UInt {
        #if os(Linux) && !LANYARD_PORTABLE
            identifier.load(ordering: .relaxed)
        #else
            identifier.withLock { $0 }
        #endif
    }
}
