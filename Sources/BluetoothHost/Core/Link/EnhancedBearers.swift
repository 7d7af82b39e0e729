// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes

/// The Enhanced ATT bearers of one link. Each bearer is an enhanced channel with a client and a
/// server bearer of its own, so that a slow request delays only the requests behind it (Vol 3, Part
/// G, 5.3).
struct EnhancedBearers: Sendable {
    /// The maximum number of bearers of a link.
    static let limit = 5

    /// A request for bearers, until it has ended.
    struct Opening: Sendable {
        /// The number of bearers.
        let count: Int
        /// The time at which the host sends the refused request again, or `nil` while the host
        /// awaits the peer's response.
        var repeatsAt: Instant?
        /// Whether the host has sent the request again.
        var isRepeated = false
    }

    private(set) var bearers: [LinkBearer] = []
    /// The requests for bearers that have not ended.
    var openings: [UInt64: Opening] = [:]

    var isEmpty: Bool { bearers.isEmpty }

    /// The time at which a refused request is sent again, or `nil` if none waits.
    var nextRepetition: Instant? {
        openings.isEmpty ? nil : openings.values.lazy.compactMap(\.repeatsAt).min()
    }

    var freeBearerCount: Int { max(0, Self.limit - bearers.count) }

    var nextDeadline: Instant? {
        bearers.reduce(nil) { earliest($0, $1.att.nextDeadline) }
    }

    func index(of channel: ChannelIdentifier) -> Int? {
        bearers.firstIndex { $0.channel == channel }
    }

    subscript(index: Int) -> LinkBearer {
        get { bearers[index] }
        _modify { yield &bearers[index] }
    }

    mutating func add(_ channel: ChannelIdentifier, mtu: Int) {
        bearers.append(LinkBearer(channel: channel, enhancedMTU: mtu))
    }

    mutating func remove(_ channel: ChannelIdentifier) -> LinkBearer? {
        guard let index = index(of: channel) else { return nil }
        return bearers.remove(at: index)
    }

    /// Ends all operations, because the link has ended.
    mutating func close() -> [GATTClient.Action] {
        bearers.indices.flatMap { bearers[$0].close().operations }
    }

    /// Returns the index of the bearer with the fewest operations, if it has fewer than `load`.
    func leastBusy(below load: Int) -> Int? {
        let place = bearers.indices.min { bearers[$0].load < bearers[$1].load }
        guard let place, bearers[place].load < load, bearers[place].hasRoom else { return nil }
        return place
    }
}

extension GATT.Operation {
    /// Whether the operation may overtake others on another bearer. Reads may. Writes keep their
    /// order, and discoveries belong to the unenhanced bearer, whose client stores their results.
    var mayUseAnyBearer: Bool {
        switch self {
        case .read, .readLong, .readUsingUUID, .readMultiple, .readMultipleVariable,
            .readDeviceName:
            true
        default: false
        }
    }
}
