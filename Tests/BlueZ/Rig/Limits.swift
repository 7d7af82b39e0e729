// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long anything may take: as long as held on a machine of two cores, which emulates others.
enum Limits {
    /// LANYARD_BLUEZ_PATIENCE multiplies all of them, for a machine that is busy with other things.
    static let patience =
        ProcessInfo.processInfo.environment["LANYARD_BLUEZ_PATIENCE"].flatMap(Int.init) ?? 3

    /// From the start of a virtual machine until it takes orders.
    static let boot: Duration = .seconds(30) * patience
    /// From power-on of controllers and BlueZ until BlueZ has its adapter.
    static let reset: Duration = .seconds(20) * patience
    /// A discovery: one may be missed, and the next is 16 seconds later.
    static let discovery: Duration = .seconds(30) * patience
    /// A whole scenario.
    static let scenario: Duration = .seconds(60) * patience
    /// Anything else.
    static let step: Duration = .seconds(10) * patience

    /// How often a scenario is run that fails after a known fault of BlueZ's own.
    static let attemptCount = 3
    /// How often BlueZ is told to connect where many advertise, and the one who is meant may miss it.
    static let connectCount = 3

    /// How many events of a scenario wait to be asked for; older ones are let go.
    static let eventCount = 4_096
    /// How many faults of a scenario are remembered, the first.
    static let faultCount = 64
}
