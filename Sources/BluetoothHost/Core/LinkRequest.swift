// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// A request of the application to a link.
package enum LinkRequest: Sendable {
    /// An operation. If the peer refuses it because the link lacks protection, the host protects
    /// the link and repeats the operation, unless `securesOnDemand` is `false`.
    case gatt(GATT.Operation, securesOnDemand: Bool = true)
    /// Write this value with a signature, unless the link is encrypted or the bond has no key for
    /// signatures of this host.
    case writeSigned(AttributeHandle, [UInt8])
    /// The whole database of the peer, from the cache or discovered.
    case database
    case readRSSI
    case updateParameters(ConnectionUpdate)
    case setDataLength(bytes: Int)
    case setPHY(transmit: PHY?, receive: PHY?)
    case readPHY
    case readRemoteVersion
    /// Open this number of enhanced bearers to the peer's server.
    case enhancedBearers(Int)
    /// Protect the link, by the bond or by a pairing.
    case pair(Pairing.Policy)
    case disconnect

    /// The link-layer procedure whose end completes the request, or `nil` for requests that need
    /// no such procedure.
    var procedure: LinkCore.Procedure? {
        switch self {
        case .updateParameters: .connectionUpdate
        case .setPHY: .phyUpdate
        case .readRemoteVersion: .versionExchange
        case .gatt, .writeSigned, .database, .readRSSI, .setDataLength, .readPHY, .pair,
            .enhancedBearers, .disconnect:
            nil
        }
    }

    /// Whether the request makes room for others, so that `HostCore.requestLimit` does not apply to
    /// it.
    var isDisconnection: Bool { if case .disconnect = self { true } else { false } }

    /// Whether the request needs an operation of the GATT client.
    var usesGATT: Bool {
        switch self {
        case .gatt, .writeSigned, .database: true
        default: false
        }
    }

    /// The name of the missing feature, if the controller cannot perform the request.
    var featureName: String {
        switch self {
        case .gatt, .writeSigned, .database: "GATT"
        case .disconnect: "disconnecting"
        case .readRSSI: "reading the signal strength"
        case .updateParameters: "updating connection parameters"
        case .setDataLength: "longer packets"
        case .setPHY, .readPHY: "other PHYs"
        case .readRemoteVersion: "reading the peer's version"
        case .enhancedBearers: "Enhanced ATT"
        case .pair: "pairing"
        }
    }
}

/// A request of the application about the channels of a link. Its answer is a `HostAnswer`.
package enum ChannelRequest: Sendable {
    /// The answer is `channels`.
    case open(L2CAP.SPSM, L2CAP.Mode, count: Int, L2CAP.ChannelOptions)
    /// The answer is `done` when the SDU has left.
    case send([UInt8], ChannelNumber)
    /// The answer is `sdu`, with `nil` after a graceful end.
    case receive(ChannelNumber)
    /// The answer is `done`.
    case resize([ChannelNumber], mtu: Int, mps: Int)
    /// The answer is `done` when the peer has confirmed the end or has not responded in time, or
    /// the link has ended.
    case close(ChannelNumber)
    /// The answer is `end`.
    case awaitEnd(ChannelNumber)

    /// Whether the request makes room for others, or awaits an end, so that
    /// `HostCore.requestLimit` does not apply to it.
    var isAlwaysTaken: Bool {
        switch self {
        case .close, .awaitEnd: true
        case .open, .send, .receive, .resize: false
        }
    }
}
