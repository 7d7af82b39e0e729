// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

@Suite("Adapter timer")
struct AdapterTimerTests {
    @Test("A timer fires on the executor and not before its deadline")
    func fires() async {
        await withExecutor { executor in
            let deadline = executor.now + .milliseconds(5)
            let fired = Promise<Instant>()
            let timer = executor.makeTimer {
                #expect(executor.isCurrent)
                fired.fulfil(executor.now)
            }
            await executor.run { timer.set(to: deadline) }
            #expect(await fired.value >= deadline)
        }
    }

    @Test("A timer fires if its deadline has already passed")
    func past() async {
        await withExecutor { executor in
            let fired = Promise<Bool>()
            let timer = executor.makeTimer { fired.fulfil(true) }
            await executor.run { timer.set(to: .zero) }
            #expect(await fired.value)
        }
    }

    @Test("Timers fire in the order of their deadlines, not in the order they were set")
    func order() async {
        await withExecutor { executor in
            let seen = Mutex<[Int]>([])
            let done = Promise<Bool>()
            let timers = (0..<5).map { index in
                executor.makeTimer {
                    seen.withLock { $0.append(index) }
                    if index == 0 { done.fulfil(true) }
                }
            }
            await executor.run {
                for (index, timer) in timers.enumerated() {
                    timer.set(to: Instant(nanoseconds: 100 - Int64(index)))
                }
            }
            #expect(await done.value)
            #expect(seen.withLock { $0 } == [4, 3, 2, 1, 0])
        }
    }

    @Test("A removed or moved deadline does not fire, even if it is due in the same turn")
    func removed() async {
        await withExecutor { executor in
            let count = Mutex(0)
            let done = Promise<Bool>()
            let canceled = executor.makeTimer { count.withLock { $0 += 1 } }
            let canceler = executor.makeTimer { canceled.set(to: nil) }
            let last = executor.makeTimer { done.fulfil(true) }
            await executor.run {
                canceled.set(to: executor.now + .milliseconds(1))
                canceled.set(to: nil)
                canceler.set(to: Instant(nanoseconds: 1))
                canceled.set(to: Instant(nanoseconds: 2))
                last.set(to: Instant(nanoseconds: 3))
            }
            #expect(await done.value)
            #expect(count.withLock { $0 } == 0)
        }
    }

    @Test("A timer can be set again as it fires")
    func repeats() async {
        await withExecutor { executor in
            let remaining = Mutex(20)
            let done = Promise<Bool>()
            let timer = Mutex<(any HostTimer)?>(nil)
            let made = executor.makeTimer {
                let left = remaining.withLock { left in
                    left -= 1
                    return left
                }
                guard left > 0 else { return done.fulfil(true) }
                timer.withLock { $0 }?.set(to: .zero)
            }
            timer.withLock { $0 = made }
            await executor.run { made.set(to: .zero) }
            #expect(await done.value)
            #expect(remaining.withLock { $0 } == 0)
            timer.withLock { $0 = nil }
        }
    }
}
