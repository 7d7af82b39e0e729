// SPDX-License-Identifier: Apache-2.0

/// How well a radio hears.
///
/// A receiver's *sensitivity* is the power at which one bit in a thousand is wrong (Vol 6, Part A,
/// 4.1). From there the rate of wrong bits follows the curve of a non-coherent receiver of
/// frequency-shifted bits: ½·e^(-a·s), where s is the power in relation to the sensitivity and `a`
/// is such that s = 1 gives 1/1000. That is the measure by which test houses measure: at its
/// sensitivity a receiver loses 30.8 % of packets with 37 octets of payload. The curve is steep;
/// three decibels below, hardly any packet arrives, and three above, hardly any is lost. The gain
/// of LE Coded is in its sensitivities.
package struct Reception: Hashable, Sendable {
    /// The rate of wrong bits at the sensitivity.
    package static let referenceErrorRate = 0.001

    /// So many decibels above the sensitivity a packet arrives for certain: the rate of wrong bits is
    /// less than arithmetic can tell from none.
    static let faultlessMargin = 10.0

    /// The sensitivity on LE 1M, in dBm.
    package var sensitivity1M: Double
    /// The sensitivity on LE 2M, in dBm.
    package var sensitivity2M: Double
    /// The sensitivity on LE Coded with two symbols for a bit, in dBm.
    package var sensitivityCodedS2: Double
    /// The sensitivity on LE Coded with eight symbols for a bit, in dBm.
    package var sensitivityCodedS8: Double

    /// A receiver with these sensitivities; without, those of a common chip of today. The
    /// specification asks for -70, -70, -75 and -82 dBm at least.
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

    /// The sensitivity to the modulation, in dBm.
    package func sensitivity(_ modulation: Modulation) -> Double {
        switch modulation {
        case .le1M: sensitivity1M
        case .le2M: sensitivity2M
        case .codedS2: sensitivityCodedS2
        case .codedS8: sensitivityCodedS8
        }
    }

    /// The probability that a packet arrives whole, whose PDU has `pduLength` octets and which
    /// arrives with `power` dBm. Access address and CRC must be right as well.
    package func probability(
        power: Double,
        pduLength: Int,
        modulation: Modulation
    ) -> Double {
        let margin = power - sensitivity(modulation)
        guard margin < Self.faultlessMargin else { return 1 }
        let rate = Self.errorRate(margin: margin)
        let octets = PacketLength.accessAddress + pduLength + PacketLength.crc
        return Reproducible.exponential(
            Double(octets * 8) * Reproducible.naturalLogarithm(1 - rate)
        )
    }

    /// The rate of wrong bits so many decibels above the sensitivity.
    static func errorRate(margin: Double) -> Double {
        let steepness = Reproducible.naturalLogarithm(0.5 / referenceErrorRate)
        return 0.5 * Reproducible.exponential(-steepness * Reproducible.ratio(decibels: margin))
    }
}

/// The received signal strength as controllers report it (Vol 4, Part E, 7.5.4).
package enum SignalStrength {
    /// What HCI can say, in dBm.
    package static let reportable: ClosedRange<Int8> = -127...20
    /// What HCI says when the strength is not known.
    package static let unavailable: Int8 = 127

    /// What a report says, in dBm; nil if it says that the strength is not known.
    static func known(_ report: Int8) -> Int? { report == unavailable ? nil : Int(report) }

    /// The report of a power in dBm: the nearest whole number, within what can be said.
    package static func report(_ power: Double) -> Int8 {
        guard !power.isNaN else { return unavailable }
        let floor = Double(reportable.lowerBound)
        let ceiling = Double(reportable.upperBound)
        return Int8(min(max(power.rounded(), floor), ceiling))
    }
}
