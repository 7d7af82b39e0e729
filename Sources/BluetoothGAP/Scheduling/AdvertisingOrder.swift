// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Something `Advertiser` has the controller do: a command before it is put in the words that this
/// controller understands. `CommandDialect` does that, as it does for `ControllerOrder`; a legacy
/// controller has one set, so handles mean nothing to it.
package enum AdvertisingOrder: Hashable, Sendable {
    /// A part of the data that a command is about.
    package enum Field: Hashable, Sendable {
        case advertisingData, scanResponse
    }

    /// A piece of data, and its place in the whole.
    package struct Piece: Hashable, Sendable {
        let bytes: [UInt8]
        let operation: HCI.DataOperation
    }

    case readTransmitPower
    case setParameters(set: UInt8, AdvertisingParameters)
    case setAddress(set: UInt8, DeviceAddress)
    case setData(set: UInt8, Field, Piece)
    case enable(set: UInt8, duration: Duration?, eventLimit: UInt8)
    case disable(set: UInt8)
    case remove(set: UInt8)
    case clearAdmitted
    case admit(DeviceAddress)
    case dismiss(DeviceAddress)

    /// The set that the order is about; nil if it is about none.
    var set: UInt8? {
        switch self {
        case .setParameters(let set, _), .setAddress(let set, _), .setData(let set, _, _),
            .enable(let set, _, _), .disable(let set), .remove(let set):
            set
        case .readTransmitPower, .clearAdmitted, .admit, .dismiss: nil
        }
    }
}

/// How a set advertises, all but its data, in the words of the extended commands; those of the
/// legacy ones say a part of it.
package struct AdvertisingParameters: Hashable, Sendable {
    var properties: HCI.AdvertisingProperties
    var interval: ClosedRange<Duration>
    var channels = HCI.AdvertisingChannels.all
    var ownAddressType = HCI.OwnAddressType.random
    var target: DeviceAddress?
    var filterPolicy = HCI.AdvertisingFilterPolicy.unfiltered
    var transmitPower: Int8?
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var setIdentifier: UInt8 = 0

    /// Whether the packets have room for advertising data.
    var carriesData: Bool {
        properties.contains(.legacy)
            ? !properties.contains(.directed) : !properties.contains(.scannable)
    }

    /// Whether the data goes with either manner: where it might not, the set is made anew
    /// (Vol 4, Part E, 7.8.53).
    func isSameManner(as other: AdvertisingParameters) -> Bool {
        properties == other.properties && primaryPHY == other.primaryPHY
            && secondaryPHY == other.secondaryPHY && interval == other.interval
    }
}

/// One issue of an order; see `Step`.
package struct AdvertisingStep: Hashable, Sendable {
    package let number: UInt64
    package let order: AdvertisingOrder
}
