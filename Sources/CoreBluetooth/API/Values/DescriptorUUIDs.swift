// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The UUIDs of descriptors, and of the characteristic that holds the PSM of an L2CAP listener.

/// The properties for which the declaration has no bits. The value is an `NSNumber`.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// The description of the characteristic in words. The value is a `String`.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// The configuration of notifications and indications. The value is an `NSNumber`.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// The configuration of broadcasts. The value is an `NSNumber`.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// The format of the value. The value of the descriptor is `Data`.
public let CBUUIDCharacteristicFormatString: String = "2904"

/// The list of formats of a value that has several parts. The value is `Data`.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The range of the value. The value of the descriptor is `Data`.
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// The times at which the value is observed. The value of the descriptor is `Data`.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic that holds the PSM of a published L2CAP channel: a `UInt16`, least
/// significant byte first.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
