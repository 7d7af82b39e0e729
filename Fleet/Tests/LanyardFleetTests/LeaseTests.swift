// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

@testable import LanyardFleet

/// Hosts, and a broker that gives all of them the messages of a topic in the same order.
private struct Building {
    var hosts: [String: FleetHarness] = [:]
    var connected: Set<String> = []
    var retained: [String: FleetMessage] = [:]
    /// The lease messages that each host has yet to receive.
    var waiting: [String: [FleetMessage]] = [:]
    /// The answers to commands, each with its host and its status.
    var answers: [String] = []

    init(_ names: [String]) throws {
        for name in names {
            hosts[name] = try FleetHarness(host: name)
            hosts[name]?.appear()
        }
    }

    var holders: [String] {
        hosts.filter { $0.value.core.tracked["strap"]?.lease.isHeld == true }.map(\.key).sorted()
    }

    mutating func connect(_ name: String) {
        guard connected.insert(name).inserted else { return }
        waiting[name] = retained["lanyard/leases/strap"].map { [$0] } ?? []
        hosts[name]?.connect()
        collect(name)
    }

    mutating func disconnect(_ name: String) {
        guard connected.remove(name) != nil else { return }
        waiting[name] = []
        hosts[name]?.input { core, _ in core.brokerDisconnected() }
        collect(name)
    }

    /// Gives the broker the messages that a host has published.
    private mutating func collect(_ name: String) {
        let published = hosts[name]?.published ?? []
        _ = hosts[name]?.take()
        guard connected.contains(name) else { return }
        for (message, number) in published {
            if let number { hosts[name]?.input { core, _ in core.acknowledged(number) } }
            if message.topic == "lanyard/devices/strap/answers" {
                let status = (try? JSON(parsing: message.payload))?.members?["status"]
                answers.append("\(name) \(status?.double.map { Int($0) } ?? 0)")
            }
            guard message.topic == "lanyard/leases/strap" else { continue }
            retained[message.topic] = message.payload.isEmpty ? nil : message
            for other in connected { waiting[other, default: []].append(message) }
        }
    }

    /// Delivers messages until none waits.
    mutating func deliver() {
        var rounds = 0
        while let name = connected.sorted().first(where: { waiting[$0]?.isEmpty == false }) {
            guard let message = waiting[name]?.removeFirst() else { break }
            let payload = Array(message.payload.utf8)
            let received = ReceivedMessage(topic: message.topic, payload: payload)
            hosts[name]?.input { $0.received(received, now: $1) }
            collect(name)
            rounds += 1
            #expect(rounds < 1_000, "hosts answer each other without end")
            if rounds >= 1_000 { return }
        }
    }

    /// Gives all connected hosts a command. Each host executes it at once. Returns the answers.
    mutating func command(_ text: String) -> [String] {
        answers = []
        for name in connected.sorted() {
            hosts[name]?.command(text)
            for case .perform(let key, let operation) in hosts[name]?.actions ?? [] {
                hosts[name]?.input { core, now in
                    core.finished(key, operation, .success(nil), now: now)
                }
            }
            collect(name)
        }
        deliver()
        return answers
    }

    mutating func pass(_ seconds: Double) {
        for name in hosts.keys.sorted() {
            // The accessory stays ready for the host that holds its lease.
            hosts[name]?.input { $0.changed("strap", .init(.ready, .usable), now: $1) }
            hosts[name]?.pass(seconds)
            collect(name)
        }
        deliver()
    }
}

struct LeaseTests {
    @Test("A host whose claim loses releases the accessory and publishes no more values")
    func loses() throws {
        var harness = try FleetHarness.holding()
        let claim = LeaseClaim(epoch: 9, host: "porch")
        let message = ReceivedMessage(
            topic: "lanyard/leases/strap",
            payload: Array(claim.payload.utf8)
        )
        harness.input { $0.received(message, now: $1) }
        #expect(harness.take().contains(.release("strap")))
        harness.value(60)
        #expect(harness.published.isEmpty)
    }

    @Test("Of hosts that claim an accessory at the same time, one gets it")
    func race() throws {
        var building = try Building(["a", "b", "c"])
        for name in ["c", "a", "b"] { building.connect(name) }
        for _ in 0..<20 {
            building.pass(0.5)
            #expect(building.holders.count <= 1)
        }
        #expect(building.holders == ["a"])
    }

