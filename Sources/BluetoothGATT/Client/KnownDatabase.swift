// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The part of the server's database that the client needs across procedures.
struct KnownDatabase: Sendable {
    /// The handles of the primary services that were found.
    private(set) var primaryServices: Set<AttributeHandle> = []

    /// The handle of the Service Changed value, or `nil` if it is not known.
    private(set) var serviceChanged: AttributeHandle?

    /// Records the result of an operation.
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

    /// Records a complete database that is known to be valid.
    mutating func learn(from database: GATT.Database) {
        let services = database.services.lazy.map(\.service)
        primaryServices.formUnion(services.filter(\.isPrimary).map(\.handle))
        if let found = database.serviceChanged { serviceChanged = found.valueHandle }
    }

    /// Records the handle of Service Changed from an earlier link.
    mutating func expectServiceChanged(at handle: AttributeHandle) {
        serviceChanged = handle
    }

    /// Processes an indication.
    ///
    /// The handle of Service Changed itself stays known, because a server must not change it (Vol
    /// 3, Part G, 7.1).
    ///
    /// - Returns: The range of handles in which the database has changed, or `nil` if the
    ///   indication is not of Service Changed. The services in that range are removed.
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
    /// Decodes a value of Service Changed, which is the range of handles in which the database has
    /// changed (Vol 3, Part G, 7.1).
    ///
    /// A value that cannot be decoded still means a change, so the result is then the range of all
    /// handles.
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
