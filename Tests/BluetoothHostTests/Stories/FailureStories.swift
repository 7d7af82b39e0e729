// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Controller failures")
struct FailureStories {
    private let peer = ModelPeer(1)

    @Test("A command without a response fails alone, and the host stays ready")
    func muteCommand() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.muteCommands = [.readRSSI]
        let rssi = bench.ask(.readRSSI, of: link)
        bench.advance(by: .seconds(10))
        #expect(bench.error(rssi) == .commandTimedOut)
        #expect(bench.core.state == .ready)
        let phy = bench.ask(.readPHY, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(phy) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A controller that hangs is reset, and reopened if the reset gets no response either")
    func hungController() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.isHung = true
        let rssi = bench.ask(.readRSSI, of: link)
        bench.advance(by: .seconds(3))
        #expect(bench.core.state == .resetting(.unresponsive))
        #expect(bench.error(rssi) != nil)
        #expect(bench.ends[link] == [.adapter(.unresponsive)])
        #expect(bench.controller.commands.last == .reset)
        bench.advance(by: .seconds(2))
        #expect(bench.core.state == .unavailable(.unresponsive))
        bench.controller.isHung = false
        bench.advance(by: .seconds(5))
        #expect(bench.core.state == .ready)
        #expect(try bench.connect(peer.address) != link)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A controller that responds to the reset is used again")
    func resetHelps() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.isHung = true
        _ = bench.ask(.readRSSI, of: link)
        bench.advance(by: .milliseconds(2900))
        bench.controller.isHung = false
        bench.controller.forget()
        bench.advance(by: .seconds(2))
        #expect(bench.states == [.ready, .resetting(.unresponsive), .ready])
        #expect(bench.openCount == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A hardware error ends every link once, and the controller is reset")
    func hardwareError() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.controller.keepsPackets = true
        let other = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        bench.controller.send(.hardwareError(.init(code: 0x42)))
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.hardwareError(0x42)), .ready])
        #expect(bench.result(read) != nil)
        #expect(bench.error(other) == .adapter(.hardwareError(0x42)))
        #expect(bench.ends[link] == [.adapter(.hardwareError(0x42))])
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A procedure that is in progress when the controller fails ends once")
    func procedureAtFailure() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.muteCommands = [.leSetPHY]
        let phy = bench.ask(.setPHY(transmit: .le2M, receive: nil), of: link)
        bench.controller.send(.hardwareError(.init(code: 1)))
        bench.drive()
        #expect(bench.error(phy) == .adapter(.hardwareError(1)))
    }

    @Test("A controller that fails while it encrypts gets no command before Reset")
    func encryptionAtFailure() throws {
        var bench = try Bench.bonded()
        bench.controller.muteCommands = [.leEnableEncryption]
        let dial = bench.dial(Bonded.peer.address)
        bench.drive()
        bench.controller.send(.hardwareError(.init(code: 1)))
        bench.drive()
        let later = bench.controller.commands.drop { $0 != .leEnableEncryption }.dropFirst()
        #expect(later.first == .reset)
        #expect(bench.error(dial) == .adapter(.hardwareError(1)))
        #expect(bench.core.state == .ready)
    }

    @Test("A controller that restarts is set up again")
    func restart() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.restart()
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.restarted), .ready])
        #expect(bench.ends[link] == [.adapter(.restarted)])
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Bytes that are not a packet make the host reopen the transport")
    func desynchronised() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.feed([0x55, 0xAA])
        #expect(bench.core.state == .unavailable(.desynchronised))
        #expect(bench.ends[link] == [.adapter(.desynchronised)])
        bench.controller.forget()
        bench.advance(by: .seconds(1))
        #expect(bench.core.state == .ready)
        #expect(bench.openCount == 2)
    }

    @Test("Scans continue after the controller failed during their start")
    func scanSurvivesHang() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.isHung = true
        let scan = bench.scan()
        bench.advance(by: .milliseconds(2900))
        bench.controller.isHung = false
        bench.controller.forget()
        bench.advance(by: .seconds(2))
        #expect(bench.core.state == .ready)
        #expect(bench.isPending(scan))
        #expect(bench.controller.isScanning)
        #expect(bench.sightings.map(\.sighting.address) == [peer.address])
        #expect(bench.controller.violations.isEmpty)
    }
}
