// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualRadio

/// The world of an accessory, in virtual or in real time.
protocol AccessoryWorld: AnyObject, Sendable {
    var story: Story { get }
    /// The executor on whose thread the world runs.
    var executor: any HostExecutor { get }
    /// The world of the radio. Used only on the executor's thread, or while the world does not run.
    var radio: World { get }

    /// Runs work with the world: at once on its own thread, and otherwise as soon as it is free.
    func act(_ work: @escaping @Sendable (World) -> Void)

    /// Returns the result of a closure that runs on the world's thread.
    func ask<Value: Sendable>(_ question: @escaping @Sendable () -> Value) async -> Value

    /// Runs `work` after a delay in the time of the world.
    func later(_ delay: Duration, _ work: @escaping @Sendable () -> Void)
}

// Access to a world from any thread.
extension TestWorld: AccessoryWorld {
    var executor: any HostExecutor { air.executor }
    var radio: World { air.world }

    /// Runs work with the world: at once on its own thread or while it does not run, and otherwise
    /// as soon as its thread is free.
    func act(_ work: @escaping @Sendable (World) -> Void) {
        guard air.executor.isRunning, !air.executor.isCurrent else { return work(air.world) }
        air.executor.perform { [air] in work(air.world) }
    }

    /// Returns the result of a closure that runs on the world's thread.
    func ask<Value: Sendable>(_ question: @escaping @Sendable () -> Value) async -> Value {
        guard air.executor.isRunning, !air.executor.isCurrent else { return question() }
        return await withCheckedContinuation { answered in
            air.executor.perform { [executor = air.executor] in
                let answer = question()
                // The world's time stops until the awaiting task is resumed.
                executor.beginOutsideWork()
                answered.resume(returning: answer)
                executor.endOutsideWork()
            }
        }
    }

    /// Runs `work` after a delay in the time of the world.
    public func later(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        act { [self] _ in
            let number = newTimerNumber()
            let timer = air.executor.makeTimer { [weak self] in
                // The timer is released with the closure that runs.
                let fired = self?.removeTimer(number)
                withExtendedLifetime(fired) { work() }
            }
            timer.set(to: air.executor.now + delay)
            keep(timer, as: number)
        }
    }
}
