// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter
@testable import HCITransports

/// The agent with a person at the device.
@Suite(.timeLimit(.minutes(1))) struct DaemonAgentTests {
    /// A person who enters the digits 123456 and confirms no other digits. The displayed digits
    /// stay until the task is canceled.
    private final class Person: DaemonPairingDelegate {
        let pairings = Mutex<[DaemonPairing]>([])
        let shown = AsyncStream<UInt32>.makeStream()
        let hidden = AsyncStream<UInt32>.makeStream()

        let capability: DaemonCapability

        init(_ capability: DaemonCapability = .keyboardDisplay) {
            self.capability = capability
        }

        func consents(to pairing: DaemonPairing) async -> Bool {
            pairings.withLock { $0.append(pairing) }
            return !pairing.isIncoming
        }

        func confirms(_ digits: UInt32, of pairing: DaemonPairing) async -> Bool {
            digits == 123_456
        }

        func show(_ digits: UInt32, of pairing: DaemonPairing) async {
            shown.continuation.yield(digits)
            // This wait lasts until the task is canceled.
            let (end, continuation) = AsyncStream<Never>.makeStream()
            await withTaskCancellationHandler {
                for await _ in end {}
            } onCancel: {
                continuation.finish()
            }
            hidden.continuation.yield(digits)
        }

        func enterDigits(for pairing: DaemonPairing) async -> UInt32? { 123_456 }
    }

    private let person = Person()

    private func call(_ member: String, _ arguments: [DBusValue] = []) -> DBusMessage {
        let device = DBusObjectPath(FakeDaemon.device) ?? .root
        return DBusMessage(
            .call(
                path: DBusObjectPath(BlueZ.agentPath) ?? .root,
                interface: BlueZ.Interface.agent,
                member: member
            ),
            sender: FakeBus.program,
            body: [.objectPath(device)] + arguments
        )
    }

    /// Calls the agent, one call after another, and returns the answers.
    private func answers(to calls: [DBusMessage]) async throws -> [DBusMessage] {
        let daemon = try FakeDaemon()
        let (answers, continuation) = AsyncStream<DBusMessage>.makeStream()
        daemon.onReply { continuation.yield($0) }
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        await daemon.called("RegisterAgent")
        var iterator = answers.makeAsyncIterator()
        var received: [DBusMessage] = []
        for call in calls {
            daemon.bus.send(call)
            if let answer = await iterator.next() { received.append(answer) }
        }
        await fixture.end()
        return received
    }

    @Test("The agent has the capability of the person", arguments: DaemonCapability.allCases)
    func capability(_ capability: DaemonCapability) async throws {
        let daemon = try FakeDaemon()
        let (capabilities, continuation) = AsyncStream<String?>.makeStream()
        daemon.on("RegisterAgent") { call, daemon in
            continuation.yield(call.body.last?.string)
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon, pairingDelegate: Person(capability))
        var iterator = capabilities.makeAsyncIterator()
        #expect(await iterator.next() == capability.rawValue)
        await fixture.end()
    }

    @Test("The person compares digits and enters them")
    func digits() async throws {
        let answers = try await answers(to: [
            call("RequestConfirmation", [.uint32(123_456)]),
            call("RequestConfirmation", [.uint32(654_321)]),
            call("RequestPasskey"),
        ])
        #expect(answers.map(\.isAcceptance) == [true, false, true])
        #expect(answers.last?.body == [.uint32(123_456)])
    }

    @Test("A pairing that this program did not start is incoming")
    func incoming() async throws {
        let answers = try await answers(to: [call("RequestAuthorization")])
        #expect(answers.map(\.isAcceptance) == [false])
        let expected = DaemonPairing(address: Fixture.sensor, isIncoming: true)
        #expect(person.pairings.withLock { $0 } == [expected])
    }

    @Test("Digits stay on the display until the daemon cancels the pairing")
    func display() async throws {
        // The daemon repeats the call for each key that is pressed at the peer.
        let digits: [DBusValue] = [.uint32(42), .uint16(0)]
        let answers = try await answers(to: [
            call("DisplayPasskey", digits), call("DisplayPasskey", digits), call("Cancel"),
        ])
        #expect(answers.map(\.isAcceptance) == [true, true, true])
        var shown = person.shown.stream.makeAsyncIterator()
        var hidden = person.hidden.stream.makeAsyncIterator()
        #expect(await shown.next() == 42)
        #expect(await hidden.next() == 42)
        person.shown.continuation.finish()
        #expect(await shown.next() == nil, "The digits were displayed once")
    }

    /// The ends of an incoming pairing, after which the daemon makes no call.
    enum PairingEnd: CaseIterable, Sendable {
        case paired, bonded, disconnected, vanished
        /// No event occurs until the timeout of the pairing.
        case silence
    }

    @Test(
        "The digits of an incoming pairing are hidden when the pairing ends or times out",
        arguments: PairingEnd.allCases
    )
    func incomingDigits(end: PairingEnd) async throws {
        let daemon = try FakeDaemon()
        let offset = Mutex(Duration.zero)
        let executor = AdapterExecutor { SystemClock.monotonic + offset.withLock { $0 } }
        let fixture = Fixture(daemon, pairingDelegate: person, executor: executor)
        await fixture.becomes(.ready)
        await daemon.called("RegisterAgent")
        daemon.changeDevice(["Connected": .boolean(true)])
        var shown = person.shown.stream.makeAsyncIterator()
        var hidden = person.hidden.stream.makeAsyncIterator()
        daemon.bus.send(call("DisplayPasskey", [.uint32(42), .uint16(0)]))
        #expect(await shown.next() == 42)
        switch end {
        case .paired: daemon.changeDevice(["Paired": .boolean(true)])
        case .bonded: daemon.changeDevice(["Bonded": .boolean(true)])
        case .disconnected: daemon.changeDevice(["Connected": .boolean(false)])
        case .vanished: daemon.remove(FakeDaemon.device)
        case .silence:
            // The adapter sets its timer after it has asked the person, in the same turn.
            await withCheckedContinuation { turn in executor.perform { turn.resume() } }
            offset.withLock { $0 = .seconds(61) }
            executor.perform {}
        }
        #expect(await hidden.next() == 42)
        await fixture.end()
    }

    @Test("The digits of the next pairing with a device replace the earlier digits")
    func nextDigits() async throws {
        let daemon = try FakeDaemon()
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        await daemon.called("RegisterAgent")
        var shown = person.shown.stream.makeAsyncIterator()
        var hidden = person.hidden.stream.makeAsyncIterator()
        daemon.bus.send(call("DisplayPasskey", [.uint32(42), .uint16(0)]))
        #expect(await shown.next() == 42)
        daemon.bus.send(call("DisplayPasskey", [.uint32(43), .uint16(0)]))
        #expect(await shown.next() == 43)
        #expect(await hidden.next() == 42)
        await fixture.end()
    }

    @Test("A pairing completes when the device is paired, even if the daemon sends no reply")
    func lostReply() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Pair") { _, daemon in daemon.changeDevice(["Paired": .boolean(true)]) }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        guard case .done = try await fixture.perform(.pair, on: link) else {
            Issue.record("The pairing has another answer")
            return
        }
        await fixture.end()
    }

    @Test(
        "A connection request that pairs connects by calling Pair, and the pairing is not incoming"
    )
    func pairingConnection() async throws {
        let daemon = try FakeDaemon()
        let pairing = Mutex<DBusMessage?>(nil)
        daemon.on("Pair") { [self] call, daemon in
            pairing.withLock { $0 = call }
            daemon.bus.send(self.call("RequestAuthorization"))
        }
        daemon.onReply { reply in
            guard reply.isAcceptance, let call = pairing.withLock({ $0.take() }) else { return }
            daemon.connectDevice()
            daemon.changeDevice(["Paired": .boolean(true), "Bonded": .boolean(true)])
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        _ = await fixture.connect(pairs: true)
        let link = try #require(await fixture.link())
        #expect(await fixture.onPort { $0.bond(of: link) } != nil)
        #expect(!daemon.calls.contains("Connect"))
        // The link counts as made by this program, so a request to disconnect ends it.
        _ = try await fixture.perform(.disconnect, on: link)
        #expect(await fixture.closed() == .linkEnded(.unknown))
        // The device is bonded now, so the next request calls Connect instead of Pair.
        _ = await fixture.connect(pairs: true)
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { ["Pair", "Connect"].contains($0) } == ["Pair", "Connect"])
        await fixture.end()
    }

    @Test("If the pairing of a connection request fails, the request fails and the link ends")
    func failedPairingConnection() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Pair") { call, daemon in
            daemon.connectDevice()
            daemon.bus.refuse(call, "org.bluez.Error.AuthenticationFailed")
        }
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        let (failures, continuation) = AsyncStream<PortError>.makeStream()
        _ = await fixture.connect(pairs: true) { continuation.yield($0) }
        var iterator = failures.makeAsyncIterator()
        #expect(await iterator.next() == .notEncrypted)
        await daemon.called("Disconnect")
        #expect(!daemon.calls.contains("Connect"))
        await fixture.end()
    }

    @Test(
        "A connection request that pairs is repeated if the device does not answer or the link is lost",
        arguments: ["ConnectionAttemptFailed", "AuthenticationCanceled"]
    )
    func repeatedPairingConnection(_ name: String) async throws {
        let daemon = try FakeDaemon()
        daemon.on("Pair") { call, daemon in
            daemon.on("Pair") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
            daemon.bus.refuse(call, "org.bluez.Error." + name)
        }
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        _ = await fixture.connect(pairs: true)
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { $0 == "Pair" }.count == 2)
        await fixture.end()
    }

    @Test("A request that pairs ends after the time limit of the pairing, and so does its link")
    func slowPairingConnection() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Pair") { _, daemon in daemon.connectDevice() }
        let offset = Mutex(Duration.zero)
        let executor = AdapterExecutor { SystemClock.monotonic + offset.withLock { $0 } }
        let fixture = Fixture(daemon, pairingDelegate: person, executor: executor)
        await fixture.becomes(.ready)
        let (failures, continuation) = AsyncStream<PortError>.makeStream()
        _ = await fixture.connect(pairs: true) { continuation.yield($0) }
        await daemon.called("Pair")
        // The adapter sets its timer in the turn in which it calls the daemon.
        await withCheckedContinuation { turn in executor.perform { turn.resume() } }
        offset.withLock { $0 = .seconds(61) }
        executor.perform {}
        var iterator = failures.makeAsyncIterator()
        #expect(await iterator.next() == .timedOut)
        await daemon.called("Disconnect")
        #expect(daemon.calls.contains("CancelPairing"), "The daemon would continue the pairing")
        await fixture.end()
    }

    @Test("A request that pairs begins a new pairing when the adapter returns")
    func pairingOfLostAdapter() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Pair") { _, daemon in
            daemon.on("Pair") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
        }
        let fixture = Fixture(daemon, pairingDelegate: person)
        await fixture.becomes(.ready)
        _ = await fixture.connect(pairs: true)
        await daemon.called("Pair")
        daemon.setPowered(false)
        await fixture.becomes(.unavailable)
        daemon.setPowered(true)
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { $0 == "Pair" }.count == 2)
        await fixture.end()
    }

    @Test("A call about an unknown device is refused")
    func unknownDevice() async throws {
        var stranger = call("RequestAuthorization")
        stranger.body = [.objectPath(.root)]
        var empty = call("RequestConfirmation")
        empty.body = []
        #expect(
            try await answers(to: [stranger, empty]).map(\.isAcceptance) == [false, false]
        )
    }
}

extension DBusMessage {
    fileprivate var isAcceptance: Bool { if case .reply = kind { true } else { false } }
}
