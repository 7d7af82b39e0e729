// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes

/// What an application wants of a scan, as it said it: what it left out is nil.
///
/// The host is asked for everything, and what is wanted is picked here: the conditions of a
/// `ScanFilter` all have to hold, while here any of three will do.
struct ScanWish: Hashable, Sendable {
    /// How many services, and how many solicited ones, a scan may name; others are not looked for.
    static let serviceLimit = 256

    let services: [CBUUID.Form]?
    let allowsDuplicates: Bool?
    let solicited: [CBUUID.Form]?
    private let wanted: Set<BluetoothUUID>
    private let wantedSolicited: Set<BluetoothUUID>

    init(
        services: [CBUUID.Form]?,
        allowsDuplicates: Bool? = nil,
        solicited: [CBUUID.Form]? = nil
    ) {
        self.services = services.map { Array($0.prefix(Self.serviceLimit)) }
        self.allowsDuplicates = allowsDuplicates
        self.solicited = solicited.map { Array($0.prefix(Self.serviceLimit)) }
        wanted = Set((self.services ?? []).map(\.value))
        wantedSolicited = Set((self.solicited ?? []).map(\.value))
    }

    /// As an application says it.
    init(_ services: [CBUUID]?, _ options: [String: Any]?) {
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
        self.init(
            services: services?.map(\.form),
            allowsDuplicates: options?.flag(CBCentralManagerScanOptionAllowDuplicatesKey),
            solicited: solicited?.map(\.form)
        )
    }

    static func == (left: ScanWish, right: ScanWish) -> Bool {
        left.wanted == right.wanted && left.wantedSolicited == right.wantedSolicited
            && left.allowsDuplicates == right.allowsDuplicates
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(wanted)
    }

    /// Whether everything is wanted.
    private var isOpen: Bool { wanted.isEmpty && wantedSolicited.isEmpty }

    /// What to ask the host for; nil if nothing can come of it: in the background, a scan for
    /// everything finds nothing.
    func request(followingBackgroundRules: Bool) -> ScanRequest? {
        guard followingBackgroundRules else { return request(ScanParameters(), isRepeating) }
        return isOpen ? nil : request(.background, false)
    }

    private var isRepeating: Bool { allowsDuplicates ?? false }

    private func request(_ parameters: ScanParameters, _ repeats: Bool) -> ScanRequest {
        ScanRequest(filter: ScanFilter(), parameters: parameters, reportsDuplicates: repeats)
    }

    /// What the scan is told of an advertisement; nil if it is none that was asked for.
    func sighting(_ advertisement: Advertisement, at timestamp: Double) -> Sighting? {
        guard !BeaconFrame.isOne(advertisement.rawData) else { return nil }
        let data = advertisement.data
        let overflow = overflowServices(in: data)
        guard
            isOpen || !overflow.isEmpty || data.serviceUUIDs.contains(where: wanted.contains)
                || data.solicitedServiceUUIDs.contains(where: wantedSolicited.contains)
        else { return nil }
        return Sighting(
            advertisement: advertisement,
            overflowServices: overflow,
            timestamp: timestamp
        )
    }

    private func overflowServices(in data: AdvertisingData) -> [CBUUID.Form] {
        guard !wanted.isEmpty, OverflowArea.isPresent(in: data) else { return [] }
        return (services ?? []).filter { !OverflowArea.matches([$0.value], in: data).isEmpty }
    }
}

extension ScanParameters {
    /// How an application in the background scans: a tenth of the time.
    static var background: ScanParameters {
        var parameters = ScanParameters()
        parameters.interval = .milliseconds(600)
        parameters.window = .milliseconds(60)
        return parameters
    }
}
