// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A composer that places the structures of advertising content in the advertising data or in the
/// scan response.
struct AdvertisingComposer {
    private typealias DataType = AdvertisingData.DataType
    private typealias Builder = AdvertisingData.Builder

    /// A structure that did not fit, and that can be shortened. It gets the space that the other
    /// structures leave.
    private enum Divisible {
        case services([BluetoothUUID], width: Int)
        case name(String)
    }

    private(set) var advertising: AdvertisingData.Builder
    private(set) var response: AdvertisingData.Builder
    private(set) var omissions: [AdvertisingLayout.Omission] = []
    private var deferred: [Divisible] = []

    init(_ room: AdvertisingRoom) {
        advertising = Builder(limit: room.advertisingData)
        response = Builder(limit: room.scanResponse)
    }

    mutating func place(_ content: AdvertisingContent, controllerPower: Int8) {
        if let flags = content.flags { try? advertising.append(flags: flags) }
        placeServices(content.serviceUUIDs)
        for data in content.manufacturerData {
            placeWhole(or: .manufacturerData(company: data.company)) {
                builder throws(Builder.DoesNotFit) in
                try builder.append(manufacturerData: data)
            }
        }
        for data in content.serviceData {
            placeWhole(or: .serviceData(data.uuid)) { builder throws(Builder.DoesNotFit) in
                try builder.append(serviceData: data.bytes, of: data.uuid)
            }
        }
        if let name = content.localName, !name.isEmpty { placeName(name) }
        placeLowPriorityStructures(content, controllerPower)
        placeShortenedStructures()
    }

    private mutating func placeLowPriorityStructures(
        _ content: AdvertisingContent,
        _ controllerPower: Int8
    ) {
        if let appearance = content.appearance {
            placeWhole(or: .appearance) { builder throws(Builder.DoesNotFit) in
                try builder.append(appearance: appearance)
            }
        }
        if let power = content.transmitPower {
            let level = if case .level(let level) = power { level } else { controllerPower }
            placeWhole(or: .transmitPower) { builder throws(Builder.DoesNotFit) in
                try builder.append(txPowerLevel: level)
            }
        }
        if let intervals = content.connectionIntervals {
            placeWhole(or: .connectionIntervals) { builder throws(Builder.DoesNotFit) in
                try builder.append(connectionIntervals: intervals)
            }
        }
        for uuids in content.solicitedServiceUUIDs.groupedByWidth {
            placeWhole(or: .solicitedServiceUUIDs(uuids.list)) {
                builder throws(Builder.DoesNotFit) in
                try builder.append(solicitedServiceUUIDs: uuids.list)
            }
        }
    }

    private mutating func placeServices(_ uuids: [BluetoothUUID]) {
        for (list, width) in uuids.groupedByWidth {
            let isPlaced = tryBoth { builder throws(Builder.DoesNotFit) in
                try builder.append(serviceUUIDs: list)
            }
            if !isPlaced { deferred.append(.services(list, width: width)) }
        }
    }

    private mutating func placeName(_ name: String) {
        let isPlaced = tryBoth { builder throws(Builder.DoesNotFit) in
            try builder.append(.completeLocalName, Array(name.utf8))
        }
        if !isPlaced { deferred.append(.name(name)) }
    }

    /// Places the deferred structures. Each one is shortened to the space that is left in the
    /// advertising data or in the scan response, whichever has more.
    private mutating func placeShortenedStructures() {
        for item in deferred {
            let isFirst = advertising.room >= response.room
            switch item {
            case .services(let list, let width):
                let count = (isFirst ? advertising.room : response.room) / width
                let kept = Array(list.prefix(count))
                if !kept.isEmpty {
                    append(inAdvertising: isFirst) { builder throws(Builder.DoesNotFit) in
                        try builder.append(serviceUUIDs: kept, areAll: false)
                    }
                }
                omissions.append(.serviceUUIDs(Array(list.dropFirst(count))))
            case .name(let name):
                append(inAdvertising: isFirst) { $0.appendLocalName(name) }
                let sent = (isFirst ? advertising : response).data.shortenedLocalName
                omissions.append(sent.map { .nameShortened($0) } ?? .name)
            }
        }
    }

    private mutating func append(
        inAdvertising: Bool,
        _ body: (inout AdvertisingData.Builder) throws(AdvertisingData.Builder.DoesNotFit) -> Void
    ) {
        if inAdvertising { try? body(&advertising) } else { try? body(&response) }
    }

    private mutating func placeWhole(
        or omission: AdvertisingLayout.Omission,
        _ body: (inout AdvertisingData.Builder) throws(AdvertisingData.Builder.DoesNotFit) -> Void
    ) {
        if !tryBoth(body) { omissions.append(omission) }
    }

    /// Places a structure in the advertising data or, if it does not fit there, in the scan
    /// response.
    ///
    /// - Returns: Whether the structure fit into one of them.
    private mutating func tryBoth(
        _ body: (inout AdvertisingData.Builder) throws(AdvertisingData.Builder.DoesNotFit) -> Void
    ) -> Bool {
        if (try? body(&advertising)) != nil { return true }
        return (try? body(&response)) != nil
    }
}

extension [BluetoothUUID] {
    /// The UUIDs without duplicates, in one list for each length in bytes, shortest length first.
    fileprivate var groupedByWidth: [(list: [BluetoothUUID], width: Int)] {
        var unique: [BluetoothUUID] = []
        for uuid in self where !unique.contains(uuid) { unique.append(uuid) }
        return [2, 4, 16].compactMap { width in
            let list = unique.filter { $0.advertisedBytes.count == width }
            return list.isEmpty ? nil : (list, width)
        }
    }
}
