// SPDX-License-Identifier: Apache-2.0
import VirtualRadio

extension EventTimeline {
    /// Schedules the event to be due after the delay.
    @discardableResult
    mutating func schedule(_ event: Event, after delay: Duration) -> EventToken? {
        schedule(event, at: now + delay)
    }
}

extension AdvertisingEvent {
    /// Returns the mean number of advertising events per second (Vol 6, Part B, 4.4.2.2).
    static func meanRate(interval: Duration) -> Double {
        1 / ((interval + delayMaximum / 2) / .seconds(1))
    }
}
