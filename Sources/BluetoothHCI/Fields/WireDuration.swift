// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The step in which a field counts time.
package protocol WireTimeUnit: Sendable {
    static var microseconds: Int64 { get }
}

/// A span of time in the 16-bit count and the unit of its field, so that an interval in steps of
/// 1.25 ms is never taken for one in steps of 0.625 ms.
package struct WireDuration<Unit: WireTimeUnit>: Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The number of steps.
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The largest count of whole steps within `duration`, held within 0 and 65535.
    package init(_ duration: Duration) {
        rawValue = UInt16(clamping: duration.nanoseconds / (Unit.microseconds * 1000))
    }

    /// The span itself.
    package var duration: Duration { .microseconds(Int64(rawValue) * Unit.microseconds) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Milliseconds, with as many decimals as it takes.
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
    /// Half a classic slot pair: the step of scanning and advertising, 0.625 ms.
    package enum Steps625Microseconds: WireTimeUnit { package static let microseconds: Int64 = 625 }
    /// The step of connection intervals, 1.25 ms.
    package enum Steps1250Microseconds: WireTimeUnit {
        package static let microseconds: Int64 = 1250
    }
    /// The step of time-outs, 10 ms.
    package enum Steps10Milliseconds: WireTimeUnit {
        package static let microseconds: Int64 = 10_000
    }
    /// The step of slow time-outs, 1 s.
    package enum Steps1Second: WireTimeUnit { package static let microseconds: Int64 = 1_000_000 }
    /// The step of times on the air within a packet, 1 µs.
    package enum Steps1Microsecond: WireTimeUnit { package static let microseconds: Int64 = 1 }
    /// The step of the pause between scans, 1.28 s.
    package enum Steps1280Milliseconds: WireTimeUnit {
        package static let microseconds: Int64 = 1_280_000
    }

    /// A scan interval or window, or an interval of legacy advertising.
    package typealias ScanInterval = WireDuration<Steps625Microseconds>
    /// The length of a connection event.
    package typealias EventLength = WireDuration<Steps625Microseconds>
    /// The time from one connection event to the next, or of periodic advertising.
    package typealias ConnectionInterval = WireDuration<Steps1250Microseconds>
    /// A supervision time-out, or how long scanning or advertising lasts.
    package typealias Timeout = WireDuration<Steps10Milliseconds>
    /// How long a resolvable private address is used.
    package typealias AddressTimeout = WireDuration<Steps1Second>
    /// The time that a packet takes on the air.
    package typealias AirTime = WireDuration<Steps1Microsecond>
    /// How often a limited scan starts again.
    package typealias ScanPeriod = WireDuration<Steps1280Milliseconds>
}
