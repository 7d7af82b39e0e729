// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Parameters that consist of the identity address of a peer only.
package protocol PeerIdentityParameters: HCIParameters {
    var peerIdentity: HCI.PeerAddress { get }

    init(peerIdentity: HCI.PeerAddress)
}

extension PeerIdentityParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(peerIdentity: try reader.decode())
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.encode(peerIdentity)
    }
}

extension HCI {
    /// A command that gives the controller the keys for resolving a peer's private addresses and
    /// for generating the local private addresses that the peer resolves (Vol 4, Part E, 7.8.38).
    package struct LEAddDeviceToResolvingList: CommandCompleteCommand {
        package static let opcode = Opcode.leAddDeviceToResolvingList

        package var peerIdentity: PeerAddress
        package var peerKey: Key128
        package var localKey: Key128

        package init(peerIdentity: PeerAddress, peerKey: Key128, localKey: Key128) {
            self.peerIdentity = peerIdentity
            self.peerKey = peerKey
            self.localKey = localKey
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            peerIdentity = try reader.decode()
            peerKey = try reader.decode()
            localKey = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(peerIdentity, peerKey, localKey)
        }
    }

    /// A command that removes a peer's keys from the controller (Vol 4, Part E, 7.8.39).
    package struct LERemoveDeviceFromResolvingList: CommandCompleteCommand, PeerIdentityParameters {
        package static let opcode = Opcode.leRemoveDeviceFromResolvingList

        package var peerIdentity: PeerAddress

        package init(peerIdentity: PeerAddress) {
            self.peerIdentity = peerIdentity
        }
    }

    /// A command that removes the keys of all peers from the controller (Vol 4, Part E, 7.8.40).
    package struct LEClearResolvingList: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leClearResolvingList
        package init() {}
    }

    /// A command that reads the number of peers whose keys the controller can store (Vol 4, Part E,
    /// 7.8.41).
    package struct LEReadResolvingListSize: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadResolvingListSize
        package typealias ReturnParameters = LEReadFilterAcceptListSize.ReturnParameters
        package init() {}
    }

    /// A command that reads the current private address of a peer (Vol 4, Part E, 7.8.42).
    package struct LEReadPeerResolvableAddress: CommandCompleteCommand, PeerIdentityParameters {
        package static let opcode = Opcode.leReadPeerResolvableAddress

        package var peerIdentity: PeerAddress

        package init(peerIdentity: PeerAddress) {
            self.peerIdentity = peerIdentity
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var address: BareAddress

            package init(address: BareAddress) {
                self.address = address
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                address = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(address)
            }
        }
    }

    /// A command that reads the private address that the controller currently uses for a peer
    /// (Vol 4, Part E, 7.8.43).
    package struct LEReadLocalResolvableAddress: CommandCompleteCommand, PeerIdentityParameters {
        package static let opcode = Opcode.leReadLocalResolvableAddress
        package typealias ReturnParameters = LEReadPeerResolvableAddress.ReturnParameters

        package var peerIdentity: PeerAddress

        package init(peerIdentity: PeerAddress) {
            self.peerIdentity = peerIdentity
        }
    }

    /// A command that turns address resolution in the controller on or off (Vol 4, Part E, 7.8.44).
    package struct LESetAddressResolutionEnable: CommandCompleteCommand {
        package static let opcode = Opcode.leSetAddressResolutionEnable

        package var isEnabled: Bool

        package init(isEnabled: Bool) {
            self.isEnabled = isEnabled
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isEnabled = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isEnabled)
        }
    }

    /// A command that sets the time after which the controller changes its private addresses
    /// (Vol 4, Part E, 7.8.45).
    package struct LESetResolvablePrivateAddressTimeout: CommandCompleteCommand {
        package static let opcode = Opcode.leSetResolvablePrivateAddressTimeout

        package var timeout: AddressTimeout

        package init(timeout: AddressTimeout) {
            self.timeout = timeout
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            timeout = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(timeout)
        }
    }

    /// A command that sets whether a peer may also use its identity address (Vol 4, Part E,
    /// 7.8.77).
    package struct LESetPrivacyMode: CommandCompleteCommand {
        package static let opcode = Opcode.leSetPrivacyMode

        package var peerIdentity: PeerAddress
        package var mode: PrivacyMode

        package init(peerIdentity: PeerAddress, mode: PrivacyMode) {
            self.peerIdentity = peerIdentity
            self.mode = mode
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            peerIdentity = try reader.decode()
            mode = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(peerIdentity, mode)
        }
    }
}
