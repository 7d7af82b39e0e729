// SPDX-License-Identifier: Apache-2.0

/// The remark of a scan that receives nothing.
struct ScanSilence: Sendable {
    /// The time after which a scan without a limit remarks that it has received nothing.
    static let limit = Duration.seconds(10)

    /// Whether the scan leaves devices out.
    let hasFilter: Bool
    let console: Console
    /// Set when a device is received.
    let received = Latch()

    /// Runs a scan, and prints one remark if no device is received within `limit`.
    func report(during scan: @escaping @Sendable () async throws -> Void) async throws {
        try await FirstResult.of([
            { @Sendable in try await scan() },
            { @Sendable in
                try await TimeLimit.wait(Self.limit)
                report(after: Self.limit)
                await EndOfInput.never()
            },
        ])
    }

    /// Prints a remark if no device was received.
    func report(after time: Duration) {
        guard !received.isSet else { return }
        let filters =
            hasFilter
            ? "the filters may hide devices: leave out --service, --name, --minimum-rssi and "
                + "--discovery"
            : "check that a device nearby is on, advertises, and is not connected to another one"
        console.remark(
            "lanyard: no device was received in \(SecondsText.describe(time)); \(filters)\n"
        )
    }
}
