// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover All Primary Services: reads the service declarations group by group (Vol 3, Part G,
/// 4.4.1). With another declaration type, it discovers all secondary services.
struct DiscoverAllPrimaryServices: Discovery {
    var sweep = HandleSweep()
    private let arePrimary: Bool
    private var services: [GATT.Service] = []

    init() { arePrimary = true }

    private init(arePrimary: Bool) { self.arePrimary = arePrimary }

    /// The discovery of all secondary services. The profile does not define such a procedure, but
    /// ATT supports both kinds of groups (Vol 3, Part G, 2.5.3).
    static let butSecondary = DiscoverAllPrimaryServices(arePrimary: false)

    func request(from start: AttributeHandle) -> ATT.PDU {
        let type =
            arePrimary
            ? GATT.AttributeType.primaryService : GATT.AttributeType.secondaryService
        return .readByGroupTypeRequest(.init(start: start, end: sweep.last, type: type))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .readByGroupTypeResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries { try take(entry) }
    }

    private mutating func take(
        _ entry: ATT.ReadByGroupTypeResponse.Entry
    ) throws(GATT.Failure) {
        try sweep.pass(entry.handle, groupEnd: entry.groupEnd)
        let uuid = try GATT.declaredUUID(entry.value, at: entry.handle)
        let service = GATT.Service(
            uuid: uuid,
            isPrimary: arePrimary,
            handle: entry.handle,
            endHandle: entry.groupEnd
        )
        try services.keep(service)
    }

    func outcome() -> GATT.Outcome { .services(services) }
}

extension GATT {
    /// Decodes the value of a service declaration, which is a UUID of 2 or 16 bytes (Vol 3, Part G,
    /// 3.1).
    static func declaredUUID(
        _ value: ArraySlice<UInt8>,
        at handle: AttributeHandle
    ) throws(GATT.Failure) -> BluetoothUUID {
        guard value.count != 4, let uuid = BluetoothUUID(littleEndian: value) else {
            throw .protocolViolation("service \(handle) has a UUID of \(value.count) bytes")
        }
        return uuid
    }
}
