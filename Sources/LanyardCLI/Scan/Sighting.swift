// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// A device that a scan has seen, and what it said.
struct Sighting: Equatable, Sendable {
    let address: DeviceAddress
    /// The name it advertised, safe to print.
    var name: String?
    /// In dBm, smoothed over the last advertisements; nil if never measured.
    var signal: Double?
    var services: [BluetoothUUID]
    var company: UInt16?
    var isConnectable: Bool
    var lastSeen: Instant

    init(_ advertisement: Advertisement, at now: Instant) {
        address = advertisement.address
        name = advertisement.data.printableName
        signal = advertisement.rssi.map(Double.init)
        services = advertisement.data.serviceUUIDs
        company = advertisement.data.manufacturerData?.company
        isConnectable = advertisement.isConnectable
        lastSeen = now
    }

    /// Takes over what a later advertisement says; what it leaves out still holds.
    mutating func update(with advertisement: Advertisement, at now: Instant) {
        name = advertisement.data.printableName ?? name
        company = advertisement.data.manufacturerData?.company ?? company
        let services = advertisement.data.serviceUUIDs
        if !services.isEmpty { self.services = services }
        isConnectable = advertisement.isConnectable || isConnectable
        lastSeen = now
        guard let rssi = advertisement.rssi.map(Double.init) else { return }
        signal = signal.map { $0 + (rssi - $0) * Self.smoothing } ?? rssi
    }

    /// How much of a new measurement enters the shown one: single ones jump by 10 dB and more.
    private static let smoothing = 0.25

    /// The strength as a whole number of dBm.
    var rssi: Int? { signal.map { Int($0.rounded()) } }

    /// Names of the services, or what else says what the device is.
    var summary: String {
        let names = services.map { AssignedNumbers.name(ofService: $0) ?? $0.description }
        guard names.isEmpty else { return names.joined(separator: ", ") }
        guard let company else { return "" }
        return AssignedNumbers.name(ofCompany: company) ?? "company \(company)"
    }
}

extension AdvertisingData {
    /// The advertised name, safe to print: also what is no UTF-8 in it is shown.
    var printableName: String? {
        let names = [DataType.completeLocalName, .shortenedLocalName].lazy
        return names.compactMap { type in structures.first { $0.type == type } }.first
            .map { TerminalText.escape(utf8: $0.value) }
    }
}

/// The devices that a scan has seen, strongest first.
struct SightingBoard: Sendable {
    private var sightings: [DeviceAddress: Sighting] = [:]

    /// One device more displaces the one not seen for longest.
    static let deviceLimit = 1000

    /// Notes what a device said.
    mutating func receive(_ advertisement: Advertisement, at now: Instant) {
        if sightings[advertisement.address]?.update(with: advertisement, at: now) != nil { return }
        if sightings.count >= Self.deviceLimit,
            let oldest = sightings.values.min(by: { $0.lastSeen < $1.lastSeen })
        {
            sightings[oldest.address] = nil
        }
        sightings[advertisement.address] = Sighting(advertisement, at: now)
    }

    /// All devices, strongest first; equally strong ones in the order of their addresses, so that
    /// rows do not change places without reason.
    var sorted: [Sighting] {
        sightings.values.sorted {
            ($0.rssi ?? .min, $1.address.value) > ($1.rssi ?? .min, $0.address.value)
        }
    }

    var count: Int { sightings.count }
}
