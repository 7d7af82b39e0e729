// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The common advertisement of all peripheral managers of an adapter, which is one device with one
/// advertisement.
///
/// The name is that of the first manager in the foreground that started with a name. The services
/// are those of all managers. The services of managers under background rules are only in the
/// overflow area.
struct AdvertisingPlan: Sendable {
    /// The advertising interval while at least one advertising manager is in the foreground.
    static let interval = Duration.milliseconds(100) ... .milliseconds(150)
    /// The advertising interval while all advertising managers are under background rules.
    static let backgroundInterval = Duration.milliseconds(1_000) ... .milliseconds(1_250)

    private struct Entry: Sendable {
        let session: SessionIdentifier
        let advertisement: AdvertisementRequest
        /// Whether Bluetooth has been off since the start, or a former process started it. The
        /// application may then start advertising again, without the error `alreadyAdvertising`.
        var isFromEarlierSession = false
    }

    /// The entries in the order of their start.
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the advertisement of a manager; `nil` if it does not advertise.
    func advertisement(of session: SessionIdentifier) -> AdvertisementRequest? {
        entries.first { $0.session == session }?.advertisement
    }

    /// The advertising managers, ordered by their start.
    var sessions: [SessionIdentifier] { entries.map(\.session) }

    /// Adds a manager's advertisement. Returns `false` if the manager is already advertising. An
    /// advertisement from before Bluetooth was off, or of a former process, is replaced.
    mutating func start(_ advertisement: AdvertisementRequest, for session: SessionIdentifier)
        -> Bool
    {
        guard entries.first(where: { $0.session == session })?.isFromEarlierSession != false else {
            return false
        }
        stop(session)
        entries.append(Entry(session: session, advertisement: advertisement))
        return true
    }

    /// Adds an advertisement that a former process started. The application may start it again.
    mutating func restore(_ advertisement: AdvertisementRequest, for session: SessionIdentifier) {
        entries.append(
            Entry(session: session, advertisement: advertisement, isFromEarlierSession: true)
        )
    }

    mutating func stop(_ session: SessionIdentifier) {
        entries.removeAll { $0.session == session }
    }

    mutating func stopAll() { entries = [] }

    /// Marks all advertisements as started before Bluetooth was off.
    mutating func powerLost() {
        for index in entries.indices { entries[index].isFromEarlierSession = true }
    }

    /// The advertising to request from the host; `nil` if there is none.
    var advertising: Advertising? {
        guard !isEmpty else { return nil }
        let open = entries.map(\.advertisement).filter { !$0.hasBackgroundRules }
        let hidden = entries.map(\.advertisement).filter(\.hasBackgroundRules)
        let packets = AdvertisingPackets(
            name: open.lazy.compactMap(\.localName).first { !$0.isEmpty },
            services: open.flatMap(\.uuids),
            hidden: hidden.flatMap(\.uuids)
        )
        var advertising = Advertising(
            rawAdvertisingData: packets.advertisingData,
            scanResponse: packets.scanResponse
        )
        advertising.interval = open.isEmpty ? Self.backgroundInterval : Self.interval
        return advertising
    }
}

extension AdvertisementRequest {
    fileprivate var uuids: [WrittenUUID] { services.compactMap { WrittenUUID(text: $0) } }
}
