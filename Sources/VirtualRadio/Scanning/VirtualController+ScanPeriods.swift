// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The beginning and end of scanning (Vol 4, Part E, 7.8.65): without an end, once for a
/// *duration*, or for a duration in every *period*.
extension VirtualController {
    /// Starts scanning, or restarts it.
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

    /// Stops scanning without an event to the host. Does nothing if the controller does not scan.
    mutating func stopScanning(_ ether: inout Ether) {
        ether.cancel(&scanner.endTimer)
        ether.cancel(&scanner.periodTimer)
        pauseScanning(&ether)
        scanner.isEnabled = false
        scanner.forgetDuplicates()
    }

    /// Begins the next period of scanning.
    mutating func scanPeriodBegins(_ ether: inout Ether) {
        guard scanner.isEnabled else { return }
        if scanner.duplicates == .onResetEachPeriod { scanner.forgetDuplicates() }
        scanner.plan = ListeningPlan(
            start: ether.now,
            uncoded: scanner.settings.uncoded?.timing,
            coded: scanner.settings.coded?.timing
        )
        scheduleEnd(&ether)
        updateListener(&ether)
    }

    /// Handles the end of the duration.
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
        updateListener(&ether)
    }
}

extension Scanner {
    /// Clears the duplicate filter.
    mutating func forgetDuplicates() {
        reported.removeAll()
        answered.removeAll()
    }
}