    @Test("The lease of a host that vanished passes to another host after its duration")
    func vanished() throws {
        var building = try Building(["a", "b"])
        building.connect("a")
        for _ in 0..<10 { building.pass(1) }
        building.connect("b")
        for _ in 0..<60 { building.pass(1) }
        #expect(building.holders == ["a"])
        building.hosts["a"] = nil
        building.connected.remove("a")
        for _ in 0..<Int(Lease.duration - Lease.renewalInterval - 1) { building.pass(1) }
        #expect(building.holders == [])
        for _ in 0..<Int(Lease.renewalInterval + Lease.settlingTime + 2) { building.pass(1) }
        #expect(building.holders == ["b"])
    }

    @Test("A host that was cut off from the broker yields to the host that took over")
    func partition() throws {
        var building = try Building(["a", "b"])
        building.connect("a")
        building.connect("b")
        for _ in 0..<10 { building.pass(1) }
        #expect(building.holders == ["a"])
        building.disconnect("a")
        for _ in 0..<50 { building.pass(1) }
        #expect(building.holders == ["a", "b"])
        building.connect("a")
        building.pass(1)
        #expect(building.holders == ["b"])
        for _ in 0..<100 {
            building.pass(1)
            #expect(building.holders == ["b"])
        }
    }

    @Test("After a host has forgotten an accessory, one host answers each command")
    func forgotten() throws {
        var building = try Building(["a", "b"])
        for name in ["a", "b"] { building.connect(name) }
        for _ in 0..<10 { building.pass(1) }
        #expect(building.command(#"{"id": "f1", "operation": "forget"}"#) == ["a 200"])
        let read = #"{"id": "$", "operation": "read", "characteristicID": "2A38"}"#
        // Until another host has claimed the accessory, the last holder of the lease answers.
        #expect(building.command(read.replacingOccurrences(of: "$", with: "r1")) == ["a 409"])
        for _ in 0..<10 { building.pass(1) }
        #expect(building.holders == ["b"])
        #expect(building.command(read.replacingOccurrences(of: "$", with: "r2")) == ["b 200"])
        #expect(building.command("garbage") == ["b 400"])

        // When both hosts have forgotten the accessory, the last holder answers.
        #expect(building.command(#"{"id": "f2", "operation": "forget"}"#) == ["b 200"])
        #expect(building.command(read.replacingOccurrences(of: "$", with: "r3")) == ["b 409"])
        // A connect command lets all hosts use the accessory again.
        #expect(building.command(#"{"id": "c", "operation": "connect"}"#) == ["b 200"])
        for _ in 0..<50 { building.pass(1) }
        let holder = try #require(building.holders.first)
        building.hosts[holder] = nil
        building.connected.remove(holder)
        for _ in 0..<Int(Lease.duration + Lease.renewalInterval) { building.pass(1) }
        #expect(building.holders == [holder == "a" ? "b" : "a"])
    }

    @Test(
        "After random disconnections from the broker, one host holds the lease",
        arguments: SeededGenerator.seeds(40)
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let names = ["a", "b", "c", "d"]
        var building = try Building(names)
        for _ in 0..<400 {
            let name = names.randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: building.disconnect(name)
            case 1...3: building.connect(name)
            case 4 where building.connected.isEmpty: building.retained = [:]
            default: building.pass(Double.random(in: 0.1...8, using: &generator))
            }
        }
        for name in names { building.connect(name) }
        for _ in 0..<80 { building.pass(1) }
        #expect(building.holders.count == 1)
        let holder = building.holders
        for _ in 0..<80 {
            building.pass(1)
            #expect(building.holders == holder)
        }
    }

    @Test(
        "A malformed lease is ignored",
        arguments: [
            "x", "{}", #"{"host":"a/b","epoch":9}"#, #"{"host":"a","epoch":-1}"#,
            #"{"host":"a","epoch":9223372036854775807}"#, #"{"host":"a","epoch":1.5}"#,
        ]
    )
    func malformed(_ payload: String) throws {
        var host = try FleetHarness.holding()
        let message = ReceivedMessage(topic: "lanyard/leases/strap", payload: Array(payload.utf8))
        host.input { $0.received(message, now: $1) }
        #expect(host.core.tracked["strap"]?.lease.isHeld == true)
        #expect(host.take().contains { if case .log = $0 { true } else { false } })
    }
}
