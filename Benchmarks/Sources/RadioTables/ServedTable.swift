// SPDX-License-Identifier: Apache-2.0

import Scenarios

/// The throughput of the host over the virtual radio, compared with the maximum: streams of a
/// server to one central and to twenty, in virtual time.
enum ServedTable {
    /// The duration of an exchange in milliseconds, on LE 1M: a packet of 251 bytes, the empty
    /// packet that answers it, and the spaces around them.
    private static let exchange = 2.468

    /// The number of centrals, the interval in milliseconds, and the controller's buffers.
    private static let rows: [(centralCount: Int, interval: Double, bufferCount: Int)] = [
        (1, 7.5, 12), (1, 15, 12), (1, 30, 12), (1, 50, 12),
        (20, 50, 12), (20, 100, 12), (20, 50, 60), (20, 100, 60),
    ]

    static func print() async throws {
        Swift.print(
            "| stream | centrals | interval | buffers | kbit/s | slowest / fastest |"
        )
        Swift.print("|---|--:|--:|--:|--:|--:|")
        try await print("notifications", .notifications, StreamScenario.notificationLength)
        try await print("channel", .channel, ServedStream.frameLength)
    }

    private static func print(
        _ name: String,
        _ carrier: ServedStream.Carrier,
        _ length: Int
    ) async throws {
        for (count, interval, bufferCount) in rows {
            let stream = try ServedStream(
                centralCount: count,
                interval: .microseconds(Int64(interval * 1_000)),
                bufferCount: bufferCount
            )
            let rate = try await stream.rate(of: carrier, over: .seconds(60))
            let measured = rate.bits / 1_000
            let ceiling = ceiling(count, interval, length)
            let shares = [100 * measured / ceiling, 100 * rate.leastOfMost].map(tenths)
            Swift.print(
                "| \(name) | \(count) | \(interval) ms | \(bufferCount) | \(tenths(measured)) of "
                    + "\(tenths(ceiling)) = \(shares[0]) % | \(shares[1]) % |"
            )
        }
    }

    /// Returns the maximum in kbit/s. For one central, whole exchanges fill a connection interval.
    /// For several, exchanges follow each other without a gap.
    private static func ceiling(_ count: Int, _ interval: Double, _ length: Int) -> Double {
        let bits = Double(length * 8)
        guard count == 1 else { return bits / exchange }
        return (interval / exchange).rounded(.down) * bits / interval
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
