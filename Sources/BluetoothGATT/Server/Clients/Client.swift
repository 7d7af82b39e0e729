// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// The server's record of a connected client.
    package struct Client: Sendable {
        /// The MTU of each bearer, keyed by the bearer's channel.
        package internal(set) var bearers: [UInt16: Int] = [:]

        /// The security of the link.
        package internal(set) var security: LinkSecurity

        /// Whether the application has authorized the client.
        package internal(set) var isAuthorized = false

        /// The information about the client that the server stores if the client is bonded.
        var clientRecord = ClientRecord()

        /// The record that is stored or was restored, or `nil` if there is none.
        var storedRecord: ClientRecord?

        var awareness = ChangeAwareness()

        /// The changes of the database that are still to be indicated.
        var serviceChange = ServiceChange()

        /// The key with which the client signs commands, or `nil` if none is known.
        var signingKey: SigningKey?

        /// Whether there is a bond and the link is encrypted with its key. Otherwise, only the
        /// counter of the client's signatures is stored.
        var isTrusted: Bool { security.isBonded && security.isEncrypted }

        /// The bearer for notifications and indications: the one with the lowest channel. All use
        /// the same bearer, so that the client receives them in the order in which they were sent.
        var primaryBearer: (channel: UInt16, mtu: Int)? {
            bearers.min { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}

extension LinkSecurity {
    /// Whether only the client's address, which any device can use, identifies it as a bonded one.
    ///
    /// Until the link is encrypted with the bond's key, the client can read only the structure of
    /// the database and the values that describe this server, and can write only with a signature.
    /// The permissions of other values do not matter. Otherwise, a device with a copied address
    /// could act as the client.
    var awaitsEncryption: Bool { isBonded && !isEncrypted }
}

/// The features that a client supports: the bits of Client Supported Features (Vol 3, Part G, 7.2).
enum ClientFeatures {
    static let robustCaching: UInt8 = 1 << 0
    static let enhancedBearer: UInt8 = 1 << 1
    static let multipleHandleValueNotifications: UInt8 = 1 << 2

    /// All known bits. Other bits are not stored.
    static let all = robustCaching | enhancedBearer | multipleHandleValueNotifications
}
