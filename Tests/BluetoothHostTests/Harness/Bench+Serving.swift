// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

// A bench whose host serves: the peer of each link is its client.
extension Bench {
    /// What the peer hears after it has sent this: all of it, the answer last.
    mutating func hear(_ pdu: ATT.PDU, from peer: DeviceAddress) -> [ATT.PDU] {
        let before = heard(by: peer).count
        controller.sendPDU(pdu, from: peer)
        drive()
        return Array(heard(by: peer).dropFirst(before))
    }

    /// All that the host has sent to the peer's bearer, requests of our own included.
    func heard(by peer: DeviceAddress) -> [ATT.PDU] {
        controller.peers[peer]?.server.received ?? []
    }

    /// The values that the host has notified and indicated, oldest first.
    func values(heardBy peer: DeviceAddress) -> [[UInt8]] {
        heard(by: peer).compactMap { pdu in
            switch pdu {
            case .handleValueNotification(let value): Array(value.value)
            case .handleValueIndication(let value): Array(value.value)
            default: nil
            }
        }
    }

    mutating func read(_ handle: AttributeHandle, by peer: DeviceAddress) -> [ATT.PDU] {
        hear(.readRequest(.init(handle: handle)), from: peer)
    }

    mutating func write(
        _ value: [UInt8],
        to handle: AttributeHandle,
        by peer: DeviceAddress
    ) -> [ATT.PDU] {
        hear(.writeRequest(.init(handle: handle, value: value[...])), from: peer)
    }

    mutating func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.PublishedService {
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

    /// What the application was asked, and has not answered as far as anybody knows here.
    var questions: [(id: GATTServer.RequestID, question: GATTServer.Question)] {
        news.compactMap {
            if case .asked(let id, let question) = $0.news { (id, question) } else { nil }
        }
    }
}

/// The service that the stories are about.
enum Clinic {
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

extension GATT.PublishedService {
    /// The value of the `index`th characteristic.
    func value(_ index: Int) -> AttributeHandle { characteristics[index].valueHandle }

    /// Its Client Characteristic Configuration.
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
