// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The parameters of an application's scan. Those that the application omitted are `nil`.
///
/// The port reports all devices, and the advertisements are filtered here. An advertisement matches
/// if one of `services` is advertised or in the overflow area, if one of `solicited` is solicited,
/// or if the scan has neither. Those of iBeacons never match.
package struct RequestedScan: Hashable, Sendable {
    /// The maximum numbers of services and of solicited services. Further ones are ignored.
    static let serviceLimit = 256

    package let services: [WrittenUUID]?
    package let allowsDuplicates: Bool?
    package let solicited: [WrittenUUID]?
    private let requestedServices: Set<BluetoothUUID>
    private let requestedSolicited: Set<BluetoothUUID>

    package init(
        services: [WrittenUUID]?,
        allowsDuplicates: Bool? = nil,
        solicited: [WrittenUUID]? = nil
    ) {
        self.services = services.map { Array($0.prefix(Self.serviceLimit)) }
        self.allowsDuplicates = allowsDuplicates
        self.solicited = solicited.map { Array($0.prefix(Self.serviceLimit)) }
        requestedServices = Set((self.services ?? []).map(\.value))
        requestedSolicited = Set((self.solicited ?? []).map(\.value))
    }

    /// Whether the scan reports all peripherals.
    private var isOpen: Bool { requestedServices.isEmpty && requestedSolicited.isEmpty }

    /// Returns the scan to request from the host; `nil` if it cannot have a result: with the
    /// background rules, a scan for all peripherals discovers none.
    func request(followingBackgroundRules: Bool) -> PortScan? {
        guard followingBackgroundRules else {
            return PortScan(reportsDuplicates: allowsDuplicates ?? false)
        }
        return isOpen ? nil : PortScan(isInBackground: true)
    }

    /// Returns the discovery for an advertisement; `nil` if the scan does not match it.
    func match(_ advertisement: Advertisement, at timestamp: Double) -> ScanMatch? {
        guard !BeaconFrame.isFrame(advertisement.rawData) else { return nil }
        let data = advertisement.data
        let overflow = overflowServices(in: data)
        guard
            isOpen || !overflow.isEmpty
                || data.serviceUUIDs.contains(where: requestedServices.contains)
                || data.solicitedServiceUUIDs.contains(where: requestedSolicited.contains)
        else { return nil }
        return ScanMatch(
            advertisement: advertisement,
            overflowServices: overflow,
            timestamp: timestamp
        )
    }

    private func overflowServices(in data: AdvertisingData) -> [WrittenUUID] {
        guard !requestedServices.isEmpty, OverflowArea.isPresent(in: data) else { return [] }
        return (services ?? []).filter { !OverflowArea.matches([$0.value], in: data).isEmpty }
    }
}
