// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import GatewayProtocol
import Testing

@testable import ExampleBuilding

/// A gateway of the example and the network to it, without a radio.
@Suite("A gateway of the building")
struct GatewayModelTests {
    /// The answer of a controller to HCI Reset, in H4.
    private static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    /// A gateway whose controller answers every reset at once.
    private struct Harness {
        var model: GatewayModel
        var now = Instant.zero
        /// The events of the host: `granted`, the reason of an end, or `closed` without a reason.
        var events: [String] = []

        init(_ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1) {
            model = GatewayModel(name: "A1", conditions, seed: seed)
        }

        mutating func perform(_ effects: [GatewayModel.Effect]) {
            for effect in effects {
                switch effect {
                case .granted: events.append("granted")
                case .ended(let reason): events.append(reason ?? "closed")
                case .openController: perform(model.controllerOpened(now: now))
                case .control(let packets) where packets == [GatewayCore.reset]:
                    perform(model.controllerSent(GatewayModelTests.resetAnswer[...], now: now))
                case .closeController: perform(model.controllerEnded(nil, now: now))
                case .control, .deliver, .log: break
                }
            }
        }

        /// Lets time pass.
        mutating func pass(_ duration: Duration) {
            let end = now + duration
            while let next = model.nextDeadline, next <= end {
                now = max(now, next)
                perform(model.advance(now: now))
            }
            now = end
        }
    }

    @Test("A host gets the lease, and the gateway is free when the connection has ended")
    func lease() {
        var harness = Harness()
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(2))
        #expect(harness.events == ["granted"] && harness.model.isLeased)
        harness.pass(.seconds(60))
        #expect(harness.events == ["granted"] && harness.model.isLeased)
        harness.perform(harness.model.disconnect(nil, now: harness.now))
        harness.pass(.seconds(2))
        #expect(harness.events == ["granted", "closed"] && !harness.model.isLeased)
    }

    @Test(
        "Both sides end the lease within four seconds of a cut, and begin a new one after the cut"
    )
    func cut() {
        var harness = Harness()
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(10))
        harness.model.setCut(true, now: harness.now)
        harness.pass(.seconds(4))
        #expect(harness.events.count == 2 && !harness.model.isLeased)
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(3))
        #expect(harness.events.count == 2)
        harness.model.setCut(false, now: harness.now)
        harness.pass(.seconds(2))
        #expect(harness.events.last == "granted" && harness.model.isLeased)
    }

    @Test("A cut of 1.5 seconds does not end the lease")
    func shortCut() {
        var harness = Harness()
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(10))
        harness.model.setCut(true, now: harness.now)
        harness.pass(.milliseconds(1_500))
        harness.model.setCut(false, now: harness.now)
        harness.pass(.seconds(10))
        #expect(harness.events == ["granted"] && harness.model.isLeased)
    }

    @Test("A gateway that was switched off has no lease, and grants one when it is on again")
    func power() {
        var harness = Harness()
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(10))
        harness.model.setPower(false, now: harness.now)
        #expect(!harness.model.isLeased)
        harness.pass(.seconds(4))
        #expect(harness.events.count == 2)
        // The request reaches the gateway once it has power.
        harness.model.connect(now: harness.now)
        harness.pass(.seconds(3))
        #expect(harness.events.count == 2)
        harness.model.setPower(true, now: harness.now)
        harness.pass(.seconds(2))
        #expect(harness.events.last == "granted" && harness.model.isLeased)
    }

    @Test("Bytes arrive after a delay, in the order in which they were sent", arguments: 1...20)
    func order(seed: UInt64) {
        var conditions = NetworkConditions()
        conditions.loss = 0.3
        var path = NetworkPath(conditions, seed: seed)
        var (now, arrived) = (Instant.zero, [UInt8]())
        for number in 0..<100 {
            path.send(.init(connection: 1, content: .bytes([UInt8(number)])), now: now)
            #expect(path.nextArrival.map { $0 > now } == true)
            now = now + .milliseconds(3)
            while let item = path.receive(now: now) {
                if case .bytes(let bytes) = item.content { arrived += bytes }
            }
        }
        now = now + .seconds(1)
        while let item = path.receive(now: now) {
            if case .bytes(let bytes) = item.content { arrived += bytes }
        }
        #expect(arrived == (0..<100).map { UInt8($0) })
    }
}
