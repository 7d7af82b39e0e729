// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

extension TestHost {
    /// Returns connection parameters with default values for tests.
    static func connectionParameters(
        interval: ClosedRange<UInt16> = 24...40,
        latency: UInt16 = 0,
        timeout: UInt16 = 100,
        eventLength: ClosedRange<UInt16> = 0...0
    ) -> HCI.ConnectionParameters {
        HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(rawValue: interval.lowerBound),
            intervalMaximum: HCI.ConnectionInterval(rawValue: interval.upperBound),
            peripheralLatency: latency,
            supervisionTimeout: HCI.Timeout(rawValue: timeout),
            eventLengthMinimum: HCI.EventLength(rawValue: eventLength.lowerBound),
            eventLengthMaximum: HCI.EventLength(rawValue: eventLength.upperBound)
        )
    }

    /// Returns the legacy command to connect, with default values for tests.
    static func create(
        _ peer: HCI.PeerAddress,
        interval: UInt16 = 0x10,
        window: UInt16 = 0x10,
        policy: HCI.InitiatorFilterPolicy = .peerAddress,
        own: HCI.OwnAddressType = .public,
        _ parameters: HCI.ConnectionParameters = connectionParameters()
    ) -> HCI.LECreateConnection {
        HCI.LECreateConnection(
            scanInterval: HCI.ScanInterval(rawValue: interval),
            scanWindow: HCI.ScanInterval(rawValue: window),
            filterPolicy: policy,
            peerAddress: peer,
            ownAddressType: own,
            parameters: parameters
        )
    }

    /// Returns the parameters of one PHY for initiating.
    static func initiating(
        interval: UInt16 = 0x40,
        window: UInt16 = 0x40,
        _ parameters: HCI.ConnectionParameters = connectionParameters()
    ) -> HCI.PHYInitiatingParameters {
        HCI.PHYInitiatingParameters(
            scanInterval: HCI.ScanInterval(rawValue: interval),
            scanWindow: HCI.ScanInterval(rawValue: window),
            parameters: parameters
        )
    }

    /// Returns the extended command to connect, with default values for tests.
    static func extendedCreate(
        _ peer: HCI.PeerAddress,
        policy: HCI.InitiatorFilterPolicy = .peerAddress,
        own: HCI.OwnAddressType = .public,
        le1M: HCI.PHYInitiatingParameters? = initiating(),
        le2M: HCI.PHYInitiatingParameters? = nil,
        coded: HCI.PHYInitiatingParameters? = nil
    ) -> HCI.LEExtendedCreateConnection {
        HCI.LEExtendedCreateConnection(
            filterPolicy: policy,
            ownAddressType: own,
            peerAddress: peer,
            phys: .init(le1M: le1M, le2M: le2M, coded: coded)
        )
    }

    /// The results of connection attempts, from both enhanced versions of the event.
    var completions: [HCI.LEEnhancedConnectionComplete] {
        events.compactMap { event in
            switch event {
            case .enhancedConnectionComplete(let event): event
            case .enhancedConnectionCompleteV2(let event): event.connection
            default: nil
            }
        }
    }
}
