// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import Testing

@testable import BlueZAdapter

@Suite(.timeLimit(.minutes(1))) struct DaemonValueTests {
    private static let rate = AttributeHandle(0x12)
    private static let control = AttributeHandle(0x15)
    private static let subscribe = GATT.Operation.subscribe(
        valueHandle: rate,
        descriptor: AttributeHandle(0x13),
        .notification
    )

    @Test("Values that arrive in the socket before and after the AcquireNotify reply are delivered")
    func acquiredNotifications() async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        daemon.on("AcquireNotify") { call, daemon in
            pair.send([1])
            daemon.bus.reply(to: call, [.unixFD(0), .uint16(80)], descriptors: pair.passed)
            pair.releasePassed()
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        #expect(await fixture.notification() == [1])
        pair.send([2, 2])
        #expect(await fixture.notification() == [2, 2])
        let unsubscribe = GATT.Operation.unsubscribe(
            valueHandle: Self.rate,
            descriptor: AttributeHandle(0x13)
        )
        #expect(try await fixture.perform(unsubscribe, on: link) == .done)
        // After the adapter closes its socket, the daemon's socket returns no bytes.
        #expect(pair.receive()?.isEmpty == true)
        await fixture.end()
    }

    @Test("Values that arrive before the answer to StartNotify are delivered in order")
    func earlyNotifications() async throws {
        let daemon = try FakeDaemon()
        daemon.on("StartNotify") { call, daemon in
            for value in [1, 2] as [UInt8] { Self.notify([value], daemon) }
            daemon.bus.reply(to: call)
            Self.notify([3], daemon)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        for value in [1, 2, 3] as [UInt8] { #expect(await fixture.notification() == [value]) }
        let unsubscribe = GATT.Operation.unsubscribe(
            valueHandle: Self.rate,
            descriptor: AttributeHandle(0x13)
        )
        #expect(try await fixture.perform(unsubscribe, on: link) == .done)
        #expect(daemon.calls.contains("StopNotify"))
        await fixture.end()
    }

    @Test("The adapter uses another program's subscription, and replaces it when it ends")
    func sharedNotifications() async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        daemon.on("AcquireNotify") { call, daemon in
            daemon.bus.refuse(call, "org.bluez.Error.InProgress")
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        Self.change(["Notifying": .boolean(true)], daemon)
        let unsubscribe = GATT.Operation.unsubscribe(
            valueHandle: Self.rate,
            descriptor: AttributeHandle(0x13)
        )
        for value in [1, 2] as [UInt8] {
            #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
            Self.notify([value], daemon)
            #expect(await fixture.notification() == [value])
            #expect(try await fixture.perform(unsubscribe, on: link) == .done)
        }
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        daemon.on("AcquireNotify") { call, daemon in
            daemon.bus.reply(to: call, [.unixFD(0), .uint16(80)], descriptors: pair.passed)
            pair.releasePassed()
        }
        Self.change(["Notifying": .boolean(false)], daemon)
        await daemon.called("AcquireNotify", times: 4)
        pair.send([3])
        #expect(await fixture.notification() == [3])
        // Each of these calls would make the daemon signal every value once more, for all programs.
        #expect(!daemon.calls.contains("StartNotify") && !daemon.calls.contains("StopNotify"))
        #expect(try await fixture.perform(unsubscribe, on: link) == .done)
        #expect(pair.receive()?.isEmpty == true)
        await fixture.end()
    }

    private static func notify(_ value: [UInt8], _ daemon: FakeDaemon) {
        change(["Value": .bytes(value)], daemon)
    }

    private static func change(_ properties: [String: DBusValue], _ daemon: FakeDaemon) {
        daemon.change(FakeDaemon.rate, "org.bluez.GattCharacteristic1", properties)
    }

    @Test("Writes without response use the socket, and their length is limited by the MTU")
    func acquiredWrites() async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        daemon.on("AcquireWrite") { call, daemon in
            daemon.bus.reply(to: call, [.unixFD(0), .uint16(30)], descriptors: pair.passed)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        for value in [1, 2] as [UInt8] {
            let write = GATT.Operation.writeWithoutResponse(Self.control, [value])
            #expect(try await fixture.perform(write, on: link) == .done)
            #expect(pair.receive() == [value])
        }
        #expect(daemon.calls.filter { $0 == "AcquireWrite" }.count == 1)
        let long = GATT.Operation.writeWithoutResponse(Self.control, Array(repeating: 0, count: 28))
        await #expect(throws: GATT.Failure.valueTooLong(limit: 27)) {
            try await fixture.perform(long, on: link)
        }
        // The daemon interprets an empty packet as the end of the socket.
        let empty = GATT.Operation.writeWithoutResponse(Self.control, [])
        #expect(try await fixture.perform(empty, on: link) == .done)
        #expect(daemon.calls.contains("WriteValue"))
        await fixture.end()
    }

    @Test("Writes wait while the daemon does not read, and end with the link")
    func backPressure() async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        daemon.on("AcquireWrite") { call, daemon in
            daemon.bus.reply(to: call, [.unixFD(0), .uint16(500)], descriptors: pair.passed)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        let write = GATT.Operation.writeWithoutResponse(
            Self.control,
            Array(repeating: 0, count: 497)
        )
        let (results, continuation) = AsyncStream<Bool>.makeStream()
        // The buffer of a socket does not have space for this number of values.
        let count = 1_000
        await fixture.onPort { port in
            for _ in 0..<count {
                port.begin(.gatt(write), on: link) { result in
                    continuation.yield((try? result.get()) != nil)
                }
            }
        }
        var iterator = results.makeAsyncIterator()
        #expect(await iterator.next() == true)
        daemon.disconnectDevice()
        var sentCount = 1
        var lostCount = 0
        while sentCount + lostCount < count, let isSent = await iterator.next() {
            if isSent { sentCount += 1 } else { lostCount += 1 }
        }
        #expect(lostCount > 0)
        #expect(sentCount + lostCount == count)
        await fixture.end()
    }

    @Test("If AcquireWrite fails, a write without response calls WriteValue")
    func writesByCall() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        let write = GATT.Operation.writeWithoutResponse(Self.control, [5])
        #expect(try await fixture.perform(write, on: link) == .done)
        #expect(fixture.daemon.calls.suffix(2) == ["AcquireWrite", "WriteValue"])
        await fixture.end()
    }

    @Test(
        "If a value needs a bond, the adapter pairs, and then reads the value again",
        arguments: [true, false]
    )
    func pairing(_ succeeds: Bool) async throws {
        let daemon = try FakeDaemon()
        let (answers, continuation) = AsyncStream<DBusMessage.Kind>.makeStream()
        daemon.on("ReadValue") { call, daemon in
            if daemon.calls.contains("Pair") {
                daemon.bus.reply(to: call, [.bytes([4])])
            } else {
                daemon.bus.refuse(call, "org.bluez.Error.NotPermitted", "Not paired")
            }
        }
        daemon.on("Pair") { call, daemon in
            for member in ["RequestAuthorization", "RequestPasskey"] {
                daemon.bus.send(Self.agentCall(member, from: FakeBus.program))
            }
            if succeeds {
                daemon.changeDevice(["Paired": .boolean(true)])
                daemon.bus.reply(to: call)
            } else {
                daemon.bus.refuse(call, "org.bluez.Error.AuthenticationFailed")
            }
        }
        daemon.onReply { continuation.yield($0.kind) }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        if succeeds {
            #expect(try await fixture.perform(.read(Self.rate), on: link) == .value([4]))
            let bonds = await fixture.onPort { $0.bondedPeers }
            #expect(bonds.map(\.identity) == [Fixture.sensor])
            let peer = try #require(bonds.first?.peer)
            await fixture.onPort { $0.removeBond(with: peer) }
            await daemon.called("RemoveDevice")
        } else {
            let refusal = GATT.Failure.attribute(.insufficientAuthentication, handle: Self.rate)
            await #expect(throws: refusal) { try await fixture.perform(.read(Self.rate), on: link) }
        }
        var iterator = answers.makeAsyncIterator()
        guard case .reply? = await iterator.next() else {
            Issue.record("The pairing of this program was not authorized")
            return
        }
        guard case .error("org.bluez.Error.Rejected", _)? = await iterator.next() else {
            Issue.record("The request for a passkey was not refused")
            return
        }
        await fixture.end()
    }

    @Test("A device that has paired without a bond is not paired again on its link")
    func pairedWithoutBond() async throws {
        let daemon = try FakeDaemon()
        daemon.on("ReadValue") { call, daemon in
            daemon.bus.refuse(call, "org.bluez.Error.NotPermitted", "Not paired")
        }
        daemon.on("Pair") { call, daemon in
            daemon.changeDevice(["Paired": .boolean(true), "Bonded": .boolean(false)])
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        let refusal = GATT.Failure.attribute(.insufficientAuthentication, handle: Self.rate)
        for _ in 0..<2 {
            await #expect(throws: refusal) { try await fixture.perform(.read(Self.rate), on: link) }
        }
        #expect(daemon.calls.filter { $0 == "Pair" }.count == 1)
        await fixture.end()
    }

    @Test("The agent refuses pairings of other programs, and calls that are not from the daemon")
    func strangers() async throws {
        let daemon = try FakeDaemon()
        let (answers, continuation) = AsyncStream<DBusMessage.Kind>.makeStream()
        daemon.onReply { continuation.yield($0.kind) }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        await daemon.called("RegisterAgent")
        daemon.bus.send(Self.agentCall("RequestAuthorization", from: FakeBus.program))
        daemon.bus.send(Self.agentCall("Cancel", from: ":1.66"))
        var iterator = answers.makeAsyncIterator()
        guard case .error("org.bluez.Error.Rejected", _)? = await iterator.next(),
            case .error("org.freedesktop.DBus.Error.UnknownObject", _)? = await iterator.next()
        else {
            Issue.record("A call was not refused")
            return
        }
        await fixture.end()
    }

    private static func agentCall(_ member: String, from sender: String) -> DBusMessage {
        let agent = DBusObjectPath(BlueZ.agentPath) ?? .root
        let device = DBusObjectPath(FakeDaemon.device) ?? .root
        return DBusMessage(
            .call(path: agent, interface: "org.bluez.Agent1", member: member),
            sender: sender,
            body: [.objectPath(device)]
        )
    }
}
