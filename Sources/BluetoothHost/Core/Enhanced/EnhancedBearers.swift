// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes

/// The Enhanced ATT bearers of one link, beside the bearer that every link has: each an enhanced
/// channel, with a client and a way to our server of its own, so that a slow request holds up only
/// those behind it (Vol 3, Part G, 5.3).
struct EnhancedBearers: Sendable {
    /// How many a link can have.
    static let limit = 5

    /// One bearer.
    struct Bearer: Sendable {
        let channel: ChannelIdentifier
        var gatt: GATTClient
        /// How many operations it has under way.
        var load = 0
    }

    private(set) var bearers: [Bearer] = []
    /// The wishes for bearers that the peer has not answered.
    var openings: Set<UInt64> = []

    var isEmpty: Bool { bearers.isEmpty }

    var room: Int { max(0, Self.limit - bearers.count) }

    var nextDeadline: Instant? {
        bearers.reduce(nil) { earliest($0, $1.gatt.nextDeadline) }
    }

    func index(of channel: ChannelIdentifier) -> Int? {
        bearers.firstIndex { $0.channel == channel }
    }

    subscript(index: Int) -> Bearer {
        get { bearers[index] }
        _modify { yield &bearers[index] }
    }

    mutating func add(_ channel: ChannelIdentifier, mtu: Int) {
        bearers.append(Bearer(channel: channel, gatt: GATTClient(enhancedMTU: mtu)))
    }

    mutating func remove(_ channel: ChannelIdentifier) -> Bearer? {
        guard let index = index(of: channel) else { return nil }
        return bearers.remove(at: index)
    }

    /// Ends all operations, since the link has ended.
    mutating func close() -> [GATTClient.Action] {
        bearers.indices.flatMap { bearers[$0].gatt.close() }
    }

    /// The bearer with the least to do, if that is less than `load`.
    func leastBusy(below load: Int) -> Int? {
        let place = bearers.indices.min { bearers[$0].load < bearers[$1].load }
        guard let place, bearers[place].load < load, bearers[place].gatt.hasRoom else { return nil }
        return place
    }
}

extension GATT.Operation {
    /// Whether it may overtake others on another bearer: reads may. Writes keep their order, and
    /// what is discovered is remembered, on the bearer that every link has.
    var mayUseAnyBearer: Bool {
        switch self {
        case .read, .readLong, .readUsingUUID, .readMultiple, .readMultipleVariable: true
        default: false
        }
    }
}
