// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The signal strength that applications get if the actual one is not known.
package enum SignalStrength {
    /// The value that controllers use (Vol 4, Part E, 7.5.4).
    package static let unknown = 127
}

/// A discovery: an advertisement that matches a scan.
package struct ScanMatch: Sendable {
    package let advertisement: Advertisement
    /// The services of the scan whose bits are set in the advertiser's overflow area.
    package var overflowServices: [WrittenUUID] = []
    /// The time of the advertisement in seconds since the reference date.
    package let timestamp: Double
}

// The contents of an advertisement, as applications get them.
extension ScanMatch {
    /// The first manufacturer data, beginning with the company identifier as on the air. Skips data
    /// that only the system uses.
    package var manufacturerData: [UInt8]? {
        let first = advertisement.data.allManufacturerData.first {
            !BeaconFrame.isFrame($0) && !OverflowArea.isOverflowArea($0)
        }
        return first.map { entry in
            [UInt8(truncatingIfNeeded: entry.company), UInt8(entry.company >> 8)] + entry.bytes
        }
    }

    /// The data of services, in the order of the packet.
    package var serviceData: [(service: WrittenUUID, bytes: [UInt8])] {
        advertisement.data.structures.compactMap { structure in
            guard let width = Self.serviceDataWidths[structure.type],
                structure.value.count >= width, let form = Self.form(structure.value.prefix(width))
            else { return nil }
            return (form, Array(structure.value.dropFirst(width)))
        }
    }

    /// The advertised services without duplicates, each with the width that was advertised.
    package var services: [WrittenUUID] { uuids(Self.serviceWidths) }

    /// The solicited services, like `services`.
    package var solicitedServices: [WrittenUUID] { uuids(Self.solicitedWidths) }

    private func uuids(_ widths: [AdvertisingData.DataType: Int]) -> [WrittenUUID] {
        var found: [WrittenUUID] = []
        for structure in advertisement.data.structures {
            guard let width = widths[structure.type] else { continue }
            for form in Self.forms(structure.value, width)
            where !found.contains(where: { $0.value == form.value }) {
                found.append(form)
            }
        }
        return found
    }

    private static func forms(_ bytes: ArraySlice<UInt8>, _ width: Int) -> [WrittenUUID] {
        // A list whose length is not a multiple of the width is malformed, and is ignored.
        guard bytes.count.isMultiple(of: width) else { return [] }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: width)
            .compactMap { form(bytes[$0..<($0 + width)]) }
    }

    private static func form(_ littleEndian: ArraySlice<UInt8>) -> WrittenUUID? {
        WrittenUUID(bytes: littleEndian.reversed())
    }

    // The widths of the UUIDs, in bytes.
    private static let serviceDataWidths: [AdvertisingData.DataType: Int] = [
        .serviceData16: 2, .serviceData32: 4, .serviceData128: 16,
    ]
    private static let serviceWidths: [AdvertisingData.DataType: Int] = [
        .incompleteServiceUUIDs16: 2, .completeServiceUUIDs16: 2,
        .incompleteServiceUUIDs32: 4, .completeServiceUUIDs32: 4,
        .incompleteServiceUUIDs128: 16, .completeServiceUUIDs128: 16,
    ]
    private static let solicitedWidths: [AdvertisingData.DataType: Int] = [
        .solicitedServiceUUIDs16: 2, .solicitedServiceUUIDs32: 4, .solicitedServiceUUIDs128: 16,
    ]
}
