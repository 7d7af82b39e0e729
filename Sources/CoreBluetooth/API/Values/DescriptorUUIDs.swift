// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The UUIDs of descriptors, and of the characteristic that tells the number of an L2CAP listener.

/// Holds the properties for which the declaration has no bits. Its value is an NSNumber.
public let CBUUIDCharacteristicExtendedPropertiesString: String = "2900"

/// Describes the characteristic in words. Its value is a String.
public let CBUUIDCharacteristicUserDescriptionString: String = "2901"

/// Switches notifications and indications. Its value is an NSNumber.
public let CBUUIDClientCharacteristicConfigurationString: String = "2902"

/// Switches broadcasting. Its value is an NSNumber.
public let CBUUIDServerCharacteristicConfigurationString: String = "2903"

/// Says what the octets of the value mean. Its value is Data.
public let CBUUIDCharacteristicFormatString: String = "2904"

/// Lists the formats of a value that consists of several. Its value is Data.
public let CBUUIDCharacteristicAggregateFormatString: String = "2905"

/// The range in which the value lies. Its value is Data.
public let CBUUIDCharacteristicValidRangeString: String = "2906"

/// When the value is observed. Its value is Data.
public let CBUUIDCharacteristicObservationScheduleString: String = "2910"

/// The characteristic that holds the PSM of a published L2CAP channel: a UInt16, the lower octet
/// first.
public let CBUUIDL2CAPPSMCharacteristicString: String = "ABDD3056-28FA-441D-A470-55A75A52553A"
