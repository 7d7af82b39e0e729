// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// A device that a scan has discovered, with its last advertised data.
struct DiscoveredDevice: Equatable, Sendable {
    let address: DeviceAddress
    /// The advertised name, safe to print.
    var name: String?
    /// The signal strength in dBm, smoothed over the last advertisements; `nil` if never measured.
    var signal: Double?
    var services: [BluetoothUUID]
    var company: UInt16?
    /// The contents that a beacon advertises; `nil` for other devices.
    var beacon: BeaconContents?
    var isConnectable: Bool
    var lastSeen: Instant
    /// The signal strength over time.
    private(set) var history = SignalHistory()

    init(_ advertisement: Advertisement, at now: Instant) {
        address = advertisement.address
        name = advertisement.data.printableName
        signal = advertisement.rssi.map(Double.init)
        services = advertisement.data.serviceUUIDs
        company = advertisement.data.manufacturerData?.company
        beacon = BeaconContents(advertisement.data)
        isConnectable = advertisement.isConnectable
        lastSeen = now
        if let rssi = advertisement.rssi { history.add(Int(rssi), at: now) }
    }

    /// Merges a later advertisement. Fields that the advertisement leaves out keep their values.
    mutating func update(with advertisement: Advertisement, at now: Instant) {
        name = advertisement.data.printableName ?? name
        company = advertisement.data.manufacturerData?.company ?? company
        beacon = BeaconContents(advertisement.data) ?? beacon
        let services = advertisement.data.serviceUUIDs
        if !services.isEmpty { self.services = services }
        isConnectable = advertisement.isConnectable || isConnectable
        lastSeen = now
        guard let rssi = advertisement.rssi.map(Double.init) else { return }
        history.add(Int(rssi), at: now)
        signal = signal.map { $0 + (rssi - $0) * Self.smoothing } ?? rssi
    }

    /// The weight of a new measurement. Single measurements can differ by 10 dB and more.
    private static let smoothing = 0.25

    /// The strength as a whole number of dBm.
    var rssi: Int? { signal.map { Int($0.rounded()) } }

    /// The names of the services, or other data that identifies the device.
    var summary: String {
        if let beacon { return beacon.text }
        let names = services.map { AssignedNumbers.name(ofService: $0) ?? $0.description }
        guard names.isEmpty else { return names.joined(separator: ", ") }
        guard let company else { return "" }
        return AssignedNumbers.name(ofCompany: company) ?? "company \(company)"
    }
}

extension AdvertisingData {
    /// The advertised name, safe to print. Bytes that are not UTF-8 are shown as escapes.
    var printableName: String? {
        let names = [DataType.completeLocalName, .shortenedLocalName].lazy
        return names.compactMap { type in structures.first { $0.type == type } }.first
            .map { TerminalText.escape(utf8: $0.value) }
    }
}

/// The devices that a scan has discovered, by address.
struct DiscoveredDevices: Sendable {
    private var devices: [DeviceAddress: DiscoveredDevice] = [:]

    /// The maximum number of devices. A further one replaces the device whose last advertisement
    /// is the oldest.
    static let deviceLimit = 1000

    /// Receives an advertisement.
    mutating func receive(_ advertisement: Advertisement, at now: Instant) {
        if devices[advertisement.address]?.update(with: advertisement, at: now) != nil { return }
        if devices.count >= Self.deviceLimit,
            let oldest = devices.values.min(by: { $0.lastSeen < $1.lastSeen })
        {
            devices[oldest.address] = nil
        }
        devices[advertisement.address] = DiscoveredDevice(advertisement, at: now)
    }

    /// All devices, strongest first. Devices of equal strength are in the order of their addresses,
    /// so that rows keep their places.
    var sorted: [DiscoveredDevice] {
        devices.values.sorted {
            ($0.rssi ?? .min, $1.address.value) > ($1.rssi ?? .min, $0.address.value)
        }
    }

    var count: Int { devices.count }

    /// Returns the device with this address; `nil` if it is not known.
    subscript(address: DeviceAddress) -> DiscoveredDevice? { devices[address] }
}
