// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread of the operating system, started with a closure.
package struct SystemThread: @unchecked Sendable {
    // The conformance is unchecked because `pthread_t` is a pointer on some systems. It is only
    // passed to `pthread_join` and `pthread_detach`, which any thread may call.
    private let thread: pthread_t

    /// Starts a thread that runs `body` and ends, or returns `nil` if the system cannot start a
    /// thread.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(ThreadBody(run: body))
        #if canImport(Glibc)
            var created: pthread_t = 0
            guard pthread_create(&created, nil, { runThread($0) }, start.toOpaque()) == 0 else {
                start.release()
                return nil
            }
            thread = created
        #else
            var created: pthread_t?
            guard pthread_create(&created, nil, { runThread($0) }, start.toOpaque()) == 0,
                let created
            else {
                start.release()
                return nil
            }
            thread = created
        #endif
    }

    /// Waits until the thread has ended.
    func join() {
        pthread_join(thread, nil)
    }

    /// Detaches the thread, so that its resources are released without a join.
    package func detach() {
        pthread_detach(thread)
    }

    /// The number of the calling thread, which is not zero and differs from those of all other
    /// running threads.
    package static var currentIdentifier: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}

/// A wrapper that passes a closure through the C library's pointer argument of a new thread.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument {
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
