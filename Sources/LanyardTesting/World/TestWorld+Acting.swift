// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

// How things are done to a world from any thread.
extension TestWorld {
    /// Changes the world: at once on its own thread and while it rests, and else as soon as that has
    /// the time.
    func act(_ work: @escaping @Sendable (World) -> Void) {
        guard air.executor.isRunning, !air.executor.isCurrent else { return work(air.world) }
        air.executor.perform { [air] in work(air.world) }
    }

    /// Asks something on the thread of the world.
    func ask<Value: Sendable>(_ question: @escaping @Sendable () -> Value) async -> Value {
        guard air.executor.isRunning, !air.executor.isCurrent else { return question() }
        return await withCheckedContinuation { answered in
            air.executor.perform { [executor = air.executor] in
                let answer = question()
                // Whoever asked has its turn now.
                executor.beginOutsideWork()
                answered.resume(returning: answer)
                executor.endOutsideWork()
            }
        }
    }

    /// Does something when so much time of the world has passed.
    public func later(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        act { [self] _ in
            let timer = air.executor.makeTimer(work)
            timer.set(to: air.executor.now + delay)
            keep(timer)
        }
    }
}
