// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Requests of clients")
struct RequestTests {
    private let peer = ModelPeer(1)

    private func serving(
        _ profile: ModelProfile = .rich
    ) throws -> (Harness, LinkIdentifier, GATT.DiscoveredService) {
        var harness = Harness.ready(profile, peers: [peer])
        let service = try harness.publish(TestService.definition)
        let link = try harness.connect(peer.address)
        return (harness, link, service)
    }

    @Test("A read after a write returns the new value, and a protected value stays unreadable")
    func readAgain() throws {
        var (harness, link, service) = try serving()
        let value = service.value(0)
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(harness.write([number], to: value, by: peer.address) == [.writeResponse])
            for _ in 0..<2 {
                #expect(harness.read(value, by: peer.address) == [.value([number])])
            }
            let refused = harness.read(service.value(3), by: peer.address)
            #expect(refused.map(\.opcode) == [.errorResponse])
        }
        #expect(harness.core.isOpen(link))
    }

    @Test(
        "A stored value is read at once, with packets of any size",
        arguments: [3, 251]
    )
    func storedValue(_ fragmentLength: Int) throws {
        var (harness, _, service) = try serving()
        harness.controller.fragmentLength = fragmentLength
        #expect(harness.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
        try harness.core.setValue([7], of: service.value(0))
        #expect(harness.read(service.value(0), by: peer.address) == [.value([7])])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A usable link is reported once, before its other events")
    func announcement() throws {
        var (harness, link, service) = try serving()
        _ = harness.write([5], to: service.value(0), by: peer.address)
        let opened = harness.events.indices.filter {
            if case .linkOpened(link, peer.address, _) = harness.events[$0] { true } else { false }
        }
        let written = harness.events.indices.filter {
            guard case .served(link, .written(let entries)) = harness.events[$0] else {
                return false
            }
            return entries == [.init(handle: service.value(0), value: [5])]
        }
        #expect((opened.count, written.count) == (1, 1))
        #expect(try #require(opened.first) < #require(written.first))
        #expect(harness.clientEvents.count { $0.link == link } == 1)
        #expect(harness.core.value(of: service.value(0)) == [5])
    }

    @Test("The application is asked for a dynamic value, and may answer later")
    func dynamicValue() throws {
        var (harness, link, service) = try serving()
        #expect(harness.read(service.value(1), by: peer.address).isEmpty)
        let (id, question) = try #require(harness.questions.first)
        #expect(question == .read(link.client, service.value(1), offset: 0))
        harness.advance(by: .seconds(20))
        harness.answer(id, .success([8, 8]))
        #expect(harness.received(by: peer.address).last == .value([8, 8]))
        let count = harness.received(by: peer.address).count
        harness.answer(id, .success([9]))
        harness.answer(id, .failure(.unlikelyError))
        #expect(harness.received(by: peer.address).count == count, "The client gets one response")
    }

    @Test("A request is refused if the application does not answer for 25 seconds")
    func silence() throws {
        var (harness, _, service) = try serving()
        _ = harness.read(service.value(1), by: peer.address)
        harness.advance(by: .milliseconds(24_999))
        #expect(harness.received(by: peer.address).last != refusal(service))
        harness.advance(by: .milliseconds(1))
        #expect(harness.received(by: peer.address).last == refusal(service))
        #expect(harness.ends.isEmpty)
    }

    private func refusal(_ service: GATT.DiscoveredService) -> ATT.PDU {
        .refusal(.readRequest, service.value(1), .unlikelyError)
    }

    @Test("The application decides on a write of a dynamic value", arguments: [true, false])
    func dynamicWrite(_ isAccepted: Bool) throws {
        var (harness, link, service) = try serving()
        #expect(harness.write([1, 1], to: service.value(1), by: peer.address).isEmpty)
        let (id, question) = try #require(harness.questions.first)
        let entry = GATT.WriteEntry(handle: service.value(1), value: [1, 1])
        #expect(question == .write(link.client, [entry], needsAnswer: true))
        harness.answer(id, isAccepted ? .success([]) : .failure(.valueNotAllowed))
        let expected: ATT.PDU =
            isAccepted
            ? .writeResponse : .refusal(.writeRequest, service.value(1), .valueNotAllowed)
        #expect(harness.received(by: peer.address).last == expected)
    }

    @Test("A command is reported and gets no response")
    func command() throws {
        var (harness, link, service) = try serving()
        let command = ATT.PDU.writeCommand(.init(handle: service.value(1), value: [3]))
        #expect(harness.exchange(command, from: peer.address).isEmpty)
        let (id, question) = try #require(harness.questions.first)
        let entry = GATT.WriteEntry(handle: service.value(1), value: [3])
        #expect(question == .write(link.client, [entry], needsAnswer: false))
        harness.answer(id, .success([]))
        #expect(
            harness.received(by: peer.address).count == 1,
            "The peer gets only the host's MTU exchange"
        )
    }

    @Test("An answer to a client that disconnected is dropped, even if its handle is reused")
    func lateAnswer() throws {
        var (harness, _, service) = try serving()
        let handle = try #require(harness.controller.handle(of: peer.address))
        _ = harness.read(service.value(1), by: peer.address)
        let (id, _) = try #require(harness.questions.first)
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        harness.controller.reuse(handle)
        _ = try harness.connect(peer.address)
        let count = harness.received(by: peer.address).count
        harness.answer(id, .success([1]))
        #expect(harness.received(by: peer.address).count == count)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Responses use the exchanged MTU, and long values are read in parts")
    func longValue() throws {
        var (harness, _, service) = try serving()
        let long = [UInt8](0..<255) + [UInt8](0..<255)
        try harness.core.setValue(long, of: service.value(0))
        let first = harness.read(service.value(0), by: peer.address)
        #expect(first == [.value(Array(long.prefix(246)))])
        let blob = ATT.PDU.readBlobRequest(.init(handle: service.value(0), offset: 492))
        let second = harness.exchange(blob, from: peer.address)
        #expect(second == [.readBlobResponse(.init(value: long[492...]))])
    }

    @Test("Services are published without a controller and survive its resets")
    func reset() throws {
        var harness = Harness(peers: [peer])
        let service = try harness.publish(TestService.definition)
        harness.open()
        harness.drive()
        _ = try harness.connect(peer.address)
        #expect(harness.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
        harness.controller.restart()
        harness.drive()
        harness.advance(by: .seconds(5))
        _ = try harness.connect(peer.address)
        #expect(harness.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
    }

    @Test("Generic Access has the name of the configuration")
    func genericAccess() throws {
        var harness = Harness.ready(peers: [peer]) { $0.name = "Ward 7" }
        _ = try harness.connect(peer.address)
        let request = ATT.ReadByTypeRequest(start: .first, end: .last, type: BluetoothUUID(0x2A00))
        let answer = harness.exchange(.readByTypeRequest(request), from: peer.address)
        guard case .readByTypeResponse(let response)? = answer.first else {
            return #expect(Bool(false), "\(answer)")
        }
        #expect(response.entries.map { Array($0.value) } == [Array("Ward 7".utf8)])
    }
}
