// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Controller failures")
struct FailureTests {
    private let peer = ModelPeer(1)

    @Test("A command without a response fails alone, and the host stays ready")
    func muteCommand() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.muteCommands = [.readRSSI]
        let rssi = harness.ask(.readRSSI, of: link)
        harness.advance(by: .seconds(10))
        #expect(harness.error(rssi) == .commandTimedOut)
        #expect(harness.core.state == .ready)
        let phy = harness.ask(.readPHY, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(phy) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A hung controller is reset, and is opened again if the reset gets no response")
    func hungController() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.isHung = true
        let rssi = harness.ask(.readRSSI, of: link)
        harness.advance(by: .seconds(3))
        #expect(harness.core.state == .resetting(.unresponsive))
        #expect(harness.error(rssi) != nil)
        #expect(harness.ends[link] == [.adapter(.unresponsive)])
        #expect(harness.controller.commands.last == .reset)
        harness.advance(by: .seconds(2))
        #expect(harness.core.state == .unavailable(.unresponsive))
        harness.controller.isHung = false
        harness.advance(by: .seconds(5))
        #expect(harness.core.state == .ready)
        #expect(try harness.connect(peer.address) != link)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A controller that responds to the reset is used again")
    func resetHelps() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.isHung = true
        _ = harness.ask(.readRSSI, of: link)
        harness.advance(by: .milliseconds(2900))
        harness.controller.isHung = false
        harness.controller.forget()
        harness.advance(by: .seconds(2))
        #expect(harness.states == [.ready, .resetting(.unresponsive), .ready])
        #expect(harness.openCount == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A hardware error ends every link once, and the controller is reset")
    func hardwareError() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.controller.keepsPackets = true
        let other = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        harness.controller.send(.hardwareError(.init(code: 0x42)))
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.hardwareError(0x42)), .ready])
        #expect(harness.result(read) != nil)
        #expect(harness.error(other) == .adapter(.hardwareError(0x42)))
        #expect(harness.ends[link] == [.adapter(.hardwareError(0x42))])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A procedure that is in progress when the controller fails ends once")
    func procedureAtFailure() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.muteCommands = [.leSetPHY]
        let phy = harness.ask(.setPHY(transmit: .le2M, receive: nil), of: link)
        harness.controller.send(.hardwareError(.init(code: 1)))
        harness.drive()
        #expect(harness.error(phy) == .adapter(.hardwareError(1)))
    }

    @Test("A controller that fails while it encrypts gets no command before Reset")
    func encryptionAtFailure() throws {
        var harness = try Harness.bonded()
        harness.controller.muteCommands = [.leEnableEncryption]
        let pending = harness.requestConnection(Bonded.peer.address)
        harness.drive()
        harness.controller.send(.hardwareError(.init(code: 1)))
        harness.drive()
        let later = harness.controller.commands.drop { $0 != .leEnableEncryption }.dropFirst()
        #expect(later.first == .reset)
        #expect(harness.error(pending) == .adapter(.hardwareError(1)))
        #expect(harness.core.state == .ready)
    }

    @Test("A controller that restarts is set up again")
    func restart() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.restart()
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.restarted), .ready])
        #expect(harness.ends[link] == [.adapter(.restarted)])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Bytes that are not a packet make the host reopen the transport")
    func desynchronized() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.feed([0x55, 0xAA])
        #expect(harness.core.state == .unavailable(.desynchronized))
        #expect(harness.ends[link] == [.adapter(.desynchronized)])
        harness.controller.forget()
        harness.advance(by: .seconds(1))
        #expect(harness.core.state == .ready)
        #expect(harness.openCount == 2)
    }

    @Test("Scans continue after the controller failed during their start")
    func scanSurvivesHang() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.isHung = true
        let scan = harness.scan()
        harness.advance(by: .milliseconds(2900))
        harness.controller.isHung = false
        harness.controller.forget()
        harness.advance(by: .seconds(2))
        #expect(harness.core.state == .ready)
        #expect(harness.isPending(scan))
        #expect(harness.controller.isScanning)
        #expect(harness.advertisements.map(\.entry.address) == [peer.address])
        #expect(harness.controller.violations.isEmpty)
    }
}
