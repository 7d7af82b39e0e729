// SPDX-License-Identifier: Apache-2.0
//! Scans for heart rate sensors with the API of Core Bluetooth.

// snippet.program
import CoreBluetooth

final class Strap: NSObject, CBCentralManagerDelegate {
    private var central: CBCentralManager?

    func start() { central = CBCentralManager(delegate: self, queue: nil) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        print(peripheral.name ?? "unnamed", RSSI)
    }
}

let strap = Strap()
strap.start()
RunLoop.main.run()
// snippet.end

/// Prints a line at once, even if the output is a pipe.
func print(_ items: Any...) {
    Swift.print(items.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
}
