// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization

/// The metrics of a host, for any back end of swift-metrics. docs/FLEET.md lists their names.
final class FleetMetrics: Sendable {
    /// The meanings of the metrics by their names.
    static let meanings = [
        "lanyard_broker_connected": "1 while the broker is connected, otherwise 0.",
        "lanyard_broker_connections_total": "Connections to the broker.",
        "lanyard_queue_messages": "Messages that the broker has not acknowledged.",
        "lanyard_queue_bytes": "Size in bytes of the messages that are not acknowledged.",
        "lanyard_queue_in_flight": "Messages that were sent and are not acknowledged.",
        "lanyard_queue_dropped_total": "Events that were dropped because the queue was full.",
        "lanyard_leases": "Accessories of which this host holds the lease.",
        "lanyard_accessories_ready": "Accessories that are ready.",
        "lanyard_slots_in_use": "Connection slots in use.",
        "lanyard_slots_waiting": "Accessories that wait for a connection slot.",
        "lanyard_radio_usable": "1 if the radio works, otherwise 0.",
        "lanyard_radio_links": "Links of the radio.",
        "lanyard_radio_slot_limit": "Links that the radio had when it refused another one.",
        "lanyard_radio_moves_total": "Links that were moved to another radio.",
        "lanyard_reconnects_total": "Number of times that an accessory was ready again.",
        "lanyard_gap_seconds": "Time for which the accessory was not ready before.",
        "lanyard_values_total": "Values that were published.",
        "lanyard_presence_reports_total": "Reports of the presence of accessories.",
        "lanyard_commands_under_way": "Commands under way.",
        "lanyard_commands_total": "Answers to commands, by their status.",
    ]

    private let factory: any MetricsFactory
    private let brokerConnected: Gauge
    private let brokerConnections: Counter
    private let queueMessages: Gauge
    private let queueBytes: Gauge
    private let queueInFlight: Gauge
    private let queueDropped: Counter
    private let leases: Gauge
    private let readyAccessories: Gauge
    private let slotsInUse: Gauge
    private let slotsWaiting: Gauge
    private let moves: Counter
    private let reconnects: Counter
    private let gaps: Metrics.Timer
    private let values: Counter
    private let presenceReports: Counter
    private let commands: Gauge
    private let latest = Mutex<FleetQuantities?>(nil)

    init(factory: any MetricsFactory) {
        self.factory = factory
        func gauge(_ name: String) -> Gauge { Gauge(label: name, factory: factory) }
        func counter(_ name: String) -> Counter { Counter(label: name, factory: factory) }
        brokerConnected = gauge("lanyard_broker_connected")
        brokerConnections = counter("lanyard_broker_connections_total")
        queueMessages = gauge("lanyard_queue_messages")
        queueBytes = gauge("lanyard_queue_bytes")
        queueInFlight = gauge("lanyard_queue_in_flight")
        queueDropped = counter("lanyard_queue_dropped_total")
        leases = gauge("lanyard_leases")
        readyAccessories = gauge("lanyard_accessories_ready")
        slotsInUse = gauge("lanyard_slots_in_use")
        slotsWaiting = gauge("lanyard_slots_waiting")
        moves = counter("lanyard_radio_moves_total")
        reconnects = counter("lanyard_reconnects_total")
        gaps = Metrics.Timer(label: "lanyard_gap_seconds", factory: factory)
        values = counter("lanyard_values_total")
        presenceReports = counter("lanyard_presence_reports_total")
        commands = gauge("lanyard_commands_under_way")
    }

    func count(_ measurement: FleetMeasurement) {
        switch measurement {
        case .value: values.increment()
        case .presence: presenceReports.increment()
        case .reconnected(let gap):
            reconnects.increment()
            gaps.recordNanoseconds(Int64(min(max(gap, 0), 1e9) * 1e9))
        case .answered(let status):
            let labels = [("status", "\(status)")]
            Counter(label: "lanyard_commands_total", dimensions: labels, factory: factory)
                .increment()
        case .dropped(let count): queueDropped.increment(by: count)
        case .brokerConnected: brokerConnections.increment()
        case .moved(let count): moves.increment(by: count)
        }
    }

    /// Sets the gauges, if a quantity has changed.
    func set(_ quantities: FleetQuantities) {
        let hasChanged = latest.withLock { latest in
            defer { latest = quantities }
            return latest != quantities
        }
        guard hasChanged else { return }
        brokerConnected.record(quantities.isBrokerConnected ? 1 : 0)
        queueMessages.record(quantities.queuedMessages)
        queueBytes.record(quantities.queuedBytes)
        queueInFlight.record(quantities.messagesInFlight)
        leases.record(quantities.leases)
        readyAccessories.record(quantities.readyAccessories)
        slotsInUse.record(quantities.slots.inUse)
        slotsWaiting.record(quantities.slots.waiting)
        commands.record(quantities.commands)
        for radio in quantities.radios {
            let labels = [("radio", radio.name)]
            func record(_ name: String, _ value: Int) {
                Gauge(label: name, dimensions: labels, factory: factory).record(value)
            }
            record("lanyard_radio_usable", radio.isUsable ? 1 : 0)
            record("lanyard_radio_links", radio.linkCount)
            if let limit = radio.slotLimit { record("lanyard_radio_slot_limit", limit) }
        }
    }
}
