// SPDX-License-Identifier: Apache-2.0

import JSONText

/// A claim of a host to an accessory, in the form of the retained message of the accessory's lease.
struct LeaseClaim: Hashable, Sendable {
    /// The highest epoch. JSON carries it without loss.
    static let epochLimit = 1 << 52

    /// The epoch: 1 higher than the epoch of the latest claim that the host knew; 1 without such
    /// a claim, and after the highest epoch.
    var epoch: Int
    var host: String

    /// Returns whether this claim wins against another one: the higher epoch wins, and within an
    /// epoch the host name that comes first.
    func wins(against other: LeaseClaim) -> Bool {
        epoch != other.epoch ? epoch > other.epoch : host < other.host
    }

    var payload: String {
        JSON.object([.init("host", .string(host)), .init("epoch", .integer(epoch))]).compact
    }

    init(epoch: Int, host: String) {
        (self.epoch, self.host) = (epoch, host)
    }

    /// Reads the payload of a lease; `nil` if it is malformed.
    init?(parsing payload: [UInt8]) {
        guard payload.count <= 1_024, let members = (try? JSON(parsing: payload))?.members,
            let host = members["host"]?.text, FleetTopics.isLevel(host),
            case .integer(let epoch) = members["epoch"], (0...Self.epochLimit).contains(epoch)
        else { return nil }
        self.init(epoch: epoch, host: host)
    }
}
