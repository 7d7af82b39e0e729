// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// What all peripheral managers of an adapter advertise together: it is one device, and has one
/// advertisement.
///
/// The name is that of the manager that has begun first, of those that have one; the services are those
/// of all. What a manager under background rules adds is in the overflow area only.
struct AdvertisingPlan: Sendable {
    /// From one advertisement to the next, while somebody is in the foreground.
    static let interval = Duration.milliseconds(100) ... .milliseconds(150)
    /// The same, while nobody is.
    static let backgroundInterval = Duration.milliseconds(1_000) ... .milliseconds(1_250)

    private struct Entry: Sendable {
        let session: SessionIdentifier
        let wish: AdvertisementWish
        /// Whether Bluetooth was off since: then the application may begin again.
        var isFromBefore = false
    }

    /// In the order in which they began.
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// What a manager advertises; nil if nothing.
    func wish(of session: SessionIdentifier) -> AdvertisementWish? {
        entries.first { $0.session == session }?.wish
    }

    /// Who advertises, the first one first.
    var sessions: [SessionIdentifier] { entries.map(\.session) }

    /// Adds what a manager wants to advertise; false if it advertises already. What it began before
    /// Bluetooth was off it may begin again.
    mutating func start(_ wish: AdvertisementWish, for session: SessionIdentifier) -> Bool {
        guard entries.first(where: { $0.session == session })?.isFromBefore != false else {
            return false
        }
        stop(session)
        entries.append(Entry(session: session, wish: wish))
        return true
    }

    /// What a manager began in an earlier process goes on; it may begin it again.
    mutating func restore(_ wish: AdvertisementWish, for session: SessionIdentifier) {
        entries.append(Entry(session: session, wish: wish, isFromBefore: true))
    }

    mutating func stop(_ session: SessionIdentifier) {
        entries.removeAll { $0.session == session }
    }

    mutating func stopAll() { entries = [] }

    /// Bluetooth is off.
    mutating func powerLost() {
        for index in entries.indices { entries[index].isFromBefore = true }
    }

    /// What is to be on the air; nil for nothing.
    var advertising: Advertising? {
        guard !isEmpty else { return nil }
        let open = entries.map(\.wish).filter { !$0.hasBackgroundRules }
        let hidden = entries.map(\.wish).filter(\.hasBackgroundRules)
        let packets = AdvertisingPackets(
            name: open.lazy.compactMap(\.localName).first { !$0.isEmpty },
            services: open.flatMap(\.forms),
            hidden: hidden.flatMap(\.forms)
        )
        var advertising = Advertising(
            rawAdvertisingData: packets.advertisingData,
            scanResponse: packets.scanResponse
        )
        advertising.interval = open.isEmpty ? Self.backgroundInterval : Self.interval
        return advertising
    }
}

extension AdvertisementWish {
    fileprivate var forms: [CBUUID.Form] { services.compactMap { CBUUID.Form(text: $0) } }
}
