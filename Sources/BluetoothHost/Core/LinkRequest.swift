// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes

/// What can be asked of a link.
package enum LinkRequest: Sendable {
    /// What the peer refuses for want of protection is asked once more when the link has it, unless
    /// nobody is to be bothered for this: then the refusal is the answer.
    case gatt(GATT.Operation, securesOnDemand: Bool = true)
    /// Write this with a signature, unless the link is encrypted.
    case writeSigned(AttributeHandle, [UInt8])
    /// The whole table of the peer, kept or discovered.
    case database
    case readRSSI
    case updateParameters(ConnectionUpdate)
    case setDataLength(octets: Int)
    case setPHY(transmit: PHY?, receive: PHY?)
    case readPHY
    case readRemoteVersion
    /// Protect the link, by the bond or a pairing.
    case pair(Pairing.Policy)
    case disconnect

    /// The link-layer procedure whose end answers the request; nil if the command's own completion
    /// does.
    var procedure: LinkState.Procedure? {
        switch self {
        case .updateParameters: .connectionUpdate
        case .setPHY: .phyUpdate
        case .readRemoteVersion: .versionExchange
        case .gatt, .writeSigned, .database, .readRSSI, .setDataLength, .readPHY, .pair,
            .disconnect:
            nil
        }
    }

    /// Whether it makes room for others, and so is taken however many wait.
    var freesRoom: Bool { if case .disconnect = self { true } else { false } }

    /// Whether the peer's server is asked.
    var usesGATT: Bool {
        switch self {
        case .gatt, .writeSigned, .database: true
        default: false
        }
    }

    /// What a controller lacks that cannot carry the request out.
    var featureName: String {
        switch self {
        case .gatt, .writeSigned, .database: "GATT"
        case .disconnect: "disconnecting"
        case .readRSSI: "reading the signal strength"
        case .updateParameters: "updating connection parameters"
        case .setDataLength: "longer packets"
        case .setPHY, .readPHY: "other PHYs"
        case .readRemoteVersion: "reading the peer's version"
        case .pair: "pairing"
        }
    }
}
