// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The little that a client must remember of the server's table between procedures. It is no
/// cache: whoever started a discovery keeps what it found.
struct KnownDatabase: Sendable {
    /// The first handles of the primary services that were found.
    private(set) var primaryServices: Set<AttributeHandle> = []

    /// The handle of the Service Changed value, once a discovery has come across it.
    private(set) var serviceChanged: AttributeHandle?

    /// Takes note of what an operation has found.
    mutating func learn(from outcome: GATT.Outcome) {
        switch outcome {
        case .services(let services):
            primaryServices.formUnion(services.lazy.filter(\.isPrimary).map(\.handle))
        case .characteristics(let characteristics):
            let uuid = GATT.AttributeType.serviceChanged
            if let found = characteristics.first(where: { $0.uuid == uuid }) {
                serviceChanged = found.valueHandle
            }
        default: break
        }
    }

    /// Takes note of a whole table that was found to hold.
    mutating func learn(from database: GATT.Database) {
        let services = database.services.lazy.map(\.service)
        primaryServices.formUnion(services.filter(\.isPrimary).map(\.handle))
        if let found = database.serviceChanged { serviceChanged = found.valueHandle }
    }

    /// Takes note of where Service Changed was on an earlier link.
    mutating func expectServiceChanged(at handle: AttributeHandle) {
        serviceChanged = handle
    }

    /// Takes in an indication. Returns the handles between which the table has changed, if that is
    /// what the indication says, and forgets them.
    ///
    /// The handle of Service Changed itself stays known, for a server must not move it
    /// (Vol 3, Part G, 7.1).
    mutating func indicated(
        _ handle: AttributeHandle,
        _ value: ArraySlice<UInt8>
    ) -> ClosedRange<AttributeHandle>? {
        guard handle == serviceChanged else { return nil }
        let changed = GATT.changedHandles(value)
        primaryServices = primaryServices.filter { !changed.contains($0) }
        return changed
    }
}

extension GATT {
    /// What a value of Service Changed says: the handles between which the table has changed
    /// (Vol 3, Part G, 7.1). One that cannot be read still says that something has changed, so
    /// everything may have.
    package static func changedHandles(
        _ value: ArraySlice<UInt8>
    ) -> ClosedRange<AttributeHandle> {
        var reader = ByteReader(value)
        guard let first = try? reader.readAttributeHandle(),
            let last = try? reader.readAttributeHandle(),
            reader.isAtEnd, first <= last
        else { return .first ... .last }
        return first...last
    }
}
