// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Notifications and indications")
struct NotificationStories {
    private let peer = ModelPeer(1)

    /// Returns a client with all permitted subscriptions.
    private func subscribed(
        _ profile: ModelProfile = .rich
    ) throws -> (Bench, LinkIdentifier, GATT.PublishedService) {
        var bench = Bench.ready(profile, peers: [peer])
        let service = try bench.publish(Clinic.definition)
        let link = try bench.connect(peer.address)
        let notified = bench.write([1, 0], to: try service.configuration(0), by: peer.address)
        let indicated = bench.write([2, 0], to: try service.configuration(2), by: peer.address)
        #expect(notified == [.writeResponse] && indicated == [.writeResponse])
        return (bench, link, service)
    }

    @Test("A notification completes when it is sent")
    func notification() throws {
        var (bench, link, service) = try subscribed()
        let id = bench.notify([(service.value(0), [42])], on: link)
        guard case .done = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        bench.drive()
        #expect(bench.values(heardBy: peer.address) == [[42]])
        #expect(bench.core.value(of: service.value(0)) == [1, 2, 3], "the value was changed")
        #expect(
            bench.core.subscriptions(of: link) == [
                service.value(0): .notification, service.value(2): .indication,
            ]
        )
        #expect(bench.core.subscribers(of: service.value(0)).map(\.identifier) == [link])
    }

    @Test("Values without a subscription and other attributes are not sent")
    func notSubscribed() throws {
        var (bench, link, service) = try subscribed()
        for handle in [service.value(1), service.service.handle, AttributeHandle(0x7777)] {
            let refused = bench.notify([(handle, [1])], on: link)
            #expect(bench.error(refused) == .notSubscribed)
        }
        _ = bench.write([0, 0], to: try service.configuration(0), by: peer.address)
        let refused = bench.notify([(service.value(0), [1])], on: link)
        #expect(bench.error(refused) == .notSubscribed)
        #expect(throws: HostError.notSubscribed) {
            try bench.core.tryNotify([1], of: service.value(0), on: link, now: bench.now)
        }
        bench.drive()
        #expect(bench.values(heardBy: peer.address).isEmpty)
    }

    @Test("Notifications wait for free buffers and are sent in order")
    func backPressure() throws {
        var (bench, link, service) = try subscribed(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        let values = (0..<300).map { [UInt8(truncatingIfNeeded: $0), 7] }
        let ids = values.map { bench.notify([(service.value(0), $0)], on: link) }
        bench.drive()
        #expect(ids.filter { !bench.isPending($0) }.count < 16, "the host buffers without end")
        for _ in values {
            bench.controller.releasePackets(1, on: handle)
            bench.drive()
        }
        #expect(bench.unfinished(ids).isEmpty)
        #expect(bench.values(heardBy: peer.address) == values)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Values that wait while a peer lowers the MTU are truncated, and none is lost")
    func smallerMTU() throws {
        var (bench, link, service) = try subscribed(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        _ = bench.hear(.exchangeMTURequest(.init(receiveMTU: 200)), from: peer.address)
        bench.controller.keepsPackets = true
        let value = [UInt8](repeating: 7, count: 100)
        let ids = (0..<200).map { _ in bench.notify([(service.value(0), value)], on: link) }
        _ = bench.hear(.exchangeMTURequest(.init(receiveMTU: 23)), from: peer.address)
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(2_000, on: handle)
        bench.drive()
        #expect(bench.unfinished(ids).isEmpty)
        let heard = bench.values(heardBy: peer.address)
        #expect(heard.count == ids.count)
        #expect(heard.last == Array(value.prefix(20)))
    }

    @Test("Trying to notify reports missing buffers, and later that one is free")
    func tryNotify() throws {
        var (bench, link, service) = try subscribed(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        var sent: [[UInt8]] = []
        for number in UInt8(0)... {
            let isSent = try bench.core.tryNotify(
                [number],
                of: service.value(0),
                on: link,
                now: bench.now
            )
            bench.performActions()
            guard isSent else { break }
            sent.append([number])
        }
        #expect((64...80).contains(sent.count))
        #expect(readiness(bench) == 0)
        for _ in 0..<16 {
            bench.controller.releasePackets(1, on: handle)
            bench.drive()
        }
        #expect(readiness(bench) == 1)
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(200, on: handle)
        bench.drive()
        #expect(readiness(bench) == 1, "told once for each refusal")
        #expect(bench.values(heardBy: peer.address) == sent)
    }

    private func readiness(_ bench: Bench) -> Int {
        bench.news.filter { if case .readyToNotify = $0.news { true } else { false } }.count
    }

    @Test("An indication completes with its confirmation, and then the next is sent")
    func indication() throws {
        var (bench, link, service) = try subscribed()
        bench.controller.peers[peer.address]?.server.confirms = false
        let ids = (0..<3).map { bench.notify([(service.value(2), [UInt8($0)])], on: link) }
        bench.drive()
        #expect(bench.values(heardBy: peer.address) == [[0]])
        for number in 1...3 {
            #expect(bench.isPending(ids[number - 1]))
            bench.controller.sendPDU(.handleValueConfirmation, from: peer.address)
            bench.drive()
            #expect(!bench.isPending(ids[number - 1]))
        }
        #expect(bench.values(heardBy: peer.address) == [[0], [1], [2]])
    }

    @Test("A notification overtakes indications that wait for a confirmation")
    func overtaking() throws {
        var (bench, link, service) = try subscribed()
        bench.controller.peers[peer.address]?.server.confirms = false
        _ = bench.notify([(service.value(2), [1])], on: link)
        let held = bench.notify([(service.value(2), [2])], on: link)
        let free = bench.notify([(service.value(0), [3])], on: link)
        bench.drive()
        #expect(bench.isPending(held))
        #expect(!bench.isPending(free))
        #expect(bench.values(heardBy: peer.address) == [[1], [3]])
    }

    @Test("A client without a confirmation for 30 seconds loses its link")
    func unconfirmed() throws {
        var (bench, link, service) = try subscribed()
        bench.controller.peers[peer.address]?.server.confirms = false
        let first = bench.notify([(service.value(2), [1])], on: link)
        let second = bench.notify([(service.value(2), [2])], on: link)
        bench.advance(by: .milliseconds(29_999))
        #expect(bench.isPending(first) && bench.ends[link] == nil)
        bench.advance(by: .milliseconds(1))
        guard case .failure(GATT.Failure.timedOut)? = bench.result(first) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(bench.unfinished([first, second]).isEmpty)
        #expect(bench.ends[link] == [.disconnected(.connectionTerminatedByLocalHost)])
    }

    @Test("Sending several values completes when all of them complete")
    func severalValues() throws {
        var (bench, link, service) = try subscribed()
        bench.controller.peers[peer.address]?.server.confirms = false
        let id = bench.notify(
            [(service.value(0), [1]), (service.value(2), [2]), (service.value(0), [3])],
            on: link
        )
        bench.drive()
        #expect(bench.isPending(id))
        #expect(Set(bench.values(heardBy: peer.address)) == [[1], [2], [3]])
        bench.controller.sendPDU(.handleValueConfirmation, from: peer.address)
        bench.drive()
        guard case .done = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        let refused = bench.notify([(service.value(0), [4]), (service.value(1), [5])], on: link)
        bench.drive()
        #expect(bench.error(refused) == .notSubscribed)
        #expect(bench.values(heardBy: peer.address).count == 3, "one of them was sent all the same")
    }

    @Test("Several values share one PDU if the client supports it")
    func multiple() throws {
        var (bench, link, service) = try subscribed()
        let found = bench.handle(ofType: BluetoothUUID(0x2B29), for: peer.address)
        let features = try #require(found)
        #expect(bench.write([0x04], to: features, by: peer.address) == [.writeResponse])
        let id = bench.notify([(service.value(0), [1]), (service.value(0), [2])], on: link)
        bench.drive()
        guard case .done = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        guard case .multipleHandleValueNotification(let told)? = bench.heard(by: peer.address).last
        else { return #expect(Bool(false), "not sent as one") }
        #expect(told.entries.map { Array($0.value) } == [[1], [2]])
    }

    @Test("A value that is canceled before it is sent is never sent")
    func cancellation() throws {
        var (bench, link, service) = try subscribed(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        let ids = (0..<100).map { bench.notify([(service.value(0), [UInt8($0)])], on: link) }
        for id in ids where bench.isPending(id) {
            bench.core.cancelNotification(id, on: link, now: bench.now)
        }
        let last = bench.notify([(service.value(0), [200])], on: link)
        let left = ids.filter { !bench.isPending($0) }.count
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(200, on: handle)
        bench.drive()
        #expect(!bench.isPending(last))
        let expected = (0..<left).map { [UInt8($0)] } + [[200]]
        #expect(bench.values(heardBy: peer.address) == expected)
    }

    @Test("The end of the link fails every waiting value", arguments: [true, false])
    func linkLoss(_ isShutDown: Bool) throws {
        var (bench, link, service) = try subscribed(.poor)
        bench.controller.keepsPackets = true
        bench.controller.peers[peer.address]?.server.confirms = false
        var ids = (0..<200).map { bench.notify([(service.value(0), [UInt8($0)])], on: link) }
        ids += (0..<100).map { bench.notify([(service.value(2), [UInt8($0)])], on: link) }
        ids.append(bench.notify([(service.value(0), [1]), (service.value(2), [2])], on: link))
        if isShutDown {
            bench.core.shutDown(now: bench.now)
        } else {
            bench.controller.dropLink(to: peer.address, .connectionTimeout)
        }
        bench.drive()
        bench.advance(by: .seconds(2))
        #expect(bench.unfinished(ids).isEmpty)
        #expect(bench.ends[link]?.count == 1)
        let later = bench.notify([(service.value(0), [1])], on: link)
        #expect(bench.error(later) != nil)
    }

    @Test("The number of waiting values is limited for each link")
    func bounds() throws {
        var (bench, link, service) = try subscribed(.poor)
        bench.controller.keepsPackets = true
        let many = (0..<LinkServing.queueLimit).map { _ in (service.value(0), [UInt8(1)]) }
        let first = bench.notify(many, on: link)
        #expect(bench.isPending(first))
        let second = bench.notify(many, on: link)
        #expect(bench.error(second) == .tooManyRequests)
    }
}

extension Bench {
    /// Returns the handle of the only attribute of a type, as the peer discovers it.
    mutating func handle(
        ofType type: BluetoothUUID,
        for peer: DeviceAddress
    ) -> AttributeHandle? {
        let request = ATT.ReadByTypeRequest(start: .first, end: .last, type: type)
        guard
            case .readByTypeResponse(let response)? = hear(.readByTypeRequest(request), from: peer)
                .first
        else { return nil }
        return response.entries.first?.handle
    }
}
