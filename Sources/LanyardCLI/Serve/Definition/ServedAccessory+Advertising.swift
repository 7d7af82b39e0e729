// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes
import JSONText

extension ServedAccessory {
    /// The advertised name; `nil` if there is none.
    var advertisedName: String? { advertising.hasName ? advertising.name ?? name : nil }

    /// The request to advertise, for the host.
    var hostAdvertising: Advertising {
        var content = AdvertisingContent()
        content.localName = advertisedName
        content.serviceUUIDs =
            advertising.services ?? services.map(\.definition).filter(\.isAnnounced).map(\.uuid)
        content.manufacturerData = advertising.manufacturerData.map { [$0] } ?? []
        content.serviceData = advertising.serviceData
        content.appearance = appearance == 0 ? nil : appearance
        var result = Advertising(
            content,
            kind: advertising.isConnectable ? .connectable : .scannable,
            form: advertising.isExtended ? .extended : .legacy
        )
        if let interval = advertising.interval { result.interval = interval }
        return result
    }
}

extension GATT.ServiceDefinition {
    /// Whether the service is advertised by default. The two generic services are not, because
    /// every device has them.
    fileprivate var isAnnounced: Bool {
        isPrimary && uuid != BluetoothUUID(0x1800) && uuid != BluetoothUUID(0x1801)
    }
}

extension JSONNode {
    /// The valid advertising intervals, in seconds (Vol 4, Part E, 7.8.5).
    private static let intervals = 0.02...10.24
    /// The maximum number of services that are advertised or have service data.
    private static let announcedLimit = 64

    /// The advertising options that a file contains.
    var advertising: ServedAdvertising {
        get throws(JSONError) {
            let members = try members(
                "name",
                "services",
                "serviceData",
                "manufacturerData",
                "interval",
                "extended",
                "connectable"
            )
            var advertising = ServedAdvertising()
            if let node = members["name"] {
                advertising.hasName = node.value != .bool(false)
                if advertising.hasName { advertising.name = try node.deviceName }
            }
            advertising.services = try members["services"].map(Self.uuids)
            advertising.serviceData = try members["serviceData"].map(Self.serviceData) ?? []
            advertising.manufacturerData = try members["manufacturerData"].map(
                Self.manufacturerData
            )
            advertising.interval = try members["interval"].map(Self.interval)
            advertising.isExtended = try members["extended"]?.bool ?? false
            advertising.isConnectable = try members["connectable"]?.bool ?? true
            return advertising
        }
    }

    private static func uuids(_ node: JSONNode) throws(JSONError) -> [BluetoothUUID] {
        var uuids: [BluetoothUUID] = []
        for element in try node.elements(limit: announcedLimit) { uuids.append(try element.uuid) }
        return uuids
    }

    private static func serviceData(
        _ node: JSONNode
    ) throws(JSONError) -> [AdvertisingContent.ServiceData] {
        var all: [AdvertisingContent.ServiceData] = []
        for element in try node.elements(limit: announcedLimit) {
            let members = try element.members("uuid", "data")
            all.append(
                AdvertisingContent.ServiceData(
                    uuid: try members.require("uuid").uuid,
                    bytes: try members.require("data").constantBytes
                )
            )
        }
        return all
    }

    private static func manufacturerData(
        _ node: JSONNode
    ) throws(JSONError) -> AdvertisingData.ManufacturerData {
        let members = try node.members("company", "data")
        let company = try members.require("company").wholeNumber(in: 0...Double(UInt16.max))
        return AdvertisingData.ManufacturerData(
            company: UInt16(company),
            bytes: try members.require("data").constantBytes
        )
    }

    /// Returns the range of advertising intervals from a number of seconds, or from an array of the
    /// shortest and the longest.
    private static func interval(_ node: JSONNode) throws(JSONError) -> ClosedRange<Duration> {
        guard case .array = node.value else {
            let interval = Duration.seconds(try node.number(in: intervals))
            return interval...interval
        }
        let elements = try node.elements(limit: 2)
        guard elements.count == 2 else { throw node.error("two numbers should be here") }
        let shortest = try elements[0].number(in: intervals)
        let longest = try elements[1].number(in: intervals)
        guard shortest <= longest else {
            throw node.error("the shorter of the two should be the first")
        }
        return .seconds(shortest)...(.seconds(longest))
    }
}
