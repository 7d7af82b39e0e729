// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Metrics
import Testing

@testable import LanyardFleet

struct MetricsTests {
    /// Performs the core's actions for metrics, as the driver does.
    private func measure(_ host: inout FleetHarness, _ metrics: FleetMetrics) {
        for case .measure(let measurement) in host.take() { metrics.count(measurement) }
        metrics.set(host.core.quantities)
    }

    private func values(_ registry: PrometheusRegistry) -> [String: Double] {
        let lines = registry.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let pairs = lines.compactMap { line -> (String, Double)? in
            guard let space = line.lastIndex(of: " ") else { return nil }
            return Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test("Metrics follow the queue, the lease, values, gaps, commands and radios")
    func occurrences() throws {
        let registry = PrometheusRegistry(meanings: FleetMetrics.meanings)
        let metrics = FleetMetrics(factory: registry)
        var host = try FleetHarness.holding()
        host.input { $0.changed("strap", .init(.ready, .usable), now: $1) }
        host.input { $0.changed("strap", .init(.outOfRange, .requested), now: $1) }
        host.input {
            $0.changed("strap", .init(.ready, .usable, gap: .milliseconds(2_500)), now: $1)
        }
        host.acknowledgeAll()
        host.input { core, _ in core.brokerDisconnected() }
        for byte in 0..<3 { host.value(UInt8(byte)) }
        host.command("garbage")
        let radio = FleetRadio(name: "hci\"0", isUsable: true, linkCount: 2, slotLimit: 3)
        host.input { core, _ in core.radiosReported([radio], moveCount: 4) }
        measure(&host, metrics)

        let away = values(registry)
        #expect(away["lanyard_queue_messages"] == 4)
        #expect(away["lanyard_queue_bytes"] == Double(host.core.outbox.bytes))
        #expect(away["lanyard_broker_connected"] == 0)
        #expect(away["lanyard_leases"] == 1)
        #expect(away["lanyard_accessories_ready"] == 1)
        #expect(away["lanyard_values_total"] == 3)
        #expect(away["lanyard_reconnects_total"] == 1)
        #expect(away[#"lanyard_gap_seconds_bucket{le="2.0"}"#] == 0)
        #expect(away[#"lanyard_gap_seconds_bucket{le="3.0"}"#] == 1)
        #expect(away[#"lanyard_gap_seconds_bucket{le="+Inf"}"#] == 1)
        #expect(away["lanyard_gap_seconds_sum"] == 2.5)
        #expect(away[#"lanyard_commands_total{status="400"}"#] == 1)
        #expect(away[#"lanyard_radio_links{radio="hci\"0"}"#] == 2)
        #expect(away[#"lanyard_radio_slot_limit{radio="hci\"0"}"#] == 3)
        #expect(away["lanyard_radio_moves_total"] == 4)

        host.connect()
        host.acknowledgeAll()
        measure(&host, metrics)
        let back = values(registry)
        #expect(back["lanyard_queue_messages"] == 0)
        #expect(back["lanyard_broker_connected"] == 1)
        #expect(back["lanyard_broker_connections_total"] == 1)
    }

    @Test("Dropped events are counted")
    func dropped() throws {
        let registry = PrometheusRegistry()
        let metrics = FleetMetrics(factory: registry)
        var host = try FleetHarness(messageLimit: 10)
        host.connect()
        host.appear()
        host.pass(3)
        host.pass(3)
        host.acknowledgeAll()
        host.input { core, _ in core.brokerDisconnected() }
        for byte in 0..<50 { host.value(UInt8(byte)) }
        measure(&host, metrics)
        #expect(values(registry)["lanyard_queue_dropped_total"] == 40)
    }

    @Test("The number of time series is bounded, and further ones are not kept")
    func bounded() {
        let registry = PrometheusRegistry()
        for number in 0..<PrometheusRegistry.seriesLimit + 50 {
            Counter(label: "c", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        #expect(values(registry).count == PrometheusRegistry.seriesLimit)
    }

    @Test("A gauge with the name of a counter is not kept, and the counter continues")
    func kinds() {
        let registry = PrometheusRegistry()
        Counter(label: "a.b-c", factory: registry).increment()
        Counter(label: "a.b-c", factory: registry).increment(by: 2)
        Gauge(label: "a.b-c", factory: registry).record(9)
        #expect(registry.text == "# TYPE a_b_c counter\na_b_c 3.0\n")
    }

    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the names of metrics in a text, without the suffixes of a histogram's series.
    private func names(in text: String) -> Set<String> {
        let names = text.matches(of: #/lanyard_[a-z_]+/#).map { match in
            let name = String(match.output)
            let suffix = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
            return suffix.map { String(name.dropLast($0.count)) } ?? name
        }
        return Set(names)
    }

    @Test("The dashboard shows only metrics that exist, and docs/FLEET.md names each metric")
    func dashboard() throws {
        let registry = PrometheusRegistry()
        let metrics = FleetMetrics(factory: registry)
        metrics.count(.answered(status: 200))
        let radio = FleetRadio(name: "hci0", isUsable: true, linkCount: 0, slotLimit: 1)
        metrics.set(FleetQuantities(radios: [radio]))
        #expect(registry.names == Set(FleetMetrics.meanings.keys))

        let file = Self.repository.appendingPathComponent("Fleet/Dashboards/lanyard-fleet.json")
        let json = try JSON(parsing: [UInt8](try Data(contentsOf: file)))
        let panels = try #require(json.members?["panels"]?.elements)
        let expressions = panels.flatMap { $0.members?["targets"]?.elements ?? [] }
            .compactMap { $0.members?["expr"]?.text }
        #expect(expressions.count >= panels.count)
        for expression in expressions {
            let names = names(in: expression)
            #expect(!names.isEmpty, "\(expression)")
            #expect(names.isSubset(of: registry.names), "\(expression)")
        }
        let document = Self.repository.appendingPathComponent("docs/FLEET.md")
        let known = names(in: try String(contentsOf: document, encoding: .utf8))
        #expect(registry.names.isSubset(of: known), "\(registry.names.subtracting(known))")
    }
}
