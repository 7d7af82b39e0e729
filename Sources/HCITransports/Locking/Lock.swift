// SPDX-License-Identifier: Apache-2.0

// Swift's Mutex needs iOS 18 and macOS 15, and an application for iOS 17 links this module. The
// portable build on Linux uses the second form as well, so that it is compiled and tested there.
#if os(Linux) && !LANYARD_PORTABLE
    package import Synchronization

    /// A value that one thread at a time may access, in the closure of `withLock`.
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#else
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import os
    #endif

    /// A value that one thread at a time may access, in the closure of `withLock`.
    package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // The conformance is unchecked because of the two pointers. Nothing else has a copy of
        // them. The value is accessed only while the lock is held, or in `init` and `deinit`, which
        // no other thread can overlap. It enters and leaves the lock as `sending`.
        private let lock = SystemLock()
        private let value: UnsafeMutablePointer<Value>

        package init(_ initialValue: consuming sending Value) {
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            lock.deallocate()
        }

        /// Returns the result of `body` for the value, while no other thread has access.
        ///
        /// - Parameter body: The closure, which may change the value and must not use the same
        ///   lock.
        /// - Throws: The error of the body.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }

    /// The system's lock, at an address that never changes.
    private struct SystemLock {
        #if os(Linux)
            private let address: UnsafeMutablePointer<pthread_mutex_t>

            init() {
                address = .allocate(capacity: 1)
                address.initialize(to: pthread_mutex_t())
                pthread_mutex_init(address, nil)
            }

            func lock() { pthread_mutex_lock(address) }

            func unlock() { pthread_mutex_unlock(address) }

            func deallocate() {
                pthread_mutex_destroy(address)
                address.deallocate()
            }
        #else
            private let address: os_unfair_lock_t

            init() {
                address = .allocate(capacity: 1)
                address.initialize(to: os_unfair_lock())
            }

            func lock() { os_unfair_lock_lock(address) }

            func unlock() { os_unfair_lock_unlock(address) }

            func deallocate() { address.deallocate() }
        #endif
    }
#endif
