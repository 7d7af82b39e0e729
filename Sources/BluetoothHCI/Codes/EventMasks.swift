// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The events that the controller may send (Vol 4, Part E, 7.3.1).
    package struct EventMask: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let disconnectionComplete = EventMask(rawValue: 1 << 4)
        package static let encryptionChange = EventMask(rawValue: 1 << 7)
        package static let readRemoteVersionInformationComplete = EventMask(rawValue: 1 << 11)
        package static let hardwareError = EventMask(rawValue: 1 << 15)
        package static let dataBufferOverflow = EventMask(rawValue: 1 << 25)
        package static let encryptionKeyRefreshComplete = EventMask(rawValue: 1 << 47)
        package static let leMeta = EventMask(rawValue: 1 << 61)
    }

    /// The second page of the event mask: further events that the controller may send
    /// (Vol 4, Part E, 7.3.69).
    package struct EventMaskPage2: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let authenticatedPayloadTimeoutExpired = EventMaskPage2(rawValue: 1 << 23)
        package static let encryptionChangeV2 = EventMaskPage2(rawValue: 1 << 25)
    }

    /// The LE events that the controller may send (Vol 4, Part E, 7.8.1).
    package struct LEEventMask: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let connectionComplete = LEEventMask(rawValue: 1 << 0)
        package static let advertisingReport = LEEventMask(rawValue: 1 << 1)
        package static let connectionUpdateComplete = LEEventMask(rawValue: 1 << 2)
        package static let readRemoteFeaturesComplete = LEEventMask(rawValue: 1 << 3)
        package static let longTermKeyRequest = LEEventMask(rawValue: 1 << 4)
        package static let remoteConnectionParameterRequest = LEEventMask(rawValue: 1 << 5)
        package static let dataLengthChange = LEEventMask(rawValue: 1 << 6)
        package static let readLocalP256PublicKeyComplete = LEEventMask(rawValue: 1 << 7)
        package static let generateDHKeyComplete = LEEventMask(rawValue: 1 << 8)
        package static let enhancedConnectionComplete = LEEventMask(rawValue: 1 << 9)
        package static let directedAdvertisingReport = LEEventMask(rawValue: 1 << 10)
        package static let phyUpdateComplete = LEEventMask(rawValue: 1 << 11)
        package static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
        package static let scanTimeout = LEEventMask(rawValue: 1 << 16)
        package static let advertisingSetTerminated = LEEventMask(rawValue: 1 << 17)
        package static let scanRequestReceived = LEEventMask(rawValue: 1 << 18)
        package static let channelSelectionAlgorithm = LEEventMask(rawValue: 1 << 19)
        package static let enhancedConnectionCompleteV2 = LEEventMask(rawValue: 1 << 40)
    }
}
