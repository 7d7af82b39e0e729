// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// What a server knows of a client while it is connected.
    package struct Client: Sendable {
        /// The bearers, by the channel they are on, with the MTU of each.
        package internal(set) var bearers: [UInt16: Int] = [:]

        /// How well the link is protected.
        package internal(set) var security: LinkSecurity

        /// Whether the application has authorized the client.
        package internal(set) var isAuthorized = false

        /// What is known of it that outlives the link, if it is bonded.
        var memory = ClientMemory()

        /// What was handed out to be kept, or came from there; nil before.
        var kept: ClientMemory?

        /// Whether it knows the table as it is.
        var awareness = ChangeAwareness()

        /// What has changed in the table and is to be indicated still.
        var serviceChange = ServiceChange()

        /// What it signs with; nil if no key is known.
        var signingKey: SigningKey?

        /// Whether there is a bond, and the link proves it: only then is anything kept.
        var isTrusted: Bool { security.isBonded && security.isEncrypted }

        /// Whether the client is a bonded one by its address alone, which anybody can use. Until the
        /// link is encrypted with the bond's key it gets no value and gives none, whatever the
        /// value's permissions are: or a device that borrows the address could play its part.
        var isUnproved: Bool { security.isBonded && !security.isEncrypted }

        /// The bearer for what the server sends unasked: always the same one, so that the client
        /// gets it in the order in which it was sent.
        var primaryBearer: (channel: UInt16, mtu: Int)? {
            bearers.min { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
}
