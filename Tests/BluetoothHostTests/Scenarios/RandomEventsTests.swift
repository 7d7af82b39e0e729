// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A host in use, on a controller that sends any event at any time.
@Suite("Random events from the controller")
struct RandomEventsTests {
    @Test("Random events never trap, and every request ends once", arguments: RunSeed.seeds(24))
    func survive(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let peers = (1...3).map { ModelPeer($0) }
        var harness = Harness.ready(peers: peers)
        var requests: [RequestIdentifier] = []
        for _ in 0..<400 {
            act(on: &harness, peers, &requests, &generator)
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                harness.feed(Self.packet(using: &generator))
            }
            harness.drive(atMost: 50)
            harness.step(by: .milliseconds(Int.random(in: 0...900, using: &generator)))
        }
        harness.core.shutDown(now: harness.now)
        harness.performActions()
        harness.step(by: HostCore.shutdownLimit)
        #expect(harness.core.state == .closed)
        #expect(harness.unfinished(requests).isEmpty)
        #expect(harness.core.linkList.isEmpty)
        #expect(harness.core.nextDeadline == nil)
    }

    private func act(
        on harness: inout Harness,
        _ peers: [ModelPeer],
        _ requests: inout [RequestIdentifier],
        _ generator: inout SplitMix64
    ) {
        guard let peer = peers.randomElement(using: &generator) else { return }
        let link = harness.core.linkList.randomElement(using: &generator)?.identifier
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: requests.append(harness.requestConnection(peer.address))
        case 1: requests.append(harness.requestConnection(peer.address, .whenAvailable))
        case 2: if let link { requests.append(harness.ask(.disconnect, of: link)) }
        case 3: if let link { requests.append(harness.ask(.readRSSI, of: link)) }
        case 4:
            let update = ConnectionUpdate(
                intervalMinimum: .milliseconds(30),
                intervalMaximum: .milliseconds(50)
            )
            if let link { requests.append(harness.ask(.updateParameters(update), of: link)) }
        default:
            let read = LinkRequest.gatt(.readLong(ModelServer.readableHandle))
            if let link { requests.append(harness.ask(read, of: link)) }
        }
    }

    /// Returns a packet with a valid header and mostly invalid content.
    private static func packet(using generator: inout SplitMix64) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return data(using: &generator)
        case 1...5:
            // The bytes come from a small set, so that handles, statuses and counts are often
            // valid.
            let subevents: [UInt8] = [0x01, 0x03, 0x05, 0x06, 0x07, 0x0A, 0x0C, 0x29]
            let subevent = subevents.randomElement(using: &generator) ?? 0x01
            let lengths: [UInt8: Int] = [
                0x01: 18, 0x03: 9, 0x05: 12, 0x06: 10, 0x07: 10, 0x0A: 30, 0x0C: 5, 0x29: 33,
            ]
            let body = small([0, 0, 0, 0x40, 0x41, 1, 24], lengths[subevent] ?? 0, &generator)
            return [0x04, 0x3E, UInt8(body.count + 1), subevent] + body
        default:
            let codes: [(UInt8, Int)] = [(0x05, 4), (0x0C, 8), (0x0E, 4), (0x0F, 4), (0x13, 5)]
            let (code, length) = codes.randomElement(using: &generator) ?? (0x05, 4)
            let body = small([0, 1, 0x40, 0x06, 0x04, 0x20], length, &generator)
            return [0x04, code, UInt8(body.count)] + body
        }
    }

    private static func small(
        _ bytes: [UInt8],
        _ count: Int,
        _ generator: inout SplitMix64
    ) -> [UInt8] {
        (0..<count).map { _ in bytes.randomElement(using: &generator) ?? 0 }
    }

    private static func data(using generator: inout SplitMix64) -> [UInt8] {
        let channel: ChannelIdentifier = Bool.random(using: &generator) ? .att : .signaling
        let count = Int.random(in: 0...30, using: &generator)
        let payload = (0..<count).map { _ in UInt8.random(in: 0...0x23, using: &generator) }
        return HCI.ACLPacket(
            connectionHandle: ConnectionHandle(
                rawValue: .random(in: 0x40...0x44, using: &generator)
            ),
            boundary: Bool.random(using: &generator) ? .firstFlushable : .continuing,
            payload: L2CAPFrame.encode(payload, on: channel)[...]
        ).h4Bytes
    }
}

extension Harness {
    /// Advances the clock without a requirement that both sides become idle.
    fileprivate mutating func step(by duration: Duration) {
        let end = now + duration
        for _ in 0..<1000 {
            guard let deadline = core.nextDeadline, deadline <= end else { break }
            now = max(now, deadline)
            core.deadlinePassed(now: now)
            drive(atMost: 50)
        }
        now = end
    }
}
