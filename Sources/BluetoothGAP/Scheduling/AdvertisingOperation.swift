// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An operation that `Advertiser` requests from the controller.
///
/// `CommandDialect` translates it into a command that the controller supports, as it does with
/// `ControllerOperation`. A legacy controller has one set, so the handle has no meaning for it.
package enum AdvertisingOperation: Hashable, Sendable {
    /// The kind of data that a command sets.
    package enum Field: Hashable, Sendable {
        case advertisingData, scanResponse
    }

    /// A piece of data, and its position in the whole.
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

    /// The handle of the set that the operation concerns, or `nil` if it concerns none.
    var set: UInt8? {
        switch self {
        case .setParameters(let set, _), .setAddress(let set, _), .setData(let set, _, _),
            .enable(let set, _, _), .disable(let set), .remove(let set):
            set
        case .readTransmitPower, .clearAdmitted, .admit, .dismiss: nil
        }
    }
}

/// The parameters of a set, as the extended commands contain them. The legacy commands contain only
/// some of them.
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

    /// Whether the packets carry advertising data.
    var carriesData: Bool { properties.carriesData }

    /// Returns whether data that is valid with these parameters is valid with `other`. If the data
    /// may be invalid, the advertiser creates the set again (Vol 4, Part E, 7.8.53).
    func keepsDataValid(for other: AdvertisingParameters) -> Bool {
        properties == other.properties && primaryPHY == other.primaryPHY
            && secondaryPHY == other.secondaryPHY && interval == other.interval
    }
}

/// One request for an operation, like ``CentralStep``.
package struct AdvertisingStep: Hashable, Sendable {
    package let number: UInt64
    package let operation: AdvertisingOperation
}
