// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

/// The connection of a radio to RootCanal's Link Layer port, which is made again after a restart of
/// RootCanal.
struct RootCanalReconnector: Sendable {
    let air: LiveAir
    let host: String
    let port: UInt16
    /// The time between two attempts to join again.
    var retryPeriod = Duration.seconds(1)
    /// The maximum number of attempts to join again in a row. With the default period, this number
    /// of attempts takes at least ten minutes.
    var retryLimit = 600
    /// The time after which a connection is stable. Only a stable connection resets the number of
    /// attempts, so that the limit also holds if each new connection ends at once.
    var stableTime = Duration.seconds(10)
    /// Receives each end of a connection, each new connection, and the end of the attempts.
    let report: @Sendable (AirEvent) -> Void

    /// A stream whose only value is the reason for the end of a connection.
    typealias End = AsyncStream<String>

    /// Joins RootCanal.
    ///
    /// - Returns: A stream that yields the reason when the connection ends.
    /// - Throws: ``TransportError`` if RootCanal cannot be reached.
    func join() async throws(TransportError) -> End {
        let (end, feed) = End.makeStream()
        let connection = RootCanalConnection(air, host: host, port: port) { reason in
            feed.yield("\(reason)")
            feed.finish()
        }
        try await connection.open()
        return end
    }

    /// Joins RootCanal again after each end of a connection. Reports each end and each new
    /// connection. Returns when the task is canceled, or after ``retryLimit`` attempts.
    func rejoin(after first: End) async {
        var (end, attempts) = (first, 0)
        while true {
            let joined = ContinuousClock.now
            guard let cause = await end.first(where: { _ in true }) else { return }
            report(.rootCanalEnded(cause: cause))
            if ContinuousClock.now - joined >= stableTime { attempts = 0 }
            guard let next = await retry(&attempts) else { return }
            report(.rootCanalJoined)
            end = next
        }
    }

    /// Returns the end of a new connection; `nil` after the last attempt, or if the task is
    /// canceled.
    private func retry(_ attempts: inout Int) async -> End? {
        while attempts < retryLimit {
            attempts += 1
            do { try await Task.sleep(for: retryPeriod) } catch { return nil }
            if let end = try? await join() { return end }
        }
        report(.rootCanalGivenUp(attempts: attempts))
        return nil
    }
}
