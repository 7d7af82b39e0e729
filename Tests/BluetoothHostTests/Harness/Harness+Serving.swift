// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

// A harness whose host acts as a server: the peer of each link is its client.
extension Harness {
    /// Sends a PDU from the peer, and returns the PDUs that the peer receives. The response is the
    /// last.
    mutating func exchange(_ pdu: ATT.PDU, from peer: DeviceAddress) -> [ATT.PDU] {
        let before = received(by: peer).count
        controller.sendPDU(pdu, from: peer)
        drive()
        return Array(received(by: peer).dropFirst(before))
    }

    /// Returns all PDUs that the host has sent to the peer's bearer, including its requests as a
    /// client.
    func received(by peer: DeviceAddress) -> [ATT.PDU] {
        controller.peers[peer]?.server.received ?? []
    }

    /// Returns the values that the host has notified and indicated, oldest first.
    func values(receivedBy peer: DeviceAddress) -> [[UInt8]] {
        received(by: peer).compactMap { pdu in
            switch pdu {
            case .handleValueNotification(let value): Array(value.value)
            case .handleValueIndication(let value): Array(value.value)
            default: nil
            }
        }
    }

    mutating func read(_ handle: AttributeHandle, by peer: DeviceAddress) -> [ATT.PDU] {
        exchange(.readRequest(.init(handle: handle)), from: peer)
    }

    mutating func write(
        _ value: [UInt8],
        to handle: AttributeHandle,
        by peer: DeviceAddress
    ) -> [ATT.PDU] {
        exchange(.writeRequest(.init(handle: handle, value: value[...])), from: peer)
    }

    mutating func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        defer { performActions() }
        return try core.publish(definition, now: now)
    }

    mutating func notify(
        _ values: [(AttributeHandle, [UInt8])],
        on link: LinkIdentifier
    ) -> RequestIdentifier {
        let id = takeRequest()
        let values = values.map { GATT.AttributeValue(handle: $0.0, value: $0.1) }
        core.notify(values, on: link, id: id, now: now)
        performActions()
        return id
    }

    mutating func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>
    ) {
        core.answer(request, result, now: now)
        drive()
    }

    /// The questions to the application. Answered questions are included.
    var questions: [(id: GATTServer.RequestID, question: GATTServer.Question)] {
        clientEvents.compactMap {
            if case .asked(let id, let question) = $0.event { (id, question) } else { nil }
        }
    }
}

/// The service of these tests.
enum TestService {
    static let definition = GATT.ServiceDefinition(
        BluetoothUUID(0x1809),
        [
            .init(BluetoothUUID(0x2A1C), [.read, .write, .notify], value: .stored([1, 2, 3])),
            .init(BluetoothUUID(0x2A1D), [.read, .write, .writeWithoutResponse]),
            .init(BluetoothUUID(0x2A1E), [.read, .indicate], value: .stored([4])),
            .init(
                BluetoothUUID(0x2A21),
                [.read, .write, .notify],
                permissions: .init(read: .encrypted, write: .authenticated),
                value: .stored([9])
            ),
        ]
    )
}

extension GATT.DiscoveredService {
    /// Returns the handle of the value of the `index`th characteristic.
    func value(_ index: Int) -> AttributeHandle { characteristics[index].valueHandle }

    /// Returns the handle of the `index`th characteristic's Client Characteristic Configuration.
    func configuration(_ index: Int) throws -> AttributeHandle {
        try #require(
            characteristics[index].descriptors.first {
                $0.uuid == GATT.AttributeType.clientCharacteristicConfiguration
            }
        ).handle
    }
}

extension ATT.PDU {
    static func refusal(
        _ opcode: ATT.Opcode,
        _ handle: AttributeHandle,
        _ code: ATT.ErrorCode
    ) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: opcode, handle: handle, code: code))
    }

    static func value(_ bytes: [UInt8]) -> ATT.PDU { .readResponse(.init(value: bytes[...])) }
}
