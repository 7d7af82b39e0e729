// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Instants") struct InstantTests {
    @Test("Adding a duration moves an instant, and the difference of two instants is a duration")
    func arithmetic() {
        let start = Instant(nanoseconds: 1_000)
        let later = start + .milliseconds(2)
        #expect(later.nanoseconds == 2_001_000)
        #expect(later - start == .milliseconds(2))
        #expect(start - later == .milliseconds(-2))
        #expect(start < later)
        #expect(Instant.zero + .zero == .zero)
    }

    @Test("An instant beyond the range saturates at the first or last representable instant")
    func overflow() {
        let last = Instant(nanoseconds: .max)
        #expect(last + .seconds(1) == last)
        #expect(Instant.zero + .seconds(Int64.max) == last)
        let first = Instant(nanoseconds: .min)
        #expect(first + .seconds(-1) == first)
        #expect(last - first == .nanoseconds(Int64.max) - .nanoseconds(Int64.min))
        #expect(first - last < .zero)
    }

    @Test("An instant prints seconds to the microsecond") func description() {
        #expect("\(Instant(nanoseconds: 1_000_002_000))" == "1.000002s")
        #expect("\(Instant.zero)" == "0.000000s")
        #expect("\(Instant(nanoseconds: 999))" == "0.000000s")
        #expect("\(Instant(nanoseconds: -999))" == "0.000000s")
        #expect("\(Instant(nanoseconds: -1_500_000_000))" == "-1.500000s")
    }
}

@Suite("Durations in nanoseconds") struct DurationNanosecondsTests {
    @Test("A duration converts exactly and saturates at 64 bits") func nanoseconds() {
        #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
        #expect(Duration.nanoseconds(-1).nanoseconds == -1)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration.seconds(9_223_372_036).nanoseconds == 9_223_372_036_000_000_000)
        #expect((Duration.seconds(9_223_372_036) + .seconds(0.9)).nanoseconds == .max)
    }
}
