// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Time limits. They hold on a machine with two cores that emulates other machines.
enum Limits {
    /// LANYARD_BLUEZ_TIME_FACTOR multiplies all limits, for a machine with other load.
    static let factor =
        ProcessInfo.processInfo.environment["LANYARD_BLUEZ_TIME_FACTOR"].flatMap(Int.init) ?? 3

    /// From the start of a virtual machine until it accepts commands.
    static let boot: Duration = .seconds(30) * factor
    /// From power-on of controllers and BlueZ until BlueZ has its adapter.
    static let reset: Duration = .seconds(20) * factor
    /// A discovery. BlueZ may miss an advertisement, and its next scan is 16 seconds later.
    static let discovery: Duration = .seconds(30) * factor
    /// A whole scenario.
    static let scenario: Duration = .seconds(60) * factor
    /// Any other step.
    static let step: Duration = .seconds(10) * factor

    /// The maximum number of runs of a scenario that fails because of a known fault of BlueZ or
    /// Linux.
    static let attemptCount = 3
    /// The maximum number of times that BlueZ tries to connect when many devices advertise and the
    /// peer may miss the request.
    static let connectCount = 3

    /// The maximum number of unconsumed events of a scenario. Older ones are dropped.
    static let eventCount = 4_096
    /// The maximum number of recorded faults of a scenario. Later faults are dropped.
    static let faultCount = 64
}
