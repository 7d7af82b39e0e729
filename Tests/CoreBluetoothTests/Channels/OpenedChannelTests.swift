// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// Behavior 14.5: channels that a central opens.
@Suite("Channels that a central opens")
struct OpenedChannelTests {
    /// Opens a channel to the lamp, which listens. Returns the lamp's end.
    private func open(
        _ connection: ChannelFixture.Connection,
        _ lamp: BluetoothHost,
        _ delegate: ChannelDelegate
    ) async throws -> L2CAPChannel {
        let listener = try await lamp.listen()
        let peripheral = try #require(connection.phone["Lamp"])
        peripheral.delegate = delegate
        peripheral.openL2CAPChannel(listener.psm.rawValue)
        await delegate.journal.wait(for: "opened \(listener.psm.rawValue) ok")
        return try #require(try await listener.accept())
    }

    @Test("14.5 A channel has the peer, the PSM and two streams that are not open")
    func arrival() async throws {
        let fixture = try ChannelFixture()
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            let peripheral = try #require(connection.phone["Lamp"])
            delegate.withChannel { channel in
                #expect(channel.peer === peripheral)
                #expect((0x80...0xFF).contains(channel.psm))
                #expect(channel.inputStream.streamStatus == .notOpen)
                #expect(channel.outputStream.streamStatus == .notOpen)
                #expect(channel.inputStream === channel.inputStream)
            }
            await other.close()
        }
    }

    @Test("15.1.6 The members of a channel can be used without unwrapping")
    func members() async throws {
        let fixture = try ChannelFixture()
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            _ = try await open(connection, fixture.lamp, delegate)
            delegate.withChannel { channel in
                let identifier: UUID = channel.peer.identifier
                let input: InputStream = channel.inputStream
                let output: OutputStream = channel.outputStream
                #expect(identifier == connection.phone["Lamp"]?.identifier)
                #expect(input.streamError == nil)
                #expect(output.streamError == nil)
            }
        }
    }

    @Test("14.5 Written bytes arrive in order and completely, in both directions")
    func echo() async throws {
        let fixture = try ChannelFixture(seed: 2)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start { ($0.reads, $0.continuesWriting) = (1_000, true) }
            var random = SplitMix64(seed: 2)
            let bytes = random.bytes(30_000)
            app.write(bytes)
            var arrived: [UInt8] = []
            while arrived.count < bytes.count {
                let sdu = try #require(try await other.receive())
                arrived += sdu
                try await other.send(sdu)
            }
            #expect(arrived == bytes)
            await app.received(bytes.count)
            #expect(app.read == bytes)
        }
    }

    @Test("14.5 A peer stops sending while the app does not read")
    func backPressure() async throws {
        let fixture = try ChannelFixture(seed: 3)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start()
            let sending = Task(executorPreference: fixture.fixture.air.executor.taskExecutor) {
                var count = 0
                while count < 100, (try? await other.send(Array(repeating: 7, count: 1_000))) != nil
                {
                    count += 1
                }
                return count
            }
            try await fixture.fixture.air.sleep(for: .seconds(30))
            #expect(try await other.properties.sendCredits == 0)
            await app.beginReading(1_000)
            await app.received(100_000)
            #expect(await sending.value == 100)
        }
    }

    @Test("14.5 Releasing a channel closes it")
    func release() async throws {
        let fixture = try ChannelFixture(seed: 4)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            delegate.dropChannels()
            #expect(try await other.receive() == nil)
            #expect(try await other.ended() == .closedByPeer)
        }
    }

    @Test("14.5 A channel that is not kept in didOpen is closed at once")
    func unstored() async throws {
        let fixture = try ChannelFixture(seed: 5)
        try await fixture.run { connection in
            let listener = try await fixture.lamp.listen()
            let peripheral = try #require(connection.phone["Lamp"])
            // The recorder does not keep channels.
            peripheral.delegate = connection.phone
            peripheral.openL2CAPChannel(listener.psm.rawValue)
            let other = try #require(try await listener.accept())
            #expect(try await other.ended() == .closedByPeer)
        }
    }

    @Test("14.5 Closing both streams closes the channel after the written bytes were sent")
    func closing() async throws {
        let fixture = try ChannelFixture(seed: 6)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start { $0.continuesWriting = true }
            app.write(Array("goodbye".utf8))
            await app.close()
            #expect(try await other.receive() == Array("goodbye".utf8))
            #expect(try await other.receive() == nil)
        }
    }

    @Test("14.5 A peer that closes the channel ends the input and fails the output")
    func peerCloses() async throws {
        let fixture = try ChannelFixture(seed: 7)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let other = try await open(connection, fixture.lamp, delegate)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start { $0.reads = 100 }
            try await other.send(Array("last words".utf8))
            await other.close()
            await app.awaitEvent("input endEncountered")
            await app.awaitEvent("output errorOccurred")
            #expect(app.read == Array("last words".utf8))
        }
    }

    @Test("14.5 The end of the link is an error of both streams")
    func linkLost() async throws {
        let fixture = try ChannelFixture(seed: 8)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            _ = try await open(connection, fixture.lamp, delegate)
            let app = try ChannelApp(delegate, in: fixture)
            await app.start()
            try await connection.link.disconnect()
            await app.awaitEvent("input errorOccurred")
            await app.awaitEvent("output errorOccurred")
            let error = delegate.withChannel { $0.inputStream.streamError as? CBError } ?? nil
            #expect(error?.code == .peripheralDisconnected)
        }
    }

    @Test(
        "14.5 A PSM without a listener is an error, and so is an invalid PSM",
        arguments: [
            (CBL2CAPPSM(0x00F0), CBError.Code.operationNotSupported),
            (CBL2CAPPSM(0), CBError.Code.invalidParameters),
        ]
    )
    func wrongNumber(psm: CBL2CAPPSM, code: CBError.Code) async throws {
        let fixture = try ChannelFixture(seed: 9)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let peripheral = try #require(connection.phone["Lamp"])
            peripheral.delegate = delegate
            peripheral.openL2CAPChannel(psm)
            await delegate.journal.wait(for: "opened nil CBError \(code.rawValue)")
        }
    }

    @Test("1.5 Without a connection, a call to open a channel is ignored and logged")
    func unconnected() async throws {
        let fixture = try ChannelFixture(seed: 10)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let peripheral = try #require(connection.phone["Lamp"])
            peripheral.delegate = delegate
            connection.phone.manager.cancelPeripheralConnection(peripheral)
            await connection.journal.wait(for: "disconnected Lamp")
            let journal = Journal()
            await Misuse.observing({ journal.add($0) }) { peripheral.openL2CAPChannel(0x80) }
            let line =
                "API MISUSE: \(peripheral) can only accept commands "
                + "while in the connected state"
            #expect(journal.lines.contains(line))
            #expect(delegate.journal.lines.isEmpty)
        }
    }

    @Test("14.8 A Channel Sounding session ends at once as not supported")
    func sounding() async throws {
        let fixture = try ChannelFixture(seed: 11)
        try await fixture.run { connection in
            let delegate = ChannelDelegate()
            let peripheral = try #require(connection.phone["Lamp"])
            peripheral.delegate = delegate
            peripheral.startChannelSoundingSession(
                CBChannelSoundingSessionConfiguration(role: .initiator)
            )
            let code = CBError.Code.operationNotSupported.rawValue
            await delegate.journal.wait(for: "sounding over CBError \(code)")
        }
    }
}
