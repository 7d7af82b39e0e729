// SPDX-License-Identifier: Apache-2.0

/// An occurrence that a metric counts.
enum FleetMeasurement: Hashable, Sendable {
    /// A value was published.
    case value
    /// The presence of an accessory was reported.
    case presence
    /// An accessory is ready again after it was not ready for this time in seconds, for example
    /// because its link was lost.
    case reconnected(gap: Double)
    /// A command was answered with this status.
    case answered(status: Int)
    /// This number of events was dropped because the queue is full.
    case dropped(Int)
    /// The broker was connected.
    case brokerConnected
    /// This number of links moved to another radio.
    case moved(Int)
}

/// The quantities of a host at one time.
struct FleetQuantities: Hashable, Sendable {
    /// The connection slots of all accessories' centrals.
    struct Slots: Hashable, Sendable {
        var inUse = 0
        var waiting = 0
    }

    var isBrokerConnected = false
    var queuedMessages = 0
    var queuedBytes = 0
    var messagesInFlight = 0
    var commands = 0
    var leases = 0
    var readyAccessories = 0
    var slots = Slots()
    var radios: [FleetRadio] = []
}

extension FleetCore {
    /// The quantities now, except for the slots.
    var quantities: FleetQuantities {
        FleetQuantities(
            isBrokerConnected: connectedSince != nil,
            queuedMessages: outbox.messages.count,
            queuedBytes: outbox.bytes,
            messagesInFlight: outbox.inFlightCount,
            commands: commands.count,
            leases: tracked.values.count { $0.lease.isHeld },
            readyAccessories: tracked.values.count { $0.lease.isHeld && $0.state == .ready },
            radios: radios
        )
    }

    mutating func measure(_ measurement: FleetMeasurement) {
        actions.append(.measure(measurement))
    }
}
