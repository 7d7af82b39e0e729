// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Notifications and indications")
struct NotificationTests {
    private let peer = ModelPeer(1)

    /// Returns a harness whose peer has subscribed to a notified value and an indicated value.
    private func subscribed(
        _ profile: ModelProfile = .rich
    ) throws -> (Harness, LinkIdentifier, GATT.DiscoveredService) {
        var harness = Harness.ready(profile, peers: [peer])
        let service = try harness.publish(TestService.definition)
        let link = try harness.connect(peer.address)
        let notified = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        let indicated = harness.write([2, 0], to: try service.configuration(2), by: peer.address)
        #expect(notified == [.writeResponse] && indicated == [.writeResponse])
        return (harness, link, service)
    }

    @Test("A notification completes when it is sent")
    func notification() throws {
        var (harness, link, service) = try subscribed()
        let id = harness.notify([(service.value(0), [42])], on: link)
        guard case .done = try harness.answer(id) else { throw Harness.UnexpectedAnswer() }
        harness.drive()
        #expect(harness.values(receivedBy: peer.address) == [[42]])
        #expect(
            harness.core.value(of: service.value(0)) == [1, 2, 3],
            "A notification does not change the stored value"
        )
        #expect(
            harness.core.subscriptions(of: link) == [
                service.value(0): .notification, service.value(2): .indication,
            ]
        )
        #expect(harness.core.subscribers(of: service.value(0)).map(\.identifier) == [link])
    }

    /// Sends a value on the path that `Link.notify` tries first.
    private func notifyAtOnce(
        _ value: [UInt8],
        of attribute: AttributeHandle,
        _ harness: inout Harness,
        _ link: LinkIdentifier
    ) throws -> Bool {
        defer { harness.performActions() }
        return try harness.core.notifyAtOnce(value, of: attribute, on: link, now: harness.now)
    }

    @Test("A notification is sent at once, in packets of any size", arguments: [12, 251])
    func atOnce(packetLength: Int) throws {
        var profile = ModelProfile.rich
        profile.aclPacketLength = packetLength
        var (harness, link, service) = try subscribed(profile)
        let values = (0..<5).map { [UInt8](repeating: $0, count: 20) }
        for value in values {
            let isSent = try notifyAtOnce(value, of: service.value(0), &harness, link)
            #expect(isSent)
            harness.drive()
        }
        #expect(harness.values(receivedBy: peer.address) == values)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A value is sent at once only while no other value waits before it")
    func atOnceKeepsOrder() throws {
        var (harness, link, service) = try subscribed(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        var sent = 0
        while try notifyAtOnce([UInt8(sent)], of: service.value(0), &harness, link) {
            sent += 1
            try #require(sent < 100)
        }
        #expect(sent == profileBufferCount + ACLTransmitQueue.frameLimit)
        let waiting = harness.notify([(service.value(0), [UInt8(sent)])], on: link)
        #expect(harness.isPending(waiting))
        let overtakes = try notifyAtOnce([0xFF], of: service.value(0), &harness, link)
        #expect(!overtakes)
        for _ in 0...sent {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(harness.values(receivedBy: peer.address) == (0...sent).map { [UInt8($0)] })
        let isNotified = try notifyAtOnce([1], of: service.value(2), &harness, link)
        #expect(!isNotified, "An indication is never sent at once")
    }

    /// The number of buffers of the `poor` controller.
    private var profileBufferCount: Int { ModelProfile.poor.aclPacketCount }

    @Test("A value cannot be sent at once after the client has unsubscribed")
    func atOnceChecksAgain() throws {
        var (harness, link, service) = try subscribed()
        let isSent = try notifyAtOnce([1], of: service.value(0), &harness, link)
        #expect(isSent)
        _ = harness.write([0, 0], to: try service.configuration(0), by: peer.address)
        #expect(throws: HostError.notSubscribed) {
            try notifyAtOnce([2], of: service.value(0), &harness, link)
        }
        _ = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        let isSentAgain = try notifyAtOnce([3], of: service.value(0), &harness, link)
        #expect(isSentAgain)
        harness.drive()
        #expect(harness.values(receivedBy: peer.address) == [[1], [3]])
    }

    @Test("Values without a subscription, and attributes that are not values, are refused")
    func notSubscribed() throws {
        var (harness, link, service) = try subscribed()
        for handle in [service.value(1), service.service.handle, AttributeHandle(0x7777)] {
            let refused = harness.notify([(handle, [1])], on: link)
            #expect(harness.error(refused) == .notSubscribed)
        }
        _ = harness.write([0, 0], to: try service.configuration(0), by: peer.address)
        let refused = harness.notify([(service.value(0), [1])], on: link)
        #expect(harness.error(refused) == .notSubscribed)
        #expect(throws: HostError.notSubscribed) {
            try harness.core.tryNotify([1], of: service.value(0), on: link, now: harness.now)
        }
        harness.drive()
        #expect(harness.values(receivedBy: peer.address).isEmpty)
    }

    @Test("Notifications wait for free buffers and are sent in order")
    func backPressure() throws {
        var (harness, link, service) = try subscribed(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        let values = (0..<300).map { [UInt8(truncatingIfNeeded: $0), 7] }
        let ids = values.map { harness.notify([(service.value(0), $0)], on: link) }
        harness.drive()
        #expect(
            ids.filter { !harness.isPending($0) }.count < 16,
            "The host buffers a limited number of notifications"
        )
        for _ in values {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(harness.unfinished(ids).isEmpty)
        #expect(harness.values(receivedBy: peer.address) == values)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Values that wait while a peer lowers the MTU are truncated, and none is lost")
    func smallerMTU() throws {
        var (harness, link, service) = try subscribed(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        _ = harness.exchange(.exchangeMTURequest(.init(receiveMTU: 200)), from: peer.address)
        harness.controller.keepsPackets = true
        let value = [UInt8](repeating: 7, count: 100)
        let ids = (0..<200).map { _ in harness.notify([(service.value(0), value)], on: link) }
        _ = harness.exchange(.exchangeMTURequest(.init(receiveMTU: 23)), from: peer.address)
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(2_000, on: handle)
        harness.drive()
        #expect(harness.unfinished(ids).isEmpty)
        let received = harness.values(receivedBy: peer.address)
        #expect(received.count == ids.count)
        #expect(received.last == Array(value.prefix(20)))
    }

    @Test(
        "If no buffer is free, tryNotify returns false, and an event reports the next free buffer"
    )
    func tryNotify() throws {
        var (harness, link, service) = try subscribed(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        var sent: [[UInt8]] = []
        for number in UInt8(0)... {
            let isSent = try harness.core.tryNotify(
                [number],
                of: service.value(0),
                on: link,
                now: harness.now
            )
            harness.performActions()
            guard isSent else { break }
            sent.append([number])
        }
        #expect((64...80).contains(sent.count))
        #expect(readiness(harness) == 0)
        for _ in 0..<16 {
            harness.controller.releasePackets(1, on: handle)
            harness.drive()
        }
        #expect(readiness(harness) == 1)
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(200, on: handle)
        harness.drive()
        #expect(readiness(harness) == 1, "A refusal is followed by one event")
        #expect(harness.values(receivedBy: peer.address) == sent)
    }

    private func readiness(_ harness: Harness) -> Int {
        harness.clientEvents.filter { if case .readyToNotify = $0.event { true } else { false } }
            .count
    }

    @Test("An indication completes with its confirmation, and then the next is sent")
    func indication() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        let ids = (0..<3).map { harness.notify([(service.value(2), [UInt8($0)])], on: link) }
        harness.drive()
        #expect(harness.values(receivedBy: peer.address) == [[0]])
        for number in 1...3 {
            #expect(harness.isPending(ids[number - 1]))
            harness.controller.sendPDU(.handleValueConfirmation, from: peer.address)
            harness.drive()
            #expect(!harness.isPending(ids[number - 1]))
        }
        #expect(harness.values(receivedBy: peer.address) == [[0], [1], [2]])
    }

    @Test("A notification overtakes indications that wait for a confirmation")
    func overtaking() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        _ = harness.notify([(service.value(2), [1])], on: link)
        let held = harness.notify([(service.value(2), [2])], on: link)
        let free = harness.notify([(service.value(0), [3])], on: link)
        harness.drive()
        #expect(harness.isPending(held))
        #expect(!harness.isPending(free))
        #expect(harness.values(receivedBy: peer.address) == [[1], [3]])
    }

    @Test("A client that does not confirm an indication for 30 seconds is disconnected")
    func unconfirmed() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        let first = harness.notify([(service.value(2), [1])], on: link)
        let second = harness.notify([(service.value(2), [2])], on: link)
        harness.advance(by: .milliseconds(29_999))
        #expect(harness.isPending(first) && harness.ends[link] == nil)
        harness.advance(by: .milliseconds(1))
        guard case .failure(GATT.Failure.timedOut)? = harness.result(first) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(harness.unfinished([first, second]).isEmpty)
        #expect(harness.ends[link] == [.disconnected(.connectionTerminatedByLocalHost)])
    }

    @Test("After the peer has not confirmed an indication, the host sends no further value")
    func closedBearer() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        harness.controller.endlessCommands = [.disconnect]
        _ = harness.notify([(service.value(2), [1])], on: link)
        harness.advance(by: .seconds(30))
        let late = harness.notify([(service.value(0), [2])], on: link)
        let isSent = try notifyAtOnce([3], of: service.value(0), &harness, link)
        let isWritten = harness.core.writeAtOnce(
            [4],
            to: ModelServer.writableHandle,
            on: link,
            now: harness.now
        )
        harness.drive()
        #expect(!isSent && !isWritten && harness.isPending(late))
        #expect(harness.values(receivedBy: peer.address) == [[1]])
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.error(late) == .disconnected(.connectionTimeout))
    }

    @Test("A request to send several values completes when all of them are sent and confirmed")
    func severalValues() throws {
        var (harness, link, service) = try subscribed()
        harness.controller.peers[peer.address]?.server.confirms = false
        let id = harness.notify(
            [(service.value(0), [1]), (service.value(2), [2]), (service.value(0), [3])],
            on: link
        )
        harness.drive()
        #expect(harness.isPending(id))
        #expect(Set(harness.values(receivedBy: peer.address)) == [[1], [2], [3]])
        harness.controller.sendPDU(.handleValueConfirmation, from: peer.address)
        harness.drive()
        guard case .done = try harness.answer(id) else { throw Harness.UnexpectedAnswer() }
        let refused = harness.notify([(service.value(0), [4]), (service.value(1), [5])], on: link)
        harness.drive()
        #expect(harness.error(refused) == .notSubscribed)
        #expect(
            harness.values(receivedBy: peer.address).count == 3,
            "A refused group of values is not sent"
        )
    }

    @Test("Several values share one PDU if the client supports it")
    func multiple() throws {
        var (harness, link, service) = try subscribed()
        let found = harness.handle(ofType: BluetoothUUID(0x2B29), for: peer.address)
        let features = try #require(found)
        #expect(harness.write([0x04], to: features, by: peer.address) == [.writeResponse])
        let id = harness.notify([(service.value(0), [1]), (service.value(0), [2])], on: link)
        harness.drive()
        guard case .done = try harness.answer(id) else { throw Harness.UnexpectedAnswer() }
        guard
            case .multipleHandleValueNotification(let notification)? = harness.received(
                by: peer.address
            ).last
        else { return #expect(Bool(false), "The values are not in one PDU") }
        #expect(notification.entries.map { Array($0.value) } == [[1], [2]])
    }

    @Test("A value that is canceled before it is sent is never sent")
    func cancellation() throws {
        var (harness, link, service) = try subscribed(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        let ids = (0..<100).map { harness.notify([(service.value(0), [UInt8($0)])], on: link) }
        for id in ids where harness.isPending(id) {
            harness.core.cancelNotification(id, on: link, now: harness.now)
        }
        let last = harness.notify([(service.value(0), [200])], on: link)
        let left = ids.filter { !harness.isPending($0) }.count
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(200, on: handle)
        harness.drive()
        #expect(!harness.isPending(last))
        let expected = (0..<left).map { [UInt8($0)] } + [[200]]
        #expect(harness.values(receivedBy: peer.address) == expected)
    }

    @Test("The end of the link fails every waiting value", arguments: [true, false])
    func linkLoss(_ isShutDown: Bool) throws {
        var (harness, link, service) = try subscribed(.poor)
        harness.controller.keepsPackets = true
        harness.controller.peers[peer.address]?.server.confirms = false
        var ids = (0..<200).map { harness.notify([(service.value(0), [UInt8($0)])], on: link) }
        ids += (0..<100).map { harness.notify([(service.value(2), [UInt8($0)])], on: link) }
        ids.append(harness.notify([(service.value(0), [1]), (service.value(2), [2])], on: link))
        if isShutDown {
            harness.core.shutDown(now: harness.now)
        } else {
            harness.controller.dropLink(to: peer.address, .connectionTimeout)
        }
        harness.drive()
        harness.advance(by: .seconds(2))
        #expect(harness.unfinished(ids).isEmpty)
        #expect(harness.ends[link]?.count == 1)
        let later = harness.notify([(service.value(0), [1])], on: link)
        #expect(harness.error(later) != nil)
    }

    @Test("The number of waiting values is limited for each link")
    func bounds() throws {
        var (harness, link, service) = try subscribed(.poor)
        harness.controller.keepsPackets = true
        let many = (0..<LinkServing.queueLimit).map { _ in (service.value(0), [UInt8(1)]) }
        let first = harness.notify(many, on: link)
        #expect(harness.isPending(first))
        let second = harness.notify(many, on: link)
        #expect(harness.error(second) == .tooManyRequests)
    }
}

extension Harness {
    /// Returns the handle of the only attribute of a type, as the peer discovers it.
    mutating func handle(
        ofType type: BluetoothUUID,
        for peer: DeviceAddress
    ) -> AttributeHandle? {
        let request = ATT.ReadByTypeRequest(start: .first, end: .last, type: type)
        guard
            case .readByTypeResponse(let response)? = exchange(
                .readByTypeRequest(request),
                from: peer
            )
            .first
        else { return nil }
        return response.entries.first?.handle
    }
}
