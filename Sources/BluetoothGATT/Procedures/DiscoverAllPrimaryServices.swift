// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover All Primary Services: reads the declarations of services group by group
/// (Vol 3, Part G, 4.4.1); and, with the other declaration, all secondary ones.
struct DiscoverAllPrimaryServices: Discovery {
    var sweep = HandleSweep()
    private let arePrimary: Bool
    private var services: [GATT.Service] = []

    init() { arePrimary = true }

    private init(arePrimary: Bool) { self.arePrimary = arePrimary }

    /// The same walk, looking for secondary services. The profile has no name for it, though ATT
    /// knows both kinds of group (Vol 3, Part G, 2.5.3).
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
    /// The UUID that is the whole value of a service declaration: 2 or 16 octets
    /// (Vol 3, Part G, 3.1).
    static func declaredUUID(
        _ value: ArraySlice<UInt8>,
        at handle: AttributeHandle
    ) throws(GATT.Failure) -> BluetoothUUID {
        guard value.count != 4, let uuid = BluetoothUUID(littleEndian: value) else {
            throw .protocolViolation("service \(handle) has a UUID of \(value.count) octets")
        }
        return uuid
    }
}
