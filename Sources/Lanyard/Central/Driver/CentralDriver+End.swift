// SPDX-License-Identifier: Apache-2.0

import Foundation

// The end of the central.

extension CentralDriver {
    /// Ends the central, because the app has released it or its `ApplicationProcess` has ended.
    func close() {
        execute { $0.end() }
    }

    func shutDown() async {
        await withCheckedContinuation { done in
            execute(orElse: { done.resume() }) { driver in
                driver.end()
                done.resume()
            }
        }
    }

    /// Ends the driver.
    ///
    /// - Parameter keepingLinks: Whether the links and connection requests stay.
    func end(keepingLinks: Bool = false) {
        record(.note, "the central ends", nil)
        for entry in entries { end(entry, keepingLinks: keepingLinks) }
        if scans.running != nil { system?.stopScan() }
        for watch in watches.values { watch.end() }
        hasEnded = true
        poolTimer?.set(to: nil)
        storeTimer?.set(to: nil)
        if adoption != nil, scans.isInBackground { system?.setInBackground(false) }
        system?.end()
        system = nil
        entries = []
        index = AccessoryEntryIndex()
        watches = [:]
        unclaimedPeripherals = []
        endingPeripherals = []
        inbox = []
        accessoryList.end()
        availability.end()
        slots.end()
    }

    private func end(_ entry: AccessoryEntry, keepingLinks: Bool) {
        failRequests(of: entry, .shutDown)
        entry.countdownTimer?.set(to: nil)
        entry.pairingTimer?.set(to: nil)
        entry.requestTimer?.set(to: nil)
        entry.readinessTimer?.set(to: nil)
        if let peripheral = entry.peripheral, let system, !keepingLinks,
            system.linkState(of: peripheral) != .disconnected
        {
            system.cancelConnection(peripheral)
        }
        for transport in entry.transports.values { transport.end() }
        entry.transports = [:]
        entry.peripheral = nil
        entry.snapshot.end()
    }
}
