// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// The end of the central.

extension CentralDriver {
    /// Ends the central because the app has released it.
    func close() {
        enter { $0.end() }
    }

    func shutDown() async {
        await withCheckedContinuation { done in
            enter(orElse: { done.resume() }) { driver in
                driver.end()
                done.resume()
            }
        }
    }

    private func end() {
        record(.note, "the central ends", nil)
        for keeper in keepers { end(keeper) }
        if scans.running != nil { manager?.stopScan() }
        for watch in watches.values { watch.end() }
        hasEnded = true
        poolTimer?.set(to: nil)
        storeTimer?.set(to: nil)
        manager?.delegate = nil
        manager = nil
        keepers = []
        watches = [:]
        strays = []
        endingPeripherals = []
        inbox = []
        roster.end()
        outlook.end()
        slots.end()
    }

    private func end(_ keeper: AccessoryKeeper) {
        failRequests(of: keeper, .shutDown)
        keeper.countdownTimer?.set(to: nil)
        keeper.requestTimer?.set(to: nil)
        keeper.roomTimer?.set(to: nil)
        if let peripheral = keeper.peripheral {
            peripheral.delegate = nil
            if peripheral.state != .disconnected { manager?.cancelPeripheralConnection(peripheral) }
        }
        for transport in keeper.transports.values { transport.end() }
        keeper.transports = [:]
        keeper.peripheral = nil
        keeper.mirror.end()
    }
}
