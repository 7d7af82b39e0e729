// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import GatewayProtocol

@Suite("The core of a gateway, without a network")
struct GatewayCoreTests {
    /// The answer to HCI Reset.
    static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    private static let command: [UInt8] = [0x01, 0x01, 0x10, 0x00]

    /// A gateway, and the hosts that a test has connected to it. The gateway receives what the
    /// hosts send, and each host what the gateway sends to it.
    private struct GatewayFixture {
        var core = GatewayCore(name: "hall")
        var hosts: [Int: GatewayClient] = [:]
        var now = Instant.zero
        /// Short descriptions of the events, in order.
        var events: [String] = []
        var packets: [Int: [UInt8]] = [:]
        var isReading = true

        mutating func connect(
            _ id: Int,
            _ authentication: GatewayCore.Authentication = .host("pc"),
            _ purpose: GatewayClient.Purpose = .lease
        ) {
            var host = GatewayClient(purpose, now: now)
            let actions = host.begin(now: now)
            hosts[id] = host
            perform(core.connected(id, from: "10.0.0.\(id):1", authentication, now: now))
            perform(actions, of: id)
        }

        mutating func disconnect(_ id: Int) {
            hosts[id] = nil
            perform(core.disconnected(id, now: now))
        }

        mutating func pass(_ duration: Duration) {
            now = now + duration
            perform(core.deadlinePassed(now: now))
            for id in hosts.keys.sorted() {
                perform(hosts[id]?.deadlinePassed(now: now) ?? [], of: id)
            }
        }

        mutating func send(_ bytes: [UInt8], of id: Int) {
            perform(hosts[id]?.hostSent(bytes, now: now) ?? [], of: id)
        }

        mutating func consumeAll(_ id: Int) {
            perform(hosts[id]?.consumed(.max, now: now) ?? [], of: id)
        }

        mutating func perform(_ actions: [GatewayClient.Action], of id: Int) {
            for action in actions {
                switch action {
                case .send(let bytes): perform(core.received(bytes, on: id, now: now))
                case .granted(let name): events.append("\(id) granted by \(name)")
                case .deliver(let bytes):
                    packets[id, default: []] += bytes
                    if isReading { consumeAll(id) }
                case .end(let reason):
                    events.append("\(id) ended: \(reason)")
                    hosts[id] = nil
                    perform(core.disconnected(id, now: now))
                }
            }
        }

        mutating func perform(_ actions: [GatewayCore.Action]) {
            for action in actions {
                switch action {
                case .send(let id, let bytes):
                    guard var host = hosts[id] else { continue }
                    let next = host.received(bytes, now: now)
                    hosts[id] = host
                    perform(next, of: id)
                case .close(let id): hosts[id] = nil
                case .openController: events.append("open")
                case .control(let packets):
                    for packet in packets {
                        events.append(packet == GatewayCore.reset ? "reset" : "packet")
                    }
                case .closeController: events.append("close")
                case .check(let id, let secret, let name):
                    events.append("check \(secret.count) \(name)")
                    perform(core.secretChecked(id, isValid: secret[0] == 1, now: now))
                case .log(let text): events.append("log \(text)")
                }
            }
        }

        /// Grants the lease to a host.
        mutating func lease(_ id: Int) {
            connect(id)
            perform(core.controllerOpened(now: now))
            perform(core.controllerSent(resetAnswer, now: now))
        }
    }

