// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// An advertisement and its scan response, with the layout of an iPhone.
///
/// After the flags, 28 of the 31 bytes are left for services and name. The services come first,
/// each with as many bytes as the application used for its UUID. The name follows if it fits
/// completely. If not, it goes into the scan response, which has ten bytes for it. A name that is
/// too long for both is shortened, in the packet where more of it fits. Services that do not fit
/// are in the overflow area.
struct AdvertisingPackets: Hashable, Sendable {
    /// The maximum length of a name in a scan response, in bytes.
    static let responseNameLimit = 10
    /// The length of a structure's length and type, in bytes.
    private static let headerLength = 2

    private(set) var advertisingData: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []

    init(name: String?, services: [WrittenUUID], hidden: [WrittenUUID] = []) {
        let fitting = Self.fitting(services)
        let overflow = (services.filter { !fitting.contains($0) } + hidden).map(\.value)
        var advertisement = AdvertisingData.Builder()
        try? advertisement.append(flags: [.generalDiscoverable, .brEdrNotSupported])
        for width in WrittenUUID.Width.allInOrder {
            Self.append(services, fitting, of: width, to: &advertisement)
        }
        var response = AdvertisingData.Builder()
        if let name { Self.place(name, &advertisement, &response) }
        if let area = OverflowArea.data(of: overflow) {
            try? response.append(manufacturerData: area)
        }
        advertisingData = advertisement.data.bytes
        scanResponse = response.data.bytes
    }

    /// Returns the services that fit after the flags. Earlier services have priority.
    private static func fitting(_ services: [WrittenUUID]) -> Set<WrittenUUID> {
        var freeLength = AdvertisingData.legacyLimit - headerLength - 1
        var fitting: Set<WrittenUUID> = []
        for service in services where !fitting.contains(service) {
            let isFirst = !fitting.contains { $0.width == service.width }
            let cost = service.width.rawValue + (isFirst ? headerLength : 0)
            guard cost <= freeLength else { continue }
            freeLength -= cost
            fitting.insert(service)
        }
        return fitting
    }

    private static func append(
        _ services: [WrittenUUID],
        _ fitting: Set<WrittenUUID>,
        of width: WrittenUUID.Width,
        to builder: inout AdvertisingData.Builder
    ) {
        var list: [WrittenUUID] = []
        for service in services where service.width == width && !list.contains(service) {
            list.append(service)
        }
        let shown = list.filter(fitting.contains)
        guard !shown.isEmpty else { return }
        try? builder.append(
            shown.count == list.count ? width.completeList : width.incompleteList,
            shown.flatMap { $0.bytes.reversed() }
        )
    }

    private static func place(
        _ name: String,
        _ advertisement: inout AdvertisingData.Builder,
        _ response: inout AdvertisingData.Builder
    ) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty else { return }
        if bytes.count <= advertisement.room {
            try? advertisement.append(.completeLocalName, bytes)
        } else if bytes.count <= responseNameLimit {
            try? response.append(.completeLocalName, bytes)
        } else if advertisement.room > responseNameLimit {
            shorten(name, to: advertisement.room, in: &advertisement)
        } else {
            shorten(name, to: responseNameLimit, in: &response)
        }
    }

    /// Appends as many whole characters as fit.
    private static func shorten(
        _ name: String,
        to limit: Int,
        in builder: inout AdvertisingData.Builder
    ) {
        var kept = name[...]
        while kept.utf8.count > limit { kept = kept.dropLast() }
        guard !kept.isEmpty else { return }
        try? builder.append(.shortenedLocalName, Array(kept.utf8))
    }
}

extension WrittenUUID.Width {
    fileprivate static let allInOrder: [Self] = [.short16, .short32, .full]

    fileprivate var completeList: AdvertisingData.DataType {
        switch self {
        case .short16: .completeServiceUUIDs16
        case .short32: .completeServiceUUIDs32
        case .full: .completeServiceUUIDs128
        }
    }

    fileprivate var incompleteList: AdvertisingData.DataType {
        switch self {
        case .short16: .incompleteServiceUUIDs16
        case .short32: .incompleteServiceUUIDs32
        case .full: .incompleteServiceUUIDs128
        }
    }
}
