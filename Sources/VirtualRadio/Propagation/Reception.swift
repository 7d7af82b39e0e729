// SPDX-License-Identifier: Apache-2.0

/// The sensitivity of a radio's receiver.
///
/// A receiver's *sensitivity* is the power at which one bit in a thousand is wrong (Vol 6, Part A,
/// 4.1). From there, the bit error rate follows the curve of a non-coherent FSK receiver:
/// ½·e^(-a·s), where s is the ratio of the power to the sensitivity, and `a` is such that s = 1
/// gives 1/1000. Test laboratories measure in the same way: at its sensitivity a receiver loses
/// 30.8 % of packets with a payload of 37 bytes. The curve is steep: three decibels below the
/// sensitivity nearly all of these packets are lost, and three decibels above nearly all of them
/// arrive. The gain of LE Coded is part of its sensitivities.
package struct Reception: Hashable, Sendable {
    /// The bit error rate at the sensitivity.
    package static let referenceErrorRate = 0.001

    /// The margin above the sensitivity, in decibels, from which every packet arrives:
    /// floating-point arithmetic cannot distinguish the bit error rate from 0.
    static let faultlessMargin = 10.0

    /// The sensitivity on LE 1M, in dBm.
    package var sensitivity1M: Double
    /// The sensitivity on LE 2M, in dBm.
    package var sensitivity2M: Double
    /// The sensitivity on LE Coded with two symbols for each bit, in dBm.
    package var sensitivityCodedS2: Double
    /// The sensitivity on LE Coded with eight symbols for each bit, in dBm.
    package var sensitivityCodedS8: Double

    /// Creates a receiver with these sensitivities, in dBm. The defaults are those of a common
    /// current chip. The specification requires -70, -70, -75 and -82 dBm or better.
    package init(
        le1M: Double = -95,
        le2M: Double = -92,
        codedS2: Double = -98,
        codedS8: Double = -103
    ) {
        sensitivity1M = le1M
        sensitivity2M = le2M
        sensitivityCodedS2 = codedS2
        sensitivityCodedS8 = codedS8
    }

    /// Returns the sensitivity for the modulation, in dBm.
    package func sensitivity(_ modulation: Modulation) -> Double {
        switch modulation {
        case .le1M: sensitivity1M
        case .le2M: sensitivity2M
        case .codedS2: sensitivityCodedS2
        case .codedS8: sensitivityCodedS8
        }
    }

    /// Returns the probability that a packet arrives whole, including its access address and CRC.
    ///
    /// - Parameters:
    ///   - power: The power at the receiver, in dBm.
    ///   - pduLength: The length of the PDU, in bytes.
    ///   - modulation: The modulation of the packet.
    package func probability(
        power: Double,
        pduLength: Int,
        modulation: Modulation
    ) -> Double {
        let margin = power - sensitivity(modulation)
        guard margin < Self.faultlessMargin else { return 1 }
        let rate = Self.errorRate(margin: margin)
        let bytes = PacketLength.accessAddress + pduLength + PacketLength.crc
        return ReproducibleMath.exponential(
            Double(bytes * 8) * ReproducibleMath.naturalLogarithm(1 - rate)
        )
    }

    /// Returns the bit error rate at `margin` decibels above the sensitivity.
    static func errorRate(margin: Double) -> Double {
        let steepness = ReproducibleMath.naturalLogarithm(0.5 / referenceErrorRate)
        return 0.5
            * ReproducibleMath.exponential(-steepness * ReproducibleMath.ratio(decibels: margin))
    }
}

/// The signal strength as controllers report it (Vol 4, Part E, 7.5.4).
package enum ReceivedSignal {
    /// The strengths that HCI can express, in dBm.
    package static let reportable: ClosedRange<Int8> = -127...20
    /// The value with which HCI reports an unknown strength.
    package static let unavailable: Int8 = 127

    /// Returns the strength of a report, in dBm; `nil` if the report states that it is unknown.
    static func known(_ report: Int8) -> Int? { report == unavailable ? nil : Int(report) }

    /// Returns the report of a power in dBm: the nearest whole number that HCI can express.
    package static func report(_ power: Double) -> Int8 {
        guard !power.isNaN else { return unavailable }
        let floor = Double(reportable.lowerBound)
        let ceiling = Double(reportable.upperBound)
        return Int8(min(max(power.rounded(), floor), ceiling))
    }
}