    @Test("A lease begins after the reset, and ends with the connection and another reset")
    func lease() {
        var fixture = GatewayFixture()
        fixture.connect(1)
        #expect(fixture.events == ["open"])
        fixture.perform(fixture.core.controllerOpened(now: fixture.now))
        // The packets that the controller sent before the answer belong to an earlier owner.
        fixture.perform(
            fixture.core.controllerSent(
                [0x04, 0x3E, 0x01, 0x0A] + Self.resetAnswer,
                now: fixture.now
            )
        )
        fixture.send(Self.command, of: 1)
        fixture.perform(fixture.core.controllerSent([0x04, 0x10, 0x01, 0x07], now: fixture.now))
        #expect(fixture.packets[1] == [0x04, 0x10, 0x01, 0x07])
        fixture.disconnect(1)
        fixture.perform(
            fixture.core.controllerSent(
                [0x04, 0x10, 0x01, 0x07] + Self.resetAnswer,
                now: fixture.now
            )
        )
        fixture.perform(fixture.core.controllerEnded(nil, now: fixture.now))
        #expect(
            fixture.events == [
                "open", "reset", "1 granted by hall", "log pc (10.0.0.1:1): the lease has begun",
                "packet",
                "log pc (10.0.0.1:1): the lease has ended, because the connection has ended",
                "reset", "close",
            ]
        )
        fixture.events = []
        fixture.lease(2)
        #expect(fixture.events.contains("2 granted by hall"))
    }

    @Test("The reset waits until the links of the lease have ended one by one, or for a second")
    func links() {
        func ended(_ handle: UInt8) -> [UInt8] { [0x04, 0x05, 0x04, 0x00, handle, 0x00, 0x16] }
        let status: [UInt8] = [0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04]
        var fixture = GatewayFixture()
        fixture.lease(1)
        for bytes in [
            Self.opened(0x40), Self.opened(0x41), ended(0x40), Self.opened(0x42),
        ] {
            fixture.perform(fixture.core.controllerSent(bytes, now: fixture.now))
        }
        let actions = fixture.core.disconnected(1, now: fixture.now)
        #expect(actions.last == .control([[0x01, 0x06, 0x04, 0x03, 0x41, 0x00, 0x13]]))
        let next = fixture.core.controllerSent(status, now: fixture.now)
        #expect(next == [.control([[0x01, 0x06, 0x04, 0x03, 0x42, 0x00, 0x13]])])
        let middle = fixture.core.controllerSent(status + ended(0x41), now: fixture.now)
        #expect(middle == [])
        let last = fixture.core.controllerSent(ended(0x42), now: fixture.now)
        #expect(last == [.control([GatewayCore.reset])])

        fixture = GatewayFixture()
        fixture.lease(1)
        fixture.perform(fixture.core.controllerSent(Self.opened(0x40), now: fixture.now))
        fixture.disconnect(1)
        fixture.events = []
        fixture.pass(.seconds(1))
        #expect(fixture.events == ["reset"])
    }

    /// Returns the event that reports a new link with this handle.
    private static func opened(_ handle: UInt8) -> [UInt8] {
        [0x04, 0x3E, 0x13, 0x01, 0x00, handle, 0x00] + Array(repeating: 0, count: 15)
    }

    @Test("After the host's own reset, the end of the lease resets the controller at once")
    func ownReset() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        fixture.perform(fixture.core.controllerSent(Self.opened(0x40), now: fixture.now))
        fixture.send(GatewayCore.reset, of: 1)
        fixture.perform(fixture.core.controllerSent(Self.resetAnswer, now: fixture.now))
        let actions = fixture.core.disconnected(1, now: fixture.now)
        #expect(actions.last == .control([GatewayCore.reset]))
    }

    @Test("The reset does not wait for a link whose disconnection the controller refuses")
    func refusedDisconnection() {
        let refusal: [UInt8] = [0x04, 0x0F, 0x04, 0x02, 0x01, 0x06, 0x04]
        var fixture = GatewayFixture()
        fixture.lease(1)
        for handle in [0x40, 0x41] as [UInt8] {
            fixture.perform(fixture.core.controllerSent(Self.opened(handle), now: fixture.now))
        }
        _ = fixture.core.disconnected(1, now: fixture.now)
        let next = fixture.core.controllerSent(refusal, now: fixture.now)
        #expect(next == [.control([[0x01, 0x06, 0x04, 0x03, 0x41, 0x00, 0x13]])])
        #expect(
            fixture.core.controllerSent(refusal, now: fixture.now) == [
                .control([GatewayCore.reset])
            ]
        )
    }

    @Test("A second host is refused, with the name of the owner")
    func secondOwner() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        fixture.connect(2, .host("laptop"))
        #expect(fixture.events.suffix(2).first == "2 ended: hall is in use by pc (10.0.0.1:1)")
        #expect(
            fixture.events.last
                == "log laptop (10.0.0.2:1): refused: hall is in use by pc (10.0.0.1:1)"
        )
        #expect(fixture.core.owner == 1)
    }

    @Test("A host that is silent for three seconds loses the lease, and another host gets it")
    func partition() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        // The network failed: neither side receives the other.
        fixture.hosts[1] = nil
        for _ in 0..<3 { fixture.pass(.seconds(1)) }
        #expect(fixture.core.owner == nil)
        #expect(
            fixture.events.contains { $0.contains("nothing was received from it for 3.0 seconds") }
        )
        fixture.perform(fixture.core.controllerSent(Self.resetAnswer, now: fixture.now))
        fixture.perform(fixture.core.controllerEnded(nil, now: fixture.now))
        fixture.lease(2)
        #expect(fixture.core.owner == 2)
    }

    @Test("Sides that have nothing to send keep the connection for hours")
    func idle() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        for _ in 0..<10_000 { fixture.pass(.milliseconds(1_000)) }
        #expect(fixture.core.owner == 1)
        #expect(fixture.hosts[1] != nil)
    }

    @Test("A host that reads slowly loses advertising reports, and nothing else")
    func slowHost() throws {
        var fixture = GatewayFixture()
        fixture.lease(1)
        fixture.isReading = false
        let report: [UInt8] = [0x04, 0x3E, 0x0C, 0x02] + Array(repeating: 0, count: 11)
        let data: [UInt8] = [0x02, 0x40, 0x20, 0x04, 0x00, 1, 2, 3, 4]
        for _ in 0..<20_000 {
            fixture.perform(fixture.core.controllerSent(report, now: fixture.now))
        }
        fixture.pass(GatewayCore.reportDelay)
        let delivered = try #require(fixture.packets[1]).count
        #expect(delivered <= GatewayProtocol.window)
        #expect(delivered > GatewayProtocol.window - 2 * report.count)
        for _ in 0..<100 { fixture.perform(fixture.core.controllerSent(data, now: fixture.now)) }
        #expect(fixture.packets[1]?.count ?? 0 < delivered + report.count)
        fixture.isReading = true
        for _ in 0..<4 { fixture.consumeAll(1) }
        let all = try #require(fixture.packets[1])
        #expect(all.suffix(900) == Array(repeatElement(data, count: 100).joined())[...])
        fixture.disconnect(1)
        #expect(fixture.events.contains { $0.contains("advertising reports were dropped: ") })
    }

    @Test("Advertising reports of 10 ms share a frame, and other packets do not wait for them")
    func reports() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        let report: [UInt8] = [0x04, 0x3E, 0x0C, 0x02] + Array(repeating: 0, count: 11)
        let data: [UInt8] = [0x02, 0x40, 0x20, 0x04, 0x00, 1, 2, 3, 4]
        var frameCount = 0
        func receive(_ bytes: [UInt8]) {
            let actions = fixture.core.controllerSent(bytes, now: fixture.now)
            frameCount += actions.count
            fixture.perform(actions)
        }
        for _ in 0..<3 { receive(report) }
        #expect(fixture.core.nextDeadline == fixture.now + GatewayCore.reportDelay)
        #expect(fixture.packets[1] == nil)
        fixture.now = fixture.now + GatewayCore.reportDelay
        let actions = fixture.core.deadlinePassed(now: fixture.now)
        #expect(actions.count == 1)
        fixture.perform(actions)
        #expect(fixture.packets[1] == report + report + report)
        // Reports that wait are sent before the data, in the same frame.
        fixture.packets = [:]
        receive(report)
        receive(data)
        receive(data)
        #expect(frameCount == 2)
        #expect(fixture.packets[1] == report + data + data)
        // The end of the lease drops reports that wait.
        receive(report)
        fixture.disconnect(1)
        #expect(fixture.core.reports.isEmpty && fixture.core.reportsDue == nil)
    }

    @Test("A gateway gives credit in batches, and the host sends without a pause")
    func credit() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        let data: [UInt8] = [0x02, 0x40, 0x20, 0x04, 0x00, 1, 2, 3, 4]
        var creditCount = 0
        let count = 4 * GatewayProtocol.window / data.count
        for _ in 0..<count {
            let sent = fixture.hosts[1]?.hostSent(data, now: fixture.now) ?? []
            for case .send(let bytes) in sent {
                let answers = fixture.core.received(bytes, on: 1, now: fixture.now)
                creditCount += answers.count { if case .send = $0 { true } else { false } }
                fixture.perform(answers)
            }
        }
        #expect(fixture.events.count { $0 == "packet" } == count)
        #expect((12...16).contains(creditCount), "\(creditCount)")
    }

    @Test("A host that never reads loses the lease when too many bytes wait")
    func stuckHost() {
        var fixture = GatewayFixture()
        fixture.lease(1)
        fixture.isReading = false
        let data: [UInt8] = [0x02, 0x40, 0x20, 0xFF, 0x01] + Array(repeating: 9, count: 0x1FF)
        for _ in 0..<3_000 where fixture.core.owner != nil {
            fixture.perform(fixture.core.controllerSent(data, now: fixture.now))
        }
        #expect(fixture.core.owner == nil)
        #expect(fixture.events.contains { $0.contains("it does not read") })
    }

    @Test("A host that is not enrolled can enroll, but cannot get a lease")
    func unenrolled() {
        var fixture = GatewayFixture()
        fixture.connect(1, .unenrolled)
        #expect(
            fixture.events == [
                "1 ended: its certificate is not enrolled",
                "log 10.0.0.1:1: refused: its certificate is not enrolled",
            ]
        )
        fixture.events = []
        let right = [UInt8](repeating: 1, count: 10)
        fixture.connect(2, .unenrolled, .enrollment(secret: right, name: "pc"))
        #expect(
            fixture.events == [
                "check 10 pc", "2 granted by hall", "log 10.0.0.2:1: enrolled as pc",
            ]
        )
        fixture.events = []
        fixture.connect(3, .unenrolled, .enrollment(secret: right.map { $0 + 1 }, name: "pc"))
        let reason = "the enrollment code is wrong, used or too old"
        #expect(fixture.events.contains { $0.hasPrefix("3 ended: " + reason) })
    }

    @Test("Frames and other bytes directly after an enrollment do not change its result")
    func enrollmentAndMore() {
        for isValid in [true, false] {
            var fixture = GatewayFixture()
            var writer = FrameWriter()
            let secret = [UInt8](repeating: isValid ? 1 : 2, count: Frame.secretLength)
            let bytes =
                writer.bytes(of: .enroll(secret: secret, name: "pc"))
                + writer.bytes(of: .hello(version: 1)) + [0x55]
            _ = fixture.core.connected(1, from: "x", .unenrolled, now: fixture.now)
            fixture.perform(fixture.core.received(bytes, on: 1, now: fixture.now))
            let end =
                isValid
                ? "log x: enrolled as pc"
                : "log x: refused: the enrollment code is wrong, used or too old; "
                    + "'lanyard-gateway code' prints a new one"
            #expect(fixture.events == ["check 10 pc", end])
            #expect(fixture.core.connections.isEmpty)
        }
    }

    @Test("A connection that asks for nothing is refused after five seconds")
    func idleConnection() {
        var fixture = GatewayFixture()
        var writer = FrameWriter()
        _ = fixture.core.connected(1, from: "x", .host("pc"), now: fixture.now)
        for second in 1...5 {
            #expect(fixture.core.connections.count == 1, "second \(second)")
            fixture.perform(fixture.core.received(writer.bytes(of: .ping), on: 1, now: fixture.now))
            fixture.pass(.seconds(1))
        }
        #expect(fixture.core.connections.isEmpty)
        #expect(
            fixture.events == ["log pc (x): refused: it has asked for nothing within 5.0 seconds"]
        )
    }

    @Test("A host that breaks the protocol is refused, and an owner loses the lease")
    func violations() {
        let broken: [(String, [UInt8])] = [
            ("garbage", Array("GET / HTTP/1.0\r\n\r\n".utf8)),
            ("a frame that only gateways send", Frame.granted(name: "x").encoded(number: 1)),
            ("an event", Frame.packets([0x04, 0x10, 0x01, 0x07]).encoded(number: 1)),
            ("bytes that are no packet", Frame.packets([0x77]).encoded(number: 1)),
            ("credit for nothing", Frame.credit(1).encoded(number: 1)),
            ("a second hello", Frame.hello(version: 1).encoded(number: 1)),
            ("a repeated number", Frame.ping.encoded(number: 0)),
        ]
        for (what, bytes) in broken {
            var fixture = GatewayFixture()
            fixture.lease(1)
            fixture.perform(fixture.core.received(bytes, on: 1, now: fixture.now))
            #expect(fixture.core.owner == nil, "\(what)")
            #expect(
                fixture.events.contains {
                    $0.hasPrefix("log pc (10.0.0.1:1): the lease has ended: it")
                }
            )
            #expect(fixture.events.last == "reset", "\(what)")
        }
        var fixture = GatewayFixture()
        fixture.connect(1)
        fixture.perform(
            fixture.core.received(Frame.packets([1]).encoded(number: 1), on: 1, now: fixture.now)
        )
        #expect(fixture.core.owner == nil)
        fixture = GatewayFixture()
        _ = fixture.core.connected(1, from: "x", .host("pc"), now: fixture.now)
        fixture.perform(
            fixture.core.received(
                Frame.hello(version: 9).encoded(number: 0),
                on: 1,
                now: fixture.now
            )
        )
        let reason = "the host has version 9 of the protocol, and the gateway has version 1"
        #expect(fixture.events.contains { $0.contains(reason) })
    }

    @Test("A controller that fails, refuses the reset or does not answer ends the lease")
    func controllerFailures() {
        var fixture = GatewayFixture()
        fixture.connect(1)
        fixture.perform(fixture.core.controllerEnded("hci0: no such adapter", now: fixture.now))
        #expect(fixture.events.contains("1 ended: hci0: no such adapter"))
        #expect(fixture.core.owner == nil)

        fixture = GatewayFixture()
        fixture.connect(1)
        fixture.perform(fixture.core.controllerOpened(now: fixture.now))
        fixture.perform(
            fixture.core.controllerSent(Self.resetAnswer.dropLast() + [0x0C], now: fixture.now)
        )
        #expect(fixture.events.contains("1 ended: the controller refuses a reset"))
        #expect(fixture.events.last == "close")

        fixture = GatewayFixture()
        fixture.connect(1)
        fixture.perform(fixture.core.controllerOpened(now: fixture.now))
        for _ in 0..<4 { fixture.pass(.seconds(1)) }
        #expect(fixture.events.contains("1 ended: the controller does not answer"))

        fixture = GatewayFixture()
        fixture.lease(1)
        fixture.perform(fixture.core.controllerSent([0x55], now: fixture.now))
        #expect(
            fixture.events.contains("1 ended: the controller sent bytes that are not HCI packets")
        )
    }

    @Test("A host leaves a gateway that violates the protocol, and reports the reason")
    func gatewayViolations() {
        let violations: [(String, [Frame], String)] = [
            ("packets before the grant", [.packets([4])], "out of place"),
            ("two grants", [.granted(name: "a"), .granted(name: "a")], "out of place"),
            ("enrolled, which was not asked for", [.enrolled(name: "a")], "out of place"),
            ("too much credit", [.granted(name: "a"), .credit(1)], "more than the window"),
            (
                "more packets than allowed",
                [.granted(name: "a")]
                    + (0..<3).map { _ in .packets(Array(repeating: 4, count: 65_536)) },
                "more packets than it may"
            ),
        ]
        for (what, frames, reason) in violations {
            var host = GatewayClient(.lease, now: .zero)
            _ = host.begin(now: .zero)
            var writer = FrameWriter()
            let actions = frames.flatMap { host.received(writer.bytes(of: $0), now: .zero) }
            let ends = actions.compactMap { if case .end(let text) = $0 { text } else { nil } }
            #expect(ends.count == 1, "\(what)")
            #expect(ends.first?.contains(reason) == true, "\(what): \(ends)")
            #expect(host.nextDeadline == nil)
            #expect(host.received(writer.bytes(of: .ping), now: .zero).isEmpty)
        }
    }
}
