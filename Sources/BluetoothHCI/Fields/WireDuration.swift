// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The unit of a time parameter.
package protocol WireTimeUnit: Sendable {
    static var microseconds: Int64 { get }
}

/// A duration as a 16-bit multiple of its parameter's unit.
///
/// The unit is part of the type, so that the compiler rejects an interval in units of 1.25 ms where
/// one in units of 0.625 ms is required.
package struct WireDuration<Unit: WireTimeUnit>: Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The duration as a number of units.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Creates a duration: `duration` in whole units, rounded down and clamped to the 16-bit range.
    package init(_ duration: Duration) {
        rawValue = UInt16(clamping: duration.nanoseconds / (Unit.microseconds * 1000))
    }

    /// The duration as the standard library's type.
    package var duration: Duration { .microseconds(Int64(rawValue) * Unit.microseconds) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The duration in milliseconds, with up to three decimal places.
    package var description: String {
        let microseconds = Int64(rawValue) * Unit.microseconds
        let whole = "\(microseconds / 1000)"
        guard microseconds % 1000 != 0 else { return whole + " ms" }
        var decimals = String(String(1000 + microseconds % 1000).dropFirst())
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals) ms"
    }
}

extension WireDuration: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(rawValue: try reader.readUInt16())
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(rawValue) }
}

extension HCI {
    /// The unit of scanning and advertising, 0.625 ms, which is one slot of a BR/EDR link.
    package enum Steps625Microseconds: WireTimeUnit { package static let microseconds: Int64 = 625 }
    /// The unit of connection intervals, 1.25 ms.
    package enum Steps1250Microseconds: WireTimeUnit {
        package static let microseconds: Int64 = 1250
    }
    /// The unit of timeouts, 10 ms.
    package enum Steps10Milliseconds: WireTimeUnit {
        package static let microseconds: Int64 = 10_000
    }
    /// The unit of slow timeouts, 1 s.
    package enum Steps1Second: WireTimeUnit { package static let microseconds: Int64 = 1_000_000 }
    /// The unit of a packet's transmission time, 1 µs.
    package enum Steps1Microsecond: WireTimeUnit { package static let microseconds: Int64 = 1 }
    /// The unit of the period between scans, 1.28 s.
    package enum Steps1280Milliseconds: WireTimeUnit {
        package static let microseconds: Int64 = 1_280_000
    }

    /// A scan interval or window, or an interval of legacy advertising.
    package typealias ScanInterval = WireDuration<Steps625Microseconds>
    /// The length of a connection event.
    package typealias EventLength = WireDuration<Steps625Microseconds>
    /// The time from one connection event to the next, or the interval of periodic advertising.
    package typealias ConnectionInterval = WireDuration<Steps1250Microseconds>
    /// A supervision or authenticated payload timeout, or the duration of scanning or advertising.
    package typealias Timeout = WireDuration<Steps10Milliseconds>
    /// The time after which the controller replaces a resolvable private address.
    package typealias AddressTimeout = WireDuration<Steps1Second>
    /// The transmission time of a packet on the air.
    package typealias AirTime = WireDuration<Steps1Microsecond>
    /// The period after which a limited scan starts again.
    package typealias ScanPeriod = WireDuration<Steps1280Milliseconds>
}
