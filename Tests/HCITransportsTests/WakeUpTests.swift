// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Wake-up pipe")
struct WakeUpTests {
    @Test("A handler of a signal does not end a wait")
    func interruption() async {
        // The handler belongs to the process, so the test has a process of its own.
        await #expect(processExitsWith: .success) {
            signal(SIGUSR1) { _ in }
            // Swift's own threads block signals.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let wakeUp = try #require(WakeUp())
            let waiter = pthread_self()
            let isOver = Mutex(false)
            let interrupter = try #require(
                SystemThread {
                    while !isOver.withLock({ $0 }) {
                        pthread_kill(waiter, SIGUSR1)
                        poll(nil, 0, 10)
                    }
                }
            )
            let start = SystemClock.monotonic
            let isSignaled = wakeUp.wait(milliseconds: 200)
            let duration = SystemClock.monotonic - start
            isOver.withLock { $0 = true }
            interrupter.join()
            try #require(!isSignaled)
            try #require(duration >= .milliseconds(200))
        }
    }
}
