// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Server and databases with the port")
struct PortServerTests {
    private static let definition = GATT.ServiceDefinition(
        BluetoothUUID(0x1815),
        [.init(BluetoothUUID(0x2A56), [.read, .write, .notify], value: .dynamic)]
    )

    /// A peer whose database can change.
    private static let changing: ModelPeer = {
        var peer = ModelPeer(1)
        peer.server.otherServices = [
            .init(handle: .init(7), groupEnd: .init(10), value: [0x01, 0x18])
        ]
        peer.server.attributes += [
            .init(handle: .init(7), type: .init(0x2800), value: [0x01, 0x18]),
            .init(handle: .init(8), type: .init(0x2803), value: [0x20, 9, 0, 0x05, 0x2A]),
            .init(handle: .init(9), type: .init(0x2A05), value: []),
            .init(handle: .init(10), type: .init(0x2902), value: [0, 0]),
        ]
        return peer
    }()

    private let peer = PortServerTests.changing

    private func answers(_ harness: PortHarness) -> [ATT.PDU] {
        harness.transport.controller.peers[peer.address]?.server.received.suffix(1) ?? []
    }

    private func serving() throws -> (PortHarness, AttributeHandle) {
        let harness = PortHarness.ready(peers: [peer])
        let service = try harness.get { try? $0.publish(Self.definition) }
        _ = try harness.connect(peer.address)
        let handle = try #require(service?.characteristics.first?.valueHandle)
        return (harness, handle)
    }

    @Test("The observer gets questions, and can answer them during the event")
    func questions() throws {
        let (harness, handle) = try serving()
        harness.journal.react { [host = harness.host] event in
            guard case .served(_, .asked(let question, _)) = event else { return }
            host.assumeIsolated { $0.answer(question, .success([1, 2, 3])) }
        }
        harness.act { $0.sendPDU(.readRequest(.init(handle: handle)), from: peer.address) }
        #expect(harness.journal.take() == ["served read"])
        #expect(answers(harness) == [.readResponse(.init(value: [1, 2, 3]))])
    }

    @Test("While a stream has a reader, only the reader gets questions")
    func reader() throws {
        let (harness, handle) = try serving()
        let stream = try #require(try harness.get { try? $0.serverEvents() })
        harness.act { $0.sendPDU(.readRequest(.init(handle: handle)), from: peer.address) }
        #expect(harness.journal.take().isEmpty)
        #expect(answers(harness).first?.opcode != .errorResponse, "The reader gets the question")
        withExtendedLifetime(stream) {}
    }

    @Test("Without an observer or a reader, requests of clients are refused")
    func withoutObserver() throws {
        let harness = PortHarness(peers: [peer])
        let service = try harness.get { try? $0.publish(Self.definition) }
        let handle = try #require(service?.characteristics.first?.valueHandle)
        harness.on { $0.beginStart() }
        harness.on { [peer] in _ = $0.beginConnecting(to: peer.address) { _ in } }
        harness.act { $0.sendPDU(.readRequest(.init(handle: handle)), from: peer.address) }
        let refusal = ATT.ErrorResponse(
            requestOpcode: .readRequest,
            handle: handle,
            code: .unlikelyError
        )
        #expect(answers(harness) == [.errorResponse(refusal)])
    }

    @Test("Subscriptions are reported, values are sent, and their transmission is reported")
    func notifying() throws {
        let (harness, handle) = try serving()
        let configuration = AttributeHandle(rawValue: handle.rawValue + 1)
        let write = ATT.WriteRequest(handle: configuration, value: [1, 0])
        harness.act { $0.sendPDU(.writeRequest(write), from: peer.address) }
        #expect(harness.journal.take() == ["served subscribed notification"])
        let link = try #require(harness.journal.lastLink)
        harness.on { [journal = harness.journal] host in
            let value = GATT.AttributeValue(handle: handle, value: [9])
            host.begin([value], on: link, then: journal.noting("sent"))
            host.begin([], on: link, then: journal.noting("nothing"))
            let other = GATT.AttributeValue(handle: AttributeHandle(1), value: [9])
            host.begin([other], on: link, then: journal.noting("refused"))
        }
        #expect(
            harness.journal.take().sorted() == [
                "nothing: done", "refused: \(HostError.notSubscribed)", "sent: done",
            ]
        )
    }

    @Test("A host that knows a database gets its changes, even if the application unsubscribes")
    func changes() throws {
        let harness = PortHarness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        #expect(try harness.get { $0.knownDatabase(of: link) } == nil)
        harness.on { [journal = harness.journal] in
            $0.begin(.database, on: link, then: journal.noting("table"))
        }
        #expect(harness.journal.take() == ["table: database"])
        #expect(try harness.get { $0.knownDatabase(of: link) } != nil)
        let configuration = { harness.transport.controller.peers[peer.address]?.server[.init(10)] }
        #expect(configuration()?.value == [2, 0], "The host is subscribed to Service Changed")
        harness.on { [journal = harness.journal] in
            let unsubscribe = GATT.Operation.unsubscribe(
                valueHandle: .init(9),
                descriptor: .init(10)
            )
            $0.begin(.gatt(unsubscribe), on: link, then: journal.noting("unsubscribe"))
        }
        #expect(harness.journal.take() == ["unsubscribe: done"])
        #expect(configuration()?.value == [2, 0], "The host stays subscribed to Service Changed")
        let indication = ATT.HandleValueIndication(handle: AttributeHandle(9), value: [1, 0, 6, 0])
        harness.act { $0.sendPDU(.handleValueIndication(indication), from: peer.address) }
        #expect(harness.journal.take().contains("changed 1...6"))
        #expect(try harness.get { $0.knownDatabase(of: link) } == nil)
    }
}
