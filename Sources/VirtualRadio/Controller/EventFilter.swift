// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The event masks of a host, which select the events that it gets, and their versions.
package struct EventFilter: Sendable {
    /// The mask of Set Event Mask (Vol 4, Part E, 7.3.1). The default lacks LE Meta and Encryption
    /// Key Refresh Complete.
    package var mask = HCI.EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
    /// The mask of Set Event Mask Page 2 (Vol 4, Part E, 7.3.69).
    package var page2 = HCI.EventMaskPage2(rawValue: 0)
    /// The mask of LE Set Event Mask (Vol 4, Part E, 7.8.1). The default has the events of
    /// Bluetooth 4.0.
    package var leMask = HCI.LEEventMask(rawValue: 0x1F)

    /// The LE events that no mask blocks.
    package var leEvents: HCI.LEEventMask { mask.contains(.leMeta) ? leMask : [] }

    /// Returns the event in the version that the host gets; `nil` if a mask blocks it.
    func filter(_ event: HCI.Event) -> HCI.Event? {
        switch event {
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: event
        case .enhancedConnectionCompleteV2(let event): connectionComplete(event)
        case .encryptionChange(let event) where page2.contains(.encryptionChangeV2):
            .encryptionChangeV2(event.version2)
        default: admits(event) ? event : nil
        }
    }

    /// Returns the newest version that no mask blocks: a controller sends only one of the three
    /// (Vol 4, Part E, 7.7.65.10).
    private func connectionComplete(_ event: HCI.LEEnhancedConnectionCompleteV2) -> HCI.Event? {
        guard mask.contains(.leMeta) else { return nil }
        if leMask.contains(.enhancedConnectionCompleteV2) {
            return .enhancedConnectionCompleteV2(event)
        }
        if leMask.contains(.enhancedConnectionComplete) {
            return .enhancedConnectionComplete(event.connection)
        }
        guard leMask.contains(.connectionComplete) else { return nil }
        return .connectionComplete(event.connection.version1)
    }

    private func admits(_ event: HCI.Event) -> Bool {
        switch event {
        case .disconnectionComplete: mask.contains(.disconnectionComplete)
        case .encryptionChange: mask.contains(.encryptionChange)
        case .encryptionChangeV2: page2.contains(.encryptionChangeV2)
        case .encryptionKeyRefreshComplete: mask.contains(.encryptionKeyRefreshComplete)
        case .readRemoteVersionInformationComplete:
            mask.contains(.readRemoteVersionInformationComplete)
        case .hardwareError: mask.contains(.hardwareError)
        case .dataBufferOverflow: mask.contains(.dataBufferOverflow)
        case .authenticatedPayloadTimeoutExpired:
            page2.contains(.authenticatedPayloadTimeoutExpired)
        case .unknown(let code, let subevent, _): code != .leMeta || admits(subevent)
        default: mask.contains(.leMeta) && leMask.contains(Self.bit(of: event))
        }
    }

    /// Returns whether the masks admit the LE event. Its bit follows from its subevent code (Vol 4,
    /// Part E, 7.8.1).
    private func admits(_ subevent: HCI.LESubeventCode?) -> Bool {
        guard let code = subevent?.rawValue, (1...64).contains(code) else { return false }
        return mask.contains(.leMeta)
            && leMask.contains(HCI.LEEventMask(rawValue: 1 << (UInt64(code) - 1)))
    }

    private static func bit(of event: HCI.Event) -> HCI.LEEventMask {
        switch event {
        case .advertisingReports: .advertisingReport
        case .extendedAdvertisingReports: .extendedAdvertisingReport
        case .directedAdvertisingReports: .directedAdvertisingReport
        case .connectionComplete: .connectionComplete
        case .enhancedConnectionComplete: .enhancedConnectionComplete
        case .connectionUpdateComplete: .connectionUpdateComplete
        case .readRemoteFeaturesComplete: .readRemoteFeaturesComplete
        case .longTermKeyRequest: .longTermKeyRequest
        case .remoteConnectionParameterRequest: .remoteConnectionParameterRequest
        case .dataLengthChange: .dataLengthChange
        case .readLocalP256PublicKeyComplete: .readLocalP256PublicKeyComplete
        case .generateDHKeyComplete: .generateDHKeyComplete
        case .phyUpdateComplete: .phyUpdateComplete
        case .channelSelectionAlgorithm: .channelSelectionAlgorithm
        case .scanTimeout: .scanTimeout
        case .advertisingSetTerminated: .advertisingSetTerminated
        case .scanRequestReceived: .scanRequestReceived
        // Not an LE event, or an event that `filter` has handled.
        default: []
        }
    }
}

extension HCI.LEEnhancedConnectionComplete {
    /// The event of Bluetooth 4.0, which has no address types for identities. If the controller has
    /// resolved the peer's private address, the event has the identity address nevertheless (Vol 6,
    /// Part B, 4.7).
    fileprivate var version1: HCI.LEConnectionComplete {
        HCI.LEConnectionComplete(
            status: status,
            connectionHandle: connectionHandle,
            role: role,
            peerAddress: peerAddress.deviceAddress.map { HCI.PeerAddress($0) } ?? peerAddress,
            interval: interval,
            peripheralLatency: peripheralLatency,
            supervisionTimeout: supervisionTimeout,
            clockAccuracy: clockAccuracy
        )
    }
}

extension HCI.EncryptionChange {
    /// The event with the size of the key. The Link Layer of LE does not shorten keys (Vol 4, Part
    /// E, 7.7.8).
    fileprivate var version2: HCI.EncryptionChangeV2 {
        HCI.EncryptionChangeV2(
            status: status,
            connectionHandle: connectionHandle,
            encryption: encryption,
            keySize: encryption == .off ? 0 : 16
        )
    }
}
