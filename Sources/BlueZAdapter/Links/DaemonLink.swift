// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// A link of the port to a device that the daemon has connected.
struct DaemonLink: Sendable {
    /// A subscription to the value of a characteristic.
    enum Subscription: Sendable {
        /// The daemon has not answered yet.
        case starting(Starting)
        /// The daemon was asked to unsubscribe, and has not answered yet. The waiting requests are
        /// performed after the answer.
        case ending(waiting: [BlueZAdapter.Step])
        /// Values arrive through a socket of this program alone.
        case acquired(PacketSocket)
        /// Values arrive as changes of the property `Value`.
        case signaled
        /// Values arrive as changes of the property `Value`, because another program is subscribed.
        /// When that program ends its subscription, this step is repeated, so that this program
        /// subscribes itself.
        case shared(BlueZAdapter.Step)

        /// The socket through which the values arrive; `nil` if there is none.
        var socket: PacketSocket? {
            switch self {
            case .acquired(let socket): socket
            case .starting, .ending, .signaled, .shared: nil
            }
        }

        /// The requests that are performed after the daemon's answer.
        var waiting: [BlueZAdapter.Step] {
            switch self {
            case .starting(let starting): starting.waiting
            case .ending(let waiting): waiting
            case .acquired, .signaled, .shared: []
            }
        }
    }

    /// A subscription that the daemon has not answered.
    struct Starting: Sendable {
        /// The request that subscribes.
        let request: UInt64
        /// The values that the daemon has signaled since the request, oldest first. They are
        /// reported after the daemon's answer if the values arrive as signals.
        var early: [[UInt8]] = []
        /// The requests for the same value that are performed afterward, in order. Each is one of
        /// the link's pending requests, so `requestsPerLinkLimit` is their limit.
        var waiting: [BlueZAdapter.Step] = []
    }

    /// The way in which the daemon takes writes without a response.
    enum Writer: Sendable {
        /// The socket was requested. These writes wait for it.
        case acquiring([(request: UInt64, handle: AttributeHandle, value: [UInt8])])
        /// Writes go through the socket, with a maximum length in bytes.
        case acquired(PacketSocket, limit: Int)
        /// The daemon gave no socket, because another program has it or for another reason. Each
        /// write is a call.
        case calls
    }

    /// The maximum number of values that a subscription keeps while it starts.
    static let earlyValueLimit = 64

    let path: DBusObjectPath
    let peer: PeerIdentifier
    /// Whether this program made the connection.
    let isOwn: Bool
    /// Whether the link was reported because the peer used a published service or channel.
    let isIncoming: Bool
    /// The requests that have not ended.
    var pending: [UInt64: PortCompletion<PortAnswer>] = [:]
    var table: DaemonTable?
    /// The requests that wait for the database.
    var tableRequests: [UInt64] = []
    var tableTimer: (any HostTimer)?
    /// Whether the daemon's objects were read again because the device's services were missing.
    var hasReloaded = false
    /// Whether a change of the attributes is reported at the end of the turn.
    var isChangeAwaited = false
    var subscriptions: [DBusObjectPath: Subscription] = [:]
    var writers: [DBusObjectPath: Writer] = [:]
    var mtu = ATT.defaultMTU
    /// The reason for the disconnection. The daemon signals it before it reports that the device is
    /// no longer connected.
    var reason: PortError.Reason?

    /// The open sockets.
    var sockets: [PacketSocket] {
        subscriptions.values.compactMap(\.socket)
            + writers.values.compactMap {
                if case .acquired(let socket, _) = $0 { socket } else { nil }
            }
    }
}
