// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// When scanning begins and ends (Vol 4, Part E, 7.8.65): once and for good, once for a *duration*,
/// or for a duration in every *period*.
extension VirtualController {
    /// Begins to scan, from scratch if it scans already.
    mutating func startScanning(
        _ duplicates: HCI.DuplicateFilter,
        for duration: Duration = .zero,
        every period: Duration = .zero,
        _ ether: inout Ether
    ) {
        stopScanning(&ether)
        scanner.isEnabled = true
        scanner.duplicates = duplicates
        scanner.duration = duration
        scanner.period = duration == .zero ? .zero : period
        scanner.backoff = ScanBackoff()
        scanPeriodBegins(&ether)
    }

    /// Ends scanning, without a word to the host. Nothing happens if it does not scan.
    mutating func stopScanning(_ ether: inout Ether) {
        ether.cancel(&scanner.endTimer)
        ether.cancel(&scanner.periodTimer)
        pauseScanning(&ether)
        scanner.isEnabled = false
        scanner.forgetDuplicates()
    }

    /// The next period of scanning begins.
    mutating func scanPeriodBegins(_ ether: inout Ether) {
        guard scanner.isEnabled else { return }
        if scanner.duplicates == .onResetEachPeriod { scanner.forgetDuplicates() }
        scanner.plan = ListeningPlan(
            start: ether.now,
            uncoded: scanner.settings.uncoded?.timing,
            coded: scanner.settings.coded?.timing
        )
        scheduleEnd(&ether)
        updateAttention(&ether)
    }

    /// Scanning has lasted as long as it was asked to.
    mutating func scanEnds(_ ether: inout Ether) {
        guard scanner.isEnabled else { return }
        scanner.endTimer = nil
        guard scanner.period == .zero else { return pauseScanning(&ether) }
        stopScanning(&ether)
        ether.emit(.scanTimeout, to: radio)
    }

    private mutating func scheduleEnd(_ ether: inout Ether) {
        guard scanner.duration > .zero else { return }
        let end = ether.now + scanner.duration
        scanner.endTimer = ether.schedule(.scanEnds, of: radio, at: end)
        guard scanner.period > .zero else { return }
        let next = ether.now + scanner.period
        scanner.periodTimer = ether.schedule(.scanPeriod, of: radio, at: next)
    }

    private mutating func pauseScanning(_ ether: inout Ether) {
        scanner.plan = nil
        scanner.request = nil
        dropFollows(&ether)
        updateAttention(&ether)
    }
}

extension Scanner {
    /// Everything is news again.
    mutating func forgetDuplicates() {
        reported.removeAll()
        answered.removeAll()
    }
}
